/**
 * The options in one word of a command: a long name, whole or shortened, or letters, with the values of both. Two readers ask for them:
 * spelling.ts, which takes any word for what it is most likely, and options.ts, which stops at the first that the table does not tell.
 */
import type { SpelledOption, Spelling } from "../engine/command-pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import type { OptionText, Program } from "./programs.ts";

/** One option of a table. */
export interface Option {
  name: string;
  also: readonly string[];
  /** value: the next word, if none is attached. attached: only so. program: as value, and the next words are its own. */
  takes: "nothing" | "value" | "attached" | "program";
  /** What it stands for instead of itself. */
  means: readonly string[];
  /** Its value is a shell line. */
  isLine: boolean;
  /** With it the program runs nothing. */
  stops: boolean;
}

export interface Table {
  byName: ReadonlyMap<string, Option>;
  reads: "getopt" | "exact" | "flags";
  signals: boolean;
  /** The text that was read: scripts/mutate-tables.ts changes it. */
  text: OptionText | undefined;
}

const takes = { "=": "value", $: "value", "?": "attached", "?$": "attached", "!": "program" } as const;
const isTaking = (kind: string): kind is keyof typeof takes => Object.hasOwn(takes, kind);

/** Adds the options of a text to those of a program. */
function readText(text: OptionText, made: Map<string, Option>): void {
  for (const entry of text.split(" ")) {
    const [, written = "", kind = "", meaning = ""] = /^(.+?)(\?\$|[=?!.$])?(?:>(.*))?$/.exec(entry) ?? [];
    const names = written.split(",");
    const option: Option = {
      name: names.at(-1) ?? "",
      also: names.slice(0, -1),
      takes: isTaking(kind) ? takes[kind] : "nothing",
      means: meaning === "" ? [] : meaning.split(">"),
      isLine: kind.endsWith("$"),
      stops: kind === ".",
    };
    for (const one of names) if (one !== "") made.set(one, option);
  }
}

/** Each is read once. */
const tables = new Map<Program, Map<string | undefined, Table>>();

/** @param subcommand undefined before it is known */
export function tableOf(row: Program, subcommand?: string): Table {
  const own = subcommand === undefined ? undefined : lookUp(row.subcommands ?? {}, subcommand);
  // What stands in a line may be no sub-command: all of those share one table.
  const key = own === undefined && subcommand !== undefined ? "" : subcommand;
  const ofRow = tables.get(row) ?? new Map<string | undefined, Table>();
  const known = ofRow.get(key);
  if (known && known.text === row.options) return known;
  const byName = new Map<string, Option>();
  if (row.options && (subcommand === undefined || !row.isOwnFirst)) readText(row.options, byName);
  if (own) readText(own, byName);
  const table: Table = { byName, reads: row.reads ?? "getopt", signals: row.signals === true, text: row.options };
  ofRow.set(key, table);
  tables.set(row, ofRow);
  return table;
}

/** A spelling that is still being read. */
export interface Made extends Spelling {
  options: SpelledOption[];
  operands: string[];
  hidden: string[];
}

/** The program may call it as it likes: `toString` is no row. */
export const lookUp = <T>(rows: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(rows, name) ? rows[name] : undefined;

export interface Words {
  /** The next word, which is a value. */
  next(): string | undefined;
  putBack(word: string): void;
}

/** Where an option is being read. */
export interface Reading {
  table: Table;
  made: Made;
  words: Words;
}

export function readOption(word: string, reading: Reading): Option["takes"] {
  const { table, made } = reading;
  if (table.signals && /^-(\d+|(SIG)?[A-Z][A-Z\d]{2,})$/.test(word)) {
    made.options.push({ name: "signal", value: signalOf(word.slice(1)) });
    return "value";
  }
  const dashed = table.byName.get(word);
  if (dashed) return addValued(dashed, undefined, reading);
  const isLong = word.startsWith("--") || (table.reads === "flags" && word.length > 2);
  return isLong ? readLong(word, reading) : readLetters(word.slice(1), reading);
}

function readLong(word: string, reading: Reading): Option["takes"] {
  const { table, made } = reading;
  const [, name = "", attached] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (isUnknown(name) || mayVanish(word)) made.hidden.push("");
  const candidates = optionsCalled(name, table);
  const [option] = candidates;
  if (!option || candidates.length > 1) {
    made.options.push({ name, also: namesOf(candidates), isStrange: true, ...valued(attached) });
    return "nothing";
  }
  if (option.takes !== "nothing") return addValued(option, attached, reading);
  if (attached !== undefined && /^(false|f|0|no)$/i.test(attached)) made.options.push({ name: `no-${option.name}` });
  else addOption(option, /^(true|t|1|yes)$/i.test(attached ?? "") ? undefined : attached, reading);
  return "nothing";
}

const namesOf = (options: readonly Option[]): string[] => options.flatMap(({ name, also }) => [name, ...also]);

/** The one that is called so, or all that this could be short for. */
function optionsCalled(name: string, { byName, reads }: Table): Option[] {
  const exact = byName.get(name);
  if (exact) return [exact];
  if (reads !== "getopt" || name === "") return [];
  const found = new Set<Option>();
  for (const [one, option] of byName) if (one.length > 1 && one.startsWith(name)) found.add(option);
  return [...found];
}

function readLetters(letters: string, reading: Reading): Option["takes"] {
  const { table, made } = reading;
  if (mayVanish(letters)) made.hidden.push("");
  for (let index = 0; index < letters.length; index++) {
    const [letter = "", rest] = [letters[index], letters.slice(index + 1)];
    if (isUnknown(letter)) {
      made.hidden.push("");
      return "nothing";
    }
    const option = table.byName.get(letter);
    if (option && option.takes !== "nothing") {
      const attached = table.reads === "getopt" ? rest : rest.replace(/^=/, "");
      return addValued(option, rest === "" ? undefined : attached, reading);
    }
    if (!option && /^\d+$/.test(letters.slice(index))) {
      made.options.push({ name: letters.slice(index), isStrange: true });
      return "nothing";
    }
    if (table.reads !== "getopt" && rest.startsWith("=")) return readLong(`--${letter}${rest}`, reading);
    if (option) addOption(option, undefined, reading);
    else made.options.push({ name: letter, isStrange: true });
  }
  return "nothing";
}

/** @param attached what stands in the word of the option, which takes a value */
function addValued(option: Option, attached: string | undefined, reading: Reading): Option["takes"] {
  if (option.takes === "program") {
    if (attached !== undefined) reading.words.putBack(attached);
    addOption(option, undefined, reading);
    return "program";
  }
  addOption(option, attached ?? (option.takes === "value" ? reading.words.next() : undefined), reading);
  return "value";
}

/** Letters without a dash: the values of all follow, in order. */
export function readBundle(letters: string, reading: Reading): void {
  for (const letter of letters) {
    const option = reading.table.byName.get(letter);
    if (option) addOption(option, option.takes === "value" ? reading.words.next() : undefined, reading);
    else reading.made.options.push({ name: letter, isStrange: true });
  }
}

function addOption(option: Option, value: string | undefined, { made, table }: Reading): void {
  const { name, also, means } = option;
  for (const other of means) made.options.push({ name: other });
  if (means.length > 0) return;
  const isSignal = table.signals && name === "signal" && value !== undefined;
  made.options.push({ name, ...(also.length > 0 ? { also } : {}), ...valued(isSignal ? signalOf(value) : value) });
}

const valued = (value: string | undefined): { value?: string } => (value === undefined ? {} : { value });

/** The signals that people send by number, signal(7). */
const signals: { readonly [number: string]: string } = {
  1: "HUP",
  2: "INT",
  3: "QUIT",
  6: "ABRT",
  9: "KILL",
  15: "TERM",
  18: "CONT",
  19: "STOP",
};

const signalOf = (written: string): string =>
  lookUp(signals, written) ?? written.toUpperCase().replace(/^SIG(?=[A-Z])/, "");
