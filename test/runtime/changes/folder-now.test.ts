import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import { placeOf } from "../../../src/runtime/changes/tracking.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import { nextTurn } from "../../../src/runtime/system.ts";
import { environment, repositoryIn, sessionIn, temporaryFolder } from "../triggers/repository.ts";

const finder = createColdChanges(createGit(environment));
const write = (folder: string, name: string, text = "x\n"): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
/** Until the clock that stamps files has moved on far enough to tell old from new. */
async function untilLater(folder: string): Promise<void> {
  const probe = join(folder, "probe");
  const stamp = (): number => {
    writeFileSync(probe, "");
    return statSync(probe).ctimeMs;
  };
  const begun = stamp();
  while (stamp() < begun + 25) await nextTurn();
  rmSync(probe);
}

test("[E26, R57] without git, what is newer than the session has changed, and is reported once", async (context) => {
  const folder = temporaryFolder(context);
  write(folder, "old.ts");
  write(folder, "src/old.ts");
  await untilLater(folder);
  const session = sessionIn(folder, finder);
  await session.begin();
  assert.deepEqual((await session.look()).files, []);
  write(folder, "src/old.ts", "changed\n");
  write(folder, "schön neu/-x.ts");
  const first = await session.look();
  assert.equal(first.base, folder);
  assert.deepEqual(first.files, ["schön neu/-x.ts", "src/old.ts"]);
  const second = await session.look();
  assert.deepEqual([second.files, second.earlier], [[], ["schön neu/-x.ts", "src/old.ts"]]);
  rmSync(join(folder, "schön neu"), { recursive: true });
  write(folder, "src/old.ts", "changed again\n");
  const third = await session.look();
  assert.deepEqual([third.files, third.earlier], [["src/old.ts"], []]);
});

test("[E25] without git, an old time on a new file hides nothing, and what a script rewrites is no change", async (context) => {
  const folder = temporaryFolder(context);
  const session = sessionIn(folder, finder);
  await session.begin();
  write(folder, "a.ts");
  utimesSync(join(folder, "a.ts"), 1, 1);
  assert.deepEqual((await session.look(() => write(folder, "a.ts", "formatted\n"))).files, ["a.ts"]);
  assert.deepEqual((await session.look()).files, []);
});

test("without git, what tools put there is passed over", async (context) => {
  const folder = temporaryFolder(context);
  const session = sessionIn(folder, finder);
  await session.begin();
  for (const name of ["node_modules", ".venv", "venv", "__pycache__", ".hg", ".svn"]) write(folder, `a/${name}/x.ts`);
  write(folder, "a/x.ts");
  assert.deepEqual((await session.look()).files, ["a/x.ts"]);
});

test("a session in a folder that becomes a repository takes what its commits hold", async (context) => {
  const folder = temporaryFolder(context);
  const session = sessionIn(folder, finder);
  await session.begin();
  write(folder, "a.ts");
  assert.deepEqual((await session.look()).files, ["a.ts"]);
  const repository = repositoryIn(folder);
  repository.write("b.ts");
  repository.commit();
  const { files, earlier } = await session.look();
  assert.deepEqual([files, earlier], [["b.ts"], ["a.ts"]]);
});

test("the place is the nearest repository upward, below the home folder, else the project", (context) => {
  const home = temporaryFolder(context);
  repositoryIn(join(home, "work"));
  mkdirSync(join(home, "work/deep"), { recursive: true });
  mkdirSync(join(home, ".git"));
  mkdirSync(join(home, "plain/deep"), { recursive: true });
  const at = (cwd: string) => placeOf(join(home, cwd), join(home, "plain"), home);
  assert.deepEqual(at("work/deep"), { folder: join(home, "work"), isRepository: true });
  assert.deepEqual(at("plain/deep"), { folder: join(home, "plain"), isRepository: false });
});
