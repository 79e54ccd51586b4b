/** The files that a program was read from when it started, and whether they are still the same. Apart because a line for a shell hides them. */
import { statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Command } from "../../engine/program.ts";

export interface ProgramFiles {
  /** The first file that is another one now, or gone; undefined: none. Asked often it looks seldom. */
  changed(): string | undefined;
}

type Start = Omit<Command, "input">;

/** As a person who edits and tries again notices no delay. */
const looksEvery = 50;

/** To be called before the program starts, so that nothing that is written meanwhile is missed. Never throws. */
export function filesOf(command: Start): ProgramFiles {
  const files = [...new Set(pathsOf(command))].map((path) => ({ path, was: stateOf(path) }));
  let lookedAt = performance.now();
  return {
    changed() {
      const now = performance.now();
      if (now - lookedAt < looksEvery) return undefined;
      lookedAt = now;
      return files.find(({ path, was }) => stateOf(path) !== was)?.path;
    },
  };
}

/** The program itself, and what of its words is a file; of a line for a shell, what of the line's words is one. */
function pathsOf({ program, args, cwd, environment }: Start): string[] {
  const home = environment.HOME;
  const inFolder = (word: string, folder = cwd): string =>
    resolve(folder, home === undefined ? word : word.replace(/^~(?=\/|$)/, home));
  const lines = args.map((one) => wordsOf(one, environment));
  const named = [...new Set([...args, ...lines.flat()])].filter(isPath);
  const folders = foldersOf(named, cwd, inFolder);
  const inFolders = (word: string): string[] => folders.map((folder) => inFolder(word, folder)).filter(isFile);
  const find = (word: string): string[] =>
    word.includes("/") ? inFolders(word) : onPath(word, environment.PATH).slice(0, 1);
  return [
    ...(program.includes("/") ? [inFolder(program)] : find(program)), // where it is missing, it may come
    ...lines.flatMap((words) => words.slice(0, programsWithin).filter(isPath).flatMap(find)),
    ...named.flatMap(inFolders),
  ];
}

/** Where a line may go before it names a file: its own folder, and each that it names, as seen from any of them. */
function foldersOf(
  words: readonly string[],
  cwd: string,
  inFolder: (word: string, folder: string) => string,
): readonly string[] {
  const folders = new Set([cwd]);
  for (const folder of folders) // those that are found come up, too
    for (const word of words) {
      const path = inFolder(word, folder);
      if (folders.size < foldersAtMost && !folders.has(path) && isFolder(path)) folders.add(path);
    }
  return [...folders];
}

const foldersAtMost = 8;
const longestPath = 4096;
const isPath = (word: string): boolean => word.length <= longestPath && !word.includes("\0");
/** The first words of a line are looked for as a shell looks for programs: behind `exec`, `env`, or a variable that is set. */
const programsWithin = 4;
/** Who passes a whole program as a word has no files in it that could be told. */
const longestLine = 16_384;

/**
 * Roughly as a shell takes a line apart: quotes off, variables filled in, and without the files that it writes to. Where it
 * asks for its folder stands `.`, as that may be one that it has gone to. A word too many costs one look in each folder.
 */
function wordsOf(line: string, environment: Start["environment"]): string[] {
  if (line.length > longestLine) return [];
  const read = line
    .replace(/>[>|&]?\s*(?:"[^"]*"|'[^']*'|[^\s;&|]+)/g, " ")
    .replace(/\$\(\s*pwd\s*\)|`\s*pwd\s*`|\$PWD\b|\$\{PWD\}/g, ".");
  return read
    .split(/[\s;&|<>()`]+/)
    .concat(...Array.from(read.matchAll(/"([^"]*)"|'([^']*)'/g), ([, double, single]) => double ?? single ?? ""))
    .map((word) => word.replace(/["']/g, ""))
    .map((word) =>
      word.replace(/\$(?:\{(\w+)\}|(\w+))/g, (written, braced, plain) => environment[braced ?? plain] ?? written),
    )
    .filter((word) => word !== "");
}

const onPath = (name: string, path = ""): string[] =>
  path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .filter(isFile);

const isFile = (path: string): boolean => statOf(path)?.isFile() ?? false;
const isFolder = (path: string): boolean => statOf(path)?.isDirectory() ?? false;

/** Undefined: it is not there, or not ours to see. */
function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way is closed to us, or is no folder
  }
}

/** The time of its last change, too: an editor may set back the other one. */
function stateOf(path: string): string {
  const found = statOf(path);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : "";
}
