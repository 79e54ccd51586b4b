/**
 * Where the changes of an event are looked for, as files say it, at once, where git would be a process: the folder, the
 * repository of a work tree, and what its HEAD leads to.
 */
import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathOf } from "../../files/names.ts";
import type { Repository } from "../processes/git.ts";
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
    return false; // a file lies in the way, or it may not be read
  }
}

export type HeadPlaces = Pick<Repository, "gitFolder" | "commonFolder">;

const smallInBytes = 4 << 10;
const packedInBytes = 8 << 20;
const linksAtMost = 5;

/** HEAD names a branch, whose file may name another. One that is packed has no file, and changes with the packed ones. */
export const refFilesOf = (places: HeadPlaces): string[] =>
  refsOf(places).names.map((name) => join(places.commonFolder, name));

/** The commit that the work tree of this folder is at; undefined: only git can tell, as where refs are neither loose nor packed. Never throws. */
export function headOf(top: string): string | undefined {
  const places = placesOf(top);
  if (!places) return undefined;
  const { names, text } = refsOf(places);
  return commitIn(text) ?? packedCommit(places.commonFolder, names.at(-1));
}

/** The names that HEAD leads to, one behind the other, and what stands at their end. */
function refsOf({ gitFolder, commonFolder }: HeadPlaces): { names: string[]; text: string } {
  const names: string[] = [];
  let text = textOf(join(gitFolder, "HEAD"));
  while (names.length < linksAtMost) {
    const name = /^ref: (refs\/\S+)\s*$/.exec(text)?.[1];
    if (name === undefined || name.split("/").includes("..")) break;
    names.push(name);
    text = textOf(join(commonFolder, name));
  }
  return { names, text };
}

/** A linked work tree, and a submodule, has a file that names its folder. Undefined: there is none. Never throws. */
export function placesOf(top: string): HeadPlaces | undefined {
  const path = join(top, ".git");
  const named = /^gitdir: (.+?)\s*$/.exec(textOf(path))?.[1];
  const gitFolder = named === undefined ? path : resolve(top, named);
  if (!isFolder(gitFolder)) return undefined;
  const common = textOf(join(gitFolder, "commondir")).trim();
  return { gitFolder, commonFolder: common === "" ? gitFolder : resolve(gitFolder, common) };
}

const commitIn = (text: string): string | undefined => /^([0-9a-f]{40,64})\s*$/.exec(text)?.[1];

function packedCommit(commonFolder: string, name: string | undefined): string | undefined {
  const line = textOf(join(commonFolder, "packed-refs"), packedInBytes)
    .split("\n")
    .find((one) => name !== undefined && one.endsWith(` ${name}`));
  return line === undefined ? undefined : commitIn(line.slice(0, line.indexOf(" ")));
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // it may not be read
  }
}

function textOf(path: string, atMostInBytes = smallInBytes): string {
  try {
    const found = statSync(path);
    return found.isFile() && found.size < atMostInBytes ? readFileSync(path, "latin1") : "";
  } catch {
    return ""; // not there
  }
}
