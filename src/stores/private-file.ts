/** Files that nobody else may read: made before SQLite opens them, which would follow links and use wider rights (D11). */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { HooklineError } from "../core/error.ts";

/**
 * A regular file at the path; 0600 if it had to be made, in a folder that is 0700 if it had to be made. May throw. Gives its
 * size in bytes.
 *
 * A file that exists is left as it is, for it may be somebody else's, and it is not opened here: closing it again would
 * drop the locks that this process holds on it.
 */
export function preparePrivateFile(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) {
    makeFolder(dirname(path));
    create(path);
  } else if (!found.isFile()) {
    const reason = found.isSymbolicLink() ? "it is a symbolic link" : "it is not a regular file";
    throw new HooklineError("store_unusable", { reason, where: path, advice: "move it away or choose another file" });
  }
  return found?.size ?? 0;
}

/** Takes everybody else's rights to a database of ours, and to what SQLite has made beside it with the same ones. May throw. */
export function makePrivate(path: string): void {
  if (process.platform === "win32" || !isWide(path)) return;
  for (const part of ["", "-wal", "-shm"]) if (isWide(path + part)) chmodSync(path + part, 0o600);
}

const isWide = (path: string): boolean => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;

/** Folder by folder: Node's own recursive mkdir never returns where a file system refuses with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error; // another process made it in between: that is as good
  }
}

function create(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error; // another process made it in between: that is as good
  }
}
