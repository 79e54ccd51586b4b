import assert from "node:assert/strict";
import { test } from "node:test";
import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { testChanges } from "../triggers/changes-contract.ts";
import { environment, repositoryIn, sessionIn, usualRepository } from "../triggers/repository.ts";

testChanges("cold", (git) => createColdChanges(git), { only: "others" });

test("cold: if git cannot be asked once, earlier knowledge stays true, and nothing is reported twice", async (context) => {
  const repository = usualRepository(context);
  const given = { ...environment };
  const told: string[] = [];
  const session = sessionIn(
    repository.folder,
    createColdChanges(createGit(given), (reason) => told.push(reason)),
  );
  await session.begin();
  repository.write("a.ts", "changed\n");
  repository.write("new.ts");
  await session.look();
  given.PATH = "/nonexistent";
  repository.write("src/b.ts", "changed\n");
  assert.ok((await session.look()).files.includes("src/b.ts"));
  assert.ok((await session.look()).earlier.includes("src/b.ts"), "it is told of once");
  assert.match(told[0] ?? "", /is looked at without git: no program git/);
  given.PATH = environment.PATH ?? "";
  repository.write("later.ts");
  assert.deepEqual(await session.look(), {
    base: repository.folder,
    files: ["later.ts"],
    earlier: ["a.ts", "new.ts", "src/b.ts"],
    removed: [],
  });
});

test("cold: a session that began without git begins with the commit all the same", async (context) => {
  const repository = usualRepository(context);
  const given = { ...environment, PATH: "/nonexistent" };
  const session = sessionIn(repository.folder, createColdChanges(createGit(given)));
  await session.begin();
  repository.write("a.ts", "changed\n");
  repository.commit();
  given.PATH = environment.PATH ?? "";
  assert.deepEqual((await session.look()).files, ["a.ts"]);
});

test("cold: a repository inside that git cannot use is left out, with the reason", async (context) => {
  const repository = usualRepository(context);
  repositoryIn(`${repository.folder}/inner`).write("x.ts");
  repository.write("inner/.git/config", "[core\n");
  const told: string[] = [];
  const session = sessionIn(
    repository.folder,
    createColdChanges(createGit(environment), (reason) => told.push(reason)),
  );
  await session.begin();
  repository.write("a.ts", "changed\n");
  assert.deepEqual((await session.look()).files, ["a.ts"]);
  assert.match(told.join(), /\/inner is not looked at: .*bad config/);
});
