/** What the outside implements for the engine, and the contracts that say who may throw. */
import type {
  Counter,
  Fields,
  HookEvent,
  HookId,
  Instant,
  Json,
  MaybePromise,
  Seconds,
  SessionId,
  Turn,
} from "./event.ts";
import type { Hook, HookSet } from "./hook.ts";
import type { Outcome, OutcomeField } from "./outcome.ts";
import type { Schema } from "./schema.ts";

/** What a test found, for {{match.…}} and for a debt to remember. */
export type Found = Fields;

/** All that a condition or a template may look at. */
export interface Scope {
  event: HookEvent;
  turn: Turn;
  /** What matchers see: the canonical and the native name; empty where the event has no match field. */
  names: readonly string[];
  /** Results of the earlier steps of this run. */
  results: readonly StepRecord[];
  /** What the hook's condition found. */
  match?: Found;
}

/** Pure; never throws. */
export type Test = (scope: Scope) => Found | boolean;

export interface ConditionKind<P = Json> {
  params: Schema<P>;
  /** May throw HooklineError: the hook is then invalid. */
  compile(params: P, patterns: Patterns): Test;
  /** What enrich has to add to the event first. */
  needs?: string;
  /** "match": the answer depends on the event's name and match value alone, so it is remembered. */
  reads?: "match";
  /** What it asks for in a person's words, for lists. */
  describe?(params: P): string;
  /** What is so about this event, in the words of a person: where the condition holds, and where it does not. */
  explain?(params: P, scope: Scope): { holds: string; fails: string };
}

/** Regular expressions, globs and shell analysis, from libraries chosen outside (R65). regex and glob throw at load. */
export interface Patterns {
  regex(source: string): (text: string) => boolean;
  glob(source: string): (path: string) => boolean;
  /** The simple commands of a shell line, or undefined if it cannot be analysed (R10). Never throws. */
  commands(line: string): readonly (readonly string[])[] | undefined;
}

export type Failure = "launch" | "exit" | "timeout" | "output" | "error";
export interface Evidence {
  exitCode?: number;
  stdout?: string;
  stderr?: string;
  containment?: string;
}
interface StepEnd {
  output: Fields;
  outcome?: Outcome;
  tokens?: number;
  /** What the reader of the run should know: noise on stdout, a field that was dropped. */
  notes?: string[];
  /** What the program really said, kept in the run. */
  evidence?: Evidence;
}
export type StepResult =
  | (StepEnd & {
      ok: true /** The program goes on by itself and its result is no longer waited for. */;
      detached?: DetachedWork;
    })
  | (StepEnd & { ok: false; failure: Failure; reason: string });

/** A step that goes on by itself after it said so. */
export interface DetachedWork {
  done: Promise<StepResult>;
  /** Lets this process end first; gives what a supervisor needs to look after the program. */
  release(): Released;
  /** Ends its process tree. */
  end(): void;
}
/** A program that was let go, for a supervisor: its id, its open outputs, and how long it may still take. */
export interface Released {
  pid: number;
  stdout: unknown;
  stderr: unknown;
  limit: Seconds;
}

/** A step as the run keeps it. */
export interface StepRecord {
  uses: string;
  ok: boolean;
  output: Fields;
  ms: number;
  failure?: Failure;
  reason?: string;
  evidence?: Evidence;
}

export interface StepContext {
  event: HookEvent;
  hook: Hook;
  scope: Scope;
  run: string;
  timeout: Seconds;
  caller: Caller;
  ports: Ports;
  /** Aborts at the step's limit or when the caller gives up. A getter: most steps never need one. */
  readonly signal: AbortSignal;
}

/** A step's function, ready to be called. Both may throw. */
export interface Bound {
  call(event: HookEvent, context: StepContext): unknown;
  /** What an answer of `call` means; not asked about undefined, which is: done, and nothing to say. */
  read(answer: unknown, context: StepContext): MaybePromise<StepResult>;
}

/** May throw; run.ts turns that into a failed step. */
export interface Handler<P = Fields> {
  params: Schema<P>;
  run(params: P, context: StepContext): MaybePromise<StepResult>;
  /** `run` for parameters without placeholders: what depends on them alone is found once, when the hook is planned. */
  bind?(params: P): Bound;
  /** Fills placeholders in its own way (a command puts values into variables, R18). */
  render?(params: Fields, scope: Scope): Fields;
  needs?: readonly (keyof Ports)[];
}

export interface Registry {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly conditions: ReadonlyMap<string, ConditionKind>;
}

export type RunStatus =
  | "queued"
  | "running"
  | "completed"
  | "skipped"
  | "failed"
  | "timeout"
  | "cancelled"
  | "interrupted";

/** One hook that matched one event: it ran, or it did not and the reason says why (R37). */
export interface Run {
  id: string;
  hook: HookId;
  hookName: string;
  eventId: string;
  eventName: string;
  session?: SessionId;
  status: RunStatus;
  reason?: string;
  /** What set it off: "event:PreToolUse", "manual". */
  cause: string;
  startedAt: Instant;
  ms?: number;
  /** What the hook answered, before the event's row took what it accepts. */
  outcome?: Outcome;
  steps: StepRecord[];
  notes: string[];
  /** Times that the hook was asked about this event (R6). */
  asked: number;
  /** The process that runs it, so that a crash can be told from work in progress. */
  owner?: string;
}

export interface StoredEvent {
  event: HookEvent;
  set: string;
  outcome?: Outcome;
  /** The payload was larger than the record setting and was cut (R55). */
  cut?: true;
  redacted?: true;
  /** The event that told of the same happening first, and whose answer this one was given or decided beside (R49). */
  repeats?: string;
}

/** Cooldown, max fires and once are all this (R21). */
export interface Claim {
  key: string;
  max?: number;
  gap?: Seconds;
  /** The reason to record when it refuses. */
  refusal: string;
}

export interface RunFilter {
  hook?: string;
  session?: string;
  event?: string;
  status?: RunStatus;
  eventId?: string;
  limit?: number;
}

/** Safe across processes; each method is one transaction. Methods may throw HooklineError (store_unusable, store_locked). */
export interface Store {
  /**
   * Writes the event and moves its session's turn on. `given` is the first verdict and stop of a delivery that was
   * told before by another registration and has been answered (R49).
   */
  record(
    event: HookEvent,
    set: HookSet,
    advance: (event: HookEvent, before: Turn) => Turn,
  ): MaybePromise<{ turn: Turn; given?: Outcome }>;
  answered(eventId: string, outcome: Outcome): MaybePromise<void>;
  /** All or none; answers with the first that refuses. */
  claim(claims: readonly Claim[], now: Instant): MaybePromise<Claim | undefined>;
  /** The first claim that would refuse now; changes nothing. */
  peek(claims: readonly Claim[], now: Instant): MaybePromise<Claim | undefined>;
  /** Takes one from the session's counter; false if it is used up. */
  spend(session: SessionId, counter: Counter, max: number): MaybePromise<boolean>;
  /** Adds debts and answers with all that the session owes. */
  owe(session: SessionId, debts: ReadonlyMap<HookId, Found>): MaybePromise<ReadonlyMap<HookId, Found>>;
  paid(session: SessionId, hook: HookId): MaybePromise<void>;
  /** The inbox: what goes with the session's next event that takes it. First in, first out. */
  post(session: SessionId, outcome: Outcome, counter?: Counter): MaybePromise<void>;
  collect(session: SessionId): MaybePromise<{ outcome: Outcome; counter?: Counter }[]>;
  saveRun(run: Run): MaybePromise<void>;
  run(id: string): MaybePromise<Run | undefined>;
  /** Newest first. */
  runs(filter: RunFilter): MaybePromise<Run[]>;
  event(id: string): MaybePromise<StoredEvent | undefined>;
  /** Newest first. */
  events(limit: number): MaybePromise<StoredEvent[]>;
  hookSet(id: string): MaybePromise<HookSet | undefined>;
  /** When each hook last started. */
  lastFired(): MaybePromise<ReadonlyMap<HookId, Instant>>;
  /** Closes runs whose process is gone as interrupted; answers how many (R26). */
  repair(isAlive: (owner: string) => boolean, now: Instant): MaybePromise<number>;
  /** Forgets events and runs before this moment; answers how many events. */
  purge(before: Instant): MaybePromise<number>;
  /** Does the work as one transaction; the work must not wait. A store without transactions leaves it out. */
  batch?<T>(work: () => T): T;
  close(): void;
}

/** A run that nobody waits for. */
export interface Item {
  run: Run;
  hook: Hook;
  event: HookEvent;
}
export interface QueueOwner {
  /** Runs an item from start to end. Never rejects. */
  perform(item: Item, caller: Caller): Promise<void>;
  /** Records why an item that was accepted will not run. Never rejects. */
  drop(item: Item, reason: string): Promise<void>;
}
/** Owns the runs that nobody waits for. `add` may throw: the run is then failed. */
export interface Queue {
  add(item: Item, caller: Caller): MaybePromise<{ is: "queued" } | { is: "skipped"; reason: string }>;
  /** Called once, by the engine that the queue belongs to. */
  start(owner: QueueOwner): void;
  cancel(run: string): MaybePromise<void>;
  /** Who looks after a run that was just handed over; absent: this process. */
  owner?(): string;
  /** Takes over a program that detached itself; absent: it stays with this process. */
  adopt?(item: Item, work: DetachedWork, caller: Caller): MaybePromise<void>;
  /** Waits for what is running. Safe to call twice. */
  close(): Promise<void>;
}

export interface Command {
  program: string;
  args: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  input: string;
}
export interface Ended {
  /** exit: by itself. aborted: by the signal. output: over the limit. launch: never started. detached: goes on alone. */
  how: "exit" | "aborted" | "output" | "launch" | "detached";
  code?: number;
  /** The signal that ended it. */
  signal?: string;
  stdout: string;
  stderr: string;
  /** Why, where `how` alone does not tell. */
  reason?: string;
  /** Bytes of output that were not kept. */
  dropped: number;
  containment: string;
  /** Processes of its tree that were seen alive and could not be ended. */
  survivors: number;
  /** Processes that it had left in the background and that were ended after its own exit. */
  leftovers?: number;
  /** The rest of a detached program. */
  rest?: Detached;
}
export interface Detached {
  pid: number;
  /** Resolves when the program has ended, as long as this process lives. */
  done: Promise<Ended>;
  /** Ends its tree; `done` then says "aborted". The signal that it was started with no longer does. */
  end(): void;
  /**
   * Lets go of it, so that this process may end first; gives what a supervisor needs. The streams are handed over
   * as `stdio` of the supervisor in the same tick, else what is read meanwhile is lost.
   */
  release(): { pid: number; stdout: unknown; stderr: unknown };
}
export interface SpawnOptions {
  signal: AbortSignal;
  /** Asked with the first line of stdout; before its line break too, where it may be one that never gets any. */
  detaches?: (line: string) => boolean;
  /** What becomes of processes that it leaves in its group when it ends by itself; ended, unless said (SAFETY F3). */
  leftovers?: "end" | "keep";
}
/** Runs a program and settles when it and its drain are over (R54). Never rejects: a failure is an Ended. */
export type Spawn = (command: Command, options: SpawnOptions) => Promise<Ended>;

/** One HTTP request; rejects on network failure. The body is cut at the limit: `cut` says so. */
export type Fetch = (
  request: { url: string; method: string; headers: Record<string, string>; body: string; limitInBytes: number },
  signal: AbortSignal,
) => Promise<{ status: number; body: string; cut: boolean }>;

export type Observation =
  | { is: "event"; event: HookEvent }
  | { is: "status"; hook: Hook; status: string }
  | { is: "run"; run: Run }
  | { is: "outcome"; event: HookEvent; outcome: Outcome };

export interface Ports {
  now(): Instant;
  id(): string;
  /** Calls back once after so many milliseconds, and keeps the process alive meanwhile; returns its undo. */
  after(milliseconds: number, callback: () => void): () => void;
  store: Store;
  queue: Queue;
  /** Read once per event; a hot reload answers another set. */
  hooks(event: HookEvent): HookSet;
  registry: Registry;
  patterns: Patterns;
  /** Which process this is, for runs in progress. */
  owner?: string;
  /** Why the hook may not run, if it is not trusted. Absent: not checked (R47). */
  distrust?(hook: Hook): string | undefined;
  /** Why somebody else runs this hook for this event, if so (R35). */
  elsewhere?(hook: Hook, event: HookEvent): string | undefined;
  /** Adds what conditions need: changed files, transcript figures. May throw. */
  enrich?(event: HookEvent, needs: ReadonlySet<string>): MaybePromise<HookEvent>;
  /** Sees everything; must not throw, and is never waited for. */
  observe?(observation: Observation): void;
  spawn?: Spawn;
  fetch?: Fetch;
}

/** Who emits: lives only as long as the event and is never stored (R44). */
export interface Caller {
  signal?: AbortSignal;
  deadline?: Instant;
  environment?: Readonly<Record<string, string>>;
}

/** What a hook program reads and answers. */
export interface Protocol {
  write(event: HookEvent, as: string): string;
  read(ended: Ended, event: HookEvent, hook: HookId): StepResult;
  /** The first line of stdout says that the program goes on by itself. */
  detaches?(line: string): boolean;
}

export type AcceptedFields = readonly OutcomeField[];
