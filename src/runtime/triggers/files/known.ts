/** What a watch on a folder knows of the files in it, and what has become of them since the last report. Reads nothing itself. */
import { basename, dirname, join, sep } from "node:path";
import { isSame, type Stamp, type Tree } from "./tree.ts";

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

/** What has become of files since the last report: the table of specification 000, section 12, as data. */
export const operations = ["created", "modified", "deleted"] as const;
export type Operation = (typeof operations)[number];

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
