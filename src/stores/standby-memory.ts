/** What stands in for a store that takes nothing: a memory that goes on from what can still be read in it. */
import { dropOldest } from "../core/drop-oldest.ts";
import type { HookId, Instant, MaybePromise } from "../core/event.ts";
import { isThenable } from "../core/flow.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Found, Store } from "../core/record.ts";
import { openMemoryStore } from "./memory.ts";
import { claimed, tellingsOf } from "./queries.ts";
import type { SqliteStore } from "./sqlite.ts";

/** Events, runs and sessions that it holds. */
const rowsAtMost = 500;

export interface StandbyMemoryOptions {
  now(): Instant;
  /** As they were when they could last be read. */
  paused(): ReadonlySet<string> | undefined;
}

/** Nothing of it waits. */
export function openStandbyMemory(real: SqliteStore, { now, paused }: StandbyMemoryOptions): Store {
  const answers = new Map<string, Outcome>(); // of events that the store has, and the memory does not
  const memory = openMemoryStore({
    now,
    limit: rowsAtMost,
    before: {
      turn: (session) => known(() => atOnce(real.turn(session))),
      tellings: (event) =>
        known(() => tellingsOf(real.database, event))?.map((one) => ({ ...one, ...outcomeOf(one.id) })),
      claimed: (key) => known(() => claimed(real.database, { key })),
      debts: (session) => known(() => atOnce(real.owe(session, noDebts))),
      baseline: (session, folder) => known(() => atOnce(real.baseline(session, folder))),
      paused: () => known(() => atOnce(real.paused())) ?? paused(),
    },
  });

  function outcomeOf(id: string): { outcome?: Outcome } {
    const outcome = answers.get(id);
    return outcome ? { outcome } : {};
  }

  return {
    ...memory,
    answered(id, outcome, ms) {
      answers.set(id, outcome);
      dropOldest(answers, rowsAtMost);
      return memory.answered(id, outcome, ms);
    },
  };
}

const noDebts: ReadonlyMap<HookId, Found> = new Map();

/** Who waits for a lock has no part in what can be read. */
function known<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // it cannot be read either: the memory is all there is
  }
}

export function atOnce<T>(given: MaybePromise<T>): T {
  if (isThenable(given)) throw new TypeError("a store of this process does not wait");
  return given;
}
