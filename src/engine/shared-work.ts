/** What machines that share durable runs keep in one database, as a port: who waits, who works on what, and which workers live (R56). */
import type { Seconds } from "./event.ts";
import type { Added, Ended, Kept } from "./journal.ts";
import type { Item } from "./queue.ts";
import type { Claim, Refusal, Run } from "./record.ts";

/** A worker's hold on a run: nothing is kept by a token that is no longer the run's. */
export interface Hold {
  run: string;
  token: string;
}

/** A run that is this worker's. */
export interface Begun {
  item: Item;
  hold: Hold;
  /** It was begun before. */
  again?: true;
  /** Who worked on it then and died; what that one started may still be alive. */
  before?: string;
}

export interface Member {
  /** Stays the same over restarts; no two processes have the same at once. */
  id: string;
  /** This process's claim on that name. */
  token: string;
  /** For those who read the list of workers. */
  where: string;
}

export interface Beginning {
  member: Member;
  /** Runs at once, over all machines. */
  cap: number;
  /** How many this worker takes. */
  limit: number;
  /** Projects' folders that are not on its machine: their runs are for others. */
  elsewhere: readonly string[];
}

/** What a worker hears when it says that it lives. */
export interface Beat {
  /** False: its name was taken by another process. */
  isMember: boolean;
  /** Its runs, each with the reason why it is to end, if it is. */
  held: ReadonlyMap<string, { token: string; cancelled?: string }>;
  /** How many workers live, this one among them. */
  workers: number;
  /** Whether a run waits. */
  waits: boolean;
}

/** A run that no living worker holds. */
export interface Adrift {
  run: string;
  /** The worker that died; absent: the run was given back. */
  worker?: string;
}

/**
 * Each method is one transaction. All times are the database's: the clocks of the machines do not count. Rejects with HooklineError
 * (store_unusable) while the database cannot be reached: what was asked for may then have been done, and may be asked for again.
 */
export interface SharedWork {
  /** Names the database: its copies have the same name. */
  identity(): Promise<string>;
  /** As the hook's overlap says, over all machines (R23, R53). Adding a run twice is adding it once. */
  add(item: Item): Promise<Added>;
  /** Ends a run that waits, which is given back; one that is running hears of it within a second. @param because default: "cancelled" */
  cancel(run: string, because?: string): Promise<Ended | undefined>;
  /** Ends a run that waits, for this reason, which is given back; one that is performed goes on. */
  withdraw(run: string, reason: string): Promise<Ended | undefined>;
  /** Takes a run that waits out of the queue, and leaves its row as it is. False: it does not wait there. */
  takeBack(run: string): Promise<boolean>;
  /** Of these, those that have left the queue: the row of one that has ended; undefined where the database has lost it, or it was taken back. */
  left(runs: readonly Pick<Run, "id" | "eventId">[]): Promise<Map<string, Run | undefined>>;
  /** Makes as many places as there may be runs at once. */
  makePlaces(cap: number): Promise<void>;
  /** Takes what has waited longest, as far as there are places. */
  begin(beginning: Beginning): Promise<Begun[]>;
  /** Takes over a run that was begun before; gives it if it ended thereby: cancelled meanwhile, or begun too often. */
  resume(member: Member, run: string): Promise<Begun | { ended: Ended } | undefined>;
  /** What parts of the run's steps gave. */
  parts(run: string): Promise<ReadonlyMap<string, Kept>>;
  keep(hold: Hold, part: string, result: Kept): Promise<boolean>;
  /** As the store's, once for each run: asked again, it answers what it answered first. */
  claim(hold: Hold, claims: readonly Claim[]): Promise<Refusal | undefined>;
  /**
   * Writes the run's row, if the run is still this worker's, and what its parts gave with it. One that has ended leaves, and the next of
   * its hook may begin.
   */
  save(hold: Hold, run: Run, parts?: ReadonlyMap<string, Kept>): Promise<boolean>;
  /** Gives runs back: those named, or all of the worker. It does not count as a death. */
  release(member: Member, runs?: readonly string[]): Promise<void>;
  /** Puts a run that was never begun where any worker takes it up. */
  putBack(run: string): Promise<void>;
  /** Ends a run that can never be begun again. */
  fail(run: string, reason: string): Promise<Ended | undefined>;
  /** Takes the name, if no living process has it; else the place of the one that has. */
  join(member: Member, lease: Seconds): Promise<{ holder: string } | undefined>;
  leave(member: Member): Promise<void>;
  beat(member: Member): Promise<Beat>;
  /**
   * Shows runs that no living worker holds, and the workers that live. Of all workers one looks at a time: others are shown nothing.
   * One that was given back is shown again only once nobody has taken it up for as long as the lease.
   */
  adrift(lease: Seconds, look: (runs: readonly Adrift[], living: ReadonlySet<string>) => Promise<void>): Promise<void>;
  /** How many wait and run, for those who look after them; `stranded`: they wait for a worker of another run schema. */
  counts(): Promise<{ waiting: number; running: number; stranded: number; workers: number }>;
  /** Called when there may be something to do, until it is undone. It may miss some: who must know looks. */
  listen(heard: () => void): () => void;
}
