/** Times and sizes of files, one by one or all below a folder. Never holds the process up: a server may take long to answer. */
import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathOf, textOfNames } from "../../../files/names.ts";
import { isAbsent } from "../../../files/watch-tree.ts";

export interface Stamp {
  /** Unix milliseconds, with as much behind the point as the file system keeps. */
  mtime: number;
  size: number;
}

/** The files of each folder, by its path. */
export type Tree = Map<string, Map<string, Stamp>>;

/** What is at a path. A link to a file counts as that file, one to a folder as nothing. */
export type Found = { is: "file"; stamp: Stamp } | { is: "folder"; identity: string } | { is: "nothing" };

const nothing: Found = { is: "nothing" };

/** @throws what the system says, but for that there is nothing */
export async function lookAt(path: string): Promise<Found> {
  try {
    const found = await lstat(pathOf(path));
    if (found.isDirectory()) return { is: "folder", identity: identityOf(found) };
    const target = found.isSymbolicLink() ? await stat(pathOf(path)) : found;
    return target.isDirectory() ? nothing : { is: "file", stamp: stampIn(target) };
  } catch (error) {
    if (isAbsent(error)) return nothing;
    throw error;
  }
}

/** The same through links, for what a person named. A folder counts as one, whatever leads to it. */
export async function lookThrough(path: string): Promise<Found & { stamp?: Stamp }> {
  try {
    const found = await stat(pathOf(path));
    const stamp = stampIn(found);
    return found.isDirectory() ? { is: "folder", identity: identityOf(found), stamp } : { is: "file", stamp };
  } catch (error) {
    if (isAbsent(error)) return nothing;
    throw error;
  }
}

/** A folder that takes the place of another often gets its number, too. */
const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev}:${ino}:${birthtimeMs}`;

const stampIn = ({ mtimeMs, size }: Stats): Stamp => ({ mtime: mtimeMs, size });

export const isSame = (left: Stamp | undefined, right: Stamp | undefined): boolean =>
  left?.mtime === right?.mtime && left?.size === right?.size;

export interface Reading {
  recursive: boolean;
  /** Whether a file of this name counts. */
  counts(name: string): boolean;
  /** Called before each folder is read. Does not throw. */
  enter?(folder: string): void;
  /** A top folder that may not be read is an error, not an empty folder. */
  strict: boolean;
  /** Called once if there are more files than are looked at. */
  full?(): void;
}

/** More than this is not one folder's worth of news; the rest is left out. */
export const filesAtMost = 200_000;
const atOnce = 64;

/**
 * Hidden files and folders are passed over, and so is what may not be read.
 *
 * @throws what else the system says: a server that is away for a while has lost no files
 */
export async function readTree(top: string, { recursive, counts, enter, strict, full }: Reading): Promise<Tree> {
  const tree: Tree = new Map();
  const waiting = [top];
  let total = 0;
  for (const folder of waiting) {
    enter?.(folder);
    const read = await readFolder(folder, strict && folder === top);
    const files = read?.files.filter(counts) ?? [];
    total += files.length;
    if (total > filesAtMost) {
      full?.();
      break;
    }
    if (!read) continue;
    tree.set(folder, await stampsOf(folder, files));
    if (recursive) for (const name of read.folders) waiting.push(join(folder, name));
  }
  return tree;
}

async function readFolder(
  folder: string,
  strict: boolean,
): Promise<{ files: string[]; folders: string[] } | undefined> {
  try {
    const entries = await readdir(pathOf(folder), { withFileTypes: true, encoding: "buffer" });
    const seen = entries.filter(({ name }) => name[0] !== dot);
    const namesOf = (some: typeof seen): string[] => some.map(({ name }) => textOfNames(name));
    return {
      files: namesOf(seen.filter((entry) => entry.isFile() || entry.isSymbolicLink())),
      folders: namesOf(seen.filter((entry) => entry.isDirectory())),
    };
  } catch (error) {
    if (isAbsent(error) || (!strict && isClosedToUs(error))) return undefined;
    throw error;
  }
}
const dot = 0x2e;

async function stampsOf(folder: string, names: readonly string[]): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  for (let start = 0; start < names.length; start += atOnce) {
    const part = names.slice(start, start + atOnce);
    const found = await Promise.all(part.map((name) => stampAt(join(folder, name))));
    for (const [index, name] of part.entries()) {
      const stamp = found[index];
      if (stamp) stamps.set(name, stamp);
    }
  }
  return stamps;
}

async function stampAt(path: string): Promise<Stamp | undefined> {
  try {
    const found = await stat(pathOf(path));
    return found.isFile() ? stampIn(found) : undefined;
  } catch (error) {
    if (isAbsent(error) || isClosedToUs(error)) return undefined;
    throw error;
  }
}

const closedCodes: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "ELOOP"]);
const isClosedToUs = (error: unknown): boolean =>
  error instanceof Error && "code" in error && closedCodes.has(error.code);
