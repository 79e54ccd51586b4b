/** The lines of the demo's table: it stands between blank lines. */
export function rowsIn(lines: readonly string[]): string[] {
  const start = lines.indexOf("") + 1;
  return lines.slice(start, lines.indexOf("", start));
}
