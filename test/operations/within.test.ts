/** What a model may look at whose author said nothing about tools: its own project, on a real line with two of them. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Fields, HookEvent, Json } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import { automationPlace } from "./automation-place.ts";

const never = new AbortController().signal;
/** What nobody who looks at the other project may see. */
const canary = "canary";

interface Looking {
  names: string[];
  ask(operation: string, input?: Fields): Promise<Json>;
  /** Ids of a task and of a run of each project. */
  ids: { [project: string]: { task: string; run: string } };
}

async function lookingAt(context: TestContext, project: string): Promise<Looking> {
  const { fields, call, emit, line, shop } = await automationPlace(context);
  await call("project_create", { id: "shop", name: "shop", workspace: shop });
  await call("project_create", { id: "other", name: canary });
  const ids: Looking["ids"] = {};
  for (const [id, word] of [
    ["shop", "own"],
    ["other", canary],
  ] as const) {
    const task = await fields("task_create", { title: `${word} task`, project: id });
    await call("note_write", { name: `${word}-note`, content: `the ${word} kettle`, project: id });
    await call("memory_add", { content: `another ${word} kettle`, project: id });
    const step = { type: "shell", command: `echo ${word}` };
    await call("automation_create", {
      ...{ name: `${word} one`, project: id, event: "deploy.done", skip_llm: true, cooldown_seconds: 0 },
      context_steps: [step],
    });
    ids[id] = { task: String(task.id), run: "" };
  }
  for (const { id, hook } of await emit("deploy.done")) {
    const known = ids[hook.slice("automation:".length).split("/")[0] ?? ""] ?? assert.fail(hook);
    known.run = id;
  }
  const event: HookEvent = { id: "e", name: "deploy.done", at: 0, cwd: shop, data: {}, sender: "test" };
  const hook = { origin: { dialect: "automation", layer: "user" } } as Hook; // no more of it is looked at
  const all = await line.ports.tools?.(event, hook);
  const tools = all?.within?.(project) ?? assert.fail();
  return {
    ids,
    names: (await tools.list(never, "hookline")).map(({ name }) => name),
    ask: async (operation, input = {}) => (await tools.call(`hookline.${operation}`, input, never, event)).output,
  };
}

test("[R28] by themselves models look at their own project alone: lists hold nothing of another, and neither does what is found", async (t) => {
  const { ask } = await lookingAt(t, "shop");
  const answers: [string, Fields][] = [
    ["project_list", {}],
    ["project_show", {}],
    ["task_list", {}],
    ["note_list", {}],
    ["memory_search", { query: "kettle", limit: 50 }],
    ["automation_list", {}],
    ["automation_export", {}],
    ["automation_runs", {}],
    ["runs", { event: "deploy.done" }],
  ];
  for (const [operation, input] of answers) {
    const answer = JSON.stringify(await ask(operation, input));
    assert.doesNotMatch(answer, new RegExp(canary), operation);
    assert.match(answer, /own|shop/, operation);
  }
});

test("[R28] what is asked for by name of another project is refused", async (t) => {
  const { ask, ids } = await lookingAt(t, "shop");
  const { task, run } = ids.other ?? assert.fail();
  assert.ok(task !== "" && run !== "");
  for (const [operation, input] of [
    ["project_show", { id: "other" }],
    ["task_list", { project: "other" }],
    ["task_show", { id: task }],
    ["note_list", { project: "other" }],
    ["note_show", { name: "canary-note" }],
    ["note_show", { name: "canary-note", project: "other" }],
    ["memory_search", { query: "kettle", project: "other" }],
    ["automation_list", { project: "other" }],
    ["automation_show", { id: "other/canary-one" }],
    ["automation_show", { id: "automation:other/canary-one" }],
    ["automation_export", { id: "other/canary-one" }],
    ["automation_runs", { id: "other/canary-one" }],
    ["run", { id: run }],
  ] as const)
    await assert.rejects(ask(operation, input), Error, `${operation} ${JSON.stringify(input)}`);
  assert.deepEqual(await ask("runs", { hook: "automation:other/canary-one" }), []);
  const own = ids.shop ?? assert.fail();
  assert.equal(Object(await ask("task_show", { id: own.task })).title, "own task");
  assert.equal(Object(await ask("run", { id: own.run })).hook, "automation:shop/own-one");
});

test("[R28] operations that change something, or cannot be kept to one project, are not among them", async (t) => {
  const { names, ask } = await lookingAt(t, "nowhere");
  assert.deepEqual(
    names.filter((name) => !/_(list|show|runs|search|export)$|^hookline\.runs?$/.test(name)),
    [],
  );
  assert.ok(names.includes("hookline.memory_search"));
  for (const operation of ["status", "hooks", "explain", "task_create", "emit"])
    await assert.rejects(ask(operation), { message: /no tool is called/ });
  await assert.rejects(ask("task_list"), { message: /the store holds nothing of the project nowhere yet/ });
  assert.deepEqual(await ask("project_list"), []);
});
