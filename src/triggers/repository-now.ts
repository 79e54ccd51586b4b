/** How a repository is now, by one `git status`, and which files differ between two of its commits. */
import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Git, GitAnswer, GitOptions, Repository } from "../processes/git.ts";
import { filesAtMost, type Moved, type RepositoryNow, signaturesOf } from "./look.ts";

/** Names are literal, records end in NUL, and nothing else is opened: submodules are asked one by one. */
const statusWords: readonly string[] = [
  "--literal-pathspecs",
  "status",
  ..."--porcelain=v2 --branch --no-ahead-behind -z --untracked-files=all --no-renames --ignore-submodules=all".split(
    " ",
  ),
];

export interface Status {
  head?: string;
  /** Relative to the top of the work tree. */
  names: string[];
}

/** @throws Error with git's reason */
export async function statusOf(
  repository: Repository,
  paths: readonly string[],
  options?: GitOptions,
): Promise<Status> {
  const words = paths.length === 0 ? statusWords : [...statusWords, "--", ...paths];
  return readStatus(textOf(await repository.ask(words, options)));
}

export function textOf(answer: GitAnswer): string {
  if (!answer.ok) throw new Error(answer.reason);
  return answer.stdout.toString("utf8");
}

/** Blanks before the name, by the letter that a record begins with. */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function readStatus(text: string): Status {
  const names = new Set<string>();
  let head: string | undefined;
  for (const record of text.split("\0")) {
    const [kind = ""] = record;
    if (record.startsWith("# branch.oid ")) head = /[0-9a-f]{40,}$/.exec(record)?.[0];
    const name = nameIn(record, fieldsBefore[kind] ?? 0);
    const isFile = name !== "" && !name.endsWith("/"); // a repository that is no submodule is one untracked folder
    const isSubmodule = kind !== "?" && record.split(" ", 3)[2]?.startsWith("S");
    if (isFile && !isSubmodule) names.add(name);
  }
  return { names: [...names], ...(head === undefined ? {} : { head }) };
}

function nameIn(record: string, blanks: number): string {
  let at = -1;
  for (let blank = 0; blank < blanks; blank++) {
    at = record.indexOf(" ", at + 1);
    if (at < 0) return "";
  }
  return blanks === 0 ? "" : record.slice(at + 1);
}

/** Also gives how many files were left out. @throws Error with git's reason */
export async function readRepository(
  repository: Repository,
  prefix: string,
  options?: GitOptions,
): Promise<{ now: RepositoryNow; leftOut: number }> {
  const { head, names } = await statusOf(repository, [], options);
  const looked = names.length > filesAtMost ? names.sort().slice(0, filesAtMost) : names;
  const dirty = await signaturesOf(repository.top, looked);
  return {
    leftOut: names.length - looked.length,
    now: {
      prefix,
      ...(head === undefined ? {} : { head }),
      dirty: prefixed(dirty, prefix),
      movedSince: createMoved(repository, prefix)(head, options),
    },
  };
}

export const prefixed = <T>(names: ReadonlyMap<string, T>, prefix: string): ReadonlyMap<string, T> =>
  prefix === "" ? names : new Map([...names].map(([name, value]) => [`${prefix}${name}`, value]));

const nothingMoved: Moved = new Map();
/** Differences between commits never change, so a few are remembered. */
const remembered = 8;

export type MovedTo = (head: string | undefined, options?: GitOptions) => RepositoryNow["movedSince"];

export function createMoved(repository: Repository, prefix: string): MovedTo {
  const known = new Map<string, Moved>();
  return (head, options) => async (commit) => {
    if (head === undefined || commit === head) return nothingMoved;
    const key = `${commit}..${head}`;
    const found = known.get(key) ?? prefixed(await readMoved(repository, commit, head, options), prefix);
    if (known.size >= remembered) known.clear();
    known.set(key, found);
    return found;
  };
}

async function readMoved(
  { ask }: Repository,
  commit: string | undefined,
  head: string,
  options: GitOptions | undefined,
): Promise<Moved> {
  if (commit === undefined) return allOf(textOf(await ask(["ls-tree", "-r", "-z", "--full-tree", head], options)));
  const flags = "-r -z --name-status --no-renames --no-ext-diff --no-textconv --ignore-submodules=all".split(" ");
  const words = textOf(await ask(["diff-tree", ...flags, commit, head, "--"], options)).split("\0");
  const moved = new Map<string, { removed: boolean }>();
  for (let at = 0; at + 1 < words.length; at += 2) moved.set(words[at + 1] ?? "", { removed: words[at] === "D" });
  return moved;
}

/** Every file of a commit, without submodules. */
const allOf = (text: string): Moved =>
  new Map(
    text.split("\0").flatMap((record) => {
      const tab = record.indexOf("\t");
      const isFile = tab > 0 && record.split(" ", 2)[1] === "blob";
      return isFile ? [[record.slice(tab + 1), { removed: false }] as const] : [];
    }),
  );

const submodulesAtMost = 64;

/** The submodules of a repository that are checked out where it says, each opened for itself. */
export async function submodulesOf(
  git: Pick<Git, "repositoryAt">,
  repository: Repository,
  options?: GitOptions,
): Promise<{ folder: string; repository: Repository }[]> {
  if (!isPlainFile(join(repository.top, ".gitmodules"))) return [];
  const words = ["config", "--no-includes", "-z", "-f", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$"];
  const answer = await repository.ask(words, options);
  if (!answer.ok) return [];
  const entries = answer.stdout.toString("utf8").split("\0");
  const folders = new Set(entries.map((entry) => entry.slice(entry.indexOf("\n") + 1)).filter(isInside));
  const found = [];
  for (const folder of [...folders].slice(0, submodulesAtMost)) {
    const top = join(repository.top, folder);
    const opened = isOwnFolder(repository.top, folder) ? await git.repositoryAt(top, options) : undefined;
    if (opened && !("none" in opened)) found.push({ folder, repository: opened });
  }
  return found;
}

const isInside = (folder: string): boolean =>
  folder !== "" && folder.split("/").every((part) => part !== "" && part !== "." && part !== "..");

function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** It is checked out, and no link leads out of the work tree. */
function isOwnFolder(top: string, folder: string): boolean {
  try {
    const real = join(realpathSync(top), folder);
    return (
      realpathSync(join(top, folder)) === real && lstatSync(join(real, ".git"), { throwIfNoEntry: false }) !== undefined
    );
  } catch {
    return false; // it is not there
  }
}
