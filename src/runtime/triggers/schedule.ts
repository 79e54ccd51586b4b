/** Hooks that a clock sets off: every so often, by a cron pattern, or once. Each gets an event of its own. */
import { claimsOf, pauseOf } from "../../engine/admit.ts";
import { messageOf } from "../../engine/error.ts";
import type { Fields, HookEvent, HookId, Instant, MaybePromise } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Ports } from "../../engine/ports.ts";
import type { Paused, Store } from "../../engine/record.ts";
import { nextTurn } from "../system.ts";
import { createTimer, type Firing, newestStart, type Timer } from "./schedule-timers.ts";

interface ScheduleOptions extends Pick<Ports, "now" | "after" | "id"> {
  store: Pick<Store, "claim" | "peek" | "runs" | "lastFired" | "paused">;
  /** False: nothing of a clock runs. Of cron patterns the runs are refused, the others wait. */
  isEnabled(): boolean;
  /** Sends the event to the engine. Where that throws, it is tried again. */
  fire(event: HookEvent): MaybePromise<unknown>;
  /** Called with a hook that fires once, when it has: lists can show it as over. May be called again after a restart. */
  ended?(hook: Hook): MaybePromise<unknown>;
  /** Where hooks without a workspace run. */
  home: string;
  /** Called with why a hook is left out, and what the store or the engine refused. */
  complain?(reason: string): void;
}

export interface Due {
  hook: HookId;
  /** When it fires next, if nothing holds it. */
  at: Instant;
  /** Why it waits although its time has come. */
  waits?: string;
}

export interface Schedule {
  /** What is to be fired from now on; those that stay as they are keep their place. Never rejects. */
  sync(hooks: readonly Hook[]): Promise<void>;
  /** Fires what is due, and waits until the engine has taken it. Else done once a second. Never rejects. */
  check(): Promise<void>;
  /** Soonest first. */
  list(): Due[];
  /** Waits for what is being sent. Safe to call twice. */
  close(): Promise<void>;
}

interface Entry {
  hook: Hook;
  key: string;
  timer: Timer;
  waits?: string;
  /** Its moment is claimed, but the engine refused its event: no other process will fire it. */
  pending?: readonly Firing[];
}

/** How long a change that no timer can foresee may go unseen: a pause that ends, a clock that is set, a sleep. */
const patienceInMilliseconds = 1_000;
const atOnce = 50;

/** @example const schedule = createSchedule({ now, after, id, store, isEnabled: () => true, fire: engine.emit, home }); */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { now, after, store, ended, complain = () => {} } = options;
  const entries = new Map<HookId, Entry>();
  const attempt = createAttempts(complain);
  const firings = createFirings(options, attempt);
  let syncing: Promise<void> = Promise.resolve();
  let checking: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let lookedAt = now();
  let isStart = true;
  let isClosed = false;

  async function update(hooks: readonly Hook[]): Promise<void> {
    const wanted = new Map(hooks.filter((hook) => hook.enabled && hasClock(hook)).map((hook) => [hook.id, hook]));
    for (const [name, { key }] of entries) {
      const hook = wanted.get(name);
      if (!hook || keyOf(hook) !== key) entries.delete(name);
    }
    const added = [...wanted.values()].filter(({ id: name }) => !entries.has(name));
    const fired = added.some(({ on }) => "every" in on) ? await store.lastFired() : new Map<HookId, Instant>();
    for (const hook of wanted.values()) {
      const known = entries.get(hook.id);
      if (known) known.hook = hook;
      else await attempt("add", hook, () => add(hook, fired.get(hook.id)));
    }
    isStart = false;
    arm();
  }

  async function add(hook: Hook, last: Instant | undefined): Promise<void> {
    const current = (): Hook => entries.get(hook.id)?.hook ?? hook;
    const over = async (): Promise<void> => void (await ended?.(current()));
    const timer = await createTimer(hook.on, { hook: current, store, isStart, now: now(), last, ended: over });
    if (timer) entries.set(hook.id, { hook, key: keyOf(hook), timer });
  }

  function arm(): void {
    cancel?.();
    cancel = undefined;
    if (isClosed || entries.size === 0) return;
    cancel = after(waitOf(entries.values(), now()), () => void check().then(arm));
  }

  const check = (): Promise<void> => {
    checking ??= look().finally(() => {
      checking = undefined;
    });
    return checking;
  };

  async function look(): Promise<void> {
    const moment = now();
    if (moment < lookedAt) for (const { timer } of entries.values()) timer.turnedBack(moment);
    lookedAt = moment;
    const due = [...entries.values()].filter((entry) => isDue(entry, moment));
    try {
      const paused = due.length > 0 ? await store.paused() : nothingPaused;
      for (const [index, entry] of due.entries()) {
        if (index > 0 && index % atOnce === 0) await nextTurn();
        if (!isClosed) await attempt("ask", entry.hook, () => firings.ask(entry, paused));
      }
    } catch (error) {
      complain(messageOf(error)); // the next look tries again
    }
  }

  return {
    sync(hooks) {
      syncing = syncing.then(() => update(hooks)).catch((error) => complain(messageOf(error)));
      return syncing;
    },
    async check() {
      await syncing;
      await check();
      await firings.settled();
    },
    list() {
      const dues = [...entries.values()].flatMap(({ hook, timer, waits }): Due[] => {
        const at = timer.due();
        return at === undefined ? [] : [{ hook: hook.id, at, ...(waits === undefined ? {} : { waits }) }];
      });
      return dues.sort((left, right) => left.at - right.at);
    },
    async close() {
      isClosed = true;
      cancel?.();
      await syncing;
      await checking;
      await firings.settled();
      entries.clear();
    },
  };
}

type Attempt = (what: "add" | "ask" | "fire", hook: Hook, work: () => MaybePromise<unknown>) => Promise<void>;

/** A fault of one hook is never another's. What fails in the same way again and again is said once. */
function createAttempts(complain: (reason: string) => void): Attempt {
  const said = new Map<string, string>();
  return async (what, hook, work) => {
    const key = `${what} ${hook.id}`;
    try {
      await work();
      said.delete(key);
    } catch (error) {
      const message = `${hook.name}: ${messageOf(error)}`;
      if (said.get(key) !== message) complain(message);
      said.set(key, message);
    }
  };
}

/** What is due is fired, unless its hook could not run now. */
function createFirings({ now, id, store, isEnabled, fire, home }: ScheduleOptions, attempt: Attempt) {
  const underWay = new Set<Promise<void>>();

  async function ask(entry: Entry, paused: Paused): Promise<void> {
    const { hook, timer } = entry;
    const moment = now();
    const held = await holding(hook, moment, paused);
    delete entry.waits;
    if (held !== undefined && timer.waits) {
      entry.waits = held;
      return;
    }
    const last = await newestStart(store, hook.id);
    const firings = entry.pending ?? (await timer.take(moment, last));
    delete entry.pending;
    for (const firing of firings) put(entry, firing, { ...firing, id: id(), now: moment, last, home });
  }

  /** Why the hook could not run now. Such a hook waits without a word, instead of a refused run at each look. */
  async function holding(hook: Hook, moment: Instant, paused: Paused): Promise<string | undefined> {
    if (!isEnabled()) return "the hook engine is switched off";
    const pausing = pauseOf(hook, paused, { now: moment });
    if (pausing !== undefined) return pausing;
    const event = dueEvent(hook, { because: "periodic", id: "", now: moment, last: undefined, home });
    return (await store.peek(claimsOf(hook, event), moment))?.refusal;
  }

  function put(entry: Entry, firing: Firing, facts: DueFacts): void {
    const { hook, timer } = entry;
    const done = attempt("fire", hook, async () => {
      try {
        await fire(dueEvent(hook, facts));
      } catch (error) {
        if (!timer.fired) entry.pending = [...(entry.pending ?? []), firing]; // else it stays due by itself
        throw error;
      }
      await timer.fired?.();
    }).finally(() => underWay.delete(done));
    underWay.add(done);
  }

  return { ask, settled: () => Promise.all(underWay) };
}

const hasClock = ({ on }: Hook): boolean => "every" in on || "cron" in on || "at" in on;

/** What makes it another timer. */
const keyOf = ({ on }: Hook): string => JSON.stringify(on);

function isDue({ timer, pending }: Entry, moment: Instant): boolean {
  const due = timer.due();
  return pending !== undefined || (due !== undefined && due <= moment);
}

/** Milliseconds until one is due; what is due already waits for something that no timer knows. */
function waitOf(entries: Iterable<Entry>, moment: Instant): number {
  let wait = patienceInMilliseconds;
  for (const { timer } of entries) {
    const left = (timer.due() ?? 0) - moment;
    if (left > 0) wait = Math.min(wait, left);
  }
  return wait;
}

interface DueFacts extends Firing {
  id: string;
  now: Instant;
  /** When the hook's newest run began; absent: it never ran. */
  last: Instant | undefined;
  /** Where a hook without a workspace runs. */
  home: string;
}

/** The event of a hook whose time has come (specification 000, 3.1). */
const dueEvent = (hook: Hook, facts: DueFacts): HookEvent => ({
  id: facts.id,
  name: "schedule.due",
  at: facts.now,
  cwd: hook.origin.root ?? facts.home,
  data: dataOf(facts),
  sender: "schedule",
  to: {
    hook: hook.id,
    because: facts.because,
    ...(facts.slot === undefined ? {} : { slot: facts.slot }),
    ...(facts.forward === undefined ? {} : { forward: facts.forward }),
    ...(facts.missed === undefined ? {} : { instead: { is: "skipped", because: facts.missed } }),
  },
});

const isoOf = (moment: Instant): string => new Date(moment).toISOString();

const dataOf = ({ now, last, scheduledFor }: DueFacts): Fields => ({
  current_time: isoOf(now),
  current_time_epoch: now / 1000,
  ...(last === undefined
    ? {}
    : {
        last_run_time: isoOf(last),
        last_run_time_epoch: last / 1000,
        seconds_since_last_run: Math.max(0, now - last) / 1000,
      }),
  ...(scheduledFor === undefined ? {} : { scheduled_for: isoOf(scheduledFor) }),
});

const nothingPaused: Paused = new Map();
