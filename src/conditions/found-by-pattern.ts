/**
 * What a pattern of names finds on this disk: `~/.clau?e/settings.json` is a file of hooks, although its name stands nowhere, and a
 * search for `*.yaml` means the files of `.hookline`, although it names no folder.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Written } from "../engine/effects.ts";
import { compileNameGlob } from "../engine/glob.ts";
import { unknownText } from "../engine/pattern.ts";

/** Folders of packages hold some hundreds of names; a line that means more is not read to its end. */
const mostPaths = 1_000;
const longestPath = 4096;

const isPattern = (name: string): boolean => /[*?[\0]/.test(name);
const onlyUnknown = new RegExp(`^${unknownText}+$`);

/**
 * What stands behind the last pattern need not be there yet. A name of which the line tells a part alone is a pattern, too; of a name
 * that it tells nothing of, nothing is found. Never throws.
 *
 * @param path absolute
 */
export function pathsLike(path: string): string[] {
  if (!isPattern(path) || path.length > longestPath) return [];
  const names = path.split("/");
  if (names.some((name) => onlyUnknown.test(name))) return [];
  const last = names.findLastIndex(isPattern);
  let found = [""];
  for (const name of names.slice(1, last + 1)) {
    found = isPattern(name) ? found.flatMap((folder) => namesLike(folder, name)) : found.map((one) => `${one}/${name}`);
    if (found.length > mostPaths) found.length = mostPaths;
  }
  const rest = names.slice(last + 1).map((name) => `/${name}`);
  return found.map((one) => one + rest.join(""));
}

/** As in shells, a star at the beginning means no name that begins with a dot. */
function namesLike(folder: string, name: string): string[] {
  const fits = compileNameGlob(name.replaceAll(new RegExp(`${unknownText}+`, "g"), "*"));
  const isHidden = name.startsWith(".");
  return namesIn(folder).flatMap((one) => ((isHidden || !one.startsWith(".")) && fits(one) ? `${folder}/${one}` : []));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder === "" ? "/" : folder);
  } catch {
    return []; // there is no such folder, or it is not ours to read
  }
}

/** Of one folder of hooks; a larger one is not looked through to its end. */
const mostFiles = 500;

/**
 * Whether a search by name, such as `find . -name '*.yaml'`, would find a hook file.
 *
 * @param found of a search: a name, where it begins, and what it leaves out
 * @param inProject files and folders that hold hooks, below a folder where the search begins
 */
export function isNamedHook({ path, from = [], except = [] }: Written, inProject: readonly string[]): boolean {
  if (path.includes("/")) return false;
  const fits = compileNameGlob(path);
  const leavesOut = except.map((one) => compileNameGlob(one));
  return from.some((start) =>
    inProject.some((place) =>
      filesAt(join(start, place)).some(
        (file) => fits(basename(file)) && !leavesOut.some((holds) => formsOf(file, start).some(holds)),
      ),
    ),
  );
}

/** As a search from `.`, or one from a folder's name, would write it, and each folder above it. */
function formsOf(file: string, start: string): string[] {
  const names = relative(start, file).split("/");
  return names.flatMap((name, index) => {
    const path = names.slice(0, index + 1).join("/");
    return [name, `./${path}`, join(start, path)];
  });
}

function filesAt(path: string): string[] {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile()) return [path];
    if (!found?.isDirectory()) return [];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .slice(0, mostFiles)
      .flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
  } catch {
    return []; // it is not ours to read
  }
}
