/** Tables that fit the terminal: long cells are broken into lines, and columns that a person can do without are left out. */
import type { Cell, ShownColumn as Column } from "../../operations/shown.ts";
import { oneLine, type Style, type Terminal } from "./terminal.ts";
import { padded, widthOf, wrapped } from "./width.ts";

/** The text of a cell, safe and on one line, with its tone. */
interface Painted {
  text: string;
  tone?: Style;
}
type Cells = readonly Painted[];

const paintedOf = (cell: Cell): Painted =>
  typeof cell === "string" ? { text: oneLine(cell) } : { ...cell, text: oneLine(cell.text) };

type Row = readonly Cell[];

/** How the rows of a table are shown. */
interface Layout {
  titles: readonly string[];
  lines(row: Row): string[];
}

export function table(terminal: Terminal, columns: readonly Column[], rows: readonly Row[]): string[] {
  const { titles, lines } = layoutOf(terminal, columns, rows);
  return [...titles, ...rows.flatMap(lines)];
}

/** @param like the rows that are shown, or such as will be */
export function layoutOf(terminal: Terminal, columns: readonly Column[], like: readonly Row[]): Layout {
  const rows = like.map((row) => row.map(paintedOf));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index]?.text ?? ""))),
  );
  let shown = columns.flatMap(({ ifAny }, index) => (!ifAny || rows.some((row) => row[index]?.text) ? [index] : []));
  const needs = (least: number): number =>
    shown.reduce((sum, index) => {
      const width = natural[index] ?? 0;
      return sum + gap + (columns[index]?.fills ? Math.min(width, least) : width);
    }, -gap);
  while (needs(comfortable) > terminal.width) {
    const last = shown.findLast((index) => columns[index]?.ifWide);
    if (last === undefined) break;
    shown = shown.filter((index) => index !== last);
  }
  const picked = shown.flatMap((index) => columns[index] ?? []);
  const pick = (cells: Cells): Painted[] => shown.map((index) => cells[index] ?? { text: "" });
  const widths = widthsOf(
    terminal.width,
    picked,
    shown.map((index) => natural[index] ?? 0),
  );
  const line = needs(narrowest) > terminal.width ? asText(terminal) : asRow(terminal, picked, widths);
  return {
    titles: line(picked.map(({ title }): Painted => ({ text: title, tone: "dim" }))),
    lines: (row) => line(pick(row.map(paintedOf))),
  };
}

type ToLines = (cells: Cells) => string[];

const gap = 2;
/** Columns of text get as much before others are left out. */
const comfortable = 24;
/** Below this a column of text is a column of syllables. */
const narrowest = 14;

/** Columns that fill share what the others leave: the modest get what they want, the rest is divided. */
function widthsOf(width: number, columns: readonly Column[], natural: readonly number[]): number[] {
  const widths = [...natural];
  const fillers = columns.flatMap(({ fills }, index) => (fills ? [index] : []));
  const taken = widths.reduce((sum, wanted, index) => sum + (fillers.includes(index) ? 0 : wanted), 0);
  let left = width - taken - gap * (columns.length - 1);
  fillers.sort((one, other) => (widths[one] ?? 0) - (widths[other] ?? 0));
  for (const [place, index] of fillers.entries()) {
    const share = Math.floor(left / (fillers.length - place));
    widths[index] = Math.min(widths[index] ?? 0, Math.max(1, share));
    left -= widths[index] ?? 0;
  }
  return widths;
}

const asRow =
  (terminal: Terminal, columns: readonly Column[], widths: readonly number[]): ToLines =>
  (cells) => {
    const parts = columns.map((_, index) => wrapped(cells[index]?.text ?? "", widths[index] ?? 0, { breaks: true }));
    return Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, down) =>
      columns
        .map((column, index) => {
          const text = padded(parts[index]?.[down] ?? "", widths[index] ?? 0, column.align);
          const tone = cells[index]?.tone;
          return tone && text.trim() !== "" ? terminal.paint(tone, text) : text;
        })
        .join(" ".repeat(gap))
        .trimEnd(),
    );
  };

/** Where there is no room for columns: one cell after the other, what does not fit in lines below. */
const asText =
  (terminal: Terminal): ToLines =>
  (cells) => {
    const parts = cells.flatMap(({ text, tone }) => (text === "" ? [] : [tone ? terminal.paint(tone, text) : text]));
    return wrapped(parts.join(" ".repeat(gap)), terminal.width, { hang: gap, breaks: true });
  };
