/**
 * Whether git would wait without end, or read without end: it opens pipes and devices as it opens files. Looked at before each
 * question, because a repository may hold such files before anybody has trusted anything. Objects and ignore files deep in a
 * work tree are not looked at: for these git has its time limit.
 */
import { statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { textAt } from "./regular-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** In each folder on the way up: git takes what holds a HEAD for a repository. */
const inWorkTree: readonly string[] = [".git", ".gitmodules", ".gitignore", ".gitattributes", "HEAD"];

/** In the folder of a repository, and in the one that its work trees share. */
const inRepository: readonly string[] = [
  ...["HEAD", "config", "config.worktree", "commondir", "gitdir", "index", "packed-refs", "shallow"],
  ...["info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "objects/info/alternates"],
];

const mostConfigurations = 50;
/** Of one configuration; git's own are a few kilobytes. */
const largestInBytes = 1024 * 1024;

/** The sentence, or undefined: it would not. @param environment with which git is started */
export function waitsForGit(folder: string, environment: Environment): string | undefined {
  for (const path of readAtOnce(folder, environment))
    if (isIrregular(path)) return `git would wait for ${path}, which is no regular file: remove it`;
  return undefined;
}

/** Each before what it leads to, so that nothing is read here that would not end. */
function* readAtOnce(folder: string, environment: Environment): Generator<string> {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE } = environment;
  if (GIT_INDEX_FILE) yield resolve(folder, GIT_INDEX_FILE);
  if (GIT_WORK_TREE) yield* below(resolve(folder, GIT_WORK_TREE), inWorkTree);
  yield* ofUser(folder, environment);
  if (GIT_DIR) yield* ofRepository(resolve(folder, GIT_DIR), folder, environment);
  for (let at = resolve(folder); ; at = dirname(at)) {
    yield* below(at, inWorkTree);
    const repository = repositoryIn(at);
    if (repository !== undefined) yield* ofRepository(repository, at, environment);
    if (dirname(at) === at) return;
  }
}

const below = (folder: string, names: readonly string[]): string[] => names.map((name) => join(folder, name));

/** Of a linked work tree and of a submodule, `.git` is a file that says where the repository lies. */
function repositoryIn(folder: string): string | undefined {
  const path = join(folder, ".git");
  if (kindOf(path) === "folder") return path;
  const [, named] = /^gitdir: (.+)/.exec(textAt(path, largestInBytes) ?? "") ?? [];
  return named === undefined ? undefined : resolve(folder, named);
}

function* ofRepository(own: string, folder: string, environment: Environment): Generator<string> {
  yield* below(own, inRepository);
  const named = textAt(join(own, "commondir"), largestInBytes)?.trim() || environment.GIT_COMMON_DIR;
  const shared = named ? resolve(own, named) : own;
  if (shared !== own) yield* below(shared, inRepository);
  const [, ref] = /^ref: (\S+)/.exec(textAt(join(own, "HEAD"), largestInBytes) ?? "") ?? [];
  if (ref !== undefined) yield* [join(own, ref), join(shared, ref)];
  const configurations = [join(shared, "config"), join(own, "config.worktree"), join(shared, "config.worktree")];
  yield* ofConfigurations(configurations, folder, environment);
}

function* ofUser(folder: string, environment: Environment): Generator<string> {
  const { HOME = "", XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = environment;
  const own = XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  if (own) yield* below(join(own, "git"), ["config", "ignore", "attributes"]);
  const configurations = [
    ...(HOME ? [join(HOME, ".gitconfig")] : []),
    ...(own ? [join(own, "git", "config")] : []),
    ...[GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM].flatMap((path) => (path ? [resolve(folder, path)] : [])),
  ];
  for (const path of configurations) if (path !== "/dev/null") yield path;
  yield* ofConfigurations(configurations, folder, environment);
}

/** The files that they name, and those that these name. Conditions of includes are not looked at: each may hold. */
function* ofConfigurations(files: readonly string[], folder: string, { HOME = "" }: Environment): Generator<string> {
  const waiting = [...files];
  const seen = new Set<string>();
  for (let file = waiting.shift(); file !== undefined && seen.size < mostConfigurations; file = waiting.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, key = "", written = ""] of (textAt(file, largestInBytes) ?? "").matchAll(naming)) {
      const value = written
        .replace(/\s+[#;].*$/, "")
        .replaceAll('"', "")
        .trim();
      const path = value.replace(/^~\//, `${HOME}/`);
      if (path === "" || path === "/dev/null") continue;
      const places = isAbsolute(path) ? [path] : [resolve(dirname(file), path), resolve(folder, path)];
      yield* places;
      if (key.toLowerCase() === "path") waiting.push(...places);
    }
  }
}
const naming = /^[ \t]*(?:\[[^\]\n]*\][ \t]*)?(path|excludesfile|attributesfile|worktree)[ \t]*=[ \t]*(.*)$/gim;

const isIrregular = (path: string): boolean => kindOf(path) === "other";

function kindOf(path: string): "file" | "folder" | "other" | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch {
    return undefined; // git does not get there either
  }
}
