/** Programs that are started once and asked line by line: what goes to them, what comes back, and who looks after them. */
import type { Fields, HookId, Seconds } from "./event.ts";
import type { HookSet } from "./hook.ts";
import type { Command } from "./program.ts";
import type { Failure } from "./record.ts";
import { isRecord } from "./schema.ts";
import { quote } from "./words.ts";

/** When a persistent program is ended and started anew, and how much is asked of it at once. */
export interface PersistentProgramLimits {
  /** Megabytes that it and what it has started may hold in memory. */
  memory: number;
  age: Seconds;
  /** After so long without an event it is ended; the next event starts it again. */
  idle: Seconds;
  /** Events that it is given before it has answered the first of them. */
  concurrency: number;
  /** Events that one process answers at most. */
  events: number;
}

export const usualLimits: PersistentProgramLimits = {
  memory: 512,
  age: 24 * 3600,
  idle: 900,
  concurrency: 1,
  events: Number.POSITIVE_INFINITY,
};

export interface Question {
  /** Equal for all questions that one process answers. */
  key: string;
  /** What its hook says of it: once no hook of the folder says so any more, the program is ended. */
  content: string;
  /** What a person calls the program. */
  called: string;
  limits: PersistentProgramLimits;
  /** Asked for when a process has to be started; a text says why none can be. */
  command(): Omit<Command, "input"> | string;
  /** As the hook's protocol writes it: JSON in one line. */
  event: string;
  /** What holds for this event; what the process was started with is not said again. */
  environment: Readonly<Record<string, string>>;
  /** Where the event happened. */
  folder: string;
  hook: HookId;
  timeout: Seconds;
  signal: AbortSignal;
}

export type Reply = { notes: string[] } & (
  | { is: "answer"; fields: Fields; line: string; stderr?: string }
  | { is: "failure"; failure: Failure; reason: string; stderr?: string }
);

/** What is known of a persistent program, for people. */
export interface PersistentProgramFacts {
  command: string;
  folder: string;
  /** Absent: it does not run now. */
  pid?: number;
  /** Events that it was given, by all its processes. */
  events: number;
  restarts: number;
  underWay: number;
  waiting: number;
  memoryInBytes?: number;
  /** Why it was ended the last time. */
  ended?: string;
}

export interface PersistentPrograms {
  /** Never rejects: a failure is a Reply. */
  ask(question: Question): Promise<Reply>;
  /** The hooks that are active in a folder now: programs of those that went are ended, once they have answered. */
  follow(folder: string, set: HookSet): void;
  /** Those for which programs are kept. */
  folders(): string[];
  facts(): PersistentProgramFacts[];
  /** Ends all of them. Safe to call twice. */
  close(): Promise<void>;
}

/** Longer lines are no answers. */
export const longestLineInBytes: number = 1 << 20;

/** What a program reads: one line. */
export function questionLine(id: string, { event }: Pick<Question, "event">, environment: string | undefined): string {
  return environment === undefined
    ? `{"id":"${id}","event":${event}}\n`
    : `{"id":"${id}","event":${event},"environment":${environment}}\n`;
}

/** The sender's variables that a process was not started with, as JSON; undefined: there are none. */
export function unsaid(
  environment: Readonly<Record<string, string>>,
  started: Readonly<Record<string, string>>,
): string | undefined {
  const differs: Record<string, string> = {};
  let isEmpty = true;
  for (const name in environment) {
    const value = environment[name];
    if (value === undefined || started[name] === value) continue;
    differs[name] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : JSON.stringify(differs);
}

/** An answer with its id, or a sentence why the line is none. Never throws. */
export function readAnswerLine(line: string): { id: string; fields: Fields } | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `it wrote what is no JSON: ${quote(line)}`;
  }
  if (!isRecord(value)) return `it wrote JSON that is no object: ${quote(line)}`;
  const { id } = value;
  if (typeof id !== "string" && typeof id !== "number") return `it wrote an answer without an id: ${quote(line)}`;
  return { id: String(id), fields: value as Fields }; // JSON.parse gives JSON
}

/** What a hook says of its program, as one text: equal for equal parameters. */
export const contentOf = (params: object): string => JSON.stringify(params);
