/** Durable runs that machines share: begun by any worker as far as the cap allows, and taken up by another where one dies (R56). */
import { AsyncLocalStorage } from "node:async_hooks";
import { messageOf } from "../../../engine/error.ts";
import type { Seconds } from "../../../engine/event.ts";
import type { Ended } from "../../../engine/journal.ts";
import type { Caller, Item, Ports, Queue, QueueOwner } from "../../../engine/ports.ts";
import type { Store } from "../../../engine/record.ts";
import type { Begun, Hold, Member, SharedWork } from "../../../engine/shared-work.ts";
import { markOf } from "../durable-attempt.ts";
import { createSharedAttempt, type SharedAttempt, untilReached } from "./attempt.ts";
import type { DurableEngine, DurableEngineOptions } from "./dbos.ts";
import { createRescue } from "./rescue.ts";

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
/** So long it waits for the database at its end: where that is away, others take up what was its own, as after a death. */
const saysWithin: Seconds = 2;
/** Of all workers so many look each time for runs of dead ones, whichever they are: what it costs the database stays the same. */
const lookersAtOnce = 3;
/** So few runs are not shared out: one machine performs them as fast, and fewer wake. */
const sharedFrom = 4;
/** Runs that are taken in one statement. */
const takenAtOnce = 16;

/** The member has joined before. */
export async function openSharedQueue(options: SharedQueueOptions): Promise<SharedQueue> {
  const { work, member, after, cap, isHere, lease = usualLease, poll = 1, environment, complain } = options;
  const elsewhere = new Set<string>();
  const attempts = new Map<string, SharedAttempt>();
  /** What is done for a run here: it may be this worker's once more before an earlier attempt at it has ended. */
  const working = new Map<string, Promise<void>>();
  /** Begun, and on its way to `perform`. */
  const fresh = new Map<string, Begun>();
  const launching = new Set<Promise<void>>();
  /** Its own, and not performed here: seen so at one beat, given back at the next. */
  let strays = new Set<string>();
  const started = Promise.withResolvers<QueueOwner>();
  const closed = new AbortController();
  let owner: QueueOwner | undefined;
  let state: "open" | "closing" | "closed" = "open";
  let looking: Promise<void> | undefined;
  let looksAgain = false;
  let isAway = false;
  let workers = 1;
  let nextBeat: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  const ended = ({ run, hook }: Ended): void => owner?.changed?.(run, hook);
  const engine = await options.openEngine({ perform, complain });
  const rescue = createRescue({ work, engine, lease, ended });

  /** Says once that the database is away, and once that it is back. */
  async function trying(ask: () => Promise<void>): Promise<boolean> {
    try {
      await ask();
      if (isAway && state === "open") complain("the database is back"); // at its end it may have allowed that alone
      isAway = false;
      return true;
    } catch (error) {
      if (!isAway && state === "open") complain(`${messageOf(error)} (it is asked again until it answers)`);
      isAway = true;
      return false;
    }
  }

  function look(): void {
    looksAgain = true;
    looking ??= lookNow().finally(() => {
      looking = undefined;
    });
  }

  async function lookNow(): Promise<void> {
    while (looksAgain && state === "open" && owner) {
      looksAgain = false;
      const share = Math.min(takenAtOnce, Math.max(sharedFrom, Math.ceil(cap() / workers))); // what others leave is taken at the next look
      const limit = Math.min(share, cap() - attempts.size - fresh.size);
      if (limit <= 0) return;
      await trying(async () => {
        for (const folder of elsewhere) if (isHere(folder)) elsewhere.delete(folder);
        const begun = await work.begin({ member, cap: cap(), limit, elsewhere: [...elsewhere] });
        for (const one of begun) {
          if (isForOthers(one.item) || state !== "open") await work.putBack(one.hold.run);
          else {
            fresh.set(one.hold.run, one);
            const launched = launch(one).finally(() => launching.delete(launched));
            launching.add(launched);
          }
        }
        if (begun.length === takenAtOnce) looksAgain = true;
      });
    }
  }

  function isForOthers({ hook: { origin } }: Item): boolean {
    if (origin.root === undefined || isHere(origin.root)) return false;
    elsewhere.add(origin.root);
    return true;
  }

  async function launch({ hold: { run } }: Begun): Promise<void> {
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
  async function perform(run: string): Promise<void> {
    const to = await started.promise;
    attempts.get(run)?.lose();
    const begin = (): Promise<void> => performNow(run, to);
    const mine = working.get(run)?.then(begin, begin) ?? begin();
    working.set(run, mine);
    await mine.finally(() => {
      if (working.get(run) === mine) working.delete(run);
    });
  }

  async function performNow(run: string, to: QueueOwner): Promise<void> {
    const begun = await take(run);
    if (!begun) return;
    const mark = markOf(member.id, run);
    const parts = begun.again ? await reaching(() => work.parts(run)) : noParts;
    const attempt = createSharedAttempt({ work, engine, begun, mark, parts, after, worker: member.id });
    attempts.set(run, attempt);
    fresh.delete(run);
    try {
      if (begun.before !== undefined) await endRest(markOf(begun.before, run), attempt);
      const { signal, steps } = attempt;
      const perform = (): Promise<void> =>
        to.perform(begun.item, { ...(environment && { environment }), signal, steps });
      if (!attempt.isLost()) await performing.run(begun.hold, perform); // never rejects
    } finally {
      attempts.delete(run);
    }
    if (attempt.hasEnded()) {
      look();
      return;
    }
    if (!attempt.isLost()) {
      complain(`what came of the run ${run} could not be written down, so it is begun again`);
      await reaching(async () => engine.resume([run])); // as after a death
    }
    throw engine.conflict(run);
  }

  /** Undefined: there is nothing to do for it here. */
  async function take(run: string): Promise<Begun | undefined> {
    if (state !== "open") throw engine.conflict(run); // it is given back, so another worker may begin it at any moment
    const begun = fresh.get(run);
    if (begun) return begun;
    let resumed: Awaited<ReturnType<SharedWork["resume"]>>;
    try {
      resumed = await reaching(() => work.resume(member, run));
      if (resumed && "item" in resumed && isForOthers(resumed.item)) await work.release(member, [run]);
    } catch (error) {
      complain(messageOf(error));
      throw engine.conflict(run);
    }
    if (resumed && "ended" in resumed) ended(resumed.ended);
    if (!resumed || "ended" in resumed) return undefined;
    if (!elsewhere.has(resumed.item.hook.origin.root ?? "")) return resumed;
    after(poll * 1000, () => void engine.resume([run]).catch((error) => complain(messageOf(error)))); // the first to ask may be another one
    throw engine.conflict(run);
  }
  const reaching = <T>(ask: () => Promise<T>): Promise<T> => untilReached(ask, { after, signal: closed.signal });

  /** A run is not begun again while something lives on this machine that its last worker started for it. */
  async function endRest(mark: string, attempt: SharedAttempt): Promise<void> {
    for (let isSaid = false; !attempt.isLost() && !(await options.endTagged(mark)); isSaid = true) {
      if (!isSaid) complain(`what carries the mark ${mark} cannot be ended, so its run is not begun again yet`);
      await new Promise<void>((resolve) => after(poll * 1000, resolve));
    }
  }

  /** Says that this process lives, and tells its attempts what has become of their runs. */
  async function renew(): ReturnType<SharedWork["beat"]> {
    const before = [...attempts]; // of those that are begun meanwhile the answer may know nothing
    const answer = await work.beat(member);
    if (!answer.isMember) {
      expel();
      return answer;
    }
    workers = Math.max(1, answer.workers);
    for (const [run, attempt] of before) {
      const mine = answer.held.get(run);
      if (attempt.isEnding()) continue;
      if (mine?.token !== attempt.token) attempt.lose();
      else if (mine.cancelled !== undefined) attempt.cancel();
    }
    return answer;
  }

  async function beat(): Promise<void> {
    const asked = performance.now();
    const isWell = await trying(async () => {
      const { isMember, held, waits } = await renew();
      if (!isMember) return;
      if (performance.now() - asked > (lease * 1000) / 2) rescue.restart(); // a server that stood still answers all at once
      const stray = [...held.keys()].filter((run) => !working.has(run) && !fresh.has(run));
      const twice = stray.filter((run) => strays.has(run));
      strays = new Set(stray);
      if (twice.length > 0) await work.release(member, twice);
      if (Math.random() * workers < lookersAtOnce) await rescue.look();
      if (waits) look();
    });
    if (!isWell) rescue.restart();
  }

  function expel(): void {
    if (state !== "open") return;
    complain(`another process works as ${member.id}: nothing more is begun here`);
    state = "closing";
    for (const attempt of attempts.values()) attempt.lose();
    options.expelled?.();
  }

  function beatOn(): void {
    nextBeat = after(poll * 1000, () => {
      void beat().then(() => {
        if (state !== "closed") beatOn();
      });
    });
  }

  /** Whether the work ends by then. */
  const inTime = (limit: Seconds, work: Promise<unknown>): Promise<boolean> =>
    new Promise((resolve) => {
      const undo = after(limit * 1000, () => resolve(false));
      const over = (): void => {
        undo();
        resolve(true);
      };
      work.then(over, over);
    });
  const endedWithin = (limit: Seconds): Promise<boolean> => inTime(limit, Promise.allSettled(working.values()));

  async function endAll(within: Seconds): Promise<void> {
    if (state === "open") state = "closing";
    deafen();
    const reserve = Math.min(endsWithin, within / 2);
    const areOver = await endedWithin(within - reserve);
    if (!areOver) {
      for (const attempt of attempts.values()) if (!attempt.hasEnded()) attempt.lose();
      await endedWithin(reserve);
    }
    nextBeat?.();
    const givenBack = Promise.all([looking, ...launching]).then(() => trying(() => work.release(member)));
    const isThere = await inTime(saysWithin, givenBack);
    state = "closed";
    await inTime(endsWithin + saysWithin, engine.close(areOver ? endsWithin : 0));
    closed.abort();
    if (isThere && !isAway) await trying(() => work.leave(member));
  }

  let isHearing = false;
  let hearsAgain = false;
  const deafen = work.listen(() => {
    look();
    hearsAgain = true;
    if (!isHearing) void hear();
  });
  /** A cancelled run is told so at once; else with the next beat. */
  async function hear(): Promise<void> {
    isHearing = true;
    while (hearsAgain && attempts.size > 0) {
      hearsAgain = false;
      await trying(async () => {
        await renew();
      });
    }
    isHearing = false;
  }

  return {
    running: () => attempts.size,
    start(given) {
      owner = given;
      started.resolve(given);
      look();
      beatOn();
    },
    async add(item) {
      const added = await work.add(item);
      if (added.is === "skipped") return added;
      for (const one of added.ended) ended(one);
      look();
      return { is: "queued" };
    },
    async cancel(run) {
      const done = await work.cancel(run);
      if (done) ended(done);
    },
    async close(within = 10) {
      closing ??= endAll(within);
      await closing;
    },
  };
}

const noParts = new Map<string, never>();

/** Whose run it is that a claim is asked for. */
const performing = new AsyncLocalStorage<Hold>();

/** The store of a worker: what a run claims is claimed once, however often it is begun. */
export const claimingOnce = <S extends Pick<Store, "claim">>(store: S, work: Pick<SharedWork, "claim">): S => ({
  ...store,
  claim(claims, now) {
    const hold = performing.getStore();
    return hold ? work.claim(hold, claims) : store.claim(claims, now);
  },
});
