/** The difference of two texts, as a person reads it. Apart, because few commands need the library. */
import { structuredPatch } from "diff";
import type { FileEdit } from "../../agents/install/files.ts";
import type { Invocation } from "./command.ts";
import { safeText, shortPath } from "./terminal.ts";

/** Each with its sign: `+`, `-`, or a blank for what stays beside it. */
export const patchLines = (before: string, after: string): string[] =>
  before === after
    ? []
    : structuredPatch("", "", before, after, undefined, undefined, { context: 2 }).hunks.flatMap(({ lines }) => lines);

const signColours = { "+": "green", "-": "red" } as const;

/**
 * What would change, line by line.
 *
 * @param instead shown in the place of these lines
 */
export function showEdit(
  { file, before, after }: FileEdit,
  { terminal, cwd, home }: Pick<Invocation, "terminal" | "cwd" | "home">,
  instead?: readonly string[],
): void {
  if (before === after) return;
  const how = before === undefined ? " (new)" : after === undefined ? " (removed)" : "";
  terminal.print(terminal.paint("bold", `${shortPath(file, cwd, home)}${how}`));
  if (instead) for (const line of instead) terminal.print(`  ${safeText(line)}`);
  else
    for (const line of patchLines(before ?? "", after ?? "")) {
      const [sign] = line;
      const text = `  ${safeText(line)}`;
      terminal.print(sign === "+" || sign === "-" ? terminal.paint(signColours[sign], text) : text);
    }
}
