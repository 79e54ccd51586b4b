/**
 * Writes that a store has been given and that are not in its file yet: kept, because a group of them can be lost as a whole. What of
 * it was acknowledged lies beside the store by then, and comes from there; all that decisions need of it is to be known meanwhile.
 */
import type { SessionId } from "../core/event.ts";
import type { Fate } from "./group-commit.ts";
import type { MissedWrites, Write } from "./missed-writes.ts";
import type { Outage, Outages } from "./outages.ts";
import type { SqliteStore } from "./sqlite.ts";

/** What an outage has to know of a write. */
export interface Concerning extends Write {
  /** It is for the inbox of this session. */
  mail?: SessionId | undefined;
  /** It is not written later, nor is what comes of it, unless it is on disk. */
  mustLast?: boolean;
}

export interface WritesUnderWay {
  /** To be called behind the write. */
  keep(write: Concerning): void;
  /** Does a work of which all that it has written is undone when it throws. */
  part<T>(work: () => T): T;
  /** Of what was written so far. */
  committed(): Promise<void>;
  /** What waits to be written is in the store's transaction, or is lost, when this returns. Never throws. */
  settle(): void;
  /** A group did not come into the store, and was not taken over. */
  isLost(): boolean;
  /** If so, what was lost goes on in memory; and is missed, but for what lies beside the store. */
  takeOver(outage: Outage): void;
  /** Hears of nothing any more. */
  close(): void;
}

export interface WritesUnderWayOptions {
  missed: MissedWrites;
  outages: Pick<Outages, "begin" | "probe">;
  /** Milliseconds after which it is tried again whether the store takes what was acknowledged and lost. */
  triesEvery: number;
}

export function createWritesUnderWay(
  real: SqliteStore,
  { missed, outages: { begin, probe }, triesEvery }: WritesUnderWayOptions,
): WritesUnderWay {
  const { database } = real;
  // Of the group that is open: made anew instead of emptied, so that nothing of them grows old.
  let open: Concerning[] = [];
  let beside: Concerning[] = []; // acknowledged
  let lost: Concerning[] = [];
  let isLost = false;
  let ofPart: Concerning[] | undefined;
  let turn: Promise<void> | undefined;
  let noticing: NodeJS.Timeout | undefined;

  const became: Record<Fate, (because?: unknown) => void> = {
    kept() {
      lasts(open);
      if (beside.length === 0) beside = open;
      else beside.push(...open);
      open = [];
    },
    written() {
      lasts(open);
      open = [];
      beside = [];
      isLost = lost.length > 0;
    },
    lost(because) {
      for (const write of open) lose(write);
      open = [];
      isLost = true;
      noticing ??= setTimeout(notice, triesEvery, because).unref();
    },
  };
  const unwatch = database.watch((fate, because) => became[fate](because));

  /** Where nobody waits for it, and nothing more happens that would find it. */
  function notice(because: unknown): void {
    noticing = undefined;
    if (!isLost) return;
    try {
      probe(because);
    } catch (error) {
      takeOver(begin(error));
    }
  }

  function lasts(writes: readonly Concerning[]): void {
    for (const { mustLast, event } of writes) if (mustLast && event !== undefined) missed.with(event);
  }

  function lose(write: Concerning): void {
    isLost = true;
    if (!write.mustLast) lost.push(write);
  }

  function committed(): Promise<void> {
    const now = database.committed();
    if (turn === now) return turn;
    turn = now;
    now.catch((error: unknown) => takeOver(begin(error)));
    return now;
  }

  /** A group that has become large ends with the write that made it so. */
  function keep(write: Concerning): void {
    committed();
    if (ofPart) ofPart.push(write);
    else if (database.standing() !== undefined) open.push(write);
    else if (database.isLosing()) lose(write);
    else lasts([write]);
  }

  function takeOver({ memory, mail }: Outage): void {
    if (!isLost) return;
    const [known, gone] = [beside, lost];
    beside = [];
    lost = [];
    isLost = false;
    for (const { to, given, mail: session } of [...known, ...gone]) {
      to(memory, given);
      if (session !== undefined) mail.add(session);
    }
    missed.putFirst(gone.filter((one) => one.mail === undefined));
  }

  return {
    keep,
    part(work) {
      if (ofPart) return work();
      const own: Concerning[] = [];
      ofPart = own;
      try {
        const result = work();
        ofPart = undefined;
        own.forEach(keep);
        return result;
      } finally {
        ofPart = undefined;
      }
    },
    committed,
    settle() {
      try {
        database.get("select 1");
      } catch {
        // it cannot be read either: who writes hears of that
      }
    },
    isLost: () => isLost,
    takeOver,
    close() {
      unwatch();
      clearTimeout(noticing);
    },
  };
}
