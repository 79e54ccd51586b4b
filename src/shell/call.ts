/** What a command of a shell line is given, and what the reading of the line keeps. */
import { baseName, unknownText } from "../core/command-pattern.ts";
import { blanks, isUnknown, type Variables } from "./expand.ts";
import { giveUp } from "./tree.ts";
import { lineVariables, opaqueVariables } from "./variables.ts";

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
