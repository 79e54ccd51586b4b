/** One hook's steps in order, with their limits and the failure policy. Never throws. */
import { messageOf } from "./error.ts";
import { type Fields, type MaybePromise, type Seconds, textField } from "./event.ts";
import { callStep, contextOf, type OwnContext, type StepScope, type Stopped, stop } from "./event-context.ts";
import { type Flow, isThenable, wait } from "./flow.ts";
import type { Hook, Step } from "./hook.ts";
import { withTrueReason } from "./hook-words.ts";
import { merge, type Outcome } from "./outcome.ts";
import type { Plan, PlannedStep } from "./plan.ts";
import { type Caller, type DetachedWork, elapsed, type Ports, type StepResult } from "./ports.ts";
import type { Failure, Found, RunStatus, StepRecord } from "./record.ts";

export interface Performed {
  status: RunStatus;
  reason?: string;
  outcome: Outcome;
  steps: StepRecord[];
  notes: string[];
  /** The last step goes on by itself; this run is closed when it ends. */
  detached?: DetachedWork;
  /** When its last step ended, on the clock of `elapsed`. Absent: no step did. */
  ended?: number | undefined;
}

/** How long a handler may take to notice that its time is over; then it is left behind. */
const grace: Seconds = 3;

/** Called with the steps so far: after each of them, and when one reports its progress. */
export type Report = (steps: readonly StepRecord[]) => MaybePromise<void>;

interface Performing {
  /** Its id. */
  run: string;
  /** What the hook's condition found. */
  match?: Found | undefined;
  report?: Report | undefined;
}

/** Runs the plan's steps. The outcome already holds what the failure policy answers. Throws only where a journal does. */
export function* perform(plan: Plan, stepScope: StepScope, performing: Performing): Flow<Performed> {
  const done = yield* performSteps(plan, stepScope, performing);
  return { ...done, outcome: withTrueReason(done.outcome, performing.match, plan.hook) };
}

function* performSteps(plan: Plan, stepScope: StepScope, { run, match, report }: Performing): Flow<Performed> {
  const { hook } = plan;
  const { ports } = stepScope;
  const fault = plan.fault();
  const steps: StepRecord[] = [];
  const notes: string[] = [];
  if (fault !== undefined) return failed(hook, { status: "failed", reason: fault, outcome: {}, steps, notes });
  const ends = endOf(hook, stepScope);
  let outcome: Outcome = {};
  let ended: number | undefined;
  let tooLate: string | undefined;
  for (let planned: PlannedStep | undefined = plan.prepare(); planned; planned = planned.next) {
    const { step, skipIf, ask } = planned;
    const started = elapsed(ports);
    const late = overBefore(steps.length > 0 ? ends : undefined, started, stepScope.caller);
    if (late)
      return failed(hook, { status: late, reason: overAt(late, steps, { hook, ports }), outcome, steps, notes });
    const context = contextOf(stepScope, hook, run, limitOf(step, ends, started), steps, match);
    if (report) context.progress = reporter(report, [...steps], step);
    if (ask) yield* wait(ask(context.scope));
    const skipped = skipIf ? skipIf(context.scope) : false;
    if (skipped !== false) {
      const why = typeof skipped === "object" ? textField(skipped, "reason") : undefined;
      return {
        status: "skipped",
        reason: why ?? `step ${steps.length} was skipped by its condition`,
        outcome,
        steps,
        notes,
      };
    }
    const working = begin(planned, context, steps.length);
    const { result, ms } = isThenable(working) ? yield* wait(working) : working;
    ended = elapsed(ports);
    steps.push(recordOf(step, result, ms ?? ended - started));
    if (report) yield* wait(report(steps));
    if (result.notes) notes.push(...result.notes);
    if (result.outcome) outcome = merge(outcome, signed(result.outcome, hook));
    if (!result.ok && step.onError === "stop") {
      const { failure, reason } = result;
      if (failure === "cancelled" && !context.stopped) return { status: "cancelled", reason, outcome, steps, notes };
      const status = failure === "cancelled" || failure === "timeout" ? failure : "failed";
      return failed(hook, { status, reason: labelled(failure, reason), outcome, steps, notes });
    }
    if (result.ok) tooLate ??= result.late;
    if (result.ok && result.detached) return { status: "running", outcome, steps, notes, detached: result.detached };
  }
  if (tooLate !== undefined) return failed(hook, { status: "timeout", reason: tooLate, outcome, steps, notes, ended });
  return { status: "completed", outcome, steps, notes, ended };
}

/** Which step the run was over at, and by whose limit. */
function overAt(
  late: "timeout" | "cancelled",
  steps: readonly StepRecord[],
  { hook, ports: { registry } }: { hook: Hook; ports: Ports },
): string {
  const last = steps.at(-1);
  if (!last) return "the caller gave up before it began";
  const step = `step ${steps.length - 1} (${registry.handlers.get(last.uses)?.contextStep?.type ?? last.uses})`;
  if (late === "cancelled") return `the caller gave up during ${step}`;
  const { timeout } = hook.limits;
  return timeout === undefined
    ? `${step} took all the time that the caller gave`
    : `${step} reached the run's time limit of ${timeout} s`;
}

/** What is late must not allow anything: later steps of a run that is over are not begun. */
const overBefore = (ends: number | undefined, now: number, caller: Caller): "timeout" | "cancelled" | undefined =>
  caller.signal?.aborted ? "cancelled" : ends !== undefined && now >= ends ? "timeout" : undefined;

/** "exit 1" says already that it is an exit, and who cancels a run is no failure of it. */
export const labelled = (failure: Failure, reason: string): string =>
  failure === "cancelled" || reason.startsWith(failure) ? reason : `${failure}: ${reason}`;

/** What a hook's failure answers (R17). */
export function policyOf(hook: Hook, reason: string): Outcome {
  if (hook.onFailure === "continue") return {};
  const is = hook.onFailure === "ask" ? "ask" : "deny";
  return { verdict: { is, reason: `the hook ${hook.name} failed (${reason})`, by: hook.id } };
}

const failed = (hook: Hook, end: Performed & { reason: string }): Performed => ({
  ...end,
  outcome: merge(end.outcome, policyOf(hook, end.reason)),
});

/** A verdict always names its hook, whatever the handler wrote. */
const signed = (outcome: Outcome, hook: Hook): Outcome =>
  outcome.verdict && outcome.verdict.by !== hook.id
    ? { ...outcome, verdict: { ...outcome.verdict, by: hook.id } }
    : outcome;

function recordOf({ uses }: Step, result: StepResult, ms: number): StepRecord {
  const record: StepRecord = { uses, ok: result.ok, output: result.output, ms };
  if (!result.ok) {
    record.failure = result.failure;
    record.reason = result.reason;
  }
  if (result.evidence) record.evidence = result.evidence;
  if (result.tokens !== undefined) record.tokens = result.tokens;
  return record;
}

interface Begun {
  result: StepResult;
  /** Absent: it ended just now. */
  ms?: number;
}

/** Calls the step, or asks the journal what it gave before. */
function begin(planned: PlannedStep, context: OwnContext, index: number): MaybePromise<Begun> {
  const { steps } = context.caller;
  if (!steps) {
    const working = start(planned, context);
    return isThenable(working) ? Promise.resolve(working).then((result) => ({ result })) : { result: working };
  }
  const { ports } = context;
  return steps.step(stepName(planned.step, index), async () => {
    const started = elapsed(ports);
    const result = await start(planned, context);
    return { result, ms: elapsed(ports) - started };
  });
}

/** What a step is called in the journal. */
export const stepName = ({ uses }: Pick<Step, "uses">, index: number): string => `${index}:${uses}`;

/** What a step reports before it has ended, in the place of its result. */
const reporter =
  (report: Report, before: readonly StepRecord[], { uses }: Step) =>
  (output: Fields, tokens?: number): void => {
    const now: StepRecord = { uses, ok: true, output, ms: 0, ...(tokens === undefined ? {} : { tokens }) };
    const reporting = async (): Promise<void> => report([...before, now]);
    reporting().catch(() => {}); // what could not be reported now is reported when the step ends
  };

/** Calls the step. Never throws; what has to wait is stopped at its limit. */
function start(planned: PlannedStep, context: OwnContext): MaybePromise<StepResult> {
  try {
    const working = callStep(planned, context);
    return isThenable(working) ? limited(working, context) : working;
  } catch (error) {
    return thrown(error);
  }
}

async function limited(working: PromiseLike<StepResult>, context: OwnContext): Promise<StepResult> {
  const clock = { pending: () => {} };
  try {
    const result = await within(context, clock, working);
    if (!context.stopped) return result;
    if (result.ok) result.detached?.end();
    return asStopped(result, context.stopped, context.timeout);
  } catch (error) {
    const result = thrown(error);
    return context.stopped ? asStopped(result, context.stopped, context.timeout) : result;
  } finally {
    clock.pending();
  }
}

const thrown = (error: unknown): StepResult => ({
  ok: false,
  output: {},
  failure: "error",
  reason: messageOf(error),
});

/** When the whole run and the caller's patience are over, if ever, on the clock of `elapsed`. */
function endOf({ limits }: Hook, { ports, ends }: StepScope): number | undefined {
  if (limits.timeout === undefined) return ends;
  return Math.min(elapsed(ports) + limits.timeout * 1000, ends ?? Number.POSITIVE_INFINITY);
}

/** The least of what the step, the whole run and the caller still allow. */
const limitOf = ({ timeout }: Step, ends: number | undefined, now: number): Seconds =>
  ends === undefined ? timeout : Math.min(timeout, Math.max(0, (ends - now) / 1000));

const asStopped = (result: StepResult, why: Stopped, limit: Seconds): StepResult => ({
  ...result,
  ok: false,
  failure: why,
  reason: why === "timeout" ? `it did not end within ${Math.round(limit * 100) / 100} s` : "the caller gave up",
  outcome: {}, // whatever it had said by then came too late (C70a)
});

/**
 * Waits for the work until its limit, asks it to stop, and waits a little more. The timer is referenced: a process
 * that waits for nothing else would otherwise exit 0 with no answer, which agents read as allow.
 */
function within(
  context: OwnContext,
  clock: { pending: () => void },
  working: PromiseLike<StepResult>,
): Promise<StepResult> {
  const { ports, caller, timeout } = context;
  const given = caller.signal;
  return new Promise((resolve, reject) => {
    const end = (why: Stopped): void => {
      clock.pending();
      stop(context, why);
      clock.pending = ports.after(grace * 1000, () =>
        resolve({ ok: false, output: {}, failure: "timeout", reason: "it did not stop" }),
      );
    };
    const cancelled = (): void => end("cancelled");
    clock.pending = ports.after(timeout * 1000, () => {
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
