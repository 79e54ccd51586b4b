/** What the reading of a shell line with placeholders finds, and how it goes on: one place in the line, and a judge who is told. */

/** Stands in the line for a placeholder; no command line can hold it otherwise. */
export const mark = "\0";

/** How the place of a placeholder is quoted. ansi: in $'…'. */
export type Quote = "plain" | "double" | "single" | "ansi";

export interface ShellWord {
  start: number;
  end: number;
  /** As it stands in the line. */
  raw: string;
  /** Quotes taken off; undefined where only the shell knows all of it. */
  text: string | undefined;
  /** What the text begins with, as far as the line tells. */
  head: string;
  /** Where the placeholders in it stand, those of substitutions too. */
  marks: number[];
  /** The placeholders that it begins with. */
  leading: number[];
  /** It holds what the shell may make several words of, or none. */
  loose: boolean;
  /** It holds nothing that is sure to stay. */
  vanishes: boolean;
}

export interface ShellCommand {
  assignments: ShellWord[];
  words: ShellWord[];
}

/** Who is told what was found. */
export interface Judge {
  place(at: number, quote: Quote): void;
  refuse(marks: readonly number[], why: string): void;
  command(command: ShellCommand, at: number): void;
  /** Run by something. */
  code(raw: string): void;
  /** The body of a here-document that the shell fills in. */
  document(raw: string): void;
  /** Evaluated as arithmetic: the text of a variable in it is code. */
  sum(raw: string): void;
  /** ${…}, whole. */
  expansion(raw: string): void;
  /** Names that get what these words become. */
  assigned(names: readonly string[], from: readonly ShellWord[]): void;
  defined(name: string, from: number, to: number): void;
  /** Whether something between these places reads its standard input as code. */
  runsInput(from: number, to: number): boolean;
}

export interface Reader {
  readonly source: string;
  readonly judge: Judge;
  at: number;
  depth: number;
  /** Here-documents whose bodies begin behind the next line break. */
  documents: { delimiter: string; tabs: boolean; isFilled: boolean }[];
  /** Where the command that is being read gets its input from, if the line says so. */
  inputs: ShellWord[];
  /** Reads the commands of a substitution, up to its bracket. */
  nested(reader: Reader): void;
}

const unreadable = "the shell line cannot be read";
/** Throws where nobody can tell what the shell will make of the line; caught in shell-template.ts. */
export const giveUp = (why: string): never => {
  throw new Error(why, { cause: unreadable });
};
export const isUnreadable = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && thrown.cause === unreadable;

export function marksIn({ source }: Reader, start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(mark, start); at >= 0 && at < end; at = source.indexOf(mark, at + 1)) found.push(at);
  return found;
}
