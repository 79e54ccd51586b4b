/** What a watch on a folder knows of the files in it, and what has become of them since it was last told. Reads nothing itself. */
import { basename, dirname, join, sep } from "node:path";
import { note, type Operation, type Pendings } from "./file-watch-changes.ts";
import { isSame, type Stamp, type Tree } from "./file-watch-tree.ts";

export interface Known {
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
export function createKnown(first: Tree, counts: (name: string) => boolean): Known {
  const tree: Tree = new Map(first);
  const pendings: Pendings = new Map();
  let changes = 0;

  function tell(path: string, operation: Operation): void {
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
    tell(path, before ? "modified" : "created");
  }

  function forgetFile(path: string): void {
    if (tree.get(dirname(path))?.delete(basename(path))) tell(path, "deleted");
  }

  function forgetFolder(folder: string): void {
    for (const name of tree.get(folder)?.keys() ?? []) tell(join(folder, name), "deleted");
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
