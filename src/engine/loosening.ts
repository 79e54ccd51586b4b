/**
 * What loosens Hookline, which only a person does (R92): one table of commands. The built-in guard reads shell lines by it, the
 * commands themselves refuse by it, and an operation of it is no tool, and no route but the dashboard's.
 */
import { operationNames } from "./named.ts";
import { unknownText } from "./pattern.ts";

interface Row {
  /** The command and its action, as they begin. */
  words: string;
  /** As what follows "this would". */
  does: string;
  /** Second words with which it only looks. */
  not?: readonly string[];
  /** Only with one of these flags. Absent: always. */
  only?: readonly string[];
  /** Flags with which it changes nothing. */
  dry?: readonly string[];
}

const rows: readonly Row[] = [
  { words: "allow-once", does: "let a refused call happen" },
  { words: "guard off", does: "switch a guard off" },
  { words: "pause", does: "pause hooks" },
  { words: "trust", does: "trust what hooks of a project run", not: ["list", "diff"] },
  { words: "untrust", does: "take the trust from hooks of a project, which then no longer run" },
  { words: "uninstall", does: "take Hookline out of an agent", dry: ["dry-run"] },
  { words: "git uninstall", does: "take Hookline out of git", dry: ["dry-run"] },
  { words: "purge", does: "delete what Hookline has recorded" },
  { words: "down", does: "stop the daemon of Hookline" },
  { words: "store move", does: "move what Hookline has recorded" },
  { words: "open", does: "print the key to the dashboard" },
  { words: "add", does: "change the rules of a pack", only: ["level", "report", "obey", "update"] },
  { words: "doctor", does: "change what Hookline has registered", only: ["fix"] },
  { words: "follow-ups run", does: "do what a hook has proposed to a person" },
  { words: "automation approve", does: "answer for a person" },
  { words: "automation deny", does: "answer for a person" },
  { words: "automation retry", does: "run an automation again" },
  { words: "supervise", does: "run a program as a hook" },
];

/** Groups of operations in which some are for a person: all that change something there, but for what these only tighten. */
const harmless: ReadonlySet<string> = new Set(["project_create", "project_edit", "project_resume"]);

/** Operations that only look: they are named by what they give. */
const looks = /_(?:list|show|export|runs)$/;

/** By the name of the operation. What makes, changes or fires an automation runs what it says, whatever guards say about lines. */
export const isForPerson = (operation: string): boolean => operation === "pause" || isLooseningIn(operation);
const isLooseningIn = (operation: string): boolean =>
  /^(?:automation|project)_/.test(operation) && !looks.test(operation) && !harmless.has(operation);

const ofOperations: readonly Row[] = operationNames
  .filter(isLooseningIn)
  .map((name) => ({ words: name.replace("_", " ").replaceAll("_", "-"), does: said(name) }));

function said(operation: string): string {
  const [what = "", action = ""] = operation.split("_");
  return `${action === "apply" ? "create or change" : action} ${what === "automation" ? "an automation" : "a project"}`;
}

const table: readonly Row[] = [...rows, ...ofOperations];

/** All commands of the table, for documentation and tests. */
export const loosening: readonly { words: string; does: string }[] = table;

/** Flags that hold for every command and take a value. */
const valued: ReadonlySet<string> = new Set(["--cwd", "--store"]);
const isHelp = (word: string): boolean => /^(?:--help|-h|--version|-v)$/.test(word);

/** @param given the words behind `hookline`. @returns what they would do, as what follows "this would"; undefined: it loosens nothing */
export function loosensBy(given: readonly string[]): string | undefined {
  const words = given.filter((word) => word !== "--");
  if (words.some(isHelp)) return undefined;
  const plain = operandsOf(words);
  const [command = ""] = plain;
  if (command.includes(unknownText)) return "run a command of Hookline that the line does not tell";
  const has = (names: readonly string[]): boolean =>
    words.some((word) => names.some((name) => word === `--${name}` || word.startsWith(`--${name}=`)));
  const row = table.find(({ words: named }) => named.split(" ").every((word, index) => plain[index] === word));
  if (row) {
    if (row.not?.includes(plain[1] ?? "") || (row.dry && has(row.dry))) return undefined;
    return row.only && !has(row.only) ? undefined : row.does;
  }
  const isGroup = table.some(({ words: named }) => named.startsWith(`${command} `));
  return isGroup && plain[1]?.includes(unknownText)
    ? `run a command of Hookline that the line does not tell`
    : undefined;
}

function operandsOf(words: readonly string[]): string[] {
  const operands: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (valued.has(word)) index += 1;
    else if (!word.startsWith("-")) operands.push(word);
  }
  return operands;
}

/** What one can say to an agent's program that brings code in, or leaves its hooks out. */
export type AgentProgram = {
  names: string[];
  /** The first word, and what behind it only looks. */
  commands?: { [word: string]: string[] };
  flags?: string[];
  /** In a word that sets something, whatever its flag. */
  says?: string[];
  /** Variables that let it read other settings than those that hold its hooks, or leave these out. */
  variables?: string[];
  /** With one of these flags it only looks: it lists, or shows what it would do. */
  looks?: string[];
  /** A tool of packages whose every use writes into agents' folders. */
  always?: boolean;
  /** Its name is also an ordinary word: it counts where a line runs it. */
  whenRun?: boolean;
};

/** @param given the words behind the agent's program */
export function bringsCode(
  { commands = {}, flags = [], says = [], looks: looking = [], always }: AgentProgram,
  given: readonly string[],
): boolean {
  if (given.some((word) => isHelp(word) || looking.includes(word))) return false;
  if (always) return true;
  if (given.some((word) => flags.some((flag) => word === flag || word.startsWith(`${flag}=`)))) return true;
  if (given.some((word) => says.some((text) => word.includes(text)))) return true;
  const at = given.findIndex((word) => Object.hasOwn(commands, word));
  const looks = commands[given[at] ?? ""];
  if (at < 0 || looks === undefined || given.slice(0, at).some((word) => !word.startsWith("-"))) return false;
  const next = given.slice(at + 1).filter((word) => !word.startsWith("-"));
  return !next.some((word, index) => index < 2 && looks.includes(word));
}

/** Where Hookline's own files lie. A port: what reads lines reads no file. */
export interface OwnPlaces {
  home: string;
  /** Undefined: the line does not tell. */
  absolute(word: string, cwd: string | undefined): string | undefined;
  /** Whether the file that this word would run is Hookline's. */
  isProgram(word: string, cwd: string | undefined): boolean;
  /** key: its reader may do what the user may. */
  kindOf(path: string): "key" | "state" | "package" | undefined;
  /** Whether such a folder lies in this one. */
  isAround(path: string, workspace: string): boolean;
  /** Whether this path, with all that is in it or fits it as a pattern, holds a key. */
  holdsKey(path: string): boolean;
  /** Whether a file of this name, which may be a pattern, is a key. */
  isKeyName(name: string): boolean;
  /** Whether a file of this name, which may be a pattern, is one of them, or a folder around them. */
  isName(name: string): boolean;
  /** Whether what is unpacked there may replace the folder itself. */
  isParent(path: string): boolean;
  daemon(): { pid: number; port?: number } | undefined;
  /** The agent whose program a word would start. */
  agent(word: string): AgentProgram | undefined;
  /** Whether a line could bring code into an agent, by its text alone. */
  speaksOfAgent(line: string): boolean;
  /** Whether a line starts an agent with the settings of another place, by its text alone. */
  movesAgent(line: string): boolean;
}
