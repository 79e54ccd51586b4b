import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ChangeFinder, Place } from "../../../src/runtime/changes/look.ts";
import { createWatchedChanges, type WatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { environment, type Repository, usualRepository } from "../triggers/repository.ts";
import { testResident } from "./changes-resident.ts";

testResident({ only: "harder to watch" });

const aPlace = (repository: Repository): Place => ({ folder: repository.folder, isRepository: true });

async function dirtyIn(finder: ChangeFinder, repository: Repository): Promise<string[]> {
  const look = await finder.look(aPlace(repository), 0);
  assert.ok(!("unknown" in look));
  return look.repositories.flatMap(({ dirty }) => [...dirty.keys()]).sort();
}

function watcherIn(context: TestContext): { finder: WatchedChanges; told: string[] } {
  const told: string[] = [];
  const finder = createWatchedChanges(createGit(environment), (reason) => told.push(reason));
  context.after(() => finder.close());
  return { finder, told };
}

test("resident: nothing is missed while the process is busy and the kernel drops events", async (context) => {
  const repository = usualRepository(context);
  const { finder } = watcherIn(context);
  finder.expect?.(aPlace(repository));
  assert.notEqual(await finder.watched(repository.folder), 0);
  const [first, second] = ["a.ts", "src/deep/c.ts"].map((name) => join(repository.folder, name)) as [string, string]; // one for each name
  // By turns, because the kernel makes one event of equal ones. Its queue holds 16,384, and none of them is read meanwhile.
  for (let round = 0; round < 9_000; round++) for (const file of [first, second]) utimesSync(file, round, round);
  for (const name of ["src/b.ts", "src/new.ts"]) repository.write(name, "changed\n");
  assert.deepEqual(await dirtyIn(finder, repository), ["src/b.ts", "src/new.ts"]);
  repository.git("clean", "-q", "-f");
  assert.deepEqual(await dirtyIn(finder, repository), ["src/b.ts"]);
});

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
