/**
 * Programs that Hookline writes for others to run, in sh and JavaScript: each is a file of its own beside the code that knows its values,
 * so that a linter reads it. From sources it is read here; scripts/build.ts puts it into a bundle in place of the call.
 */
import { readFileSync } from "node:fs";

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
