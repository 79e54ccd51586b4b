/** Reads the imports of our source files, for the checks that look at them. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Import {
  from: string;
  line: number;
  /** A file of ours, relative to the project, or a package's name. */
  to: string;
  own: boolean;
  /** Only types: nothing is loaded. */
  typeOnly: boolean;
  /** import(): loaded when it is reached. */
  lazy: boolean;
}

const statement = /^\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\s+from\s+)?["']([^"']+)["']/gm;
const call = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

export const sourceFiles = (): string[] => globSync("src/**/*.ts").sort();

export function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found: Import[] = [];
  const add = (index: number, to: string, typeOnly: boolean, lazy: boolean): void => {
    const own = to.startsWith(".");
    const line = text.slice(0, index).split("\n").length;
    found.push({ from: file, line, to: own ? normalize(join(dirname(file), to)) : to, own, typeOnly, lazy });
  };
  for (const match of text.matchAll(statement)) add(match.index, match[2] ?? "", match[1] !== undefined, false);
  for (const match of text.matchAll(call)) add(match.index, match[1] ?? "", false, true);
  return found;
}
