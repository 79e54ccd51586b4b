/**
 * Tells whether paths may have changed since somebody last looked at them, so that a process that stays need not ask the file
 * system about every path on every event. It may say "perhaps" at any time; it says "no" only where the system would have told.
 */
import { type FSWatcher, lstatSync, readlinkSync, type Stats, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isShared } from "../files/shared-file-system.ts";

export interface PathWitness {
  /** From now on changes of these paths are heard of under this key. To be called before they are looked at. Never throws. */
  follow(key: string, paths: readonly string[]): void;
  /** Nothing was heard since `follow`, and something would have been. */
  isQuiet(key: string): boolean;
  drop(key: string): void;
  /** Safe to call twice. */
  close(): void;
}

/** Folders, and who cares for what of their names; the empty name stands for whatever comes and goes there. */
type Links = Map<string, Link>;
interface Link {
  /** A folder of the same path may be another one. */
  identity: string;
  names: Set<string>;
}
interface Watched {
  identity: string;
  watcher: FSWatcher;
  /** Keys by name. */
  caring: Map<string, Set<string>>;
}
interface Followed {
  isQuiet: boolean;
  links: Links;
}

/** @param told called once when something may have changed under a key, until it is followed anew */
export function createPathWitness(told: (key: string) => void): PathWitness {
  const folders = new Map<string, Watched>();
  const followed = new Map<string, Followed>();
  let isAble = process.platform === "linux"; // elsewhere news come late, or not of every change

  function hear(folder: string, kind: string, name: string | null): void {
    const caring = folders.get(folder)?.caring;
    if (!caring) return;
    if (name === null) for (const keys of caring.values()) tellAll(keys);
    else tellAll(caring.get(name));
    if (kind === "rename") tellAll(caring.get(""));
  }

  function tellAll(keys: ReadonlySet<string> | undefined): void {
    for (const key of keys ?? []) {
      const one = followed.get(key);
      if (!one?.isQuiet) continue;
      one.isQuiet = false;
      told(key);
    }
  }

  function enter(folder: string, identity: string): Watched | undefined {
    const known = folders.get(folder);
    if (known?.identity === identity) return known;
    if (known) lose(folder);
    try {
      if (isShared(folder)) return undefined; // the kernel tells nothing of it
      const watcher = watch(folder, { persistent: false }, (kind, name) => hear(folder, kind, name));
      watcher.on("error", () => lose(folder));
      const entered = { identity, watcher, caring: new Map<string, Set<string>>() };
      folders.set(folder, entered);
      return entered;
    } catch {
      return undefined; // it is gone, or the system has no room for more watches: whoever asks looks for himself
    }
  }

  function lose(folder: string): void {
    const watched = folders.get(folder);
    if (!watched) return;
    folders.delete(folder);
    watched.watcher.close();
    for (const keys of watched.caring.values()) tellAll(keys);
  }

  /** False: not all of it can be watched. */
  function care(key: string, links: Links): boolean {
    let isWhole = true;
    for (const [folder, { identity, names }] of links) {
      const caring = enter(folder, identity)?.caring;
      if (!caring) isWhole = false;
      else for (const name of names) keysAt(caring, name).add(key);
    }
    return isWhole;
  }

  function careNoMore(key: string, links: Links, still: Links): void {
    for (const [folder, { names }] of links) {
      const watched = folders.get(folder);
      if (!watched) continue;
      for (const name of names) {
        if (still.get(folder)?.names.has(name)) continue;
        const keys = watched.caring.get(name);
        keys?.delete(key);
        if (keys?.size === 0) watched.caring.delete(name);
      }
      if (watched.caring.size > 0) continue;
      folders.delete(folder);
      watched.watcher.close();
    }
  }

  return {
    follow(key, paths) {
      if (!isAble) return;
      const links = linksOf(paths);
      const before = followed.get(key);
      const isQuiet = care(key, links);
      if (before) careNoMore(key, before.links, links);
      followed.set(key, { links, isQuiet });
    },
    isQuiet: (key) => followed.get(key)?.isQuiet === true,
    drop(key) {
      const known = followed.get(key);
      followed.delete(key);
      if (known) careNoMore(key, known.links, new Map());
    },
    close() {
      isAble = false;
      followed.clear();
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}

function keysAt(caring: Map<string, Set<string>>, name: string): Set<string> {
  const known = caring.get(name) ?? new Set();
  caring.set(name, known);
  return known;
}

/**
 * What has to be watched for these paths: at every step of the way to each, the name of the next step, so that also a folder
 * that is made, replaced or led elsewhere by a link is heard of; and of a path that is a folder, what comes and goes in it.
 * Each folder is walked to once, however many paths lie in it.
 */
function linksOf(paths: readonly string[]): Links {
  const links: Links = new Map();
  const reached = new Map<string, Reached | undefined>([["/", { folder: "/", identity: identityOf(statsOf("/")) }]]);
  const add = ({ folder, identity }: Reached, name: string): void => {
    const known = links.get(folder);
    if (known) known.names.add(name);
    else links.set(folder, { identity, names: new Set([name]) });
  };

  /** The folder that a path leads to. Undefined: it leads to none, or by links back to itself. */
  function reach(path: string): Reached | undefined {
    if (reached.has(path)) return reached.get(path);
    reached.set(path, undefined); // as long as it is being walked to
    const found = stepTo(path);
    reached.set(path, found);
    return found;
  }

  function stepTo(path: string): Reached | undefined {
    const above = reach(dirname(path));
    if (!above) return undefined;
    const name = basename(path);
    add(above, name);
    const next = join(above.folder, name);
    const found = statsOf(next);
    if (found?.isDirectory()) return { folder: next, identity: identityOf(found) };
    const target = found?.isSymbolicLink() ? targetOf(next) : undefined;
    return target === undefined ? undefined : walk(target.startsWith("/") ? reach("/") : above, target);
  }

  /** As the kernel goes: `..` is the folder above the one that was reached, whatever links have led there. */
  function walk(from: Reached | undefined, target: string): Reached | undefined {
    let here = from;
    for (const part of target.split("/").filter((one) => one !== "" && one !== "."))
      here = here && reach(part === ".." ? dirname(here.folder) : join(here.folder, part));
    return here;
  }

  for (const path of paths) {
    const folder = reach(resolve(path));
    if (folder) add(folder, "");
  }
  return links;
}

/** A folder by a path without links, and which one it is. */
interface Reached {
  folder: string;
  identity: string;
}

const identityOf = (found: Stats | undefined): string => `${found?.dev}:${found?.ino}`;

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // nobody may look there, or it is no folder any more
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // it went away meanwhile, and its folder tells of that
  }
}
