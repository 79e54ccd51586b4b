/** Times and sizes of files, one by one or all below a folder. Never holds the process up: a server may take long to answer. */
import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { pathOf, textOfNames } from "../../files/names.ts";
import { isAbsent } from "../../files/watch-tree.ts";

export interface Stamp {
  /** Unix milliseconds, with as much behind the point as the file system keeps. */
  mtime: number;
  size: number;
}

/** The files of each folder, by its path. */
export type Tree = Map<string, Map<string, Stamp>>;

/** What is at a path. A link to a file counts as that file, one to a folder as nothing. */
export type FoundAt = { is: "file"; stamp: Stamp } | { is: "folder"; identity: string } | { is: "nothing" };

const nothing: FoundAt = { is: "nothing" };

/** @throws what the system says, but for that there is nothing */
export async function lookAt(path: string): Promise<FoundAt> {
  const found = await orAbsent(lstat(pathOf(path)));
  if (found?.isDirectory()) return { is: "folder", identity: identityOf(found) };
  const target = found?.isSymbolicLink() ? await orAbsent(stat(pathOf(path))) : found;
  return !target || target.isDirectory() ? nothing : { is: "file", stamp: stampIn(target) };
}

/** The same through links, for what a person named. A folder counts as one, whatever leads to it. */
export async function lookThrough(path: string): Promise<FoundAt & { stamp?: Stamp }> {
  const found = await orAbsent(stat(pathOf(path)));
  if (!found) return nothing;
  const stamp = stampIn(found);
  return found.isDirectory() ? { is: "folder", identity: identityOf(found), stamp } : { is: "file", stamp };
}

const orAbsent = (asked: Promise<Stats>): Promise<Stats | undefined> =>
  asked.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });

/** A folder that takes the place of another often gets its number, too. */
const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev}:${ino}:${birthtimeMs}`;

const stampIn = ({ mtimeMs, size }: Stats): Stamp => ({ mtime: mtimeMs, size });

export const isSame = (left: Stamp | undefined, right: Stamp | undefined): boolean =>
  left?.mtime === right?.mtime && left?.size === right?.size;

export interface TreeOptions {
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
export async function readTree(top: string, { recursive, counts, enter, strict, full }: TreeOptions): Promise<Tree> {
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

/** What a watch on a folder knows of the files in it, and what has become of them since the last report. Reads nothing itself. */
interface KnownFiles {
  readonly pendings: Pendings;
  hasFolder(folder: string): boolean;
  /** This file is there now. Its folder is known. */
  settle(path: string, stamp: Stamp): void;
  /** Nothing is there any more. */
  forget(path: string): void;
  /** All that is now in this folder, and below it. */
  replace(folder: string, now: Tree): void;
  /** Rises with every change. */
  changes(): number;
}

/** @param counts whether a file of this name does */
export function createKnown(counts: (name: string) => boolean): KnownFiles {
  const tree: Tree = new Map();
  const pendings: Pendings = new Map();
  let changes = 0;

  function change(path: string, operation: Operation): void {
    changes += 1;
    note(pendings, path, operation);
  }

  function settle(path: string, stamp: Stamp): void {
    const name = basename(path);
    const files = tree.get(dirname(path));
    if (!files || !counts(name)) return;
    const before = files.get(name);
    if (isSame(before, stamp)) return;
    files.set(name, stamp);
    change(path, before ? "modified" : "created");
  }

  function forgetFile(path: string): void {
    if (tree.get(dirname(path))?.delete(basename(path))) change(path, "deleted");
  }

  function forgetFolder(folder: string): void {
    for (const name of tree.get(folder)?.keys() ?? []) change(join(folder, name), "deleted");
    tree.delete(folder);
  }

  function foldersIn(folder: string): string[] {
    const below = folder.endsWith(sep) ? folder : `${folder}${sep}`;
    return [...tree.keys()].filter((name) => name === folder || name.startsWith(below));
  }

  return {
    pendings,
    hasFolder: (folder) => tree.has(folder),
    settle(path, stamp) {
      if (tree.has(path)) for (const folder of foldersIn(path)) forgetFolder(folder);
      settle(path, stamp);
    },
    forget(path) {
      forgetFile(path);
      if (tree.has(path)) for (const folder of foldersIn(path)) forgetFolder(folder);
    },
    replace(folder, now) {
      forgetFile(folder);
      for (const before of foldersIn(folder)) if (!now.has(before)) forgetFolder(before);
      for (const [place, files] of now) {
        const before = tree.get(place) ?? new Map<string, Stamp>();
        tree.set(place, before);
        for (const name of before.keys()) if (!files.has(name)) forgetFile(join(place, name));
        for (const [name, stamp] of files) settle(join(place, name), stamp);
      }
    },
    changes: () => changes,
  };
}

/** What has become of files since the last report: the table of specification 000, section 12, as data. */
export type Operation = "created" | "modified" | "deleted";

interface Pending {
  /** It was there when the window began. */
  wasThere: boolean;
  operation: Operation;
}

/** By the path. */
export type Pendings = Map<string, Pending>;

/** What two operations on one file come to. A file that was not there before and is gone again has not changed. */
const together: { [First in Operation]: { [Second in Operation]: Operation } } = {
  created: { created: "created", modified: "created", deleted: "deleted" },
  modified: { created: "created", modified: "modified", deleted: "deleted" },
  deleted: { created: "created", modified: "created", deleted: "deleted" },
};

export function note(pendings: Pendings, path: string, operation: Operation): void {
  const before = pendings.get(path);
  const now = before ? together[before.operation][operation] : operation;
  const wasThere = before?.wasThere ?? operation !== "created";
  if (now === "deleted" && !wasThere) pendings.delete(path);
  else pendings.set(path, { wasThere, operation: now });
}
