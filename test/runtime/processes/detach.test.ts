import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createSpawner } from "../../../src/runtime/processes/spawner.ts";
import { testDetaching } from "./detach-promises.ts";
import { helperFile, helperIsHere, PATH, temporaryFolder, withChildren } from "./running.ts";

withChildren(testDetaching);

test("[C37, R61] what the helper started and has released outlives the helper, and each stream goes to who took it over", {
  skip: helperIsHere ? false : "there is no helper for this system",
}, async (context) => {
  const go = join(temporaryFolder(context), "go");
  const line = `echo '{"async":true}'; until [ -e '${go}' ]; do sleep 0.05; done; echo said; echo complained >&2`;
  const spawner = createSpawner({ file: helperFile, complain: assert.fail });
  const { rest } = await spawner.spawn(
    { program: "bash", args: ["--norc", "-c", line], cwd: tmpdir(), environment: { PATH }, input: "" },
    { signal: new AbortController().signal, detaches: () => true },
  );
  assert.ok(rest);
  const { stdout, stderr } = rest.release();
  assert.ok(typeof stdout === "number" && typeof stderr === "number");
  const taker = spawn("sh", ["-c", "cat; echo -; cat <&3"], { stdio: [stdout, "pipe", "inherit", stderr] });
  assert.ok(taker.stdout);
  await spawner.close();
  writeFileSync(go, "");
  assert.equal(await text(taker.stdout), "said\n-\ncomplained\n");
});
