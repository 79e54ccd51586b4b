/** Why each hook would or would not run: a pure reading of event, set and registry, for new and for stored events. */
import { claimsOf, refusalOf } from "./admit.ts";
import type { HookEvent, HookId, MaybePromise } from "./event.ts";
import { duplicateOf, type EventContext, remember } from "./event-context.ts";
import { type Flow, wait } from "./flow.ts";
import type { Hook, HookSet, Trigger } from "./hook.ts";
import { listensTo, type Plan, type Plans, scopeOf } from "./plan.ts";
import type { Ports } from "./ports.ts";
import type { Paused } from "./record.ts";

export interface Explanation {
  hook: HookId;
  name: string;
  file?: string;
  line?: number;
  would: "run" | "skip";
  because: string;
  /** The shell line that the event brings along, out of a file that it writes or names: on its account the hook would run. */
  of?: { file: string; line: string };
}

/** One sentence per hook of the set, in running order. Limits are looked up as they stand now. */
export function* explainEvent(event: HookEvent, set: HookSet, plans: Plans, ports: Ports): Flow<Explanation[]> {
  const explanations: Explanation[] = [];
  const paused = yield* wait(ports.store.paused());
  const handlers: EventContext["handlers"] = new Map();
  for (const hook of set.hooks) {
    const plan = plans.of(hook);
    const reading = yield* wait(read(plan, event));
    const refused =
      reading.would === "run"
        ? yield* refusal(plan, event, handlers, { ports, paused })
        : yield* whenDue(hook, event, { ports, paused, because: reading.because });
    explanations.push({
      hook: hook.id,
      name: hook.name,
      ...(hook.origin.file ? { file: hook.origin.file } : {}),
      ...(hook.origin.line ? { line: hook.origin.line } : {}),
      ...(refused === undefined ? withReport(hook, reading) : { would: "skip", because: refused }),
    });
  }
  return explanations;
}

const withReport = ({ report }: Hook, { would, because }: Reading): Reading => ({
  would,
  because: report && would === "run" ? `${because}; it only reports, so its answer does not count` : because,
});

function* refusal(
  plan: Plan,
  event: HookEvent,
  handlers: EventContext["handlers"],
  { ports, paused }: { ports: Ports; paused: Paused },
): Flow<string | undefined> {
  const gate = refusalOf(plan.hook, event, ports, { paused });
  if (gate !== undefined) return gate;
  const duplicate = duplicateOf(plan, handlers);
  if (duplicate) return `duplicate: the same handler runs as ${duplicate.hook.id}`;
  remember(plan, handlers);
  const claims = claimsOf(plan.hook, event);
  if (claims.length === 0) return undefined;
  const refused = yield* wait(ports.store.peek(claims, ports.now()));
  return refused && (refused.left === undefined ? refused.refusal : `${refused.refusal}, ${refused.left} s are left`);
}

/** Its own clock sends the event: what keeps it, or until when. */
function* whenDue(
  hook: Hook,
  event: HookEvent,
  { ports, paused, because }: { ports: Ports; paused: Paused; because: string },
): Flow<string | undefined> {
  if (event.to || event.name !== clockEvent || !isOwnEvent(hook, event.name)) return undefined;
  const gate = refusalOf(hook, event, ports, { paused });
  const due = gate ?? (ports.whenDue ? yield* wait(ports.whenDue(hook)) : undefined);
  return due === undefined ? undefined : `${due}; ${because}`;
}

type Reading = Pick<Explanation, "would" | "because">;

/** What event and condition alone say. Never throws or rejects. */
export function read(plan: Plan, event: HookEvent): MaybePromise<Reading> {
  const { condition } = plan;
  return condition?.ask ? condition.ask(scopeOf(event)).then(() => readNow(plan, event)) : readNow(plan, event);
}

function readNow(plan: Plan, event: HookEvent): Reading {
  const { hook, condition } = plan;
  const elsewhere = event.to ? notAddressed(hook, event.to) : notHeard(hook, event);
  if (elsewhere !== undefined) return { would: "skip", because: elsewhere };
  const fault = plan.fault();
  if (fault !== undefined && !condition)
    return { would: "run", because: `its condition holds, but it cannot run: ${fault}` };
  if (!condition)
    return {
      would: "run",
      because: event.to
        ? `this event is for it alone${event.to.because === undefined ? "" : `: ${event.to.because}`}`
        : `it runs on every ${event.name}`,
    };
  const scope = scopeOf(event);
  const { holds, because } = condition.explain(scope);
  const isUntested = !holds && plan.guard && condition.test(scope) === false && (scope.faults?.length ?? 0) > 0;
  if (isUntested) return { would: "run", because: `${because}: it is a guard, so its failure policy answers` };
  return { would: holds ? "run" : "skip", because };
}

const notAddressed = ({ id }: Hook, to: NonNullable<HookEvent["to"]>): string | undefined =>
  to.hook === id ? undefined : `this event is for ${to.hook} alone`;

/** Events that the daemon sends to the one hook whose clock or watch they come from (R24). */
const clockEvent = "schedule.due";
const ownEvents: { readonly [name: string]: { by: string; sets(on: Trigger): boolean } } = {
  [clockEvent]: { by: "its own schedule", sets: (on) => "every" in on || "cron" in on || "at" in on },
  "file.changed": { by: "its own watch", sets: (on) => "watch" in on },
  "folder.changed": { by: "its own watch", sets: (on) => "watch" in on },
};

const ownEvent = ({ on }: Hook, name: string): (typeof ownEvents)[string] | undefined => {
  const own = Object.hasOwn(ownEvents, name) ? ownEvents[name] : undefined;
  return own?.sets(on) ? own : undefined;
};

/** Whether the hook's own clock or watch sends it events of this name, which reach no other hook. */
export const isOwnEvent = (hook: Hook, name: string): boolean => ownEvent(hook, name) !== undefined;

function notHeard(hook: Hook, { name }: HookEvent): string | undefined {
  if (listensTo(hook, name)) return undefined;
  const own = ownEvent(hook, name);
  return own
    ? `only ${own.by} (${nameOf(hook.on)}) sends it this event, while hookline up runs: one sent by hand does not reach it`
    : `it listens to ${nameOf(hook.on)}, and this is ${name}`;
}

/** The trigger as its author wrote it (R62). */
export function nameOf(trigger: Trigger): string {
  if ("event" in trigger) return (trigger.as ?? trigger.event).join(", ");
  if ("every" in trigger) return `every ${trigger.every} s`;
  if ("cron" in trigger) return `cron ${trigger.cron}`;
  if ("at" in trigger) return `at ${new Date(trigger.at).toISOString()}`;
  return `changes of ${trigger.watch.paths.join(", ")}`;
}
