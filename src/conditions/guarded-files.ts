/** Which paths a guard of files means: its patterns, its folders, and what may lie in a folder that holds hooks. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { compileFilePattern, type FilePattern } from "../engine/file-pattern.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import type { Patterns } from "../engine/ports.ts";
import { isInside } from "../files/paths.ts";
import { namesOf } from "./could-mean.ts";

export interface Guarded {
  files: readonly string[];
  /** Of agents: whoever replaces, removes or fills such a folder changes the hooks in it. */
  folders?: readonly string[];
  /** In these folders, a folder that holds hooks is meant with all that is in it. */
  mods?: readonly string[];
}

export interface GuardedFiles {
  home: string;
  /** Paths as a line in this folder has them. */
  isAny(paths: readonly string[], cwd: string): boolean;
  /** The folder itself, and not what lies in it. */
  isFolder(path: string): boolean;
  /** The same of a path as a line has it, where an agent that works here reads it. */
  isFolderInForce(path: string, cwd: string): boolean;
  /** The name of such a file, or what may be one of a folder. */
  isName(written: string): boolean;
  /** Whether a member of an archive with these names may be one. */
  isMember(names: readonly string[]): boolean;
  /** Those that lie below a project, wherever that is. */
  inProjects: readonly string[];
  /** The same without what they begin with, for git. */
  inProject: readonly string[];
}

export function guardedFiles({ files, folders = [], mods = [] }: Guarded, patterns: Patterns): GuardedFiles {
  const fits = fittingOne(files, patterns);
  const isFolder = folderTest(folders, patterns);
  const home = homedir();
  const lastNames = new Set(files.flatMap((file) => namesOf(file).at(-1)?.part ?? []));
  const ofMembers = new Set([...lastNames, ...folders.map((folder) => baseName(folder.toLowerCase()))]);
  const placesIn = (path: string, cwd: string): string[] => placesOf(path, { home, cwd, like: patterns.like });
  return {
    home,
    isAny: (paths, cwd) =>
      paths
        .flatMap((path) => placesIn(path, cwd))
        .some((path) => fits(path, { cwd, home }) || isInMod(resolve(cwd, path), mods)),
    isFolder,
    isFolderInForce: (path, cwd) =>
      placesIn(path, cwd)
        .map((place) => resolve(cwd, place))
        .some((place) => isFolder(place) && isInForce(place, { cwd, home })),
    isName(written) {
      const plain = written.toLowerCase();
      const word = plain.replaceAll(/[*?/]/g, "");
      return (
        lastNames.has(plain) || (word.length >= shortest && folders.some((one) => one.toLowerCase().includes(word)))
      );
    },
    isMember: (names) => names.some((name) => ofMembers.has(name.toLowerCase()) || hookParts.test(name)),
    inProjects: files.flatMap((file) => (/^\/\/\*\*\/[^*]+$/.test(file) ? file.slice("//**/".length) : [])),
    inProject: [...new Set(files.flatMap((file) => belowProject.exec(file)?.[1] ?? []))],
  };
}
const shortest = 4;
const belowProject = /^(?:\/\/\*\*\/)?(?!\.git\/)([^/*~][^*]*?)(?:\/\*\*)?$/;

/** A copy elsewhere is read by no agent that works here. */
const isInForce = (path: string, { cwd, home }: { cwd: string; home: string }): boolean =>
  isInside(cwd, path) || isInside(dirname(path), cwd) || isInside(home, path);

/** What makes a folder of such a place one that holds hooks, by the path that is written or by what lies there. */
const hookParts = /^(?:hooks|modules|\.claude-plugin)(?:\/|$)/;

function isInMod(path: string, mods: readonly string[]): boolean {
  const folder = mods.find((one) => isInside(one, path));
  if (folder === undefined) return false;
  const [name = "", ...below] = path.slice(folder.length).split("/").filter(Boolean);
  const rest = below.join("/");
  if (name.includes(unknownText) || rest.includes(unknownText) || hookParts.test(rest)) return true;
  return rest !== "" && existsSync(join(folder, name, "hooks"));
}

const anywhereSign = "//**/";

/**
 * As a pattern of files says, but for what begins with `//**` and a slash: the folders above it may be called by a dot, as those of
 * worktrees are.
 */
function compileOne(file: string, patterns: Patterns): FilePattern {
  const isAnywhere = file.startsWith(anywhereSign);
  const [, folder] = /^\/\/(?:\*\*\/)?([^*?[\]{}!]+)\/\*\*$/.exec(file) ?? [];
  if (!isAnywhere && folder === undefined) return compileFilePattern(file, patterns);
  // All that lies in a folder, whatever it is called.
  const fits: FilePattern =
    folder === undefined
      ? compileFilePattern(`//${file.slice(anywhereSign.length)}`, { glob: patterns.glob })
      : (path) => isInside(`/${folder}`, path);
  const endFits = (path: string, at: Parameters<FilePattern>[1]): boolean => {
    for (let start = 0; start >= 0; start = path.indexOf("/", start + 1)) if (fits(path.slice(start), at)) return true;
    return false;
  };
  return (path, at) => {
    const named = resolve(at.cwd, path);
    return endFits(named, at) || (patterns.real !== undefined && endFits(patterns.real(named), at));
  };
}

/** A pattern is compiled when a path first holds all of its names: of some hundred most never are. */
function fittingOne(
  files: readonly string[],
  patterns: Patterns,
): (path: string, at: { cwd: string; home: string }) => boolean {
  const all = files.map((file) => ({ file, names: namesOf(file) }));
  const compiled = new Map<string, FilePattern>();
  // What is wrong with one is said when its file is read.
  if (patterns.wereChecked !== true) for (const file of files) compiled.set(file, compileOne(file, patterns));
  return (path, at) => {
    const named = resolve(at.cwd, path);
    const places = `${named}/\n${patterns.real?.(named) ?? ""}/`.toLowerCase();
    return all.some(({ file, names }) => {
      if (!names.every(({ part }) => places.includes(part))) return false;
      const known = compiled.get(file) ?? compileOne(file, patterns);
      compiled.set(file, known);
      return known(path, at);
    });
  };
}

/** The folder itself, and not what lies in it. */
function folderTest(folders: readonly string[], { real }: Patterns): (path: string) => boolean {
  const named = new Set(folders.map((folder) => folder.replace(/^\/(?:\/\*\*)?/, "").toLowerCase()));
  const isOne = (path: string): boolean => {
    const parts = path.toLowerCase().split("/");
    return named.has(parts.join("/")) || [1, 2].some((count) => named.has(`/${parts.slice(-count).join("/")}`));
  };
  return (path) => isOne(path) || (real !== undefined && isOne(real(path)));
}

/** Paths as the line has them; of a variable that is not known, as if it were the home or the folder. */
function placesOf(path: string, { home, cwd, like }: At): string[] {
  if (path.startsWith("~/")) return [`${home}${path.slice(1)}`];
  if (path.startsWith(unknownText)) return [home, cwd].map((folder) => `${folder}${path.slice(unknownText.length)}`);
  const named = resolve(cwd, path);
  const open = named.indexOf(`/${unknownText}`);
  // Of `rm "$f"` nothing is known; `.claude/$f` is a file in that folder.
  const isTold = open < 0 || !isInside(named.slice(0, open), cwd);
  return [path, ...((isTold && like?.(named.replaceAll(wholeUnknown, "/*"))) || [])];
}
const wholeUnknown = new RegExp(`/${unknownText}+(?=/|$)`, "g");

interface At {
  home: string;
  cwd: string;
  like: Patterns["like"] | undefined;
}
