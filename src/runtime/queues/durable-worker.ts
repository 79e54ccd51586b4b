/** One worker of the journal: it looks for runs, performs them, and takes back what a dead one has left. */
import { messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import type { Abandoned, Ended, Uptime } from "../../engine/journal.ts";
import type { QueueOwner } from "../../engine/ports.ts";
import { nextTurn } from "../system.ts";
import type { DurableQueueOptions } from "./durable.ts";
import { type Attempt, createAttempt, markOf } from "./durable-attempt.ts";

export interface Worker extends Omit<DurableQueueOptions, "own"> {
  readonly lease: Seconds;
  readonly poll: Seconds;
  readonly idlePoll: Seconds;
  /** As the journal knows it. */
  readonly name: string;
  /** What was added here, if it performs nothing else. */
  readonly own: Set<string> | undefined;
  readonly attempts: Set<Attempt>;
  readonly performing: Set<Promise<void>>;
  readonly recovering: Map<string, Promise<void>>;
  /** Runs of which something lives that cannot be ended. */
  readonly stubborn: Set<string>;
  /** Who waits until nothing is left to do. */
  readonly waiting: Set<() => void>;
  queueOwner: QueueOwner | undefined;
  state: "open" | "closing" | "stopped";
  next: (() => void) | undefined;
  isNudged: boolean;
  renewed: Uptime;
  closing: Promise<void> | undefined;
}

/** Why a run goes back whose worker lives on: its end, or what a step gave. */
const unwritten = "what came of it could not be written down";
/** Of its own runs, oldest first: looking through thousands for each one that begins would take longer than the runs. */
const lookedAtOnce = 100;

function look(worker: Worker): void {
  const { journal, name, isAlive, uptime, attempts, recovering, own, after, poll, idlePoll } = worker;
  worker.next?.();
  worker.next = undefined;
  if (!worker.queueOwner || worker.state === "stopped") {
    resolveIfIdle(worker);
    return;
  }
  trying(worker, () => {
    watch(worker);
    for (const left of journal.abandoned(name, isAlive, uptime())) takeBack(worker, left);
    while (worker.state === "open" && begin(worker));
    if (attempts.size === 0) journal.tidy();
  });
  resolveIfIdle(worker);
  const isWorking = attempts.size > 0 || recovering.size > 0;
  if (isWorking || (worker.state === "open" && (!own || own.size > 0)))
    worker.next = after((isWorking ? poll : idlePoll) * 1000, () => lookAround(worker));
}

function lookAround(worker: Worker): void {
  trying(worker, () => settleOwn(worker));
  look(worker);
}

export function trying(worker: Worker, work: () => void): void {
  const { complain } = worker;
  try {
    work();
  } catch (error) {
    complain?.(messageOf(error)); // locked or full: what was acknowledged is written down, and waits
  }
}

/** Looks as soon as the caller that adds or ends something is through. */
export function nudge(worker: Worker): void {
  if (worker.isNudged) return;
  worker.isNudged = true;
  setImmediate(() => {
    worker.isNudged = false;
    look(worker);
  });
}

/** Whether its runs are still its own, and are to go on. What it has and does not perform could not be given back before. */
function watch(worker: Worker): void {
  const { uptime, attempts, lease, journal, name } = worker;
  const at = uptime();
  const isDue = attempts.size > 0 && at - worker.renewed >= (lease * 1000) / 3;
  const held = isDue ? journal.renew(name, at + lease * 1000) : journal.held(name);
  if (isDue) worker.renewed = at;
  for (const attempt of attempts) {
    const { id } = attempt.item.run;
    if (attempt.hasEnded()) continue;
    if (!held.has(id)) attempt.lose();
    else if (held.get(id) !== undefined) attempt.cancel();
  }
  const here = performedHere(worker);
  for (const run of held.keys()) if (!here.has(run)) giveBack(worker, run, unwritten);
}

function performedHere(worker: Worker): Set<string> {
  const { attempts } = worker;
  return new Set([...attempts].map(({ item }) => item.run.id));
}

/** A run is not begun again while something lives that its last worker started for it. */
function takeBack(worker: Worker, left: Abandoned): void {
  const { recovering, journal, now } = worker;
  if (recovering.has(left.run)) return;
  const work = worker.endTagged(markOf(left.worker, left.run)).then((areGone) => {
    recovering.delete(left.run);
    if (worker.state === "stopped") return; // the next one who looks does it
    if (!areGone) return reportStubborn(worker, left.run);
    trying(worker, () => {
      const over = journal.recover(left, now());
      if (over) ended(worker, over);
    });
    nudge(worker);
  });
  recovering.set(left.run, work);
}

/** Once: it is tried again as long as this worker looks. */
function reportStubborn(worker: Worker, run: string): void {
  const { stubborn, complain } = worker;
  if (!stubborn.has(run)) complain?.(`what the run ${run} started cannot be ended, so it is not begun again yet`);
  stubborn.add(run);
}

function begin(worker: Worker): boolean {
  const { own, uptime, journal, name, lease, attempts, after, performing } = worker;
  if (own?.size === 0 || (own && worker.onlyWaits?.())) return false;
  const mine = own && { only: [...own].slice(0, lookedAtOnce) };
  const at = uptime();
  const item = journal.claim(name, { cap: worker.cap(), until: at + lease * 1000, ...mine });
  if (!item) return false;
  if (attempts.size === 0) worker.renewed = at;
  const attempt = createAttempt({ journal, worker: name, item, after });
  attempts.add(attempt);
  const work = perform(worker, attempt);
  performing.add(work);
  void work.finally(() => performing.delete(work)); // it never rejects
  return true;
}

async function perform(worker: Worker, attempt: Attempt): Promise<void> {
  const { environment, attempts, own } = worker;
  const { item, steps, signal } = attempt;
  await nextTurn(); // the caller that added it does not wait for its first step
  await worker.queueOwner?.perform(item, { ...(environment && { environment }), signal, steps }); // never rejects
  attempts.delete(attempt);
  if (!attempt.isLost() && !attempt.hasEnded()) giveBack(worker, item.run.id, unwritten);
  if (attempt.hasEnded()) own?.delete(item.run.id);
  nudge(worker);
}

/** Where that fails, it is tried again with each look; of a queue that is closed, its lease ends. */
export function giveBack(worker: Worker, run: string, because?: string): void {
  const { journal, name, now } = worker;
  trying(worker, () => {
    const over = journal.release(name, run, now(), because);
    if (over) ended(worker, over);
    else tell(worker, run);
  });
}

/** What was added here may have been performed elsewhere, or wait for the end of a pause: then it is left to others. */
function settleOwn(worker: Worker): void {
  const { own, journal } = worker;
  if (!own) return;
  const here = performedHere(worker);
  const open = journal.unfinished([...own], worker.onlyWaits?.() ?? false);
  for (const run of own)
    if (!open.has(run) && !here.has(run)) {
      own.delete(run);
      tell(worker, run);
    }
}

export function ended(worker: Worker, { run, hook }: Ended): void {
  const { own } = worker;
  own?.delete(run.id);
  worker.queueOwner?.changed?.(run, hook);
}

function tell(worker: Worker, id: string): void {
  const { journal } = worker;
  const run = journal.row(id);
  if (run) worker.queueOwner?.changed?.(run);
}

export function isIdle(worker: Worker): boolean {
  const { own, attempts, recovering } = worker;
  if (worker.state === "stopped") return true;
  return own ? own.size === 0 : attempts.size === 0 && recovering.size === 0 && !hasWaiting(worker);
}

function hasWaiting(worker: Worker): boolean {
  const { journal } = worker;
  try {
    return worker.cap() > 0 && journal.hasWaiting(); // under a cap of 0 it may wait for ever
  } catch {
    return true; // it is not known, and "none" could be wrong
  }
}

export function resolveIfIdle(worker: Worker): void {
  const { waiting } = worker;
  if (waiting.size === 0 || !isIdle(worker)) return;
  for (const resolve of waiting) resolve();
  waiting.clear();
}

export function idle(worker: Worker): Promise<void> {
  const { waiting } = worker;
  return new Promise((resolve) => {
    waiting.add(resolve);
    nudge(worker); // what others left behind is seen first
  });
}
