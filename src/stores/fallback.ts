/** Keeps hooks working while their store does not: what it cannot write is kept for this process only (SAFETY F10). */
import { messageOf } from "../core/error.ts";
import { isThenable } from "../core/flow.ts";
import type { Store } from "../core/record.ts";
import type { Database } from "./database.ts";
import { openMemoryStore } from "./memory.ts";
import type { SqliteStore } from "./sqlite.ts";

/**
 * A store that goes over to memory for good at its first failure, so that every hook is still asked. It cannot count
 * across processes then: `spend` fails, and a new round of the conversation is not begun. What is to outlast the process,
 * such as durable runs, has no substitute: `database` and `redact` go on throwing what the store failed with.
 *
 * @param open may throw
 * @param complain called once, with the reason
 */
export function storeWithFallback(open: () => SqliteStore, complain: (reason: string) => void): SqliteStore {
  let failure: unknown;
  let lasting: SqliteStore | undefined;
  let current: Store;
  const fallBack = (error: unknown): Store => {
    if (failure === undefined) complain(messageOf(error));
    failure ??= error;
    current = {
      ...openMemoryStore(),
      spend() {
        throw failure;
      },
    };
    return current;
  };
  try {
    lasting = open();
    current = lasting;
  } catch (error) {
    current = fallBack(error);
  }
  const real = (): SqliteStore => {
    if (failure === undefined && lasting) return lasting;
    throw failure;
  };
  const database: Database = {
    all: (sql, ...values) => real().database.all(sql, ...values),
    get: (sql, ...values) => real().database.get(sql, ...values),
    run: (sql, ...values) => real().database.run(sql, ...values),
    write: (work) => real().database.write(work),
    grouped: {
      run: (sql, ...values) => real().database.grouped.run(sql, ...values),
      write: (work) => real().database.grouped.write(work),
      hold: (work) => real().database.grouped.hold(work),
    },
    beside: (work) => real().database.beside(work),
    standing: () => real().database.standing(),
    committed: () => real().database.committed(),
    isLosing: () => real().database.isLosing(),
    watch: (told) => real().database.watch(told),
    hurry: (isHurried) => lasting?.database.hurry(isHurried),
    shred: () => real().database.shred(),
    settle: (isDue) => lasting?.database.settle(isDue),
    close: () => lasting?.database.close(),
  };
  const guarded =
    <A extends readonly unknown[], R>(use: (store: Store) => (...given: A) => R) =>
    (...given: A): R => {
      try {
        const result = use(current)(...given);
        return isThenable(result)
          ? (Promise.resolve(result).catch((error: unknown) => again(use, given, error)) as R)
          : result; // the same promise, guarded
      } catch (error) {
        return again(use, given, error);
      }
    };
  const again = <A extends readonly unknown[], R>(
    use: (store: Store) => (...given: A) => R,
    given: A,
    error: unknown,
  ): R => {
    if (failure !== undefined) throw error;
    return use(fallBack(error))(...given);
  };
  return {
    database,
    redact: (text) => real().redact(text),
    record: guarded((store) => store.record),
    answered: guarded((store) => store.answered),
    turn: guarded((store) => store.turn),
    claim: guarded((store) => store.claim),
    peek: guarded((store) => store.peek),
    spend: guarded((store) => store.spend),
    owe: guarded((store) => store.owe),
    paid: guarded((store) => store.paid),
    post: guarded((store) => store.post),
    collect: guarded((store) => store.collect),
    baseline: guarded((store) => store.baseline),
    setBaseline: guarded((store) => store.setBaseline),
    pause: guarded((store) => store.pause),
    resume: guarded((store) => store.resume),
    paused: guarded((store) => store.paused),
    saveRun: guarded((store) => store.saveRun),
    run: guarded((store) => store.run),
    runs: guarded((store) => store.runs),
    event: guarded((store) => store.event),
    events: guarded((store) => store.events),
    setsInForce: guarded((store) => store.setsInForce),
    hookSet: guarded((store) => store.hookSet),
    lastFired: guarded((store) => store.lastFired),
    repair: guarded((store) => store.repair),
    purge: guarded((store) => store.purge),
    committed: () => current.committed(),
    batch: (work) => (current.batch ? current.batch(work) : work()),
    close() {
      try {
        current.close();
      } catch (error) {
        complain(messageOf(error)); // what was decided stands
      }
    },
  };
}
