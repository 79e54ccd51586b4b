/** What hooks run: a handler, what it is given, what it gives, and what each file format has to know of it. */
import type { Spelling } from "./command-pattern.ts";
import type { CallEffects, CallToRead, PlaceName, ShellPlace, ShellReading, Written } from "./effects.ts";
import type { Fields, HookEvent, Json, MaybePromise, Seconds, Turn } from "./event.ts";
import type { Hook, Origin, Role } from "./hook.ts";
import type { OwnPlaces } from "./loosening.ts";
import type { Outcome } from "./outcome.ts";
import type { Caller, Ports } from "./ports.ts";
import type { Evidence, Failure, Found, StepRecord } from "./record.ts";
import type { Mismatch, Schema } from "./schema.ts";

interface StepEnd {
  output: Fields;
  outcome?: Outcome;
  tokens?: number;
  /** What the reader of the run should know: noise on stdout, a field that was dropped. */
  notes?: string[];
  /** What the program really said, kept in the run. */
  evidence?: Evidence;
  /** Lines for the log, passed to `observe`. */
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
      /** It was ended at its limit, which is no failure for the steps behind it: the run says so when it ends. */
      late?: string;
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
  tag: string;
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
  /** What it has done so far, for those who look at the run meanwhile. Absent: its progress cannot be seen. */
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
  render?(params: Fields, scope: Scope): MaybePromise<Fields>;
  needs?: readonly (keyof Ports)[];
  /**
   * What is wrong with parameters of the right shape, placeholders not yet filled; found when the file is read.
   *
   * @param patterns what its own patterns are tried with; without them they are not
   * @param origin where the hook was written; without it places are not looked at
   */
  inspect?(params: Fields, patterns?: Patterns, origin?: Pick<Origin, "root">): Mismatch[];
  /** What it says comes from a server, whoever wrote the hook (R90). */
  isServer?: true;
  /** Its texts are worded by its specification, and say themselves whose they are (R97). */
  namesItself?: true;
  /** A refusal of it is a rule's own, not a program's: a person may lift it for one call. */
  isLiftable?: true;
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
  /** It runs in the background. */
  background?: true;
  /** What its step has to be given at least, where it has a limit of its own. */
  limit?(params: Fields): Seconds;
  /** The events on which it has an effect, as authors write them; absent: on all. */
  events?: readonly string[];
}

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

export interface StrangeName {
  reason: string;
  advice: string;
  /** Counts from 1, in the text of the parameter. */
  column: number;
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
  /** Where the answer comes from another process: fetched and waited for before `test` is called with this scope. Never rejects. */
  ask?(params: P, scope: Scope): Promise<void>;
  /** What enrich has to add to the event first. */
  needs?: string;
  /** The same, where it depends on the parameters. Never throws. */
  needsOf?(params: P): readonly string[];
  /** A name in them that is unknown, reported when a file is read: at run time it is only missing. */
  strangeName?(params: P): StrangeName | undefined;
  /** "match": the answer depends on the event's name and match value alone, so it is remembered. */
  reads?: "match";
  /** It holds on events about a tool call alone: `check` says so where a rule listens to none. */
  ofCalls?: true;
  /** What it asks for in a person's words, for lists. */
  describe?(params: P): string;
  /** What is so about this event, in the words of a person: where the condition holds, and where it does not. */
  explain?(params: P, scope: Scope, patterns: Patterns): { holds: string; fails: string };
}

/** A shell line whose placeholders have become variables (R18). */
export interface ShellTemplate {
  /** The line with variables in the place of placeholders. */
  line: string;
  /** What the variables hold. Throws HooklineError parameters_invalid where a value may not be given to a program. */
  values(scope: Scope): Record<string, string>;
}

/** Why a value cannot be given to a shell line. */
export interface TemplateFault {
  /** The placeholder as it was written. */
  placeholder: string;
  /** Where it stands, or why that is unknown. */
  where: string;
}

/** Regular expressions, globs and shell analysis, from libraries chosen outside (R65). regex and glob throw at load. */
export interface Patterns {
  regex(source: string): (text: string) => boolean;
  glob(source: string): (path: string) => boolean;
  /** Where an absolute path leads, through the links that there are. Absent: no link is followed. Never throws. */
  real?(path: string): string;
  /** The paths that there are for an absolute one with a pattern of the shell in it. Absent: none is looked for. Never throws. */
  like?(path: string): readonly string[];
  /** The simple commands of a shell line, and what it does not tell (R10, R87). Never throws. */
  commands(line: string, place: ShellPlace): ShellReading;
  /** The words of one command by their meaning. Absent: commands are compared by letter alone. Never throws. */
  spell?(words: readonly string[]): Spelling;
  /**
   * The files that the commands of a line write or remove. Never throws.
   *
   * @param isCautious what a program names that is in no table counts, too
   */
  writes?(reading: ShellReading, isCautious: boolean): readonly Written[];
  /** What a shell line would do to Hookline itself, as what follows "this would"; undefined: nothing. Never throws. */
  loosens?(line: string, place: ShellPlace, own: OwnPlaces): string | undefined;
  /** What a tool call does: one reading for all rules. Absent: no rule of the set asks. Never throws. */
  effects?(call: CallToRead, where: { workspace: string; home: string }): CallEffects;
  /** Whether a path of an effect lies in a place that rules know by this name. */
  isAt?(
    name: PlaceName,
    place: { path: string; below?: true | undefined },
    where: { workspace: string; home: string; own?: readonly string[] | undefined },
  ): boolean;
  /** The folder of the project whose hooks these are. */
  workspace?: string;
  /** The load has compiled all of them before: of hundreds, only those that a call asks have to be compiled again. */
  wereChecked?: true;
  /** What a shell line with placeholders becomes; undefined: it holds none. Absent: lines are not looked at. Never throws. */
  shellTemplate?(line: string): ShellTemplate | TemplateFault[] | undefined;
  /** The tree of a Python-like expression, as JSON (R64). Throws HooklineError pattern_invalid with the column. */
  expression(source: string): Json;
}
