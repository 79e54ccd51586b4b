/** Tables that fit the terminal: long cells are broken into lines, and columns that a person can do without are left out. */
import { oneLine, type Style, type Terminal } from "./terminal.ts";
import { padded, widthOf, wrapped } from "./width.ts";

export interface Column {
  title: string;
  align?: "right";
  /** Takes what the others leave, in several lines where that is too little. */
  fills?: true;
  /** Left out where all its cells are empty. */
  ifAny?: true;
  /** Left out where the terminal is too narrow for all columns, the last such column first. */
  ifWide?: true;
  style?(value: string): Style | undefined;
}
type Cells = readonly string[];

/** How the rows of a table are shown. */
interface Layout {
  titles: readonly string[];
  lines(cells: Cells): string[];
}

export function table(terminal: Terminal, columns: readonly Column[], rows: readonly Cells[]): string[] {
  const { titles, lines } = layoutOf(terminal, columns, rows);
  return [...titles, ...rows.flatMap(lines)];
}

/** @param rows those that are shown, or such as will be */
export function layoutOf(terminal: Terminal, columns: readonly Column[], rows: readonly Cells[]): Layout {
  const safe = rows.map((row) => row.map(oneLine));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...safe.map((row) => widthOf(row[index] ?? ""))),
  );
  let shown = columns.flatMap(({ ifAny }, index) => (!ifAny || safe.some((row) => row[index]) ? [index] : []));
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
  const pick = (cells: Cells): string[] => shown.map((index) => cells[index] ?? "");
  const widths = widthsOf(
    terminal.width,
    picked,
    shown.map((index) => natural[index] ?? 0),
  );
  const line = needs(narrowest) > terminal.width ? asText(terminal, picked) : asRow(terminal, picked, widths);
  return {
    titles: line(
      picked.map(({ title }) => title),
      "dim",
    ),
    lines: (cells) => line(pick(cells.map(oneLine))),
  };
}

type ToLines = (cells: Cells, style?: Style) => string[];

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
  (cells, style) => {
    const parts = columns.map((_, index) => wrapped(cells[index] ?? "", widths[index] ?? 0, { breaks: true }));
    return Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, down) =>
      columns
        .map((column, index) => {
          const text = padded(parts[index]?.[down] ?? "", widths[index] ?? 0, column.align);
          const chosen = style ?? column.style?.(cells[index] ?? "");
          return chosen && text.trim() !== "" ? terminal.paint(chosen, text) : text;
        })
        .join(" ".repeat(gap))
        .trimEnd(),
    );
  };

/** Where there is no room for columns: one cell after the other, what does not fit in lines below. */
const asText =
  (terminal: Terminal, columns: readonly Column[]): ToLines =>
  (cells, style) => {
    const parts = columns.flatMap((column, index) => {
      const text = cells[index] ?? "";
      const chosen = style ?? column.style?.(text);
      return text === "" ? [] : [chosen ? terminal.paint(chosen, text) : text];
    });
    return wrapped(parts.join(" ".repeat(gap)), terminal.width, { hang: gap, breaks: true });
  };
