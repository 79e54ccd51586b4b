/** Finds the project that a folder belongs to, and the folders whose hook files apply there (R34, R58). */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hookFiles } from "../agents/index.ts";
import { projectFiles, projectPlace } from "./places.ts";
import { pluginPlaces } from "./plugins.ts";
import { readSmallFile } from "./read-file.ts";

export interface Project {
  /** The nearest folder upward with a hook file or a repository; without one the folder that was asked about. */
  root: string;
  /** From the repository's root down to `root`: hook files of the later ones are the nearer. */
  folders: readonly string[];
  /** The main worktree's folder, where a linked worktree without hook files of its own uses that one's. */
  mainWorktree?: string;
  /** Every path that was looked at: if one appears, the answer may change. */
  watched: readonly string[];
}

/** Names in a folder that make it a project's. */
export const hookMarkers = (): string[] => [
  ".hookline",
  "hookline.yaml",
  ...hookFiles().flatMap(({ markers }) => markers),
  ".discobot",
  ".system/hooks",
];

/** Never throws: what cannot be read counts as absent. */
export function findProject(cwd: string, home: string): Project {
  const watched: string[] = [];
  const markers = hookMarkers();
  const has = (folder: string, marker: string): boolean => {
    const path = join(folder, marker);
    watched.push(path);
    return exists(path);
  };
  const upward = foldersUpward(resolve(cwd), resolve(home));
  const isMarked = (folder: string): boolean => [...markers, ".git"].some((marker) => has(folder, marker));
  const nearest = upward.findIndex(isMarked);
  const root = upward[nearest];
  if (root === undefined) return { root: resolve(cwd), folders: [resolve(cwd)], watched };
  const above = upward.slice(nearest);
  const repository = above.findIndex((folder) => has(folder, ".git"));
  const folders = above.slice(0, Math.max(repository, 0) + 1).reverse();
  const linkedTo = folders.length === 1 && repository === 0 ? mainWorktreeOf(root) : undefined;
  const mainWorktree = linkedTo !== undefined && !hasHookFiles(root, watched) ? linkedTo : undefined;
  return mainWorktree ? { root, folders: [mainWorktree], mainWorktree, watched } : { root, folders, watched };
}

/** The folder and those above it; the home folder and what lies above it are nobody's project. */
function foldersUpward(from: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = from; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  return folders;
}

/** Files and not folders count: agents make `.claude` for much else, and keep settings without hooks there. */
function hasHookFiles(folder: string, watched: string[]): boolean {
  const place = projectPlace(folder, "");
  const settings = projectFiles(folder, "").map(({ path }) => path);
  const files = [...place.config, ...place.modules, ...(place.app ? [place.app] : [])];
  const inside = [place.rules, ...place.scripts, ...place.registry, place.automations, ...pluginPlaces(folder)];
  watched.push(...settings, ...files, ...inside);
  return (
    files.some(exists) ||
    settings.some((path) => textAt(path).includes('"hooks"')) ||
    inside.some((path) => namesAt(path).length > 0)
  );
}

function namesAt(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch {
    return []; // there is no such folder
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder that may not be searched holds nothing for us
  }
}

/** A linked worktree's `.git` is a file that names its own part of the main repository. */
function mainWorktreeOf(folder: string): string | undefined {
  const part = /^gitdir:\s*(.+?)\s*$/m.exec(textAt(join(folder, ".git")))?.[1];
  if (!part) return undefined;
  const own = resolve(folder, part);
  const named = textAt(join(own, "commondir")).trim(); // a submodule has none, and a broken link names no other worktree
  const common = resolve(own, named);
  return named !== "" && basename(common) === ".git" ? dirname(common) : undefined;
}

function textAt(path: string): string {
  const read = readSmallFile(path);
  return read.is === "read" ? read.text : "";
}
