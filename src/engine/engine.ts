/** The engine itself: event → match → admit → steps → merge → outcome. The only place where an event is decided. */

import { accept } from "./accept.ts";
import { refusalOf } from "./admit.ts";
import { dropItem, finishDetached, performItem, save, withdrawal } from "./background.ts";
import { messageOf } from "./error.ts";
import { type Evaluator, evaluateAgain, evaluateAll, mayJudge, skip } from "./evaluate.ts";
import { firstTurn, type HookEvent, type MaybePromise, ownTurn, type SessionId, type Turn } from "./event.ts";
import {
  askAhead,
  begin,
  candidates,
  type EventContext,
  holdsNow,
  inBackground,
  newRun,
  watch,
} from "./event-context.ts";
import { advance, inputOfCall } from "./events.ts";
import { type Explanation, explainEvent } from "./explain.ts";
import { current, finalize } from "./finalize.ts";
import { type Flow, go, isThenable, wait } from "./flow.ts";
import { answer, hear, hearEvent, type Telling } from "./follow.ts";
import { type HookSet, isGuard } from "./hook.ts";
import { inSafeWords } from "./hook-words.ts";
import { createFirstReports, createLater } from "./later.ts";
import { oneLine } from "./one-line.ts";
import { merge, type Outcome } from "./outcome.ts";
import { listensTo, type Plan, type Plans, planHooks } from "./plan.ts";
import { type Caller, type DetachedWork, elapsed, type Item, type Ports } from "./ports.ts";
import type { Followed, Heard } from "./receipt.ts";
import type { Found, Run, RunStatus } from "./record.ts";
import { policyOf } from "./run.ts";

export interface Engine {
  /** Decides one event. Never throws: what fails is answered by the failure policies. Waits only if a hook does. */
  emit(event: HookEvent, caller?: Caller): MaybePromise<Outcome>;
  /** For every hook, whether it would run and why; nothing runs. May throw if the store cannot be read. */
  explain(event: HookEvent): MaybePromise<Explanation[]>;
  /** Runs one queued item, as the queue's worker does. Never rejects. */
  perform(item: Item, caller?: Caller): Promise<void>;
  /** Closes the run of a program that detached itself, once it ends. Never rejects. */
  finish(run: Run, work: DetachedWork["done"]): Promise<void>;
  /** What is known of the calls of a session from elsewhere, such as the agent's own record of it. May throw what the store throws. */
  heard(session: SessionId, heard: Heard): MaybePromise<Followed[]>;
  /** Resolves once all that was written so far is on disk; rejects with the store's reason if any of it is not. One promise for all who ask while nothing else is written, where the store gives one. */
  committed(): Promise<void>;
  /** Waits for background work of this process. */
  close(): Promise<void>;
}

const noCaller: Caller = {};
const noPlans: Plans = {
  find: () => [],
  of() {
    throw new Error("there are no plans");
  },
};

/** What deciding takes, beside the event. */
interface Parts extends Evaluator, Telling {
  firstReports: ReturnType<typeof createFirstReports>;
  plansOf(set: HookSet, event: HookEvent): Plans;
}

export function createEngine(ports: Ports): Engine {
  const planned = new WeakMap<HookSet, Plans>();
  const background = new Set<Promise<void>>();

  const plansOf = (set: HookSet, event: HookEvent): Plans => {
    const known = planned.get(set);
    if (known) return known;
    const made = planHooks(set, ports.registryAt?.(event) ?? ports.registry, ports.patterns);
    planned.set(set, made);
    return made;
  };

  function* handOver(item: Item, work: DetachedWork, caller: Caller): Flow<void> {
    const owner = ports.queue.owner?.();
    yield* save(ports, owner ? { ...item.run, owner } : item.run);
    if (ports.queue.adopt) {
      try {
        return yield* wait(ports.queue.adopt(item, work, caller));
      } catch (error) {
        work.end();
        return yield* save(ports, {
          ...item.run,
          status: "failed",
          reason: `no worker could take it over: ${messageOf(error)}`,
        });
      }
    }
    const finishing = finishDetached(ports, item.run, work.done);
    background.add(finishing);
    void finishing.finally(() => background.delete(finishing)); // it never rejects
  }
  const later = createLater(ports);
  const parts: Parts = { ports, later, handOver, plansOf, send, firstReports: createFirstReports(ports) };

  /** An event of ours, behind the one that has caused it. */
  function send(event: HookEvent): void {
    const sent: Promise<void> = Promise.resolve()
      .then(() => emit(parts, event, noCaller))
      .then(() => void background.delete(sent)); // emit never throws
    background.add(sent);
  }

  ports.queue.start({
    perform: (item, caller) => performItem(ports, item, caller),
    drop: (item, reason) => dropItem(ports, item, reason),
    withdrawal: (item) => go(withdrawal(ports, item)),
    changed: (run, hook) => ports.observe?.({ is: "run", run, ...(hook ? { hook } : {}) }),
  });

  return {
    emit: (event, caller = noCaller) => emit(parts, event, caller),
    explain: (event) => go(explain(parts, event)),
    perform: (item, caller = noCaller) => performItem(ports, item, caller),
    finish: (run, work) => finishDetached(ports, run, work),
    heard: (session, heard) => go(hear(session, heard, parts)),
    committed: () => later.settled()?.then(() => ports.store.committed()) ?? ports.store.committed(),
    async close() {
      await later.settled(); // something of it may go into the queue
      await ports.queue.close();
      while (background.size > 0) await Promise.all(background);
      await later.settled();
    },
  };
}

function* decide(parts: Parts, reported: HookEvent, caller: Caller): Flow<Outcome> {
  const { ports, plansOf, firstReports, later } = parts;
  const found = ports.hooks(reported);
  const set = isThenable(found) ? yield* wait(found) : found;
  const eventContext = begin(reported, plansOf(set, reported), caller, ports);
  const started = elapsed(ports);
  let outcome: Outcome;
  try {
    if (reported.session && ports.tracking) yield* wait(ports.tracking.begin(reported, set));
    const needs = needsOf(candidates(eventContext));
    if (needs.size > 0 && ports.enrich) eventContext.event = yield* wait(ports.enrich(reported, needs));
    const moves = reported.to ? unmoved : advance;
    const { turn, given, unanswered, paused, hasReceipts } = yield* wait(
      ports.store.record(eventContext.event, set, moves, caller.unrecorded !== undefined),
    );
    watch(eventContext, ports);
    eventContext.paused = paused;
    eventContext.event = { ...eventContext.event, turn: ownTurn(turn) };
    if (paused.size > 0 && !given) yield* addRerouted(eventContext, ports);
    eventContext.original = eventContext.event;
    if (hasReceipts) eventContext.hasReceipts = true;
    ports.observe?.({ is: "event", event: eventContext.event });
    if (hasReceipts && !given && unanswered === undefined) yield* hearEvent(eventContext, parts);
    if (candidates(eventContext).some(({ ask }) => ask)) yield* askAhead(candidates(eventContext), eventContext);
    const waited = unanswered === undefined ? undefined : yield* wait(firstReports.answerOf(unanswered, eventContext));
    const earlier = given ?? waited;
    outcome = earlier ? repeat(parts, eventContext, earlier) : yield* evaluateHooks(parts, eventContext, started);
    const ms = elapsed(ports) - started;
    if (waited)
      later.put(eventContext, () =>
        closing(eventContext, () => ports.store.answered(eventContext.event.id, outcome, ms)),
      );
    if (reported.session && ports.tracking)
      yield* wait(ports.tracking.end(eventContext.event, reported.to || earlier ? undefined : endsOf(eventContext)));
  } catch (error) {
    yield* askAhead(candidates(eventContext), eventContext);
    outcome = rest(ports, eventContext, messageOf(error));
    caller.unrecorded?.(error);
  }
  ports.observe?.({ is: "outcome", event: eventContext.event, outcome, ms: elapsed(ports) - started });
  return outcome;
}

/** What of the call was refused just before. */
function* addRerouted(eventContext: EventContext, ports: Ports): Flow<void> {
  if (!ports.rerouted || inputOfCall(eventContext.row) === undefined) return;
  const rerouted = yield* wait(ports.rerouted(eventContext.event, eventContext.paused));
  if (rerouted) eventContext.event = { ...eventContext.event, rerouted };
}

function* evaluateHooks(parts: Parts, eventContext: EventContext, started: number): Flow<Outcome> {
  const { ports, later } = parts;
  const plans = candidates(eventContext);
  if (plans.some((plan) => plan.hook.limits.untilPass)) yield* addPendingChecks(parts, eventContext);
  if (plans.length > 0) yield* evaluateAll(parts, eventContext);
  if (eventContext.version > 0) yield* evaluateAgain(parts, eventContext);
  const outcome = yield* finalize(parts, eventContext);
  watch(eventContext, ports);
  const ms = elapsed(ports) - started;
  later.put(eventContext, () => closing(eventContext, () => go(answer(eventContext, { outcome, ms }, parts))));
  return outcome;
}

/** The last net: whatever decide itself failed to catch blocks where a guard is loaded, and is seen. */
function emit(parts: Parts, event: HookEvent, caller: Caller): MaybePromise<Outcome> {
  const { firstReports } = parts;
  try {
    const outcome = go(decide(parts, event, caller));
    if (!isThenable(outcome)) return outcome;
    const deciding = Promise.resolve(outcome).catch((error: unknown) => undecided(parts, event, error, caller));
    if (event.delivery) firstReports.deciding(event.id, deciding, caller);
    return deciding;
  } catch (error) {
    return undecided(parts, event, error, caller);
  }
}

function undecided(parts: Parts, event: HookEvent, error: unknown, caller: Caller): Outcome {
  const { ports } = parts;
  caller.unrecorded?.(error);
  const reason = `the event could not be decided: ${messageOf(error)}`;
  const guard = hooksOr(parts, event)?.hooks.find(
    (hook) => isGuard(hook) && hook.enabled && listensTo(hook, event.name),
  );
  const outcome: Outcome = guard
    ? accept(
        { verdict: { is: "deny", reason, by: guard.id } },
        begin(event, noPlans, noCaller, ports).acceptance,
        guard.id,
      ).now
    : {};
  ports.observe?.({ is: "outcome", event, outcome, ms: 0 }); // nothing was begun
  return outcome;
}

function hooksOr({ ports }: Parts, event: HookEvent): HookSet | undefined {
  try {
    const found = ports.hooks(event);
    if (!isThenable(found)) return found;
    Promise.resolve(found).catch(() => {}); // why it fails was the reason before, and no other code waits for it
    return undefined; // what is only being loaded now has decided nothing
  } catch {
    return undefined; // no hooks, no guard among them
  }
}

function* explain(parts: Parts, event: HookEvent): Flow<Explanation[]> {
  const { ports, plansOf } = parts;
  const set = yield* wait(ports.hooks(event));
  return yield* explainEvent(yield* enriched(parts, event, set), set, plansOf(set, event), ports);
}

/** As the event would be recorded: with what conditions need, and the turn that its session is in. */
function* enriched(parts: Parts, event: HookEvent, set: HookSet): Flow<HookEvent> {
  const { plansOf, ports } = parts;
  if (event.turn) return event;
  const needs = needsOf(plansOf(set, event).find(event));
  const given = needs.size > 0 && ports.enrich ? yield* wait(ports.enrich(event, needs)) : event;
  const before = given.session ? yield* wait(ports.store.turn(given.session)) : firstTurn;
  return { ...given, turn: ownTurn(given.to ? before : advance(given, before)) };
}

/** An event that set off what could not be written down stays without its outcome, so that it is taken when it is sent again. */
function closing({ unqueued, caller }: EventContext, write: () => MaybePromise<unknown>): MaybePromise<void> {
  if (unqueued !== undefined && caller.unrecorded) return caller.unrecorded(unqueued);
  try {
    const answering = write();
    return isThenable(answering) ? Promise.resolve(answering).then(unanswered, unanswered) : undefined;
  } catch {
    return unanswered();
  }
}

/** The same happening, reported by another registration: the first verdict and stop, nothing else (R36, R49). */
function repeat(evaluator: Evaluator, eventContext: EventContext, earlier: Outcome): Outcome {
  for (const plan of candidates(eventContext)) {
    if (holdsNow(plan, eventContext) === false) continue;
    skip(evaluator, plan, eventContext, "duplicate: another registration reported this before and has the answer");
  }
  return earlier;
}

/** Before anything runs, so that a check which is never reached is pending, too (specification 004). */
function* addPendingChecks({ ports, later }: Evaluator, eventContext: EventContext): Flow<void> {
  const mustPass = candidates(eventContext).filter((plan) => plan.hook.limits.untilPass);
  if (!eventContext.event.session || mustPass.length === 0) return;
  const added = new Map<string, Found>();
  for (const plan of mustPass) {
    const found = holdsNow(plan, eventContext);
    if (found !== false) added.set(plan.hook.id, found === true ? {} : found);
  }
  const { session } = eventContext.event;
  yield* wait(later.settledOf(session)); // a check that passed at the event before is not pending
  eventContext.pendingChecks = yield* wait(ports.store.pendingChecks(session, added));
}

/**
 * Store or enrich failed, so nothing more can be evaluated: what was answered by then stands, and every other hook that
 * would have run has failed, so its policy answers. A new round that cannot be counted is not begun (R8).
 */
function rest(ports: Ports, eventContext: EventContext, reason: string): Outcome {
  let outcome: Outcome = {};
  for (const plan of candidates(eventContext)) {
    const answered = eventContext.answers.get(plan);
    const own = answered ? current(answered, eventContext) : {};
    const isFinal =
      answered && (eventContext.judged.get(plan) === eventContext.version || !mayJudge(plan, eventContext));
    outcome = merge(outcome, isFinal ? own : merge(own, failureOf(plan, eventContext, { ports, reason })));
  }
  const { costs } = eventContext.row;
  if (!costs?.fields.some((field) => outcome[field] !== undefined)) return outcome;
  const { verdict, context: _uncounted, ...others } = outcome;
  const text = `${oneLine(verdict?.by ?? "a hook")} would go on, but that cannot be counted: ${reason}`;
  return merge(others, accept({ messages: [{ to: "person", text }] }, eventContext.acceptance, undefined).now);
}

function failureOf(
  plan: Plan,
  eventContext: EventContext,
  { ports, reason }: { ports: Ports; reason: string },
): Outcome {
  const { hook, guard } = plan;
  if (
    hook.report ||
    holdsNow(plan, eventContext) === false ||
    inBackground(plan, eventContext) ||
    refusalOf(hook, eventContext.event, ports, eventContext)
  )
    return {};
  const answer = policyOf(hook, reason);
  ports.observe?.({
    is: "run",
    run: { ...newRun(plan, eventContext, ports), status: "failed", reason, outcome: answer },
  });
  return inSafeWords(accept(answer, eventContext.acceptance, guard ? hook.id : undefined), hook, {
    handlers: plan.handlers,
    event: eventContext.event,
  }).now;
}

/** The decision stands although it could not be written down; the event then counts as interrupted. */
const unanswered = (): void => {};

/** An event for one hook alone has not happened to the conversation. */
const unmoved = (_event: HookEvent, before: Turn): Turn => before;

/** How the hooks ended that ran. */
const endsOf = ({ answers }: EventContext): RunStatus[] =>
  [...answers.values()].flatMap(({ run }) => (run.asked > 0 ? run.status : []));

function needsOf(plans: readonly Plan[]): ReadonlySet<string> {
  const [first, ...others] = plans.filter(({ needs }) => needs.size > 0);
  if (!first) return nothingNeeded;
  const needs = new Set(first.needs);
  for (const plan of others) for (const need of plan.needs) needs.add(need);
  return needs;
}

const nothingNeeded: ReadonlySet<string> = new Set();
