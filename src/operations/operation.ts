/** What an operation is: something a person, a hook or a model can ask of the engine, defined once. */
import type { Engine } from "../engine/engine.ts";
import type { HookEvent, Instant, Json, MaybePromise } from "../engine/event.ts";
import type { HookSet } from "../engine/hook.ts";
import type { Run, Store } from "../engine/record.ts";
import type { Schema } from "../engine/schema.ts";
import type { ProjectService } from "../services/projects/index.ts";
import type { AutomationService } from "./automations/stored.ts";

/** What operations work on. */
export interface OperationContext {
  engine: Pick<Engine, "emit" | "committed" | "explain">;
  store: Store;
  /** The active hooks where the event happened; without one, where this process works. */
  hooks(event?: HookEvent): MaybePromise<HookSet>;
  now?(): Instant;
  id?(): string;
  /** What commands of emitted events inherit. */
  environment?: Readonly<Record<string, string>>;
  /** Projects with their tasks, notes and memory; absent, and undefined: nothing keeps any. */
  board?(): Promise<ProjectService | undefined>;
  /** Automations; absent, and undefined: nothing keeps any. */
  automations?(): Promise<AutomationService | undefined>;
  /** The folder of the project that the event happened in; without one, that this process works in. Absent: it is not known. */
  projectOf?(event?: HookEvent): string | undefined;
  /** Where the caller works, if it is no hook; absent: in this process's folder. */
  cwd?: string;
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

/** Rows of a table; the command line fits them into the terminal. */
export interface ShownTable {
  titles: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Operation<P> {
  summary: string;
  /** JSON Schema and check of the input. */
  params: Schema<P>;
  readOnly: boolean;
  /** The parameters that a command takes as words, in this order; the others are flags. */
  words?: readonly string[];
  /** As a person types it. */
  example?: string;
  /** For a person who reads a terminal, line by line; absent: as a table, or as its fields. */
  show?(result: Json): (string | ShownTable)[];
  /** What `show` gives is a text of its own, such as a file's: whatever is no terminal gets it as it is. */
  showsText?: true;
  /**
   * What of it could not be done although the rest was, line by line: a command says so, and fails.
   *
   * @param runs what it set off, as far as that has ended
   */
  lacks?(result: Json, runs: readonly Run[]): string[];
  /** It gave something that only a daemon sets off: a command says so where none is up. */
  needsDaemon?(result: Json): boolean;
  /** May throw; an Error's message is the reason that the caller gets. */
  run(params: P, asked: Asked): MaybePromise<Json>;
}

/** A record as the JSON that it is. Interfaces have no index signature, which is all that the types object to. */
export const plain = (value: object): Json => JSON.parse(JSON.stringify(value));

/** How an operation on automations says no: what it is, where, and what to do about it, in one sentence. */
export const refusal = (what: string, where: string, advice: string): Error =>
  new Error(`${what} — ${where} — ${advice}`);
