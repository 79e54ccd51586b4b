/** What the outside implements for the engine, and the contracts that say who may throw. */
import type { Fields, HookEvent, HookId, Instant, Json, MaybePromise, Seconds, Turn } from "./event.ts";
import type { Hook, HookSet, Origin, Role } from "./hook.ts";
import type { Outcome } from "./outcome.ts";
import type { Ended, Spawn } from "./program.ts";
import type { Diagnosis, GitQuestion, GitReply, LanguageServers, Model, Notice, Projects, Tools } from "./reach.ts";
import type { Evidence, Failure, Found, Run, RunStatus, StepRecord, Store } from "./record.ts";
import type { Mismatch, Schema } from "./schema.ts";

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
  /** Where a test says that it could not be made, such as an expression that compares a text with a number. */
  faults?: string[];
}

/** Pure; never throws. */
export type Test = (scope: Scope) => Found | boolean;

export interface ConditionKind<P = Json> {
  params: Schema<P>;
  /** One sentence, for the documentation and the schema. */
  summary?: string;
  /** What the hook keeps of its parameters: costly reading is done once, when the file is read. Throws as compile. */
  prepare?(params: P, patterns: Patterns): P;
  /** May throw HooklineError: the hook is then invalid. */
  compile(params: P, patterns: Patterns): Test;
  /** What enrich has to add to the event first. */
  needs?: string;
  /** The same, where it depends on the parameters. Never throws. */
  needsOf?(params: P): readonly string[];
  /** "match": the answer depends on the event's name and match value alone, so it is remembered. */
  reads?: "match";
  /** What it asks for in a person's words, for lists. */
  describe?(params: P): string;
  /** What is so about this event, in the words of a person: where the condition holds, and where it does not. */
  explain?(params: P, scope: Scope, patterns: Patterns): { holds: string; fails: string };
}

/** Regular expressions, globs and shell analysis, from libraries chosen outside (R65). regex and glob throw at load. */
export interface Patterns {
  regex(source: string): (text: string) => boolean;
  glob(source: string): (path: string) => boolean;
  /** The simple commands of a shell line, or undefined if it cannot be analysed (R10). Never throws. */
  commands(line: string): readonly (readonly string[])[] | undefined;
  /** The tree of a Python-like expression, as JSON (R64). Throws HooklineError pattern_invalid with the column. */
  expression(source: string): Json;
}

interface StepEnd {
  output: Fields;
  outcome?: Outcome;
  tokens?: number;
  /** What the reader of the run should know: noise on stdout, a field that was dropped. */
  notes?: string[];
  /** What the program really said, kept in the run. */
  evidence?: Evidence;
  /** Lines for the log: whoever runs the program passes them to `observe`. */
  logs?: readonly LogLine[];
}
export interface LogLine {
  level: string;
  message: string;
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
  /** Stands in the environment of its whole tree. */
  cookie: string;
  stdout: unknown;
  stderr: unknown;
  limit: Seconds;
}

export interface StepContext {
  event: HookEvent;
  hook: Hook;
  scope: Scope;
  run: string;
  timeout: Seconds;
  caller: Caller;
  ports: Ports;
  /** What it has done so far, for those who look at the run meanwhile. Absent: nobody can. */
  progress?(output: Fields, tokens?: number): void;
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
  /**
   * What is wrong with parameters of the right shape, placeholders not yet filled; found when the file is read.
   *
   * @param patterns what its own patterns are tried with; without them they are not
   * @param origin where the hook was written; without it places are not looked at
   */
  inspect?(params: Fields, patterns?: Patterns, origin?: Pick<Origin, "root">): Mismatch[];
  /** How rules use it (specification 003); absent: it is no action. */
  action?: ActionUse;
  /** How registry files use it (specification 001); absent: it is no built-in handler there. */
  builtin?: BuiltinUse;
  /** How automations use it (specification 000); absent: it is no context step. */
  contextStep?: ContextStepUse;
}

/** What an automation's author has to know of a context step. */
export interface ContextStepUse {
  /** As it stands behind `type:`. */
  type: string;
  /** One sentence, for the documentation and the schema. */
  summary: string;
  /** Seconds that it may take, where its author says nothing; `timeout` of its parameters counts before. */
  limit: Seconds;
  /** The fields of its result, and what each holds; `error` and `_step_index` are those of every step. */
  gives?: Readonly<Record<string, string>>;
}

/** What a registry file's reader and the engine have to know of a built-in handler. */
export interface BuiltinUse {
  /** One sentence, for the documentation. */
  summary: string;
  /** What a hook with this handler is for the engine (R52). Of parameters that are not valid: what they most likely mean. */
  role(params: Fields): Role;
  /** Seconds that its step needs, where the file says none. */
  limit?(params: Fields): Seconds;
  /** What enrich has to add to the event first, such as "changes". Never throws. */
  needsOf?(params: Fields): readonly string[];
  /** The events that it is for, as authors write them; absent: any. */
  events?: readonly string[];
}

/** What a rule's author and the engine have to know of an action. */
export interface ActionUse {
  /** One sentence, for the documentation and the schema. */
  summary: string;
  /** What a hook with this action is for the engine (R52). */
  role(params: Fields): Role;
  /** Nobody waits for it. */
  background?: true;
  /** What its step has to be given at least, where it has a limit of its own. */
  limit?(params: Fields): Seconds;
  /** The events on which it has an effect, as authors write them; absent: on all. */
  events?: readonly string[];
}

export interface Registry {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly conditions: ReadonlyMap<string, ConditionKind>;
}

/** A run that nobody waits for. It is JSON, and all that a worker needs: editing a file cannot change a run in flight. */
export interface Item {
  run: Run;
  hook: Hook;
  event: HookEvent;
}

/**
 * What a durable run is performed against. A run whose worker dies is begun again from the top by another; steps that
 * have ended answer from the journal. So each step happens at least once, and nothing outside a step may depend on
 * clock, chance, network or store.
 */
export interface Steps {
  /**
   * The result that this step gave before, else that of `work`, which is kept before it is given. Rejects where `work`
   * does, and once the run is no longer this worker's.
   *
   * @param name fixed by position and handler, such as "2:git_diff"; of a part of it "2:git_diff/turn 1"
   * @param work its result is JSON; `key` is the same at each attempt, for whoever must not do a thing twice
   */
  step<T>(name: string, work: (key: string) => MaybePromise<T>): Promise<T>;
  /** As `step`, for work that writes to the store and does not wait: both are one transaction. Absent: `step` will do. */
  write?<T>(name: string, work: () => T): T;
  /** Writes the run as it stands. One that has ended leaves the queue. Throws once the run is no longer this worker's. */
  save(run: Run): MaybePromise<void>;
  /** The worker stops, or another one has the run: whatever comes of it here counts no more. */
  isLost(): boolean;
  /** Carried by all programs that are started for the run, so that who takes it up after a crash can end them first. */
  readonly mark?: string;
}

export interface QueueOwner {
  /** Runs an item from start to end. Never rejects. */
  perform(item: Item, caller: Caller): Promise<void>;
  /** Records why an item that was accepted will not run. Never rejects. */
  drop(item: Item, reason: string): Promise<void>;
  /**
   * Hears how a run stands that was not performed to its end here; its row is written.
   *
   * @param hook given by the one who ended it, so that its end is told of once
   */
  told?(run: Run, hook?: Hook): void;
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
  /** Waits for what is running, and for what that adds. Safe to call twice. */
  close(): Promise<void>;
}

/** One HTTP request; rejects on network failure. The body is cut at the limit: `cut` says so. */
export type Fetch = (
  request: { url: string; method: string; headers: Record<string, string>; body: string; limitInBytes: number },
  signal: AbortSignal,
) => Promise<{ status: number; body: string; cut: boolean }>;

export type Observation =
  | { is: "event"; event: HookEvent }
  | { is: "status"; hook: Hook; status: string }
  /** `hook`: as it was when the run was queued; absent: the run was waited for, or others have told of it. `resumed`: it was begun before. */
  | { is: "run"; run: Run; hook?: Hook; resumed?: true }
  | { is: "log"; level: string; message: string; hook: HookId; run: string }
  | { is: "notice"; notice: Notice; hook: HookId; run: string }
  | { is: "diagnosis"; diagnosis: Diagnosis; hook: HookId }
  | { is: "outcome"; event: HookEvent; outcome: Outcome };

/** What an event of a session is compared with at a later one, such as the files of its workspace. Never throws or rejects. */
export interface Tracking {
  /** Called with every event of a session, before its hooks are asked. */
  begin(event: HookEvent, set: HookSet): MaybePromise<void>;
  /**
   * Called when the event has its outcome.
   *
   * @param asked how the hooks ended that were asked; absent: it was not for all hooks, so nothing counts as seen
   */
  end(event: HookEvent, asked?: readonly RunStatus[]): MaybePromise<void>;
}

export interface Ports {
  now(): Instant;
  /** Milliseconds on a clock that nobody sets: durations and limits go by it, not by `now`. Absent: they go by `now`. */
  elapsed?(): number;
  id(): string;
  /** Calls back once after so many milliseconds, and keeps the process alive meanwhile; returns its undo. */
  after(milliseconds: number, callback: () => void): () => void;
  store: Store;
  queue: Queue;
  /** Read once per event; a hot reload answers another set. */
  hooks(event: HookEvent): MaybePromise<HookSet>;
  registry: Registry;
  /** The registry of the event's project, where that has registered conditions or actions of its own; asked after `hooks`. */
  registryAt?(event: HookEvent): Registry;
  patterns: Patterns;
  /** How a durable hook stands when a run of it that waited is to begin; undefined: it is not in force any more. Absent: as it was queued. */
  current?(hook: Hook, event: HookEvent): MaybePromise<Hook | undefined>;
  /** Which process this is, for runs in progress. */
  owner?: string;
  /** Why the hook may not run, if it is not trusted. Absent: not checked (R47). */
  distrust?(hook: Hook): string | undefined;
  /** Why somebody else runs this hook for this event, if so (R35). */
  elsewhere?(hook: Hook, event: HookEvent): string | undefined;
  /** Adds what conditions need: changed files, transcript figures. May throw. */
  enrich?(event: HookEvent, needs: ReadonlySet<string>): MaybePromise<HookEvent>;
  tracking?: Tracking;
  /** Keeps the whole output of a script where people and other tools find it; gives the file. Throws what the file system says. */
  keepOutput?(hook: Hook, event: HookEvent, output: string): string;
  /** Takes secrets out of a text that is written where others read it. Never throws or rejects. */
  redact?(text: string): MaybePromise<string>;
  /** Sees everything; must not throw, and is never waited for. */
  observe?(observation: Observation): void;
  spawn?: Spawn;
  fetch?: Fetch;
  /**
   * What the settings name that hold for this hook; each is made when it is first asked for. A user's hook gets what the
   * user named, whatever project the event comes from.
   */
  tools?(event: HookEvent, hook: Hook): Promise<Tools>;
  model?(event: HookEvent, hook: Hook): Promise<Model>;
  languageServers?(event: HookEvent, hook: Hook): Promise<LanguageServers>;
  /** Projects, tasks, notes and memory. */
  projects?(): Promise<Projects>;
  /** Asks git about the repository that a folder lies in; nothing of the repository's own is run (SAFETY T5). Never rejects. */
  git?(question: GitQuestion, signal: AbortSignal): Promise<GitReply>;
}

/** Who emits: lives only as long as the event and is never stored (R44). */
export interface Caller {
  signal?: AbortSignal;
  deadline?: Instant;
  environment?: Readonly<Record<string, string>>;
  /**
   * Told what kept the event, or what it set off, from being written down: the outcome is only what the failure policies
   * say, and whoever has to be sure of the event sends it again. Must not throw.
   */
  unrecorded?(because: unknown): void;
  /** The journal of a durable run. */
  steps?: Steps;
}

/** What a hook program reads and answers. */
export interface Protocol {
  write(event: HookEvent, as: string, hook: Hook): string;
  read(ended: Ended, event: HookEvent, hook: HookId): StepResult;
  /** The first line of stdout says that the program goes on by itself. */
  detaches?(line: string): boolean;
}
