/** What a handler is given: one small object per step, whose costly parts are made only if somebody asks for them. */
import type { Fields, HookEvent, MaybePromise, Seconds } from "./event.ts";
import type { Hook } from "./hook.ts";
import { type PlannedStep, scopeOf } from "./plan.ts";
import type { Caller, Ports, Scope, StepContext, StepResult } from "./ports.ts";
import type { Found, StepRecord } from "./record.ts";

/** An event as it stands, and who asks: the same for all hooks, until one of them rewrites the event. */
export interface Occasion {
  readonly event: HookEvent;
  readonly caller: Caller;
  readonly ports: Ports;
  /** When the caller's patience is over, as `elapsed` tells it; undefined: never. */
  readonly ends: number | undefined;
  /** Made by whoever needs it first: most hooks look at the event alone. */
  scope: Scope | undefined;
}

/** Of one shape, as plans are. */
export const newOccasion = (event: HookEvent, caller: Caller, ports: Ports, ends?: number): Occasion => ({
  event,
  caller,
  ports,
  ends,
  scope: undefined,
});

/** Why a step was told to stop. */
export type Stopped = "timeout" | "cancelled";

/** A context as run.ts knows it. */
export interface OwnContext extends StepContext {
  occasion: Occasion;
  results: readonly StepRecord[];
  match: Found | undefined;
  stopped?: Stopped;
  controller?: AbortController;
  progress?(output: Fields, tokens?: number): void;
}

export function sharedScope(occasion: Occasion): Scope {
  occasion.scope ??= scopeOf(occasion.event);
  return occasion.scope;
}

/** Getters on one prototype: as members of each context they would cost more than calling the callback does. */
const lazyParts: Partial<StepContext> & ThisType<OwnContext> = {
  get event() {
    return this.occasion.event;
  },
  get caller() {
    return this.occasion.caller;
  },
  get ports() {
    return this.occasion.ports;
  },
  get scope() {
    const { match, results } = this;
    const scope = sharedScope(this.occasion);
    return match || results.length > 0 ? { ...scope, results, ...(match ? { match } : {}) } : scope;
  },
  get signal() {
    this.controller ??= new AbortController();
    if (this.stopped || this.caller.signal?.aborted) this.controller.abort();
    return this.controller.signal;
  },
};

/** A constructor, as the engine gives what that makes room for exactly its members: each context is one object, and not two. */
function Context(
  this: OwnContext,
  occasion: Occasion,
  hook: Hook,
  run: string,
  timeout: Seconds,
  results: readonly StepRecord[],
  match: Found | undefined,
): void {
  this.occasion = occasion;
  this.hook = hook;
  this.run = run;
  this.timeout = timeout;
  this.results = results;
  this.match = match;
}
Context.prototype = lazyParts;
// complete, as it sets what the lazy parts leave out
const NewContext = Context as unknown as new (...parts: Parameters<typeof Context>) => OwnContext;

export const contextOf = (
  occasion: Occasion,
  hook: Hook,
  run: string,
  timeout: Seconds,
  results: readonly StepRecord[],
  match: Found | undefined,
): OwnContext => new NewContext(occasion, hook, run, timeout, results, match);

const nothing: StepResult = { ok: true, output: {} };

/** Calls the step's function; may throw. Most answer nothing, so that is not read. */
export function callStep({ bound }: PlannedStep, context: OwnContext): MaybePromise<StepResult> {
  const { call } = bound;
  const answer = call(context.occasion.event, context);
  return answer === undefined ? nothing : bound.read(answer, context);
}

/** Tells the step that its time is over. */
export function stop(context: OwnContext, why: Stopped): void {
  context.stopped = why;
  context.controller?.abort();
}
