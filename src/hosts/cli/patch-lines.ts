/** The difference of two texts, as a person reads it. Apart, because few commands need the library. */
import { structuredPatch } from "diff";
import type { FileEdit } from "../../agents/install/files.ts";
import type { Invocation } from "./command.ts";
import { safeText, shortPath } from "./terminal.ts";
import { cut, wrapped } from "./width.ts";

/** Each with its sign: `+`, `-`, or a blank for what stays beside it. */
export const patchLines = (before: string, after: string): string[] =>
  before === after
    ? []
    : structuredPatch("", "", before, after, undefined, undefined, { context: 2 }).hunks.flatMap(({ lines }) => lines);

const signColours = { "+": "green", "-": "red" } as const;

interface Shown {
  /** In the place of the lines. */
  instead?: readonly string[];
  /** How many lines, of how many columns, and how to see the rest. */
  most?: number;
  width?: number;
  rest?: string;
}

/** What would change, line by line. */
export function showEdit(
  { file, before, after }: FileEdit,
  { terminal, cwd, home }: Pick<Invocation, "terminal" | "cwd" | "home">,
  { instead, most = Number.POSITIVE_INFINITY, width = Number.POSITIVE_INFINITY, rest = "" }: Shown = {},
): void {
  if (before === after) return;
  const how = before === undefined ? " (new)" : after === undefined ? " (removed)" : "";
  terminal.print(terminal.paint("bold", `${shortPath(file, cwd, home)}${how}`));
  if (instead) {
    for (const line of instead.flatMap((one) => wrapped(`  ${safeText(one)}`, terminal.width, { hang: 4 })))
      terminal.print(line);
    return;
  }
  const lines = patchLines(before ?? "", after ?? "");
  for (const line of lines.slice(0, most)) {
    const [sign] = line;
    const text = cut(`  ${safeText(line)}`, width);
    terminal.print(sign === "+" || sign === "-" ? terminal.paint(signColours[sign], text) : text);
  }
  if (lines.length > most) terminal.print(`  … and ${lines.length - most} more lines; ${rest}`);
}
