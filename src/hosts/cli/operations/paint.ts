/** What `show` of an operation gives, as lines of the terminal: the only place where that is painted. */
import { isAbsolute } from "node:path";
import {
  type Cell,
  oneLine,
  type Shown,
  type ShownColumn,
  type ShownLabels,
  type ShownLine,
  type ShownTable,
} from "../../../operations/shown.ts";
import type { Invocation } from "../command.ts";
import { table } from "../table.ts";
import { safeText, shortPath, type Terminal } from "../terminal.ts";
import { widthOf } from "../width.ts";

type Painting = Pick<Invocation, "terminal" | "cwd" | "home">;

/** @param exact a text of its own, such as a file's, which whatever is no terminal gets as it is */
export const painted = (shown: readonly Shown[], to: Painting, exact = false): string[] =>
  shown.flatMap((one) => {
    if (typeof one === "string") return exact && !to.terminal.isTerminal ? one : safeText(one);
    if ("text" in one) return paintedCell(one, to.terminal);
    if ("line" in one) return paintedLine(one, to.terminal);
    return "labels" in one ? labelled(one, to.terminal) : tableOf(one, to);
  });

const paintedCell = (cell: Cell, terminal: Terminal): string =>
  typeof cell === "string" ? safeText(cell) : terminal.paint(cell.tone, safeText(cell.text));

const paintedLine = ({ line }: ShownLine, terminal: Terminal): string =>
  line.map((part) => paintedCell(part, terminal)).join("");

function labelled({ labels, onOneLine }: ShownLabels, terminal: Terminal): string[] {
  const width = Math.max(0, ...labels.map(([name]) => name.length)) + gap;
  const indent = `\n${" ".repeat(width)}`;
  return labels.flatMap(([name, value]) => {
    const line = value === undefined || typeof value === "string" || "text" in value ? [value ?? ""] : value.line;
    if (line.every((cell) => textOf(cell) === "")) return [];
    const text = paintedLine({ line }, terminal);
    return `${terminal.paint("dim", safeText(name).padEnd(width))}${onOneLine ? oneLine(text) : text.replaceAll("\n", indent)}`;
  });
}
const gap = 2;

const textOf = (cell: Cell): string => (typeof cell === "string" ? cell : cell.text);

/** Columns with long cells take several lines where nothing else is said, and paths are told as a person would. */
function tableOf({ titles, rows }: ShownTable, { terminal, cwd, home }: Painting): string[] {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "string" && isAbsolute(cell) ? shortPath(cell, cwd, home) : cell)),
  );
  const isWide = (index: number): boolean => cells.some((row) => widthOf(textOf(row[index] ?? "")) > widest);
  const areSaid = titles.some((title) => typeof title !== "string");
  const columns = titles.map((title, index): ShownColumn => {
    if (typeof title !== "string") return title;
    return !areSaid && isWide(index) ? { title, fills: true } : { title };
  });
  return table(terminal, columns, cells);
}
const widest = 24;
