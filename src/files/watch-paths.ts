/**
 * Watches a few paths, wherever they lie, so that a long-lived process need not ask the file system about every path again and
 * again. It may report a change at any time; it reports none only where the system would have reported one.
 */
import { type FSWatcher, lstatSync, readlinkSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathOf, textOfNames } from "./names.ts";
import { isShared, openWatch, sharedReason, watchRefusal } from "./watch-tree.ts";

export interface PathWatch {
  /**
   * From now on changes of these paths are reported under this key. Call it before looking at them. Never throws.
   *
   * @returns why a change might go unreported; undefined: every change is reported
   */
  follow(key: string, paths: readonly string[]): string | undefined;
  /** Nothing was reported since `follow`, and a change would have been. */
  isQuiet(key: string): boolean;
  drop(key: string): void;
  /** Safe to call twice. */
  close(): void;
}

export interface PathWatchOptions {
  /** Called once when something may have changed under a key, until it is followed anew. */
  changed?(key: string): void;
  /** Called at each event. */
  event?(key: string): void;
  /** Only the entry at each path counts, and not what comes and goes in a folder there. */
  entriesOnly?: true;
  /** Folders that are taken as they are: changes above them do not count. */
  bases?: readonly string[];
}

/** By folder, the names in it that matter; the empty name stands for every entry that is added or removed. */
type Links = Map<string, Link>;
interface Link {
  /** A folder of the same path may be another one. */
  identity: string;
  names: Set<string>;
}
interface WatchedFolder {
  identity: string;
  /** Other machines may write there. */
  isShared: boolean;
  watcher: FSWatcher;
  /** Keys by name. */
  caring: Map<string, Set<string>>;
}
interface Followed {
  /** Every change is reported. */
  isWhole: boolean;
  isChanged: boolean;
  links: Links;
}

/** Elsewhere news come late, or not of every change, and a watch on a folder high above hears of everything below it. */
const isExact = process.platform === "linux";

export function watchPaths(options: PathWatchOptions): PathWatch {
  const { changed, event } = options;
  const followed = new Map<string, Followed>();
  const folders = createWatchedFolders(markAll);
  let isClosed = false;

  function markAll(keys: ReadonlySet<string> | undefined): void {
    for (const key of [...(keys ?? [])]) {
      const one = followed.get(key);
      if (!one) continue;
      const isFirst = !one.isChanged;
      one.isChanged = true;
      if (isFirst) changed?.(key);
      event?.(key);
    }
  }

  return {
    follow(key, paths) {
      if (isClosed) return "it is closed";
      const links = linksOf(paths, options);
      const before = followed.get(key);
      const reason = folders.care(key, links);
      if (before) folders.careNoMore(key, before.links, links);
      followed.set(key, { links, isWhole: reason === undefined, isChanged: false });
      return reason;
    },
    isQuiet(key) {
      const one = followed.get(key);
      return one?.isWhole === true && !one.isChanged;
    },
    drop(key) {
      const known = followed.get(key);
      followed.delete(key);
      if (known) folders.careNoMore(key, known.links, new Map());
    },
    close() {
      isClosed = true;
      followed.clear();
      folders.close();
    },
  };
}

/**
 * The system's watches on folders, one for each folder, however many keys care for names in it.
 *
 * @param mark called with the keys under which something may have changed
 */
function createWatchedFolders(mark: (keys: ReadonlySet<string> | undefined) => void) {
  const folders = new Map<string, WatchedFolder>();

  function hear(folder: string, name: string | undefined, how: "written" | "shifted"): void {
    const caring = folders.get(folder)?.caring;
    if (!caring) return;
    if (name === undefined) for (const keys of [...caring.values()]) mark(keys);
    else mark(caring.get(name));
    if (how === "shifted") mark(caring.get(""));
  }

  /** @throws what the system says */
  function enter(folder: string, identity: string): WatchedFolder | undefined {
    const known = folders.get(folder);
    if (known?.identity === identity) return known;
    if (known) lose(folder);
    const shared = isShared(folder);
    const watcher = openWatch(folder, {
      changed: (name, how) => hear(folder, name, how),
      lost: () => lose(folder),
    });
    if (!watcher) return undefined;
    const entered = { identity, isShared: shared, watcher, caring: new Map<string, Set<string>>() };
    folders.set(folder, entered);
    return entered;
  }

  function lose(folder: string): void {
    const watched = folders.get(folder);
    if (!watched) return;
    folders.delete(folder);
    watched.watcher.close();
    for (const keys of watched.caring.values()) mark(keys);
  }

  /** Gives why a change might go unreported. */
  function care(key: string, links: Links): string | undefined {
    let reason = isExact ? undefined : "this system does not report every change";
    for (const [folder, { identity, names }] of links) {
      try {
        const watched = enter(folder, identity);
        if (!watched) reason ??= `${folder} has gone`;
        else if (watched.isShared) reason ??= sharedReason;
        if (watched) for (const name of names) keysAt(watched.caring, name).add(key);
      } catch (error) {
        reason ??= watchRefusal(error);
      }
    }
    return reason;
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
    care,
    careNoMore,
    close(): void {
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
 * that is made, replaced or led elsewhere by a link is noticed; and of a path that is a folder, what comes and goes in it.
 * Each folder is walked to once, however many paths lie in it.
 */
function linksOf(
  paths: readonly string[],
  { entriesOnly, bases = [] }: Pick<PathWatchOptions, "entriesOnly" | "bases">,
): Links {
  const links: Links = new Map();
  const ends = new Set(paths.map((path) => resolve(path)));
  const reached = new Map<string, Reached | undefined>(
    ["/", ...bases].map((folder) => [folder, { folder, identity: identityOf(statsOf(folder)) }]),
  );
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
    if (isExact || ends.has(path)) add(above, name);
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

  for (const path of ends) {
    const folder = reach(path);
    if (folder && !entriesOnly) add(folder, "");
  }
  return links;
}

/** A folder by a path without links, and which one it is. */
interface Reached {
  folder: string;
  identity: string;
}

/** A folder that takes the place of another often gets its number, too. */
const identityOf = (found: Stats | undefined): string => `${found?.dev}:${found?.ino}:${found?.birthtimeMs}`;

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false });
  } catch {
    return undefined; // it may not be read, or it is no folder any more
  }
}

function targetOf(path: string): string | undefined {
  try {
    return textOfNames(readlinkSync(pathOf(path), "buffer"));
  } catch {
    return undefined; // it went away meanwhile, and its folder reports that
  }
}
