/** Runs that no caller waits for: put into the queue, performed from start to end, and programs that went on by themselves. */
import { type Acceptance, accept } from "./accept.ts";
import { claimFor, withdrawn } from "./admit.ts";
import { onlyReport } from "./counting.ts";
import { isOfStore, messageOf } from "./error.ts";
import type { Evaluator } from "./evaluate.ts";
import type { Counter, Instant, MaybePromise } from "./event.ts";
import { type EventContext, newStepScope, sharedScope } from "./event-context.ts";
import { rowOf } from "./events.ts";
import { type Flow, go, wait } from "./flow.ts";
import type { Hook } from "./hook.ts";
import { inSafeWords } from "./hook-words.ts";
import { isEmpty, type Outcome } from "./outcome.ts";
import { planHook } from "./plan.ts";
import {
  type Caller,
  type DetachedWork,
  elapsed,
  type Item,
  type Ports,
  type Registry,
  type StepResult,
} from "./ports.ts";
import { addTokens, type Run, type RunStatus } from "./record.ts";
import { perform, type Report } from "./run.ts";

/**
 * Never rejects: a failure closes the run. What is no longer this worker's is left as it stands; so is a durable run that the
 * store kept from going on, which its queue gives back.
 */
export async function performItem(ports: Ports, item: Item, caller: Caller): Promise<void> {
  try {
    await go(runItem(ports, item, caller));
  } catch (error) {
    const goesOn = caller.steps && (caller.steps.isLost() || isOfStore(error));
    if (!goesOn) await closeFailed(ports, item, messageOf(error), caller);
  }
}

function* runItem(given: Ports, item: Item, caller: Caller): Flow<void> {
  const ports = marking(given, caller);
  const { event, hook } = item;
  const plan = planHook(hook, ports.registryAt?.(event) ?? ports.registry, ports.patterns);
  const { started, refused, resumed } = yield* admit(ports, item, caller);
  const since = elapsed(ports) - Math.max(0, ports.now() - started); // what was begun before has taken time already
  const run: Run = {
    ...item.run,
    status: "running",
    asked: 1,
    startedAt: hook.durable ? started : item.run.startedAt,
    ...(ports.owner ? { owner: ports.owner } : {}),
  };
  if (refused !== undefined)
    return yield* write(ports, { run: { ...run, asked: 0, status: "skipped", reason: refused, ms: 0 }, hook }, caller);
  if (hook.durable) yield* write(ports, { run, hook, ...(resumed ? { resumed } : {}) }, caller);
  else yield* wait(ports.store.saveRun(run));
  const stepScope = newStepScope(event, caller, ports);
  if (plan.condition?.ask) yield* wait(plan.condition.ask(sharedScope(stepScope)));
  const match = plan.condition?.test(sharedScope(stepScope));
  const found = typeof match === "object" ? match : undefined;
  const report = caller.steps && reportTo(ports, { run, hook }, caller);
  const done = yield* perform(plan, stepScope, { run: run.id, match: found, report });
  if (caller.steps?.isLost()) return;
  const rest = done.detached ? yield* wait(done.detached.done) : undefined;
  run.status = rest ? statusOf(rest) : done.status;
  const reason = rest && !rest.ok ? rest.reason : done.reason;
  if (reason !== undefined) run.reason = reason;
  run.steps = done.steps;
  addTokens(run);
  run.notes = [...run.notes, ...done.notes];
  run.outcome = done.outcome;
  if (hook.report) onlyReport(run);
  run.ms = elapsed(ports) - since;
  const notices = noticesOf(item, run.outcome, { run, handlers: plan.handlers });
  yield* write(ports, { run, hook }, caller);
  for (const { outcome, counter } of notices)
    if (event.session) yield* wait(ports.store.post(event.session, outcome, counter));
}

/** What a durable run starts can be found after a crash (SAFETY F1). */
function marking(ports: Ports, { steps }: Caller): Ports {
  const { spawn } = ports;
  const mark = steps?.mark;
  if (!spawn || mark === undefined) return ports;
  return { ...ports, spawn: (command, options) => spawn({ ...command, mark }, options) };
}

interface Admitted {
  started: Instant;
  refused?: string;
  /** Another worker, or this one before it was stopped, has begun with it. */
  resumed?: true;
}

/** Why a run that waited is not to be begun; undefined: it may be. */
export function* withdrawal(ports: Ports, { event, hook }: Pick<Item, "event" | "hook">): Flow<string | undefined> {
  const asks = hook.durable && ports.current;
  return asks ? withdrawn(yield* wait(asks(hook, event)), event) : undefined;
}

/** Asked and taken once for each run, however often it is begun again. A pause is none of it: what is paused is not begun. */
function* admit(ports: Ports, { event, hook }: Item, { steps }: Caller): Flow<Admitted> {
  const because = yield* withdrawal(ports, { event, hook });
  let isFirst = false;
  function* take(): Flow<Admitted> {
    isFirst = true;
    const started = ports.now();
    const refused = because ?? (yield* claimFor(hook, event, ports));
    return { started, ...(refused === undefined ? {} : { refused }) };
  }
  if (!steps) return yield* take();
  const work = (): MaybePromise<Admitted> => go(take());
  // In one transaction: a run that had claimed and was not known to have would be refused by its own claim.
  const admitted = yield* wait(steps.write ? steps.write("admission", work) : steps.step("admission", work));
  return isFirst ? admitted : { ...admitted, resumed: true };
}

/** Puts a run's row where it is looked at, as long as the run is this worker's. */
function* write(ports: Ports, written: Written, { steps }: Caller): Flow<void> {
  const { run } = written;
  yield* wait(steps ? steps.save(run) : ports.store.saveRun(run));
  ports.observe?.({ is: "run", ...written });
}
type Written = Pick<Item, "run" | "hook"> & Pick<Admitted, "resumed">;

/** The row fills as the run goes on, so that what was gathered stands in it whatever becomes of the rest (A47). */
const reportTo =
  (ports: Ports, { run, hook }: Written, caller: Caller): Report =>
  async (steps) => {
    const sofar: Run = { ...run, steps: [...steps] };
    addTokens(sofar);
    await go(write(ports, { run: sofar, hook }, caller));
  };

const statusOf = (result: StepResult): RunStatus =>
  result.ok ? "completed" : result.failure === "timeout" ? "timeout" : "failed";

/** Rewake: a block becomes a notice for the model. Otherwise what it says goes along, and its verdict nowhere (R7). */
function noticesOf(
  { hook, event }: Item,
  outcome: Outcome,
  { run, handlers }: { run: Run; handlers: Registry["handlers"] },
): { outcome: Outcome; counter?: Counter }[] {
  const { verdict, ...others } = outcome;
  const blocks = hook.mode === "rewake" && verdict?.is === "deny";
  if (verdict && !blocks) run.notes.push(`the caller did not wait for its ${verdict.is}`);
  const { now, later: kept, notes } = accept(others, noCaller, undefined);
  const notice = blocks ? [`${hook.name}: ${verdict.reason ?? "it found a problem"}`] : [];
  const said = [...notice, ...(kept.context ?? [])];
  const all = { ...kept, ...(said.length > 0 && { context: said }) };
  const { later } = inSafeWords({ now, later: all, notes }, hook, { handlers, event });
  const { context = [], messages } = later;
  run.notes.push(...notes);
  if (!isEmpty(kept) && rowOf(event.name).endsSession)
    run.notes.push("the session has ended: what goes with a later event is shown only if the session is resumed");
  return [
    ...(context.length > 0 ? [{ outcome: { context }, counter: "rewakes" as const }] : []),
    ...(messages ? [{ outcome: { messages } }] : []),
  ];
}

const noCaller: Acceptance = { fields: new Set(), verdicts: [] };

/** An item that was accepted but will not run. Never rejects. */
export async function dropItem(ports: Ports, { run, hook }: Item, reason: string): Promise<void> {
  try {
    await go(write(ports, { run: { ...run, status: "skipped", reason, ms: 0 }, hook }, {}));
  } catch (error) {
    await closeFailed(ports, { run, hook }, messageOf(error));
  }
}

/** Closes the run of a program that detached itself, once it has ended. Never rejects. */
export async function finishDetached(ports: Ports, run: Run, work: DetachedWork["done"]): Promise<void> {
  try {
    const result = await work;
    const ended: Run = { ...run, status: statusOf(result), ms: sinceStart(ports, run) };
    await go(save(ports, result.ok ? ended : { ...ended, reason: result.reason }));
  } catch (error) {
    await closeFailed(ports, { run }, messageOf(error));
  }
}

/** Of what may have been begun by another process: only the clock is the same there. */
const sinceStart = ({ now }: Ports, { startedAt }: Run): number => Math.max(0, now() - startedAt);

async function closeFailed(
  ports: Ports,
  { run, hook }: { run: Run; hook?: Hook },
  reason: string,
  caller: Caller = {},
): Promise<void> {
  const failed: Run = { ...run, status: "failed", reason, ms: sinceStart(ports, run) };
  try {
    await go(hook ? write(ports, { run: failed, hook }, caller) : save(ports, failed));
  } catch {
    // The store itself fails; repair closes the row at the next start.
    ports.observe?.({ is: "run", run: failed, ...(hook ? { hook } : {}) });
  }
}

export function* save(ports: Ports, run: Run): Flow<void> {
  yield* wait(ports.store.saveRun(run));
  ports.observe?.({ is: "run", run });
}

/** A queue that answers at once holds the run when the event has its outcome; a slower one is not waited for. */
export function enqueue(
  { ports, later }: Pick<Evaluator, "ports" | "later">,
  queued: Run,
  hook: Hook,
  eventContext: EventContext,
): void {
  const owner = ports.queue.owner?.();
  const run: Run = { ...queued, ...(owner ? { owner } : {}) };
  const { event } = eventContext;
  // The event's deadline and signal end with the event; what runs behind it has its own limits.
  const { environment, umask } = eventContext.caller;
  const caller: Caller = { ...(environment && { environment }), ...(umask !== undefined && { umask }) };
  later.put(eventContext, () => go(handIn(ports, eventContext, { run, hook, event }, caller)));
}

function* handIn(ports: Ports, eventContext: EventContext, item: Item, caller: Caller): Flow<void> {
  try {
    if (item.hook.durable && eventContext.lost !== undefined) throw eventContext.lost;
    yield* queueRun(ports, item, caller);
  } catch (error) {
    if (!item.hook.durable || !isOfStore(error)) throw error;
    eventContext.unqueued ??= error;
    try {
      yield* saveUnqueued(ports, item.run, error);
    } catch {
      // The store still fails, which the event context remembers.
    }
  }
}

function* queueRun(ports: Ports, item: Item, caller: Caller): Flow<void> {
  const { run, hook } = item;
  yield* wait(ports.store.saveRun(run));
  try {
    const taken = yield* wait(ports.queue.add(item, caller));
    if (taken.is === "skipped") return yield* save(ports, { ...run, status: "skipped", reason: taken.reason, ms: 0 });
  } catch (error) {
    if (hook.durable && isOfStore(error)) throw error;
    return yield* saveUnqueued(ports, run, error);
  }
  ports.observe?.({ is: "run", run });
}

const saveUnqueued = (ports: Ports, run: Run, error: unknown): Flow<void> =>
  save(ports, { ...run, status: "failed", reason: `it could not be queued: ${messageOf(error)}`, ms: 0 });
