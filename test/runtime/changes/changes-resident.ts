/** Who watches a repository keeps what everyone promises who looks for changed files. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ChangeFinder, Place } from "../../../src/runtime/changes/look.ts";
import { createWatchedChanges, type WatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { testChanges, type Wanted } from "../triggers/changes-contract.ts";
import { environment, type Repository } from "../triggers/repository.ts";

const complaints: string[] = [];

export function testResident(wanted: Pick<Wanted, "only" | "except">): void {
  testChanges("resident", (git) => createWatchedChanges(git, (reason) => complaints.push(reason)), {
    ...wanted,
    async check(finder, folder) {
      assert.ok("watched" in finder && typeof finder.watched === "function");
      assert.notEqual(await finder.watched(folder), 0, "it is watched");
      assert.deepEqual(complaints, []);
    },
  });
}

export const aPlace = (repository: Repository): Place => ({ folder: repository.folder, isRepository: true });

export async function dirtyIn(finder: ChangeFinder, repository: Repository): Promise<string[]> {
  const look = await finder.look(aPlace(repository), 0);
  assert.ok(!("unknown" in look));
  return look.repositories.flatMap(({ dirty }) => [...dirty.keys()]).sort();
}

export function watcherIn(context: TestContext): { finder: WatchedChanges; told: string[] } {
  const told: string[] = [];
  const finder = createWatchedChanges(createGit(environment), (reason) => told.push(reason));
  context.after(() => finder.close());
  return { finder, told };
}
