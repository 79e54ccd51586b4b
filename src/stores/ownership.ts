/** Tells whose database lies at a path without changing anything there: opening it for writing would already empty its log. */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isDamage, patience, type Sqlite, tryAgain } from "./sqlite-library.ts";

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

function look(sqlite: Sqlite, path: string): Contents {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const opened = openUntouched(sqlite, path, log?.size ? "readonly_shm=1" : "immutable=1");
  try {
    return contentsOf(opened);
  } finally {
    opened.close();
  }
}

/** "immutable" leaves the log and its index out of account, "readonly_shm" reads both: neither makes or removes one. */
function openUntouched(sqlite: Sqlite, path: string, how: "immutable=1" | "readonly_shm=1"): DatabaseSync {
  const address = pathToFileURL(path);
  address.search = how;
  return new sqlite.DatabaseSync(address, { readOnly: true, timeout: patience, defensive: false });
}
