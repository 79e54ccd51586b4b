import assert from "node:assert/strict";
import test from "node:test";
import type { ModelTool } from "../../../src/engine/external-services.ts";
import { bodyOf, failureOf, models, startAsking, yes } from "./asking.ts";

const look: ModelTool = {
  name: "look",
  description: "looks",
  input: { type: "object", properties: {} },
  call: async () => "x".repeat(2_000),
};
const calling = { calls: [{ tool: "look", input: {} }], usage: { input: 300, output: 100 } };

for (const name of models) {
  test(`${name}: a turn that would cost more than is left is not begun, and what was spent is known`, async (t) => {
    const { ask, server } = await startAsking(t, [calling, calling, calling, { text: yes }]);
    const failure = await failureOf(ask(name, { tools: [look], maxTokens: 1_000 }));
    assert.deepEqual([failure.kind, failure.tokens], ["budget", 400]);
    assert.match(String(failure.reason), /more than the 1000 tokens/);
    assert.equal(server.requests.length, 1);
  });

  test(`${name}: what is left is the limit of the answer`, async (t) => {
    const { ask, server } = await startAsking(t, [{ text: yes }]);
    await ask(name, { maxTokens: 500 });
    const limit = Number(
      /"(?:max_tokens|max_output_tokens|maxOutputTokens)":(\d+)/.exec(JSON.stringify(bodyOf(server, 1)))?.[1],
    );
    assert.ok(limit > 300 && limit < 500, String(limit));
  });

  test(`${name}: after the last turn there are no tools, so the model has to answer; one that still wants them is over its turns`, async (t) => {
    const answering = await startAsking(t, [calling, calling, { text: yes, usage: { input: 300, output: 7 } }]);
    const answer = await answering.ask(name, { tools: [look], turns: 3 });
    assert.equal(answer.text, yes);
    assert.deepEqual(answer.tokens, { input: 900, output: 207 });
    assert.equal(answering.server.requests.length, 3);
    assert.match(JSON.stringify(bodyOf(answering.server, 3)), /"none"|"NONE"|"allowedFunctionNames":\["json"\]/i);
    const stubborn = await startAsking(t, [calling, calling, calling]);
    const failure = await failureOf(stubborn.ask(name, { tools: [look], turns: 2 }));
    assert.deepEqual([failure.kind, failure.tokens], ["budget", 800]);
    assert.match(String(failure.reason), /in each of its 2 turns/);
  });
}

test("a prompt that is larger than its budget is not sent at all, and the refusal says how large it is", async (t) => {
  const { ask, server } = await startAsking(t, [{ text: yes }]);
  const failure = await failureOf(ask("local/qwen3", { prompt: "x".repeat(10_000), maxTokens: 2_000 }));
  assert.deepEqual([failure.kind, failure.tokens, server.requests.length], ["budget", 0, 0]);
  const [, needed] = /are about (\d+) tokens.*the 2000 that it may use/.exec(String(failure.reason)) ?? [];
  assert.ok(Number(needed) > 2_500 && Number(needed) < 2_700, String(failure.reason));
});

test("an answer that is cut off because of the budget says that it was the budget", async (t) => {
  const { ask } = await startAsking(t, [{ text: "{", end: "length" }]);
  assert.equal((await failureOf(ask("local/qwen3", { maxTokens: 500 }))).kind, "budget");
});

for (const [claimed, usage] of [
  ["negative", { input: -14, output: -100_000 }],
  ["too large to be counted", { input: 1e300, output: 1e300 }],
] as const)
  test(`counts that are ${claimed} are estimated instead, so the budget does not grow`, async (t) => {
    const { ask, server } = await startAsking(t, [
      { ...calling, usage },
      { text: yes, usage },
    ]);
    const { tokens } = await ask("local/qwen3", { tools: [look], maxTokens: 4_000 });
    assert.equal(tokens.estimated, true);
    assert.ok(tokens.input > 10 && tokens.input < 5_000 && tokens.output > 0 && tokens.output < 5_000, String(tokens));
    assert.ok(Number(bodyOf(server, 2).max_tokens) < Number(bodyOf(server, 1).max_tokens));
  });
