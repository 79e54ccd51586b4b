/** Files in a person's home that are written whole, for nobody else to read, and never through a link that somebody planted. */
import { lstatSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOf, type ScriptFolder } from "./places.ts";

/** Makes what is missing of the folder; gives its path. Throws what the file system says, and about links. */
export function makePrivate(folder: ScriptFolder): string {
  makeAll(folder.base);
  let path = folder.base;
  for (const part of folder.parts) {
    path = join(path, part);
    makeOne(path);
  }
  return pathOf(folder);
}

/** Folder by folder: Node's own recursive way never returns where a file system refuses with ENOENT, as /proc does. */
function makeAll(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makeAll(dirname(path));
  makeOne(path);
}

function makeOne(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new Error(`${path} is ${found.isSymbolicLink() ? "a symbolic link" : "no folder"}: move it away`);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere || !lstatSync(path).isDirectory()) throw error; // another process made it in between: that is as good
  }
}

/** Readers see the old file or the new one. A link in its place is replaced, not followed. */
export function writeWhole(folder: string, name: string, content: string): string {
  const path = join(folder, name);
  const beside = join(folder, `.${process.pid}-${Math.random().toString(36).slice(2)}.new`);
  try {
    writeFileSync(beside, content, { flag: "wx", mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  return path;
}

/** An empty file whose time of change is this moment. */
export function touch(folder: string, name: string, at: Date): void {
  const path = join(folder, name);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) writeWhole(folder, name, "");
  utimesSync(path, at, at);
}
