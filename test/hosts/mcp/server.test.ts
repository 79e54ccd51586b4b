import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isForPerson } from "../../../src/engine/loosening.ts";
import { operations } from "../../../src/operations/index.ts";
import { sentence } from "../../../src/operations/serve.ts";
import { runCommand } from "../../program.ts";
import { world } from "../../world.ts";
import { type Connected, connect, sharedServer } from "./server.ts";

const shared = sharedServer();

const call = async ({ client }: Connected, name: string, input: { [field: string]: unknown } = {}) => {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: input });
  const [first] = Array.isArray(content) ? content : [];
  return { text: first?.type === "text" ? first.text : "", isError: isError === true, structuredContent };
};

test("every operation but those for a person is a tool, with its schema and what it does to the world", async () => {
  const connected = await shared();
  const { tools } = await connected.client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...operations.keys()].filter((name) => !isForPerson(name)),
  );
  const refused = await call(connected, "automation_fire", { id: "x" });
  assert.equal(refused.isError, true);
  assert.match(refused.text, /^automation_fire is for a person, not for a model or a program/);
  for (const { name, description, inputSchema, annotations } of tools) {
    assert.equal(description, sentence(operations.get(name)?.summary ?? ""));
    assert.deepEqual(inputSchema, operations.get(name)?.params.json);
    assert.equal(annotations?.readOnlyHint, operations.get(name)?.readOnly);
  }
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations?.destructiveHint]));
  assert.equal(hints.task_create, false);
  assert.equal(hints.note_delete, true);
  assert.equal(hints.task_list, undefined);
  assert.equal(connected.client.getServerVersion()?.name, "hookline");
});

test("a task that an agent makes belongs to the folder's project, and the model gets a refusal", async () => {
  const { place, ...connected } = await shared();
  const made = await call(connected, "task_create", { title: "Repair the login test", priority: 7 });
  assert.equal(made.isError, false, made.text);
  assert.deepEqual(JSON.parse(made.text), made.structuredContent);
  const [task] = JSON.parse((await call(connected, "task_list")).text);
  assert.equal(task.title, "Repair the login test");
  assert.equal(task.project_id, "shop");
  const cases = [
    ["task_start", { id: "nope" }, /^no task is called "nope"/],
    ["task_create", {}, /^missing title: what is to be done/],
    ["task_create", { title: "x", piority: 1 }, /^unknown field "piority"$/],
    ["task_craete", {}, /did you mean "task_create"\?$/],
  ] as const;
  for (const [name, input, says] of cases) {
    const { isError, text } = await call(connected, name, input);
    assert.equal(isError, true);
    assert.match(text, says);
  }
  const listed = runCommand(["task", "list", "--json"], { cwd: place.workspace, environment: place.environment });
  assert.deepEqual(JSON.parse(listed.stdout), [task]);
});

test("--read-only and --tools bound what an agent can do, also if it guesses names", async (t) => {
  const place = world(t, {}, { workspace: "shop" });
  const connected = await connect(t, place, "--read-only", "--tools", "task,note_list,memory_s*");
  const { tools } = await connected.client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), ["memory_search", "note_list", "task_list", "task_show"]);
  const { isError, text } = await call(connected, "task_create", { title: "x" });
  assert.equal(isError, true);
  assert.match(text, /no operation is called "task_create"/);
  const wrong = runCommand(["mcp", "--tools", "taks"], { cwd: place.workspace, environment: place.environment });
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /--tools: no operation is called "taks": did you mean "task"\?/);
});

test("what a project's modules print does not break the protocol, and hooks are as they are at each call", async () => {
  const { place, ...connected } = await shared();
  const events = async (): Promise<number> => JSON.parse((await call(connected, "hooks")).text).length;
  assert.equal(await events(), 0);
  place.write("shop/hookline.yaml", "extensions: [./own.mjs]\n");
  place.write("shop/own.mjs", "console.log('hello'); process.stdout.write('more\\n');\nexport default [];\n");
  place.write(
    "shop/.hookline/rules/a.yaml",
    "hooks:\n  - id: a\n    on: tool_start\n    condition: { type: always }\n    action: { type: log, message: x }\n",
  );
  assert.equal(await events(), 1);
  assert.equal(await events(), 1);
});

test("what a call has started is ended before the server goes", async (t) => {
  const place = world(t, {}, { workspace: "shop" });
  const connected = await connect(t, place);
  const steps = [{ type: "shell", command: "sleep 0.5; touch done" }];
  const words = ["automation", "create", "slow", "--event", "deploy.done", "--skip-llm"];
  const { status, stderr } = runCommand([...words, "--context-steps", JSON.stringify(steps)], {
    cwd: place.workspace,
    environment: place.environment,
  });
  assert.equal(status, 0, stderr);
  const fired = await call(connected, "emit", { event: "deploy.done" });
  assert.equal(fired.isError, false, fired.text);
  assert.equal(existsSync(join(place.workspace, "done")), false, "the answer does not wait for the run");
  await connected.client.close();
  assert.equal(existsSync(join(place.workspace, "done")), true);
});
