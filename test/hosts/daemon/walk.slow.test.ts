/** What a person does with an automation on its first day, through the command line and a real daemon. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { startScriptedModel } from "../../../testing/scripted-model.ts";
import { placeFor, until } from "./started.ts";

const right = "export const add = (left, right) => left + right;\n";
const wrong = "export const add = (left, right) => left - right;\n";
const tests = `import test from "node:test";
import assert from "node:assert";
import { add } from "../src/add.js";
test("adds two numbers", () => assert.equal(add(1, 2), 3));
`;

interface Person {
  folder: string;
  /** What a command printed, as JSON. */
  ask(...words: string[]): unknown;
  up(): Promise<ChildProcess>;
  write(name: string, text: string): void;
  /** The newest run of the automation, once it is as wanted. */
  run(wanted: (run: AutomationRun) => boolean): Promise<AutomationRun>;
}
interface AutomationRun {
  id: string;
  status: string;
  trigger_reason: string;
  skipped_reason: string | null;
  prompt_sent: string | null;
  llm_response: string | null;
  context_results: { failures?: string[]; stdout?: string; _step_index: number }[] | null;
  actions_taken: string[] | null;
  tokens_used: number;
  completed_at: number | null;
}

function begin(t: TestContext, extra: Record<string, string>): Person {
  const files = {
    "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    "src/add.js": right,
    "test/add.test.js": tests,
    "test.sh": "grep -q 'left + right' src/add.js || exec node --test --test-isolation=none\n",
  };
  const here = placeFor(t, {}, { workspace: "home/calculator", variables: extra });
  const { workspace: folder, json: ask } = here;
  const write = (name: string, text: string): void => here.write(`home/calculator/${name}`, text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    ...{ folder, ask, write },
    up: async () => (await here.up()).child,
    async run(wanted) {
      return await until(() => {
        const [newest] = ask("automation", "runs", "guard-the-sum") as AutomationRun[]; // as docs/automations.md says
        return newest && wanted(newest) ? newest : undefined;
      }, "such a run");
    },
  };
}

test("[A1, A2, A9, A33, A42, A44, A45, AT34] a watched file: the tests pass and nothing is asked; they fail and the model makes a task of it; a killed daemon loses nothing", async (t) => {
  const model = await startScriptedModel({
    turns: [
      { calls: [{ tool: "hookline_task_create", input: { title: "Repair the sum" } }] },
      { text: "The sum is wrong: I made a task.", inputTokens: 321 },
    ],
  });
  t.after(() => model.close());
  const { folder, ask, up, write, run } = begin(t, {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "key",
    HOOKLINE_MODEL: "anthropic/claude-haiku-4-5",
  });
  const trigger = { type: "event", event_type: "file.changed", watch: { paths: ["src/add.js"] } };
  const steps = [
    { type: "shell", command: "echo begun >> begun.log; test -e slow && sleep 3; echo looked" },
    { type: "run_tests", command: "sh test.sh", skip_llm_if_exit_zero: true },
  ];
  ask(
    ...["automation", "create", "--name", "Guard the sum", "--trigger", JSON.stringify(trigger)],
    ...["--context-steps", JSON.stringify(steps), "--cooldown-seconds", "0", "--tools", '["hookline.task_create"]'],
    ...["--prompt-template", "After {{event.operation}} of {{event.relative_path}} these fail: {{step_1.failures}}"],
  );
  const daemon = await up();

  write("src/add.js", `// the sum\n${right}`);
  const skipped = await run(({ status }) => status === "skipped");
  assert.equal(skipped.trigger_reason, "event:file.changed");
  assert.equal(skipped.skipped_reason, "step_1: exit code 0 (skip_llm_if_exit_zero)");
  assert.deepEqual([skipped.tokens_used, skipped.prompt_sent], [0, null]);
  assert.equal(model.requests.length, 0);

  write("src/add.js", wrong);
  const asked = await run(({ id, completed_at }) => id !== skipped.id && completed_at !== null);
  assert.equal(asked.status, "completed", asked.llm_response ?? "");
  assert.deepEqual(asked.context_results?.[1]?.failures, ["adds two numbers"]);
  assert.match(asked.prompt_sent ?? "", /After modified of src\/add\.js these fail: \["adds two numbers"\]/);
  assert.match(asked.prompt_sent ?? "", /Guard the sum[\s\S]*calculator/, "the preamble stands before it");
  assert.deepEqual(asked.actions_taken, ["hookline.task_create"]);
  assert.equal(asked.llm_response, "The sum is wrong: I made a task.");
  assert.ok(asked.tokens_used > 321);
  const tasks = ask("task", "list") as { title: string; status: string }[]; // as docs/projects.md says
  assert.deepEqual(
    tasks.map(({ title, status }) => [title, status]),
    [["Repair the sum", "DEFINED"]],
  );

  const begun = (): number => readFileSync(join(folder, "begun.log"), "utf8").split("\n").length - 1;
  const before = begun();
  write("slow", "");
  write("src/add.js", `// once more\n${right}`);
  await run(({ id, status }) => id !== asked.id && status === "running" && begun() > before);
  const killed = once(daemon, "exit");
  daemon.kill("SIGKILL");
  await killed;
  await up();
  const resumed = await run(({ id, completed_at }) => id !== asked.id && completed_at !== null);
  assert.equal(resumed.skipped_reason, "step_1: exit code 0 (skip_llm_if_exit_zero)");
  assert.equal(begun(), before + 2, "the step that was interrupted is done again, and only that");
  assert.ok(ask("down"));
  const open = (ask("runs", "--limit", "50") as { status: string }[]).filter(({ status }) => status === "running");
  assert.deepEqual(open, []);
});
