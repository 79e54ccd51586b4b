/** The folder in which the changes of an event are looked for: the repository that it happens in, else the project. */
import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathOf } from "../files/names.ts";
import type { Place } from "./look.ts";

/**
 * @param root the project's folder, for where there is no repository
 * @param home nothing at or above it is one project's repository (R58)
 */
export function placeOf(cwd: string, root: string, home: string): Place {
  const end = resolve(home);
  for (let folder = resolve(cwd); folder !== end; folder = dirname(folder)) {
    if (exists(join(folder, ".git"))) return { folder, isRepository: true };
    if (dirname(folder) === folder) break;
  }
  return { folder: resolve(root), isRepository: false };
}

/** A link counts for itself. */
export function exists(path: string): boolean {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a file lies in the way, or nobody may look
  }
}
