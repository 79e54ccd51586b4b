/**
 * Files of Hookline itself: its folder, the programs of native/, and the texts of programs in sh and JavaScript that it writes for
 * others to run. Each such text is a file beside the code that knows its values, so that a linter reads it. From sources it is read
 * here; scripts/build.ts puts it into a bundle in place of the call.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The build finds calls by their form: a caller gives its own import.meta.url, and the name between double quotes. */
export const ownText = (from: string, file: string): string => readFileSync(new URL(file, from), "utf8");

/**
 * Puts values in where the text says __NAME__, each as its language writes one. Where whole lines are to stand, the text has
 * the name in a remark, so that it is a program without them.
 */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/(?:# )?__([A-Z]+(?:_[A-Z]+)*)__/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for ${place}`);
    return place.startsWith("#") ? value.replace(/\n$/, "") : value;
  });
}

/** The folder that Hookline runs from: a package, or a clone. Undefined: Hookline is a part of another program, which then has no file of its own by which it is known. */
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

/** A program of native/: it lies beside the sources, or beside what is built from them. Undefined: there is none for this system. */
export function nativeProgram(name: string): string | undefined {
  const place = `native/${process.platform}-${process.arch}/${name}`;
  const isSource = import.meta.url.endsWith(".ts");
  return (isSource ? ["../../"] : ["../", "../../"])
    .map((up) => fileURLToPath(new URL(up + place, import.meta.url)))
    .find((path) => existsSync(path));
}
