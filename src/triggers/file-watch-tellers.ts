/**
 * Who tells that something may have happened below a folder. What they say only makes somebody look: events can be lost,
 * come late, or name a folder as it was called before.
 */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { pathOf, textOfNames } from "../files/names.ts";
import { isAbsent, lookThrough } from "./file-watch-tree.ts";

export interface Teller {
  /** To be called before a folder is read, each time: one of the same name may be another. @throws what the system says */
  enter(folder: string): void;
  /** The folder and what lay below it are gone. */
  leave(folder: string): void;
  /** Safe to call twice. */
  close(): void;
}

export interface TellerOptions {
  /** Absolute; it is there. */
  top: string;
  /** Something happened here; undefined: anywhere. */
  told(path: string | undefined): void;
  /** From now on nothing is told any more. */
  lost(reason: unknown): void;
}

/** Rejects with why nobody can tell. */
export type MakeTeller = (options: TellerOptions) => Promise<Teller>;

/**
 * A watch on each folder, set before the folder is read: on Linux nothing escapes it that the kernel's queue can hold. One
 * watch on a whole tree, by a library, lost up to one in seven of the folders made inside new ones, for good.
 */
export const folderTeller: MakeTeller = async ({ told, lost }) => {
  const watchers = new Map<string, FSWatcher>();

  function leave(folder: string): void {
    const below = `${folder}${sep}`;
    for (const [name, watcher] of watchers) {
      if (name !== folder && !name.startsWith(below)) continue;
      watcher.close();
      watchers.delete(name);
    }
  }

  return {
    enter(folder) {
      watchers.get(folder)?.close();
      watchers.delete(folder);
      try {
        const watcher = watch(pathOf(folder), { persistent: false, encoding: "buffer" }, (_kind, name) =>
          told(name === null ? undefined : join(folder, textOfNames(name))),
        );
        watcher.on("error", lost);
        watchers.set(folder, watcher);
      } catch (error) {
        if (!isAbsent(error)) throw error; // it went away meanwhile, and the folder above tells of that
      }
    },
    leave,
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
};

/** Tells of one name in its folder, which may come and go itself. */
export interface Anchor {
  /** Looks whether the folder is still the one that is watched. Never rejects. */
  renew(): Promise<void>;
  close(): void;
}

export function createAnchor(path: string, told: () => void): Anchor {
  const folder = dirname(path);
  const name = basename(path);
  let watcher: FSWatcher | undefined;
  let identity: string | undefined;
  let isClosed = false;

  async function renew(): Promise<void> {
    try {
      const found = await lookThrough(folder);
      const current = found.is === "folder" ? found.identity : undefined;
      if (isClosed || (current !== undefined && current === identity)) return;
      drop();
      if (current === undefined) return;
      watcher = watch(pathOf(folder), { persistent: false, encoding: "buffer" }, (_kind, changed) => {
        if (changed === null || textOfNames(changed) === name) told();
      });
      watcher.on("error", drop);
      identity = current;
    } catch {
      drop(); // who cannot be told looks now and then
    }
  }

  function drop(): void {
    watcher?.close();
    watcher = undefined;
    identity = undefined;
  }

  return {
    renew,
    close() {
      isClosed = true;
      drop();
    },
  };
}
