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

test("[A46, R56, AT49] killed while the model thinks: finished turns and tool calls are not repeated, paid or counted twice", async (t) => {
  const folder = temporaryFolder(t);
  const server = await modelWith(t, [both, { hang: true, times: 1, next: done }]);
  const first = startWorker(t, folder, server.url, "emit");
  await server.arrival(2);
  const atWork = runIn(folder);
  assert.deepEqual([atWork.status, atWork.tokens], ["running", 44], "what it has cost so far is known");
  assert.match(String(atWork.steps.at(-1)?.output.prompt), /gathered$/);
  assert.deepEqual(atWork.steps.at(-1)?.output.actions, ["hookline.first", "hookline.second"]);
  await first.kill();
  const second = startWorker(t, folder, server.url);
  const { status } = await second.says(hasEnded);
  const run = runIn(folder);
  assert.deepEqual(
    [status, run.status, run.steps.at(-1)?.output.response],
    ["completed", "completed", "Both are done."],
  );
  assert.deepEqual([toolsOf(first), toolsOf(second)], [["hookline.first", "hookline.second"], []]);
  assert.deepEqual(
    server.requests.map(({ turn }) => turn),
    [0, 1, 1],
  );
  assert.equal(run.tokens, 110);
  assert.deepEqual(run.steps.at(-1)?.output.actions, ["hookline.first", "hookline.second"]);
});
