import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Engine } from "../../src/engine/engine.ts";
import { type Fields, firstTurn, type Json } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Run, Store } from "../../src/engine/record.ts";
import { createOperations } from "../../src/operations/index.ts";
import { automationRun, automationRuns } from "../../src/operations/runs/automation-runs.ts";
import type { Reader, Shown } from "../../src/operations/shown.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../actions/context.ts";

const never = new AbortController().signal;
const stores: readonly [string, (t: TestContext) => Store][] = [
  ["memory", () => openMemoryStore()],
  ["SQLite", (t) => openSqliteStore({ path: join(temporaryFolder(t), "store.db") })],
];

/** A run of an automation, with the event that set it off. */
async function add(store: Store, id: string, more: Partial<Run> = {}, data: Fields = { task_id: "t1" }): Promise<Run> {
  const event = { id: `event-${id}`, name: "task.completed", at: 5_000, cwd: "/w", data, sender: "test" } as const;
  await store.record(event, { id: "set", hooks: [] }, () => firstTurn);
  const run: Run = {
    id,
    hook: "automation:shop/nightly",
    hookName: "Nightly look",
    eventId: event.id,
    eventName: event.name,
    status: "completed",
    cause: "event:task.completed",
    startedAt: 1_795_334_400_500,
    ms: 2_000,
    steps: [
      { uses: "context_shell", ok: true, output: { stdout: "x", exit_code: 0, _step_index: 0 }, ms: 3 },
      {
        uses: "ask_model",
        ok: true,
        output: { prompt: "the prompt", response: "the answer", model: "a/b", actions: ["hookline.task_create"] },
        ms: 4,
        tokens: 150,
      },
    ],
    notes: [],
    asked: 1,
    ...more,
  };
  await store.saveRun(run);
  return (await store.run(id)) ?? run;
}

for (const [name, open] of stores) {
  test(`[A45] ${name}: a run has the fields of the specification, with times in unix seconds`, async (t) => {
    const store = open(t);
    t.after(() => store.close());
    assert.deepEqual(await automationRun(await add(store, "0123456789ab"), store), {
      id: "0123456789ab",
      hook_id: "nightly",
      project_id: "shop",
      trigger_reason: "event:task.completed",
      status: "completed",
      event_data: { task_id: "t1" },
      context_results: [{ stdout: "x", exit_code: 0, _step_index: 0 }],
      prompt_sent: "the prompt",
      llm_response: "the answer",
      actions_taken: ["hookline.task_create"],
      skipped_reason: null,
      tokens_used: 150,
      started_at: 1_795_334_400.5,
      completed_at: 1_795_334_402.5,
    });
  });

  test(`[A54] ${name}: runs are listed newest first, by default ten, of one automation, of one project, or of all`, async (t) => {
    const store = open(t);
    t.after(() => store.close());
    for (let number = 0; number < 12; number++) await add(store, `run-${number}`);
    await add(store, "other-hook", { hook: "automation:shop/weekly" });
    await add(store, "other-project", { hook: "automation:shop2/nightly" });
    await add(store, "no-automation", { hook: "rules:automation:shop/nightly" });
    const list = async (params: Fields): Promise<string[]> => {
      const found = await ask(store, params);
      return (Array.isArray(found) ? found : []).map((run) => String(Object(run).id));
    };
    const [newest, ...rest] = await list({ project: "shop", id: "nightly" });
    assert.deepEqual([newest, rest.length], ["run-11", 9]);
    await assert.rejects(
      list({ id: "nightly" }),
      /2 automations are called "nightly" — .* — use shop2\/nightly or shop\/nightly/,
    );
    assert.deepEqual(await list({ id: "shop/weekly" }), ["other-hook"]);
    assert.deepEqual(await list({ id: "automation:shop/weekly" }), ["other-hook"]);
    assert.deepEqual(await list({ project: "shop", limit: 1 }), ["other-hook"]);
    assert.equal((await list({ limit: 100 })).length, 14);
    assert.deepEqual(await list({ project: "nobody" }), []);
  });
}

function ask(store: Store, params: Fields, hooks: Hook[] = []): Promise<Json> {
  const operations = createOperations({
    engine: {} as Engine, // not asked
    ...{ store, cwd: "/", home: "/home" },
    active: () => ({ set: { id: "set", hooks } }),
  });
  return operations.call("hookline.automation_runs", params, never).then(({ output }) => output);
}

test("[A48] an unknown automation is reported as not found; one that has not run has an empty list", async () => {
  const store = openMemoryStore();
  await assert.rejects(ask(store, { id: "nightl" }), /Hook 'nightl' not found/);
  const origin = { dialect: "automation", layer: "project", file: "/shop/a.yaml" };
  const known = { id: "automation:shop/nightly", durable: true, origin } as Hook; // no more of it is looked at
  assert.deepEqual(await ask(store, { id: "nightly" }, [known]), []);
});

const views: readonly [string, Partial<Run>, Fields][] = [
  [
    "[A45] an event that carries nothing is null",
    { cause: "manual", steps: [] },
    { event_data: null, trigger_reason: "manual", context_results: [], prompt_sent: null, actions_taken: null },
  ],
  [
    "[A39, A46] skipped: the reason, and neither prompt nor response",
    { status: "skipped", reason: "step_0: exit code 0 (skip_llm_if_exit_zero)", steps: [] },
    { skipped_reason: "step_0: exit code 0 (skip_llm_if_exit_zero)", llm_response: null, tokens_used: 0 },
  ],
  [
    "[A46] failed: the message stands in the place of the response",
    {
      status: "failed",
      reason: "error: boom",
      steps: [{ uses: "ask_model", ok: false, output: { prompt: "p", response: "boom" }, ms: 1 }],
    },
    { llm_response: "boom", prompt_sent: "p", skipped_reason: null },
  ],
  [
    "[A46, R26] timeout, before the model was reached",
    { status: "timeout", reason: "step 0 (shell) reached the run's time limit of 300 s", steps: [] },
    { llm_response: "step 0 (shell) reached the run's time limit of 300 s" },
  ],
  [
    "[A46] interrupted",
    { status: "interrupted", reason: "its process ended", steps: [] },
    { llm_response: "its process ended", completed_at: 1_795_334_402.5 },
  ],
  [
    "[A46] running: what there is so far, and no end",
    {
      status: "running",
      steps: [{ uses: "ask_model", ok: true, output: { prompt: "p", actions: ["read_file"] }, ms: 0 }],
    },
    { prompt_sent: "p", llm_response: null, actions_taken: ["read_file"], completed_at: null },
  ],
];
for (const [name, more, expected] of views)
  test(name, async () => {
    const store = openMemoryStore();
    const run = await add(store, "run-1", more, {});
    const view: Fields = { ...((await automationRun(run, store)) ?? assert.fail()) };
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(view[key], value, key);
  });

test("a run of any other hook has no such view", async () => {
  const store = openMemoryStore();
  assert.equal(await automationRun(await add(store, "run-1", { hook: "guard" }), store), undefined);
});

test("people read the runs line by line", async () => {
  const store = openMemoryStore();
  await add(store, "run-1");
  const reader = {} as Reader<object>; // it is not asked
  const shown = async (): Promise<readonly Shown[]> =>
    (await automationRuns.show?.(await ask(store, {}), reader)) ?? [];
  const lines = (await shown()).map(String);
  assert.match(lines[0] ?? "", /^run-1 {2}shop\/nightly {2}completed/);
  assert.ok(lines.some((line) => /prompt +the prompt/.test(line)));
  assert.ok(lines.some((line) => /called +hookline\.task_create/.test(line)));
  assert.deepEqual(await automationRuns.show?.([], reader), ["no automation has run"]);
});
