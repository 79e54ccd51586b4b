/** hookline test of all hooks that the repository holds, as JUnit, and again after each change; hook-tests.test.ts has the usual ways. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { bin, runCommand } from "../../program.ts";
import { projectWith, rules } from "./hook-tests-place.ts";

const root = join(import.meta.dirname, "..", "..", "..");

test("the hooks in examples/ and the guard pack pass their tests in a clone", (t) => {
  const { environment, folder } = projectWith(t, { "a.txt": "" });
  const { status, stdout } = runCommand(["test", join(root, "examples"), join(root, "packs")], {
    cwd: folder,
    environment,
  });
  assert.match(stdout, / 0 failed in 4 files\n$/);
  assert.equal(status, 0);
});

test("--watch performs the tests again after each change of a hook, until it is ended", async (t) => {
  const { workspace, environment, write } = projectWith(t, {
    ".hookline/rules/guard.yaml": rules,
    "a.hooktest.yaml": "tests:\n  - name: a\n    commands: [git push]\n    expect: { verdict: deny }\n",
  });
  const watching = spawn(process.execPath, [bin, "test", "--watch"], {
    ...{ cwd: workspace, env: environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => watching.kill("SIGKILL"));
  const results: string[] = [];
  for await (const line of createInterface({ input: watching.stdout })) {
    results.push(...(/^\d+ passed, \d+ failed/.exec(line) ?? []));
    if (!line.includes("waiting for changes")) continue;
    if (results.length === 1) write(".hookline/rules/guard.yaml", rules.replace("git push *", "git pull *"));
    if (results.at(-1) === "0 passed, 1 failed") watching.kill("SIGINT");
  }
  assert.deepEqual(results.slice(0, 1), ["1 passed, 0 failed"]);
  assert.equal(results.at(-1), "0 passed, 1 failed");
  assert.equal(watching.exitCode ?? (await once(watching, "exit"))[0], 0);
});

test("JUnit gets a case for each test, with all that a person reads", (t) => {
  const { hookline, workspace } = projectWith(t, {
    ".hookline/rules/guard.yaml": rules,
    "a.hooktest.yaml": "tests:\n  - name: a < b\n    commands: [ls, git push]\n    expect: { verdict: none }\n",
  });
  hookline("test", "--junit", "out.xml");
  const xml = readFileSync(join(workspace, "out.xml"), "utf8");
  assert.match(xml, /<testsuites name="hookline" tests="2" failures="1">/);
  assert.match(xml, /<testcase classname="a\.hooktest\.yaml" name="a &lt; b: ls" file="a\.hooktest\.yaml" line="3"/);
  assert.match(xml, /<failure message="a\.hooktest\.yaml:4:15 verdict: expected none, found deny: a person pushes/);
});
