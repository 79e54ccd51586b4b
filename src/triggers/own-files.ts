/**
 * What happens to a repository's own files, such as its index and its rules: git then answers otherwise although no file of
 * the work tree has changed. Told by watches, but for the commit that a branch leads to, which lies anywhere below refs.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";
import { type HeadPlaces, refFilesOf } from "./head-files.ts";
import { signatureOf } from "./look.ts";

/** answers: `git status` says something else. rules: another folder may be ignored as well. */
export type OwnChange = "answers" | "rules";

export interface OwnFiles {
  /** Finds anew what HEAD leads to. */
  follow(): void;
  /** The files that HEAD leads to, as they are now. Quick: a look or two at the file system. Never throws. */
  refs(): string;
  close(): void;
}

/** By the name in its folder. */
const meanings: Readonly<Record<string, OwnChange>> = {
  index: "answers",
  HEAD: "answers",
  "packed-refs": "answers",
  "tables.list": "answers",
  config: "rules",
  "config.worktree": "rules",
  info: "rules",
  exclude: "rules",
  attributes: "rules",
  "sparse-checkout": "rules",
};

/** Throws what the system says, if it cannot watch any more folders. */
export function watchOwnFiles({ gitFolder, commonFolder }: HeadPlaces, changed: (what: OwnChange) => void): OwnFiles {
  const own = new Set([gitFolder, commonFolder]);
  const inner = [...own].map((folder) => join(folder, "info"));
  const watchers = new Map<string, FSWatcher>();
  let refFiles = refFilesOf({ gitFolder, commonFolder });

  function start(folder: string): void {
    if (!isFolder(folder)) return;
    const watcher = watch(folder, { persistent: false }, (_kind, name) => told(name));
    watcher.on("error", () => changed("rules"));
    watchers.get(folder)?.close();
    watchers.set(folder, watcher);
  }

  function told(name: string | null): void {
    const what = name === null ? "rules" : Object.hasOwn(meanings, name) ? meanings[name] : undefined;
    if (name === "info") for (const folder of inner) restart(folder);
    if (what) changed(what);
  }

  function restart(folder: string): void {
    try {
      start(folder);
    } catch {
      changed("rules"); // the next question meets the same limit, and says so
    }
  }

  for (const folder of [...own, ...inner, join(commonFolder, "reftable")]) start(folder);
  return {
    follow() {
      refFiles = refFilesOf({ gitFolder, commonFolder });
    },
    refs: () => refFiles.map(signatureOf).join(" "),
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
