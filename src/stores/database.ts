/** One SQLite connection: opened and checked, statements kept, one kind of write transaction, damage mended, errors in our words. */
import { statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { HooklineError } from "../core/error.ts";
import { bootedAt, hasLog, isSameBoot, setAside } from "./damage.ts";
import { contentsAt, contentsOf, isMarked, isStoreOrNew, storeMark } from "./ownership.ts";
import { makePrivate, preparePrivateFile } from "./private-file.ts";
import { checkVersion, inOurWords, isBusy, isDamage, loadSqlite, patience, tryAgain } from "./sqlite-library.ts";

export interface Database {
  /** The rows have the columns that the statement names, with the types of the STRICT tables. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /** How many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** One transaction that holds the write lock from its start. Inside another one it is a part of that. */
  write<T>(work: () => T): T;
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
  /** Told what a person should know, in one sentence. */
  onNotice?: ((notice: string) => void) | undefined;
}

/** May throw store_unusable and store_locked, as may all that it returns, and closed once it is closed. */
export function openDatabase({ path, migrations, usualPath, onNotice }: DatabaseOptions): Database {
  const sqlite = loadSqlite(path);
  const statements = new Map<string, StatementSync>();
  let connection: DatabaseSync | undefined;
  let isOpen = true;
  let isWriting = false;
  let isSettled = true;
  let file: number | undefined; // the inode that the connection has open
  let isOurs = false; // what lies at the path is a store, or was one
  let lookedAt = 0;

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
      lookedAt = Date.now();
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
    opened.exec("pragma synchronous = normal");
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

  /** Damage shows when a page is read. The damaged file goes aside, once, and the work is done again on a new one. */
  function mending<T>(work: () => T): T {
    try {
      if (Date.now() - lookedAt > 1_000) followFile();
      return attempt(work);
    } catch (error) {
      throw inOurWords(error, path);
    }
  }

  /** What is done inside a transaction is mended with it, as a whole. */
  const within = <T>(work: () => T): T => (isWriting ? work() : mending(work));

  function attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error) && error !== damageFound) throw error;
      release();
      if (!isOurs) throw stranger(noStore, error);
    }
    const aside = setAside(sqlite, path);
    if (aside) onNotice?.(`the store was damaged and a new one was made — ${path} — the old one is ${aside}`);
    return work();
  }

  /** Another process may have moved a damaged file aside, or a person removed it: then its writes would reach nobody. */
  function followFile(): void {
    lookedAt = Date.now();
    if (connection && inodeOf(path) !== file) release();
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
      statement("commit").run();
      return result;
    } catch (error) {
      if (connection?.isTransaction) statement("rollback").run(); // a full disk has ended it already
      throw error;
    } finally {
      isWriting = false;
    }
  }

  const database: Database = {
    // the rows have the columns that the statements name, with the types of the STRICT tables
    all: <Row>(sql: string, ...values: SQLInputValue[]) => within(() => statement(sql).all(...values)) as Row[],
    // as above
    get: <Row>(sql: string, ...values: SQLInputValue[]) =>
      within(() => statement(sql).get(...values)) as Row | undefined,
    run: (sql, ...values) => Number(within(() => statement(sql).run(...values)).changes),
    write: (work) => within(() => (isWriting ? work() : transaction(work))),
    shred() {
      within(() => statement("pragma secure_delete = on").get()); // it counts from when it is prepared, once for each connection
      isSettled = false;
    },
    settle(isDue) {
      if (isSettled || isWriting || !connection) return;
      try {
        isSettled = isDue() && emptyLog(connection);
      } catch {
        // somebody is at it, or the disk fails: whoever writes next hears of that, and it is tried again
      }
    },
    close() {
      isOpen = false;
      release();
    },
  };
  mending(() => statement("begin immediate"));
  return database;
}

const noStore = "it is no store of Hookline";
const ofAnother = "it is the database of another program";

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

const damageFound = new Error("the check of the whole file found damage");
const rememberBoot =
  "insert into meta (key, value) values ('booted', ?) on conflict (key) do update set value = excluded.value";

/** Waits for nobody: whoever reads or writes just now is in the middle of an agent's call. False: it could not be done. */
function emptyLog(connection: DatabaseSync): boolean {
  connection.exec("pragma busy_timeout = 0");
  try {
    return connection.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
  } finally {
    connection.exec(`pragma busy_timeout = ${patience}`);
  }
}
