/** Several processes that want one follow-up at once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bin } from "../../program.ts";
import { command, scratchWith } from "./follow-ups-place.ts";

test("[B32] two who want the same task at once: it is made once", async (t) => {
  const { environment, hookline, run, workspace } = scratchWith(t, [
    { kind: "create_task", payload: { title: "Fix the build" } },
  ]);
  const ends = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const words = [bin, "follow-ups", "run", run];
      const [code] = await once(
        spawn(process.execPath, words, { cwd: workspace, env: environment, stdio: "ignore" }),
        "exit",
      );
      return code;
    }),
  );
  assert.deepEqual(ends.toSorted(), [0, 1, 1]);
  assert.equal(JSON.parse(hookline("task", "list", "--json").stdout).length, 1);
});

test("[B32] two who want the same command at once: one runs it", async (t) => {
  const { environment, run, workspace } = scratchWith(t, [command("echo x >> times; sleep 0.3")]);
  const ends = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const words = [bin, "follow-ups", "run", run, "--yes"];
      const [code] = await once(
        spawn(process.execPath, words, { cwd: workspace, env: environment, stdio: "ignore" }),
        "exit",
      );
      return code;
    }),
  );
  assert.deepEqual(ends.toSorted(), [0, 1, 1, 1]);
  assert.equal(readFileSync(join(workspace, "times"), "utf8"), "x\n");
});
