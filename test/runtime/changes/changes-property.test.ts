import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import { createWatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { environment, repositoryIn, usualRepository } from "../triggers/repository.ts";
import { answersAsAFreshLook, differences } from "./changes-property.ts";

test("resident: whatever happens in a repository, the answer is that of a fresh look", (context) =>
  answersAsAFreshLook(context, { rounds: 2, turns: 4 }));

test("resident: repositories inside are listed in one order, whenever each was found", async (context) => {
  const { folder, write } = usualRepository(context);
  const finder = createColdChanges(createGit(environment));
  const resident = createWatchedChanges(createGit(environment), assert.fail);
  try {
    resident.expect?.({ folder, isRepository: true });
    assert.notEqual(await resident.watched(folder), 0);
    for (const name of ["later", "early"]) {
      repositoryIn(join(folder, name));
      write(`${name}/file.txt`, name);
      assert.deepEqual(await differences(resident, folder), await differences(finder, folder));
    }
  } finally {
    await resident.close();
  }
});
