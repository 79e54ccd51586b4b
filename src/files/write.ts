/** Hookline's own files and folders: written whole, private where they should be, and never through a planted link. */
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { inPlaceOfFolder } from "../engine/system-words.ts";

export interface WriteOptions {
  /** Its rights; of them the umask takes its part. Default: the usual ones of a new file. */
  mode?: number;
  /** It is on the disk before it takes its place. */
  flush?: boolean;
  /** Called with the path of the new text before that takes its place. What it throws leaves the old file as it is. */
  finish?(temporary: string): void;
}

/**
 * Readers see the old file or the new one, never a part. A link in its place is replaced, not followed. Its folder is there.
 * Throws what the file system says.
 */
export function writeWhole(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const { mode, flush = false, finish } = options;
  // Its own name says nothing of the file's, which may be as long as names can be.
  const temporary = join(dirname(path), `.hookline-${process.pid}-${Math.random().toString(36).slice(2)}.new`);
  try {
    writeFileSync(temporary, content, { flag: "wx", flush, ...(mode === undefined ? {} : { mode }) });
    finish?.(temporary);
    renameSync(temporary, path);
  } catch (error) {
    discard(temporary);
    throw ofFile(error, path, temporary);
  }
}

/** The system names the temporary file, or, where the disk is full, none. */
function ofFile(error: unknown, path: string, temporary: string): unknown {
  const isOfSystem = error instanceof Error && "syscall" in error;
  const named = isOfSystem && "path" in error ? error.path : undefined;
  if (isOfSystem && (named === undefined || named === temporary)) Object.assign(error, { path });
  return error;
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It was never made, because its folder is none; the first error says so.
  }
}

/** The same, for its owner alone. */
export const writePrivate = (path: string, content: string): void => writeWhole(path, content, { mode: 0o600 });

/** An empty file whose time of change is this moment. */
export function touch(path: string, at: Date): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) writePrivate(path, "");
  utimesSync(path, at, at);
}

/**
 * Makes what is missing of a folder, for its owner alone, and gives its path. Throws what the file system says.
 *
 * @param parts below a base that is taken as it is; where one of them is a link, this throws
 */
export function makePrivateFolder(base: string, parts: readonly string[] = []): string {
  makeAll(base);
  return parts.reduce((above, part) => makeOne(join(above, part)), base);
}

/** Folder by folder: Node's own recursive way never returns where a file system refuses with ENOENT, as /proc does. */
function makeAll(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makeAll(dirname(path));
  makeOne(path);
}

function makeOne(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  if (found) throw inPlaceOfFolder(path, found.isSymbolicLink() ? "a symbolic link" : "no folder");
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isThere(error) || !lstatSync(path).isDirectory()) throw error; // another process made it in between: that is as good
  }
  return path;
}

/**
 * A regular file at the path: made, with its folder, for its owner alone where there is none. Gives its size in bytes, or
 * what else lies there. A file that exists may be another program's: it is left as it is, and it is not opened, because closing
 * it again would drop the locks that this process holds on it. Throws what the file system says.
 */
export function preparePrivateFile(path: string): { size: number } | { refused: string } {
  const found = foundAt(path);
  if (!found) {
    makePrivateFolder(dirname(path));
    create(path);
    return { size: 0 };
  }
  if (found.isFile()) return { size: found.size };
  return { refused: found.isSymbolicLink() ? "it is a symbolic link" : "it is not a regular file" };
}

/** Below what is no folder nothing is found either: to make the folder says which part of the path that is. */
function foundAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isFailure(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

function create(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!isThere(error)) throw error; // another process made it in between: that is as good
  }
}

const isFailure = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
const isThere = (error: unknown): boolean => isFailure(error, "EEXIST");

/** Whether only we may read and write this file, and it is no link. Throws what the file system says. */
export function isPrivate(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isFile()) return false;
  return isOwn(found.uid) && (process.getuid === undefined || (found.mode & 0o077) === 0);
}

/** Whether this is the user that we are. */
export const isOwn = (user: number): boolean => process.getuid === undefined || user === process.getuid();
