/**
 * A daemon's place: one daemon for each store of a user, by a lock that the system itself lets go when its process ends, however it
 * ends (SAFETY D15); and where its unix socket lies.
 */
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { inOurWords, isBusy, loadSqlite } from "../../storage/sqlite/sqlite-library.ts";
import { preparePrivateFile } from "../../storage/sqlite/store-file.ts";

export interface Lock {
  /** Safe to call twice. */
  release(): void;
}

/**
 * An SQLite database that is held for writing and never written: a file with a process id in it can outlive the process.
 * Undefined: another process holds it.
 *
 * @throws HooklineError store_unusable
 */
export function takeLock(path: string): Lock | undefined {
  const sqlite = loadSqlite(path);
  preparePrivateFile(path);
  const connection = new sqlite.DatabaseSync(path, { timeout: 0 });
  try {
    connection.exec("begin exclusive");
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw inOurWords(error, path);
  }
  let isHeld = true;
  return {
    release() {
      if (isHeld) connection.close();
      isHeld = false;
    },
  };
}

/** macOS takes 103 bytes, Linux 107. */
const longestInBytes = 100;

/**
 * Beside the store, or, as systems take only short paths for sockets, in a private folder.
 *
 * @param beside where it lies if the path is short enough; it also names the one that lies elsewhere
 */
export function socketPath(beside: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (Buffer.byteLength(beside) <= longestInBytes) return beside;
  const name = `${fingerprint(beside).slice(0, 16)}.sock`;
  const folders = [environment.XDG_RUNTIME_DIR, tmpdir(), "/tmp"].filter((folder) => folder?.startsWith("/"));
  const paths = folders.map((folder) => join(folder ?? "", `hookline-${process.getuid?.() ?? "user"}`, name));
  return paths.find((path) => Buffer.byteLength(path) <= longestInBytes) ?? "";
}

/**
 * Makes the place free for this process, which has to hold the daemon's lock: so what lies there is left by a dead one.
 *
 * @throws HooklineError store_unusable, where others could put a socket of theirs in its place
 */
export function freeSocketPlace(path: string, beside: string): void {
  if (path !== beside) insistOnPrivateFolder(path.slice(0, path.lastIndexOf("/")));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw unusable("it is no socket", path);
  rmSync(path, { force: true });
}

/** Never throws. Called by the holder of the lock, when it listens no more. */
export function removeSocket(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path, { force: true });
  } catch {
    // its folder is gone, and it with it
  }
}

function insistOnPrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error;
  }
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw unusable("it is no folder", folder);
  if (process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0))
    throw unusable("others may write to it", folder);
}

const unusable = (reason: string, where: string): HooklineError =>
  new HooklineError("store_unusable", { reason, where, advice: "move it away, or keep the store at a shorter path" });
