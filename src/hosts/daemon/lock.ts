/**
 * A daemon's place: one daemon for each store of a user, by a lock that the system itself lets go when its process ends, however it
 * ends (SAFETY D15); and where its unix socket lies.
 */
import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { isOwn, writePrivate } from "../../files/write.ts";
import { endTagged, tagAll } from "../../runtime/processes/tree.ts";
import { inOurWords, isBusy, loadSqlite, preparePrivateFile } from "../../storage/sqlite/store-file.ts";

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

/** What a process that stays has started, found when it was killed: all of it carries one process tag, and a file keeps that. */
export interface Strays {
  /** Ends what is left of them. Never rejects. */
  end(): Promise<void>;
}

/** At an orderly end, all of it has been told to end before. */
const lastGrace: Seconds = 0.5;

/**
 * Ends what the one before has left behind, then tags all that this process starts. To be called by the holder of the
 * lock. May throw what the file system says.
 */
export async function tagStarted(file: string): Promise<Strays> {
  await straysOf(file).end();
  const tag = `hookline-${randomUUID()}`;
  writePrivate(file, tag);
  tagAll(tag);
  return {
    async end() {
      if (await endTagged(tag, lastGrace)) remove(file, tag);
    },
  };
}

/** What a process has left behind that was killed, or will be: programs with the tag that is in the file now. Never throws. */
export function straysOf(file: string): Strays {
  const tag = readTag(file);
  return {
    async end() {
      if (tag !== undefined && (await endTagged(tag))) remove(file, tag);
    },
  };
}

/** The folder may be one that others write to: another text than ours could mean processes that are none of these. */
function readTag(file: string): string | undefined {
  try {
    if (!isOwn(statSync(file).uid)) return undefined;
    const tag = readRegularTextSync(file);
    return /^hookline-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(tag) ? tag : undefined;
  } catch {
    return undefined; // there is none: no daemon was killed
  }
}

/** A daemon that has started meanwhile has a tag of its own there. */
function remove(file: string, tag: string): void {
  try {
    if (readTag(file) === tag) rmSync(file, { force: true });
  } catch {
    // its folder cannot be written any more: the next start finds no process with that tag
  }
}
