/** How the store's file is, without moving a damaged one aside or bringing an old one to today's version, as its opening does. */
import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { Instant } from "../../../engine/event.ts";
import { migrations } from "../../../storage/sqlite/schema.ts";
import {
  contentsAt,
  inOurWords,
  isDamage,
  isStoreOrNew,
  loadSqlite,
  openUntouched,
  type Sqlite,
} from "../../../storage/sqlite/store-file.ts";
import type { Invocation } from "../command.ts";
import { type OpenedStore, openStore, openStoreToRead } from "../store.ts";

export type StoreTrouble =
  | "damaged"
  | "foreign"
  | "newer"
  | "locked"
  | "unwritable"
  | "full"
  | "read-only"
  | "no SQLite";
export type StoreLook =
  /** None is there yet, and one can be made. */
  | { is: "missing" }
  | { is: "good"; version: number; bytes: number; lastEvent: Instant | undefined; open(): ReturnType<typeof openStore> }
  /** path: what is in the way, where it is not the file itself. */
  | { is: StoreTrouble; reason: string; path?: string };

/** Never throws. */
export function lookAtStore(invocation: Invocation, file: string): StoreLook {
  try {
    if (!existsSync(file)) return canBeMade(file);
    const sqlite = loadSqlite(file);
    const trouble = troubleIn(sqlite, file);
    if (trouble) return trouble;
    return lookInside(invocation, file);
  } catch (error) {
    return troubleOf(error, file);
  }
}

function canBeMade(file: string): StoreLook {
  let above = dirname(file);
  while (!isAnything(above) && above !== dirname(above)) above = dirname(above);
  // A link that leads nowhere, or in a circle, is no folder either.
  if (!isFolder(above)) return { is: "foreign", reason: "it stands where a folder should be", path: above };
  return writing(above, "its folder cannot be written") ?? { is: "missing" };
}

function isAnything(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // what is above it says why
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Undefined: it can be read and written. */
function writing(path: string, reason: string): StoreLook | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const isReadOnly = error instanceof Error && "code" in error && error.code === "EROFS";
    return { is: isReadOnly ? "read-only" : "unwritable", reason: isReadOnly ? messageOf(error) : reason, path };
  }
}

function troubleIn(sqlite: Sqlite, file: string): StoreLook | undefined {
  if (!statSync(file).isFile()) return { is: "foreign", reason: "it is no file" };
  // SQLite keeps its log beside the file.
  const kept = [dirname(file), file]
    .map((path) => writing(path, "it cannot be written"))
    .find((one) => one !== undefined);
  if (kept) return kept;
  const contents = contentsAt(sqlite, file);
  if (!isStoreOrNew(contents)) return { is: "foreign", reason: "another program has written it" };
  if (contents.user_version > migrations.length)
    return {
      is: "newer",
      reason: `its schema is ${contents.user_version}, and this Hookline knows ${migrations.length}`,
    };
  return isWhole(sqlite, file) ? undefined : { is: "damaged", reason: "its pages contradict each other" };
}

function isWhole(sqlite: Sqlite, file: string): boolean {
  // Without an index of the log no process has it open, and nothing changes under the look.
  const opened = openUntouched(sqlite, file, existsSync(`${file}-shm`) ? "readonly_shm=1" : "immutable=1");
  try {
    return opened.prepare("pragma quick_check(1)").get()?.quick_check === "ok";
  } finally {
    opened.close();
  }
}

/** What is good so far is opened as every command opens it, and takes an empty transaction. */
function lookInside(invocation: Invocation, file: string): StoreLook {
  const quiet = { ...invocation, terminal: { ...invocation.terminal, error() {} } };
  const store: OpenedStore & ReturnType<typeof openStore> = openStore(quiet);
  try {
    store.database.write(() => {});
    const last = store.database.get<{ at: Instant }>("select at from event order by seq desc limit 1");
    return {
      ...{ is: "good", version: migrations.length, bytes: statSync(file).size, lastEvent: last?.at },
      open: () => openStoreToRead(quiet),
    };
  } finally {
    store.close();
  }
}

/** By words of the reason. */
const kinds: Readonly<Record<string, StoreTrouble>> = {
  SQLite: "no SQLite",
  "disk is full": "full",
  "part of the disk": "full",
};

function troubleOf(error: unknown, file: string): StoreLook {
  if (isDamage(error)) return { is: "damaged", reason: "SQLite cannot read it" };
  const worded = inOurWords(error, file);
  if (!(worded instanceof HooklineError)) return { is: "unwritable", reason: messageOf(worded) };
  const reason = String(worded.facts.reason ?? worded.message);
  if (worded.code === "store_locked") return { is: "locked", reason: "another program holds it" };
  const kind = Object.entries(kinds).find(([said]) => reason.includes(said));
  return { is: kind?.[1] ?? "unwritable", reason };
}
