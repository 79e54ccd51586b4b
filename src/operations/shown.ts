/** What `show` of an operation gives: data for a person's eyes. hosts/cli/operations/paint.ts alone turns it into lines. */
import { relative } from "node:path";
import type { Instant } from "../engine/event.ts";
import type { Asked } from "./operation.ts";

export type Tone = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** A text, and how it is painted where there are colours. Nothing in it drives a terminal: the painter sees to that. */
export type Cell = string | { text: string; tone: Tone };

export interface ShownColumn {
  title: string;
  align?: "right";
  /** Takes what the others leave, in several lines where that is too little. */
  fills?: true;
  /** Left out where all its cells are empty. */
  ifAny?: true;
  /** Left out where the terminal is too narrow for all columns, the last such column first. */
  ifWide?: true;
}

/** Rows of a table, which are fitted into the terminal. A cell that is an absolute path is shown as a person would say it. */
export interface ShownTable {
  titles: readonly (string | ShownColumn)[];
  rows: readonly (readonly Cell[])[];
}

/** Names with their values below each other; a value without text is left out, and one of several lines stays aligned. */
export interface ShownLabels {
  labels: readonly Label[];
  /** Each value stays on its line, whatever a name in it holds. */
  onOneLine?: true;
}
export type Label = readonly [name: string, value: Cell | ShownLine | undefined];

/** A line, in parts of their own tones. */
export interface ShownLine {
  line: readonly Cell[];
}

export type Shown = Cell | ShownLine | ShownTable | ShownLabels;

/** Who reads it, and what may be asked beside the answer for a person's sake alone. */
export interface Reader<P = unknown> {
  asked: P;
  at: Asked;
  /** --verbose */
  all: boolean;
  /** A path as a person in this folder would say it. */
  path(path: string): string;
}

// Words that all of them use.

/** Text of several lines on one. */
export const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ⏎ ").trim();

/** A path as a person would say it: relative inside the folder, ~ for the home. */
export function pathFrom(path: string, cwd: string, home: string): string {
  const inside = relative(cwd, path);
  if (path !== "" && !inside.startsWith("..")) return inside || ".";
  return home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** A hook's file and line, as a person would say it. */
export const placeOf = (
  { file, line }: { file?: string | null | undefined; line?: number | null | undefined },
  { path }: Pick<Reader, "path">,
): string => `${path(file ?? "")}${line ? `:${line}` : ""}`;

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** How long ago, in one unit. */
export function ago(at: Instant | undefined, now: Instant = Date.now()): string {
  if (at === undefined) return "never";
  const unit = units.find(([, size]) => now - at >= size);
  return unit ? `${Math.floor((now - at) / unit[1])} ${unit[0]} ago` : "just now";
}
