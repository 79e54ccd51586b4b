/** Operations by the real command: `hookline task create …` and its kin, without a daemon. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { globalFlags } from "../../../src/hosts/cli/command.ts";
import { everyCommand } from "../../../src/hosts/cli/find.ts";
import { paramsOf } from "../../../src/hosts/cli/operations/rows.ts";
import { operations } from "../../../src/operations/index.ts";
import { commandOf } from "../../../src/operations/serve.ts";
import { startScriptedModel } from "../../../testing/index.ts";
import { scratch } from "./operations-place.ts";

test("every operation is a command with an example, and no flag of it hides one that holds everywhere", async () => {
  const all = await everyCommand();
  for (const [name, operation] of operations) {
    const command = commandOf(name, operation);
    assert.ok(all.has(command), `there is no command ${command}`);
    for (const { flag } of paramsOf(operation)) assert.ok(!Object.hasOwn(globalFlags, flag), `${name} --${flag}`);
    assert.ok(all.get(command)?.example.startsWith(`hookline ${command}`), `${name} needs an example`);
  }
});

test("[A54] create, list, edit, delete by the command line: values as they are meant, exactly the result with --json", (t) => {
  const { json, hookline } = scratch(t);
  const steps = JSON.stringify([{ type: "shell", command: "exit 3" }]);
  json("automation", "create", "First one", "--event", "deploy.done", "--skip-llm", "--context-steps", steps);
  json(
    "automation",
    "create",
    "second",
    "--every",
    "60",
    "--prompt-template",
    "-x",
    "--no-enabled",
    "--cooldown-seconds",
    "0",
  );
  const all = json("automation", "list");
  assert.deepEqual(all.map(({ id }: { id: string }) => id).sort(), ["first-one", "second"]);
  assert.deepEqual(all.filter(({ enabled }: { enabled: boolean }) => enabled).length, 1);
  const edited = json(
    "automation",
    "edit",
    "second",
    "--enabled",
    "true",
    "--cooldown-seconds=7",
    "--max-tokens-per-run",
    "900",
  );
  assert.deepEqual([edited.enabled, edited.cooldown_seconds, edited.max_tokens_per_run], [true, 7, 900]);
  assert.equal(json("automation", "edit", "second", "--max-tokens-per-run", "null").max_tokens_per_run, null);
  const nothing = hookline(["automation", "edit", "second"]);
  assert.deepEqual([nothing.status, nothing.stdout], [1, ""]);
  assert.match(nothing.stderr, /^hookline: No fields to update — automation:shop\/second — name a field to change/);
  json("automation", "delete", "second");
  assert.equal(json("automation", "list").length, 1);
  assert.equal(hookline(["automation", "show", "second"]).status, 1);
});

test("a word in the place of a list stays that word: --tools all, --notify default", (t) => {
  const { json } = scratch(t);
  const always = ["--event", "deploy.done", "--prompt-template", "x"];
  assert.equal(json("automation", "create", "free", ...always, "--tools", "all").tools, "all");
  assert.deepEqual(json("automation", "edit", "free", "--tools", "read_file").tools, ["read_file"]);
  json("project", "edit", "shop", "--notify", "team");
  assert.deepEqual(json("project", "show", "shop").notify, ["team"]);
  assert.equal(json("project", "edit", "shop", "--notify", "default").notify, null);
});

test("[A48] fire ends what it started before it exits, and says no in the words of the specification", (t) => {
  const { json, hookline } = scratch(t);
  const steps = JSON.stringify([{ type: "shell", command: "echo fired > fired.txt; cat fired.txt" }]);
  json("automation", "create", "now", "--event", "deploy.done", "--skip-llm", "--context-steps", steps);
  const { run_id } = json("automation", "fire", "now");
  const [run] = json("automation", "runs", "now");
  assert.deepEqual([run.id, run.status, run.trigger_reason], [run_id, "completed", "manual"]);
  assert.equal(run.context_results[0].stdout, "fired\n");
  const unknown = hookline(["automation", "fire", "nope"]);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /^hookline: Hook 'nope' not found/);
});

test("text comes from a flag, a file or standard input; wrong use exits 2 and says how it is right", (t) => {
  const { json, hookline, write } = scratch(t);
  write("shop/why.md", "because\nof this\n");
  const made = json("task", "create", "Repair it", "--description", "@why.md", "--priority", "-2");
  assert.deepEqual(json("task", "show", made.id ?? made.task_id).description.trim(), "because\nof this");
  const piped = hookline(["note", "write", "plan", "--content", "-", "--json"], "# from a pipe\n");
  assert.equal(piped.status, 0, piped.stderr);
  assert.match(json("note", "show", "plan").content, /# from a pipe/);
  const at = json("note", "write", "at", "@home");
  assert.equal(json("note", "show", at.name).content.trim(), "@home");
  const wrong: readonly [words: string[], says: RegExp][] = [
    [["task"], /missing action — the command line — usage: hookline task list\|show\|create/],
    [["task", "craete"], /task has no action "craete": did you mean "create"\?/],
    [["task", "create"], /missing argument TITLE: what is to be done/],
    [["task", "create", "a", "b"], /unexpected argument "b"/],
    [["task", "create", "a", "--priority", "high"], /--priority must be a whole number, not "high"/],
    [["task", "create", "a", "--pirority", "1"], /unknown flag --pirority: did you mean --priority/i],
    [["task", "list", "--status", "OPEN"], /--status must be "DEFINED" or .*, not "OPEN"/],
    [["automation", "create", "a", "--trigger", "{type:"], /--trigger is not JSON/],
  ];
  for (const [words, says] of wrong) {
    const { status, stderr, stdout } = hookline(words);
    assert.match(stderr, says);
    assert.deepEqual([status, stdout], [2, ""]);
  }
  assert.equal(hookline(["task", "create", "a", "--description", "@missing.md"]).status, 3);
  assert.equal(hookline(["task", "list", "--store", "/dev/null/none.db"]).status, 3);
});

test("a pipe in the place of a file is refused at once, without waiting for it", (t) => {
  const { hookline, workspace } = scratch(t);
  assert.equal(spawnSync("mkfifo", [join(workspace, "pipe.yaml")]).status, 0);
  for (const [words, expected] of [
    [["automation", "apply", "pipe.yaml"], 1],
    [["note", "write", "plan", "--content", "@pipe.yaml"], 3],
    [["emit", "deploy.done", "--data", "@pipe.yaml"], 3],
  ] as const) {
    const { status, stderr } = hookline(words);
    assert.match(stderr, /it is no regular file.*pipe\.yaml/);
    assert.equal(status, expected);
  }
});

test("--help lists the actions of a group, and the parameters of an action with a real example", (t) => {
  const { hookline } = scratch(t);
  const group = hookline(["task", "--help"]);
  assert.equal(group.status, 0);
  assert.match(group.stdout, /^Create, list, start .*\n\nusage: {3}hookline task ACTION …\nexample: hookline task /);
  const action = hookline(["help", "task", "create"]);
  assert.match(action.stdout, /usage: {3}hookline task create TITLE/);
  assert.match(action.stdout, /--priority N +lower is more urgent; default: 100/);
  assert.equal(hookline(["task", "create", "--help"]).stdout, action.stdout);
});

test("[A43] models use operations by an allow list of names, of which none fires an automation, and automations that set off each other come to an end", async (t) => {
  const fires = (id: string) => [
    { calls: [{ tool: "hookline_emit", input: { event: `ask.${id}` } }] },
    { text: "Sent." },
  ];
  // A ring of seven: none is set off again before its run has ended, however slow a machine is.
  const ring = Array.from({ length: 7 }, (_, index) => ({ id: `a${index}`, next: `a${(index + 1) % 7}` }));
  const model = await startScriptedModel({
    turns: [{ text: "none of them" }],
    conversations: ring.map(({ next }) => ({ opening: new RegExp(`ask for ${next}\\b`), turns: fires(next) })),
  });
  t.after(() => model.close());
  const { json, started } = scratch(t);
  const tools = ["--tools", "hookline.e*", "--tools", "hookline.automation_*", "--cooldown-seconds", "0"];
  for (const { id, next } of ring)
    json("automation", "create", id, "--event", `ask.${id}`, ...tools, "--prompt-template", `ask for ${next}`);
  const reached = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none" };
  const fired = await started(["automation", "fire", "a0"], reached);
  assert.equal(fired.status, 0, fired.stderr);
  const runs: { status: string; actions_taken: string[] }[] = json("automation", "runs");
  assert.deepEqual(
    runs.map(({ status }) => status),
    Array(6).fill("completed"),
  );
  const [asked] = model.conversation();
  assert.match(
    JSON.stringify(asked?.body),
    /"name":"hookline_emit"[\s\S]*"name":"hookline_automation_list"|"name":"hookline_automation_list"[\s\S]*"name":"hookline_emit"/,
  );
  assert.doesNotMatch(JSON.stringify(asked?.body), /"name":"hookline_automation_(?:fire|create|edit|apply|enable)"/);
  assert.doesNotMatch(JSON.stringify(asked?.body), /"name":"hookline_task_create"/);
  const all = JSON.stringify(model.conversation().map(({ body }) => body));
  assert.match(all, /5 events deep, hooks answer each other/);
});
