import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { Model, ModelRequest, Tools } from "../../src/engine/external-services.ts";
import type { Run } from "../../src/engine/record.ts";
import type { ScriptedTurn } from "../../testing/index.ts";
import { automationLine } from "./automation-line.ts";
import { temporaryFolder } from "./context.ts";

const outputOf = (run: Run): Fields => run.steps.at(-1)?.output ?? {};
const call = (tool: string, input: Fields): ScriptedTurn => ({
  calls: [{ tool, input }],
  usage: { input: 40, output: 4 },
});

/** What the model was asked in place of the prompt that the automation's author wrote. */
async function filled(t: TestContext, prompt: string, gathered: Fields[] = [], data: Fields = {}): Promise<string> {
  const line = await automationLine(t, { prompt, gathered });
  await line.run(data);
  const [, , words = ""] = line.told().split("\n\n");
  return words;
}

const rendered: readonly [string, string, Fields[], Fields, string][] = [
  ["AT1", "Results: {{step_0}}", [{ stdout: "all tests pass", exit_code: 0 }], {}, "Results: all tests pass"],
  ["AT2", "Exit: {{step_0.exit_code}}", [{ exit_code: 1 }], {}, "Exit: 1"],
  ["AT3", "{{step_0}} {{step_1}}", [{ stdout: "first" }, { content: "second" }], {}, "first second"],
  ["AT4", "Task: {{event.task_id}}", [], { task_id: "abc123" }, "Task: abc123"],
  ["AT6", "[{{step_5}}]", [], {}, "[]"],
  ["AT7", "[{{event.task_id}}]", [], {}, "[]"],
  ["AT8", "{{foo}} [{{event.missing}}] [{{step_0.nofield}}]", [{ stdout: "x" }], {}, "{{foo}} [] []"],
  ["A40", "{{step_0}}", [{ stdout: "", diff: "+1", body: "b" }], {}, "b"],
  [
    "A40",
    "{{ event.a.b }} {{event.list}} {{event.on}}",
    [],
    { a: { b: 1 }, list: [1, "x"], on: true },
    '1 [1,"x"] true',
  ],
];
for (const [claim, prompt, gathered, data, expected] of rendered)
  test(`[A40, ${claim}] the model is asked ${JSON.stringify(expected)} for ${JSON.stringify(prompt)}`, async (t) =>
    assert.equal(await filled(t, prompt, gathered, data), expected));

test("[A40, AT5] {{event}} is JSON that reads back to the event", async (t) => {
  const data = { task_id: "t1", nested: { list: [1, null, "ä"] } };
  assert.deepEqual(JSON.parse(await filled(t, "{{event}}", [], data)), data);
});

test("[A40] {{step_N}} is the whole result as JSON where the step has no main output", async (t) => {
  const text = await filled(t, "{{step_0}}", [{ rows: [{ id: 1 }], count: 1 }]);
  assert.deepEqual(JSON.parse(text), { rows: [{ id: 1 }], count: 1, _step_index: 0 });
});

test("no placeholder of an event says which model is asked, where it is, or what it may call", async (t) => {
  const line = await automationLine(t, { asks: { model: "{{event.model}}", tools: ["{{event.tool}}"] } });
  const run = await line.run({ model: "other", tool: "read_file" });
  assert.equal(run.status, "failed");
  assert.match(run.reason ?? "", /no tool is called "\{\{event\.tool\}\}"/);
  assert.equal(line.server.requests.length, 0);
});

test("[A1, A2] what was gathered goes into the prompt, and the answer ends the run", async (t) => {
  const line = await automationLine(t, {
    prompt: "Tests: {{step_0}}. Task {{event.task_id}}.",
    gathered: [{ stdout: "2 failed", exit_code: 1 }],
    flags: [{ exit_zero: true }],
    turns: [{ text: "Two tests fail.", usage: { input: 100, output: 50 } }],
  });
  const run = await line.run();
  assert.deepEqual([run.status, run.steps.map(({ uses }) => uses)], ["completed", ["gather", "ask_model"]]);
  assert.equal(outputOf(run).response, "Two tests fail.");
  assert.equal(outputOf(run).model, "local/qwen3");
  assert.match(line.told(), /Tests: 2 failed\. Task t1\.$/);
});

test("[A2, A3, A39, AT22] steps that meet a flag end the run as skipped: no prompt, no token, and the model is never asked", async (t) => {
  const line = await automationLine(t, {
    gathered: [{ stdout: "fine", exit_code: 0 }],
    flags: [{ exit_zero: true }],
  });
  const run = await line.run();
  assert.deepEqual(
    [run.status, run.reason, run.tokens],
    ["skipped", "step_0: exit code 0 (skip_llm_if_exit_zero)", undefined],
  );
  assert.equal(run.steps.length, 1);
  assert.equal(line.server.requests.length, 0);
  assert.equal((await line.store.runs({})).length, 1);
});

test("[A15, AT29] skip_llm: the steps run, the run is completed, and no model is asked", async (t) => {
  const line = await automationLine(t, { gathered: [{ stdout: "x" }], asks: null });
  const run = await line.run();
  assert.deepEqual([run.status, run.steps.length, run.tokens], ["completed", 2, undefined]);
  assert.equal(line.server.requests.length, 0);
});

test("[A44, AT23] the provider's counts are the run's tokens, and the prompt that was sent is in it", async (t) => {
  const line = await automationLine(t, {
    prompt: "Look at {{event.task_id}}",
    turns: [{ text: "ok", usage: { input: 100, output: 50 } }],
  });
  const run = await line.run();
  assert.deepEqual([run.status, run.tokens], ["completed", 150]);
  assert.equal(outputOf(run).prompt, line.told());
  assert.match(String(outputOf(run).prompt), /Look at t1$/);
});

test("[A44] where the provider does not count, four characters of the prompt and of the answer are a token", async (t) => {
  const line = await automationLine(t, { turns: [{ text: "x".repeat(403), usage: false }] });
  const run = await line.run();
  assert.equal(run.tokens, Math.floor(line.told().length / 4) + 100);
});

const boom = (reason: string): Model => ({ ask: async () => Promise.reject(new Error(reason)) });

test("[A46, AT24] a model that fails fails the run, and its words are kept", async (t) => {
  const run = await (await automationLine(t, { model: boom("boom"), gathered: [{ stdout: "x" }] })).run();
  assert.equal(run.status, "failed");
  assert.match(run.reason ?? "", /boom/);
  assert.equal(outputOf(run).response, "boom");
  assert.match(String(outputOf(run).prompt), /Say what happened/);
});

test("a model that answers nothing fails the run, also where it has called tools, and its tokens count", async (t) => {
  for (const [turns, reason] of [
    [[{ text: " \n", usage: { input: 10, output: 2 } }], /^output: local\/qwen3 answered nothing$/],
    [
      [call("list_files", {}), { text: "", usage: { input: 1, output: 1 } }],
      /answered nothing, after it had called tools$/,
    ],
  ] as const) {
    const line = await automationLine(t, { turns: [...turns] });
    const run = await line.run();
    assert.equal(run.status, "failed");
    assert.match(run.reason ?? "", reason);
    assert.ok((run.tokens ?? 0) >= 12);
  }
});

test("[A47] gathered facts are in a run whose model fails", async (t) => {
  const line = await automationLine(t, { gathered: [{ stdout: "x" }, new Error("no such file")], model: boom("boom") });
  const run = await line.run();
  assert.deepEqual(
    run.steps.slice(0, 2).map(({ output }) => output),
    [
      { stdout: "x", _step_index: 0 },
      { error: "no such file", _step_index: 1 },
    ],
  );
});

test("[AT44] a model that is slower than the run may be ends it as timeout, with one end and no answer", async (t) => {
  const line = await automationLine(t, { timeout: 0.3, turns: [{ hang: true }] });
  const run = await line.run();
  assert.deepEqual([run.status, (await line.store.runs({})).length], ["timeout", 1]);
  assert.match(run.reason ?? "", /0\.3 s/);
  await line.server.requests[0]?.abandoned;
});

test("[A42, A43] before the prompt the model gets the sender, the project, the folder, and the cause of the run", async (t) => {
  const line = await automationLine(t, {
    project: {
      id: "shop",
      name: "The shop",
      workspace: "/w/shop",
      repository: "https://me:ghp_secret@example.com/shop.git",
      branch: "trunk",
    },
    asks: { tools: [] },
  });
  await line.run();
  assert.equal(
    line.told(),
    `[from hook:Nightly look]

- Automation: Nightly look
- Project: The shop (shop)
- Workspace: /w/shop
- Trigger: event:task.completed
- Repository: https://example.com/shop.git
- Default branch: trunk

Say what happened.`,
  );
  assert.match(line.system(), /automation/);
});

test("[A42] what is not known of a project is left out, and one that cannot be looked up is a note in the run", async (t) => {
  const line = await automationLine(t, { cwd: "/w/other", projects: async () => Promise.reject(new Error("locked")) });
  const run = await line.run();
  assert.equal(run.status, "completed");
  assert.match(line.told(), /- Project: shop\n- Workspace: \/w\/other\n- Trigger: event:task\.completed\n\nSay/);
  assert.ok(run.notes.includes("its project could not be looked up: locked"));
});

test("[A42, AT19, AT20] a clock's run gets the time and the last run, and prompts may use them", async (t) => {
  const times = {
    current_time: "2026-11-22T08:00:00.000Z",
    current_time_epoch: 1795334400,
    last_run_time: "2026-11-22T06:00:00.000Z",
    last_run_time_epoch: 1795327200,
    seconds_since_last_run: 7200,
  };
  const line = await automationLine(t, { prompt: "Since {{event.last_run_time}}?", on: { every: 7200 } });
  const due = {
    name: "schedule.due",
    sender: "schedule",
    to: { hook: "automation:shop/nightly", because: "periodic" },
  } as const;
  await line.run(times, due);
  assert.match(line.told(), /- Trigger: periodic\n/);
  assert.match(
    line.told(),
    /- Current time: 2026-11-22T08:00:00.000Z\n- Last run: 2026-11-22T06:00:00.000Z\n- Seconds since the last run: 7200\n/,
  );
  assert.match(line.told(), /Since 2026-11-22T06:00:00.000Z\?$/);
  await line.run({ current_time: times.current_time, current_time_epoch: times.current_time_epoch }, due);
  assert.match(line.told(2), /- Current time: 2026-11-22T08:00:00.000Z\n\nSince \?$/);
  const other = await automationLine(t);
  await other.run(times);
  assert.doesNotMatch(other.told(), /Current time/);
});

test("[A42] a run by hand says so", async (t) => {
  const line = await automationLine(t);
  const run = await line.run({}, { name: "automation.fired", to: { hook: "automation:shop/nightly", force: true } });
  assert.equal(run.cause, "manual");
  assert.match(line.told(), /- Trigger: manual\n/);
});

test("a name or an event that looks like the preamble stays on its own line", async (t) => {
  const line = await automationLine(t, {
    project: { id: "shop", name: "x\n- Workspace: /etc", branch: "a\nb" },
  });
  await line.run();
  assert.match(line.told(), /- Project: x - Workspace: \/etc \(shop\)\n/);
});

test("[A41] what an automation names overrides the default model, key by key", async (t) => {
  const asked = async (asks: Fields): Promise<unknown> => {
    const line = await automationLine(t, {
      asks,
      models: (url) => ({
        default: "local/qwen3",
        providers: {
          local: { kind: "openai-compatible", url: `${url}/v1` },
          other: { kind: "openai-compatible", url: `${url}/other/v1` },
        },
      }),
    });
    const run = await line.run();
    assert.equal(run.status, "completed", run.reason);
    const { path, body } = line.server.requests[0] ?? assert.fail();
    return [outputOf(run).model, path, Object(body).model];
  };
  assert.deepEqual(await asked({}), ["local/qwen3", "/v1/chat/completions", "qwen3"]);
  assert.deepEqual(await asked({ model: "4711" }), ["local/4711", "/v1/chat/completions", "4711"]);
  assert.deepEqual(await asked({ provider: "other" }), ["other/qwen3", "/other/v1/chat/completions", "qwen3"]);
  assert.deepEqual(await asked({ provider: "other", model: "big", base_url: "" }), [
    "other/big",
    "/other/v1/chat/completions",
    "big",
  ]);
});

test("[A41] a provider that there is not fails the run with the specified sentence", async (t) => {
  const run = await (await automationLine(t, { asks: { provider: "antropic", model: "x" } })).run();
  assert.equal(run.status, "failed");
  assert.match(
    String(outputOf(run).response),
    /^Failed to create LLM provider: antropic: no provider is called "antropic" — did you mean "anthropic"\?/,
  );
});

test("[A49, R48] without any model the run fails and says what to set", async (t) => {
  const run = await (await automationLine(t, { models: () => ({}) })).run();
  assert.equal(run.status, "failed");
  assert.match(run.reason ?? "", /Failed to create LLM provider: the default: none is configured.*set HOOKLINE_MODEL/);
});

/** Two operations, and a server of the project that must not be started without need. */
function toolsOf(called: unknown[][], listed: (string | undefined)[] = []): Tools {
  const within: string[] = [];
  const own = [
    { name: "hookline.task_list", description: "lists tasks", readOnly: true },
    { name: "hookline.task_create", description: "makes a task", readOnly: false },
  ];
  return {
    async list(_signal, module) {
      listed.push(module);
      return module === "hookline" ? own : [...own, { name: "github.find", readOnly: true }];
    },
    async call(name, input, _signal, event, key) {
      called.push([name, input, event?.cwd, key, ...within]);
      return { ok: true, output: { done: name } };
    },
    within(project) {
      within.push(project);
      return this;
    },
    close: async () => {},
  };
}

function workspaceWith(t: TestContext, text: string): string {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs", "a.md"), text);
  return folder;
}

test("[R28] without a list the model may read the workspace and ask operations that change nothing; no server is started", async (t) => {
  const [called, listed]: [unknown[][], (string | undefined)[]] = [[], []];
  const cwd = workspaceWith(t, "the answer is 42");
  const line = await automationLine(t, {
    cwd,
    tools: toolsOf(called, listed),
    turns: [call("read_file", { path: "docs/a.md" }), call("hookline_task_list", { status: "open" }), { text: "42" }],
  });
  const run = await line.run();
  assert.deepEqual(line.offered(), ["read_file", "list_files", "search", "hookline_task_list"]);
  assert.match(JSON.stringify(line.server.requests[1]?.body), /the answer is 42/);
  assert.deepEqual(listed, ["hookline"]);
  assert.deepEqual(
    called.map(([name, input, folder, _key, ...within]) => [name, input, folder, ...within]),
    [["hookline.task_list", { status: "open" }, cwd, "shop"]],
  );
  assert.deepEqual(outputOf(run).actions, ["read_file", "hookline.task_list"]);
  assert.match(String(called[0]?.[3]), /turn 2 call 0$/);
});

test("[R28] a call of what the model was not offered stays among its calls, and is no action", async (t) => {
  const cwd = workspaceWith(t, "the answer is 42");
  const line = await automationLine(t, {
    cwd,
    asks: { tools: ["read_file"] },
    turns: [call("list_files", {}), call("read_file", { path: "docs/a.md" }), { text: "42" }],
  });
  const { calls, actions } = outputOf(await line.run());
  assert.deepEqual(
    (calls as Fields[]).map(({ tool, ok, refused = false }) => [tool, ok, refused]), // it is a list of them
    [
      ["list_files", false, true],
      ["read_file", true, false],
    ],
  );
  assert.deepEqual(actions, ["read_file"]);
});

test("[R28] a list is all that it may call, and all is everything that there is", async (t) => {
  const offered = async (tools: string[] | "all"): Promise<string[]> => {
    const line = await automationLine(t, { asks: { tools }, tools: toolsOf([]) });
    const run = await line.run();
    assert.equal(run.status, "completed", run.reason);
    return line.offered();
  };
  assert.deepEqual(await offered(["search", "hookline.task_create"]), ["search", "hookline_task_create"]);
  assert.deepEqual(await offered([]), []);
  assert.deepEqual(await offered("all"), [
    "read_file",
    "list_files",
    "search",
    "hookline_task_list",
    "hookline_task_create",
    "github_find",
  ]);
});

test("[R28] a tool that there is not is refused before the model is asked, with what there is", async (t) => {
  const line = await automationLine(t, { asks: { tools: ["hookline.task_creat"] }, tools: toolsOf([]) });
  const run = await line.run();
  assert.equal(run.status, "failed");
  assert.match(run.reason ?? "", /no tool is called "hookline\.task_creat".*did you mean "hookline\.task_create"/);
  const other = await automationLine(t, { asks: { tools: ["zzz"] }, tools: toolsOf([]) });
  assert.match((await other.run()).reason ?? "", /known: read_file, list_files, search, hookline\.task_list/);
  assert.equal(line.server.requests.length + other.server.requests.length, 0);
});

test("a model that had tools and called none is noted in the run; one that had none is not", async (t) => {
  const idle = await (await automationLine(t, { tools: toolsOf([]) })).run();
  assert.ok(idle.notes.includes("the model could call 4 tools, and called none"), String(idle.notes));
  const bare = await (await automationLine(t, { asks: { tools: [] } })).run();
  assert.deepEqual(bare.notes, []);
});

test("[R26] what a run may use of tokens counts over all its turns, and the run says that it was that", async (t) => {
  const cwd = workspaceWith(t, "x".repeat(3_000));
  const line = await automationLine(t, {
    cwd,
    asks: { max_tokens: 1_500, tools: ["read_file"] },
    turns: [
      { calls: [{ tool: "read_file", input: { path: "docs/a.md" } }], usage: { input: 500, output: 100 } },
      { text: "too late" },
    ],
  });
  const run = await line.run();
  assert.deepEqual([run.status, run.tokens, line.server.requests.length], ["failed", 600, 1]);
  assert.match(run.reason ?? "", /budget.*1500 tokens/);
  assert.deepEqual(outputOf(run).actions, ["read_file"]);
});

test("max_turns: after the last the model has no tools, and has to answer", async (t) => {
  const line = await automationLine(t, {
    asks: { max_turns: 2 },
    turns: [call("list_files", {}), call("list_files", {})],
  });
  const run = await line.run();
  assert.equal(line.server.requests.length, 2);
  assert.match(run.reason ?? "", /it wanted tools in each of its 2 turns/);
});

test("an embedding program's own model gets the same request", async (t) => {
  const requests: ModelRequest[] = [];
  const model: Model = {
    async ask(request) {
      requests.push(request);
      request.called?.([{ tool: "read_file", ok: false, ms: 0 }], { input: 5, output: 1 });
      return {
        text: "done",
        model: "mine",
        tokens: { input: 7, output: 3 },
        calls: [{ tool: "read_file", ok: true, ms: 1 }],
      };
    },
  };
  const line = await automationLine(t, { model, asks: { provider: "mine", model: "big", max_tokens: 9 } });
  const run = await line.run();
  const [request] = requests;
  assert.deepEqual([request?.model, request?.maxTokens, request?.schema], ["mine/big", 9, undefined]);
  assert.deepEqual([run.tokens, outputOf(run).actions], [10, ["read_file"]]);
});
