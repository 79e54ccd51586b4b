/** One event while it is decided: everything that changes while its hooks are evaluated, and what each of their steps is given. */
import type { Acceptance } from "./accept.ts";
import type { Fields, HookEvent, MaybePromise, Seconds } from "./event.ts";
import { type EventRow, rowOf, verdictsOf } from "./events.ts";
import { type Flow, wait } from "./flow.ts";
import { type Hook, isOfUser } from "./hook.ts";
import type { Outcome, Verdict } from "./outcome.ts";
import { type Plan, type PlannedStep, type Plans, scopeOf } from "./plan.ts";
import { type Caller, elapsed, type Ports, type Scope, type StepContext, type StepResult } from "./ports.ts";
import type { Found, Paused, Run, StepRecord } from "./record.ts";
import { verifying } from "./verified.ts";

/** What one hook answered, and about which version of the input. */
export interface Answer {
  outcome: Outcome;
  version: number;
  run: Run;
  /** What a guard said of the call as it was asked, if that was a deny or an ask: no rewrite loosens it (R94). */
  asked?: Verdict;
}

/** By handler, and there by the project that wrote the hook: looked up, as thousands may share a handler. */
export type Asked = Map<string, Map<string | undefined, Plan>>;

export interface EventContext {
  /** As rewritten so far: what the next hook sees (R6). */
  event: HookEvent;
  readonly row: EventRow;
  readonly acceptance: Acceptance;
  readonly caller: Caller;
  readonly plans: Plans;
  /** Rises with every rewrite of the input. */
  version: number;
  /** The last answer of each hook, in the order of their first. */
  readonly answers: Map<Plan, Answer>;
  /** The version of the input that each hook was evaluated on. */
  readonly judged: Map<Plan, number>;
  /** Absent: none has. */
  rewrote?: Set<Plan>;
  /** A guard is judging the call as it was asked, after a rewrite: what it writes itself does not count. */
  asksOriginal?: true;
  /** Not admitted; admission is not asked twice. By hook the one that answers in its place, if it is a duplicate. Absent: all were. */
  refused?: Map<Plan, Plan | undefined>;
  /** Handlers that were evaluated, so that a second path to one is seen (R36). */
  readonly handlers: Asked;
  /** As it was recorded, before any rewrite. */
  original: HookEvent;
  /** What hooks share as long as the event is the same; see stepScopeOf. */
  stepScope: StepScope;
  pendingChecks: ReadonlyMap<string, Found>;
  denied?: Plan;
  /** The first must-pass check that did not pass: the later ones wait for it (specification 004). */
  notPassed?: Plan;
  paused: Paused;
  /** There are receipts of its session. */
  hasReceipts?: true;
  /** What kept a durable run from being written down: evaluation goes on, and the caller that relies on the event is notified. */
  unqueued?: unknown;
  /** What kept a part of the event from being written down: no durable run of it is begun any more. */
  lost?: unknown;
  /** The last commit that is watched for a caller that relies on the event; see watch. */
  watched?: Promise<void>;
  /** What its answer does not wait for, as long as that is under way; see later.ts. */
  later?: Promise<void> | undefined;
}

const noPendingChecks: EventContext["pendingChecks"] = new Map();
const noPause: EventContext["paused"] = new Map();

export function begin(event: HookEvent, plans: Plans, caller: Caller, ports: Ports): EventContext {
  const row = rowOf(event.name);
  return {
    event,
    row,
    acceptance: acceptanceOf(event, row),
    caller,
    plans,
    version: 0,
    answers: new Map(),
    judged: new Map(),
    handlers: new Map(),
    original: event,
    stepScope: newStepScope(event, caller, ports, endOf(caller, ports)),
    pendingChecks: noPendingChecks,
    paused: noPause,
  };
}

/** Made once for each list of capabilities that a sender names: they are the agents' constants. */
const acceptances = new WeakMap<object, WeakMap<EventRow, Acceptance>>();

function acceptanceOf(event: HookEvent, row: EventRow): Acceptance {
  const { accepts, verdicts } = event;
  if (verdicts) return acceptanceFor(event, row);
  const list = accepts ?? row;
  const known = acceptances.get(list)?.get(row);
  if (known) return known;
  const made = acceptanceFor(event, row);
  const ofList = acceptances.get(list) ?? new WeakMap<EventRow, Acceptance>();
  acceptances.set(list, ofList.set(row, made));
  return made;
}

function acceptanceFor(event: HookEvent, row: EventRow): Acceptance {
  const { accepts, verdicts } = event;
  const all = verdictsOf(row);
  return {
    fields: new Set<string>(accepts ? row.accepts.filter((field) => accepts.includes(field)) : row.accepts),
    verdicts: verdicts ? all.filter((kind) => verdicts.includes(kind)) : all,
    defersMessages: defersMessages(event, row),
  };
}

/** Notifies a caller that relies on the event if the writes of this turn of the event loop are lost. To be called after a write. */
export function watch(eventContext: EventContext, { store }: Ports): void {
  const { unrecorded } = eventContext.caller;
  if (!unrecorded) return;
  const committed = store.committed();
  if (committed === eventContext.watched) return;
  eventContext.watched = committed;
  committed.catch((error: unknown) => {
    eventContext.lost ??= error;
    unrecorded(error);
  });
}

/** The clock is read once: setting it meanwhile takes no time from a hook. */
const endOf = ({ deadline }: Caller, ports: Ports): number | undefined =>
  deadline === undefined ? undefined : elapsed(ports) + deadline - ports.now();

/**
 * A host that names no capabilities takes messages as they are. An agent takes those for its model as context: where
 * there is none, or where context starts a new round, they wait.
 */
const defersMessages = ({ accepts }: HookEvent, row: EventRow): boolean =>
  accepts !== undefined && (!accepts.includes("context") || (row.costs?.fields.includes("context") ?? false));

export const candidates = (eventContext: EventContext): readonly Plan[] => eventContext.plans.find(eventContext.event);

/** The event as it is now. */
export function stepScopeOf(eventContext: EventContext): StepScope {
  const { event, stepScope } = eventContext;
  const { caller, ports, ends } = stepScope;
  if (stepScope.event !== event) eventContext.stepScope = newStepScope(event, caller, ports, ends);
  return eventContext.stepScope;
}

/** Whether the hook's condition holds for the event as it is now, and what it found. */
export const holdsNow = (plan: Plan, eventContext: EventContext): Found | boolean =>
  plan.open ? plan.open(sharedScope(stepScopeOf(eventContext))) : true;

/** What conditions get from other processes, for the event as it is now. To be called before they are tested, after each rewrite too. */
export function* askAhead(plans: readonly Plan[], eventContext: EventContext): Flow<void> {
  for (const { ask } of plans) if (ask) yield* wait(ask(sharedScope(stepScopeOf(eventContext))));
}

/** The caller does not wait for it: the hook says so, or the event is fire and forget (R51). */
export const inBackground = (plan: Plan, eventContext: EventContext): boolean =>
  plan.hook.mode !== "sync" || eventContext.row.mode === "async";

/** What set a hook off, in a word or two: "periodic", "manual", "event:task.completed". */
export const causeOf = ({ name, to }: HookEvent): string => to?.because ?? (to?.force ? "manual" : `event:${name}`);

/** A new row for a hook that matched, before anything of it has run. */
export function newRun({ hook }: Plan, { event }: EventContext, ports: Ports): Run {
  const run: Run = {
    id: hook.durable ? shortId() : ports.id(),
    hook: hook.id,
    hookName: hook.name,
    eventId: event.id,
    eventName: event.name,
    status: "queued",
    cause: causeOf(event),
    startedAt: ports.now(),
    steps: [],
    notes: [],
    asked: 0,
  };
  if (event.session) run.session = event.session;
  if (ports.owner) run.owner = ports.owner;
  return run;
}

/** The first 12 characters of a UUID: short enough to be read out and typed (specification 000, A45). */
const shortId = (): string => crypto.randomUUID().slice(0, 12);

/**
 * A hook that was asked before and is the same handler by another path: a user's file and a project's, say (R36). Two projects
 * may write one command and mean two programs. A project's copy never answers for a hook of the user's: its conditions and
 * limits are the project's (R29).
 */
export function duplicateOf({ hook, handlerKey }: Plan, asked: Asked): Plan | undefined {
  const known = asked.get(handlerKey());
  return known?.get(undefined) ?? known?.get(ownerOf(hook));
}

export function remember(plan: Plan, asked: Asked): void {
  const owner = ownerOf(plan.hook);
  const known = asked.get(plan.handlerKey());
  if (known) known.set(owner, plan);
  else asked.set(plan.handlerKey(), new Map([[owner, plan]]));
}

/** The project that wrote the hook; undefined: the user, or a layer above. */
const ownerOf = (hook: Hook): string | undefined => (isOfUser(hook) ? undefined : hook.origin.root);

/** An event as it stands, and its caller: the same for all hooks, until one of them rewrites the event. */
export interface StepScope {
  readonly event: HookEvent;
  readonly caller: Caller;
  readonly ports: Ports;
  /** When the caller's patience is over, on the clock of `elapsed`; undefined: never. */
  readonly ends: number | undefined;
  /** Made when it is first needed: most hooks look at the event alone. */
  scope: Scope | undefined;
}

/** Of one shape, as plans are. */
export const newStepScope = (event: HookEvent, caller: Caller, ports: Ports, ends?: number): StepScope => ({
  event,
  caller,
  ports,
  ends,
  scope: undefined,
});

/** Why a step has to stop. */
export type Stopped = "timeout" | "cancelled";

/** A context as run.ts knows it. */
export interface OwnContext extends StepContext {
  stepScope: StepScope;
  results: readonly StepRecord[];
  match: Found | undefined;
  stopped?: Stopped;
  controller?: AbortController;
  progress?(output: Fields, tokens?: number): void;
}

export function sharedScope(stepScope: StepScope): Scope {
  stepScope.scope ??= scopeOf(stepScope.event);
  return stepScope.scope;
}

/** Getters on one prototype: as members of each context they would cost more than calling the callback does. */
const lazyParts: Partial<StepContext> & ThisType<OwnContext> = {
  get event() {
    return this.stepScope.event;
  },
  get caller() {
    return this.stepScope.caller;
  },
  get ports() {
    const { ports } = this.stepScope;
    return this.hook.bound ? verifying(ports, this.hook) : ports;
  },
  get scope() {
    const { match, results } = this;
    const scope = sharedScope(this.stepScope);
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
  stepScope: StepScope,
  hook: Hook,
  run: string,
  timeout: Seconds,
  results: readonly StepRecord[],
  match: Found | undefined,
): void {
  this.stepScope = stepScope;
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
  stepScope: StepScope,
  hook: Hook,
  run: string,
  timeout: Seconds,
  results: readonly StepRecord[],
  match: Found | undefined,
): OwnContext => new NewContext(stepScope, hook, run, timeout, results, match);

const nothing: StepResult = { ok: true, output: {} };

/** Calls the step's function; may throw. Most answer nothing, so that is not read. */
export function callStep({ bound }: PlannedStep, context: OwnContext): MaybePromise<StepResult> {
  const { call } = bound;
  const answer = call(context.stepScope.event, context);
  return answer === undefined ? nothing : bound.read(answer, context);
}

/** Aborts the step. */
export function stop(context: OwnContext, why: Stopped): void {
  context.stopped = why;
  context.controller?.abort();
}
