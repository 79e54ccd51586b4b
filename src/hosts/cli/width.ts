/** How many columns a text takes on a terminal, and how it is broken into lines and cut there. */
import { createRequire } from "node:module";

const plain = /^[ -~]*$/;

/** As terminals count: a Chinese character and most emoji take two, a colour none. */
export const widthOf = (text: string): number => (plain.test(text) ? text.length : wide().widthOf(text));

/** Unicode's tables: to load them takes longer than most commands work, and hardly any text needs them. */
function wide() {
  tables ??= { widthOf: loadWidths().default, segmenter: new Intl.Segmenter() };
  return tables;
}
let tables: { widthOf(text: string): number; segmenter: Intl.Segmenter } | undefined;

/** At once, as `import()` cannot. The bundle has a `require`, by which esbuild takes the library into it; a clone's sources have none. */
const loadWidths = (): typeof import("string-width") =>
  typeof require === "undefined" ? createRequire(import.meta.url)("string-width") : require("string-width");

/** The longest beginning that fits, and what is left. At least one character of a text that has any. */
function split(text: string, columns: number): [string, string] {
  let taken = "";
  let width = 0;
  for (const { segment } of wide().segmenter.segment(text)) {
    width += widthOf(segment);
    if (width > columns && taken !== "") break;
    taken += segment;
  }
  return [taken, text.slice(taken.length)];
}

/** Cuts text to so many columns, with a sign that something is missing. */
export const cut = (text: string, columns: number): string =>
  widthOf(text) <= columns ? text : `${split(text, Math.max(1, columns - 1))[0]}…`;

export const padded = (text: string, columns: number, align?: "right"): string => {
  const blanks = " ".repeat(Math.max(0, columns - widthOf(text)));
  return align === "right" ? blanks + text : text + blanks;
};

/** A word with the blanks before it. What stands between backticks is one word, to be copied as it is, and so is a `[--flag VALUE]`. */
const words = /\s*(?:`[^`]*`|\[-[^\][]*\]|[^\s`])+|\s*`/g;

interface Wrapping {
  /** Blanks before all lines but the first. */
  hang?: number;
  /** A word that fits no line is broken; else it stays whole, for who copies it, and the terminal breaks it. */
  breaks?: true;
}

/** The text in lines of so many columns, broken between words. */
export function wrapped(text: string, columns: number, { hang = 0, breaks }: Wrapping = {}): string[] {
  if (widthOf(text) <= columns) return [text];
  const indent = " ".repeat(hang);
  const lines: string[] = [];
  let line = "";
  const endLine = (): void => {
    if (line.trim() !== "") lines.push(line);
    line = indent;
  };
  for (const [word] of text.matchAll(words)) {
    if (widthOf(line + word) <= columns) {
      line += word;
      continue;
    }
    if (line.trim() !== "") endLine();
    let rest = line === indent && lines.length > 0 ? word.trimStart() : word;
    while (breaks && widthOf(line + rest) > columns) {
      const [first, left] = split(rest, columns - widthOf(line));
      if (left === "") break;
      const slash = first.lastIndexOf("/") + 1; // a path is easier to read by its parts
      const end = slash > first.length / 2 ? slash : first.length;
      line += first.slice(0, end);
      rest = rest.slice(end);
      endLine();
    }
    line += rest;
  }
  endLine();
  return lines;
}
