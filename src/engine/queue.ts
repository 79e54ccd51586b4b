/** Runs that no caller waits for: what lies in a queue, who owns it, and how much may wait. */
import type { HookEvent, Instant, MaybePromise } from "./event.ts";
import type { DetachedWork } from "./handler.ts";
import type { Hook } from "./hook.ts";
import type { Caller } from "./ports.ts";
import type { Run } from "./record.ts";

/** A run that no caller waits for. It is JSON, and all that a worker needs: editing a file cannot change a run in flight. */
export interface Item {
  run: Run;
  hook: Hook;
  event: HookEvent;
}

/**
 * What a durable run is performed against. A run whose worker dies is begun again from the top by another; steps that
 * have ended answer from the journal. So each step happens at least once, and nothing outside a step may depend on
 * clock, chance, network or store.
 */
export interface Steps {
  /**
   * The result that this step gave before, else that of `work`, which is kept before it is given. Rejects where `work`
   * does, and once the run is no longer this worker's.
   *
   * @param name fixed by position and handler, such as "2:git_diff"; of a part of it "2:git_diff/turn 1"
   * @param work its result is JSON; `key` is the same at each attempt, for work that must not be done twice
   */
  step<T>(name: string, work: (key: string) => MaybePromise<T>): Promise<T>;
  /** As `step`, for work that writes to the store, and that waits for nothing but the store: both are one transaction. Absent: `step` will do. */
  write?<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T>;
  /** Writes the run as it stands. One that has ended leaves the queue. Throws once the run is no longer this worker's. */
  save(run: Run): MaybePromise<void>;
  /**
   * Leaves the run to other machines, and its place to the next of its hook. Throws as `save` does. Absent: there are no others.
   *
   * @param to the database that has it now
   */
  handOver?(to: string): MaybePromise<void>;
  /** The worker stops, or another one has the run: whatever comes of it here counts no more. */
  isLost(): boolean;
  /** Carried by all programs that are started for the run, so that who takes it up after a crash can end them first. */
  readonly mark?: string;
}

export interface QueueOwner {
  /** Runs an item from start to end. Never rejects. */
  perform(item: Item, caller: Caller): Promise<void>;
  /** Records why an item that was accepted will not run. Never rejects. */
  drop(item: Item, reason: string): Promise<void>;
  /** Why an item that waited is not to be begun, as its hook stands now: for a queue that has others perform it. */
  withdrawal?(item: Item): MaybePromise<string | undefined>;
  /**
   * Called with a run that was not performed to its end here; its row is written.
   *
   * @param hook given by the queue that ended it, so that its end is reported once
   */
  changed?(run: Run, hook?: Hook): void;
}

/**
 * Owns the runs that no caller waits for. `add` may throw: the run is then failed, and where a store kept a durable one out, its
 * event is not taken.
 */
export interface Queue {
  add(item: Item, caller: Caller): MaybePromise<{ is: "queued" } | { is: "skipped"; reason: string }>;
  /** Called once, by the engine that the queue belongs to. */
  start(owner: QueueOwner): void;
  cancel(run: string): MaybePromise<void>;
  /** Who looks after a run that was just handed over; absent: this process. */
  owner?(): string;
  /** Takes over a program that detached itself; absent: it stays with this process. */
  adopt?(item: Item, work: DetachedWork, caller: Caller): MaybePromise<void>;
  /** Waits for what is running, and for what that adds. Safe to call twice. */
  close(): Promise<void>;
}

/** Stands before a moment in the place of a process's name: the run was handed over, and no process looks after it yet. */
const prefix = "until:";

/** Between two processes: the run counts as looked after until this moment. */
export const inTransit = (until: Instant): string => `${prefix}${until}`;

/** Until when a run that was handed over counts as looked after; undefined for the name of a process. */
export const inTransitUntil = (owner: string): Instant | undefined =>
  owner.startsWith(prefix) ? Number(owner.slice(prefix.length)) : undefined;

const under = " as ";

/** Stands in the place of a process's name, too: the process, and the name under which it performs shared runs, on whichever machine. */
export const ofWorker = (owner: string | undefined, name: string): string => `${owner ?? ""}${under}${name}`;

/** The worker that performs or performed a run; undefined: a process of this machine. */
export function workerOf({ owner = "" }: Pick<Run, "owner">): string | undefined {
  const at = owner.indexOf(under);
  return at < 0 ? undefined : owner.slice(at + under.length);
}

/** How much may wait: a burst is refused with a reason before it fills memory or disk (SAFETY F14). */
interface Waiting {
  ofHook: number;
  inAll: number;
}
export const waitingAtMost: Waiting = { ofHook: 1_000, inAll: 20_000 };

const opening = "queue full: ";

/** Whether a run was refused because too many wait. */
export const saysFull = (reason: string | undefined): boolean => reason?.startsWith(opening) === true;

/** Why nothing more is taken; undefined: there is room. */
export function fullQueue({ ofHook, inAll }: Waiting): string | undefined {
  if (ofHook >= waitingAtMost.ofHook) return `${opening}${ofHook} wait`;
  return inAll >= waitingAtMost.inAll ? `${opening}${inAll} wait, of all hooks` : undefined;
}

interface Overlap {
  refuses?: true;
  /** Those that wait make room. */
  displaces?: true;
  /** The one that has begun ends. */
  cancels?: true;
}

/** What becomes of an event that comes while its hook runs, or waits to (R23, R53). */
export const overlaps: Readonly<Record<Hook["limits"]["overlap"], Overlap>> = {
  skip: { refuses: true },
  queue: {},
  coalesce: { displaces: true },
  restart: { displaces: true, cancels: true },
};

export const tookItsPlace = "overlap: a later event took its place";
export const overlapRefusals = {
  running: "overlap: it is still running",
  waiting: "overlap: it waits to run already",
} as const;
