/** Where durable runs are kept while they wait and run, as a port: a queue works on it, and need not know how (R56). */
import type { Instant } from "./event.ts";
import type { Item } from "./ports.ts";
import type { Run } from "./record.ts";

/** A run that the journal itself has ended, and its hook as it was added: given back so that others hear of it. */
export type Ended = Pick<Item, "run" | "hook">;
export type Added = { is: "queued"; ended: readonly Ended[] } | { is: "skipped"; reason: string };

export interface Claiming {
  /** How many may run at once, over all processes. */
  cap: number;
  /** Until when the run is this worker's, unless it says that it still works on it. */
  until: Uptime;
  /** Only these runs; of their hooks they come before the others that wait. Absent: the one that has waited the longest. */
  only?: readonly string[];
}

/** Milliseconds on a clock that nobody sets, and that all processes of the machine share. */
export type Uptime = number;

/** A run whose worker is gone. What that worker started for it may still be alive: it is ended first. */
export interface Abandoned {
  run: string;
  worker: string;
}

/** A result that a step gave. Absent `value`: it gave nothing. */
export interface Kept<T = unknown> {
  value?: T;
}

/**
 * Safe across processes; each method is one transaction. A worker is one queue of one process; its name begins with the
 * process's. What says whether the run is still this worker's answers false once another one has it, or once it has ended.
 * Methods may throw HooklineError (store_unusable, store_locked).
 */
export interface Journal {
  /** As the hook's overlap says (R23, R53). Adding a run twice is adding it once. Throws where the item may not be written. */
  add(item: Item, now: Instant): Added;
  /** Runs of other workers that are gone, or have not been heard of since their lease ended. */
  abandoned(worker: string, isAlive: (worker: string) => boolean, at: Uptime): Abandoned[];
  /** Takes the run from that worker, to be taken up by anyone; gives it if it ended thereby: cancelled meanwhile, or taken up too often. */
  recover(abandoned: Abandoned, now: Instant): Ended | undefined;
  claim(worker: string, claiming: Claiming): Item | undefined;
  /** The worker's runs, each with the reason why it is to end, if it is. */
  held(worker: string): Map<string, string | undefined>;
  /** The same, and they are the worker's until then. */
  renew(worker: string, until: Uptime): Map<string, string | undefined>;
  kept<T>(run: string, step: string): Kept<T> | undefined;
  /** Keeps what a step gave, if the run is still this worker's. */
  keep(worker: string, run: string, step: string, result: Kept): boolean;
  /** Does the work, which must not wait, and keeps what it gives, in one transaction; undefined: the run is another's. */
  record<T>(worker: string, run: string, step: string, work: () => T): Kept<T> | undefined;
  /** Writes the run's row, if the run is still this worker's. One that has ended leaves, and the next of its hook may begin. */
  save(worker: string, run: Run): boolean;
  /**
   * Gives a run back, to be taken up by anyone.
   *
   * @param because set: it counts as a recovery, and this is why; absent: its worker was asked to stop
   * @returns the run, if it ended thereby
   */
  release(worker: string, run: string, now: Instant, because?: string): Ended | undefined;
  /** Ends a run that waits, which is given back; one that is running is ended by its worker. */
  cancel(run: string, now: Instant): Ended | undefined;
  /** Which of these still run, or wait for nothing but their turn. */
  unfinished(runs: readonly string[]): Set<string>;
  /** Its row, if it is known. */
  row(run: string): Run | undefined;
  /** Whether anything waits that could be begun if there were a place. What is paused could not. */
  hasWaiting(): boolean;
  /** To be called when a worker has nothing to do: what steps gave is wiped out where it still stands. Costs nothing if there was none. */
  tidy(): void;
}
