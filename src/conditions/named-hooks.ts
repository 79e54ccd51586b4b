/** Which hook files a search by name would find: `find . -name '*.yaml'` means those of `.hookline` too, although it names no folder. */
import { readdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Written } from "../engine/effects.ts";
import { compileNameGlob } from "../engine/glob.ts";

/** Of one folder of hooks; a larger one is not looked through to its end. */
const mostFiles = 500;

/**
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
