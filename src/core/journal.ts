/** Where durable runs are kept while they wait and run, as a port: a queue works on it, and need not know how (R56). */
import type { Instant, Seconds } from "./event.ts";
import type { Item } from "./ports.ts";
import type { Run } from "./record.ts";

/** Runs that the journal itself has ended are written down, and given back so that others hear of them. */
export type Added = { is: "queued"; ended: readonly Run[] } | { is: "skipped"; reason: string };

export interface Claiming {
  /** How many may run at once, over all processes. */
  cap: number;
  /** How long the run is this worker's, unless it says that it still works on it. */
  lease: Seconds;
  now: Instant;
  /** Only these runs; of their hooks they come before the others that wait. Absent: the one that is due the longest. */
  only?: readonly string[];
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
  /** Takes runs from workers that are gone; gives those that ended thereby: cancelled meanwhile, or taken up too often. */
  recover(worker: string, isAlive: (worker: string) => boolean, now: Instant): Run[];
  claim(worker: string, claiming: Claiming): Item | undefined;
  /** The worker's runs, each with the reason why it is to end, if it is. */
  held(worker: string): Map<string, string | undefined>;
  /** The same, and they are the worker's until then. */
  renew(worker: string, until: Instant): Map<string, string | undefined>;
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
  release(worker: string, run: string, now: Instant, because?: string): Run | undefined;
  /** Ends a run that waits, which is given back; one that is running is ended by its worker. */
  cancel(run: string, now: Instant): Run | undefined;
  /** Which of these still wait or run. */
  unfinished(runs: readonly string[]): Set<string>;
  /** Its row, if it is known. */
  row(run: string): Run | undefined;
  /** Whether anything waits that could be begun if there were a place. */
  hasWaiting(now: Instant): boolean;
}
