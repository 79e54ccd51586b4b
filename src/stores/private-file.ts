/** Files that nobody else may read: made before SQLite opens them, which would follow links and use wider rights (D11). */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { HooklineError } from "../core/error.ts";

/**
 * A regular file of ours at the path, 0600, in a folder that is 0700 if it had to be made. May throw.
 *
 * A file that exists is not opened here: closing it again would drop the locks that this process holds on it.
 */
export function preparePrivateFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) {
    makeFolder(dirname(path));
    create(path);
  } else if (!found.isFile()) {
    const reason = found.isSymbolicLink() ? "it is a symbolic link" : "it is not a regular file";
    throw new HooklineError("store_unusable", { reason, where: path, advice: "move it away or choose another file" });
  } else if (process.platform !== "win32" && found.mode & 0o077) chmodSync(path, 0o600);
}

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
