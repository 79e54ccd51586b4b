/**
 * Watches folders of a tree, with one watch each: on Linux nothing escapes it that the kernel's queue can hold. A watch on a
 * whole tree, by a library, lost up to one in seven of the folders made inside new ones, for good (decision 10). Events only
 * make the reader look: they can be lost, come late, or name a folder as it was called before.
 */
import { type FSWatcher, statfsSync, watch } from "node:fs";
import { statfs } from "node:fs/promises";
import { sep } from "node:path";
import { messageOf } from "../engine/error.ts";
import { pathOf, textOfNames } from "./names.ts";

export interface TreeWatch {
  /**
   * Watches a folder, anew if it was watched: another one may have its name now. To be called before the folder is read. A
   * folder that is gone is none. @throws what the system says, if it can watch no more folders
   */
  enter(folder: string): void;
  /** The folder and what lies below it are not watched any more. */
  leave(folder: string): void;
  has(folder: string): boolean;
  count(): number;
  /** Safe to call twice. */
  close(): void;
}

export interface TreeWatchOptions {
  /** @param name in the folder; undefined: any of them. written: its content. shifted: it came, went, or was moved */
  changed(folder: string, name: string | undefined, how: "written" | "shifted"): void;
  /** The system has ended the watch of a folder. */
  lost(reason: unknown): void;
}

export type WatchTree = typeof watchTree;

export function watchTree({ changed, lost }: TreeWatchOptions): TreeWatch {
  const watchers = new Map<string, FSWatcher>();

  function stop(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  return {
    enter(folder) {
      stop(folder);
      const watcher = openWatch(folder, { changed: (name, how) => changed(folder, name, how), lost });
      if (watcher) watchers.set(folder, watcher);
    },
    leave(folder) {
      const below = folder.endsWith(sep) ? folder : `${folder}${sep}`;
      for (const name of [...watchers.keys()]) if (name === folder || name.startsWith(below)) stop(name);
    },
    has: (folder) => watchers.has(folder),
    count: () => watchers.size,
    close() {
      for (const folder of [...watchers.keys()]) stop(folder);
    },
  };
}

interface FolderWatchOptions extends Pick<TreeWatchOptions, "lost"> {
  changed(name: string | undefined, how: "written" | "shifted"): void;
}

/** The one place that asks the system for a watch. Undefined: the folder is gone. @throws what the system says */
export function openWatch(folder: string, { changed, lost }: FolderWatchOptions): FSWatcher | undefined {
  try {
    const watcher = watch(pathOf(folder), { persistent: false, encoding: "buffer" }, (kind, name) =>
      changed(name === null ? undefined : textOfNames(name), kind === "rename" ? "shifted" : "written"),
    );
    watcher.on("error", lost);
    return watcher;
  } catch (error) {
    if (isAbsent(error)) return undefined; // it went away meanwhile, and that is an event of the folder above
    throw error;
  }
}

export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

/** Why a folder cannot be watched, for a person. */
export function watchRefusal(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC") return "the system's limit of watched folders is reached (fs.inotify.max_user_watches)";
  if (code === "EMFILE") return "the system's limit of watchers is reached (fs.inotify.max_user_instances)";
  return messageOf(error);
}

/** File systems that other machines may write to: NFS, SMB, CIFS, FUSE, 9p, AFS, Ceph, VirtualBox. No watch reports that. */
const sharedTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x5346414f, 0x00c36400, 0x786f4256,
]);
export const sharedReason = "other machines may write there";

/** @throws what the system says, if the folder is not there */
export const isShared = (folder: string): boolean => sharedTypes.has(statfsSync(pathOf(folder)).type);

/** The same without holding the process up: a server may take long to answer. */
export const isSharedFolder = async (folder: string): Promise<boolean> =>
  sharedTypes.has((await statfs(pathOf(folder))).type);
