/** Repositories inside a repository's work tree, each opened for itself: links in its index, and folders that git leaves to another repository. */
import { realpathSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPlainText, pathOf, readableName, textOfNames } from "../../files/names.ts";
import type { Git, GitOptions, Repository } from "../processes/git.ts";
import { exists, placesOf } from "./place.ts";
import { liesIn, textOf } from "./repository-now.ts";

export interface InnerRepository {
  /** Relative to the top of the outer one. */
  folder: string;
  repository: Repository;
}
export interface InnerOptions extends GitOptions {
  git: Pick<Git, "repositoryAt">;
  /** Folders that `git status` names as another repository's. */
  apart?: Iterable<string>;
  /** Told which are not looked at, and why. */
  complain?(reason: string): void;
}

/** Repositories inside repositories. */
export const levelsAtMost = 3;
const innerAtMost = 64;

/** Those that are checked out where the outer one says, but for further work trees of its own. @throws Error with git's reason */
export async function innerRepositories(
  outer: Repository,
  { git, apart = [], complain, ...options }: InnerOptions,
): Promise<InnerRepository[]> {
  const linked = (await entriesOf(outer, [], options)).filter(({ isLink }) => isLink).map(({ name }) => name);
  const folders = [...new Set([...linked, ...apart])].filter((folder) => isOwnFolder(outer.top, folder)).sort();
  const found: InnerRepository[] = [];
  for (const folder of folders.slice(0, innerAtMost)) {
    const top = join(outer.top, folder);
    const repository = isPlainText(folder)
      ? await git.repositoryAt(top, options)
      : { none: "programs cannot be started in a folder whose name is no UTF-8" };
    if ("none" in repository) complain?.(`${readableName(top)} is not looked at: ${repository.none}`);
    else if (repository.commonFolder !== outer.commonFolder) found.push({ folder, repository });
  }
  const more = folders.length - innerAtMost;
  if (more > 0)
    complain?.(`${more} repositories inside ${outer.top} are not looked at: there are more than ${innerAtMost}`);
  return found;
}

/** Which of these folders git leaves to another repository: those that hold one, and no file that the outer one tracks. */
export async function foldersApart(outer: Repository, folders: readonly string[]): Promise<Set<string>> {
  const apart = folders.filter((folder) => isPlainText(folder) && isRepository(join(outer.top, folder)));
  const entries = apart.length === 0 ? [] : await entriesOf(outer, apart);
  const tracked = entries.filter(({ isLink }) => !isLink).map(({ name }) => name);
  return new Set(apart.filter((folder) => !tracked.some((name) => liesIn(name, new Set([folder])))));
}

interface Entry {
  name: string;
  isLink: boolean;
}

/** In the index, at or below these folders; without any, links alone. */
async function entriesOf(outer: Repository, folders: readonly string[], options?: GitOptions): Promise<Entry[]> {
  if (folders.length === 0 && !(await mayHoldLinks(outer.gitFolder))) return [];
  const words = ["--literal-pathspecs", "ls-files", "-s", "-z", "--", ...folders];
  const records = textOf(await outer.ask(words, options)).split("\0");
  return records.flatMap((record) =>
    record === "" ? [] : [{ name: record.slice(record.indexOf("\t") + 1), isLink: record.startsWith("160000 ") }],
  );
}

const linkMode = Buffer.of(0, 0, 0xe0, 0);

/** In every version of the index a mode stands as it is, and to ask git for all entries takes a fifth of a `git status`. */
async function mayHoldLinks(gitFolder: string): Promise<boolean> {
  try {
    const names = await readdir(gitFolder);
    if (names.some((name) => name.startsWith("sharedindex."))) return true; // the index is in two parts
    return names.includes("index") && (await readFile(join(gitFolder, "index"))).includes(linkMode);
  } catch {
    return true; // git says what is wrong
  }
}

/** It holds a repository, and no link leads out of the work tree. */
function isOwnFolder(top: string, folder: string): boolean {
  try {
    const real = join(realpathSync(top), folder);
    return textOfNames(realpathSync(pathOf(join(top, folder)), "buffer")) === real && exists(join(real, ".git"));
  } catch {
    return false; // it is not there
  }
}

/** As git sees it: a `.git` that is none makes no folder another's. */
function isRepository(folder: string): boolean {
  const places = placesOf(folder);
  if (!places) return false;
  const { gitFolder, commonFolder } = places;
  return [join(gitFolder, "HEAD"), join(commonFolder, "objects"), join(commonFolder, "refs")].every(exists);
}
