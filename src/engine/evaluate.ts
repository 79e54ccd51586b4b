/** Evaluates the hooks of one event in order, and again after rewrites (R4, R5, R6). */
import { accept } from "./accept.ts";
import { claimFor, refusalOf } from "./admit.ts";
import { enqueue, save } from "./background.ts";
import { type Counted, counted } from "./counting.ts";
import { isOfStore } from "./error.ts";
import type { Instead } from "./event.ts";
import {
  type Answer,
  askAhead,
  candidates,
  duplicateOf,
  type EventContext,
  holdsNow,
  inBackground,
  newRun,
  remember,
  sharedScope,
  stepScopeOf,
  watch,
} from "./event-context.ts";
import { fingerprint } from "./fingerprint.ts";
import { type Flow, go, wait } from "./flow.ts";
import { type Hook, isOfUser, layers } from "./hook.ts";
import { inSafeWords, unsureIn } from "./hook-words.ts";
import type { Later } from "./later.ts";
import { isEmpty, merge, mergeField, type Outcome } from "./outcome.ts";
import { type Plan, scopeOf } from "./plan.ts";
import { type Caller, type DetachedWork, elapsed, type Item, type Ports } from "./ports.ts";
import { addTokens, type Found, type Run, type RunStatus } from "./record.ts";
import { perform, policyOf } from "./run.ts";

/** What evaluation needs of the engine. */
export interface Evaluator {
  ports: Ports;
  later: Later;
  /** Takes over a program that detached itself. */
  handOver(item: Item, work: DetachedWork, caller: Caller): Flow<void>;
}

/** Rounds of evaluation after rewrites; then the answer is deny (R6). */
const roundsAtMost = 3;

export function* evaluateAll(evaluator: Evaluator, eventContext: EventContext): Flow<void> {
  let asked: Set<Plan> | undefined;
  let reached = 0;
  const plans = candidates(eventContext);
  for (const plan of plans) {
    reached += 1;
    if (asked?.has(plan)) continue;
    let holds = yield* reach(evaluator, plan, eventContext);
    if (isUnsure(holds) && reached < plans.length) {
      asked ??= new Set();
      yield* askKnowing(evaluator, plans.slice(reached), eventContext, asked);
      holds = holdsAfresh(plan, eventContext);
    }
    if (holds !== undefined) yield* answerOf(evaluator, plan, eventContext, holds);
  }
}

const isUnsure = (holds: Found | boolean | undefined): boolean =>
  typeof holds === "object" && unsureIn(holds) !== undefined;

/** A guard that knows what is wrong is asked before a hook that only cannot tell: its reason is the better one (R87). */
function* askKnowing(
  evaluator: Evaluator,
  behind: readonly Plan[],
  eventContext: EventContext,
  asked: Set<Plan>,
): Flow<void> {
  for (const plan of behind) {
    if (eventContext.denied) return;
    if (!plan.guard || asked.has(plan) || inBackground(plan, eventContext)) continue;
    if (plan.ask) yield* askAhead([plan], eventContext);
    const found = holdsAfresh(plan, eventContext);
    if (found === false || isUnsure(found)) continue;
    asked.add(plan);
    const holds = yield* reach(evaluator, plan, eventContext);
    if (holds !== undefined) yield* answerOf(evaluator, plan, eventContext, holds);
  }
}

/** @returns what its condition finds; undefined: it has denied the call as it was asked */
function* reach(evaluator: Evaluator, plan: Plan, eventContext: EventContext): Flow<Found | boolean | undefined> {
  if (eventContext.version > 0 && plan.guard) yield* judgeOriginal(evaluator, plan, eventContext);
  if (eventContext.denied === plan) return undefined;
  if (plan.ask) yield* askAhead([plan], eventContext);
  return holdsAfresh(plan, eventContext);
}

/** @param holds what its condition has found */
function* answerOf(evaluator: Evaluator, plan: Plan, eventContext: EventContext, holds: Found | boolean): Flow<void> {
  const pending = eventContext.pendingChecks.get(plan.hook.id);
  if (holds !== false || pending)
    yield* evaluate(evaluator, plan, eventContext, pending ?? (typeof holds === "object" ? holds : undefined));
  else if (
    eventContext.version > 0 &&
    !eventContext.answers.has(plan) &&
    plan.open?.(scopeOf(eventContext.original)) !== false
  ) {
    skip(evaluator, plan, eventContext, "the input was rewritten before it was reached, and no longer matches");
  } else yield* reportFaults(evaluator, plan, eventContext);
}

/**
 * A guard that comes after a rewrite judges what was asked, too: the rewrite may have made it look like another call. Not where the
 * hook that rewrote it answers for the call (R94).
 */
function* judgeOriginal(evaluator: Evaluator, plan: Plan, eventContext: EventContext): Flow<void> {
  if (inBackground(plan, eventContext) || isReplaced(plan, eventContext)) return;
  const { event, version } = eventContext;
  eventContext.event = eventContext.original;
  eventContext.version = 0;
  eventContext.asksOriginal = true;
  try {
    if (plan.ask) yield* askAhead([plan], eventContext);
    const holds = holdsAfresh(plan, eventContext);
    if (holds === false) yield* reportFaults(evaluator, plan, eventContext);
    else yield* evaluate(evaluator, plan, eventContext, typeof holds === "object" ? holds : undefined);
  } finally {
    eventContext.event = event;
    eventContext.version = version;
    delete eventContext.asksOriginal;
  }
}

/** Whether a hook of its own layer or of one above has rewritten the call and answers for it. */
const isReplaced = ({ hook }: Plan, { rewrote }: EventContext): boolean =>
  rewrote !== undefined &&
  [...rewrote].some(
    ({ hook: { replaces, origin } }) => replaces && layers.indexOf(origin.layer) <= layers.indexOf(hook.origin.layer),
  );

/** What others could not test is not this hook's fault. */
function holdsAfresh(plan: Plan, eventContext: EventContext): Found | boolean {
  if (!plan.open) return true;
  const { faults } = sharedScope(stepScopeOf(eventContext));
  if (faults && faults.length > 0) faults.splice(0);
  return holdsNow(plan, eventContext);
}

/**
 * A condition that could not be tested does not hold. That is recorded once in a session for each hook and fault, not on every
 * event. A guard does not let pass what it cannot judge: it has failed, each time, and its policy answers. Of a must-pass check
 * the person is notified.
 */
function* reportFaults(evaluator: Evaluator, plan: Plan, eventContext: EventContext): Flow<void> {
  const { ports } = evaluator;
  const [fault] = sharedScope(stepScopeOf(eventContext)).faults?.splice(0) ?? [];
  if (fault === undefined) return;
  const reason = `its condition cannot be tested: ${fault}`;
  const isActive =
    !inBackground(plan, eventContext) && refusalOf(plan.hook, eventContext.event, ports, eventContext) === undefined;
  if (isActive && plan.guard) return yield* failUntested(evaluator, plan, eventContext, reason);
  const key = `fault:${eventContext.event.session ?? ""}:${plan.hook.id}:${fingerprint(fault)}`;
  const hasToPass = isActive && plan.hook.limits.untilPass;
  if (!hasToPass) return skipOnce(evaluator, plan, eventContext, { reason, key });
  if (yield* isReported(ports, key)) return skip(evaluator, plan, eventContext, reason);
  reportUntested(evaluator, plan, eventContext, reason);
}

/** A fault that cannot be counted is reported again. */
function* isReported({ store, now }: Ports, key: string): Flow<boolean> {
  try {
    return (yield* wait(store.claim([{ key, max: 1, refusal: "reported before" }], now()))) !== undefined;
  } catch (error) {
    if (isOfStore(error)) return false;
    throw error;
  }
}

interface Unreported {
  reason: string;
  /** Of the claim that says whether it was reported before in this session. */
  key: string;
}

function skipOnce(
  { ports, later }: Evaluator,
  plan: Plan,
  eventContext: EventContext,
  { reason, key }: Unreported,
): void {
  const run = skipped(plan, eventContext, ports, reason);
  function* saveOnce(): Flow<void> {
    if (!(yield* isReported(ports, key))) yield* save(ports, run);
  }
  later.put(eventContext, () => go(saveOnce()));
}

function reportUntested(evaluator: Evaluator, plan: Plan, eventContext: EventContext, reason: string): void {
  const outcome: Outcome = { messages: [{ to: "person", text: `${plan.hook.name} was not run: ${reason}` }] };
  const run: Run = { ...skipped(plan, eventContext, evaluator.ports, reason), outcome };
  const waits = deliver(plan, eventContext, run, { outcome });
  evaluator.later.save(eventContext, run);
  post(evaluator, eventContext, waits);
}

/** It goes with a later event of the session. */
function post({ ports, later }: Evaluator, eventContext: EventContext, outcome: Outcome): void {
  const { session } = eventContext.event;
  if (session && !isEmpty(outcome)) later.put(eventContext, () => ports.store.post(session, outcome));
}

function* failUntested(
  { ports, later }: Evaluator,
  plan: Plan,
  eventContext: EventContext,
  reason: string,
): Flow<void> {
  if (eventContext.denied) return;
  const outcome = policyOf(plan.hook, reason);
  const run: Run = { ...newRun(plan, eventContext, ports), status: "failed", reason, outcome, asked: 1, ms: 0 };
  deliver(plan, eventContext, run, yield* counted(plan, eventContext, run, ports));
  later.save(eventContext, run);
}

/** After a rewrite, every judging hook answers about the final input, whether or not it matched before (R6). */
export function* evaluateAgain(evaluator: Evaluator, eventContext: EventContext): Flow<void> {
  liftReplaced(eventContext);
  for (let round = 1; eventContext.version > 0 && !eventContext.denied; round++) {
    yield* askAhead(candidates(eventContext), eventContext);
    for (const plan of candidates(eventContext).filter(isUnjudgedGuard(eventContext)))
      if (holdsAfresh(plan, eventContext) === false) yield* reportFaults(evaluator, plan, eventContext);
    if (eventContext.denied) return;
    const waiting = candidates(eventContext).filter((plan) => mustJudge(plan, eventContext));
    const [first] = waiting;
    if (!first) return;
    if (round > roundsAtMost) return denyUnsettled(evaluator, first, eventContext);
    for (const plan of waiting) {
      if (plan.ask) yield* askAhead([plan], eventContext);
      const holds = !eventContext.denied && mustJudge(plan, eventContext) && holdsNow(plan, eventContext);
      if (holds !== false)
        yield* evaluate(evaluator, plan, eventContext, typeof holds === "object" ? holds : undefined);
    }
  }
}

/** Where the hook that rewrote the call answers for it, what guards said before the rewrite is no longer about this call. */
function liftReplaced(eventContext: EventContext): void {
  for (const [plan, answer] of eventContext.answers) {
    const { outcome, run, version } = answer;
    const isOld = plan.guard && version < eventContext.version && outcome.verdict?.is === "ask";
    if (!isOld || eventContext.rewrote?.has(plan) || !isReplaced(plan, eventContext)) continue;
    run.notes.push("its ask does not count: a hook that answers for the call has replaced it");
    const { verdict: _lifted, ...rest } = outcome;
    eventContext.answers.set(plan, { outcome: rest, version, run });
  }
}

/** Its condition is tested on the final input, too: that it can no longer be tested is no permission. */
const isUnjudgedGuard =
  (eventContext: EventContext) =>
  (plan: Plan): boolean =>
    plan.guard && mayJudge(plan, eventContext) && eventContext.judged.get(plan) !== eventContext.version;

const mustJudge = (plan: Plan, eventContext: EventContext): boolean =>
  mayJudge(plan, eventContext) &&
  eventContext.judged.get(plan) !== eventContext.version &&
  holdsNow(plan, eventContext) !== false;

/** Whether R6 evaluates it again: not itself the writer (unless a guard), and not refused before. */
export const mayJudge = (plan: Plan, eventContext: EventContext): boolean =>
  plan.judges &&
  !inBackground(plan, eventContext) &&
  !isOutOfTurn(plan, eventContext) &&
  !(eventContext.rewrote?.has(plan) && !plan.guard);

/** It was refused. A duplicate answers itself where the one in whose place it stood no longer matches. */
function isOutOfTurn(plan: Plan, eventContext: EventContext): boolean {
  if (!eventContext.refused?.has(plan)) return false;
  const first = eventContext.refused.get(plan);
  return first === undefined || holdsNow(first, eventContext) !== false;
}

function denyUnsettled({ ports, later }: Evaluator, plan: Plan, eventContext: EventContext): void {
  const reason = `the rewrites of the hooks did not settle within ${roundsAtMost} rounds`;
  const run = eventContext.answers.get(plan)?.run ?? newRun(plan, eventContext, ports);
  run.notes.push(reason);
  eventContext.denied = plan;
  eventContext.answers.set(plan, {
    outcome: { verdict: { is: "deny", reason, by: plan.hook.id } },
    version: eventContext.version,
    run,
  });
  later.save(eventContext, { ...run, status: run.asked > 0 ? run.status : "skipped", reason });
}

/** Admission, run and delivery of one hook. A hook that is evaluated again is not admitted again. */
function* evaluate(evaluator: Evaluator, plan: Plan, eventContext: EventContext, match: Found | undefined): Flow<void> {
  const { ports } = evaluator;
  const before = eventContext.answers.get(plan);
  if (!before) {
    const first = eventContext.refused?.has(plan) ? undefined : duplicateOf(plan, eventContext.handlers);
    const { instead } = eventContext.event.to ?? {};
    const unable = unadmitted(plan, eventContext, { ports, first });
    const refusal = unable ?? instead?.because ?? (yield* admit(plan, eventContext, ports));
    eventContext.judged.set(plan, eventContext.version);
    if (refusal !== undefined) {
      eventContext.refused ??= new Map();
      eventContext.refused.set(plan, first);
      return skip(evaluator, plan, eventContext, refusal, unable === undefined ? instead?.is : "skipped");
    }
    eventContext.refused?.delete(plan);
    if (inBackground(plan, eventContext))
      return enqueue(evaluator, newRun(plan, eventContext, ports), plan.hook, eventContext);
  }
  const run = before?.run ?? newRun(plan, eventContext, ports);
  run.status = "running";
  run.asked += 1;
  evaluator.later.keep(eventContext, run);
  yield* runAndDeliver(evaluator, plan, eventContext, run, match);
  watch(eventContext, ports);
}

/** Claims come last: what they take, the run uses up (R21). */
function* admit(plan: Plan, eventContext: EventContext, ports: Ports): Flow<string | undefined> {
  const refusal = inBackground(plan, eventContext) ? undefined : yield* claimFor(plan.hook, eventContext.event, ports); // a queued run claims when it starts
  if (refusal !== undefined) return refusal;
  remember(plan, eventContext.handlers);
  return undefined;
}

/** Why it may not run, before anything is claimed. */
function unadmitted(
  { hook }: Plan,
  eventContext: EventContext,
  { ports, first }: { ports: Ports; first: Plan | undefined },
): string | undefined {
  const { event, denied, notPassed } = eventContext;
  const refusal = refusalOf(hook, event, ports, eventContext);
  if (refusal !== undefined) return refusal;
  if (first) return `duplicate: the same handler ran as ${first.hook.id}`;
  if (denied && !isAbove(hook, denied.hook)) return `behind the deny of ${denied.hook.name}`;
  if (notPassed && hook.limits.untilPass && !isAbove(hook, notPassed.hook))
    return `it waits for ${notPassed.hook.name} to pass`;
  return undefined;
}

/** A hook of the user's does not wait for one of a project, and runs behind its deny, too (R29). */
const isAbove = (hook: Hook, other: Hook): boolean => isOfUser(hook) && !isOfUser(other);

export function skip(
  { ports, later }: Evaluator,
  plan: Plan,
  eventContext: EventContext,
  reason: string,
  is: Instead["is"] = "skipped",
): void {
  later.save(eventContext, { ...skipped(plan, eventContext, ports, reason), status: is });
}

const skipped = (plan: Plan, eventContext: EventContext, ports: Ports, reason: string): Run => ({
  ...newRun(plan, eventContext, ports),
  status: "skipped",
  reason,
  ms: 0,
});

/** Runs a hook that was admitted and closes its row, whatever the hook does. */
function* runAndDeliver(
  evaluator: Evaluator,
  plan: Plan,
  eventContext: EventContext,
  run: Run,
  match: Found | undefined,
): Flow<void> {
  const { ports, later } = evaluator;
  const { hook } = plan;
  const { event, caller } = eventContext;
  const started = elapsed(ports);
  if (hook.status) ports.observe?.({ is: "status", hook, status: hook.status });
  const done = yield* perform(plan, stepScopeOf(eventContext), { run: run.id, match });
  if (hook.status) ports.observe?.({ is: "status", hook, status: "" });
  run.status = done.status;
  run.steps = run.asked === 1 ? done.steps : [...run.steps, ...done.steps];
  addTokens(run);
  run.notes.push(...done.notes);
  run.outcome = done.outcome;
  if (done.reason !== undefined) run.reason = done.reason;
  const said = yield* counted(plan, eventContext, run, ports);
  if (done.detached) {
    run.notes.push("it went on by itself: its answer is not waited for");
    const item: Item = { run, hook, event };
    const { detached } = done;
    return later.put(eventContext, () => go(evaluator.handOver(item, detached, caller)));
  }
  run.ms = (run.ms ?? 0) + ((done.ended ?? elapsed(ports)) - started);
  const waits = deliver(plan, eventContext, run, said);
  if (!event.session && !isEmpty(waits)) run.notes.push("nothing can be delivered later: the event has no session");
  later.save(eventContext, run); // before anything else that may fail: no run stays open
  const passed = done.status === "completed" && said.outcome.verdict?.is !== "deny";
  const { notPassed } = eventContext;
  if (hook.limits.untilPass && !passed && (!notPassed || isAbove(hook, notPassed.hook))) eventContext.notPassed = plan;
  const { session } = event;
  if (!session) return;
  post(evaluator, eventContext, waits);
  if (hook.limits.untilPass && passed) later.put(eventContext, () => ports.store.checkPassed(session, hook.id));
}

/** The second answer of a hook replaces its first, but what it said to the model and the person stays said (R5). */
function repeated(before: Answer | undefined, outcome: Outcome, status: RunStatus): Outcome {
  if (!before) return outcome;
  const { context, messages, verdict } = before.outcome;
  const stands = status !== "completed" && verdict && (verdict.is === "deny" || verdict.is === "ask");
  return {
    ...(context ? { context } : {}),
    ...(messages ? { messages } : {}),
    ...outcome,
    ...(stands
      ? { verdict: merge({ verdict }, { ...(outcome.verdict ? { verdict: outcome.verdict } : {}) }).verdict ?? verdict }
      : {}),
  };
}

const guardOf = ({ guard, hook }: Plan): string | undefined => (guard ? hook.id : undefined);

/** Puts an answer where the sender can take it; answers with what has to wait in the inbox. */
function deliver(plan: Plan, eventContext: EventContext, run: Run, { outcome, told, added }: Counted): Outcome {
  const answer = inSafeWords(accept(outcome, eventContext.acceptance, guardOf(plan)), plan.hook, {
    handlers: plan.handlers,
    event: eventContext.event,
  });
  const { later, notes } = answer;
  run.notes.push(...notes);
  const { verdict } = answer.now;
  if (added !== undefined && verdict) answer.now.verdict = { ...verdict, reason: joined(verdict.reason, added) };
  if (told) mergeField(answer.now, "messages", [told]); // whatever room the hook's own words have left
  const before = eventContext.answers.get(plan);
  if (eventContext.asksOriginal) {
    delete answer.now.updatedInput;
    delete answer.now.updatedOutput;
  }
  const isSevere = verdict?.is === "deny" || verdict?.is === "ask";
  const asked = eventContext.version === 0 ? (isSevere ? answer.now.verdict : undefined) : before?.asked;
  const now = repeated(before, answer.now, run.status);
  if (asked && plan.guard && eventContext.version > 0 && !isReplaced(plan, eventContext))
    now.verdict = merge({ verdict: asked }, now.verdict ? { verdict: now.verdict } : {}).verdict ?? asked;
  eventContext.judged.set(plan, eventContext.version); // what it was evaluated on, so a guard judges its own rewrite too
  rewrite(plan, eventContext, now);
  eventContext.answers.set(plan, { outcome: now, version: eventContext.version, run, ...(asked ? { asked } : {}) });
  if (now.verdict?.is === "deny") eventContext.denied = plan;
  return later;
}

const joined = (reason: string | undefined, added: string): string => (reason ? `${reason}\n${added}` : added);

/** Later hooks see what this one wrote (R6). An equal input is no rewrite. */
function rewrite(plan: Plan, eventContext: EventContext, now: Outcome): void {
  const { updatedInput, updatedOutput } = eventContext.row.rewrites ?? {};
  const { data } = eventContext.event;
  if (updatedInput && now.updatedInput && JSON.stringify(now.updatedInput) !== JSON.stringify(data[updatedInput])) {
    eventContext.event = { ...eventContext.event, data: { ...data, [updatedInput]: now.updatedInput } };
    eventContext.version += 1;
    eventContext.rewrote ??= new Set();
    eventContext.rewrote.add(plan);
  }
  if (updatedOutput && now.updatedOutput !== undefined) {
    eventContext.event = {
      ...eventContext.event,
      data: { ...eventContext.event.data, [updatedOutput]: now.updatedOutput },
    };
  }
}
