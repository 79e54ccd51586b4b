import assert from "node:assert/strict";
import test from "node:test";
import type { MaybePromise } from "../../../src/engine/event.ts";
import type { ModelRequest, ModelTool } from "../../../src/engine/external-services.ts";
import { failureOf, models, startAsking } from "./asking.ts";

/** What a journal on disk does: results live on as JSON, and steps that have ended are not done again. */
function journalOf(kept: Map<string, string>): NonNullable<ModelRequest["step"]> {
  return async <T>(name: string, work: (key: string) => MaybePromise<T>): Promise<T> => {
    const known = kept.get(name);
    if (known !== undefined) return JSON.parse(known);
    const value = await work(`run-1:${name}`);
    kept.set(name, JSON.stringify(value));
    return value;
  };
}

const calling = { calls: [{ tool: "look", input: { at: 1 } }], usage: { input: 30, output: 10 } };
const last = { text: "done", usage: { input: 50, output: 5 } };

for (const name of models)
  test(`[R56] ${name}: a question that is asked again continues where it was, with the tokens that it had used`, async (t) => {
    const { ask, server } = await startAsking(t, [calling, { error: 400, times: 1, next: last }]);
    const kept = new Map<string, string>();
    const keys: (string | undefined)[] = [];
    const look: ModelTool = {
      name: "look",
      description: "looks",
      input: { type: "object", properties: { at: { type: "integer" } } },
      async call(_input, _signal, key) {
        keys.push(key);
        return "seen";
      },
    };
    const told: number[] = [];
    const request = {
      schema: undefined,
      tools: [look],
      step: journalOf(kept),
      called: (calls: readonly unknown[]) => void told.push(calls.length),
    } as unknown as ModelRequest; // without a schema
    assert.equal((await failureOf(ask(name, request))).kind, "invalid");
    assert.deepEqual([...kept.keys()], ["turn 1", "turn 1 call 0"]);
    const answer = await ask(name, request);
    assert.deepEqual([answer.text, answer.tokens], ["done", { input: 80, output: 15 }]);
    assert.deepEqual([keys, server.requests.length], [["run-1:turn 1 call 0"], 3]);
    assert.deepEqual(told, [1, 1, 1, 1]);
    assert.deepEqual([...kept.keys()], ["turn 1", "turn 1 call 0", "turn 2"]);
    assert.deepEqual(await ask(name, request), answer);
    assert.equal(server.requests.length, 3);
  });

test("[R26] what was spent before a crash counts against the limit of the run", async (t) => {
  const { ask, server } = await startAsking(t, [calling, last]);
  const paid = { content: [], finishReason: { unified: "tool-calls" }, cost: { input: 900, output: 50 } };
  const turn = { ...paid, content: [{ type: "tool-call", toolCallId: "1", toolName: "look", input: "{}" }] };
  const kept = new Map([
    ["turn 1", JSON.stringify(turn)],
    ["turn 1 call 0", JSON.stringify({ ok: true, ms: 1, value: "seen" })],
  ]);
  const look: ModelTool = { name: "look", description: "looks", input: { type: "object" }, call: async () => "again" };
  const failure = await failureOf(ask("local/qwen3", { tools: [look], step: journalOf(kept), maxTokens: 1_000 }));
  assert.deepEqual([failure.kind, failure.tokens, server.requests.length], ["budget", 950, 0]);
});

test("a paid answer that cannot be used is not asked for again", async (t) => {
  const { ask, server } = await startAsking(t, [
    { text: "I will not.", end: "refusal", usage: { input: 90, output: 10 } },
  ]);
  const step = journalOf(new Map());
  for (let attempt = 0; attempt < 2; attempt++) {
    const failure = await failureOf(ask("claude/claude-haiku-4-5", { step }));
    assert.deepEqual([failure.kind, failure.tokens, server.requests.length], ["refused", 100, 1]);
  }
});

test("a tool call that ends because no caller waits for it leaves no result", async (t) => {
  const { ask } = await startAsking(t, [calling, last]);
  const kept = new Map<string, string>();
  const stop = new AbortController();
  const look: ModelTool = {
    name: "look",
    description: "looks",
    input: { type: "object" },
    async call() {
      stop.abort();
      throw new Error("it was stopped");
    },
  };
  await failureOf(ask("local/qwen3", { tools: [look], step: journalOf(kept) }, stop.signal));
  assert.deepEqual([...kept.keys()], ["turn 1"]);
});
