/** Many processes write one status. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bundled } from "../../program.ts";
import { scriptWorld } from "./script-world.ts";

test("[E54] processes that end scripts at once write one after the other: nothing gets lost", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 1" }]);
  const { spawn } = await import("node:child_process");
  const hook = JSON.stringify(world.hooks[0]);
  const one = (index: number): Promise<number | null> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [bundled(join(import.meta.dirname, "one-writer.ts"))], {
        env: {
          ...process.env,
          HOOK: hook,
          STORE: join(world.root, "../store.db"),
          HOMEDIR: world.home,
          WRITER: String(index),
        },
        stdio: ["ignore", "inherit", "inherit"],
      });
      child.once("exit", resolve);
    });
  assert.deepEqual(await Promise.all([0, 1].map(one)), [0, 0]);
  assert.equal(world.status().hooks["0-script"]?.runCount, 40);
  assert.equal(world.status().hooks["0-script"]?.failCount, 40);
  assert.deepEqual(
    readdirSync(world.folder()).filter((name) => name.endsWith(".new")),
    [],
  );
});
