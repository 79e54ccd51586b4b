/** Looks at a workspace afresh each time: what a process that ends after one event does. */

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { isPlainText, pathOf, readableName, textOfNames } from "../../files/names.ts";
import { readFileHead } from "../../files/regular-file.ts";
import type { Git, GitOptions, Repository } from "../processes/git.ts";
import { nextTurn } from "../system.ts";
import {
  type ChangeFinder,
  type Look,
  liesIn,
  type Marks,
  type RepositoryNow,
  readRepository,
  signatureOf,
  textOf,
} from "./look.ts";
import { exists, headOf, placesOf } from "./tracking.ts";

interface Opened {
  prefix: string;
  repository: Repository;
}

/** @param complain called with why a repository is treated as a plain folder, or is left out */
export function createColdChanges(git: Git, complain: (reason: string) => void = () => {}): ChangeFinder {
  /** The repository and those inside it, outer first. */
  async function readAll(outer: Opened, levels = levelsAtMost): Promise<RepositoryNow[]> {
    const { now, apart } = await readRepository(outer.repository, outer.prefix);
    const all = [now];
    for (const inner of levels > 0 ? await insideOf(outer, { apart, complain }) : [])
      all.push(...(await readAll(inner, levels - 1)));
    return all;
  }

  async function insideOf(
    { prefix, repository }: Opened,
    options: { apart?: string[]; complain?: typeof complain },
  ): Promise<Opened[]> {
    const found = await innerRepositories(repository, { git, ...options });
    return found.map((inner) => ({ prefix: `${prefix}${inner.folder}/`, repository: inner.repository }));
  }

  /** Of those inside only what is linked: to find the others is to look. */
  async function marksIn(outer: Opened, inside: NonNullable<Marks["inside"]>, levels = levelsAtMost): Promise<void> {
    for (const inner of levels > 0 ? await insideOf(outer, {}) : []) {
      const { head } = inner.repository;
      inside[inner.prefix] = head === undefined ? {} : { begun: head, head };
      await marksIn(inner, inside, levels - 1);
    }
  }

  return {
    async marks({ folder, isRepository }) {
      const marks: Marks = {};
      try {
        if (!isRepository) return marks;
        const repository = await git.repositoryAt(folder);
        const begun = "none" in repository ? headOf(folder) : repository.head;
        if (begun !== undefined) marks.begun = begun;
        if ("none" in repository) return marks;
        const inside: NonNullable<Marks["inside"]> = {};
        await marksIn({ prefix: "", repository }, inside);
        return Object.keys(inside).length > 0 ? { ...marks, inside } : marks;
      } catch {
        return marks; // the look will meet the same and say so
      }
    },
    async look({ folder, isRepository }, begun) {
      try {
        if (!isRepository) return await readFolder(folder, begun);
        const repository = await git.repositoryAt(folder);
        if (!("none" in repository))
          return { base: folder, repositories: await readAll({ prefix: "", repository }), leftOut: 0 };
        complain(`${folder} is looked at without git: ${repository.none}`);
        return { ...(await readFolder(folder, begun)), withoutGit: true };
      } catch (error) {
        return { unknown: messageOf(error) };
      }
    },
    async close() {},
  };
}

/** What tools put there, whatever the project is. */
const passedOver: ReadonlySet<string> = new Set(
  ".git .hg .svn .jj node_modules .venv venv __pycache__ .tox .mypy_cache .pytest_cache".split(" "),
);
/** Entries that are looked at; the walk goes from the top down, so what is left out lies deepest. */
const entriesAtMost = 50_000;
const slice = 200;
/** The clock that stamps files may lag behind ours by a tick. */
const tickInMilliseconds = 20;

/**
 * A folder without a repository: the files that are newer than a session, found by walking it in slices. Removed files are not
 * seen: nothing says that they were there.
 */
async function readFolder(base: string, begun: Instant): Promise<Look> {
  const since = begun - tickInMilliseconds;
  const dirty = new Map<string, string>();
  const waiting = [""];
  let looked = 0;
  let leftOut = 0;
  for (const folder of waiting) {
    for (const entry of entriesOf(join(base, folder))) {
      if (++looked % slice === 0) await nextTurn();
      const name = textOfNames(entry.name);
      if (looked > entriesAtMost) leftOut += 1;
      else if (entry.isDirectory()) {
        if (!passedOver.has(name)) waiting.push(`${folder}${name}/`);
      } else if (isNewer(join(base, folder, name), since))
        dirty.set(`${folder}${name}`, signatureOf(join(base, folder, name)));
    }
  }
  const repositories = [{ prefix: "", dirty, movedSince: async () => new Map(), newestBefore: async () => undefined }];
  return { base, repositories, leftOut };
}

function entriesOf(folder: string): ReturnType<typeof readFolderEntries> {
  try {
    return readFolderEntries(folder);
  } catch {
    return []; // it went away meanwhile, or it may not be read
  }
}
const readFolderEntries = (folder: string) => readdirSync(pathOf(folder), { withFileTypes: true, encoding: "buffer" });

function isNewer(path: string, since: Instant): boolean {
  const found = lstatSync(pathOf(path), { throwIfNoEntry: false });
  return found !== undefined && Math.max(found.mtimeMs, found.ctimeMs) >= since;
}

/** Repositories inside a repository's work tree, each opened for itself: links in its index, and folders that git leaves to another repository. */
interface InnerRepository {
  /** Relative to the top of the outer one. */
  folder: string;
  repository: Repository;
}
interface InnerOptions extends GitOptions {
  git: Pick<Git, "repositoryAt">;
  /** Folders that `git status` names as another repository's. */
  apart?: Iterable<string>;
  /** Called with which are not looked at, and why. */
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
  const linked = (await indexEntries(outer, [], options)).filter(({ isLink }) => isLink).map(({ name }) => name);
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
  const entries = apart.length === 0 ? [] : await indexEntries(outer, apart);
  const tracked = entries.filter(({ isLink }) => !isLink).map(({ name }) => name);
  return new Set(apart.filter((folder) => !tracked.some((name) => liesIn(name, new Set([folder])))));
}

interface Entry {
  name: string;
  isLink: boolean;
}

/** In the index, at or below these folders; without any, links alone. */
async function indexEntries(outer: Repository, folders: readonly string[], options?: GitOptions): Promise<Entry[]> {
  if (folders.length === 0 && !(await mayHoldLinks(outer.gitFolder))) return [];
  const words = ["--literal-pathspecs", "ls-files", "-s", "-z", "--", ...folders];
  const records = textOf(await outer.ask(words, options)).split("\0");
  return records.flatMap((record) =>
    record === "" ? [] : [{ name: record.slice(record.indexOf("\t") + 1), isLink: record.startsWith("160000 ") }],
  );
}

/** Of half a million files. */
const largestIndexInBytes = 64 * 1024 * 1024;
const linkMode = Buffer.of(0, 0, 0xe0, 0);

/** In every version of the index a mode stands as it is, and to ask git for all entries takes a fifth of a `git status`. */
async function mayHoldLinks(gitFolder: string): Promise<boolean> {
  try {
    const names = await readdir(gitFolder);
    if (names.some((name) => name.startsWith("sharedindex."))) return true; // the index is in two parts
    if (!names.includes("index")) return false;
    const head = await readFileHead(join(gitFolder, "index"), largestIndexInBytes);
    return "refused" in head || !head.isWhole || head.bytes.includes(linkMode);
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
