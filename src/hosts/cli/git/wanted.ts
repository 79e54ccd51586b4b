/**
 * What the stub cannot find out by itself: hooks that are no scripts, scripts in places that it does not look at, and files
 * that cannot be read.
 */

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import type { HooksFolder, Wanted } from "../../../agents/git/hooks.ts";
import type { GitPlace } from "../../../agents/git/repository.ts";
import { isStub, notesOf, watchedBelow } from "../../../agents/git/stub.ts";
import { configFolder, hookFiles } from "../../../agents/index.ts";
import { isGuard } from "../../../engine/hook.ts";
import { managedFoldersOf } from "../../../loading/places.ts";
import type { Place } from "../place.ts";
import type { Worktree } from "./worktrees.ts";

interface WantedFrom {
  where: Place;
  place: GitPlace;
  program: Wanted["program"];
  worktrees: readonly Worktree[];
  /** Of the paths that every stub watches, those that were there before anything was read. */
  known: readonly string[];
  /** As it is now. */
  folder: HooksFolder;
}

export function wantedBy({ where, place: { isShared }, program, worktrees, known, folder }: WantedFrom): Wanted {
  const outer = outerFolders(where);
  const folders = new Set([...outer, ...worktrees.flatMap(({ top }) => scriptFolders.map((name) => join(top, name)))]);
  const asked = worktrees.flatMap((worktree) => askedIn(worktree, folders, isShared));
  // The stub reads scripts itself, and every commit changes the repository's own folder.
  const isElsewhere = (path: string): boolean =>
    folders.has(path) || folders.has(dirname(path)) || basename(path) === ".git";
  const watched = unique(
    worktrees.flatMap(({ top, watched: paths }) =>
      paths.filter((path) => !isElsewhere(path)).map((path) => nameFrom(top, path)),
    ),
  ).filter((path) => isAbsolute(path) || !(isShared || isWatchedBelow(path)));
  const earlier = isShared ? othersIn(folder, worktrees) : { noted: [], guarded: [] };
  return {
    program,
    scriptFolders: outer,
    noted: unique([...(isShared ? anyHookFile() : []), ...asked.map(({ name }) => name), ...earlier.noted]),
    guarded: unique([...asked.flatMap(({ guarded }) => guarded ?? []), ...earlier.guarded]),
    watched,
    known: unique([...(isShared ? [] : known), ...thereOf(watched, worktrees)]),
    ...(isShared ? { isShared } : {}),
  };
}

interface Asked {
  /** As the stub names it. */
  name: string;
  /** Where it holds a guard, or may. In a folder that serves all repositories it is one of this worktree alone. */
  guarded?: string;
}

function askedIn({ top, hooks, unread, broken }: Worktree, folders: ReadonlySet<string>, isShared: boolean): Asked[] {
  const ownName = (name: string): string => (isAbsolute(name) ? name : join(realPath(top), name));
  const known = hooks
    .filter(({ origin: { dialect, file } }) => dialect !== "script" || !file || !folders.has(dirname(file)))
    .map((hook): Asked => {
      const name = hook.origin.file === undefined ? "." : nameFrom(top, hook.origin.file);
      return isGuard(hook) ? { name, guarded: isShared ? ownName(name) : name } : { name };
    });
  return [
    ...known,
    ...unread.map((path) => ({ name: nameFrom(top, path), guarded: ownName(nameFrom(top, path)) })),
    ...broken.map((path) => ({ name: nameFrom(top, path) })),
  ];
}

/** What the file knows of other repositories, as far as it is still there. */
function othersIn({ files }: HooksFolder, worktrees: readonly Worktree[]): Pick<Wanted, "noted" | "guarded"> {
  const texts = [...files.values()].flatMap(({ text }) => (text !== undefined && isStub(text) ? [text] : []));
  const notes = texts.map(notesOf);
  const tops = worktrees.map(({ top }) => realPath(top));
  const isOfOthers = (path: string): boolean =>
    isAbsolute(path) && existsSync(path) && !tops.some((top) => nameFrom(top, path) !== path);
  return {
    noted: notes.flatMap(({ noted }) => noted.filter((path) => !isAbsolute(path) || isOfOthers(path))),
    guarded: notes.flatMap(({ guarded }) => guarded.filter(isOfOthers)),
  };
}

const thereOf = (watched: readonly string[], worktrees: readonly Worktree[]): string[] =>
  watched
    .flatMap((path) => (isAbsolute(path) ? [path] : worktrees.map(({ top }) => join(realPath(top), path))))
    .filter((path) => existsSync(path));

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** Of the machine and of the user. */
const outerFolders = (where: Place): string[] =>
  [managedFoldersOf(process.platform).hookline, configFolder(where)].map((folder) => join(folder, "hooks"));
const scriptFolders = [".discobot/hooks", ".hookline/hooks"];

/** In a folder that serves all repositories nothing is known of the others: where one of these is there, Hookline is asked. */
const anyHookFile = (): string[] => [
  ".hookline/hooks.json",
  ".hookline/hooks.local.json",
  ".hookline/app.yaml",
  ".hookline/rules",
  ".hookline/plugins",
  ".hookline/registry",
  ".system/hooks",
  "hookline.yaml",
  "hookline.yml",
  ...["ts", "mts", "js", "mjs"].map((extension) => `hookline.config.${extension}`),
  ...hookFiles().flatMap(({ project, local, plugins }) =>
    [project, local, plugins?.folder].filter((one) => one !== undefined),
  ),
];

/** Below the worktree's top it is the same name in each of them. */
function nameFrom(top: string, path: string): string {
  const below = relative(top, path);
  const isBelow = below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return isBelow ? below : path;
}

// Which of the files that may hold hooks exist now: one that appears later is new, whatever its date says.

/** Below each of these folders, as the shell writes them: without links. */
export function knownBelow(tops: readonly string[]): string[] {
  return tops.flatMap((top) => {
    const folder = realPath(top);
    return watchedBelow().flatMap((pattern) => pathsLike(pattern).in(folder));
  });
}

/** A folder without links; one that is gone stays as it is written. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Whether the patterns of any worktree cover this path below one. */
const isWatchedBelow = (path: string): boolean => watchedBelow().some((pattern) => pathsLike(pattern).has(path));

/** What a shell makes of a path with stars, but for hidden files, which are no hooks. */
function pathsLike(pattern: string): { in(folder: string): string[]; has(path: string): boolean } {
  const parts = pattern.split("/").map((part) => ({ part, isLike: partLike(part) }));
  return {
    in: (folder) =>
      parts
        .reduce(
          (paths, { part, isLike }) =>
            paths.flatMap((path) =>
              part.includes("*")
                ? namesIn(path)
                    .filter(isLike)
                    .map((name) => join(path, name))
                : [join(path, part)],
            ),
          [folder],
        )
        .filter(existsSync),
    has: (path) => {
      const names = path.split("/");
      return names.length === parts.length && parts.every(({ isLike }, at) => isLike(names[at] ?? ""));
    },
  };
}

function partLike(part: string): (name: string) => boolean {
  const [start = "", end] = part.split("*");
  if (end === undefined) return (name) => name === part;
  return (name) =>
    name.length >= part.length - 1 &&
    name.startsWith(start) &&
    name.endsWith(end) &&
    (start !== "" || !name.startsWith("."));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is no such folder
  }
}
