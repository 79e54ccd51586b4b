/** Looks at a workspace afresh each time: what a process that ends after one event does. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../../engine/event.ts";
import { pathOf, textOfNames } from "../../files/names.ts";
import type { Git, Repository } from "../processes/git.ts";
import { innerRepositories, levelsAtMost } from "./inner-repositories.ts";
import { type ChangeFinder, type Look, type Marks, pause, type RepositoryNow, signatureOf } from "./look.ts";
import { headOf } from "./place.ts";
import { readRepository } from "./repository-now.ts";

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
        return { unknown: error instanceof Error ? error.message : String(error) };
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
      if (++looked % slice === 0) await pause();
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
