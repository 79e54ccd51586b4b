/** Hook set → plans: conditions become closures, handlers are looked up, hooks lie in buckets by event and match value. */

import { type CompiledCondition, compileCondition, splitCondition } from "./condition.ts";
import type { ShellSettings } from "./effects.ts";
import { HooklineError, messageOf } from "./error.ts";
import {
  type EventName,
  type Fields,
  firstTurn,
  type HookEvent,
  type MaybePromise,
  ownTurn,
  textField,
} from "./event.ts";
import { type EventRow, hears, rowOf } from "./events.ts";
import { isThenable } from "./flow.ts";
import { type Hook, type HookSet, isGuard, isWrittenAsGuard, type Step } from "./hook.ts";
import type { Bound, Handler, Patterns, Registry, Scope, StepResult, Test } from "./ports.ts";
import type { Found } from "./record.ts";
import { compileTemplate, type Print, printerOf } from "./template.ts";
import { otherNameOf } from "./tools.ts";

/** All of them have the same fields in the same order, set or not: an engine that meets one shape is twice as fast. */
export interface PlannedStep {
  step: Step;
  bound: Bound;
  skipIf: Test | undefined;
  ask: CompiledCondition["ask"] | undefined;
  next: PlannedStep | undefined;
}
/** Of one shape, as its steps are. */
export interface Plan {
  hook: Hook;
  guard: boolean;
  /** Evaluated again on rewritten input, unless it rewrote the input itself and is no guard (R6). */
  judges: boolean;
  condition: CompiledCondition | undefined;
  /** What is left to test once event name and match value fit. */
  open: Test | undefined;
  /** Before `open`, each time that the event is another one. */
  ask: CompiledCondition["ask"] | undefined;
  fixed: Test | undefined;
  needs: ReadonlySet<string>;
  /** Of the registry that it was planned with. */
  handlers: Registry["handlers"];
  /** Undefined until `prepare`: most hooks of a set are never evaluated. */
  first: PlannedStep | undefined;
  /** Makes the steps, once; gives the first. Throws what `fault` reports. */
  prepare(): PlannedStep;
  /** Equal for the same handler reached by two paths (R36). */
  handlerKey(): string;
  /** Why it cannot run, if so. It then fails alone, by its own policy. */
  fault(): string | undefined;
}
export interface Plans {
  /** Hooks of this event whose matchers fit, in running order. Remembered per event and match value. */
  find(event: HookEvent): readonly Plan[];
  /** The plan of any hook of the set. */
  of(hook: Hook): Plan;
}

/** As the person's settings say that lines are read. */
function underSettings(known: Patterns, { runs_others = [], unread = {} }: ShellSettings): Partial<Patterns> {
  const runsOthers: ReadonlySet<string> = new Set(runs_others);
  const { effects } = known;
  return {
    commands: (line, place) => known.commands(line, { ...place, runsOthers }),
    ...(effects && {
      effects(call, where) {
        const reading = effects({ ...call, runsOthers }, where);
        const isLeft =
          Object.hasOwn(unread, call.tool) && unread[call.tool] === "pass" && reading.commands.length === 0;
        return isLeft ? { ...reading, unknown: [] } : reading;
      },
    }),
  };
}

const none: readonly Plan[] = [];
const nothingNeeded: ReadonlySet<string> = new Set();
/** Distinct match values remembered per event; file names have no bound, so the memory must. */
const remembered = 512;

/** Plans are made when an event first asks for them, so that one event never pays for the hooks of another. */
export function planHooks(set: HookSet, registry: Registry, known: Patterns): Plans {
  const patterns: Patterns = {
    ...(set.shell ? { ...known, ...underSettings(known, set.shell) } : known),
    ...(set.workspace === undefined ? {} : { workspace: set.workspace }),
    wereChecked: true,
  };
  const plans = new Map<Hook, Plan>();
  const buckets = new Map<EventName, Bucket>();
  const of = (hook: Hook): Plan => {
    const before = plans.get(hook);
    if (before) return before;
    const made = planHook(hook, registry, patterns);
    plans.set(hook, made);
    return made;
  };
  let last: Bucket | undefined;
  const open = (name: EventName): Bucket => {
    const made = makeBucket(name, set.hooks.filter((hook) => listensTo(hook, name)).map(of));
    buckets.set(name, made);
    return made;
  };
  return {
    of,
    find(event) {
      const { to } = event;
      if (to) return matching(set.hooks.filter(({ id }) => id === to.hook).map(of), event);
      const { name, data, nativeTool } = event;
      if (last?.name !== name) last = buckets.get(name) ?? open(name);
      const bucket = last;
      const value = bucket.matchOn === undefined ? undefined : data[bucket.matchOn];
      const key = nativeTool === undefined ? value : `${String(value)}\0${nativeTool}`;
      return bucket.memory.get(key) ?? bucket.fill(event, key);
    },
  };
}

function matching(plans: readonly Plan[], event: HookEvent): readonly Plan[] {
  const scope = scopeOf(event);
  const namesNoTool = scope.names.length === 0 && rowOf(event.name).matchTool === true;
  return plans.flatMap((plan) =>
    plan.fixed?.(scope) !== false ? plan : namesNoTool && plan.guard ? untested(plan) : [],
  );
}

/** An event that names no tool may be about any tool: for a guard, all of its condition is tested, and says so. */
const untested = (plan: Plan): Plan => ({
  ...plan,
  fixed: undefined,
  open: plan.condition?.test,
  ask: plan.condition?.ask,
});

interface Bucket {
  name: EventName;
  matchOn: EventRow["matchOn"];
  memory: Map<unknown, readonly Plan[]>;
  fill(event: HookEvent, key: unknown): readonly Plan[];
}

function makeBucket(name: EventName, all: readonly Plan[]): Bucket {
  const memory = new Map<unknown, readonly Plan[]>();
  return {
    name,
    matchOn: rowOf(name).matchOn,
    memory,
    fill(event, key) {
      if (all.length === 0) return none;
      const fitting = matching(all, event);
      if (memory.size >= remembered) memory.clear();
      memory.set(key, fitting);
      return fitting;
    },
  };
}

export const listensTo = (hook: Hook, name: EventName): boolean => "event" in hook.on && hears(hook.on.event, name);

/** The texts that a matcher is compared with. */
export function matchNames(event: HookEvent): readonly string[] {
  const row = rowOf(event.name);
  const value = textField(event.data, row.matchOn);
  if (value === undefined || (value === "" && row.matchTool)) return [];
  if (row.matchFile) return [value.slice(value.lastIndexOf("/") + 1), value];
  const { nativeTool } = event;
  const names = nativeTool === undefined || nativeTool === value ? [value] : [value, nativeTool];
  const other = row.matchTool ? otherNameOf(value) : undefined;
  return other === undefined || names.includes(other) ? names : [...names, other];
}

export const scopeOf = (event: HookEvent, match?: Found): Scope => ({
  event,
  turn: event.turn ?? ownTurn(firstTurn),
  names: matchNames(event),
  results: [],
  faults: [],
  ...(match ? { match } : {}),
});

/** Never throws: what cannot be planned says why in `fault`. */
export function planHook(hook: Hook, registry: Registry, patterns: Patterns): Plan {
  const guard = isGuard(hook);
  const plan: Plan = {
    hook,
    guard,
    judges: isWrittenAsGuard(hook) || hook.role === "undeclared",
    condition: undefined,
    open: undefined,
    ask: undefined,
    fixed: undefined,
    needs: nothingNeeded,
    handlers: registry.handlers,
    first: undefined,
    prepare() {
      plan.first ??= planSteps(hook, registry, patterns);
      return plan.first;
    },
    handlerKey: once(() =>
      JSON.stringify([
        hook.steps,
        hook.mode,
        hook.role,
        hook.onFailure,
        hook.report ?? false,
        hook.replaces ?? false,
        hook.origin.plugin ?? "",
        own(hook),
      ]),
    ),
    fault: () => faultOf(plan),
  };
  if (!hook.when) return plan;
  try {
    const condition = compileCondition(hook.when, registry, patterns);
    const { fixed, open } = splitCondition(condition);
    plan.condition = condition;
    plan.needs = condition.needs;
    plan.fixed = fixed?.test;
    plan.open = open?.test;
    plan.ask = open?.ask;
  } catch (error) {
    plan.fault = () => messageOf(error);
  }
  return plan;
}

/** Two that are kept under names of their own are two, whatever they do. */
const own = ({ durable, id }: Hook): string => (durable ? id : "");

function faultOf(plan: Plan): string | undefined {
  if (plan.first) return undefined;
  try {
    plan.prepare();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Makes a value when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function planSteps(hook: Hook, registry: Registry, patterns: Patterns): PlannedStep {
  const [head, ...rest] = hook.steps;
  const first = planStep(head, hook, registry, patterns);
  let last = first;
  for (const step of rest) {
    last.next = planStep(step, hook, registry, patterns);
    last = last.next;
  }
  return first;
}

function planStep(step: Step, hook: Hook, registry: Registry, patterns: Patterns): PlannedStep {
  const handler = registry.handlers.get(step.uses);
  const where = placeOf(hook);
  if (!handler) throw new HooklineError("handler_unknown", { name: step.uses, where });
  const [wrong] = step.templates ? [] : handler.params.check(step.with);
  if (wrong) {
    const name = [step.uses, ...wrong.path].join(".");
    throw new HooklineError("parameters_invalid", { name, expected: wrong.expected, found: wrong.found, where });
  }
  const skips = step.skipIf ? compileCondition(step.skipIf, registry, patterns) : undefined;
  return { step, bound: bind(step, handler), skipIf: skips?.test, ask: skips?.ask, next: undefined };
}

function bind(step: Step, handler: Handler): Bound {
  if (!step.templates && handler.bind) return handler.bind(step.with);
  const render = renderOf(step, handler);
  return {
    call(_event, context) {
      const filled = render(context);
      return isThenable(filled) ? filled.then((params) => handler.run(params, context)) : handler.run(filled, context);
    },
    read: (result) => result as MaybePromise<StepResult>, // what run has given
  };
}

function renderOf(step: Step, handler: Handler): (given: { scope: Scope }) => MaybePromise<Fields> {
  if (!step.templates) return () => step.with;
  if (handler.render) return ({ scope }) => handler.render?.(step.with, scope) ?? step.with;
  const fill = compileTemplate(step.with);
  const print: Print = printerOf(handler.params.json) ?? ((filled) => filled);
  return ({ scope }) => print(fill(scope)) as Fields; // both keep the shape of what they are given: an object stays one
}

/** Where the hook was written, for messages: file:line, or its name. */
export const placeOf = (hook: Hook): string =>
  hook.origin.file ? `${hook.origin.file}${hook.origin.line ? `:${hook.origin.line}` : ""}` : hook.name;
