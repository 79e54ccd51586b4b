/** Watches on the folders of a work tree, one each and never recursive; those that git ignores are left alone. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathOf, textOfNames } from "../../files/names.ts";
import { watchTree } from "../../files/watch-tree.ts";
import { nextTurn } from "../system.ts";
import { folderOf } from "./look.ts";
import { exists, isFolder } from "./tracking.ts";

export interface WatchedFolders {
  /** Watches this folder (empty: the top) and what lies in it, anew: a folder of the same name may be another one. */
  follow(folders: readonly string[]): Promise<void>;
  /** Watches these as well, ignored or not. */
  add(folders: Iterable<string>): void;
  /** Asks once more which folders are others', and watches those whose answer is another one now. */
  review(): Promise<void>;
  count(): number;
  close(): void;
}

/** written: its content. shifted: it came, went, or was moved. parted: the folder became a repository of its own, or ceased to be one. */
export type Touch = "written" | "shifted" | "parted";

export interface Watching {
  top: string;
  /** Which of these folders git ignores. */
  ignored(folders: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which of these folders, each with a `.git`, git leaves to another repository. */
  apart(folders: readonly string[]): Promise<ReadonlySet<string>>;
  /** Something happened to this file or folder; without a name, to any. */
  touched(name: string | undefined, how: Touch): void;
}

/** Above this, `git status` is the cheaper way. */
const foldersAtMost = 20_000;
const slice = 100;
const gitFolder = ".git";

/** `follow`, `add` and `review` throw what the system says, if it cannot watch any more folders. */
export function createWatchedFolders({ top, ignored, apart, touched }: Watching): WatchedFolders {
  const topLength = join(top, "/").length;
  const tree = watchTree({
    changed: (path, name, how) => heard(path.slice(topLength), name, how),
    lost: () => touched(undefined, "shifted"),
  });
  /** Folders with a `.git`, and whether they are others': of those only the folder itself is watched. */
  const nested = new Map<string, boolean>();

  function start(folder: string): void {
    const path = join(top, folder);
    if (tree.has(path)) return; // another watch would lose what the first has not reported yet
    if (tree.count() >= foldersAtMost) throw new Error(`there are more than ${foldersAtMost} folders`);
    tree.enter(path);
  }

  function heard(folder: string, name: string | undefined, how: Touch): void {
    if (name === undefined) touched(undefined, "shifted");
    else if (isGitFolder(folder))
      touched(folderOf(folder), "parted"); // git is about to make it a repository
    else if (name === gitFolder && folder !== "") touched(folder, "parted");
    else if (!nested.get(folder)) touched(folder === "" ? name : `${folder}/${name}`, how);
  }

  function stop(folder: string): void {
    const isMeant = (name: string): boolean => folder === "" || name === folder || name.startsWith(`${folder}/`);
    tree.leave(join(top, folder));
    for (const name of [...nested.keys()].filter(isMeant)) nested.delete(name);
  }

  async function follow(folders: readonly string[]): Promise<void> {
    for (const folder of folders) stop(folder);
    let level = folders.filter((folder) => isFolder(join(top, folder)));
    while (level.length > 0) {
      const named = level.filter((folder) => folder !== "");
      const passed: ReadonlySet<string> = named.length > 0 ? await ignored(named) : new Set();
      const ours = level.filter((folder) => !passed.has(folder));
      level = await watchLevel(ours);
    }
  }

  /** Also gives the folders inside. */
  async function watchLevel(folders: readonly string[]): Promise<string[]> {
    const inside: string[] = [];
    for (const [index, folder] of folders.entries()) {
      if (index > 0 && index % slice === 0) await nextTurn();
      start(folder); // first, so that what comes into it while it is read is reported
      if (folder === "" || !exists(join(top, folder, gitFolder))) inside.push(...foldersIn(top, folder));
      else nested.set(folder, true);
    }
    const others = folders.filter((folder) => nested.has(folder));
    if (others.length === 0) return inside;
    const theirs = await apart(others);
    for (const folder of others.filter((one) => !theirs.has(one))) {
      nested.set(folder, false);
      start(`${folder}/${gitFolder}`); // what is none yet may become a repository
      inside.push(...foldersIn(top, folder));
    }
    return inside;
  }

  return {
    follow,
    add(folders) {
      for (const folder of folders) start(folder);
    },
    async review() {
      if (nested.size === 0) return;
      const theirs = await apart([...nested.keys()]);
      await follow([...nested].filter(([folder, was]) => theirs.has(folder) !== was).map(([folder]) => folder));
    },
    count: tree.count,
    close: tree.close,
  };
}

const isGitFolder = (folder: string): boolean => folder.endsWith(`/${gitFolder}`);

function foldersIn(top: string, folder: string): string[] {
  try {
    return readdirSync(pathOf(join(top, folder)), { withFileTypes: true, encoding: "buffer" })
      .filter((entry) => entry.isDirectory())
      .map((entry) => textOfNames(entry.name))
      .filter((name) => name !== gitFolder)
      .map((name) => (folder === "" ? name : `${folder}/${name}`));
  } catch {
    return []; // it went away meanwhile
  }
}
