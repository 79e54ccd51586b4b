/** What the degraded mode holds: the ring of rows that wait for the store, and the memory that decisions go on from. */
import type { Instant, MaybePromise, SessionId } from "../engine/event.ts";
import { isThenable } from "../engine/flow.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { Paused, Store } from "../engine/record.ts";
import { openMemoryStore } from "./memory/memory.ts";
import { stringify } from "./sqlite/keep.ts";
import { claimed, reportsOf } from "./sqlite/queries.ts";
import type { SqliteStore } from "./sqlite/sqlite.ts";

/** A row that is not in the store: of an event, its answer, a run, or a message that waits for its session. */
export interface Row {
  to(store: Store): unknown;
  /** What is written, as it is measured. */
  of: object;
  /** The event that it belongs to. */
  event?: string;
  /** The answer to that event. */
  outcome?: Outcome;
  /** Whose message it is. */
  session?: SessionId;
  /** The event had to be durable: where it is lost, its sender gets the error, and nothing of it is written. */
  isRefused?: true;
  characters?: number;
}
export type Keyed = [key: string, row: Row];

/** Of all rows that are kept, as JSON. */
const charactersAtMost = 64 * 1024 * 1024;
/** Events, runs and sessions that decisions go on from. */
const rememberedAtMost = 500;

export interface Ring {
  add(key: string, row: Row): void;
  get(key: string): Row | undefined;
  drop(key: string): void;
  /** The messages of this session. */
  dropOf(session: SessionId): void;
  first(count: number): Keyed[];
  size(): number;
  /** How many fell out, in all. */
  lost(): number;
}

/** In the order in which they came; where it is full, the oldest fall out. */
export function createRing(atMost: number): Ring {
  const rows = new Map<string, Row>();
  let characters = 0;
  let lost = 0;

  function drop(key: string): void {
    characters -= rows.get(key)?.characters ?? 0;
    rows.delete(key);
  }

  return {
    add(key, row) {
      const size = stringify(row.of)?.length ?? 0;
      characters += size - (rows.get(key)?.characters ?? 0);
      rows.set(key, { ...row, characters: size });
      for (const oldest of rows.keys()) {
        if (rows.size <= atMost && characters <= charactersAtMost) return;
        drop(oldest);
        lost += 1;
      }
    },
    get: (key) => rows.get(key),
    drop,
    dropOf(session) {
      for (const [key, row] of rows) if (row.session === session) drop(key);
    },
    first: (count) => Array.from(rows).slice(0, count),
    size: () => rows.size,
    lost: () => lost,
  };
}

export interface Remembered {
  now(): Instant;
  /** What an event that the store has was answered since. */
  answer(event: string): Outcome | undefined;
  /** As they were when they could last be read. */
  paused(): Paused | undefined;
}

/** A memory that goes on from what can still be read in the store. */
export function memoryBeside(real: SqliteStore | undefined, { now, answer, paused }: Remembered): Store {
  /** Who waits for a lock has no part in what can be read. */
  function known<T>(read: (store: SqliteStore) => T): T | undefined {
    try {
      return real && read(real);
    } catch {
      return undefined; // it cannot be read either: the memory is all there is
    }
  }
  return openMemoryStore({
    now,
    limit: rememberedAtMost,
    before: {
      turn: (session) => known((store) => atOnce(store.turn(session))),
      reports: (event) =>
        known((store) =>
          reportsOf(store.database, event).map((one) => {
            const outcome = one.outcome ?? answer(one.id);
            return { ...one, ...(outcome && { outcome }) };
          }),
        ),
      claimed: (key) => known((store) => claimed(store.database, { key })),
      pendingChecks: (session) => known((store) => atOnce(store.pendingChecks(session))),
      baseline: (session, folder) => known((store) => atOnce(store.baseline(session, folder))),
      paused: () => known((store) => atOnce(store.paused())) ?? paused(),
    },
  });
}

export function atOnce<T>(given: MaybePromise<T>): T {
  if (isThenable(given)) throw new TypeError("a store of this process does not wait");
  return given;
}
