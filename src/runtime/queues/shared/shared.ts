/** Durable runs that machines share: begun by any worker as far as the cap allows, and taken up by another where one dies (R56). */

import type { Seconds } from "../../../engine/event.ts";
import type { Caller, Ports, Queue, QueueOwner } from "../../../engine/ports.ts";
import type { Store } from "../../../engine/record.ts";
import type { Member, SharedWork } from "../../../engine/shared-work.ts";
import type { DurableEngine, DurableEngineOptions } from "./dbos.ts";
import { createRescue } from "./rescue.ts";
import { ended, look, perform, performing, trying, type Worker } from "./worker.ts";

export interface SharedQueueOptions {
  work: SharedWork;
  openEngine(options: Pick<DurableEngineOptions, "perform" | "complain">): Promise<DurableEngine>;
  /** This process. */
  member: Member;
  after: Ports["after"];
  /** Ends what carries this mark on this machine; false: something of it is still alive. Never rejects. */
  endTagged(mark: string): Promise<boolean>;
  /** Whether a project's folder is on this machine: runs of others are left to the machines that have it. */
  isHere(folder: string): boolean;
  /** Runs at once, over all machines; asked each time. */
  cap(): number;
  /** A worker that has not been heard of for so long has lost its runs; default: 5. */
  lease?: Seconds;
  /** How often it says that it lives, and looks for what others have added, cancelled or left behind; default: 1. */
  poll?: Seconds;
  /** So long it waits for the database at its end: where that is away, others take up what was its own, as after a death; default: 2. */
  saysWithin?: Seconds;
  /** What runs inherit, whichever process added them (R44). */
  environment?: Caller["environment"];
  /** Called with why the database could not be worked with; it is tried again. */
  complain(reason: string): void;
  /** Called once another process has this one's name: nothing is begun here any more. */
  expelled?(): void;
}

export interface SharedQueue extends Queue {
  /** How many runs it performs now. */
  running(): number;
  /** For what runs it waits at most so long (default: 10); then it is given back (A50). */
  close(within?: Seconds): Promise<void>;
}

/** A worker that has not been heard of for so long has lost its runs. */
export const usualLease: Seconds = 5;
/** What a run that was asked to stop may take to end its programs. */
const endsWithin: Seconds = 3;

/** The member has joined before. */
export async function openSharedQueue(options: SharedQueueOptions): Promise<SharedQueue> {
  const { work, complain, lease = usualLease, poll = 1 } = options;
  const started = Promise.withResolvers<QueueOwner>();
  const engine = await options.openEngine({
    async perform(run) {
      const owner = await started.promise; // not before the worker is there
      await perform(worker, run, owner);
    },
    complain,
  });
  const worker: Worker = {
    ...{ ...options, lease, poll, engine },
    rescue: createRescue({ work, engine, lease, ended: (end) => ended(worker, end) }),
    ...{ elsewhere: new Set(), attempts: new Map(), working: new Map(), fresh: new Map(), launching: new Set() },
    ...{ strays: new Set(), owner: undefined, state: "open", closed: new AbortController(), workers: 1 },
    ...{ looking: undefined, looksAgain: false, isAway: false, isHearing: false, hearsAgain: false },
    nextBeat: undefined,
  };
  let closing: Promise<void> | undefined;
  const deafen = work.listen(() => {
    look(worker);
    worker.hearsAgain = true;
    if (!worker.isHearing) void hear(worker);
  });

  return {
    running: () => worker.attempts.size,
    start(given) {
      worker.owner = given;
      started.resolve(given);
      look(worker);
      beatOn(worker);
    },
    async add(item) {
      const added = await work.add(item);
      if (added.is === "skipped") return added;
      for (const one of added.ended) ended(worker, one);
      look(worker);
      return { is: "queued" };
    },
    async cancel(run) {
      const done = await work.cancel(run);
      if (done) ended(worker, done);
    },
    async close(within = 10) {
      closing ??= endAll(worker, within, deafen);
      await closing;
    },
  };
}

async function endAll(worker: Worker, within: Seconds, deafen: () => void): Promise<void> {
  const { work, member, after, engine, attempts, working, closed, saysWithin = 2 } = worker;
  const endedWithin = (limit: Seconds): Promise<boolean> => inTime(after, limit, Promise.allSettled(working.values()));
  if (worker.state === "open") worker.state = "closing";
  deafen();
  const reserve = Math.min(endsWithin, within / 2);
  const areOver = await endedWithin(within - reserve);
  if (!areOver) {
    for (const attempt of attempts.values()) if (!attempt.hasEnded()) attempt.lose();
    await endedWithin(reserve);
  }
  worker.nextBeat?.();
  const givenBack = Promise.all([worker.looking, ...worker.launching]).then(() =>
    trying(worker, () => work.release(member)),
  );
  const isThere = await inTime(after, saysWithin, givenBack);
  worker.state = "closed";
  await inTime(after, endsWithin + saysWithin, engine.close(areOver ? endsWithin : 0));
  closed.abort();
  if (isThere && !worker.isAway) await trying(worker, () => work.leave(member));
}

/** Whether the work ends by then. */
const inTime = (after: Ports["after"], limit: Seconds, work: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const undo = after(limit * 1000, () => resolve(false));
    const over = (): void => {
      undo();
      resolve(true);
    };
    work.then(over, over);
  });

/** The store of a worker: what a run claims is claimed once, however often it is begun. */
export const claimingOnce = <S extends Pick<Store, "claim">>(store: S, work: Pick<SharedWork, "claim">): S => ({
  ...store,
  claim(claims, now) {
    const hold = performing.getStore();
    return hold ? work.claim(hold, claims) : store.claim(claims, now);
  },
});

/** Of all workers so many look each time for runs of dead ones, whichever they are: what it costs the database stays the same. */
const lookersAtOnce = 3;

/** Says that this process lives, and tells its attempts what has become of their runs. */
async function renew(worker: Worker): ReturnType<SharedWork["beat"]> {
  const { attempts, work, member } = worker;
  const before = [...attempts]; // of those that are begun meanwhile the answer may know nothing
  const answer = await work.beat(member);
  if (!answer.isMember) {
    expel(worker);
    return answer;
  }
  worker.workers = Math.max(1, answer.workers);
  for (const [run, attempt] of before) {
    const mine = answer.held.get(run);
    if (attempt.isEnding()) continue;
    if (mine?.token !== attempt.token) attempt.lose();
    else if (mine.cancelled !== undefined) attempt.cancel();
  }
  return answer;
}

async function beat(worker: Worker): Promise<void> {
  const { lease, rescue, working, fresh, work, member } = worker;
  const asked = performance.now();
  const isWell = await trying(worker, async () => {
    const { isMember, held, waits } = await renew(worker);
    if (!isMember) return;
    if (performance.now() - asked > (lease * 1000) / 2) rescue.restart(); // a server that stood still answers all at once
    const stray = [...held.keys()].filter((run) => !working.has(run) && !fresh.has(run));
    const twice = stray.filter((run) => worker.strays.has(run));
    worker.strays = new Set(stray);
    if (twice.length > 0) await work.release(member, twice);
    if (Math.random() * worker.workers < lookersAtOnce) await rescue.look();
    if (waits) look(worker);
  });
  if (!isWell) rescue.restart();
}

function expel(worker: Worker): void {
  const { complain, member, attempts } = worker;
  if (worker.state !== "open") return;
  complain(`another process works as ${member.id}: nothing more is begun here`);
  worker.state = "closing";
  for (const attempt of attempts.values()) attempt.lose();
  worker.expelled?.();
}

function beatOn(worker: Worker): void {
  const { after, poll } = worker;
  worker.nextBeat = after(poll * 1000, () => {
    void beat(worker).then(() => {
      if (worker.state !== "closed") beatOn(worker);
    });
  });
}

/** A cancelled run is told so at once; else with the next beat. */
async function hear(worker: Worker): Promise<void> {
  const { attempts } = worker;
  worker.isHearing = true;
  while (worker.hearsAgain && attempts.size > 0) {
    worker.hearsAgain = false;
    await trying(worker, async () => {
      await renew(worker);
    });
  }
  worker.isHearing = false;
}
