/** The connection to a store's file: opened, checked and migrated, followed where the file is replaced, made anew where it is damaged. */
import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { HooklineError, messageOf } from "../../engine/error.ts";
import {
  bootedAt,
  checkVersion,
  contentsAt,
  contentsOf,
  hasLog,
  inOurWords,
  isBusy,
  isDamage,
  isMarked,
  isSameBoot,
  isStoreOrNew,
  isUnwritable,
  loadSqlite,
  makePrivate,
  openUntouched,
  patience,
  preparePrivateFile,
  type Sqlite,
  setAside,
  storeMark,
  tryAgain,
  waysToRead,
} from "./store-file.ts";

export interface ConnectionOptions {
  path: string;
  migrations: readonly string[];
  /** The default path, where only a store can lie: a file there that is not recognisable as one is damaged, and no other program's. */
  usualPath?: string | undefined;
  /** Called with what a person should know, in one sentence. */
  onNotice?: ((notice: string) => void) | undefined;
  /** For a caller that only reads: a file that cannot be written is opened for reading, with a notice. */
  reads?: boolean | undefined;
  /** Asked before a file that is another one now, or none, is opened in place of the one before: true, and it is not. */
  isGone?: (() => boolean) | undefined;
}

/** What is written as one: as long as it is open the file is not changed for another. */
interface OpenGroup {
  isOpen(): boolean;
  lose(because: unknown): void;
  mended(): void;
}

export interface Connection {
  /** Prepared once. May throw what opening the file throws. */
  statement(sql: string): StatementSync;
  isInTransaction(): boolean;
  /** Nothing, where no transaction is open. */
  rollback(): void;
  /** Damage shows when a page is read. The damaged file goes aside, once, and the work is done again on a new one. Throws in our words. */
  mending<T>(work: () => T): T;
  inWords(error: unknown): unknown;
  /** Milliseconds that it waits for other writers from now on. */
  waitFor(milliseconds: number): void;
  /** Empties the log without waiting: another process that reads or writes now is in the middle of an agent's call. False: it could not be done. */
  emptyLog(): boolean;
  /** Safe to call twice. */
  close(): void;
}

/** @param waits milliseconds for other writers */
export function createConnection(options: ConnectionOptions, waits: number, group: OpenGroup): Connection {
  const { path, onNotice } = options;
  const sqlite = loadSqlite(path);
  const file = createStoreFile(sqlite, options, inWords);
  const statements = new Map<string, StatementSync>();
  let database: DatabaseSync | undefined;
  let isClosed = false;
  let waitsFor = waits;
  let lookedAt = 0; // on a monotonic clock

  function opened(): DatabaseSync {
    if (isClosed) throw new HooklineError("closed", { name: "the store", where: path });
    if (database) return database;
    database = file.open();
    database.exec(`pragma busy_timeout = ${waitsFor}`);
    lookedAt = uptime();
    return database;
  }

  function release(): void {
    statements.clear();
    database?.close();
    database = undefined;
  }

  function attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (file.isOnlyRead() || (!isDamage(error) && error !== damageFound)) throw error;
      group.lose(error);
      release();
      if (!file.isOurs()) throw stranger(path, noStore, error);
    }
    const aside = setAside(sqlite, path);
    if (aside) onNotice?.(`the store was damaged and a new one was made — ${path} — the old one is ${aside}`);
    group.mended();
    return work();
  }

  /** Another process may have moved a damaged file aside, or a person removed it: then its writes would be lost. */
  function followFile(): void {
    lookedAt = uptime();
    if (!database || !file.isReplaced()) return;
    if (options.isGone?.()) throw stranger(path, "its place is gone");
    release();
  }

  function inWords(error: unknown): unknown {
    return inOurWords(error, path, waitsFor);
  }

  return {
    statement(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const made = opened().prepare(sql);
      statements.set(sql, made);
      return made;
    },
    isInTransaction: () => database?.isTransaction === true,
    rollback() {
      if (database?.isTransaction) database.exec("rollback");
    },
    mending(work) {
      try {
        if (uptime() - lookedAt > 1_000 && !group.isOpen()) followFile();
        return attempt(work);
      } catch (error) {
        if (!database?.isTransaction) group.lose(error); // a full disk or a damaged file ends it as a whole
        throw inWords(error);
      }
    },
    inWords,
    waitFor(milliseconds) {
      waitsFor = milliseconds;
      database?.exec(`pragma busy_timeout = ${waitsFor}`);
    },
    emptyLog() {
      if (!database) return true;
      database.exec("pragma busy_timeout = 0");
      try {
        return database.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
      } finally {
        database.exec(`pragma busy_timeout = ${waitsFor}`);
      }
    },
    close() {
      isClosed = true;
      release();
    },
  };
}

/**
 * The file at the path: what is known of it, and how it is opened.
 *
 * @param inWords words a failure for a notice
 */
function createStoreFile(sqlite: Sqlite, options: ConnectionOptions, inWords: (error: unknown) => unknown) {
  const { path, usualPath, onNotice } = options;
  let inode: number | undefined; // of the file that is open
  let isOurs = false; // what lies at the path is a store, or was one
  let isOnlyRead = false;
  const isReplaced = (): boolean => inodeOf(path) !== inode;

  function open(): DatabaseSync {
    const size = preparePrivateFile(path);
    if (size === 1) throw stranger(path, noStore); // SQLite takes one byte for nothing
    const isLogged = hasLog(path);
    inode = inodeOf(path);
    isOurs = path === usualPath;
    let made: DatabaseSync | undefined;
    try {
      if (size > 0) recognise();
      made = new sqlite.DatabaseSync(path, { timeout: patience });
      checkContents(made, path);
      isOurs = true;
      prepare(made, options, isLogged);
      return made;
    } catch (error) {
      made?.close();
      if (isReplaced()) return open(); // another process was faster and moved a damaged file aside
      const read = options.reads && size > 0 && isUnwritable(error) ? openToRead(sqlite, options) : undefined;
      if (!read) throw error;
      onNotice?.(`the store is only read, and may be without the last that was written: ${messageOf(inWords(error))}`);
      isOnlyRead = true;
      return read;
    }
  }

  /** Before it is opened for writing, which would empty its log. */
  function recognise(): void {
    if (isMarked(sqlite, path)) isOurs = true;
    else if (!isStoreOrNew(contentsAt(sqlite, path))) throw stranger(path, ofAnother);
  }

  return { open, isReplaced, isOurs: (): boolean => isOurs, isOnlyRead: (): boolean => isOnlyRead };
}

/** Undefined: that cannot be done either, or it is no store of this version. */
function openToRead(sqlite: Sqlite, { path, migrations }: ConnectionOptions): DatabaseSync | undefined {
  for (const how of waysToRead) {
    let opened: DatabaseSync | undefined;
    try {
      opened = openUntouched(sqlite, path, how);
      const { application_id, user_version } = contentsOf(opened);
      if (application_id === storeMark && user_version === migrations.length) return opened;
    } catch {
      // the log is there without its index, or cannot be read: the file itself may be
    }
    opened?.close();
  }
  return undefined;
}

const noStore = "it is no store of Hookline";
const ofAnother = "it is the database of another program";

const stranger = (where: string, reason: string, cause?: unknown): HooklineError =>
  new HooklineError("store_unusable", { reason, where, advice: "choose another file" }, { cause });

/** Nothing is written, to the file or its rights, before it is known to be a store. */
function checkContents(opened: DatabaseSync, path: string): void {
  const state = contentsOf(opened);
  checkVersion(state.version, path);
  if (!isStoreOrNew(state)) throw stranger(path, ofAnother);
}

function prepare(opened: DatabaseSync, { path, migrations, onNotice }: ConnectionOptions, isLogged: boolean): void {
  opened.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${logPagesAtMost}`);
  const state = contentsOf(opened);
  makePrivate(path);
  if (state.application_id !== storeMark) opened.exec(`pragma application_id = ${storeMark}`); // before there is a log, so that it is in the file
  if (state.journal_mode !== "wal") useLog(opened, path, onNotice);
  if (state.user_version !== migrations.length) migrate(opened, path, migrations);
  else if (isLogged) checkAfterRestart(opened);
}

/** 16 MB: what is written again and again, as the ends of indexes are, is brought into the file once. */
const logPagesAtMost = 4_000;

function useLog(opened: DatabaseSync, path: string, onNotice: ConnectionOptions["onNotice"]): void {
  const change = (): unknown => opened.prepare("pragma journal_mode = wal").get()?.journal_mode;
  const mode = tryAgain(change, isBusy, patience); // it does not wait for other connections by itself
  if (mode !== "wal")
    onNotice?.(
      `the store has no write-ahead log (journal mode ${mode}), so writers wait for readers — ${path} — keep it on a local disk`,
    );
}

function migrate(opened: DatabaseSync, where: string, migrations: readonly string[]): void {
  opened.exec("begin immediate");
  const version = Number(opened.prepare("pragma user_version").get()?.user_version); // another process may have been faster
  if (version > migrations.length) {
    const reason = `a newer Hookline wrote it (version ${version}, this one knows ${migrations.length})`;
    throw new HooklineError("store_unusable", { reason, where, advice: "update Hookline or choose another file" });
  }
  for (const migration of migrations.slice(version)) opened.exec(migration);
  opened.exec(`pragma user_version = ${migrations.length}`);
  opened.prepare(rememberBoot).run(bootedAt());
  opened.exec("commit");
}

/** A log that is left is that of a live process, of one that was killed, or of a machine that went down. */
function checkAfterRestart(opened: DatabaseSync): void {
  const booted = bootedAt();
  const known = opened.prepare("select value from meta where key = 'booted'").get()?.value;
  if (typeof known === "number" && isSameBoot(known, booted)) return;
  if (opened.prepare("pragma quick_check(1)").get()?.quick_check !== "ok") throw damageFound;
  opened.prepare(rememberBoot).run(booted);
}

const damageFound = new Error("the check of the whole file found damage");
const rememberBoot =
  "insert into meta (key, value) values ('booted', ?) on conflict (key) do update set value = excluded.value";

/** Milliseconds of a monotonic clock: `performance` takes one to load. */
const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n);

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
