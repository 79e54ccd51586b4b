/** Context steps in automations: from what an author writes, down the line, to the run and the model's prompt. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fetch } from "../../src/actions/http/fetch.ts";
import { conventions } from "../../src/agents/index.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Fields } from "../../src/engine/event.ts";
import type { ModelRequest } from "../../src/engine/external-services.ts";
import type { Run } from "../../src/engine/record.ts";
import { compileAutomation } from "../../src/formats/automations/automation.ts";
import { hookSetOf } from "../../src/loading/order.ts";
import { createGit, createGitPort } from "../../src/runtime/processes/git.ts";
import { createSpawn } from "../../src/runtime/processes/spawn.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { patterns, registry } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "./context.ts";

interface Performed {
  run: Run;
  results: Fields[];
  /** What the model was sent. */
  asked: string[];
  /** The project's workspace. */
  root: string;
}

/** Emits the event of an automation with these steps, and waits for its run. */
async function perform(
  t: TestContext,
  steps: Fields[],
  wish: { data?: Fields; prompt?: string } = {},
): Promise<Performed> {
  const root = temporaryFolder(t);
  const written = {
    id: "a",
    project_id: "p",
    name: "A",
    trigger: { type: "event", event_type: "task.completed" },
    context_steps: steps,
    prompt_template: wish.prompt ?? "",
    cooldown_seconds: 0,
  };
  const { hook } = compileAutomation(written, { dialect: "automation", layer: "user" }, { registry, workspace: root });
  if (!hook) throw new Error("the automation is broken");
  const asked: string[] = [];
  const runs: Run[] = [];
  const ask = async ({ prompt }: ModelRequest) => {
    asked.push(prompt);
    return { text: "done", model: "m", tokens: { input: 1, output: 1 }, calls: [] };
  };
  const set = hookSetOf([hook]);
  const engine = createEngine({
    ...systemPorts(),
    store: openMemoryStore(),
    queue: createInlineQueue(),
    hooks: () => set,
    registry,
    patterns,
    spawn: createSpawn(),
    conventions,
    fetch,
    git: createGitPort(createGit({ PATH: process.env.PATH ?? "", HOME: root })),
    model: async () => ({ ask }),
    observe: (one) => void (one.is === "run" && runs.push(structuredClone(one.run))),
  });
  const data = { project_id: "p", ...wish.data };
  await engine.emit(
    { id: "e", name: "task.completed", at: 0, cwd: root, sender: "test", data },
    { environment: { PATH: process.env.PATH ?? "", HOME: root } },
  );
  await engine.close();
  const run = runs.at(-1) ?? assert.fail("nothing ran");
  const results = run.steps.slice(0, steps.length).map(({ output }) => output);
  return { run, results, asked, root };
}

test("[A24, AT15] a step of an unknown type says so in its result, and the steps around it run", async (t) => {
  const steps = [{ type: "shell", command: "echo one" }, { type: "foobar" }, { type: "shell", command: "echo three" }];
  const { run, results } = await perform(t, steps);
  assert.equal(run.status, "completed");
  assert.deepEqual(results, [
    { stdout: "one\n", stderr: "", exit_code: 0, _step_index: 0 },
    { error: "Unknown step type: foobar", _step_index: 1 },
    { stdout: "three\n", stderr: "", exit_code: 0, _step_index: 2 },
  ]);
});

test("[A24, A24a, AT48, R18, R22] a step sees the earlier ones, and a value with quotes and $( ) stays data", async (t) => {
  const nasty = `it's "quoted" $(touch broken) \`touch broken\``;
  const { results, root } = await perform(
    t,
    [
      { type: "shell", command: "printf '%s' {{event.title}} > title.txt; cat title.txt" },
      { type: "shell", command: "printf '%s' {{step_0.stdout}}" },
      { type: "read_file", path: "{{event.file}}" },
      { type: "list_files", path: ".", extensions: ["{{event.end}}"] },
    ],
    { data: { title: nasty, file: "title.txt", end: ".txt" } },
  );
  assert.deepEqual(
    results.map(({ stdout, content }) => stdout ?? content),
    [nasty, nasty, nasty, "title.txt"],
  );
  assert.deepEqual(readdirSync(root), ["title.txt"]);
});

test("[A33, AT34] tests that pass ask no model; those that fail are in its prompt by name", async (t) => {
  const flag = { skip_llm_if_exit_zero: true };
  const prompt = "Broken: {{step_0.failures}} of {{step_0.test_count}}";
  const passing = await perform(t, [{ type: "run_tests", command: "echo '2 passed in 0.1s'", ...flag }], { prompt });
  assert.deepEqual(
    [passing.run.status, passing.run.reason, passing.asked],
    ["skipped", "step_0: exit code 0 (skip_llm_if_exit_zero)", []],
  );
  const command = "echo 'FAILED a.py::b - why'; echo '1 failed, 1 passed in 0.1s'; exit 1";
  const failing = await perform(t, [{ type: "run_tests", command, ...flag }], { prompt });
  assert.equal(failing.run.status, "completed");
  assert.equal(failing.asked.length, 1);
  assert.ok(failing.asked[0]?.includes('Broken: ["a.py::b"] of 2'), failing.asked[0]);
});

test("[AT47, R25] a step that gave an error, or took too long, has not found nothing: the model is asked", async (t) => {
  const flag = { skip_llm_if_empty: true };
  const failing: Fields[] = [
    { type: "read_file", path: "none.txt", ...flag },
    { type: "git_diff", ...flag },
    { type: "file_diff", path: "a.txt", ...flag },
    { type: "list_files", path: "none", ...flag },
    { type: "http", url: "http://127.0.0.1:1/", ...flag },
    { type: "shell", command: "sleep 60", timeout: 0.3, ...flag },
    { type: "shell", command: "hookline-has-no-such-program", ...flag },
    { type: "foobar", ...flag },
  ];
  const { run, asked } = await perform(t, failing, { prompt: "look" });
  assert.deepEqual([run.status, asked.length], ["completed", 1]);
  const empty = await perform(t, [{ type: "shell", command: "true", ...flag }], { prompt: "look" });
  assert.deepEqual([empty.run.reason, empty.asked], ["step_0: output empty (skip_llm_if_empty)", []]);
});

test("[A25, A27, R40] a step's own limit ends the step and not the run, with the result that is specified", async (t) => {
  const within = (timeout: number): ReturnType<typeof perform> =>
    perform(t, [
      { type: "shell", command: "trap '' TERM; echo begun; sleep 600 & wait; wait", timeout },
      { type: "shell", command: "echo next" },
    ]);
  let timeout = 1;
  let performed = await within(timeout);
  while (performed.results[0]?.stdout !== "begun\n" && timeout < 300) performed = await within((timeout *= 4)); // a busy machine begins late
  const { run, results } = performed;
  assert.equal(run.status, "completed");
  assert.deepEqual(
    results.map(({ stdout, exit_code }) => [stdout, exit_code]),
    [
      ["begun\n", -1],
      ["next\n", 0],
    ],
  );
});

test("[A30, A37, AT36] git_diff and file_diff reach git from an automation", async (t) => {
  const { results, root } = await perform(
    t,
    [
      { type: "shell", command: "git init -q -b main . && echo new > a.txt && git add a.txt" },
      { type: "file_diff", path: "{{event.path}}" },
      { type: "git_diff", workspace: "{{event.missing}}", base_branch: "main" },
    ],
    { data: { path: "a.txt" } },
  );
  assert.match(String(results[1]?.diff), /\+new\n$/);
  assert.equal(results[1]?.path, join(root, "a.txt"));
  assert.match(String(results[2]?.error), /bad revision/);
});

test("[A26] what a file holds goes into the prompt as it is, placeholders in it included", async (t) => {
  const write = { type: "shell", command: "printf '%s' 'see {{' 'event.secret' '}}' > a.txt" };
  const { asked } = await perform(t, [write, { type: "read_file", path: "a.txt" }], {
    prompt: "File: {{step_1}}",
    data: { secret: "s3" },
  });
  assert.ok(asked[0]?.includes("File: see {{event.secret}}"), asked[0]);
});

test("[A36] an ending that a placeholder fills with a number is text", async (t) => {
  const { results } = await perform(
    t,
    [
      { type: "shell", command: "touch a.5 b.6 c.7" },
      { type: "list_files", extensions: ["{{event.first}}", ".{{event.second}}"] },
    ],
    { data: { first: 5, second: 6 } },
  );
  assert.deepEqual([results[1]?.content, results[1]?.error], ["a.5\nb.6", undefined]);
});
