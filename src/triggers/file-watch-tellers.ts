/**
 * Who tells that something may have happened below a folder. What they say only makes somebody look: events can be lost,
 * come late, or name a folder as it was called before.
 */
import { type FSWatcher, watch } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { pathOf, textOfNames } from "../file-names.ts";
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
 * A watch on each folder, set before the folder is read: on Linux nothing escapes it that the kernel's queue can hold.
 * A library that watches whole trees lost there, for good, up to one in seven of the folders made inside new ones.
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

/** The system's own way to watch a whole tree. Named, because the library would take another one where it finds that installed. */
const backends: { readonly [platform: string]: "inotify" | "fs-events" | "windows" } = {
  linux: "inotify",
  darwin: "fs-events",
  win32: "windows",
};

/** One watch on the whole tree, by a library that need not be there. */
export const treeTeller: MakeTeller = async ({ top, told, lost }) => {
  const backend = backends[process.platform];
  if (!backend) throw new Error(`whole folders cannot be watched on ${process.platform}`);
  const { default: watcher } = await import("@parcel/watcher");
  const real = await realpath(top);
  const subscription = await watcher.subscribe(
    real,
    (error, events) => {
      if (error) lost(error);
      for (const { path } of events ?? []) told(path === real ? top : join(top, path.slice(real.length)));
    },
    { backend, ignore: [/(^|[/\\])\.[^/\\]*([/\\]|$)/] },
  );
  let isClosed = false;
  return {
    enter() {},
    leave() {},
    close() {
      if (!isClosed) subscription.unsubscribe().catch(() => {}); // the folder is gone, and its watch with it
      isClosed = true;
    },
  };
};

/** By what is best where this runs. */
export const usualTeller = (recursive: boolean): MakeTeller =>
  recursive && process.platform !== "linux" ? treeTeller : folderTeller;

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
