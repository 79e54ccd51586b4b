/** What the reading of a shell line with placeholders knows and finds, and how it refuses: what all its files share. */
import type { ParsedScript } from "unbash";
import type { Budget } from "./tree.ts";

/** Stands in the line for a placeholder; no command line can hold it otherwise. */
export const mark = "\0";

/** How the place of a placeholder is quoted. ansi: in $'…'. */
export type Quote = "plain" | "double" | "single" | "ansi";

/** Where something stands in the line. */
export interface Span {
  pos: number;
  end: number;
}

export interface ShellWord {
  /** As it stands in the line. */
  raw: string;
  /** Quotes taken off; undefined unless all of it is literal. */
  text: string | undefined;
  /** The literal text that it begins with. */
  head: string;
  /** The literal text behind all else. */
  tail: string;
  /** It is a variable that the line does not set, and text behind it. */
  isRooted: boolean;
  /** Where the placeholders in it stand, those of substitutions too. */
  marks: number[];
  /** The placeholders, and the line's own variables, that it begins with. */
  leading: (number | string)[];
  /** The same of what follows NAME=. */
  value: (number | string)[];
  /** It holds a value, or what may have come out of one: a variable that the line sets, or the output of a command. */
  isOwn: boolean;
  /** Without quotes: the shell may make several words of it, or none. */
  isLoose: boolean;
}

export interface ShellCommand {
  assignments: ShellWord[];
  words: ShellWord[];
  hasRedirect: boolean;
}

/** What is remembered of a whole line, with the scripts inside it. */
export interface Found {
  quotes: Map<number, Quote>;
  /** Placeholders that an argument begins with, where a value that begins with "-" would be an option. */
  begins: number[][];
  /** By variable: what the words that it is set to begin with. */
  assigned: Map<string, ShellWord["leading"][]>;
  /** Files that are run. */
  runs: { path: string; word: ShellWord }[];
  /** Last parts of the paths that other commands are given or write. */
  mentioned: Set<string>;
  /** A value names a file that is written. */
  writesAnywhere: boolean;
  /** A value names the folder where the rest runs. */
  movesAnywhere: boolean;
}

export interface Reader {
  readonly source: string;
  readonly found: Found;
  /** Variables that the line sets somewhere. */
  readonly own: ReadonlySet<string>;
  /** $1 and the like are values: this is the script of `bash -c`. */
  readonly hasArguments: boolean;
  /** Variables that an argument begins with, where "-" would make it an option. */
  readonly leads: Set<string>;
  readonly budget: Budget;
  depth: number;
  /** Judges the commands of a substitution. */
  nested(script: ParsedScript, reader: Reader): void;
  /** Judges the script of a shell that this line starts. */
  script(text: string, reader: Reader): ReadonlySet<string>;
}

interface Refusal {
  why: string;
  /** The placeholder that it is about, if it is about one. */
  at?: number | undefined;
}

/** Throws: nothing of the line is taken. Caught in template.ts. */
export function refuse(why: string, marks: readonly number[] = []): never {
  throw new Error(why, { cause: { why, at: marks[0] } satisfies Refusal });
}

/** A line that is too long for the reader, or nested deeper than the stack is, is refused as well. */
export const refusalOf = (thrown: unknown): Refusal =>
  thrown instanceof Error && thrown.cause !== undefined
    ? (thrown.cause as Refusal) // only refuse() gives its errors a cause
    : { why: "in a line that cannot be read: it is nested too deeply" };

/** As a message quotes a part of the line. */
export function show(raw: string): string {
  const text = raw.replaceAll(mark, "{{…}}").replaceAll(/\s+/g, " ").trim();
  return `"${text.length > 50 ? `${text.slice(0, 50)}…` : text}"`;
}

/** Of a path, as far as it is written out. */
export const lastPart = ({ raw }: ShellWord): string => raw.replaceAll(/["'\\]/g, "").replace(/^.*[/=](?=[^/])/s, "");

export function marksIn({ source }: Reader, start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(mark, start); at >= 0 && at < end; at = source.indexOf(mark, at + 1)) found.push(at);
  return found;
}
