/** The options of a program that runs another one: read as far as its row of the table of programs tells, and no further. */
import { baseName } from "../engine/pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { type Made, readOption, type Table, tableOf } from "./option-words.ts";
import type { Program } from "./programs.ts";

export interface Options {
  /** Each option in order, by the last of its names, with its value. */
  given: readonly { name: string; value: string }[];
  /** Values that are shell lines. */
  lines: readonly string[];
  /** The program runs nothing: it only tells its version, say. */
  stops: boolean;
  rest: readonly string[];
  /** The word that cannot be read: it may take what follows for its value, or run it. */
  fault?: string;
}

interface Form {
  /** Whose options these are. */
  subcommand?: string;
  /** Nothing: as the row says. */
  permutes?: boolean;
}

/** @param words the program, or its sub-command, first */
export function readOptions(words: readonly string[], row: Program, form: Form = {}): Options {
  const table = tableOf(row, form.subcommand);
  const permutes = form.permutes ?? row.permutes === true;
  const made: Made = { program: "", options: [], operands: [], hidden: [] };
  const given: { name: string; value: string }[] = [];
  const lines: string[] = [];
  let [at, stops] = [1, false];
  let fault: string | undefined;
  const next = (): string | undefined => words[at++];
  while (at < words.length && fault === undefined && !stops) {
    const word = words[at] ?? "";
    if (isUnknown(word.slice(0, 1))) {
      fault = word;
      break;
    }
    const isOption = word.startsWith("-") || (row.plus === true && /^\+[a-zA-Z]/.test(word));
    if (!isOption && !permutes) break;
    at++;
    if (word === "--") break;
    if (!isOption) made.operands.push(word);
    if (!isOption || word === "-") continue;
    made.options.length = 0;
    const isOwn = readOption(word, { table, made, words: { next, putBack: () => void at-- } }) === "program";
    stops = isOwn;
    if (made.hidden.length > 0 || !isWhole(word, table)) fault = word;
    for (const { name, value = "" } of made.options) {
      const option = table.byName.get(name);
      const isNumber = table.byName.has("#") && /^\d+$/.test(name);
      if (mayVanish(value)) fault = value;
      else if (!isNumber && !option) fault = word;
      given.push({ name, value });
      if (option?.isLine) lines.push(value);
      if (option?.stops) stops = true;
    }
  }
  const rest = [...made.operands, ...words.slice(at)];
  return { given, lines, stops, rest, ...(fault === undefined ? {} : { fault }) };
}

/** A shortened name may be another one's of a newer version, and a value of what takes none is not known. */
function isWhole(word: string, { byName }: Table): boolean {
  const [, name, value] = /^--([^=]*)(=)?/.exec(word) ?? [];
  const option = byName.get(name ?? "");
  return name === undefined || (option !== undefined && (value === undefined || option.takes !== "nothing"));
}

const lineNames = new Map<Table, readonly string[]>();

/** The options whose value is a shell line, as they are written. */
function linesOf(table: Table): readonly string[] {
  const known = lineNames.get(table);
  if (known) return known;
  const dashes = table.reads === "flags" ? "-" : "--";
  const names = [...table.byName].flatMap(([name, { isLine }]) =>
    !isLine || name.startsWith("-") ? (isLine ? name : []) : `${name.length > 1 ? dashes : "-"}${name}`,
  );
  lineNames.set(table, names);
  return names;
}

/** Values of options that are shell lines, wherever they stand: what is not known of the other options matters little. */
export const linesOfRow = (words: readonly string[], row: Program, subcommand?: string): string[] => [
  ...linesIn(words, linesOf(tableOf(row, subcommand))),
];

/** Values of options that are shell lines. A short option may stand in a bundle, a long one be shortened. */
export function* linesIn(words: readonly string[], options: readonly string[]): Generator<string> {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    for (const option of options) {
      const value = optionValue(word, option, words[at + 1]);
      if (value !== undefined) yield lineIn(value, words[0] ?? "");
    }
  }
}

function optionValue(word: string, option: string, following: string | undefined): string | undefined {
  if (option.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    if (name.length < 5 || !option.startsWith(name)) return undefined;
    return equals < 0 ? (following ?? "") : word.slice(equals + 1);
  }
  if (option.length > 2 && word.startsWith(`${option}=`)) return word.slice(option.length + 1);
  if (option.length > 2) return word === option ? (following ?? "") : undefined;
  if (!/^-[A-Za-z]/.test(word) || word.startsWith("--")) return undefined;
  const at = word.indexOf(option.slice(1));
  if (at < 1 || (at > 1 && !/^-[A-Za-z]+$/.test(word.slice(0, at)))) return undefined;
  return word.slice(at + 1) || (following ?? "");
}

function lineIn(value: string, program: string): string {
  if (["ssh", "scp", "sftp"].includes(baseName(program)))
    return /^\s*(?:Proxy|Local|KnownHosts|Remote)Command[\s=]+([\s\S]*)/i.exec(value)?.[1] ?? "";
  return value.replace(/^exec=/, "");
}
