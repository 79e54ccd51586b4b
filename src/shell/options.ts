/** Reads the options before a program's operands by a closed table; what the table lacks cannot be analysed. */
import { isUnknown, mayVanish } from "./expand.ts";
import { giveUp } from "./tree.ts";

export interface Options {
  /** Each option in order, with its value. */
  given: readonly { name: string; value: string }[];
  /** Values that are shell lines. */
  lines: readonly string[];
  /** The program runs nothing: it only tells its version, say. */
  stops: boolean;
  rest: readonly string[];
}

/** @param words the program first. @param table as WrapperRow.options. May give up. */
export function readOptions(words: readonly string[], table: string, permutes = false): Options {
  const kinds = new Map<string, string>();
  for (const entry of table.split(" ")) {
    const [, name = "", kind = ""] = /^(.*?)([:=?!$]?)$/.exec(entry) ?? [];
    kinds.set(name, kind);
  }
  const given: { name: string; value: string }[] = [];
  const lines: string[] = [];
  const operands: string[] = [];
  let stops = false;
  let at = 1;
  const next = (): string => {
    const value = words[at++] ?? "";
    return mayVanish(value) ? giveUp() : value;
  };
  const take = (name: string, kind: string, value: string): void => {
    given.push({ name, value });
    if (kind === "$") lines.push(value);
    if (kind === "!") stops = true;
  };
  for (; at < words.length; ) {
    const word = words[at] ?? "";
    if (isUnknown(word.slice(0, 1))) giveUp();
    if (word === "--") {
      at++;
      break;
    }
    if (!word.startsWith("-") && !isPlusOption(word, kinds)) {
      if (!permutes) break;
      operands.push(word);
      at++;
      continue;
    }
    at++;
    if (word === "-") continue;
    if (word.startsWith("--")) readLong(word, kinds, next, take);
    else readShort(word, kinds, next, take);
  }
  return { given, lines, stops, rest: [...operands, ...words.slice(at)] };
}

/** Shells also take `+x`; only their table knows the letter x and the letter c. */
const isPlusOption = (word: string, kinds: ReadonlyMap<string, string>): boolean =>
  /^\+[a-zA-Z]/.test(word) && kinds.has("x") && kinds.has("c") && kinds.has("O");

type Next = () => string;
type Take = (name: string, kind: string, value: string) => void;

function readLong(word: string, kinds: ReadonlyMap<string, string>, next: Next, take: Take): void {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  const kind = kinds.get(name) ?? giveUp();
  if (equals >= 0) {
    if (kind === "" || kind === "!" || mayVanish(word)) giveUp();
    take(name, kind, word.slice(equals + 1));
    return;
  }
  take(name, kind, kind === "=" || kind === "$" ? next() : "");
}

function readShort(word: string, kinds: ReadonlyMap<string, string>, next: Next, take: Take): void {
  if (kinds.has(word.slice(1)) && word.length > 2) {
    take(word.slice(1), kinds.get(word.slice(1)) ?? "", "");
    return;
  }
  for (let index = 1; index < word.length; index++) {
    const letter = word[index] ?? "";
    const kind = kinds.get(/\d/.test(letter) && kinds.has("0") ? "0" : letter) ?? giveUp();
    const rest = word.slice(index + 1);
    if (kind === ":" || kind === "$") {
      if (mayVanish(rest)) giveUp();
      take(letter, kind, rest === "" ? next() : rest);
      return;
    }
    if (kind === "?") {
      take(letter, kind, rest);
      return;
    }
    take(letter, kind, "");
  }
}
