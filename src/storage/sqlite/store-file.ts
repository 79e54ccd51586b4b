/** The store's file: made for its owner alone, told from other programs' files, and moved aside where it is damaged. */
import { chmodSync, existsSync, lstatSync, renameSync, statSync } from "node:fs";
import { uptime } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { HooklineError } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { preparePrivateFile as prepareFile } from "../../files/write.ts";
import { isDamage, patience, type Sqlite, tryAgain } from "./sqlite-library.ts";

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

/** A store, also one from before stores were marked, or an empty database that nobody has marked. */
export function isStoreOrNew({ user_version, application_id, tables, ours }: Contents): boolean {
  return application_id === storeMark || ours === 2 || (application_id === 0 && user_version === 0 && tables === 0);
}

/**
 * Whether the header of the file holds our mark, however damaged the rest is.
 *
 * SQLite reads it: whoever closes a file himself drops the locks that this process holds on it.
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

/** What SQLite keeps beside a file in WAL mode while it is open, or where whoever had it open was killed. */
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
