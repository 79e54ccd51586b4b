/** Figures and tables as people read them, on a terminal and in Markdown. */

export const amount = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 10_000 ? String(value) : rounded(value);
const rounded = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);

/** A figure with its unit; nanoseconds grow into what is easier to read. */
export function figure(value: number, unit: string): string {
  const scale = unit === "ns" ? scales.find(([least]) => value >= least) : undefined;
  return scale ? `${amount(value / scale[1])} ${scale[2]}` : `${amount(value)} ${unit}`;
}
const scales: readonly [least: number, size: number, unit: string][] = [
  [1e10, 1e9, "s"],
  [1e6, 1e6, "ms"],
  [1e4, 1e3, "µs"],
];

export function columns(lines: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const line of lines)
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return lines.map((line) => `  ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd());
}

export function markdownTable(titles: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [row(titles), `|${titles.map(() => "---|").join("")}`, ...lines.map(row)];
}
