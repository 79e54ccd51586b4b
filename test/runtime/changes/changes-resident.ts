/** Who watches a repository keeps what everyone promises who looks for changed files. */
import assert from "node:assert/strict";
import { createWatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { testChanges, type Wanted } from "../triggers/changes-contract.ts";

const complaints: string[] = [];

export function testResident(wanted: Pick<Wanted, "only">): void {
  testChanges("resident", (git) => createWatchedChanges(git, (reason) => complaints.push(reason)), {
    ...wanted,
    async check(finder, folder) {
      assert.ok("watched" in finder && typeof finder.watched === "function");
      assert.notEqual(await finder.watched(folder), 0, "it is watched");
      assert.deepEqual(complaints, []);
    },
  });
}
