/** Asking the hooks of one event in order, and again after rewrites (R4, R5, R6). */
import { claimsOf, refusalOf } from "./admit.ts";
import { messageOf } from "./error.ts";
import { type Flow, wait } from "./flow.ts";
import { accept, isEmpty, type Outcome } from "./outcome.ts";
import { candidates, holdsNow, inBackground, newRun, type Passage } from "./passage.ts";
import type { Plan } from "./plan.ts";
import type { DetachedWork, Found, Item, Ports, Run } from "./ports.ts";
import { perform } from "./run.ts";

/** What asking needs from the engine. */
export interface Asking {
  ports: Ports;
  /** Takes over a program that detached itself. */
  handOver(item: Item, work: DetachedWork): Flow<void>;
}

/** Rounds of asking again after rewrites; then the answer is deny (R6). */
const roundsAtMost = 3;

export function* askAll(asking: Asking, passage: Passage): Flow<void> {
  for (const plan of candidates(passage)) {
    const holds = holdsNow(plan, passage);
    const owed = passage.debts.get(plan.hook.id);
    if (holds !== false || owed)
      yield* ask(asking, plan, passage, owed ?? (typeof holds === "object" ? holds : undefined));
  }
}

/** After a rewrite, every judging hook answers about the final input, whether or not it matched before (R6). */
export function* askAgain(asking: Asking, passage: Passage): Flow<void> {
  for (let round = 1; passage.version > 0 && !passage.denied; round++) {
    const waiting = candidates(passage).filter((plan) => mustJudge(plan, passage));
    const [first] = waiting;
    if (!first) return;
    if (round > roundsAtMost) return yield* denyUnsettled(asking, first, passage);
    for (const plan of waiting)
      if (!passage.denied && mustJudge(plan, passage)) yield* ask(asking, plan, passage, undefined);
  }
}

function mustJudge(plan: Plan, passage: Passage): boolean {
  if (!plan.judges || inBackground(plan, passage) || passage.judged.get(plan) === passage.version) return false;
  if (passage.rewrote.has(plan) && !plan.guard) return false;
  return holdsNow(plan, passage) !== false;
}

function* denyUnsettled({ ports }: Asking, plan: Plan, passage: Passage): Flow<void> {
  const reason = `the rewrites of the hooks did not settle within ${roundsAtMost} rounds`;
  const run = passage.answers.get(plan)?.run ?? newRun(plan, passage, ports);
  run.notes.push(reason);
  passage.denied = plan;
  passage.answers.set(plan, {
    outcome: { verdict: { is: "deny", reason, by: plan.hook.id } },
    version: passage.version,
    run,
  });
  yield* save(ports, { ...run, status: run.asked > 0 ? run.status : "skipped", reason });
}

/** Admission, run and delivery of one hook. A hook that is asked again is not admitted again. */
function* ask(asking: Asking, plan: Plan, passage: Passage, match: Found | undefined): Flow<void> {
  const { ports } = asking;
  const before = passage.answers.get(plan);
  if (!before) {
    const refusal = yield* admit(plan, passage, ports);
    passage.judged.set(plan, passage.version);
    if (refusal !== undefined) return yield* skip(ports, plan, passage, refusal);
    if (inBackground(plan, passage)) return yield* enqueue(ports, plan, passage);
  }
  const run = before?.run ?? newRun(plan, passage, ports);
  run.status = "running";
  run.asked += 1;
  yield* wait(ports.store.saveRun(run));
  yield* runAndDeliver(asking, plan, passage, run, match);
}

/** Claims come last: what they take, the run uses up (R21). */
function* admit(plan: Plan, passage: Passage, ports: Ports): Flow<string | undefined> {
  const refusal = refusalOf(plan.hook, passage.event, ports);
  if (refusal !== undefined) return refusal;
  const twin = passage.handlers.get(plan.handlerKey);
  if (twin) return `duplicate: the same handler ran as ${twin.hook.id}`;
  if (passage.denied) return `behind the deny of ${passage.denied.hook.id}`;
  const claims = claimsOf(plan.hook, passage.event);
  const refused = claims.length > 0 ? yield* wait(ports.store.claim(claims, ports.now())) : undefined;
  if (refused) return refused.refusal;
  passage.handlers.set(plan.handlerKey, plan);
  return undefined;
}

export function* skip(ports: Ports, plan: Plan, passage: Passage, reason: string): Flow<void> {
  yield* save(ports, { ...newRun(plan, passage, ports), status: "skipped", reason, ms: 0 });
}

export function* save(ports: Ports, run: Run): Flow<void> {
  yield* wait(ports.store.saveRun(run));
  ports.observe?.({ is: "run", run });
}

/** Runs a hook that was admitted and closes its row, whatever the hook does. */
function* runAndDeliver(asking: Asking, plan: Plan, passage: Passage, run: Run, match: Found | undefined): Flow<void> {
  const { ports } = asking;
  const { hook } = plan;
  const { event, caller } = passage;
  const started = ports.now();
  if (hook.status) ports.observe?.({ is: "status", hook, status: hook.status });
  const done = yield* perform(plan, { event, run: run.id, caller, ports, ...(match ? { match } : {}) });
  if (hook.status) ports.observe?.({ is: "status", hook, status: "" });
  run.status = done.status;
  run.steps = [...run.steps, ...done.steps];
  run.notes.push(...done.notes);
  run.outcome = done.outcome;
  if (done.reason !== undefined) run.reason = done.reason;
  if (done.detached) {
    run.notes.push("it went on by itself: its answer is not waited for");
    return yield* asking.handOver({ run, hook, event }, done.detached);
  }
  run.ms = (run.ms ?? 0) + (ports.now() - started);
  const later = deliver(plan, passage, run, done.outcome);
  if (event.session) {
    if (!isEmpty(later)) yield* wait(ports.store.post(event.session, later));
    const passed = done.status === "completed" && done.outcome.verdict?.is !== "deny";
    if (hook.limits.untilPass && passed) yield* wait(ports.store.paid(event.session, hook.id));
  } else if (!isEmpty(later)) run.notes.push("nothing can be delivered later: the event has no session");
  yield* save(ports, run);
}

/** Puts an answer where the sender can take it; answers with what has to wait in the inbox. */
function deliver(plan: Plan, passage: Passage, run: Run, outcome: Outcome): Outcome {
  const { now, later, notes } = accept(outcome, passage.acceptance, plan.guard);
  run.notes.push(...notes);
  passage.judged.set(plan, passage.version); // what it was asked about, so a guard judges its own rewrite too
  rewrite(plan, passage, now);
  passage.answers.set(plan, { outcome: now, version: passage.version, run });
  if (now.verdict?.is === "deny") passage.denied = plan;
  return later;
}

/** Later hooks see what this one wrote (R6). An equal input is no rewrite. */
function rewrite(plan: Plan, passage: Passage, now: Outcome): void {
  const { updatedInput, updatedOutput } = passage.row.rewrites ?? {};
  const { data } = passage.event;
  if (updatedInput && now.updatedInput && JSON.stringify(now.updatedInput) !== JSON.stringify(data[updatedInput])) {
    passage.event = { ...passage.event, data: { ...data, [updatedInput]: now.updatedInput } };
    passage.version += 1;
    passage.rewrote.add(plan);
  }
  if (updatedOutput && now.updatedOutput !== undefined) {
    passage.event = { ...passage.event, data: { ...passage.event.data, [updatedOutput]: now.updatedOutput } };
  }
}

function* enqueue(ports: Ports, plan: Plan, passage: Passage): Flow<void> {
  const owner = ports.queue.owner?.();
  const run: Run = { ...newRun(plan, passage, ports), ...(owner ? { owner } : {}) };
  yield* wait(ports.store.saveRun(run));
  const { event, caller } = passage;
  try {
    const taken = yield* wait(ports.queue.add({ run, hook: plan.hook, event }, caller));
    if (taken.is === "skipped") return yield* save(ports, { ...run, status: "skipped", reason: taken.reason, ms: 0 });
  } catch (error) {
    return yield* save(ports, {
      ...run,
      status: "failed",
      reason: `it could not be queued: ${messageOf(error)}`,
      ms: 0,
    });
  }
  ports.observe?.({ is: "run", run });
}
