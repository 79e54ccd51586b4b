import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { helperFile, runLine, temporaryFolder } from "./running.ts";
import { childrenOf, here, start, testManyAtOnce } from "./spawner-started.ts";

testManyAtOnce(200);

const compiler = spawnSync("gcc", ["--version"]).status === 0;

test("the helper that is here is what its source makes, or does the same", {
  skip: compiler ? here.skip : "no compiler is here",
}, async (context) => {
  const folder = temporaryFolder(context);
  const script = new URL("../../../scripts/build-native.ts", import.meta.url).pathname;
  const built = await runLine(`exec '${process.execPath}' --no-warnings '${script}' '${folder}'`);
  assert.equal(built.code, 0, built.stdout);
  const file = join(folder, `${process.platform}-${process.arch}`, "hookline-spawner");
  assert.ok(existsSync(file), built.stdout);
  if (readFileSync(file).equals(readFileSync(helperFile))) return;
  const { line, helper } = start(context, { file }); // another compiler's: held to the same promise
  const ended = await line("cat; echo complaint >&2; exit 3", { input: "x".repeat(1 << 20) });
  assert.deepEqual([ended.stdout.length, ended.stderr, ended.code], [1 << 20, "complaint\n", 3]);
  assert.deepEqual(childrenOf(helper()), []);
});
