/**
 * What the words of one command mean to its program: the options by one name each, whatever their order and spelling, and the
 * operands in order. Apart from the reader of lines, because it looks at one command alone; what programs take is in options.ts.
 */
import { baseName, type SpelledOption, type Spelling } from "../engine/command-pattern.ts";
import { type OptionRow, type OptionText, optionRows } from "./options.ts";
import { nameOf } from "./programs.ts";
import { isUnknown, mayVanish } from "./tree.ts";

/** One option of a table. */
interface Option {
  name: string;
  also: readonly string[];
  /** value: the next word, if none is attached. attached: only so. program: as value, and the next words are its own. */
  takes: "nothing" | "value" | "attached" | "program";
  /** What it stands for instead of itself. */
  means: readonly string[];
}

interface Table {
  byName: ReadonlyMap<string, Option>;
  reads: "getopt" | "exact" | "flags";
  signals: boolean;
}

const takes = { "=": "value", "?": "attached", "!": "program" } as const;
const isTaking = (kind: string): kind is keyof typeof takes => Object.hasOwn(takes, kind);

function readText(text: OptionText, made: Map<string, Option>): void {
  for (const entry of text.split(" ")) {
    const [, written = "", kind = "", meaning = ""] = /^(.*?)([=?!])?(?:>(.*))?$/.exec(entry) ?? [];
    const names = written.split(",");
    const name = names.at(-1) ?? "";
    const means = meaning === "" ? [] : meaning.split(">");
    const option: Option = { name, also: names.slice(0, -1), takes: isTaking(kind) ? takes[kind] : "nothing", means };
    for (const one of names) if (one !== "") made.set(one, option);
  }
}

/** Reads commands, and keeps the tables of the programs that it has met. */
export function createSpell(): (words: readonly string[]) => Spelling {
  const tables = new Map<OptionRow, Map<string | undefined, Table>>();
  /** @param subcommand undefined before it is known */
  const tableOf = (row: OptionRow, subcommand: string | undefined): Table => {
    const own = subcommand === undefined ? undefined : lookUp(row.subcommands ?? {}, subcommand);
    // What stands in a line may be no sub-command: all of those share one table.
    const key = own === undefined && subcommand !== undefined ? "" : subcommand;
    const ofRow = tables.get(row) ?? new Map<string | undefined, Table>();
    const known = ofRow.get(key);
    if (known) return known;
    const byName = new Map<string, Option>();
    if (row.options && (subcommand === undefined || !row.isOwnFirst)) readText(row.options, byName);
    if (own) readText(own, byName);
    const table: Table = { byName, reads: row.reads ?? "getopt", signals: row.signals === true };
    ofRow.set(key, table);
    tables.set(row, ofRow);
    return table;
  };
  return function spell(words) {
    const row = optionRows.get(nameOf(words[0] ?? ""));
    return row ? readWords(words, row, { tableOf: (subcommand) => tableOf(row, subcommand), spell }) : readPlain(words);
  };
}

const lookUp = <T>(rows: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(rows, name) ? rows[name] : undefined;

interface Tools {
  tableOf(subcommand: string | undefined): Table;
  spell(words: readonly string[]): Spelling;
}

/** A program that no table knows: its options are the words with dashes, exactly as they stand. */
function readPlain([path = "", ...rest]: readonly string[]): Spelling {
  const made = begin(path);
  for (const [index, word] of rest.entries()) {
    if (word === "--") {
      made.end = made.operands.length;
      made.operands.push(...rest.slice(index + 1));
      break;
    }
    if (mayHold(word)) made.hidden.push("");
    if (word.length > 1 && word.startsWith("-")) made.options.push({ name: word, isStrange: true });
    else made.operands.push(word);
  }
  return made;
}

/** A spelling that is still being read. */
interface Made extends Spelling {
  options: SpelledOption[];
  operands: string[];
  hidden: string[];
}

const begin = (path: string): Made => ({ program: baseName(path), options: [], operands: [], hidden: [] });

/** Whether options may stand in a word that is none as far as the line tells. */
const mayHold = (word: string): boolean => mayVanish(word) || (isUnknown(word) && /^-*\0/.test(word));

function readWords([path = "", ...rest]: readonly string[], row: OptionRow, { tableOf, spell }: Tools): Made {
  const made = begin(path);
  const place = createPlace(row);
  let table = tableOf(undefined);
  let at = 0;
  const words: Words = {
    next() {
      const value = rest[at++];
      if (value !== undefined && mayVanish(value)) made.hidden.push("");
      return value;
    },
    putBack: (word) => void rest.splice(at, 0, word),
  };
  while (at < rest.length) {
    const word = rest[at] ?? "";
    const isOption = word.length > 1 && word.startsWith("-") && word !== "--" && made.end === undefined;
    const isAssignment = row.assignments === true && /^[\w-]+=/.test(word);
    if (place.isInner(isOption || isAssignment)) {
      if (word === "--") at++;
      addInner(made, spell(rest.slice(at)));
      break;
    }
    at++;
    if (isOption) {
      if (readOption(word, { table, made, words }) !== "program") continue;
      addInner(made, spell(rest.slice(at)));
      break;
    }
    if (word === "--" && made.end === undefined) made.end = made.operands.length;
    else if (row.isBundled && at === 1 && /^[A-Za-z]+$/.test(word)) readBundle(word, { table, made, words });
    else if (isAssignment) {
      const equals = word.indexOf("=");
      made.options.push({ name: word.slice(0, equals), value: word.slice(equals + 1) });
    } else {
      if (made.end === undefined && mayHold(word)) made.hidden.push("");
      if (place.take(word)) table = tableOf(place.subcommand());
      else made.operands.push(word);
    }
  }
  const subcommand = place.subcommand();
  return subcommand === undefined ? made : { ...made, subcommand };
}

interface Place {
  /** Whether this operand is the sub-command, or one of its words. */
  take(operand: string): boolean;
  subcommand(): string | undefined;
  /** Whether the words of another program begin here. */
  isInner(isOption: boolean): boolean;
}

/** How far the operands are: at the sub-command, its own operands, or the words of another program. */
function createPlace(row: OptionRow): Place {
  const paths = Object.keys(row.subcommands ?? {});
  let subcommand: string | undefined;
  let isComplete = row.subcommands === undefined;
  let count = 0;
  const before = (): number | undefined =>
    typeof row.runs !== "object" ? row.runs : isComplete ? lookUp(row.runs, subcommand ?? "") : undefined;
  return {
    take(operand) {
      if (isComplete) {
        count++;
        return false;
      }
      const path = subcommand === undefined ? operand : `${subcommand} ${operand}`;
      const name = lookUp(row.aliases ?? {}, path) ?? shortened(row, path);
      subcommand = name;
      isComplete = !paths.some((one) => one.startsWith(`${name} `));
      return true;
    },
    subcommand: () => subcommand,
    isInner: (isOption) => count === before() && !(isOption && (count === 0 || row.isMixed)),
  };
}

function shortened({ shortened: names = "" }: OptionRow, name: string): string {
  if (names === "") return name;
  const all = names.split(" ");
  const fits = all.includes(name) ? [] : all.filter((one) => one.startsWith(name));
  return fits.length === 1 ? (fits[0] ?? name) : name;
}

/** The words of the program that this one runs: its options are known by its name. */
function addInner(made: Made, inner: Spelling): void {
  const own = (name: string): string => `${inner.program} ${name}`;
  made.operands.push(inner.program, ...(inner.subcommand?.split(" ") ?? []), ...inner.operands);
  for (const option of inner.options)
    made.options.push({ ...option, name: own(option.name), ...(option.also ? { also: option.also.map(own) } : {}) });
  made.hidden.push(...inner.hidden.map(own));
}

interface Words {
  /** The next word, which is a value. */
  next(): string | undefined;
  putBack(word: string): void;
}

interface Reading {
  table: Table;
  made: Made;
  words: Words;
}

function readOption(word: string, reading: Reading): Option["takes"] {
  const { table, made } = reading;
  if (table.signals && /^-(\d+|(SIG)?[A-Z][A-Z\d]{2,})$/.test(word)) {
    made.options.push({ name: "signal", value: signalOf(word.slice(1)) });
    return "value";
  }
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

/** @param attached what stands in the word of the option */
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
function readBundle(letters: string, reading: Reading): void {
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
