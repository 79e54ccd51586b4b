/** What one shell process of a line knows, and what a command in it is given. The reading itself is a port here: its walk is in read.ts. */
import type { CommandExpansionPart, Function as FunctionNode, ProcessSubstitutionPart } from "unbash";
import type { Redirect, ShellPlace, SimpleCommand, Unknown } from "../engine/effects.ts";
import { blanks, hidesSubstitution, isUnknown, type Known, textOf, unknownPath, type Variables } from "./expand.ts";
import type { Made } from "./made.ts";
import { forgetPossible, joined, notePossible } from "./possible.ts";
import type { Budget } from "./tree.ts";

/** What a program can read: nothing of the line, something that the line makes, a file, or this text. */
export type Input = "inherited" | "fed" | "file" | { text: string };

/** A function's body; unsure: which one it is depends on what ran before. */
export type Body = FunctionNode | "unsure";

export interface Shell {
  /** The folder is PWD, home is HOME; one that the line does not tell is absent. */
  variables: Variables;
  functions: Map<string, Body>;
  isBash: boolean;
  input: Input;
  /** Indexes of the commands that it reads from, filled as they are found. */
  from: readonly number[];
  /** Takes the indexes of what writes to its output. */
  output: number[];
  /** Takes those of what stands in the words of the command that is being read. */
  given: number[];
  /** Lists that take the index of that command: of what reads its output in `>( … )`. */
  readers: number[][];
  /** Of the groups around. */
  redirects: readonly Redirect[];
  /** The command that runs this shell, or the text or the function that is being read. */
  by?: number;
  /** The functions that are being run, and how many of them ran when the last process was forked beside another. */
  calls: readonly string[];
  forkedAt: number;
}

/** One reading of a line, with all lines inside of it. */
export interface Reading extends Budget {
  readonly home: string;
  readonly found: Command[];
  readonly unknown: Map<string, Unknown>;
  /** Variables that code may set which runs at an unknown moment: they are never constants. */
  readonly unsteady: Set<string>;
  readonly aliases: Map<string, string>;
  /** Files that the line makes, by base name. */
  readonly made: Map<string, Made[]>;
  /** Links that the line makes: where each leads, both absolute. */
  readonly links: Map<string, string>;
  /** Files that each shell of the line reads first, from where they were named; the line may make them later. */
  readonly starts: (() => void)[];
  /** Names that the shell was told to look up elsewhere: `hash -p`. */
  readonly hashed: Map<string, string>;
  /** Programs of which a person says that they run others. */
  readonly runsOthers: ReadonlySet<string>;
  readonly textAt: NonNullable<ShellPlace["textAt"]>;
  readonly gitAlias: NonNullable<ShellPlace["gitAlias"]>;
  readonly prints: Map<CommandExpansionPart | ProcessSubstitutionPart, string>;
  readonly mentioned: Set<string>;
  /** The line itself says where programs are looked for. */
  changesPath: boolean;
  forks: boolean;
  /** Reads a shell line inside this shell. The words are those of an alias's caller. */
  line(text: string, shell: Shell, rest?: readonly string[]): void;
  /** Records a command, and whatever it runs in turn. */
  command(words: readonly string[], call: Call): void;
  /** Runs a function's body. */
  body(node: FunctionNode, shell: Shell): void;
  /** Names that a shell line may set. */
  assignedBy(text: string): ReadonlySet<string>;
}

/** As it is being read. */
export type Command = SimpleCommand;

export interface Call {
  reading: Reading;
  shell: Shell;
  input: Input;
  from: readonly number[];
  given: readonly number[];
  redirects: readonly Redirect[];
  /** What it prints goes where the shell's output goes. */
  prints: boolean;
  /** Absent: that of the shell. */
  folder?: string | undefined;
  by?: number | undefined;
  /** Run by the shell itself, not by a wrapper: only so do builtins change its variables. */
  direct: boolean;
  /** `command` and `builtin` pass functions and aliases over. */
  bare?: boolean;
  /** Nobody knows whether it runs: it stands among the words of a program that is not known. */
  isPerhaps?: true;
  depth: number;
  /** As the line has the program. */
  source: string;
}

export const knownIn = ({ variables, isBash }: Shell, { prints, mentioned }: Reading): Known => ({
  variables,
  isBash,
  prints,
  mentioned,
});

/** Stands for all variables in a set of names. */
export const everyName = "*";

/** A shell of its own: it knows the folder and the home, and no variable of the other. */
export function newShell(call: Pick<Call, "reading" | "shell" | "input" | "from" | "folder" | "by">): Shell {
  const { shell } = call;
  const variables: Variables = new Map([["IFS", blanks]]);
  const home = textOf(shell.variables, "HOME");
  const folder = call.folder ?? textOf(shell.variables, "PWD");
  if (home !== undefined) variables.set("HOME", home);
  if (folder !== undefined) variables.set("PWD", folder);
  return {
    ...shell,
    variables,
    functions: new Map(shell.functions),
    input: call.input,
    from: call.from,
    redirects: [],
    isBash: false,
    ...(call.by === undefined ? {} : { by: call.by }),
  };
}

export interface Given {
  args?: readonly string[];
  /** `bash -c LINE zero`: what `$0` is. */
  zero?: string | undefined;
  isBash?: boolean;
}

/** A line that a program of its own will run: it knows none of this shell's variables. */
export function readLine(text: string, call: Call, { args, zero, isBash = false }: Given = {}): void {
  const { reading } = call;
  if (isUnknown(text)) {
    noteRuns(reading, `cannot tell what \`${programOf(call)}\` runs`);
    return;
  }
  const shell = { ...newShell(call), isBash };
  if (args && !args.some((word) => word.includes("\0\0"))) shell.variables.set("@", args);
  if (zero !== undefined && !isUnknown(zero)) shell.variables.set("0", zero);
  reading.line(text, shell);
}

const programOf = ({ reading, by, source }: Call): string =>
  (by === undefined ? undefined : reading.found[by]?.words[0]?.replaceAll("\0", "")) || source;

export function note(reading: Reading, unknown: Unknown): void {
  const key = `${unknown.what} ${unknown.why}`;
  if (reading.unknown.size < mostUnknown && !reading.unknown.has(key)) reading.unknown.set(key, unknown);
}

/** More of them tell nobody more. */
const mostUnknown = 100;

export const noteRuns = (reading: Reading, why: string): void => note(reading, { what: "runs", why });
export const noteDoes = (reading: Reading, program: string, why: string): void =>
  note(reading, { what: "does", why, program });

export const cannotTell = (text: string): string => `cannot tell what \`${shortened(text)}\` runs`;

const longestShown = 60;
/** For a sentence: what only the shell knows is three dots. */
export function shortened(text: string): string {
  const plain = text
    .slice(0, 2 * longestShown)
    .replaceAll(/\0+/g, "…")
    .replaceAll(/\s+/g, " ");
  return plain.length > longestShown ? `${plain.slice(0, longestShown)}…` : plain;
}

/** undefined: something that the line does not tell. The folder is set by cd alone. */
export function setVariable(
  name: string,
  value: string | readonly string[] | undefined,
  { shell, reading }: Pick<Call, "shell" | "reading">,
): void {
  if (name === "PATH") reading.changesPath = true;
  forgetElements(name, shell.variables);
  forgetPossible(name, shell.variables);
  const texts = typeof value === "object" ? value : [value ?? "\0"];
  for (const text of texts) checkText(text, reading);
  const isSteady = name !== "PWD" && !reading.unsteady.has(name) && !reading.unsteady.has(everyName);
  const isKnown = typeof value === "string" ? isPathWithHole(value) || !isUnknown(value) : !texts.some(isUnknown);
  if (value !== undefined && isSteady && isKnown) shell.variables.set(name, value);
  else if (name === "CDPATH")
    shell.variables.set(name, unknownPath); // cd then goes nobody knows where
  else {
    shell.variables.delete(name);
    if (isKnown && typeof value === "string" && name !== "PWD")
      notePossible(name, { values: [value], isAll: false }, shell.variables);
  }
}

/** `tests/…`, `…/python3`: of a path it helps to know a part. */
const isPathWithHole = (value: string): boolean =>
  /^(?:\/|\/?[\w.][\w./*?[\]-]*\/)?\0(?:\/[\w.+-]+)*$/.test(value) && value.includes("/");

/** What arithmetic would run, once the text gets there. */
export function checkText(text: string, reading: Reading): void {
  if (hidesSubstitution(text)) noteRuns(reading, cannotTell(text));
}

export function forget(names: ReadonlySet<string>, { variables, functions }: Shell): void {
  for (const name of names) {
    if (name === everyName) variables.clear();
    else if (name.endsWith("()")) functions.set(name.slice(0, -2), "unsure");
    else {
      forgetElements(name, variables);
      forgetPossible(name, variables);
      variables.delete(name);
    }
  }
}

/** Behind branches: of a name that each of these shells may have set, what is known in any of them is possible. */
export function join(names: ReadonlySet<string>, shells: readonly Shell[], shell: Shell): void {
  const all = names.has(everyName) ? [] : [...names].filter((name) => name !== "PWD" && /^\w+$/.test(name));
  const each = all.map((name) =>
    joined(
      name,
      shells.map(({ variables }) => variables),
    ),
  );
  forget(names, shell);
  for (const [index, name] of all.entries()) {
    const possible = each[index];
    if (possible) notePossible(name, possible, shell.variables);
  }
}

/** Those of a list that the line names one by one. */
export function forgetElements(name: string, variables: Variables): void {
  const start = `${name}[`;
  if (!variables.has(start)) return;
  for (const key of variables.keys()) if (key.startsWith(start)) variables.delete(key);
}

/** `read -rawords`: which letter is the last option, and where the name begins, is up to the builtin. */
export const suffixesOf = (text: string): string[] =>
  text.length > longestOption ? [] : Array.from(text, (_, index) => text.slice(index));
const longestOption = 100;

/** No system has longer ones. */
const longestPath = 4096;

export function setFolder(folder: string | undefined, { shell, reading }: Pick<Call, "shell" | "reading">): void {
  const before = textOf(shell.variables, "PWD");
  const isSteady = !reading.unsteady.has("PWD") && !reading.unsteady.has(everyName);
  for (const [name, value] of [
    ["OLDPWD", before],
    ["PWD", folder],
  ] as const) {
    if (value === undefined || !isSteady || value.length > longestPath) shell.variables.delete(name);
    else shell.variables.set(name, value);
  }
}

export const folderOf = ({ folder, shell }: Pick<Call, "folder" | "shell">): string | undefined =>
  folder ?? textOf(shell.variables, "PWD");

/** Reads what may be no command at all: rules that deny or ask see it, those that allow do not, and what it does not tell is no reason to ask. */
export function quietly({ unknown, found }: Call["reading"], read: () => void): void {
  const before = new Map(unknown);
  const start = found.length;
  read();
  for (const command of found.slice(start)) command.isPerhaps = true;
  unknown.clear();
  for (const [key, one] of before) unknown.set(key, one);
}
