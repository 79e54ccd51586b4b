/**
 * The paths that there are for one with the shell's `*`, `?` and `[…]` in it: `~/.clau?e/settings.json` is a file of hooks, although its
 * name stands nowhere.
 */
import { readdirSync } from "node:fs";
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
