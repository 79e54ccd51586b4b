/** Finds out whether a store's file is damaged, and moves a damaged one aside so that a new one can be made. */
import { existsSync, renameSync } from "node:fs";
import { uptime } from "node:os";
import type { Instant } from "../core/event.ts";
import { preparePrivateFile } from "./private-file.ts";
import { isDamage, patience, type Sqlite } from "./sqlite-library.ts";

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
