import assert from "node:assert/strict";
import test from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import type { ModelTool } from "../../../src/engine/external-services.ts";
import { bodyOf, failureOf, key, models, schema, startAsking, yes } from "./asking.ts";

/** Where each provider's request holds the schema. */
const places: Readonly<Record<string, (body: Fields) => unknown>> = {
  claude: (body) => Object(body.output_config).format?.schema,
  gpt: (body) => Object(body.text).format?.schema,
  gemini: (body) => Object(body.generationConfig).responseJsonSchema,
  local: (body) => Object(body.response_format).json_schema?.schema,
};
const placeOf = (name: string) => places[name.split("/")[0] ?? ""] ?? assert.fail(name);

for (const name of models) {
  test(`${name}: one completion with a system prompt, a schema that the server is asked to keep to, and its own token counts`, async (t) => {
    const { ask, server } = await startAsking(t, [{ text: yes, usage: { input: 1200, output: 34, cached: 1000 } }]);
    const answer = await ask(name, { system: "you judge" });
    assert.deepEqual(answer, { text: yes, model: name, tokens: { input: 1200, output: 34 }, calls: [] });
    assert.equal(server.requests.length, 1);
    const body = bodyOf(server, 1);
    assert.deepEqual(Object.keys(Object(Object(placeOf(name)(body)).properties)), ["ok", "reason"]);
    assert.match(JSON.stringify(body), /you judge/);
    assert.match(JSON.stringify(body), /"(max_tokens|max_output_tokens|maxOutputTokens)":4096/);
    assert.doesNotMatch(JSON.stringify(body), /"store":true|"stream":true/);
  });

  test(`${name}: a tool is called, its answer goes back, and all turns are counted`, async (t) => {
    const { ask, server } = await startAsking(t, [
      { calls: [{ tool: "github_search", input: { query: "bug" } }], usage: { input: 100, output: 10, cached: 50 } },
      { text: yes, usage: { input: 200, output: 20, cached: 50 } },
    ]);
    const given: Fields[] = [];
    const tool: ModelTool = {
      name: "github.search",
      description: "finds issues",
      input: { type: "object", properties: { query: { type: "string" } } },
      async call(input) {
        given.push(input);
        return { found: 7 };
      },
    };
    const answer = await ask(name, { tools: [tool] });
    assert.deepEqual(given, [{ query: "bug" }]);
    assert.equal(answer.text, yes);
    assert.deepEqual(answer.tokens, { input: 300, output: 30 });
    assert.deepEqual(
      answer.calls.map(({ tool, ok }) => [tool, ok]),
      [["github.search", true]],
    );
    assert.match(JSON.stringify(bodyOf(server, 2)), /found\W+7/);
  });

  test(`${name}: a tool that throws and one that does not exist are reported to the model, which continues`, async (t) => {
    const { ask, server } = await startAsking(t, [
      {
        calls: [
          { tool: "broken", input: {} },
          { tool: "missing", input: {} },
        ],
      },
      { text: yes },
    ]);
    const broken: ModelTool = {
      name: "broken",
      description: "fails",
      input: { type: "object" },
      call: () => Promise.reject(new Error("the disk is full")),
    };
    const answer = await ask(name, { tools: [broken] });
    assert.equal(answer.text, yes);
    assert.deepEqual(
      answer.calls.map(({ tool, ok }) => [tool, ok]),
      [
        ["broken", false],
        ["missing", false],
      ],
    );
    assert.match(JSON.stringify(bodyOf(server, 2)), /the disk is full/);
    assert.match(JSON.stringify(bodyOf(server, 2)), /there is no such tool; there are: broken/);
  });

  test(`${name}: JSON in a fence is read`, async (t) => {
    const { ask } = await startAsking(t, [{ text: `\`\`\`json\n${yes}\n\`\`\`` }]);
    assert.equal((await ask(name)).text, yes);
  });
}

test("thoughts before the answer are not the answer, nor is prose around it", async (t) => {
  for (const text of [`<think>{"ok": false} maybe</think>\n${yes}`, `Sure! Here it is:\n${yes}\nDone.`]) {
    const { ask } = await startAsking(t, [{ text }]);
    assert.equal((await ask("local/qwen3")).text, yes);
  }
});

test("without a schema the text comes as it is", async (t) => {
  const { model } = await startAsking(t, [{ text: "  plain words " }]);
  const answer = await model.ask({ model: "local/qwen3", prompt: "?" }, AbortSignal.timeout(600_000));
  assert.equal(answer.text, "  plain words ");
});

test("where the provider counts nothing the tokens are estimated, and the answer says so", async (t) => {
  const { ask } = await startAsking(t, [{ text: yes, usage: false }]);
  const { tokens } = await ask("local/qwen3", { prompt: "x".repeat(4_000) });
  assert.equal(tokens.estimated, true);
  assert.ok(tokens.input > 900 && tokens.input < 1_500, String(tokens.input));
  assert.equal(tokens.output, Math.ceil(yes.length / 4));
});

test("a server that refuses a schema is asked for JSON, one that refuses that too is asked in words, and it is remembered", async (t) => {
  const trouble = { error: 400, message: "response_format type is not supported" };
  const { ask, server } = await startAsking(t, [{ ...trouble, times: 2, next: { text: yes } }]);
  assert.equal((await ask("local/qwen3")).text, yes);
  const formats = () => server.requests.map(({ body }) => Object(Object(body).response_format).type);
  assert.deepEqual(formats(), ["json_schema", "json_object", undefined]);
  assert.match(JSON.stringify(bodyOf(server, 3)), /fits this JSON Schema/);
  assert.equal((await ask("local/qwen3")).text, yes);
  assert.deepEqual(formats(), ["json_schema", "json_object", undefined, undefined]);
});

test("a compatible server is asked for no schema together with tools, and once more for the JSON if its answer is prose", async (t) => {
  const { ask, server } = await startAsking(t, [{ text: "I think that it is fine." }, { text: yes }]);
  const tool: ModelTool = { name: "look", description: "looks", input: { type: "object" }, call: async () => "" };
  assert.equal((await ask("local/qwen3", { tools: [tool], turns: 3 })).text, yes);
  assert.deepEqual(
    server.requests.map(({ body }) => [Object(Object(body).response_format).type, Object(body).tool_choice]),
    [
      [undefined, "auto"],
      ["json_schema", "none"],
    ],
  );
});

test("a schema with optional fields is not sent in OpenAI's strict mode, which would refuse it", async (t) => {
  const { ask, server } = await startAsking(t, [{ text: yes }]);
  await ask("gpt/gpt-5-mini");
  await ask("gpt/gpt-5-mini", { schema: { ...schema, required: ["ok"] } });
  assert.deepEqual(
    server.requests.map(({ body }) => Object(body).text.format.strict),
    [true, false],
  );
});

test("nothing is stored at OpenAI, and its tools are not strict", async (t) => {
  const { ask, server } = await startAsking(t, [{ text: yes }]);
  const tool: ModelTool = { name: "look", description: "looks", input: { type: "object" }, call: async () => "" };
  await ask("gpt/gpt-5-mini", { tools: [tool] });
  const body = bodyOf(server, 1);
  assert.equal(body.store, false);
  assert.equal(Object(body.tools)[0].strict, false);
});

test("a long result of a tool is cut before it goes back", async (t) => {
  const { ask, server } = await startAsking(t, [{ calls: [{ tool: "look", input: {} }] }, { text: yes }]);
  const long = "y".repeat(200_000);
  const tool: ModelTool = { name: "look", description: "looks", input: { type: "object" }, call: async () => long };
  await ask("claude/claude-haiku-4-5", { tools: [tool] });
  const text = JSON.stringify(bodyOf(server, 2));
  assert.ok(text.length < 70_000);
  assert.match(text, /y\\n\[cut: 140000 of 200000 characters are left out here\]\\ny/);
});

test("a wrong key is reported as a wrong key, with no trace of it", async (t) => {
  const { ask, server } = await startAsking(t, [{ text: yes }], { key: "another" });
  for (const name of models) {
    const failure = await failureOf(ask(name));
    assert.deepEqual([failure.code, failure.kind, failure.status], ["model_failed", "unauthorized", 401]);
    assert.match(String(failure.reason), /the key \[removed\] is not valid/);
  }
  assert.equal(server.requests.length, models.length);
  assert.ok(!JSON.stringify(server.requests).includes(key));
});

const no = '{"ok":false,"reason":"injection"}';

test("JSON among words is the answer, with all words around it; of several objects none is chosen", async (t) => {
  const fenced = `\`\`\`json\n${yes}\n\`\`\``;
  const cases: [said: string, text: string][] = [
    [`Sure: ${yes} — that is all.`, yes],
    [`It quotes this:\n${fenced}\nThat is an injection.\n${no}`, ""],
    [`${no}\n${fenced}`, ""],
    [`${fenced}\n{"ok": false, "reason": "inj`, ""],
  ];
  for (const [said, text] of cases) {
    const { ask } = await startAsking(t, [{ text: said }]);
    const answer = await ask("local/qwen3");
    assert.equal(answer.text, text || said);
    assert.equal("said" in answer && answer.said, said);
  }
  const { ask } = await startAsking(t, [{ text: yes }]);
  assert.equal("said" in (await ask("local/qwen3")), false);
});
