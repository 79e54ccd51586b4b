/** What texts have to be so that a store holds them, and titles one line. */

/** Without what SQLite and files would not give back as it was. */
export const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "");

const longestTitle = 300;

/** A text that fits on one line of a list. */
export function titleOf(text: string): string {
  const line = clean(text).replace(/\s+/g, " ").trim();
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1).toWellFormed()}…`;
}
