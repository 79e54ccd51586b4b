/** A worker of runs that machines share: what it holds, how it takes what waits, and how it performs one run. */
import { AsyncLocalStorage } from "node:async_hooks";
import { messageOf } from "../../../engine/error.ts";
import type { Seconds } from "../../../engine/event.ts";
import type { Ended } from "../../../engine/journal.ts";
import type { Item, QueueOwner } from "../../../engine/ports.ts";
import type { Begun, Hold, SharedWork } from "../../../engine/shared-work.ts";
import { markOf } from "../durable-attempt.ts";
import { createSharedAttempt, type SharedAttempt, untilReached } from "./attempt.ts";
import type { DurableEngine } from "./dbos.ts";
import type { Rescue } from "./rescue.ts";
import type { SharedQueueOptions } from "./shared.ts";

export interface Worker extends Omit<SharedQueueOptions, "openEngine"> {
  readonly lease: Seconds;
  readonly poll: Seconds;
  readonly engine: DurableEngine;
  readonly rescue: Rescue;
  /** Folders that are not on this machine. */
  readonly elsewhere: Set<string>;
  readonly attempts: Map<string, SharedAttempt>;
  /** What is done for a run here: it may be this worker's once more before an earlier attempt at it has ended. */
  readonly working: Map<string, Promise<void>>;
  /** Begun, and on its way to `perform`. */
  readonly fresh: Map<string, Begun>;
  readonly launching: Set<Promise<void>>;
  readonly closed: AbortController;
  /** Its own, and not performed here: seen so at one beat, given back at the next. */
  strays: Set<string>;
  owner: QueueOwner | undefined;
  state: "open" | "closing" | "closed";
  looking: Promise<void> | undefined;
  looksAgain: boolean;
  isHearing: boolean;
  hearsAgain: boolean;
  isAway: boolean;
  /** How many there are. */
  workers: number;
  nextBeat: (() => void) | undefined;
}

/** So few runs are not shared out: one machine performs them as fast, and fewer wake. */
const sharedFrom = 4;
/** Runs that are taken in one statement. */
const takenAtOnce = 16;

/** Says once that the database is away, and once that it is back. */
export async function trying(worker: Worker, ask: () => Promise<void>): Promise<boolean> {
  const { complain } = worker;
  try {
    await ask();
    if (worker.isAway && worker.state === "open") complain("the database is back"); // at its end it may have allowed that alone
    worker.isAway = false;
    return true;
  } catch (error) {
    if (!worker.isAway && worker.state === "open") complain(`${messageOf(error)} (it is asked again until it answers)`);
    worker.isAway = true;
    return false;
  }
}

export const ended = ({ owner }: Worker, { run, hook }: Ended): void => owner?.changed?.(run, hook);

export function look(worker: Worker): void {
  worker.looksAgain = true;
  worker.looking ??= lookNow(worker).finally(() => {
    worker.looking = undefined;
  });
}

async function lookNow(worker: Worker): Promise<void> {
  const { cap, attempts, fresh, elsewhere, isHere, work, member, launching } = worker;
  while (worker.looksAgain && worker.state === "open" && worker.owner) {
    worker.looksAgain = false;
    const share = Math.min(takenAtOnce, Math.max(sharedFrom, Math.ceil(cap() / worker.workers))); // what others leave is taken at the next look
    const limit = Math.min(share, cap() - attempts.size - fresh.size);
    if (limit <= 0) return;
    await trying(worker, async () => {
      for (const folder of elsewhere) if (isHere(folder)) elsewhere.delete(folder);
      const begun = await work.begin({ member, cap: cap(), limit, elsewhere: [...elsewhere] });
      for (const one of begun) {
        if (isForOthers(worker, one.item) || worker.state !== "open") await work.putBack(one.hold.run);
        else {
          fresh.set(one.hold.run, one);
          const launched = launch(worker, one).finally(() => launching.delete(launched));
          launching.add(launched);
        }
      }
      if (begun.length === takenAtOnce) worker.looksAgain = true;
    });
  }
}

function isForOthers(worker: Worker, { hook: { origin } }: Item): boolean {
  const { isHere, elsewhere } = worker;
  if (origin.root === undefined || isHere(origin.root)) return false;
  elsewhere.add(origin.root);
  return true;
}

async function launch(worker: Worker, { hold: { run } }: Begun): Promise<void> {
  const { engine, fresh, work, member, complain } = worker;
  try {
    if (await engine.start(run)) return;
    fresh.delete(run); // it was put back by mistake: its worker had only slept
    await work.release(member, [run]);
    await engine.resume([run]);
  } catch (error) {
    fresh.delete(run); // the next beat gives it back
    complain(messageOf(error));
  }
}

/** What DBOS calls: for a run that was begun just now, and for one that another worker has begun. */
export async function perform(worker: Worker, run: string, to: QueueOwner): Promise<void> {
  const { attempts, working } = worker;
  attempts.get(run)?.lose();
  const begin = (): Promise<void> => performNow(worker, run, to);
  const mine = working.get(run)?.then(begin, begin) ?? begin();
  working.set(run, mine);
  await mine.finally(() => {
    if (working.get(run) === mine) working.delete(run);
  });
}

async function performNow(worker: Worker, run: string, to: QueueOwner): Promise<void> {
  const { member, engine, after, attempts, fresh, environment, complain } = worker;
  const begun = await take(worker, run);
  if (!begun) return;
  const mark = markOf(member.id, run);
  const parts = begun.again ? await reaching(worker, () => worker.work.parts(run)) : noParts;
  const attempt = createSharedAttempt({ work: worker.work, engine, begun, mark, parts, after, worker: member.id });
  attempts.set(run, attempt);
  fresh.delete(run);
  try {
    if (begun.before !== undefined) await endRest(worker, markOf(begun.before, run), attempt);
    const { signal, steps } = attempt;
    const work = (): Promise<void> => to.perform(begun.item, { ...(environment && { environment }), signal, steps });
    if (!attempt.isLost()) await performing.run(begun.hold, work); // never rejects
  } finally {
    attempts.delete(run);
  }
  if (attempt.hasEnded()) {
    look(worker);
    return;
  }
  if (!attempt.isLost()) {
    complain(`what came of the run ${run} could not be written down, so it is begun again`);
    await reaching(worker, async () => engine.resume([run])); // as after a death
  }
  throw engine.conflict(run);
}

/** Undefined: there is nothing to do for it here. */
async function take(worker: Worker, run: string): Promise<Begun | undefined> {
  const { engine, fresh, work, member, complain, elsewhere, after, poll } = worker;
  if (worker.state !== "open") throw engine.conflict(run); // it is given back, so another worker may begin it at any moment
  const begun = fresh.get(run);
  if (begun) return begun;
  let resumed: Awaited<ReturnType<SharedWork["resume"]>>;
  try {
    resumed = await reaching(worker, () => work.resume(member, run));
    if (resumed && "item" in resumed && isForOthers(worker, resumed.item)) await work.release(member, [run]);
  } catch (error) {
    complain(messageOf(error));
    throw engine.conflict(run);
  }
  if (resumed && "ended" in resumed) ended(worker, resumed.ended);
  if (!resumed || "ended" in resumed) return undefined;
  if (!elsewhere.has(resumed.item.hook.origin.root ?? "")) return resumed;
  after(poll * 1000, () => void engine.resume([run]).catch((error) => complain(messageOf(error)))); // the first to ask may be another one
  throw engine.conflict(run);
}

const reaching = <T>({ after, closed }: Worker, ask: () => Promise<T>): Promise<T> =>
  untilReached(ask, { after, signal: closed.signal });

/** A run is not begun again while something lives on this machine that its last worker started for it. */
async function endRest(worker: Worker, mark: string, attempt: SharedAttempt): Promise<void> {
  const { complain, after, poll } = worker;
  for (let isSaid = false; !attempt.isLost() && !(await worker.endTagged(mark)); isSaid = true) {
    if (!isSaid) complain(`what carries the mark ${mark} cannot be ended, so its run is not begun again yet`);
    await new Promise<void>((resolve) => after(poll * 1000, resolve));
  }
}

const noParts = new Map<string, never>();

/** Whose run it is that a claim is asked for. */
export const performing: AsyncLocalStorage<Hold> = new AsyncLocalStorage<Hold>();
