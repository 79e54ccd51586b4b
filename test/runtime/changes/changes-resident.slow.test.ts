import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { usualRepository } from "../triggers/repository.ts";
import { aPlace, dirtyIn, testResident, watcherIn } from "./changes-resident.ts";

testResident({ except: "harder to watch" });

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
