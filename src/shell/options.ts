/** The options of a program that runs another one, as its row of the table of programs names them. */
import { baseName } from "../engine/pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";

export interface Options {
  /** Each option in order, with its value. */
  given: readonly { name: string; value: string }[];
  /** Values that are shell lines. */
  lines: readonly string[];
  /** The program runs nothing: it only tells its version, say. */
  stops: boolean;
  rest: readonly string[];
  /** The word that nobody can read: it may take what follows for its value, or run it. */
  fault?: string;
}

interface State {
  words: readonly string[];
  at: number;
  kinds: ReadonlyMap<string, string>;
  given: { name: string; value: string }[];
  lines: string[];
  stops: boolean;
  fault?: string;
}

const tables = new Map<string, ReadonlyMap<string, string>>();

/** Each table is read once. */
function kindsOf(table: string): ReadonlyMap<string, string> {
  const known = tables.get(table);
  if (known) return known;
  const kinds = new Map<string, string>();
  for (const entry of table.split(" ")) {
    const [, name = "", kind = ""] = /^(.*?)([:=?!$]?)$/.exec(entry) ?? [];
    kinds.set(name, kind);
  }
  tables.set(table, kinds);
  return kinds;
}

/** @param words the program first. @param table as WrapperRow.options */
export function readOptions(words: readonly string[], table: string, permutes = false): Options {
  const state: State = { words, at: 1, kinds: kindsOf(table), given: [], lines: [], stops: false };
  const operands: string[] = [];
  while (state.at < words.length && state.fault === undefined && !state.stops) {
    const word = words[state.at] ?? "";
    if (isUnknown(word.slice(0, 1))) {
      state.fault = word;
      break;
    }
    if (word === "--") {
      state.at++;
      break;
    }
    if (!word.startsWith("-") && !isPlusOption(word, state.kinds)) {
      if (!permutes) break;
      operands.push(word);
      state.at++;
      continue;
    }
    state.at++;
    if (word === "-") continue;
    if (word.startsWith("--")) readLong(word, state);
    else readShort(word, state);
  }
  const { given, lines, stops, fault } = state;
  const rest = [...operands, ...words.slice(state.at)];
  return { given, lines, stops, rest, ...(fault === undefined ? {} : { fault }) };
}

/** Shells also take `+x`; only their table knows the letter x and the letter c. */
const isPlusOption = (word: string, kinds: ReadonlyMap<string, string>): boolean =>
  /^\+[a-zA-Z]/.test(word) && kinds.has("x") && kinds.has("c") && kinds.has("O");

function take(name: string, kind: string, value: string, state: State): void {
  if (mayVanish(value)) state.fault = value;
  state.given.push({ name, value });
  if (kind === "$") state.lines.push(value);
  if (kind === "!") state.stops = true;
}

const next = (state: State): string => state.words[state.at++] ?? "";

function readLong(word: string, state: State): void {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  const kind = state.kinds.get(name);
  if (kind === undefined || (equals >= 0 && (kind === "" || kind === "!"))) {
    state.fault = word;
    return;
  }
  if (equals >= 0) take(name, kind, word.slice(equals + 1), state);
  else take(name, kind, kind === "=" || kind === "$" ? next(state) : "", state);
}

function readShort(word: string, state: State): void {
  const { kinds } = state;
  if (kinds.has(word.slice(1)) && word.length > 2) {
    take(word.slice(1), kinds.get(word.slice(1)) ?? "", "", state);
    return;
  }
  for (let index = 1; index < word.length; index++) {
    const letter = word[index] ?? "";
    const kind = kinds.get(/\d/.test(letter) && kinds.has("0") ? "0" : letter);
    if (kind === undefined) {
      state.fault = word;
      return;
    }
    const rest = word.slice(index + 1);
    if (kind === ":" || kind === "$") {
      take(letter, kind, rest === "" ? next(state) : rest, state);
      return;
    }
    if (kind === "?") {
      take(letter, kind, rest, state);
      return;
    }
    take(letter, kind, "", state);
  }
}

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
