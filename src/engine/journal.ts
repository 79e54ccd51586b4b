/** What the store keeps of automations, as ports: their durable runs step by step (R56), and the automations themselves. */
import type { Fields, Instant, Seconds } from "./event.ts";
import type { Item } from "./queue.ts";
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

/** Milliseconds on a clock that cannot be set, and that all processes of the machine share. */
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
  /** Leaves the run to the machines that share this database, if it is still this worker's. The next of its hook may begin. */
  handOver(worker: string, run: string, to: string): boolean;
  /**
   * Gives a run back, to be taken up by anyone.
   *
   * @param because set: it counts as a recovery, and this is why; absent: its worker was asked to stop
   * @returns the run, if it ended thereby
   */
  release(worker: string, run: string, now: Instant, because?: string): Ended | undefined;
  /** Ends a run that waits, which is given back; one that is running is ended by its worker. */
  cancel(run: string, now: Instant): Ended | undefined;
  /** Which of these still run, or wait for nothing but their turn. @param elsewhere counts those that were handed over */
  unfinished(runs: readonly string[], elsewhere: boolean): Set<string>;
  /** Its row, if it is known. */
  row(run: string): Run | undefined;
  /** Whether anything waits that could be begun if there were a place. What is paused could not. */
  hasWaiting(): boolean;
  /** To be called when a worker has nothing to do: what steps gave is wiped out where it still stands. Costs nothing if there was none. */
  tidy(): void;
}

/** Durable runs that this machine has handed over to others. As the journal: each method is one transaction, and may throw. */
export interface HandedOver {
  /** Those that this database has, and whose end is not written down here. */
  list(to: string): Item[];
  /** How many such runs other databases have. */
  elsewhere(to: string): number;
  /** Of those of this database, which are to be called back: cancelled, with the reason, or paused. */
  recalled(to: string): { run: string; cancelled?: string }[];
  /** Writes the run's end down. False: it is none of those. */
  settle(run: Run): boolean;
  /** It waits here again, in its old place; given if it ends instead, as it was cancelled. */
  takeBack(run: string, now: Instant): Ended | undefined;
}

/** As its author wrote it; fields that have a place of their own are not in `fields`. */
export interface StoredAutomation {
  project: string;
  id: string;
  name: string;
  enabled: boolean;
  /** The event that it listens to, as it was written. */
  listens?: string;
  fields: Fields;
  /** Unix seconds. */
  created: Seconds;
  updated: Seconds;
}
/** A row that holds no automation: what it holds, and why. */
export interface BrokenRow extends Pick<StoredAutomation, "project" | "id" | "name"> {
  broken: string;
}

/** Safe across processes; each method is one transaction. Methods may throw HooklineError (store_unusable, store_locked). */
export interface AutomationRecords {
  /** One transaction of several: no other process writes in between, and where it throws, nothing of it counts. */
  write<T>(work: () => T): T;
  /** By project and id. @param project absent: all projects' */
  list(project?: string): (StoredAutomation | BrokenRow)[];
  get(project: string, id: string): StoredAutomation | BrokenRow | undefined;
  /** Those that may concern events of this name. */
  listening(names: readonly string[]): (StoredAutomation | BrokenRow)[];
  /** False where the id is taken. Throws an Error where the project is gone. @param key what it is made for, once */
  add(automation: StoredAutomation, key?: string): boolean;
  /** The one that was made for this key, if it is still there. */
  madeFor(key: string): Pick<StoredAutomation, "project" | "id"> | undefined;
  /** In the place of the one with its id; `created` stays. False where there is none. */
  replace(automation: StoredAutomation): boolean;
  /** False where there is none, or it stands so already. */
  enable(project: string, id: string, enabled: boolean, now: Seconds): boolean;
  /** Its runs go with it, and whatever else is kept of it (A54). False where there is none. */
  remove(project: string, id: string): boolean;
  /** The same, of one that lies in a file, too: what else is kept of it stays. */
  removeRow(project: string, id: string): boolean;
  /** Another one whenever an automation or the folder of a project has changed, also by another process. Costs one look. */
  version(): string;
  /** All projects and their folders; null: it has none. */
  workspaces(): ReadonlyMap<string, string | null>;
}
