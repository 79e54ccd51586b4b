import assert from "node:assert/strict";
import test from "node:test";
import { both, done, hasEnded, modelWith, runIn, startWorker, toolsOf } from "./automation-workers.ts";
import { temporaryFolder } from "./context.ts";

test("[R56] killed in a tool call: the one before it is not repeated, and the one that was cut off has the same key again", async (t) => {
  const folder = temporaryFolder(t);
  const server = await modelWith(t, [both, done]);
  const first = startWorker(t, folder, server.url, "emit", "stuck");
  const cutOff = await first.says(({ tool }) => tool === "hookline.second");
  await first.kill();
  const second = startWorker(t, folder, server.url);
  await second.says(hasEnded);
  assert.deepEqual(toolsOf(second), ["hookline.second"]);
  assert.equal(second.said.find(({ tool }) => tool)?.key, cutOff.key);
  assert.match(cutOff.key ?? "", /1:ask_model\/turn 1 call 1$/);
  assert.deepEqual(
    server.requests.map(({ turn }) => turn),
    [0, 1],
  );
  assert.deepEqual([runIn(folder).status, runIn(folder).tokens], ["completed", 110]);
});
