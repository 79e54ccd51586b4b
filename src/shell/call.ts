/** What a command of a shell line is given: the shell that runs it, what it reads, its options, and the code inside of it. */
import { baseName, unknownText } from "../engine/pattern.ts";
import { editorRuns, importsHarmless, lineVariables, opaqueVariables, runsPrograms } from "./languages.ts";
import { type Code, gitLineOptions, gitOptions, gitPlainSettings, nameOf } from "./programs.ts";
import { blanks, giveUp, isUnknown, mayVanish, type Variables } from "./tree.ts";

/** What a program can read: nothing of the line, something that the line makes, a file, or this text. */
export type Input = "inherited" | "fed" | "file" | { text: string };

/** The state of one shell process of the line. */
export interface Shell {
  variables: Variables;
  fed: boolean;
}

/** One reading of a line. */
export interface Reading {
  found: string[][];
  /** Variables that code may set which runs at an unknown moment: they are never constants. */
  unsteady: Set<string>;
  /** Files that the line writes. */
  written: Set<string>;
  /** Reads a shell line inside this shell. */
  line(text: string, shell: Shell): void;
  /** Records a command, and whatever it runs in turn. */
  command(words: readonly string[], call: Call): void;
  /** Names that a shell line may set. */
  assignedBy(text: string): ReadonlySet<string>;
}

export interface Call {
  reading: Reading;
  shell: Shell;
  input: Input;
  /** Run by the shell itself, not by a wrapper: only so do builtins change its variables. */
  direct: boolean;
  depth: number;
}

/** Stands for all variables in a set of names. */
export const everyName = "*";

export const newShell = (fed: boolean): Shell => ({ variables: new Map([["IFS", blanks]]), fed });

/** A line that a program of its own will run: it knows none of this shell's variables. */
export function readLine(text: string, { reading, input }: Call): void {
  if (isUnknown(text)) giveUp();
  reading.line(text, newShell(input !== "inherited"));
}

const plainPath = (path: string): string => path.replace(/^(\.\/)+/, "").replaceAll(/\0+/g, unknownText);
export const noteWritten = (path: string, reading: Reading): void => {
  reading.written.add(plainPath(path));
};

export const isWritten = (path: string, reading: Reading): boolean => reading.written.has(plainPath(path));

/** Gives up if this file holds what the line itself wrote, or what it pipes. */
export function checkFile(path: string, reading: Reading): void {
  if (/^\/(dev|proc)\//.test(path) || isWritten(path, reading)) giveUp();
}

/** Variables given to a program can themselves be programs. */
export function checkVariable(name: string, value: string, reading: Reading): void {
  if (opaqueVariables.test(name)) giveUp();
  if (!lineVariables.test(name)) return;
  if (isUnknown(value)) giveUp();
  reading.line(value, newShell(false));
}

/** undefined: something that the line does not tell. */
export function setVariable(
  name: string,
  value: string | undefined,
  { shell, reading }: Pick<Call, "shell" | "reading">,
): void {
  if (value === undefined || isUnknown(value) || reading.unsteady.has(name) || reading.unsteady.has(everyName))
    shell.variables.delete(name);
  else shell.variables.set(name, value);
}

/** Values of options that are shell lines. A short option may stand in a bundle, a long one be shortened. */
export function* linesIn(words: readonly string[], options: readonly string[] | undefined): Generator<string> {
  if (!options) return;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    for (const option of options) {
      const value = optionValue(word, option, words[at + 1]);
      if (value !== undefined) yield lineIn(value, words[0] ?? "");
    }
  }
}

function optionValue(word: string, option: string, next: string | undefined): string | undefined {
  if (option.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    if (name.length < 5 || !option.startsWith(name)) return undefined;
    return equals < 0 ? (next ?? "") : word.slice(equals + 1);
  }
  if (option.length > 2) return word === option ? (next ?? "") : undefined;
  if (!/^-[A-Za-z]/.test(word) || word.startsWith("--")) return undefined;
  const at = word.indexOf(option.slice(1));
  if (at < 1 || (at > 1 && !/^-[A-Za-z]+$/.test(word.slice(0, at)))) return undefined;
  return word.slice(at + 1) || (next ?? "");
}

function lineIn(value: string, program: string): string {
  if (["ssh", "scp", "sftp"].includes(baseName(program))) {
    return /^\s*(?:Proxy|Local|KnownHosts|Remote)Command[\s=]+([\s\S]*)/i.exec(value)?.[1] ?? "";
  }
  return value.replace(/^exec=/, "");
}

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

// Code of other languages is harmless if nothing in it could run a program; git's aliases and settings are lines.

export function runInterpreter(words: readonly string[], row: Code, call: Call): void {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    const long = row.long?.find((one) => word === one || word.startsWith(`${one}=`));
    if (long !== undefined) {
      checkCode(word === long ? words[at + 1] : word.slice(long.length + 1));
      return;
    }
    if (mayVanish(word)) giveUp();
    if (word === "-") break;
    if (!word.startsWith("-")) {
      if (words[at - 1]?.startsWith("--") && !words[at - 1]?.includes("=")) continue; // may be that option's value
      checkFile(word, call.reading);
      return;
    }
    if (word.startsWith("--")) continue;
    const letter = [...word.slice(1)].find((one) => row.letters.includes(one) || row.valued?.includes(one));
    if (letter === undefined) continue;
    const rest = word.slice(word.indexOf(letter, 1) + 1);
    if (row.letters.includes(letter)) {
      checkCode(rest || words[at + 1]);
      return;
    }
    if (letter === "m" && /^(python|pypy)$/.test(nameOf(words[0] ?? ""))) return;
    if (rest === "") at++;
  }
  if (call.input === "fed") giveUp();
  if (typeof call.input === "object") checkCode(call.input.text);
}

function checkCode(code: string | undefined): void {
  if (code !== undefined && (isUnknown(code) || runsPrograms.test(code.replace(importsHarmless, "")))) giveUp();
}

/** The first operand is code, unless an option gives it. */
export const runScript =
  (runs: RegExp, code: string, valued: string) =>
  (words: readonly string[], { reading }: Call): void => {
    const scripts: string[] = [];
    let isGiven = false;
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? "";
      const letter = /^-[A-Za-z]/.test(word)
        ? [...word.slice(1)].find((one) => code.includes(one) || valued.includes(one) || one === "f")
        : undefined;
      const long = /^--(expression|source|file)(=|$)/.exec(word);
      if (letter === undefined && !long) {
        if (word.startsWith("-") && word !== "-") continue;
        if (!isGiven) scripts.push(word);
        break;
      }
      const rest = long ? word.slice(long[0].length) : word.slice(word.indexOf(letter ?? "", 1) + 1);
      const value = rest || words[++at] || "";
      if (letter === "f" || long?.[1] === "file") checkFile(value, reading);
      else if (long || code.includes(letter ?? "")) scripts.push(value);
      isGiven ||= letter === "f" || long !== null || code.includes(letter ?? "");
    }
    if (scripts.some((script) => isUnknown(script) || runs.test(script.replaceAll("||", "")))) giveUp();
  };

export function runEditor(words: readonly string[]): void {
  for (const [index, word] of words.entries()) {
    const isCommand = word.startsWith("+") || /^(-c|--cmd)$/.test(words[index - 1] ?? "");
    if (isCommand && (isUnknown(word) || editorRuns.test(word))) giveUp();
    if (/^-(S|s)$|^-c./.test(word)) giveUp();
  }
}

/** Also records the command without the options before its sub-command. */
export function git(words: readonly string[], call: Call): void {
  const { given, rest, stops } = readOptions(words, gitOptions);
  if (stops) return;
  if (given.some(({ name }) => name === "--config-env")) giveUp();
  const aliases = new Map<string, string>();
  for (const { name, value } of given) if (name === "c") gitSetting(value, aliases, call);
  const [command = "", ...operands] = rest;
  if (given.length > 0 && rest.length > 0) call.reading.found.push(["git", ...rest]);
  const alias = aliases.get(`alias.${command}`.toLowerCase());
  if (alias !== undefined)
    readLine(`git ${alias} ${operands.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`, call);
  if (command === "config")
    gitSetting(
      operands
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join("="),
      new Map(),
      call,
    );
  if (command === "bisect" && operands[0] === "run")
    call.reading.command(operands.slice(1), { ...call, direct: false });
  if (command === "submodule" && operands.includes("foreach")) {
    const script = operands.slice(operands.indexOf("foreach") + 1).filter((word) => !word.startsWith("-"));
    readLine(script.join(" "), call);
  }
  if (
    operands.some((word) => /^ext::|^--config(=|$)|^-c$/.test(word)) &&
    ["clone", "fetch", "pull", "push", "ls-remote"].includes(command)
  )
    giveUp();
  const options = Object.hasOwn(gitLineOptions, command) ? gitLineOptions[command] : undefined;
  for (const line of linesIn([command, ...operands], options)) readLine(line, call);
}

/** `-c alias.x=!program`, `-c core.pager=program`. */
function gitSetting(setting: string, aliases: Map<string, string>, call: Call): void {
  const equals = setting.indexOf("=");
  const name = equals < 0 ? setting : setting.slice(0, equals);
  const value = equals < 0 ? "" : setting.slice(equals + 1);
  if (isUnknown(name)) giveUp();
  if (value === "" || gitPlainSettings.test(name)) return;
  if (isUnknown(value) || /^include/i.test(name)) giveUp();
  if (/^alias\./i.test(name) && !value.startsWith("!")) {
    aliases.set(name.toLowerCase(), value);
    if (call.reading.found.length < 10_000) readLine(`git ${value}`, call);
  } else readLine(value.replace(/^!/, ""), call);
}
