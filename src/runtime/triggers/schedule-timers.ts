/** When a hook of each kind is due: every so often, by a cron pattern, or once. Apart from the schedule, which only asks them. */

import type { Instant, MaybePromise, Seconds, Slot } from "../../engine/event.ts";
import type { Hook, Trigger } from "../../engine/hook.ts";
import type { Claim, Run, Store } from "../../engine/record.ts";
import { counted } from "../../engine/words.ts";
import { countedAtMost, type Slots, slotsOf } from "./slots.ts";

/** What the event of a hook that fires now says. */
export interface Firing extends Partial<Slot> {
  because: "periodic" | "cron" | "scheduled";
  /** The moment that was meant, where it is not now. */
  scheduledFor?: Instant;
  /** It went by, and nothing runs: why, for the record. */
  missed?: string;
}

export interface Timer {
  /** When it is to be asked next; undefined: never again. */
  due(): Instant | undefined;
  /** It waits while the hook may not run. Else the run says why it did not. */
  waits: boolean;
  /**
   * What it fires now, if anything. Where it does the moment is claimed, so that of all processes one fires.
   *
   * @param newest when the hook's newest run began
   */
  take(now: Instant, newest: Instant | undefined): Promise<readonly Firing[]>;
  /** The engine has taken the event. A timer that has this stays due until then. */
  fired?(): MaybePromise<void>;
  /** The clock was set back: what was reckoned from later moments no longer holds. */
  turnedBack(now: Instant): void;
}

interface TimerOptions {
  /** Its limits may change while the timer lives. */
  hook(): Hook;
  store: Pick<Store, "claim" | "peek" | "runs">;
  /** The process has just begun: what went by meanwhile is missed. Else the hook is new, or is another one now. */
  isStart: boolean;
  now: Instant;
  /** When the hook last ran, as far as is known. */
  last: Instant | undefined;
  /** Called once a hook that fires once has done so, here or elsewhere. */
  ended(): MaybePromise<void>;
}

/** Undefined: it listens to no clock. Loads what cron patterns need. @throws Error with what is wrong with the pattern */
export async function createTimer(on: Trigger, options: TimerOptions): Promise<Timer | undefined> {
  if ("every" in on) return periodic(on.every, options);
  if ("cron" in on) return byPattern(await slotsOf(on.cron, on.zone), options);
  return "at" in on ? once(on.at, options) : undefined;
}

/** Due when its newest run, whatever caused it, began so long ago; at once, if there was none. */
function periodic(every: Seconds, { hook, store, now, last: known }: TimerOptions): Timer {
  const claim: Claim = { key: `every:${hook().id}`, gap: every, refusal: "another process was first" };
  let last = known === undefined ? undefined : Math.min(known, now);
  let begun = now;
  const due = (): Instant => (last === undefined ? begun : last + Math.max(every, hook().limits.cooldown ?? 0) * 1000);
  return {
    due,
    waits: true,
    async take(moment, newest) {
      if (newest !== undefined && newest <= moment) last = Math.max(newest, last ?? newest);
      if (due() > moment || (await store.claim([claim], moment))) return [];
      last = moment;
      return [{ because: "periodic", slot: moment }];
    },
    turnedBack(moment) {
      begun = Math.min(begun, moment);
      if (last !== undefined) last = Math.min(last, moment);
    },
  };
}

/**
 * Due at each moment of the pattern from now on. Of those that go by while the process sleeps, the newest counts (with all that a change
 * of clocks makes due with it), and of those that went by before it began none: one run says how many were missed. Where the hook may not run, its run says so, once for each moment.
 */
async function byPattern(slots: Slots, { hook, store, isStart, now }: TimerOptions): Promise<Timer> {
  let due = slots.next(now);
  let since = isStart ? (await store.runs({ hook: hook().id, limit: 1 }))[0]?.startedAt : undefined;
  const isOurs = async (slot: Instant): Promise<boolean> =>
    (await store.claim([ofSlot(hook().id, slot)], slot)) === undefined;
  const missed = (after: Instant, until: Instant, because: string): Firing[] => {
    const { count, newest } = slots.between(after, until);
    const many = `${count === countedAtMost ? "at least " : ""}${counted(count, "moment")}`;
    const reason = (at: Instant): string => `${many} went by, the last at ${new Date(at).toISOString()}: ${because}`;
    return newest === undefined
      ? []
      : [{ because: "cron", scheduledFor: newest, slot: newest, missed: reason(newest) }];
  };

  function firing(slot: Instant): Firing {
    const forward = slots.putForward(slot, hook().limits.cooldown ?? 0);
    return { because: "cron", scheduledFor: slot, slot, ...(forward > 0 ? { forward } : {}) };
  }

  async function beforeStart(): Promise<readonly Firing[]> {
    if (since === undefined) return [];
    const firings = missed(since, now, "no daemon served its folder then, or the hook was not active");
    const told = firings[0] && (await store.claim([ofMissed(hook().id)], firings[0].slot ?? now));
    since = undefined;
    return told ? [] : firings;
  }

  return {
    due: () => (since === undefined ? due : now),
    waits: false,
    async take(moment) {
      const before = await beforeStart();
      if (due === undefined || due > moment) return before;
      const fallDue = slots.together(Math.max(due, slots.newest(moment) ?? 0)).filter((slot) => slot >= (due ?? 0));
      const [first = due, ...others] = fallDue;
      const isFirst = await isOurs(first);
      const ours = isFirst ? [first] : [];
      for (const slot of others) if (await isOurs(slot)) ours.push(slot);
      const gone = due < first ? missed(due - 1, first - 1, "the machine slept, or its clock was set forward") : [];
      due = slots.next(others.at(-1) ?? first); // not before: while the store cannot be asked, it stays due
      return [...before, ...(isFirst ? gone : []), ...ours.map(firing)];
    },
    turnedBack(moment) {
      due = slots.next(moment);
    },
  };
}

/** Of several processes that begin one says so. */
const ofMissed = (hook: string): Claim => ({ key: `missed:${hook}`, gap: 1, refusal: "it is known" });

/** Each moment has a claim of its own: where the clock was set back, those that have not run still come. */
export const ofSlot = (hook: string, slot: Instant): Claim => ({
  key: `slot:${hook}:${slot}`,
  max: 1,
  at: slot,
  among: `slot:${hook}:`,
  refusal: "it has fired",
});

/** A process that dies between its claim and the event leaves the firing to another one after so long. */
const lease: Seconds = 60;

/** Due once, however late. What has fired stays known by its claim, and by its run until that is there. */
async function once(at: Instant, { hook, store, now, ended }: TimerOptions): Promise<Timer> {
  const done = ofMoment(hook().id);
  let due: Instant | undefined = at;
  const end = async (): Promise<void> => {
    due = undefined;
    await store.claim([done], at);
    await ended();
  };
  const isOver = (): Promise<boolean> => hasFired(store, hook().id, at);
  if (at <= now && (await isOver())) await end();
  return {
    due: () => due,
    waits: true,
    async take(moment) {
      if (await isOver()) await end();
      if (due === undefined) return [];
      const claim: Claim = { key: `firing:${hook().id}:${at}`, gap: lease, refusal: "another process was first" };
      if (await store.claim([claim], Math.max(moment, now))) return [];
      return [{ because: "scheduled", scheduledFor: at }];
    },
    fired: end,
    turnedBack() {}, // it has fired, or it has not
  };
}

/** Taken with the moment that is meant as the time, it refuses that moment and all before it: one key for each hook. */
const ofMoment = (hook: string): Claim => ({ key: `at:${hook}`, gap: 1, refusal: "it has fired" });

export async function hasFired(store: Pick<Store, "peek" | "runs">, hook: string, at: Instant): Promise<boolean> {
  if ((await store.peek([ofMoment(hook)], at)) !== undefined) return true;
  const newest = await store.runs({ hook, limit: runsLookedAt });
  return newest.some((run) => run.cause === "scheduled" && run.startedAt >= at);
}

/** More than one is read only where the newest have not begun. */
const runsLookedAt = 50;

/** When the hook's newest run began. One that admission refused, or that still waits, has not. */
export async function newestStart(store: Pick<Store, "runs">, hook: string): Promise<Instant | undefined> {
  for (const limit of [1, runsLookedAt]) {
    const begun = (await store.runs({ hook, limit })).find(hasBegun);
    if (begun) return begun.startedAt;
  }
  return undefined;
}

/** A run that ended early because its steps said so did begin. */
const hasBegun = ({ status, steps }: Run): boolean => status !== "queued" && (status !== "skipped" || steps.length > 0);
