/** One SQLite connection: opened and checked, statements kept, one kind of write transaction, damage mended, errors in our words. */
import { statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { HooklineError, messageOf } from "../core/error.ts";
import type { OwnProcess } from "../core/owner.ts";
import { bootedAt, hasLog, isSameBoot, setAside } from "./damage.ts";
import { createGroups, type Fate, type Groups, written } from "./group-commit.ts";
import { createLogKeeping } from "./log-keeping.ts";
import { contentsAt, contentsOf, isMarked, isStoreOrNew, storeMark } from "./ownership.ts";
import { makePrivate, preparePrivateFile } from "./private-file.ts";
import { createRowsAhead, recoverRowsAhead } from "./rows-ahead.ts";
import { checkVersion, inOurWords, isBusy, isDamage, loadSqlite, patience, tryAgain } from "./sqlite-library.ts";
import type { WaitingRow } from "./waiting-rows.ts";

/** Ways to write. */
export interface Writing {
  /** How many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** One transaction that holds the write lock from its start. Inside another one it is a part of that. */
  write<T>(work: () => T): T;
}

/** What is only written when the group ends, or when somebody looks. */
export interface Waiting {
  isEmpty(): boolean;
  /** All that was given since it was asked before, also what is written already. */
  fresh(): readonly WaitingRow[];
  /** Writes all of it, and forgets it whatever happens. Throws what a write throws. */
  flush(write: Writing["run"]): void;
  /** A group has ended: what was read in it may be out of date, and what waits is lost. Must not throw. */
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
   * that throws undoes only itself. Without `groups` there is no difference.
   */
  readonly grouped: Grouped;
  /** Resolves once all that was written so far is on disk; rejects with HooklineError if any of it is not. */
  committed(): Promise<void>;
  /** The last group was lost, which `onNotice` was told. */
  isLosing(): boolean;
  /** Told at once what has become of all that was `grouped` so far, and why it was lost; must neither throw nor ask or write anything. What it gives ends that. */
  watch(told: (fate: Fate, because?: unknown) => void): () => void;
  /** In `groups`: from now on nothing waits for other writers, or as long as usual again. */
  hurry(isHurried: boolean): void;
  /** While it is the same number, a group is open, which takes milliseconds, and this process has changed nothing but what is grouped. Undefined: none is. */
  standing(): number | undefined;
  /** Does a work that asks for what never waits in a group: what waits goes on waiting. */
  beside<T>(work: () => T): T;
  /** From now on what is deleted is overwritten, and `settle` has something to do. */
  shred(): void;
  /** After `shred`: empties the log, where all that was ever written stands until then. Never throws, and does without if somebody is at it. @param isDue asked if there is something to do */
  settle(isDue: () => boolean): void;
  /** Safe to call twice. */
  close(): void;
}

export interface DatabaseOptions {
  path: string;
  migrations: readonly string[];
  /** Where nothing but a store can lie: one that cannot even be told for a store any more is damaged there, and no stranger. */
  usualPath?: string | undefined;
  /** For processes that stay: what is written through `grouped` in one turn of the event loop is one transaction. */
  groups?: Waiting | undefined;
  /** Whose rows wait beside the file. Absent: none do, and what others have left there stays. */
  ahead?: OwnProcess | undefined;
  /** Told what a person should know, in one sentence. */
  onNotice?: ((notice: string) => void) | undefined;
  /** Asked before a file that is another one now, or none, is opened in place of the one before: true, and it is not. */
  isGone?: (() => boolean) | undefined;
}

/** May throw store_unusable and store_locked, as may all that it returns, and closed once it is closed. */
export function openDatabase(options: DatabaseOptions): Database {
  const { path, migrations, usualPath, groups: waiting, onNotice } = options;
  const sqlite = loadSqlite(path);
  const statements = new Map<string, StatementSync>();
  let connection: DatabaseSync | undefined;
  let isOpen = true;
  let changes = 0;
  let isWriting = false;
  let isHolding = false;
  let isSettled = true;
  let file: number | undefined; // the inode that the connection has open
  let isOurs = false; // what lies at the path is a store, or was one
  let lookedAt = 0; // on a clock that nobody sets
  let waitsFor = waiting ? standstill : patience;
  let watching: readonly ((fate: Fate, because?: unknown) => void)[] = [];

  function statement(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    if (!isOpen) throw new HooklineError("closed", { name: "the store", where: path });
    connection ??= open();
    const made = connection.prepare(sql);
    statements.set(sql, made);
    return made;
  }

  function open(): DatabaseSync {
    const size = preparePrivateFile(path);
    if (size === 1) throw stranger(noStore); // SQLite takes one byte for nothing
    const isLogged = hasLog(path);
    file = inodeOf(path);
    isOurs = path === usualPath;
    let opened: DatabaseSync | undefined;
    try {
      if (size > 0) recognise();
      opened = new sqlite.DatabaseSync(path, { timeout: patience });
      prepare(opened, isLogged);
      opened.exec(`pragma busy_timeout = ${waitsFor}`);
      if (options.ahead) recover(opened, options.ahead);
      lookedAt = uptime();
      return opened;
    } catch (error) {
      opened?.close();
      if (inodeOf(path) === file) throw error;
      return open(); // another process was faster and moved a damaged file aside
    }
  }

  /** Before it is opened for writing, which would empty its log. */
  function recognise(): void {
    if (isMarked(sqlite, path)) isOurs = true;
    else if (!isStoreOrNew(contentsAt(sqlite, path))) throw stranger(ofAnother);
  }

  /** Nothing is written, to the file or its rights, before it is known for a store. */
  function prepare(opened: DatabaseSync, isLogged: boolean): void {
    opened.exec(waiting ? "pragma synchronous = normal; pragma wal_autocheckpoint = 0" : "pragma synchronous = normal");
    const state = contentsOf(opened);
    checkVersion(state.version, path);
    if (!isStoreOrNew(state)) throw stranger(ofAnother);
    isOurs = true;
    makePrivate(path);
    if (state.application_id !== storeMark) opened.exec(`pragma application_id = ${storeMark}`); // before there is a log, so that it is in the file
    if (state.journal_mode !== "wal") useLog(opened);
    if (state.user_version !== migrations.length) migrate(opened);
    else if (isLogged) checkAfterRestart(opened);
  }

  /** What cannot be written now waits for whoever opens the store next. */
  function recover(opened: DatabaseSync, owner: OwnProcess): void {
    try {
      recoverRowsAhead(path, owner, (work) => {
        opened.exec("begin immediate");
        try {
          work((sql, ...values) => Number(opened.prepare(sql).run(...values).changes));
          opened.exec("commit");
        } finally {
          if (opened.isTransaction) opened.exec("rollback");
        }
      });
    } catch (error) {
      if (isDamage(error)) throw error;
      onNotice?.(`what an earlier process has told is not all in the store yet: ${messageOf(inWords(error))}`);
    }
  }

  const stranger = (reason: string, cause?: unknown): HooklineError =>
    new HooklineError("store_unusable", { reason, where: path, advice: "choose another file" }, { cause });

  function useLog(opened: DatabaseSync): void {
    const change = (): unknown => opened.prepare("pragma journal_mode = wal").get()?.journal_mode;
    const mode = tryAgain(change, isBusy, patience); // it does not wait for other connections by itself
    if (mode !== "wal")
      onNotice?.(
        `the store has no write-ahead log (journal mode ${mode}), so writers wait for readers — ${path} — keep it on a local disk`,
      );
  }

  function migrate(opened: DatabaseSync): void {
    opened.exec("begin immediate");
    const version = Number(opened.prepare("pragma user_version").get()?.user_version); // another process may have been faster
    if (version > migrations.length) throw tooNew(version);
    for (const migration of migrations.slice(version)) opened.exec(migration);
    opened.exec(`pragma user_version = ${migrations.length}`);
    opened.prepare(rememberBoot).run(bootedAt());
    opened.exec("commit");
  }

  const tooNew = (version: number): HooklineError => {
    const reason = `a newer Hookline wrote it (version ${version}, this one knows ${migrations.length})`;
    return new HooklineError("store_unusable", {
      reason,
      where: path,
      advice: "update Hookline or choose another file",
    });
  };

  /** A log that is left is that of a live process, of one that was killed, or of a machine that went down. */
  function checkAfterRestart(opened: DatabaseSync): void {
    const booted = bootedAt();
    const known = opened.prepare("select value from meta where key = 'booted'").get()?.value;
    if (typeof known === "number" && isSameBoot(known, booted)) return;
    if (opened.prepare("pragma quick_check(1)").get()?.quick_check !== "ok") throw damageFound;
    opened.prepare(rememberBoot).run(booted);
  }

  const inWords = (error: unknown): unknown => inOurWords(error, path, waitsFor);

  /** Damage shows when a page is read. The damaged file goes aside, once, and the work is done again on a new one. */
  function mending<T>(work: () => T): T {
    try {
      if (uptime() - lookedAt > 1_000 && !groups?.isOpen()) followFile();
      return attempt(work);
    } catch (error) {
      if (groups?.isBegun() && !connection?.isTransaction) groups.lose(error); // a full disk or a damaged file ends it as a whole
      throw inWords(error);
    }
  }

  /** What is done inside a transaction is mended with it, as a whole. */
  const within = <T>(work: () => T): T => {
    if (isHolding) return work();
    if (groups) settleRows();
    return isWriting ? work() : mending(work);
  };

  function attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error) && error !== damageFound) throw error;
      groups?.lose(error);
      release();
      if (!isOurs) throw stranger(noStore, error);
    }
    const aside = setAside(sqlite, path);
    if (aside) onNotice?.(`the store was damaged and a new one was made — ${path} — the old one is ${aside}`);
    groups?.mended();
    return work();
  }

  /** Another process may have moved a damaged file aside, or a person removed it: then its writes would reach nobody. */
  function followFile(): void {
    lookedAt = uptime();
    if (!connection || inodeOf(path) === file) return;
    if (options.isGone?.()) throw stranger("its place is gone");
    release();
  }

  function release(): void {
    statements.clear();
    connection?.close();
    connection = undefined;
  }

  function transaction<T>(work: () => T): T {
    statement("begin immediate").run();
    isWriting = true;
    try {
      const result = work();
      if (groups) settleRows();
      statement("commit").run();
      return result;
    } catch (error) {
      if (connection?.isTransaction) statement("rollback").run(); // a full disk has ended it already
      throw error;
    } finally {
      isWriting = false;
      waiting?.clear();
    }
  }

  const writeHere: Writing["run"] = (sql, ...values) => Number(statement(sql).run(...values).changes);
  const ahead = waiting && options.ahead && createRowsAhead(path, options.ahead);
  const groups: Groups | undefined = waiting
    ? createGroups({
        begin: beginGroup,
        commit() {
          if (!connection?.isTransaction) {
            if (waiting.isEmpty() && !ahead?.isOwing()) return;
            beginGroup();
          }
          flushWaiting(waiting);
          statement("commit").run();
          log?.wrote();
        },
        rollback,
        ...(ahead && { keep: () => ahead.keep(waiting.fresh()) && tell("kept") }),
        ended(lost) {
          changes += 1;
          waiting.clear();
          if (lost) ahead?.owe();
          else ahead?.clear();
          tell(lost ? "lost" : "written", lost?.because);
        },
        worded: inWords,
        onLoss: (because) =>
          onNotice?.(
            `${ahead?.isOwing() ? ofKept : "what happened just now could not be written down"}: ${messageOf(because)}`,
          ),
      })
    : undefined;

  function tell(fate: Fate, because?: unknown): true {
    for (const told of watching) told(fate, because);
    return true;
  }

  function rollback(): void {
    if (connection?.isTransaction) connection.exec("rollback");
  }

  /** What was acknowledged and lost comes first. */
  function beginGroup(): void {
    statement("begin immediate").run();
    if (!ahead?.isOwing()) return;
    try {
      holding(() => ahead.replay(writeHere));
    } catch (error) {
      rollback();
      throw error;
    }
  }

  const log = groups
    ? createLogKeeping({
        outstanding: () => (connection?.isTransaction ? undefined : outstandingIn(connection)),
        copy: () => void connection?.prepare("pragma wal_checkpoint(passive)").get(),
      })
    : undefined;

  /** Before anybody looks. A group that cannot be written is lost as a whole, and whoever looks has no part in that. */
  function settleRows(): void {
    if (!waiting || waiting.isEmpty()) return;
    try {
      if (!isWriting) groups?.begin();
      flushWaiting(waiting);
    } catch (error) {
      if (isWriting) throw error;
      rollback();
      groups?.lose(error);
    }
  }

  const flushWaiting = (rows: Waiting): void => holding(() => rows.flush(writeHere));

  /** Whoever looks in it sees the tables as they are: what waits goes on waiting. */
  function holding<T>(work: () => T): T {
    const was = isHolding;
    isHolding = true;
    try {
      return work();
    } finally {
      isHolding = was;
    }
  }

  /** A part of the turn's transaction. */
  function inGroup<T>(work: () => T, joined: Groups): T {
    joined.join();
    joined.begin();
    statement("savepoint part").run();
    isWriting = true;
    try {
      const result = work();
      settleRows();
      statement("release part").run();
      return result;
    } catch (error) {
      waiting?.clear(); // what the work has added; all else is written
      if (connection?.isTransaction) connection.exec("rollback to part; release part");
      throw error;
    } finally {
      isWriting = false;
      joined.wrote();
    }
  }

  function held<T>(work: () => T, joined: Groups): T {
    joined.join();
    if (ahead?.isOwing()) joined.begin();
    try {
      return holding(work);
    } finally {
      joined.wrote();
    }
  }

  /** What is to be on disk at once does not wait for the others, and comes after them. */
  const alone = <T>(work: () => T): T => {
    changes += 1;
    if (isWriting || isHolding) {
      if (isHolding) groups?.begin();
      return within(work);
    }
    if (ahead?.isOwing()) groups?.join();
    if (ahead?.isOwing()) groups?.begin();
    groups?.end();
    const result = within(work);
    log?.wrote();
    return result;
  };
  const run: Writing["run"] = (sql, ...values) => alone(() => writeHere(sql, ...values));
  const write: Writing["write"] = (work) => alone(() => (isWriting ? work() : transaction(work)));
  const apart = (sql: string, values: readonly SQLInputValue[], joined: Groups): number => {
    joined.begin();
    return writeHere(sql, ...values);
  };
  const groupedBy = (joined: Groups): Grouped => ({
    run: (sql, ...values) =>
      isWriting || isHolding ? run(sql, ...values) : within(() => held(() => apart(sql, values, joined), joined)),
    write: (work) => within(() => (isWriting ? work() : inGroup(work, joined))),
    hold(work) {
      if (isWriting || isHolding) return work();
      return mending(() => held(work, joined));
    },
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
    beside: (work) => (isWriting || isHolding ? work() : holding(() => mending(work))),
    standing: () => (groups?.isOpen() ? changes : undefined),
    committed: () => groups?.committed() ?? written,
    isLosing: () => groups?.isLosing() === true,
    watch(told) {
      watching = [...watching, told];
      return () => {
        watching = watching.filter((one) => one !== told);
      };
    },
    hurry(isHurried) {
      waitsFor = isHurried ? 0 : standstill;
      connection?.exec(`pragma busy_timeout = ${waitsFor}`);
    },
    shred() {
      within(() => statement("pragma secure_delete = on").get()); // it counts from when it is prepared, once for each connection
      isSettled = false;
    },
    settle(isDue) {
      if (isSettled || isWriting || !connection) return;
      groups?.end();
      try {
        isSettled = isDue() && emptyLog(connection, waitsFor);
      } catch {
        // somebody is at it, or the disk fails: whoever writes next hears of that, and it is tried again
      }
    },
    close() {
      if (isOpen) groups?.close();
      ahead?.close();
      isOpen = false;
      log?.close();
      release();
    },
  };
  mending(() => statement("begin immediate"));
  return database;
}

/** Milliseconds that a process that stays waits for another writer: all whom it serves wait with it. */
const standstill = 250;
const ofKept = "what happened just now lies beside the store until it can be written down";
const noStore = "it is no store of Hookline";
const ofAnother = "it is the database of another program";

/** Milliseconds that nobody sets: `performance` takes one to load. */
const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n);

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

const damageFound = new Error("the check of the whole file found damage");
const rememberBoot =
  "insert into meta (key, value) values ('booted', ?) on conflict (key) do update set value = excluded.value";

/** Waits for nobody: whoever reads or writes just now is in the middle of an agent's call. False: it could not be done. */
function emptyLog(connection: DatabaseSync, waitsFor: number): boolean {
  connection.exec("pragma busy_timeout = 0");
  try {
    return connection.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
  } finally {
    connection.exec(`pragma busy_timeout = ${waitsFor}`);
  }
}

/** Pages of the log that are not in the file yet. */
function outstandingIn(connection: DatabaseSync | undefined): number {
  const { log = 0, checkpointed = 0 } = connection?.prepare("pragma wal_checkpoint(noop)").get() ?? {};
  return Number(log) - Number(checkpointed);
}
