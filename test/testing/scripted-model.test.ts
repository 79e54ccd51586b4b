/** The scripted model as an agent sees it: over HTTP, on loopback. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "../../testing/scripted-model.ts";

const tools = [{ name: "Bash", input_schema: { type: "object" } }];
const user = (content: string | Fields[]): Fields => ({ role: "user", content });
const assistant = (content: string): Fields => ({ role: "assistant", content });

async function start(context: TestContext, script: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(script);
  context.after(() => model.close());
  return model;
}

const ask = (model: ScriptedModel, body: Fields, path = "/v1/messages?beta=true"): Promise<Response> =>
  fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify({ model: "some-model", tools, ...body }) });

interface Answered {
  content: [{ id: string; text: string }, ...{ id: string; text: string }[]];
  usage: { input_tokens: number };
}
const askWhole = async (model: ScriptedModel, body: Fields): Promise<Answered> =>
  JSON.parse(await (await ask(model, body)).text());

/** The events of a stream, as a client parses them. */
async function eventsOf(response: Response): Promise<Fields[]> {
  const blocks = (await response.text()).split("\n\n").filter((block) => block !== "");
  return blocks.map((block) => {
    const [name = "", data = ""] = block.split("\n");
    const event: Fields = JSON.parse(data.replace("data: ", ""));
    assert.equal(name, `event: ${event.type}`);
    return event;
  });
}

test("the turn is the number of assistant turns in the request, however often it is asked", async (t) => {
  const model = await start(t, { turns: [{ text: "first" }, { text: "second" }], endText: "over" });
  const texts: unknown[] = [];
  for (const earlier of [[], [], [assistant("first")], [assistant("first"), user("go on"), assistant("second")]]) {
    const answer = await askWhole(model, { messages: [user("begin"), ...earlier] });
    texts.push(answer.content[0].text);
  }
  assert.deepEqual(texts, ["first", "first", "second", "over"]);
  assert.deepEqual(
    model.conversation().map((request) => request.turn),
    [0, 0, 1, 2],
  );
});

test("a streamed answer holds its text and its call in pieces that add up", async (t) => {
  const input = { command: "echo 'ä😀' > out.txt" };
  const model = await start(t, { turns: [{ text: "I write it 😀.", calls: [{ tool: "Bash", input }] }] });
  const response = await ask(model, { stream: true, messages: [user("begin")] });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const events = await eventsOf(response);
  assert.equal(events[0]?.type, "message_start");
  assert.equal(events.at(-1)?.type, "message_stop");
  const pieces = (key: string) =>
    events.flatMap(({ delta }) => (delta && typeof delta === "object" && key in delta ? [Object(delta)[key]] : []));
  assert.equal(pieces("text").join(""), "I write it 😀.");
  assert.deepEqual(JSON.parse(pieces("partial_json").join("")), input);
  assert.deepEqual(pieces("stop_reason"), ["tool_use"]);
});

test("a request without tools gets the side text and does not use up a turn", async (t) => {
  const model = await start(t, { turns: [{ text: "first" }], sideText: "a title" });
  const side = await askWhole(model, { tools: [], messages: [user("name this session")] });
  const main = await askWhole(model, { messages: [user("begin")] });
  assert.equal(side.content[0].text, "a title");
  assert.equal(main.content[0].text, "first");
  assert.equal(model.requests.length, 2);
  assert.equal(model.conversation().length, 1);
});

test("a conversation is recognised by its first user message, whether that is text or blocks", async (t) => {
  const model = await start(t, {
    turns: [{ text: "main" }],
    conversations: [{ opening: /SUBTASK/g, turns: [{ text: "part" }] }],
  });
  const openings = [
    "begin",
    "SUBTASK one",
    [
      { type: "text", text: "reminder" },
      { type: "text", text: "SUBTASK two" },
    ],
  ];
  const answers = [];
  for (const opening of openings) answers.push(await askWhole(model, { messages: [user(opening)] }));
  assert.deepEqual(
    answers.map((answer) => answer.content[0].text),
    ["main", "part", "part"],
  );
});

test("a turn can be an error of the provider's own form, and a retry meets it again", async (t) => {
  const model = await start(t, { turns: [{ error: 529 }] });
  for (const _attempt of [1, 2]) {
    const response = await ask(model, { stream: true, messages: [user("begin")] });
    assert.equal(response.status, 529);
    assert.match(await response.text(), /"type":"overloaded_error"/);
  }
});

test("an answer claims the tokens that the script gives it, and each call has an id of its own", async (t) => {
  const call = { tool: "Bash", input: { command: "ls" } };
  const model = await start(t, { turns: [{ calls: [call, call], inputTokens: 190_000 }] });
  const answer = await askWhole(model, { messages: [user("begin")] });
  assert.equal(answer.usage.input_tokens, 190_000);
  assert.notEqual(answer.content[0].id, answer.content[1]?.id);
});

test("tokens are counted, models are listed, and anything else is a 404 that is recorded", async (t) => {
  const model = await start(t, { turns: [] });
  const counted = await ask(model, { messages: [user("begin")] }, "/v1/messages/count_tokens");
  assert.match(await counted.text(), /^\{"input_tokens":[1-9]\d*\}$/);
  assert.match(await (await fetch(`${model.url}/v1/models`)).text(), /^\{"data":\[\{"type":"model"/);
  assert.equal((await fetch(model.url, { method: "HEAD" })).status, 200);
  assert.equal((await fetch(`${model.url}/nowhere`)).status, 404);
  assert.deepEqual(
    model.requests.map(({ method, path }) => `${method} ${path}`),
    ["POST /v1/messages/count_tokens", "GET /v1/models", "HEAD /", "GET /nowhere"],
  );
});

test("a body that is no JSON is a 400, and the model lives on", async (t) => {
  const model = await start(t, { turns: [{ text: "first" }] });
  const broken = await fetch(`${model.url}/v1/messages`, { method: "POST", body: "{" });
  assert.equal(broken.status, 400);
  assert.equal((await ask(model, { messages: [user("begin")] })).status, 200);
});

test("a model can be closed twice, also while a client keeps its connection", async () => {
  const model = await startScriptedModel({ turns: [] });
  await (await fetch(`${model.url}/v1/models`)).text();
  await model.close();
  await model.close();
  await assert.rejects(fetch(`${model.url}/v1/models`));
});
