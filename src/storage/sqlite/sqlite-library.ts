/** Node's own SQLite: loaded when a store is opened, its version checked, and its error codes put into our words. */
import { HooklineError, messageOf } from "../../engine/error.ts";

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

const fiveSeconds = { long: "for 5 seconds" };

/** A failure of the database or of the file system as store_locked or store_unusable; any other error as it is. */
export function inOurWords(error: unknown, where: string, waited: number = patience): unknown {
  if (isBusy(error))
    return new HooklineError("store_locked", { where, ...(waited < patience ? {} : fiveSeconds) }, { cause: error });
  const result = resultOf(error);
  if (result === undefined && !(error instanceof Error && "syscall" in error)) return error;
  const known = result === undefined ? undefined : reasons[result];
  const facts = known ?? { reason: messageOf(error), advice: "check its path and rights, or choose another file" };
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
