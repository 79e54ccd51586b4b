/** The streams of the scripted model, read by the clients that programs use for each provider, and what those clients do not look at. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Fields } from "../../src/engine/event.ts";
import { type ScriptedAnswer, startScriptedModel } from "../../testing/scripted-model.ts";

const apiKey = "none";
const providers = {
  "Anthropic Messages": (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey })("some-model"),
  "OpenAI Responses": (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses("some-model"),
  "OpenAI Chat Completions": (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("some-model"),
  "compatible Chat Completions": (url: string) =>
    createOpenAICompatible({ baseURL: `${url}/v1`, apiKey, name: "other", includeUsage: true })("some-model"),
  "Google generateContent": (url: string) => createGoogle({ baseURL: `${url}/v1beta`, apiKey })("some-model"),
};
type Client = ReturnType<(typeof providers)[keyof typeof providers]>;

async function play(t: TestContext, answer: ScriptedAnswer) {
  const model = await startScriptedModel({ turns: [answer] });
  t.after(() => model.close());
  return model;
}

type PartOf<Stream> = Stream extends ReadableStream<infer Part> ? Part : never;

async function readStream(client: Client) {
  const { stream } = await client.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "begin" }] }],
    tools: [{ type: "function", name: "shell", inputSchema: { type: "object", properties: {} } }],
  });
  const parts: PartOf<typeof stream>[] = [];
  for await (const part of stream) parts.push(part);
  return {
    texts: parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])),
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolName, JSON.parse(part.input)]] : [])),
    ends: parts.flatMap((part) =>
      part.type === "finish" ? [[part.finishReason.unified, part.usage.inputTokens.total]] : [],
    ),
    errors: parts.filter((part) => part.type === "error"),
  };
}

for (const [name, connect] of Object.entries(providers)) {
  test(`${name}: a streamed answer reaches the provider's client in pieces, with two calls and its cost`, async (t) => {
    const input = { command: "echo 'ä😀' > out.txt" };
    const call = { tool: "shell", input };
    const model = await play(t, { text: "I write it 😀.", calls: [call, call], inputTokens: 1234 });
    const { texts, calls, ends, errors } = await readStream(connect(model.url));
    assert.deepEqual(errors, []);
    assert.equal(texts.join(""), "I write it 😀.");
    assert.ok(texts.length >= 2);
    assert.deepEqual(calls, [
      ["shell", input],
      ["shell", input],
    ]);
    assert.deepEqual(ends, [["tool-calls", 1234]]);
  });

  test(`${name}: a stream says that the answer was cut off at its limit`, async (t) => {
    const model = await play(t, { text: "I wri", end: "length" });
    const { texts, ends } = await readStream(connect(model.url));
    assert.equal(texts.join(""), "I wri");
    assert.equal(ends[0]?.[0], "length");
  });
}

const askStream = async (url: string, path: string, body: Fields): Promise<string> => {
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify({ stream: true, ...body }) });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  return response.text();
};

test("a tool that takes plain text, and one of a namespace, are called in the form in which they are offered", async (t) => {
  const patch = { tool: "apply_patch", input: { input: "*** Begin Patch\n*** End Patch" } };
  const model = await play(t, { calls: [patch, { tool: "spawn", input: { message: "go" } }] });
  const tools = [
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn" }] },
  ];
  const text = await askStream(model.url, "/v1/responses", { tools, input: [{ role: "user", content: "begin" }] });
  const items = [...text.matchAll(/^data: (.*output_item\.done.*)$/gm)].map(([, data = ""]) => JSON.parse(data).item);
  assert.deepEqual(
    items.map(({ type, name, namespace, input, arguments: given }) => ({ type, name, namespace, input, given })),
    [
      {
        type: "custom_tool_call",
        name: "apply_patch",
        namespace: undefined,
        input: patch.input.input,
        given: undefined,
      },
      { type: "function_call", name: "spawn", namespace: "agents", input: undefined, given: '{"message":"go"}' },
    ],
  );
});

test("tools that stand in the conversation are offered like any others", async (t) => {
  const model = await play(t, {
    calls: [
      { tool: "exec", input: { input: "text(1)" } },
      { tool: "sleep", input: {} },
    ],
  });
  const added = [
    { type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] },
    { type: "namespace", name: "clock", tools: [{ type: "function", name: "sleep" }] },
  ];
  const input = [
    { type: "additional_tools", role: "developer", tools: added },
    { role: "user", content: "begin" },
  ];
  const text = await askStream(model.url, "/v1/responses", { input });
  assert.match(
    text,
    /"type":"custom_tool_call","status":"completed","call_id":"[^"]+","name":"exec","input":"text\(1\)"/,
  );
  assert.match(text, /"name":"sleep","namespace":"clock"/);
  assert.equal(model.conversation().length, 1);
});

test("plain-text calls count as the model's turns too", async (t) => {
  const model = await play(t, { text: "only" });
  const input = [
    { role: "user", content: "begin" },
    { type: "custom_tool_call", name: "apply_patch", input: "" },
    { type: "custom_tool_call_output", output: "done" },
  ];
  await askStream(model.url, "/v1/responses", { tools: [{ type: "custom", name: "apply_patch" }], input });
  assert.deepEqual(
    model.conversation().map(({ turn }) => turn),
    [1],
  );
});

test("Chat Completions say what a stream cost only to those who ask, and end with [DONE]", async (t) => {
  const model = await play(t, { text: "done" });
  const body = { tools: [{}], messages: [{ role: "user", content: "begin" }] };
  const silent = await askStream(model.url, "/v1/chat/completions", body);
  const telling = await askStream(model.url, "/v1/chat/completions", {
    ...body,
    stream_options: { include_usage: true },
  });
  assert.doesNotMatch(silent, /prompt_tokens/);
  assert.match(telling, /"choices":\[\],"usage":\{"prompt_tokens":/);
  for (const stream of [silent, telling]) assert.match(stream, /data: \[DONE\]\n\n$/);
});

test("a stream can break off in the middle, and an error comes before it", async (t) => {
  const model = await startScriptedModel({
    turns: [{ cut: { text: "a long answer that nobody gets" } }, { error: 429 }],
  });
  t.after(() => model.close());
  const path = "/v1beta/models/some-model:streamGenerateContent?alt=sse";
  const ask = (earlier: Fields[]) =>
    fetch(`${model.url}${path}`, {
      method: "POST",
      body: JSON.stringify({ tools: [{}], contents: [{ role: "user", parts: [{ text: "begin" }] }, ...earlier] }),
    });
  const broken = await ask([]);
  assert.equal(broken.status, 200);
  await assert.rejects(broken.text());
  const refused = await ask([{ role: "model", parts: [{ text: "a" }] }]);
  assert.equal(refused.status, 429);
  assert.match(await refused.text(), /RESOURCE_EXHAUSTED/);
});

test("each provider's list of models has the scripted one", async (t) => {
  const model = await play(t, { text: "only" });
  const list = async (path: string) => JSON.parse(await (await fetch(`${model.url}${path}`)).text());
  const shared = await list("/v1/models");
  assert.deepEqual([shared.object, shared.data[0].id, shared.data[0].object], ["list", "scripted", "model"]);
  assert.equal((await list("/models")).data[0].id, "scripted");
  assert.equal((await list("/v1beta/models")).models[0].name, "models/scripted");
});
