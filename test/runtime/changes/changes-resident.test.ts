import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { environment, usualRepository } from "../triggers/repository.ts";
import { aPlace, dirtyIn, testResident, watcherIn } from "./changes-resident.ts";

testResident({ only: "harder to watch" });

test("resident: a repository that breaks while it is watched is looked at afresh", async (context) => {
  const repository = usualRepository(context);
  const { finder, told } = watcherIn(context);
  finder.expect?.(aPlace(repository));
  assert.notEqual(await finder.watched(repository.folder), 0);
  repository.write(".git/HEAD", "broken\n");
  const look = await finder.look(aPlace(repository), Date.now() + 60_000);
  assert.deepEqual("repositories" in look && look.repositories.map(({ dirty }) => dirty.size), [0]);
  assert.match(told.join(), /no longer watched/);
});

test("resident: closed, it still answers by a fresh look, and closing twice is closing", async (context) => {
  const repository = usualRepository(context);
  const { finder } = watcherIn(context);
  await finder.close();
  await finder.close();
  repository.write("a.ts", "changed\n");
  assert.deepEqual(await dirtyIn(finder, repository), ["a.ts"]);
});

const canLimit = spawnSync("unshare", ["-Ur", "sh", "-c", "echo 9 > /proc/sys/user/max_inotify_watches"]).status === 0;

test("resident: where the system allows no further watch, each look is a fresh one, and this is reported", {
  skip: canLimit ? false : "needs user namespaces",
}, (context) => {
  const repository = usualRepository(context);
  for (let index = 0; index < 20; index++) repository.write(`many/folder${index}/x.ts`);
  const script = `
      import { createGit } from ${JSON.stringify(sourceOf("runtime/processes/git.ts"))};
      import { createWatchedChanges } from ${JSON.stringify(sourceOf("runtime/changes/watched.ts"))};
      const told = [];
      const finder = createWatchedChanges(createGit(process.env), (reason) => told.push(reason));
      const place = { folder: ${JSON.stringify(repository.folder)}, isRepository: true };
      finder.expect(place);
      const watched = await finder.watched(place.folder);
      const { repositories } = await finder.look(place, 0);
      console.log(JSON.stringify({ watched, told, dirty: repositories[0].dirty.size }));
      await finder.close();`;
  const limited = 'echo 9 > /proc/sys/user/max_inotify_watches && exec "$0" --input-type=module -e "$1"';
  const done = spawnSync("unshare", ["-Ur", "sh", "-c", limited, process.execPath, script], {
    env: { ...environment, HOME: "/nonexistent" },
    encoding: "utf8",
  });
  assert.equal(done.status, 0, done.stderr);
  const { watched, told, dirty } = JSON.parse(done.stdout);
  assert.equal(watched, 0);
  assert.equal(dirty, 20);
  assert.match(told.join(), /limit of watched folders/);
});

const sourceOf = (name: string): string => join(import.meta.dirname, "..", "..", "..", "src", name);
