/** The folder that Hookline itself runs from: a package, or a clone. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Undefined: Hookline is a part of another program, which then has no file of its own by which it is known. */
export function ownPackage(): string | undefined {
  if (!import.meta.url.startsWith("file:")) return undefined;
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let up = 0; up < mostUp; up++) {
    if (existsSync(`${folder}/bin/hookline.js`)) return folder;
    folder = dirname(folder);
  }
  return undefined;
}

/** From src/files, dist, or the build in a clone. */
const mostUp = 4;
