/** Writes that a store has been given and that are not known to be on disk yet: kept, because a group of them can be lost as a whole. */
import type { SessionId } from "../core/event.ts";
import type { MissedWrites, Write } from "./missed-writes.ts";
import type { Outage } from "./outages.ts";
import { written } from "./rows.ts";
import type { SqliteStore } from "./sqlite.ts";

/** What an outage has to know of a write. */
export interface Concerning extends Write {
  /** It is for the inbox of this session. */
  mail?: SessionId | undefined;
}

export interface WritesUnderWay {
  /** To be called behind the write. */
  keep(write: Concerning): void;
  /** The same for an event that must last: it is not written later, nor is what comes of it, unless it is on disk. */
  keepOut(event: string): void;
  /** Of what was written so far. */
  committed(): Promise<void>;
  /** They were lost: all but what a part of their turn has brought onto the disk goes on in memory, and is missed. */
  takeOver(outage: Outage): void;
  /** What it gives forgets all that was kept since. */
  mark(): () => void;
}

/** One turn of the event loop, or a few. */
interface Turn {
  committed: Promise<void>;
  writes: Concerning[];
  /** Events that must last. */
  sure: string[];
}

/** @param lost told when a group could not be committed: what comes next would be lost like it */
export function createWritesUnderWay(
  real: SqliteStore,
  { missed, lost }: { missed: MissedWrites; lost(because: unknown): Outage },
): WritesUnderWay {
  let turn: Turn | undefined;

  function now(): Turn {
    const committed = real.committed();
    if (turn?.committed === committed) return turn;
    const here: Turn = { committed, writes: [], sure: [] };
    turn = here;
    committed.then(
      () => {
        here.writes = [];
        for (const id of here.sure) missed.with(id);
      },
      (error: unknown) => takeOver(lost(error), here),
    );
    return here;
  }

  /** A turn may be several transactions: all up to the last event that is there were written. */
  function takeOver({ memory, mail }: Outage, of: Turn): void {
    const { writes } = of;
    of.writes = [];
    const gone = writes.slice(1 + writes.findLastIndex(isThere));
    for (const { to, given, mail: session } of gone) {
      to(memory, given);
      if (session !== undefined) mail.add(session);
    }
    missed.putFirst(gone.filter((one) => one.mail === undefined));
  }

  function isThere({ event, isEvent }: Write): boolean {
    if (!isEvent || event === undefined) return false;
    try {
      return real.database.get("select 1 from event where id = ?", written(event)) !== undefined;
    } catch {
      return false; // nothing can be read: it is better written twice
    }
  }

  return {
    keep: (write) => void now().writes.push(write),
    keepOut: (event) => void now().sure.push(event),
    committed: () => now().committed,
    takeOver: (outage) => turn && takeOver(outage, turn),
    mark() {
      const before = turn;
      const count = before?.writes.length ?? 0;
      return () => {
        if (turn) turn.writes = turn.writes.slice(0, turn === before ? count : 0);
      };
    },
  };
}
