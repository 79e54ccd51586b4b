/** Runs that nobody waits for: one queued item from start to end, and programs that went on by themselves. */
import { claimsOf } from "./admit.ts";
import { save } from "./ask.ts";
import { messageOf } from "./error.ts";
import type { Counter, Instant } from "./event.ts";
import { type Flow, go, wait } from "./flow.ts";
import type { Outcome } from "./outcome.ts";
import { planHook } from "./plan.ts";
import type { Caller, DetachedWork, Item, Ports, StepResult } from "./ports.ts";
import { addTokens, type Run, type RunStatus } from "./record.ts";
import { perform, type Report } from "./run.ts";
import { type Occasion, sharedScope } from "./step-context.ts";

/** Never rejects: a failure closes the run. What is no longer this worker's is left as it stands. */
export async function performItem(ports: Ports, item: Item, caller: Caller): Promise<void> {
  try {
    await go(runItem(ports, item, caller));
  } catch (error) {
    if (!caller.steps?.isLost()) await closeFailed(ports, item.run, messageOf(error), caller);
  }
}

function* runItem(ports: Ports, item: Item, caller: Caller): Flow<void> {
  const { event, hook } = item;
  const plan = planHook(hook, ports.registryAt?.(event) ?? ports.registry, ports.patterns);
  const { started, refused } = yield* admit(ports, item, caller);
  const run: Run = {
    ...item.run,
    status: "running",
    asked: 1,
    startedAt: hook.durable ? started : item.run.startedAt,
    ...(ports.owner ? { owner: ports.owner } : {}),
  };
  if (refused !== undefined)
    return yield* write(ports, { ...run, asked: 0, status: "skipped", reason: refused, ms: 0 }, caller);
  yield* hook.durable ? write(ports, run, caller) : wait(ports.store.saveRun(run));
  const occasion: Occasion = { event, caller, ports };
  const match = plan.condition?.test(sharedScope(occasion));
  const found = typeof match === "object" ? match : undefined;
  const done = yield* perform(plan, occasion, run.id, found, caller.steps && reportTo(ports, run, caller));
  if (caller.steps?.isLost()) return;
  const rest = done.detached ? yield* wait(done.detached.done) : undefined;
  run.status = rest ? statusOf(rest) : done.status;
  const reason = rest && !rest.ok ? rest.reason : done.reason;
  if (reason !== undefined) run.reason = reason;
  run.steps = done.steps;
  addTokens(run);
  run.notes = [...run.notes, ...done.notes];
  run.outcome = done.outcome;
  run.ms = ports.now() - started;
  const notices = noticesOf(item, run, done.outcome);
  yield* write(ports, run, caller);
  for (const { outcome, counter } of notices)
    if (event.session) yield* wait(ports.store.post(event.session, outcome, counter));
}

interface Admitted {
  started: Instant;
  refused?: string;
}

/** The limits are taken once for each run, however often it is begun again. */
function* admit(ports: Ports, { event, hook }: Item, { steps }: Caller): Flow<Admitted> {
  const claims = claimsOf(hook, event);
  const take = async (): Promise<Admitted> => {
    const started = ports.now();
    const refused = claims.length > 0 ? await ports.store.claim(claims, started) : undefined;
    return { started, ...(refused ? { refused: refused.refusal } : {}) };
  };
  return yield* wait(steps ? steps.step("admission", take) : take());
}

/** Puts a run's row where it is looked at, as long as the run is this worker's. */
function* write(ports: Ports, run: Run, { steps }: Caller): Flow<void> {
  if (!steps) return yield* save(ports, run);
  yield* wait(steps.save(run));
  ports.observe?.({ is: "run", run });
}

/** The row fills as the run goes on, so that what was gathered stands in it whatever becomes of the rest (A47). */
const reportTo =
  (ports: Ports, run: Run, caller: Caller): Report =>
  async (steps) => {
    const sofar: Run = { ...run, steps: [...steps] };
    addTokens(sofar);
    await go(write(ports, sofar, caller));
  };

const statusOf = (result: StepResult): RunStatus =>
  result.ok ? "completed" : result.failure === "timeout" ? "timeout" : "failed";

/** Rewake: a block becomes a notice for the model. Otherwise what it says goes along, and its verdict nowhere. */
function noticesOf({ hook }: Item, run: Run, outcome: Outcome): { outcome: Outcome; counter?: Counter }[] {
  const { verdict, context = [], messages } = outcome;
  const blocks = hook.mode === "rewake" && verdict?.is === "deny";
  if (verdict && !blocks) run.notes.push(`nobody waited for its ${verdict.is}`);
  const told = blocks ? [`${hook.name}: ${verdict.reason ?? "it found a problem"}`, ...context] : context;
  return [
    ...(told.length > 0 ? [{ outcome: { context: told }, counter: "rewakes" as const }] : []),
    ...(messages ? [{ outcome: { messages } }] : []),
  ];
}

/** An item that was accepted but will not run. Never rejects. */
export async function dropItem(ports: Ports, { run }: Item, reason: string): Promise<void> {
  try {
    await go(save(ports, { ...run, status: "skipped", reason, ms: 0 }));
  } catch (error) {
    await closeFailed(ports, run, messageOf(error));
  }
}

/** Closes the run of a program that detached itself, once it has ended. Never rejects. */
export async function finishDetached(ports: Ports, run: Run, work: DetachedWork["done"]): Promise<void> {
  try {
    const result = await work;
    const ended: Run = { ...run, status: statusOf(result), ms: ports.now() - run.startedAt };
    await go(save(ports, result.ok ? ended : { ...ended, reason: result.reason }));
  } catch (error) {
    await closeFailed(ports, run, messageOf(error));
  }
}

async function closeFailed(ports: Ports, run: Run, reason: string, caller: Caller = {}): Promise<void> {
  const failed: Run = { ...run, status: "failed", reason, ms: ports.now() - run.startedAt };
  try {
    await go(write(ports, failed, caller));
  } catch {
    ports.observe?.({ is: "run", run: failed }); // the store itself fails; repair closes the row at the next start
  }
}
