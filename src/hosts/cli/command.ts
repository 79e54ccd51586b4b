/** What a command is: its arguments, its flags, one real example, and the code that is loaded only when it runs. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ErrorCode, HooklineError, messageOf } from "../../engine/error.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";
import type { Terminal } from "./terminal.ts";

export type ExitCode = 0 | 1 | 2 | 3;
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Everything a command gets from the outside; commands read no global state. */
export interface Invocation {
  words: readonly string[];
  flags: Flags;
  /** How it is written, for messages about wrong use. */
  usage: string;
  terminal: Terminal;
  json: boolean;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
  /** How this command itself is started: Node and the bin, absolute. */
  self: readonly [string, string];
  signal: AbortSignal;
}
/** Its exit code: an ExitCode, but where the command answers for a program whose own code counts. */
export type RunCommand = (invocation: Invocation) => number | Promise<number>;

/** A flag, with its words where it stands. */
export interface Flag {
  type: "string" | "boolean";
  multiple?: boolean;
  short?: string;
  /** What it does, for help, completion and the page of the command line. */
  does: string;
  /** What its value may be, where that is one of a few. */
  takes?: readonly string[];
  /** What stands for its value in help. */
  title?: string;
  /** `--no-` before it means the other. */
  isOnOrOff?: boolean;
  /** Hookline gives it to itself. */
  isInternal?: true;
}

export interface Command {
  summary: string;
  usage: string;
  example: string;
  flags: Readonly<Record<string, Flag>>;
  /** How many words it takes at most. */
  words: number;
  /** Its words, where help explains them. */
  arguments?: readonly { title: string; does: string }[];
  /** What its first word may be, where that is one of a few. */
  takes?(): Promise<readonly string[]>;
  /** Said below its flags. */
  more?: string;
  /** It goes on when its output is closed. */
  stays?: true;
  /** Done first, while a signal still ends the process at once. */
  prepare?(given: readonly string[]): Promise<void>;
  /** The words as the parser of flags takes them; absent: as they are. */
  prepared?(given: readonly string[]): readonly string[];
  load(): Promise<RunCommand>;
}

export const globalFlags: Readonly<Record<string, Flag>> = {
  cwd: { type: "string", does: "works in this folder instead of the current one" },
  json: { type: "boolean", does: "prints exact JSON, for programs" },
  store: {
    type: "string",
    does: "the store's file, or the `postgres://…` to which the record of the usual one goes; default: the one in your state folder",
  },
  quiet: { type: "boolean", short: "q", does: "`-q`: prints nothing but errors" },
  verbose: { type: "boolean", does: "also prints notes and what programs said, where a command has such" },
  help: { type: "boolean", short: "h", does: "`-h`: what a command takes, with an example" },
  version: { type: "boolean", short: "v", does: "`-v`: which Hookline this is" },
};

/** The place of the first word behind the global flags; undefined: a flag that is no global one stands before it. */
export function behindGlobalFlags(words: readonly string[]): { at: number; asksHelp: boolean } | undefined {
  let at = 0;
  let asksHelp = false;
  for (let word = words[0]; word?.startsWith("-"); word = words[at]) {
    const [written = "", value] = word.split("=", 2);
    const [name, flag] =
      Object.entries(globalFlags).find(([long, { short }]) => written === `--${long}` || written === `-${short}`) ?? [];
    if (!flag) return undefined;
    asksHelp ||= name === "help";
    at += flag.type === "string" && value === undefined ? 2 : 1;
  }
  return { at, asksHelp };
}

/** In a usage, instead of flags. */
export const seeHelp = "[flags: see --help]";

/** Environment variables as they are; only the process's own, never a workspace's file. */
export function environmentOf(given: NodeJS.ProcessEnv): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !internal.has(name)) environment[name] = value;
  return environment;
}
/** Set by our own bin; a hook has no use for it. */
const internal = new Set(["HOOKLINE_BIN"]);

/** Codes that mean wrong use; every other failure is the environment's. */
export const wrongUse: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "usage",
  "event_unknown",
  "agent_unknown",
  "hook_unknown",
  "run_unknown",
  "payload_cut",
  "input_invalid",
  "parameters_invalid",
]);

export const usageError = (what: string, usage: string): HooklineError =>
  new HooklineError("usage", {
    what: what
      .split("\n", 1)
      .join("")
      .replace(/\.$/, "")
      .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()),
    where: "the command line",
    advice: `usage: hookline ${usage}`,
  });

/** The texts of a flag, which may be given more than once. */
export const textsFlag = (flags: Flags, name: string): readonly string[] => {
  const value = flags[name];
  if (typeof value === "string") return [value];
  return typeof value === "object" ? value : [];
};

export const textFlag = (flags: Flags, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

// Texts from a file or from standard input, for flags that take either.

const largestInBytes = 64 * 1024 * 1024;

/** @throws HooklineError file_unreadable; also for a pipe, which would be waited for, deaf to every signal */
export function textOfFile(written: string, cwd: string): string {
  const found = reading(written, () => readRegularFileSync(resolve(cwd, written), largestInBytes));
  if ("text" in found) return found.text;
  const { refused, because } = found;
  const reason = because === "irregular" ? `${refused}; standard input is read with -` : `it is ${refused}`;
  throw new HooklineError("file_unreadable", { reason, where: written });
}

/** @throws HooklineError file_unreadable */
export const textOfInput = (): string => reading("standard input", () => readFileSync(0, "utf8"));

function reading<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new HooklineError("file_unreadable", { reason: messageOf(error), where }, { cause: error });
  }
}

// Which Hookline this is: clients of the daemon ask on every event.

/** Set by the build, which it names by its sources. */
declare const BUILT_FROM: string;
/** Of a clone's own bundle, which is of one version with the sources that it was made from. */
declare const BUILT_IN_CLONE: boolean;

/** As its package says. */
export function version(): string {
  const bin = process.env.HOOKLINE_BIN ?? process.argv[1] ?? "";
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(dirname(bin)), "package.json"), "utf8"));
  return isRecord(manifest) ? String(manifest.version) : "of an unknown version";
}

/** With the build's own name: a client and a daemon of one version, but not of one build, may answer differently. No spaces. */
export const buildVersion = (): string => `${version().replaceAll(/\s/g, "-")}+${isOfClone ? "source" : BUILT_FROM}`;

const isOfClone = typeof BUILT_FROM === "undefined" || BUILT_IN_CLONE;
