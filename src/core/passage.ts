/** One event on its way down the line: everything that changes while its hooks are asked. */

import type { Acceptance } from "./accept.ts";
import { elapsed } from "./elapsed.ts";
import type { HookEvent } from "./event.ts";
import { type EventRow, rowOf, verdictsOf } from "./events.ts";
import type { Outcome } from "./outcome.ts";
import type { Plan, Plans } from "./plan.ts";
import type { Caller, Ports } from "./ports.ts";
import type { Found, Run } from "./record.ts";
import { type Occasion, sharedScope } from "./step-context.ts";

/** What one hook answered, and about which version of the input. */
export interface Answer {
  outcome: Outcome;
  version: number;
  run: Run;
}

export interface Passage {
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
  /** The version of the input that each hook was asked about. */
  readonly judged: Map<Plan, number>;
  readonly rewrote: Set<Plan>;
  /** Not admitted; admission is not asked twice. */
  readonly refused: Set<Plan>;
  /** Handlers that have been asked, so that a second path to one is seen (R36). */
  readonly handlers: Map<string, Plan[]>;
  /** As it was recorded, before any rewrite. */
  original: HookEvent;
  /** What hooks share as long as the event is the same; see occasionOf. */
  occasion: Occasion;
  debts: ReadonlyMap<string, Found>;
  denied?: Plan;
  /** The first that owes and has not passed: those that owe behind it wait for it (specification 004). */
  unpaid?: Plan;
  paused: ReadonlySet<string>;
  /** What kept a durable run from being written down: judging goes on, and whoever has to be sure of the event hears of it. */
  unqueued?: unknown;
}

export function begin(event: HookEvent, plans: Plans, caller: Caller, ports: Ports): Passage {
  const row = rowOf(event.name);
  const fields = event.accepts ? row.accepts.filter((field) => event.accepts?.includes(field)) : row.accepts;
  return {
    event,
    row,
    acceptance: {
      fields: new Set<string>(fields),
      verdicts: verdictsOf(row),
      defersMessages: defersMessages(event, row),
    },
    caller,
    plans,
    version: 0,
    answers: new Map(),
    judged: new Map(),
    rewrote: new Set(),
    refused: new Set(),
    handlers: new Map(),
    original: event,
    occasion: { event, caller, ports, ends: endOf(caller, ports) },
    debts: new Map(),
    paused: new Set(),
  };
}

/** Read off the clock once: whoever sets that meanwhile takes no time from a hook. */
const endOf = ({ deadline }: Caller, ports: Ports): number | undefined =>
  deadline === undefined ? undefined : elapsed(ports) + deadline - ports.now();

/**
 * A host that names no capabilities takes messages as they are. An agent takes those for its model as context: where
 * there is none, or where context starts a new round, they wait.
 */
const defersMessages = ({ accepts }: HookEvent, row: EventRow): boolean =>
  accepts !== undefined && (!accepts.includes("context") || (row.costs?.fields.includes("context") ?? false));

export const candidates = (passage: Passage): readonly Plan[] => passage.plans.find(passage.event);

/** The event as it is now. */
export function occasionOf(passage: Passage): Occasion {
  const { event, occasion } = passage;
  const { caller, ports, ends } = occasion;
  if (occasion.event !== event) passage.occasion = { event, caller, ports, ends };
  return passage.occasion;
}

/** Whether the hook's condition holds for the event as it is now, and what it found. */
export const holdsNow = (plan: Plan, passage: Passage): Found | boolean =>
  plan.open ? plan.open(sharedScope(occasionOf(passage))) : true;

/** Nobody waits for it: because it says so, or because the event is fire and forget (R51). */
export const inBackground = (plan: Plan, passage: Passage): boolean =>
  plan.hook.mode !== "sync" || passage.row.mode === "async";

/** What set a hook off, in a word or two: "periodic", "manual", "event:task.completed". */
export const causeOf = ({ name, to }: HookEvent): string => to?.because ?? (to?.force ? "manual" : `event:${name}`);

/** A new row for a hook that matched, before anything of it has run. */
export function newRun({ hook }: Plan, { event }: Passage, ports: Ports): Run {
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

/** A hook that was asked before and is the same handler by another path: a user's file and a project's, say (R36). */
export const twinOf = (plan: Plan, handlers: Passage["handlers"]): Plan | undefined =>
  handlers.get(plan.handlerKey())?.find(({ hook }) => isSameRoot(hook.origin.root, plan.hook.origin.root));

/** Two projects may write one command and mean two programs; a user's file means the one of the project at hand. */
const isSameRoot = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other;

export function remember(plan: Plan, handlers: Passage["handlers"]): void {
  const known = handlers.get(plan.handlerKey());
  if (known) known.push(plan);
  else handlers.set(plan.handlerKey(), [plan]);
}
