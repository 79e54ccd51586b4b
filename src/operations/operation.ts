/** What an operation is: a command, a route and a tool in one row. Each way to ask it gets the same answer. */
import type { MeantLine } from "../agents/skill-lines.ts";
import type { Engine } from "../engine/engine.ts";
import type { Fields, HookEvent, Instant, Json, MaybePromise } from "../engine/event.ts";
import type { HookSet } from "../engine/hook.ts";
import type { Ports } from "../engine/ports.ts";
import type { Run, Store } from "../engine/record.ts";
import type { Schema } from "../engine/schema.ts";
import type { LoadedHooks } from "../loading/load.ts";
import type { ProjectService } from "../services/projects/index.ts";
import type { AutomationService } from "./automations/stored.ts";
import type { Machine, MachineQuestion } from "./machine.ts";
import type { RecordStore } from "./record.ts";
import type { Reader, Shown } from "./shown.ts";

/** The hooks of a folder, with what was found on the way to them. A host that loads no files has the hooks alone. */
export interface ActiveHooks extends Partial<Omit<LoadedHooks, "set">> {
  set: HookSet;
}

/** How long hooks and whole decisions took, from this machine's store. */
export interface Timings {
  hooks(ids: readonly string[], since: Instant): ReadonlyMap<string, HookTiming>;
  events(since: Instant): readonly EventTiming[];
}
export interface EventTiming {
  event: string;
  count: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
}
export interface HookTiming extends Omit<EventTiming, "event"> {
  perSession?: number;
}

/** What operations work on: the same for a command, a route and a tool. A host opens a part when an operation first asks for it. */
export interface OperationContext {
  engine: Pick<Engine, "emit" | "committed" | "explain">;
  /** This machine's store. */
  store: Store;
  /** The record that people ask: this machine's, or that of all machines that share a Postgres. Absent: the store. */
  record?(): MaybePromise<RecordStore>;
  /** What is active in a folder. */
  active(folder: string): MaybePromise<ActiveHooks>;
  /** The folder that the question comes from; of a hook's call, where no event says another. Its project is the one that is meant (R75). */
  cwd: string;
  home: string;
  now?(): Instant;
  id?(): string;
  /** What commands of emitted events inherit. */
  environment?: Readonly<Record<string, string>>;
  /** Projects with their tasks, notes and memory; absent, and undefined: nothing keeps any. */
  board?(): Promise<ProjectService | undefined>;
  /** Automations; absent, and undefined: nothing keeps any. */
  automations?(): Promise<AutomationService | undefined>;
  /** Lines of a shell that an agent would run by itself with such an event, out of files that it names. */
  linesOf?(event: HookEvent): Promise<readonly MeantLine[]>;
  /** What the daemon of this machine says of itself; undefined: none runs. */
  daemon?(): MaybePromise<Fields | undefined>;
  /** Facts about the machine; absent: `status` leaves them out. */
  machine?(question: MachineQuestion): MaybePromise<Machine>;
  timings?(): MaybePromise<Timings>;
  /** When what is paused now was paused: a hook by its id, a project by its folder. */
  pausedSince?(what: string): MaybePromise<Instant | undefined>;
  /** What was set off here, once it has ended (R48). Absent: it goes on behind the answer, and the store knows it. */
  setOff?(): Promise<{ runs: readonly Run[]; logs: readonly Logged[] }>;
  /** What conditions are compiled with where an event happened. */
  judging?(event: HookEvent): MaybePromise<Pick<Ports, "registry" | "patterns">>;
}

/** What a hook wrote to the log. */
export interface Logged {
  level: string;
  message: string;
  hook: string;
}

/** Who asks. */
export interface Asked extends OperationContext {
  now(): Instant;
  id(): string;
  signal: AbortSignal;
  /** The event whose hook asks; absent: it is no hook. */
  event: HookEvent | undefined;
  /** The same at each attempt of a call that is repeated after a crash: what was made for it is not made again. */
  key?: string;
  /** Called with what was written although its event could not be sent. The answer says so. */
  untold?(reason: string): void;
}

/**
 * @template P what it is asked
 * @template R what it finds: rows with their types, which pages import
 */
export interface Operation<P, R = Json> {
  /** A phrase, or a sentence: help prints it, and models read it. */
  summary: string;
  /** JSON Schema and check of the input, with words for each parameter. */
  params: Schema<P>;
  readOnly: boolean;
  /** It loosens a guard or trusts (R92): it is a command, no tool, and no route but the dashboard's. */
  for?: "person";
  /** Where the command is called otherwise than the operation: `list`, `runs show`. */
  command?: string;
  /** The parameters that a command takes as words, in this order; the others are flags. */
  words?: readonly string[];
  /** As a person types it. */
  example?: string;
  /** What is broken among the hooks here is said beside the answer. */
  reportsHooks?: true;
  /** A person at a terminal is asked first to trust what waits for it here. */
  asksTrust?: true;
  /** Where a command works, where that is another folder than the caller's. */
  folder?(params: P, asked: Asked): MaybePromise<string>;
  /** May throw; an Error's message is the reason that the caller gets. */
  run(params: P, asked: Asked): MaybePromise<R>;
  /** The JSON that programs, routes and models get; absent: what `run` has found. */
  rows?(found: R): object;
  /** For a person who reads a terminal: data, which the command line paints. Absent: a table, or the fields of one thing. */
  show?(found: R, reader: Reader<P>): MaybePromise<readonly Shown[]>;
  /** What the caller should know beside the answer: a command says it on standard error, a route in a header, a tool behind the rows. */
  notes?(found: R): readonly string[];
  /** What `show` gives is a text of its own, such as a file's: whatever is no terminal gets it as it is. */
  showsText?: true;
  /**
   * What of it could not be done although the rest was, line by line: a command says so, and fails.
   *
   * @param runs what it set off, as far as that has ended
   */
  lacks?(found: R, runs: readonly Run[]): string[];
  /** The answer is no: a command exits 1. */
  isNo?(found: R): boolean;
  /** It gave something that only a daemon sets off: a command says so where none is up. */
  needsDaemon?(found: R): boolean;
}

/** A record as the JSON that it is. Interfaces have no index signature, which is all that the types object to. */
export const plain = (value: object): Json => JSON.parse(JSON.stringify(value));

/** Where the caller works: in the folder of the event whose hook asks, else in the caller's own. */
export const folderOf = ({ event, cwd }: Pick<Asked, "event" | "cwd">): string => event?.cwd ?? cwd;

/** How an operation on automations says no: what it is, where, and what to do about it, in one sentence. */
export const refusal = (what: string, where: string, advice: string): Error =>
  new Error(`${what} — ${where} — ${advice}`);
