/** How a store writes: every write is part of a transaction, its own or, in a process that stays, that of a group. */
import type { SQLInputValue } from "node:sqlite";
import { type Connection, type ConnectionOptions, createConnection } from "./connection.ts";
import { createGroups, type Groups, type Lost, nothingPending } from "./groups.ts";
import { patience } from "./store-file.ts";

/** Ways to write. */
export interface Writing {
  /** How many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** One transaction that holds the write lock from its start. Inside another one it is a part of that. */
  write<T>(work: () => T): T;
}

/** What is only written when its transaction ends, or before a query. */
export interface Waiting {
  isEmpty(): boolean;
  /** Writes all of it, and forgets it whatever happens. Throws what a write throws. */
  flush(write: Writing["run"]): void;
  /** A transaction has ended: what was read in it may be out of date, and what waits is lost. Must not throw. */
  clear(): void;
}

export interface Grouped extends Writing {
  /** Does the work inside the transaction, without looking: what waits goes on waiting, also what the work adds. */
  hold<T>(work: () => T): T;
}

/** What is written is on disk when the method returns, but for what `grouped` writes. */
export interface Database extends Writing {
  /** The rows have the columns that the statement names, with the types of the STRICT tables. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /**
   * The same for what may be committed with all else of this turn of the event loop; every question sees it at once. A work
   * that throws undoes only itself. Without `groups` each is a group of its own.
   */
  readonly grouped: Grouped;
  /** Resolves once all that was written so far is on disk; rejects with HooklineError if any of it is not. */
  committed(): Promise<void>;
  /** Calls back when a group has ended, and why where it was lost; the callback must neither throw nor query or write. Returns the undo. */
  watch(ended: (lost?: Lost) => void): () => void;
  /** From now on nothing waits for other writers, or as long as usual again. */
  hurry(isHurried: boolean): void;
  /** While it is the same number, the same group is open, and this process has written nothing outside of it. Undefined: none is open. */
  openGroup(): number | undefined;
  /** Does a work that asks for what never waits in a group: what waits goes on waiting. */
  beside<T>(work: () => T): T;
  /** From now on what is deleted is overwritten, and `settle` has something to do. */
  shred(): void;
  /** After `shred`: empties the log, where all that was ever written stands until then. Never throws, and does nothing while another process uses it. @param isDue asked if there is something to do */
  settle(isDue: () => boolean): void;
  /** Safe to call twice. */
  close(): void;
}

export interface DatabaseOptions extends ConnectionOptions {
  waiting: Waiting;
  /** For processes that stay: what is written through `grouped` in one turn of the event loop is one transaction. */
  groups: boolean;
}

/** Milliseconds that a long-lived process waits for another writer: all that it serves wait with it. */
const standstill = 250;

/** May throw store_unusable and store_locked, as may all that it returns, and closed once it is closed. */
export function openDatabase(options: DatabaseOptions): Database {
  const { waiting } = options;
  const usualWait = options.groups ? standstill : patience;
  let changes = 0;
  let isSettled = true;
  let watching: readonly ((lost?: Lost) => void)[] = [];

  const connection = createConnection(options, usualWait, {
    isOpen: () => groups?.isOpen() === true,
    lose: (because) => groups?.lose(because),
    mended: () => groups?.mended(),
  });
  const { statement, mending } = connection;
  const transactions = createTransactions(connection, waiting, (because) => groups?.lose(because));
  const { writeHere, isWriting, isInside, within, holding } = transactions;
  const groups: Groups | undefined = options.groups
    ? createGroups({
        begin: () => void statement("begin immediate").run(),
        commit() {
          transactions.flushWaiting();
          statement("commit").run();
        },
        rollback: connection.rollback,
        ended(lost) {
          changes += 1;
          waiting.clear();
          for (const callback of watching) callback(lost);
        },
        worded: connection.inWords,
      })
    : undefined;

  /** What is to be on disk at once does not wait for the others, and comes after them. */
  function alone<T>(work: () => T): T {
    changes += 1;
    if (!isInside()) groups?.end();
    return within(work);
  }
  const run: Writing["run"] = (sql, ...values) => alone(() => writeHere(sql, ...values));
  const write: Writing["write"] = (work) => alone(() => (isWriting() ? work() : transactions.whole(work)));
  const groupedBy = (joined: Groups): Grouped => ({
    run: (sql, ...values) =>
      isInside() ? run(sql, ...values) : within(() => transactions.held(() => writeHere(sql, ...values), joined)),
    write: (work) => within(() => (isWriting() ? work() : transactions.inGroup(work, joined))),
    hold: (work) => (isInside() ? work() : mending(() => transactions.held(work, joined))),
  });

  const database: Database = {
    // the rows have the columns that the statements name, with the types of the STRICT tables
    all: <Row>(sql: string, ...values: SQLInputValue[]) => within(() => statement(sql).all(...values)) as Row[],
    // as above
    get: <Row>(sql: string, ...values: SQLInputValue[]) =>
      within(() => statement(sql).get(...values)) as Row | undefined,
    run,
    write,
    grouped: groups ? groupedBy(groups) : { run, write, hold: write },
    beside: (work) => (isInside() ? work() : holding(() => mending(work))),
    openGroup: () => (groups?.isOpen() ? changes : undefined),
    committed: () => groups?.committed() ?? nothingPending,
    watch(callback) {
      watching = [...watching, callback];
      return () => {
        watching = watching.filter((one) => one !== callback);
      };
    },
    hurry: (isHurried) => connection.waitFor(isHurried ? 0 : usualWait),
    shred() {
      within(() => statement("pragma secure_delete = on").get()); // it counts from when it is prepared, once for each connection
      isSettled = false;
    },
    settle(isDue) {
      if (isSettled || isWriting()) return;
      groups?.end();
      try {
        isSettled = isDue() && connection.emptyLog();
      } catch {
        // another process uses it, or the disk fails: the next writer hears of that, and it is tried again
      }
    },
    close() {
      groups?.close();
      connection.close();
    },
  };
  mending(() => statement("begin immediate"));
  return database;
}

/**
 * Transactions of their own, and parts of a group. What waits is written before each query and at each end.
 *
 * @param lose called where a group cannot be written
 */
function createTransactions(connection: Connection, waiting: Waiting, lose: (because: unknown) => void) {
  const { statement, mending } = connection;
  let isWriting = false;
  let isHolding = false;

  const writeHere: Writing["run"] = (sql, ...values) => Number(statement(sql).run(...values).changes);
  const flushWaiting = (): void => holding(() => waiting.flush(writeHere));

  /** Before each query. A group that cannot be written is lost as a whole, and the query goes on without it. */
  function settleRows(): void {
    if (waiting.isEmpty()) return;
    try {
      flushWaiting();
    } catch (error) {
      if (isWriting) throw error;
      connection.rollback();
      lose(error);
    }
  }

  /** A query inside sees the tables as they are: what waits goes on waiting. */
  function holding<T>(work: () => T): T {
    const was = isHolding;
    isHolding = true;
    try {
      return work();
    } finally {
      isHolding = was;
    }
  }

  /** What is done inside a transaction is mended with it, as a whole. */
  function within<T>(work: () => T): T {
    if (isHolding) return work();
    settleRows();
    return isWriting ? work() : mending(work);
  }

  /** The work between the statements that begin and end it; what it throws undoes the work, and what it made wait. */
  function part<T>(work: () => T, { begin, end, undo }: { begin: string; end: string; undo(): void }): T {
    statement(begin).run();
    isWriting = true;
    try {
      const result = work();
      settleRows();
      statement(end).run();
      return result;
    } catch (error) {
      waiting.clear();
      undo();
      throw error;
    } finally {
      isWriting = false;
    }
  }

  function whole<T>(work: () => T): T {
    const result = part(work, { begin: "begin immediate", end: "commit", undo: connection.rollback });
    waiting.clear();
    return result;
  }

  function inGroup<T>(work: () => T, joined: Groups): T {
    joined.join();
    try {
      return part(work, {
        begin: "savepoint part",
        end: "release part",
        undo() {
          if (!connection.isInTransaction()) return; // a full disk has ended it
          statement("rollback to part").run();
          statement("release part").run();
        },
      });
    } finally {
      joined.wrote();
    }
  }

  function held<T>(work: () => T, joined: Groups): T {
    joined.join();
    try {
      return holding(work);
    } finally {
      joined.wrote();
    }
  }

  return {
    isWriting: (): boolean => isWriting,
    /** A work is under way: what it asks for and writes belongs to it. */
    isInside: (): boolean => isWriting || isHolding,
    ...{ writeHere, flushWaiting, holding, within, whole, inGroup, held },
  };
}

/** Of a store that could not be opened. */
export function unopenedDatabase(because: () => unknown): Database {
  const fail = (): never => {
    throw because();
  };
  const writing = { run: fail, write: fail, hold: fail };
  const nothing = (): void => {};
  return {
    ...{ all: fail, get: fail, ...writing, grouped: writing, beside: fail, shred: fail, watch: () => nothing },
    ...{
      openGroup: () => undefined,
      committed: () => Promise.reject(because()),
      hurry: nothing,
      settle: nothing,
      close: nothing,
    },
  };
}
