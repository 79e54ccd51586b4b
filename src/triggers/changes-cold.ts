/** Looks at a workspace afresh each time: what a process that ends after one event does. */
import type { Git, Repository } from "../processes/git.ts";
import { readFolder } from "./folder-now.ts";
import { headOf } from "./head-files.ts";
import { innerRepositories, levelsAtMost } from "./inner-repositories.ts";
import type { ChangeFinder, Marks, RepositoryNow } from "./look.ts";
import { readRepository } from "./repository-now.ts";

interface Opened {
  prefix: string;
  repository: Repository;
}

/** @param complain told why a repository is treated as a plain folder, or is left out */
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
