/** Test runners, as they run here. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "./context.ts";
import { readsNode } from "./node-runner.ts";
import { outputOf } from "./step-context.ts";

test("[A31, A32] Node's own test runner, as it runs here, with each of its reporters", (t) =>
  readsNode(t, ["", " --test-reporter=tap"]));

function isHere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false; // it is not installed: what it prints is recorded
  }
}

test("[A31, A32] pytest, as it runs here", { skip: !isHere("pytest") }, async (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, "test_sum.py"), "def test_holds(): pass\ndef test_breaks(): assert 1 == 2\n");
  const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? root, PYTHONDONTWRITEBYTECODE: "1" };
  const output = await outputOf("run_tests", {}, { root, timeout: 600, caller: { environment } });
  assert.deepEqual(
    [output.passed, output.failures, output.test_count, output.framework],
    [false, ["test_sum.py::test_breaks"], 2, "pytest"],
  );
});
