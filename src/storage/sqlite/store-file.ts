/** The store's file and Node's own SQLite: the file is private, is never another program's, and moved aside where it is damaged. */
import { chmodSync, existsSync, lstatSync, renameSync, statSync } from "node:fs";
import { uptime } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { adviceOf, systemTrouble } from "../../engine/system-words.ts";
import { preparePrivateFile as prepareFile } from "../../files/write.ts";

/** A regular file at the path, made where there is none. Gives its size in bytes. @throws HooklineError store_unusable */
export function preparePrivateFile(path: string): number {
  const found = prepareFile(path);
  if ("size" in found) return found.size;
  const advice = "move it away or choose another file";
  throw new HooklineError("store_unusable", { reason: found.refused, where: path, advice });
}

/** Takes everybody else's rights to a database of ours, and to what SQLite has made beside it with the same ones. May throw. */
export function makePrivate(path: string): void {
  if (process.platform === "win32" || !isWide(path)) return;
  for (const part of ["", "-wal", "-shm"]) if (isWide(path + part)) chmodSync(path + part, 0o600);
}

const isWide = (path: string): boolean => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;

/** SQLite's application_id of a store, "Hook": it stands in the header from before the first table. */
export const storeMark = 0x486f6f6b;

/** What lies in an open file. */
export interface Contents {
  version: string;
  user_version: number;
  application_id: number;
  journal_mode: string;
  tables: number;
  ours: number;
}

/** The two tables that a store has had from its first version. */
const whatItIs = `select sqlite_version() as version, user_version, application_id, journal_mode,
  (select count(*) from sqlite_schema) as tables,
  (select count(*) from sqlite_schema where type = 'table' and name in ('meta', 'hook_set')) as ours
  from pragma_user_version, pragma_application_id, pragma_journal_mode`;

export const contentsOf = (opened: DatabaseSync): Contents => opened.prepare(whatItIs).get() as unknown as Contents; // one row with these columns, of SQLite's own types

/** A store, also one from before stores were marked, or an empty database without a mark. */
export function isStoreOrNew({ user_version, application_id, tables, ours }: Contents): boolean {
  return application_id === storeMark || ours === 2 || (application_id === 0 && user_version === 0 && tables === 0);
}

/**
 * Whether the header of the file holds our mark, however damaged the rest is.
 *
 * SQLite reads it: to open and close a file ourselves would drop the locks that this process holds on it.
 */
export function isMarked(sqlite: Sqlite, path: string): boolean {
  const opened = openUntouched(sqlite, path, "immutable=1");
  try {
    opened.exec("pragma writable_schema = on"); // else a file that is shorter than its header says is not read at all
    return opened.prepare("pragma application_id").get()?.application_id === storeMark;
  } catch (error) {
    if (isDamage(error)) return false; // its header is lost
    throw error;
  } finally {
    opened.close();
  }
}

/** With its log, where a new database may stand alone. A process that closes its own just now removes the log piece by piece. */
export const contentsAt = (sqlite: Sqlite, path: string): Contents =>
  tryAgain(
    () => look(sqlite, path),
    () => true,
    100,
  );

/** A log without its index cannot be read here; whether the file itself can is found out all the same. */
function look(sqlite: Sqlite, path: string): Contents {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log?.size) return lookBy(sqlite, path, "immutable=1");
  if (!existsSync(`${path}-shm`)) lookBy(sqlite, path, "immutable=1");
  return lookBy(sqlite, path, "readonly_shm=1");
}

function lookBy(sqlite: Sqlite, path: string, how: Untouched): Contents {
  const opened = openUntouched(sqlite, path, how);
  try {
    return contentsOf(opened);
  } finally {
    opened.close();
  }
}

/** The second does without the log. */
export const waysToRead = ["readonly_shm=1", "immutable=1"] as const;
type Untouched = (typeof waysToRead)[number];
/** "immutable" leaves the log and its index out of account, "readonly_shm" reads both: neither makes or removes one. */
export function openUntouched(sqlite: Sqlite, path: string, how: Untouched): DatabaseSync {
  const address = pathToFileURL(path);
  address.search = how;
  return new sqlite.DatabaseSync(address, { readOnly: true, timeout: patience, defensive: false });
}

/**
 * When this machine started. A crash of a process cannot damage a database in WAL mode; the end of the machine can, so
 * a file is checked as a whole only where a restart lies between (a full check on each tool call would cost too much).
 */
export const bootedAt = (): Instant => Date.now() - uptime() * 1_000;

/** Clocks are corrected while a machine runs; two figures this near are the same start. */
export const isSameBoot = (left: Instant, right: Instant): boolean => Math.abs(left - right) < 60_000;

/** What SQLite keeps beside a file in WAL mode while it is open, or after a process that had it open was killed. */
export const hasLog = (path: string): boolean => existsSync(`${path}-wal`) || existsSync(`${path}-shm`);

/**
 * Moves the file with its log aside and answers with its new path, or undefined if it is sound: another process may
 * have been faster. The lock is a transaction on a file beside it, which ends with the process that holds it.
 *
 * A process that has the damaged file open writes to it, under its new name, until it looks for its file again.
 */
export function setAside(sqlite: Sqlite, path: string): string | undefined {
  preparePrivateFile(`${path}.lock`);
  const lock = new sqlite.DatabaseSync(`${path}.lock`, { timeout: patience });
  try {
    lock.exec("begin exclusive");
    if (isSound(sqlite, path)) return undefined;
    const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
    for (const part of logFirst) if (existsSync(path + part)) renameSync(path + part, aside + part);
    return aside;
  } finally {
    lock.close();
  }
}

/** An old log must not meet a new file. */
const logFirst = ["-wal", "-shm", ""];

function isSound(sqlite: Sqlite, path: string): boolean {
  if (!existsSync(path)) return true;
  const connection = new sqlite.DatabaseSync(path, { timeout: patience });
  try {
    return connection.prepare("pragma quick_check(1)").get()?.quick_check === "ok";
  } catch (error) {
    if (isDamage(error)) return false; // it cannot even be read
    throw error;
  } finally {
    connection.close();
  }
}

export type Sqlite = typeof import("node:sqlite");

/** Below it two connections that write and checkpoint at once can corrupt a WAL database. */
const oldestVersion = "3.51.3";
/** Milliseconds that a writer waits for another one. */
export const patience = 5_000;

/** Throws store_unusable where this Node has no SQLite. */
export function loadSqlite(where: string): Sqlite {
  const sqlite: Sqlite | undefined = withoutItsWarning(() => process.getBuiltinModule?.("node:sqlite")); // absent in old Nodes
  if (sqlite) return sqlite;
  const reason = `Node ${process.versions.node} has no SQLite`;
  throw new HooklineError("store_unusable", { reason, where, advice: "use Node 22.23 or newer, or Node 24" });
}

/** Node 22 says on stderr that SQLite is experimental, and agents read stderr. Every other warning passes. */
function withoutItsWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  const isItsWarning = (given: unknown[]): boolean => String(given[0]).startsWith("SQLite is an experimental feature");
  process.emitWarning = (...given: unknown[]) => {
    if (!isItsWarning(given)) Reflect.apply(emitWarning, process, given);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Throws store_unusable if SQLite is older than the floor. */
export function checkVersion(version: string, where: string): void {
  if (order(version) >= order(oldestVersion)) return;
  const reason = `this Node's SQLite is ${version}, and versions before ${oldestVersion} can corrupt it`;
  throw new HooklineError("store_unusable", { reason, where, advice: "use Node 22.23 or newer, or Node 24" });
}

const order = (version: string): number => version.split(".").reduce((sum, part) => sum * 1_000 + Number(part), 0);

/** SQLite's primary result code of a thrown error. */
const resultOf = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

const busy: readonly (number | undefined)[] = [5, 6];
const damaged: readonly (number | undefined)[] = [11, 26];
const unwritable: readonly (number | undefined)[] = [3, 8, 10, 13, 14];
export const isBusy = (error: unknown): boolean => busy.includes(resultOf(error));
export const isDamage = (error: unknown): boolean => damaged.includes(resultOf(error));
/** No rights, no room, or a file system that may only be read: what is there may still be readable. */
export const isUnwritable = (error: unknown): boolean =>
  unwritable.includes(resultOf(error)) || (error instanceof Error && "syscall" in error);

const writable = "make the file and its folder writable";
const reasons: { readonly [result: number]: { reason: string; advice: string } } = {
  3: { reason: "access was refused", advice: writable },
  8: { reason: "it is read-only", advice: writable },
  10: { reason: "the disk gave an error", advice: "check the disk and the space on it" },
  11: { reason: "the file is damaged", advice: "move it away; a new one is made" },
  13: { reason: "the disk is full", advice: "free some space" },
  14: { reason: "it cannot be opened", advice: writable },
  26: { reason: "it is no SQLite database", advice: "choose another file" },
};

const anotherPlace = "choose another place by --store or XDG_STATE_HOME";
const fiveSeconds = { long: "for 5 seconds" };

/** A failure of the database or of the file system as store_locked or store_unusable; any other error as it is. */
export function inOurWords(error: unknown, where: string, waited: number = patience): unknown {
  if (isBusy(error))
    return new HooklineError("store_locked", { where, ...(waited < patience ? {} : fiveSeconds) }, { cause: error });
  const result = resultOf(error);
  if (result === undefined && !(error instanceof Error && "syscall" in error)) return error;
  const known = result === undefined ? undefined : reasons[result];
  const trouble = systemTrouble(error);
  const facts = known ?? {
    reason: trouble?.path === where ? trouble.reason : messageOf(error),
    advice: trouble ? adviceOf(trouble, anotherPlace) : "check its path and rights, or choose another file",
  };
  return new HooklineError("store_unusable", { ...facts, where }, { cause: error });
}

/** What fails for a reason that passes is done again, for so many milliseconds. */
export function tryAgain<T>(work: () => T, doesPass: (error: unknown) => boolean, atMost: number): T {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + atMost; ; Atomics.wait(pause, 0, 0, 10)) {
    try {
      return work();
    } catch (error) {
      if (!doesPass(error) || Date.now() > end) throw error;
    }
  }
}
