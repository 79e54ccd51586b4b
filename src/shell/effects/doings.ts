/** What one command does with its words, as the rows of the table of programs say it: to rules of effects and to guards of files alike. */
import type { SpelledOption, Spelling } from "../../engine/command-pattern.ts";
import type { SimpleCommand, Written } from "../../engine/effects.ts";

/**
 * sends: the program gives the file's content to the network. fills: something comes there or goes, which guards of files alone need to
 * know. edits: it is read and written. path: it is read, if it looks like a path.
 */
export type Use = (typeof uses)[number];
const uses = [
  "reads",
  "writes",
  "deletes",
  "permits",
  "executes",
  "sends",
  "host",
  "fills",
  "nothing",
  "edits",
  "path",
] as const;
export const useOf = (word: string): Use | undefined => uses.find((one) => one === word);

/** One thing that the words of a command do. */
export interface Doing extends Omit<Written, "path" | "command"> {
  does: Use;
  /** As written. */
  word: string;
  below?: true;
  /** Code of another language does it. */
  inCode?: true;
}

/** By the name of the option. */
export type OptionUses = { readonly [name: string]: readonly Use[] };

export type Own = (spelled: Spelling, command: SimpleCommand) => readonly Doing[];

export interface ProgramRow {
  /** By position; the last one goes on. */
  operands?: readonly Use[];
  /** Values of options. */
  options?: OptionUses;
  /** Options by which an operand means all that is below it as well. true: it always does. */
  below?: readonly string[] | true;
  /** It connects to a network. */
  isNetwork?: true;
  /** What it writes to its output came from the network. */
  fetches?: true;
  /** Its output tells nothing of what it reads. */
  isSilent?: true;
  /** Its output is what its input meant. */
  decodes?: (spelled: Spelling) => boolean;
  /** Options with which it only tells what it would do. */
  dry?: readonly string[];
  /** It runs as another user. */
  elevates?: true;
  own?: Own;
  /** What it writes is not all here: for cautious guards every path counts that it is given. */
  isPartly?: true;
}

/** By any of its names; of a program without a table options still have their dashes. */
const isCalled = ({ name, also }: SpelledOption, names: readonly string[]): boolean =>
  names.includes(withoutDashes(name)) || (also?.some((one) => names.includes(withoutDashes(one))) ?? false);
export const withoutDashes = (name: string): string => (name.startsWith("-") ? name.replace(/^-+/, "") : name);
export const has = ({ options }: Spelling, ...names: string[]): boolean => options.some((one) => isCalled(one, names));
export const valuesOf = ({ options }: Spelling, ...names: string[]): string[] =>
  options.flatMap((one) => (one.value !== undefined && isCalled(one, names) ? [one.value] : []));

export const asPaths = (paths: readonly string[]): Written[] => paths.map((path) => ({ path }));
export const asWhole = (paths: readonly string[]): Written[] => paths.map((path) => ({ path, whole: true }));

/** For guards of files alone. */
export const filled = (all: readonly Written[]): Doing[] =>
  all.map(({ path, command: _, ...more }) => ({ ...more, does: "fills", word: path }));
