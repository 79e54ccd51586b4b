/** Watches on the folders of a work tree, one each and never recursive; those that git ignores are left alone. */
import { type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { pause } from "./look.ts";

export interface WatchedFolders {
  /** Watches this folder (empty: the top) and what lies in it, anew: a folder of the same name may be another one. */
  follow(folders: readonly string[]): Promise<void>;
  /** Watches these as well, ignored or not. */
  add(folders: Iterable<string>): void;
  has(folder: string): boolean;
  count(): number;
  close(): void;
}
export interface Watching {
  top: string;
  /** Which of these folders git ignores. */
  ignored(folders: readonly string[]): Promise<ReadonlySet<string>>;
  /** Something happened to this file or folder; without a name, to any. `shifted`: it came, went, or was moved. */
  touched(name: string | undefined, shifted: boolean): void;
}

/** Above this, `git status` is the cheaper way. */
const foldersAtMost = 20_000;
const slice = 100;

/** `follow` and `add` throw what the system says, if it cannot watch any more folders. */
export function createWatchedFolders({ top, ignored, touched }: Watching): WatchedFolders {
  const watchers = new Map<string, FSWatcher>();

  function start(folder: string): void {
    if (watchers.has(folder)) return;
    if (watchers.size >= foldersAtMost) throw new Error(`there are more than ${foldersAtMost} folders`);
    const before = folder === "" ? "" : `${folder}/`;
    try {
      const watcher = watch(join(top, folder), { persistent: false }, (kind, name) =>
        touched(name === null ? undefined : `${before}${name}`, kind === "rename"),
      );
      watcher.on("error", () => touched(undefined, true));
      watchers.set(folder, watcher);
    } catch (error) {
      if (!isAbsent(error)) throw error; // it went away meanwhile, and that is an event of the folder above
    }
  }

  function stop(folder: string): void {
    for (const [name, watcher] of watchers) {
      if (folder !== "" && name !== folder && !name.startsWith(`${folder}/`)) continue;
      watcher.close();
      watchers.delete(name);
    }
  }

  async function follow(folders: readonly string[]): Promise<void> {
    for (const folder of folders) stop(folder);
    let level = folders.filter((folder) => isOurs(top, folder));
    while (level.length > 0) {
      const named = level.filter((folder) => folder !== "");
      const passed: ReadonlySet<string> = named.length > 0 ? await ignored(named) : new Set();
      const below: string[] = [];
      for (const [index, folder] of level.filter((one) => !passed.has(one)).entries()) {
        if (index > 0 && index % slice === 0) await pause();
        start(folder); // first, so that what comes into it while it is read is told
        below.push(...foldersIn(top, folder));
      }
      level = below;
    }
  }

  return {
    follow,
    add(folders) {
      for (const folder of folders) start(folder);
    },
    has: (folder) => watchers.has(folder),
    count: () => watchers.size,
    close: () => stop(""),
  };
}

/** A folder, and no repository of its own: those are looked at for themselves, or not at all. */
function isOurs(top: string, folder: string): boolean {
  try {
    if (!lstatSync(join(top, folder)).isDirectory()) return false;
    return folder === "" || lstatSync(join(top, folder, ".git"), { throwIfNoEntry: false }) === undefined;
  } catch {
    return false; // it is not there
  }
}

function foldersIn(top: string, folder: string): string[] {
  try {
    return readdirSync(join(top, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== ".git")
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`))
      .filter((name) => isOurs(top, name));
  } catch {
    return []; // it went away meanwhile
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
