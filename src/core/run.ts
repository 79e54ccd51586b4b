/** One hook's steps in order, with their limits and the failure policy. Never throws. */
import { messageOf } from "./error.ts";
import type { HookEvent, Instant, Seconds } from "./event.ts";
import { type Flow, isThenable, wait } from "./flow.ts";
import type { Hook } from "./hook.ts";
import { merge, type Outcome } from "./outcome.ts";
import type { Plan, PlannedStep } from "./plan.ts";
import { scopeOf } from "./plan.ts";
import type {
  Caller,
  DetachedWork,
  Found,
  Ports,
  RunStatus,
  Scope,
  StepContext,
  StepRecord,
  StepResult,
} from "./ports.ts";

export interface Performed {
  status: RunStatus;
  reason?: string;
  outcome: Outcome;
  steps: StepRecord[];
  notes: string[];
  /** The last step goes on by itself; this run is closed when it ends. */
  detached?: DetachedWork;
}

export interface Performance {
  event: HookEvent;
  run: string;
  caller: Caller;
  ports: Ports;
  match?: Found;
}

/** How long a handler may take to notice that its time is over; then it is left behind. */
const grace: Seconds = 3;

/** Runs the plan's steps. The outcome already holds what the failure policy answers. */
export function* perform(plan: Plan, performance: Performance): Flow<Performed> {
  const { hook } = plan;
  const fault = plan.fault();
  if (fault !== undefined) return failed(hook, "failed", fault, {}, [], []);
  const records: StepRecord[] = [];
  const notes: string[] = [];
  const until = hook.limits.timeout === undefined ? undefined : performance.ports.now() + hook.limits.timeout * 1000;
  let scope = scopeOf(performance.event, performance.match);
  let outcome: Outcome = {};
  for (const planned of plan.steps()) {
    if (planned.skipIf && planned.skipIf(scope) !== false) {
      return {
        status: "skipped",
        reason: `step ${records.length} was skipped by its condition`,
        outcome,
        steps: records,
        notes,
      };
    }
    const started = performance.ports.now();
    const { result, signalled } = yield* runStep(planned, scope, hook, performance, until);
    records.push(recordOf(planned, result, performance.ports.now() - started));
    notes.push(...(result.notes ?? []));
    if (result.outcome) outcome = merge(outcome, signed(result.outcome, hook));
    if (!result.ok && planned.step.onError === "stop") {
      const status = signalled === "cancelled" ? "cancelled" : result.failure === "timeout" ? "timeout" : "failed";
      return failed(hook, status, `${result.failure}: ${result.reason}`, outcome, records, notes);
    }
    if (result.ok && result.detached)
      return { status: "running", outcome, steps: records, notes, detached: result.detached };
    scope = { ...scope, results: records };
  }
  return { status: "completed", outcome, steps: records, notes };
}

/** What a hook's failure answers (R17). */
export function policyOf(hook: Hook, reason: string): Outcome {
  if (hook.onFailure === "continue") return {};
  const is = hook.onFailure === "ask" ? "ask" : "deny";
  return { verdict: { is, reason: `the hook ${hook.name} failed (${reason})`, by: hook.id } };
}

function failed(
  hook: Hook,
  status: RunStatus,
  reason: string,
  outcome: Outcome,
  steps: StepRecord[],
  notes: string[],
): Performed {
  return { status, reason, outcome: merge(outcome, policyOf(hook, reason)), steps, notes };
}

/** A verdict always names its hook, whatever the handler wrote. */
const signed = (outcome: Outcome, hook: Hook): Outcome =>
  outcome.verdict && outcome.verdict.by !== hook.id
    ? { ...outcome, verdict: { ...outcome.verdict, by: hook.id } }
    : outcome;

const recordOf = ({ step }: PlannedStep, result: StepResult, ms: number): StepRecord => ({
  uses: step.uses,
  ok: result.ok,
  output: result.output,
  ms,
  ...(result.ok ? {} : { failure: result.failure, reason: result.reason }),
  ...(result.evidence ? { evidence: result.evidence } : {}),
});

type Signalled = "timeout" | "cancelled" | undefined;

function* runStep(
  planned: PlannedStep,
  scope: Scope,
  hook: Hook,
  performance: Performance,
  until: Instant | undefined,
): Flow<{ result: StepResult; signalled: Signalled }> {
  const limit = limitOf(planned, performance, until);
  const stop = stopSignal(performance.caller.signal);
  const context: StepContext = {
    event: performance.event,
    hook,
    scope,
    run: performance.run,
    timeout: limit,
    caller: performance.caller,
    ports: performance.ports,
    get signal() {
      return stop.signal();
    },
  };
  let signalled: Signalled;
  const clock = { pending: () => {} };
  try {
    const working = planned.handler.run(planned.render(scope), context);
    const result = isThenable(working)
      ? yield* wait(
          within(
            limit,
            performance.ports,
            clock,
            working,
            (why) => {
              signalled = why;
              stop.abort();
            },
            performance.caller.signal,
          ),
        )
      : working;
    if (signalled && result.ok) result.detached?.end();
    return { result: signalled ? asStopped(result, signalled, limit) : result, signalled };
  } catch (error) {
    return { result: { ok: false, output: {}, failure: "error", reason: messageOf(error) }, signalled };
  } finally {
    clock.pending();
    stop.release();
  }
}

/** The least of what the step, the whole run and the caller still allow. */
const limitOf = ({ step }: PlannedStep, { caller, ports }: Performance, until: Instant | undefined): Seconds => {
  const ends = Math.min(until ?? Number.POSITIVE_INFINITY, caller.deadline ?? Number.POSITIVE_INFINITY);
  return Math.min(step.timeout, Math.max(0, (ends - ports.now()) / 1000));
};

const asStopped = (result: StepResult, why: "timeout" | "cancelled", limit: Seconds): StepResult => ({
  ...result,
  ok: false,
  failure: why === "timeout" ? "timeout" : "error",
  reason: why === "timeout" ? `it did not end within ${Math.round(limit * 100) / 100} s` : "the caller gave up",
  outcome: {}, // whatever it had said by then came too late (C70a)
});

/**
 * Waits for the work until its limit, asks it to stop, and waits a little more. The timer is referenced: a process
 * that waits for nothing else would otherwise exit 0 with no answer, which agents read as allow.
 */
function within(
  limit: Seconds,
  ports: Ports,
  clock: { pending: () => void },
  working: PromiseLike<StepResult>,
  stopFor: (why: "timeout" | "cancelled") => void,
  given: AbortSignal | undefined,
): Promise<StepResult> {
  return new Promise((resolve, reject) => {
    const end = (why: "timeout" | "cancelled"): void => {
      clock.pending();
      stopFor(why);
      clock.pending = ports.after(grace * 1000, () =>
        resolve({ ok: false, output: {}, failure: "timeout", reason: "it did not stop" }),
      );
    };
    const cancelled = (): void => end("cancelled");
    clock.pending = ports.after(Math.min(limit * 1000, longestTimer), () => {
      given?.removeEventListener("abort", cancelled);
      end("timeout");
    });
    if (given?.aborted) cancelled();
    else given?.addEventListener("abort", cancelled, { once: true });
    const settled = (): void => given?.removeEventListener("abort", cancelled);
    working.then(
      (result) => {
        settled();
        resolve(result);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}
/** Timers hold 31 bits of milliseconds; beyond that they fire at once. */
const longestTimer = 2 ** 31 - 1;

/** An abort signal that exists only if somebody asks for it. */
function stopSignal(given: AbortSignal | undefined): { signal(): AbortSignal; abort(): void; release(): void } {
  let controller: AbortController | undefined;
  let stopped = given?.aborted ?? false;
  return {
    signal() {
      controller ??= new AbortController();
      if (stopped) controller.abort();
      return controller.signal;
    },
    abort() {
      stopped = true;
      controller?.abort();
    },
    release() {
      controller = undefined;
    },
  };
}
