/** Durable runs: written down when they are added, performed by any worker, and begun again by another where one dies (R56). */
import { messageOf } from "../../engine/error.ts";
import type { Instant, Seconds } from "../../engine/event.ts";
import type { Abandoned, Ended, Journal, Uptime } from "../../engine/journal.ts";
import type { Caller, Ports, Queue, QueueOwner } from "../../engine/ports.ts";
import { nextTurn } from "../system.ts";
import { type Attempt, createAttempt, markOf } from "./durable-attempt.ts";

export interface DurableQueueOptions {
  journal: Journal;
  now(): Instant;
  /** What leases hold by. */
  uptime(): Uptime;
  after: Ports["after"];
  /** This process, as `isAlive` knows it. */
  owner: string;
  /** Whether a process still lives that a run in progress names. */
  isAlive(owner: string): boolean;
  /** Ends what carries this mark; false: something of it is still alive. Never rejects. */
  endTagged(mark: string): Promise<boolean>;
  /** Runs at once, over all processes; asked each time. */
  cap(): number;
  /** A worker that has not been heard of for so long has lost its runs; default: 30. */
  lease?: Seconds;
  /** How often it looks for what others have added, cancelled or left behind; default: 0.2. */
  poll?: Seconds;
  /** The same while it performs nothing; default: `poll`. A caller that hears of such changes calls `look`. */
  idlePoll?: Seconds;
  /** Performs only what was added here, and close() waits for that, whichever process performs it (R48). */
  own?: true;
  /** Of its own: whether it only waits for them, as another process of this store has them performed elsewhere; asked each time. */
  onlyWaits?(): boolean;
  /** What runs inherit, whichever process added them (R44). */
  environment?: Caller["environment"];
  /** Aborts: what runs is given back at once, and close() waits for nothing more. */
  stop?: AbortSignal;
  /** Called with why the journal could not be worked on; it is tried again. */
  complain?(reason: string): void;
}

export interface DurableQueue extends Queue {
  readonly own: boolean;
  /** Others may have added or cancelled something: looks soon. */
  look(): void;
  /** Nothing is left to do: of what was added here, or, for a worker of all, of what waits. */
  isIdle(): boolean;
  /** Resolves once nothing is left to do, or the queue is stopped. */
  idle(): Promise<void>;
  /** Of its own: waits for them. Else for what runs, at most so long (default: 10); then it is given back (A50). */
  close(within?: Seconds): Promise<void>;
}

/** What a run that was asked to stop may take to end its programs. */
const endsWithin: Seconds = 3;
/** Why a run goes back whose worker lives on: its end, or what a step gave. */
const unwritten = "what came of it could not be written down";
/** Of its own runs, oldest first: looking through thousands for each one that begins would take longer than the runs. */
const lookedAtOnce = 100;

export function createDurableQueue(options: DurableQueueOptions): DurableQueue {
  const { journal, now, uptime, after, isAlive, lease = 30, poll = 0.2, environment, stop, complain } = options;
  const { idlePoll = poll } = options;
  const worker = `${options.owner}:${crypto.randomUUID().slice(0, 8)}`; // one process may have several
  const own = options.own ? new Set<string>() : undefined;
  const attempts = new Set<Attempt>();
  const performing = new Set<Promise<void>>();
  const recovering = new Map<string, Promise<void>>();
  const stubborn = new Set<string>();
  const waiting = new Set<() => void>();
  let owner: QueueOwner | undefined;
  let state: "open" | "closing" | "stopped" = "open";
  let next: (() => void) | undefined;
  let isNudged = false;
  let renewed: Uptime = 0;
  let closing: Promise<void> | undefined;

  function look(): void {
    next?.();
    next = undefined;
    if (!owner || state === "stopped") {
      resolveIfIdle();
      return;
    }
    trying(() => {
      watch();
      for (const left of journal.abandoned(worker, isAlive, uptime())) takeBack(left);
      while (state === "open" && begin());
      if (attempts.size === 0) journal.tidy();
    });
    resolveIfIdle();
    const isWorking = attempts.size > 0 || recovering.size > 0;
    if (isWorking || (state === "open" && (!own || own.size > 0)))
      next = after((isWorking ? poll : idlePoll) * 1000, lookAround);
  }

  function lookAround(): void {
    trying(settleOwn);
    look();
  }

  function trying(work: () => void): void {
    try {
      work();
    } catch (error) {
      complain?.(messageOf(error)); // locked or full: what was acknowledged is written down, and waits
    }
  }

  /** Looks as soon as the caller that adds or ends something is through. */
  function nudge(): void {
    if (isNudged) return;
    isNudged = true;
    setImmediate(() => {
      isNudged = false;
      look();
    });
  }

  /** Whether its runs are still its own, and are to go on. What it has and does not perform could not be given back before. */
  function watch(): void {
    const at = uptime();
    const isDue = attempts.size > 0 && at - renewed >= (lease * 1000) / 3;
    const held = isDue ? journal.renew(worker, at + lease * 1000) : journal.held(worker);
    if (isDue) renewed = at;
    for (const attempt of attempts) {
      const { id } = attempt.item.run;
      if (attempt.hasEnded()) continue;
      if (!held.has(id)) attempt.lose();
      else if (held.get(id) !== undefined) attempt.cancel();
    }
    const here = performedHere();
    for (const run of held.keys()) if (!here.has(run)) giveBack(run, unwritten);
  }
  const performedHere = (): Set<string> => new Set([...attempts].map(({ item }) => item.run.id));

  /** A run is not begun again while something lives that its last worker started for it. */
  function takeBack(left: Abandoned): void {
    if (recovering.has(left.run)) return;
    const work = options.endTagged(markOf(left.worker, left.run)).then((areGone) => {
      recovering.delete(left.run);
      if (state === "stopped") return; // the next one who looks does it
      if (!areGone) return reportStubborn(left.run);
      trying(() => {
        const over = journal.recover(left, now());
        if (over) ended(over);
      });
      nudge();
    });
    recovering.set(left.run, work);
  }

  /** Once: it is tried again as long as this worker looks. */
  function reportStubborn(run: string): void {
    if (!stubborn.has(run)) complain?.(`what the run ${run} started cannot be ended, so it is not begun again yet`);
    stubborn.add(run);
  }

  function begin(): boolean {
    if (own?.size === 0 || (own && options.onlyWaits?.())) return false;
    const mine = own && { only: [...own].slice(0, lookedAtOnce) };
    const at = uptime();
    const item = journal.claim(worker, { cap: options.cap(), until: at + lease * 1000, ...mine });
    if (!item) return false;
    if (attempts.size === 0) renewed = at;
    const attempt = createAttempt({ journal, worker, item, after });
    attempts.add(attempt);
    const work = perform(attempt);
    performing.add(work);
    void work.finally(() => performing.delete(work)); // it never rejects
    return true;
  }

  async function perform(attempt: Attempt): Promise<void> {
    const { item, steps, signal } = attempt;
    await nextTurn(); // the caller that added it does not wait for its first step
    await owner?.perform(item, { ...(environment && { environment }), signal, steps }); // never rejects
    attempts.delete(attempt);
    if (!attempt.isLost() && !attempt.hasEnded()) giveBack(item.run.id, unwritten);
    if (attempt.hasEnded()) own?.delete(item.run.id);
    nudge();
  }

  /** Where that fails, it is tried again with each look; of a queue that is closed, its lease ends. */
  function giveBack(run: string, because?: string): void {
    trying(() => {
      const over = journal.release(worker, run, now(), because);
      if (over) ended(over);
      else tell(run);
    });
  }

  /** What was added here may have been performed elsewhere, or wait for the end of a pause: then it is left to others. */
  function settleOwn(): void {
    if (!own) return;
    const here = performedHere();
    const open = journal.unfinished([...own], options.onlyWaits?.() ?? false);
    for (const run of own)
      if (!open.has(run) && !here.has(run)) {
        own.delete(run);
        tell(run);
      }
  }

  function ended({ run, hook }: Ended): void {
    own?.delete(run.id);
    owner?.changed?.(run, hook);
  }

  function tell(id: string): void {
    const run = journal.row(id);
    if (run) owner?.changed?.(run);
  }

  const isIdle = (): boolean =>
    state === "stopped" || (own ? own.size === 0 : attempts.size === 0 && recovering.size === 0 && !hasWaiting());
  function hasWaiting(): boolean {
    try {
      return options.cap() > 0 && journal.hasWaiting(); // under a cap of 0 it may wait for ever
    } catch {
      return true; // it is not known, and "none" could be wrong
    }
  }
  function resolveIfIdle(): void {
    if (waiting.size === 0 || !isIdle()) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }
  const idle = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.add(resolve);
      nudge(); // what others left behind is seen first
    });

  /** Whether all that runs has ended by then. */
  const endedWithin = (limit: Seconds): Promise<boolean> =>
    new Promise((resolve) => {
      const undo = after(limit * 1000, () => resolve(false));
      void Promise.all(performing).then(() => {
        undo();
        resolve(true);
      });
    });

  /** What still runs is asked to stop, and goes back to where any worker takes it up. */
  async function letGo(limit: Seconds): Promise<void> {
    const left = [...attempts].filter((attempt) => !attempt.hasEnded() && !attempt.isLost());
    state = "stopped";
    next?.();
    for (const attempt of left) attempt.lose();
    await endedWithin(limit);
    for (const { item } of left) giveBack(item.run.id);
    resolveIfIdle();
  }

  function end(): void {
    closing = letGo(endsWithin);
  }

  async function endAll(within: Seconds): Promise<void> {
    state = "closing";
    const reserve = Math.min(endsWithin, within / 2);
    const areOver = await endedWithin(within - reserve);
    if (areOver) state = "stopped";
    else await letGo(reserve);
  }

  return {
    own: own !== undefined,
    start(given) {
      owner = given;
      if (stop?.aborted) state = "stopped";
      else stop?.addEventListener("abort", end, { once: true });
      if (!own) nudge();
    },
    add(item) {
      const added = journal.add(item, now());
      if (added.is === "skipped") return added;
      own?.add(item.run.id);
      for (const one of added.ended) ended(one);
      if (owner) nudge();
      return { is: "queued" };
    },
    cancel(run) {
      const done = journal.cancel(run, now());
      if (done) ended(done);
      nudge();
    },
    look: nudge,
    isIdle,
    idle,
    async close(within = 10) {
      if (own && !closing) await idle();
      else closing ??= endAll(within);
      await closing;
      await Promise.all(recovering.values()); // a few seconds at most
      trying(journal.tidy);
    },
  };
}
