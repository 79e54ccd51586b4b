/** Watches how long the hooks of an event take while an agent waits. */
import { createBriefMap, dropOldest } from "../../engine/drop-oldest.ts";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, Instant, MaybePromise } from "../../engine/event.ts";
import { type Flow, go, isThenable, wait } from "../../engine/flow.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Observation } from "../../engine/ports.ts";
import type { Run, Store } from "../../engine/record.ts";
import type { Budgets } from "../../formats/config/config.ts";
import { budgetOfHook, endsAfter } from "../../loading/budgets.ts";

interface BudgetWatchOptions {
  store: Pick<Store, "saveRun" | "claim" | "post">;
  now(): Instant;
  hooks(event: HookEvent): MaybePromise<HookSet>;
  /** What the files say that hold for the event. */
  budgets(event: HookEvent): Budgets | undefined;
  complain(message: string): void;
}

/** From this part of its time limit on, a person is warned before the hook fails. */
const nearly = 0.5;
/** Milliseconds: a shorter run is never reported, whatever part of its limit it took. */
const noticeable = 2_000;
/** Events whose outcome never comes (their process was ended) must not stay in memory. */
const eventsAtMost = 1_000;

/**
 * Watches how long the hooks of an event take while an agent waits: a run over its budget gets a note, and a person reads
 * once in a session of a hook that nearly times out. Never throws, and nothing waits for it.
 */
export function createBudgetWatch(options: BudgetWatchOptions): (observation: Observation) => void {
  const waiting = createBriefMap<string, HookEvent>();
  return (observation) => {
    if (observation.is === "event") {
      waiting.set(observation.event.id, observation.event);
      dropOldest(waiting, eventsAtMost);
    } else if (observation.is === "outcome") waiting.delete(observation.event.id);
    else if (observation.is === "run" && observation.run.ms) {
      const { run } = observation;
      const event = waiting.get(run.eventId); // absent: no agent waits for it any more
      if (event && run.asked > 0) look(options, run, event);
    }
  };
}

/** The least that any budget can be is looked at first: most runs end here. */
function look(options: BudgetWatchOptions, run: Run, event: HookEvent): void {
  const { ms = 0 } = run;
  const budgets = options.budgets(event) ?? {};
  const budget = budgetOfHook({ id: run.hook, name: run.hookName }, event.name, budgets);
  if (ms > budget) quietly(options, () => note(options, run, budget));
  if (ms < noticeable || event.session === undefined) return;
  quietly(options, () => go(warn(options, run, event)));
}

function note({ store }: BudgetWatchOptions, run: Run, budget: number): MaybePromise<void> {
  const text = `it took ${Math.round(run.ms ?? 0)} ms, and its budget is ${budget} ms`;
  if (run.notes.includes(text)) return;
  run.notes.push(text);
  return store.saveRun(run);
}

/** Without a promise where the store needs none: then the event that was slow can still carry it. */
function* warn({ store, now, hooks }: BudgetWatchOptions, run: Run, event: HookEvent): Flow<void> {
  const { ms = 0 } = run;
  const { session } = event;
  const set = yield* wait(hooks(event));
  const hook = set.hooks.find(({ id }) => id === run.hook);
  const limit = hook ? endsAfter(hook) : Number.POSITIVE_INFINITY;
  if (!hook || session === undefined || ms < limit * 1000 * nearly) return;
  const key = `slow:${session}:${hook.id}`;
  const refusal = yield* wait(store.claim([{ key, max: 1, refusal: "warned before" }], now()));
  if (refusal) return;
  const text = `the hook ${hook.name} took ${inSeconds(ms)} of the ${limit} s after which it is ended (hookline list --slow)`;
  yield* wait(store.post(session, { messages: [{ to: "person", text }] }));
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** What cannot be noted is not worth a hook's answer. */
function quietly({ complain }: BudgetWatchOptions, work: () => MaybePromise<void>): void {
  const failed = (error: unknown): void => complain(`a slow hook could not be noted: ${messageOf(error)}`);
  try {
    const working = work();
    if (isThenable(working)) working.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}
