import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTask, dbQuery, memorySearch } from "../../../src/actions/context-steps/projects.ts";
import type { Fields } from "../../../src/engine/event.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import { queryNames } from "../../../src/engine/named.ts";
import type { StepRecord } from "../../../src/engine/record.ts";
import { withoutStore } from "../../../src/services/projects/records.ts";
import { contextOf } from "../../actions/context.ts";
import { eventOf, hookOn, type World, worldOf } from "./world.ts";

interface Ran {
  world: World;
  steps: readonly StepRecord[];
  outputs: readonly Fields[];
}

/** Two projects, and one run of these steps on an event with this payload. */
async function ran(context: TestContext, steps: Fields[], data: Fields = {}, more: Partial<Hook> = {}): Promise<Ran> {
  const hook = hookOn("automation:app/h", "something.happened", steps, { project: "app", ...more });
  const world = await worldOf(context, { hooks: [hook] });
  await world.ask("project_create", { name: "app", workspace: world.place("app") });
  await world.ask("project_create", { name: "other", workspace: world.place("other") });
  await world.engine.emit(eventOf(data));
  const [run] = (await world.runs()).filter(({ hook: id }) => id === hook.id);
  assert.ok(run);
  return { world, steps: run.steps, outputs: run.steps.map(({ output }) => output) };
}

const taskOf = async (world: World, output: Fields | undefined): Promise<Fields> =>
  (await world.ask("task_show", { id: String(output?.task_id) })) as Fields; // a view

test("[A35, AT27] create_task makes a task that is DEFINED, with its title and priority, and says its id", async (context) => {
  const { world, outputs } = await ran(context, [
    { uses: "create_task", title_template: "Fix it", project_id: "app", priority: 25 },
  ]);
  assert.deepEqual([outputs[0]?.created, outputs[0]?._step_index], [true, 0]);
  const task = await taskOf(world, outputs[0]);
  assert.deepEqual([task.status, task.title, task.priority, task.project_id], ["DEFINED", "Fix it", 25, "app"]);
});

test("[A35] create_task without parameters: the specified title and priority, in the automation's own project", async (context) => {
  const { world, outputs } = await ran(context, [{ uses: "create_task" }]);
  const task = await taskOf(world, outputs[0]);
  assert.deepEqual(
    [task.title, task.description, task.priority, task.project_id, task.parent_task_id, task.context_entries],
    ["Hook-created task", "", 100, "app", null, []],
  );
});

test("[A35, AT28] create_task fills placeholders in every field, of the event and of earlier steps", async (context) => {
  const steps = [
    { uses: "db_query", query: "project_tasks_by_status", params: { project_id: "app", status: "DEFINED" } },
    {
      uses: "create_task",
      title_template: "{{event.branch_name}}",
      description_template: "{{step_0.count}} tasks, {{event.list}}",
      project_id: "{{event.project}}",
      parent_task_id: "{{event.task_id}}",
      profile_id: "{{event.number}}",
      preferred_workspace_id: "{{event.missing}}",
      branch_name: "{{event.branch_name}}",
      priority: "{{event.number}}",
      context_entries: [{ type: "{{event.kind}}", label: "{{event.number}}", content: "{{event.list}}" }],
    },
  ];
  const data = {
    branch_name: "fix/login",
    task_id: "abc123",
    number: 7,
    kind: "log",
    list: ["a", 1],
    project: "other",
  };
  const { world, outputs } = await ran(context, steps, data);
  const task = await taskOf(world, outputs[1]);
  assert.deepEqual(
    {
      title: task.title,
      description: task.description,
      project: task.project_id,
      parent: task.parent_task_id,
      profile: task.profile_id,
      workspace: task.preferred_workspace_id,
      branch: task.branch_name,
      priority: task.priority,
      context: task.context_entries,
    },
    {
      title: "fix/login",
      description: '0 tasks, ["a",1]',
      project: "other",
      parent: "abc123",
      profile: "7",
      workspace: null,
      branch: "fix/login",
      priority: 7,
      context: [{ type: "log", label: "7", content: '["a",1]' }],
    },
  );
});

test("[A35] create_task says what is wrong as `error`, and makes nothing", async (context) => {
  const steps = [
    { uses: "create_task", project_id: "none" },
    { uses: "create_task", priority: "{{event.word}}" },
  ];
  const { world, outputs } = await ran(context, steps, { word: "soon" });
  assert.match(String(outputs[0]?.error), /no project is called "none"/);
  assert.match(String(outputs[1]?.error), /priority needs a whole number but is "soon"/);
  assert.deepEqual([outputs[0]?._step_index, outputs[1]?._step_index], [0, 1]);
  assert.deepEqual(await world.ask("task_list", { project: "app" }), []);
});

test("[A35] create_task of an automation in a file makes its project if it does not exist yet", async (context) => {
  const made = hookOn("automation:shop/h", "something.happened", [{ uses: "create_task" }, { uses: "create_task" }]);
  const world = await worldOf(context, { hooks: [made] });
  const root = world.place("shop");
  Object.assign(made, { project: "shop", origin: { ...made.origin, layer: "project", root } });
  await world.engine.emit(eventOf({}));
  const [run] = await world.runs();
  assert.deepEqual(
    run?.steps.map(({ output }) => output.created),
    [true, true],
  );
  const projects = (await world.ask("project_list")) as Fields[]; // rows
  assert.deepEqual(
    projects.map(({ id, workspace }) => [id, workspace]),
    [["shop", root]],
  );
  assert.equal(((await world.ask("task_list", { project: "shop" })) as Fields[]).length, 2);
});

test("[A35] create_task for a project that its author has named, and that is not there, says what to do", async (context) => {
  const { world, outputs } = await ran(context, [{ uses: "create_task", project_id: "shop" }]);
  assert.equal(outputs[0]?.error, 'no project is called "shop"; project list shows them, and project create makes one');
  assert.equal(((await world.ask("project_list")) as Fields[]).length, 2);
});

test("a create_task step that is repeated after a crash makes no second task", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "no task yet" }]);
  const base = contextOf({ data: {} });
  const step = {
    ...base,
    ports: { ...base.ports, projects: async () => world.board },
    hook: { ...base.hook, project: "app" },
  };
  const first = await createTask.run({ title_template: "once" }, step);
  const again = await createTask.run({ title_template: "once" }, step);
  assert.equal(first.output.task_id, again.output.task_id);
  const later = { ...step, scope: { ...base.scope, results: [{ uses: "x", ok: true, output: {}, ms: 0 }] } };
  const other = await createTask.run({ title_template: "once" }, later);
  assert.notEqual(other.output.task_id, first.output.task_id);
  assert.equal(((await world.ask("task_list", { project: "app" })) as Fields[]).length, 2); // rows
});

test("[A28, A29, AT38] db_query: rows and their count, with parameters that see the event and earlier steps", async (context) => {
  const steps = [
    { uses: "create_task", title_template: "from a step", priority: 3 },
    { uses: "db_query", query: "task_detail", params: { task_id: "{{step_0.task_id}}" } },
    {
      uses: "db_query",
      query: "project_tasks_by_status",
      params: { project_id: "{{event.project}}", status: "DEFINED" },
    },
    { uses: "db_query", query: "failed_tasks" },
  ];
  const { outputs } = await ran(context, steps, { project: "app" });
  const [created, detail, byStatus, failed] = outputs;
  assert.equal(detail?.count, 1);
  const [row] = (detail?.rows ?? []) as Fields[]; // as specified
  assert.deepEqual([row?.task_id, row?.title, row?.context_entries], [created?.task_id, "from a step", []]);
  assert.deepEqual([byStatus?.count, failed?.count, failed?.rows], [1, 0, []]);
});

test("[A28, AT38] recent_hook_activity after a run has its hook's name and timing", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "m" }]);
  const rows = await world.board.query("recent_hook_activity", {});
  const [row] = rows;
  assert.deepEqual(
    [rows.length, row?.hook_id, row?.hook_name, row?.project_id, row?.status, row?.trigger_reason],
    [1, "automation:app/h", "automation:app/h", "app", "completed", "event:something.happened"],
  );
  assert.ok(Number(row?.completed_at) >= Number(row?.started_at) && Number(row?.duration_seconds) >= 0);
  assert.ok(Math.abs(Number(row?.started_at) - Date.now() / 1000) < 60, "unix seconds");
});

test("[A28] hook_runs finds an automation by its own id and by its whole one, the last ten", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "m" }]);
  for (let number = 0; number < 11; number++) await world.engine.emit(eventOf({ number }));
  for (const hook_id of ["h", "automation:app/h"])
    assert.equal((await world.board.query("hook_runs", { hook_id })).length, 10);
  assert.deepEqual(await world.board.query("hook_runs", { hook_id: "x" }), []);
});

test("[A28] recent_events returns the last 50 with their payloads, newest first", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "m" }]);
  for (let number = 0; number < 55; number++) await world.engine.emit(eventOf({ number }, { name: "a.tick" }));
  await world.engine.emit(eventOf({ text: "x".repeat(20_000) }, { name: "a.large" }));
  const rows = await world.board.query("recent_events", {});
  assert.deepEqual([rows.length, rows[0]?.event_type, rows[1]?.payload], [50, "a.large", { number: 54 }]);
  assert.match(String(rows[0]?.payload), /\(cut at 10000 characters\)$/);
});

test("[A28] recent_task_results and failed_tasks: the last 20 that ended, with what came of them", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "m" }]);
  const ids: string[] = [];
  for (let number = 0; number < 23; number++) {
    const { id } = await world.board.createTask({ title: `t${number}`, project: "app" }, `k${number}`);
    ids.push(id);
    if (number % 2 === 0) await world.ask("task_complete", { id, result: `r${number}` });
    else await world.ask("task_fail", { id, error: `e${number}` });
  }
  const results = await world.board.query("recent_task_results", {});
  assert.deepEqual(
    results.map(({ task_id }) => task_id),
    ids.reverse().slice(0, 20),
  );
  assert.deepEqual([results[0]?.result, results[1]?.error, results[1]?.status], ["r22", "e21", "FAILED"]);
  const failed = await world.board.query("failed_tasks", {});
  assert.deepEqual([failed.length, failed[0]?.error], [11, "e21"]);
});

test("[A28] project_tasks_by_status: at most 20, the most urgent first", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "m" }]);
  for (let number = 0; number < 25; number++)
    await world.board.createTask({ title: `t${number}`, project: "app", priority: 100 - number }, `k${number}`);
  await world.board.createTask({ title: "elsewhere", project: "other", priority: 0 }, "k");
  const rows = await world.board.query("project_tasks_by_status", { project_id: "app", status: "DEFINED" });
  assert.deepEqual([rows.length, rows[0]?.priority, rows[19]?.priority], [20, 76, 95]);
});

test("[A28] parameters are bound: what looks like SQL is a value that nothing matches", async (context) => {
  const hostile = "x' or '1'='1'; drop table task; --";
  const { world, outputs } = await ran(
    context,
    [
      { uses: "create_task" },
      { uses: "db_query", query: "task_detail", params: { task_id: "{{event.hostile}}" } },
      { uses: "db_query", query: "{{event.hostile}}" },
    ],
    { hostile },
  );
  assert.equal(outputs[1]?.count, 0);
  assert.equal(outputs[2]?.error, `Unknown query: ${hostile}`);
  assert.equal(((await world.ask("task_list", { project: "app" })) as Fields[]).length, 1); // rows
});

test("[A28, AT38] an unknown query, a missing and a needless parameter are errors, when it runs and before", async (context) => {
  const steps = [
    { uses: "db_query", query: "x" },
    { uses: "db_query", query: "task_detail" },
    { uses: "db_query", query: "failed_tasks", params: { project_id: "app" } },
    { uses: "db_query", query: "task_detail", params: { task_id: ["a"] } },
  ];
  const { outputs, steps: records } = await ran(context, steps);
  assert.deepEqual(
    outputs.map(({ error }) => error),
    [
      "Unknown query: x",
      "the query task_detail needs the parameter task_id",
      "the query failed_tasks takes no parameters, and no project_id",
      "the parameter task_id of task_detail is a list",
    ],
  );
  assert.ok(records.every(({ ok }) => !ok));
  const found = (params: Fields): unknown =>
    dbQuery.inspect?.(params).map(({ path, expected }) => [path.join("."), expected]);
  assert.match(
    JSON.stringify(found({ query: "task_details" })),
    /Unknown query: task_details \(did you mean \\"task_detail\\"\?\)/,
  );
  assert.deepEqual(found({ query: "task_detail" }), [["params.task_id", "a value"]]);
  assert.match(JSON.stringify(found({ query: "failed_tasks", params: { project_id: "a" } })), /Unknown parameter/);
  assert.deepEqual([found({ query: "{{event.query}}" }), found({ query: "failed_tasks" })], [[], []]);
});

test("[A28] every query has SQL that the tables answer", async (context) => {
  const { world } = await ran(context, [{ uses: "log", message: "m" }]);
  const params: Record<string, Fields> = {
    task_detail: { task_id: "t" },
    hook_runs: { hook_id: "h" },
    project_tasks_by_status: { project_id: "app", status: "FAILED" },
  };
  for (const name of queryNames) assert.ok(Array.isArray(await world.board.query(name, params[name] ?? {})), name);
});

test("[A34] memory_search: source, heading, content and similarity of what fits, in the project that is named or its own", async (context) => {
  const steps = [
    { uses: "memory_search", query: "{{event.question}}", top_k: 1 },
    { uses: "memory_search", query: "rounding", project_id: "{{event.project}}" },
    { uses: "memory_search" },
  ];
  const hook = hookOn("automation:app/h", "something.happened", steps, { project: "app" });
  const world = await worldOf(context, { hooks: [hook] });
  for (const name of ["app", "other"]) await world.ask("project_create", { name, workspace: world.place(name) });
  const memories = [
    { content: "Amounts are rounded up.", heading: "Rounding", source: "law" },
    { content: "Rounding happens late.", heading: "Second" },
  ];
  for (const one of memories) await world.ask("memory_add", { ...one, project: "app" });
  await world.engine.emit(eventOf({ question: "what about rounded amounts?", project: "other" }));
  const [run] = await world.runs();
  const outputs = run?.steps.map(({ output }) => output) ?? [];
  assert.deepEqual(outputs[0], {
    content: "[1] law — Rounding (similarity 1.00)\nAmounts are rounded up.",
    count: 1,
    _step_index: 0,
  });
  assert.deepEqual([outputs[1]?.content, outputs[1]?.count, outputs[1]?.error], ["", 0, undefined]);
  assert.deepEqual(outputs[2], { content: "", count: 0, _step_index: 2 });
});

test("[A34] memory_search without a memory finds nothing and fails not; the other steps say what is missing", async () => {
  const { ports, ...rest } = contextOf({ data: {} });
  for (const projects of [undefined, async () => withoutStore]) {
    const context = { ...rest, ports: { ...ports, ...(projects ? { projects } : {}) } };
    const found = await memorySearch.run({ query: "x" }, context);
    assert.deepEqual([found.ok, found.output], [true, { content: "", count: 0, _step_index: 0 }]);
    const asked = await dbQuery.run({ query: "failed_tasks" }, context);
    const made = await createTask.run({ project_id: "a" }, context);
    for (const { output } of [asked, made]) assert.match(String(output.error), /SQLite/);
  }
});
