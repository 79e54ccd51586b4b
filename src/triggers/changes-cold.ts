/** Looks at a workspace afresh each time: what a process that ends after one event does. */
import type { Git, Repository } from "../processes/git.ts";
import { readFolder } from "./folder-now.ts";
import type { ChangeFinder, Look, Marks, Place, RepositoryNow } from "./look.ts";
import { readRepository, submodulesOf } from "./repository-now.ts";

/** Submodules inside submodules. */
const deepest = 3;

interface Opened {
  prefix: string;
  repository: Repository;
}

/** @param complain told why a repository is treated as a plain folder */
export function createColdChanges(git: Git, complain: (reason: string) => void = () => {}): ChangeFinder {
  return {
    async marks(place) {
      const marks: Marks = {};
      try {
        const inside: NonNullable<Marks["inside"]> = {};
        for (const { prefix, repository } of await openAll(git, place)) {
          const head = repository.head === undefined ? {} : { begun: repository.head, head: repository.head };
          if (prefix === "") Object.assign(marks, repository.head === undefined ? {} : { begun: repository.head });
          else inside[prefix] = head;
        }
        return Object.keys(inside).length > 0 ? { ...marks, inside } : marks;
      } catch {
        return marks; // the look will meet the same and say so
      }
    },
    async look(place, begun) {
      try {
        const opened = await openAll(git, place, complain);
        return opened.length === 0 ? await readFolder(place.folder, begun) : await readAll(place, opened);
      } catch (error) {
        return { unknown: error instanceof Error ? error.message : String(error) };
      }
    },
    async close() {},
  };
}

async function readAll({ folder }: Place, opened: readonly Opened[]): Promise<Look> {
  const repositories: RepositoryNow[] = [];
  let leftOut = 0;
  for (const { prefix, repository } of opened) {
    const found = await readRepository(repository, prefix);
    repositories.push(found.now);
    leftOut += found.leftOut;
  }
  return { base: folder, repositories, leftOut };
}

/** The workspace's repository and those inside it, outer first; none if it is a plain folder for us. */
async function openAll(git: Git, place: Place, complain?: (reason: string) => void): Promise<Opened[]> {
  if (!place.isRepository) return [];
  const repository = await git.repositoryAt(place.folder);
  if (!("none" in repository)) return withInner(git, { prefix: "", repository }, deepest);
  complain?.(`${place.folder} is looked at without git: ${repository.none}`);
  return [];
}

async function withInner(git: Git, outer: Opened, levels: number): Promise<Opened[]> {
  const all = [outer];
  if (levels === 0) return all;
  for (const { folder, repository } of await submodulesOf(git, outer.repository))
    all.push(...(await withInner(git, { prefix: `${outer.prefix}${folder}/`, repository }, levels - 1)));
  return all;
}
