/** Which of the files that may hold hooks are there: what appears later is news, whatever its date says. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { watchedBelow } from "../../agents/git/stub.ts";

/** Below each of these folders, as the shell writes them: without links. */
export function knownBelow(tops: readonly string[]): string[] {
  return tops.flatMap((top) => {
    const folder = realPath(top);
    return watchedBelow().flatMap((pattern) => pathsLike(pattern).in(folder));
  });
}

/** A folder without links; one that is gone stays as it is written. */
export function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Whether the patterns of any worktree cover this path below one. */
export const isWatchedBelow = (path: string): boolean => watchedBelow().some((pattern) => pathsLike(pattern).has(path));

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
