/** Automations by the real command: in lists and checks, on an agent's events, and as JSON Schema. */
import assert from "node:assert/strict";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { world } from "../../world.ts";

function place(t: TestContext, files: Record<string, string> = {}) {
  const here = world(t, { "home/shop/.hookline/none": "", ...files }, { workspace: "home/shop" });
  return {
    ...here,
    cwd: here.workspace,
    hookline: (words: readonly string[], input = "") => here.hooklineWith(input, ...words),
  };
}

const create = [
  "automation",
  "create",
  "Tell",
  "--event",
  "Stop",
  "--skip-llm",
  "--context-steps",
  '[{"type":"shell","command":"true"}]',
];

test("[AT21, R48] an agent's event writes the run of an automation in the store down, and waits for nothing", (t) => {
  const { hookline, cwd, json } = place(t);
  assert.equal(hookline(create).status, 0);
  const send = (event: string): void => {
    const payload = JSON.stringify({ hook_event_name: event, session_id: "s", cwd, prompt: "hi" });
    assert.deepEqual(hookline(["hook", "claude-code"], payload), { status: 0, stdout: "", stderr: "" });
  };
  send("UserPromptSubmit");
  send("Stop");
  const runs = json("runs");
  assert.deepEqual(
    runs.map(({ hook, status, cause }: Record<string, unknown>) => [hook, status, cause]),
    [["automation:shop/tell", "queued", "event:Stop"]],
  );
});

test("list and explain know the automations of files and store, and run runs one by its short id", (t) => {
  const { hookline, json } = place(t, {
    "home/shop/.hookline/automations/a.yaml":
      "name: Nightly\ntrigger: { type: cron, cron: 0 3 * * *, skip_llm: true }\n",
    "home/.config/hookline/automations/b.yaml":
      "name: Mine\ntrigger: { type: event, event_type: deploy.done, skip_llm: true }\n",
  });
  hookline(create);
  const listed = json("list");
  const rows = listed.map(({ id, on, layer }: Record<string, unknown>) => [id, on, layer]).sort();
  assert.deepEqual(rows, [
    ["automation:shop/nightly", "cron 0 3 * * *", "project"],
    ["automation:shop/tell", "Stop", "user"],
    ["automation:user/mine", "deploy.done", "user"],
  ]);
  const explained = json("explain", "deploy.done");
  const why = explained.find(({ hook }: { hook: string }) => hook === "automation:user/mine");
  assert.equal(why.would, "run");
  const ran = json("run", "nightly");
  assert.deepEqual(
    ran.runs.map(({ hook, status }: Record<string, unknown>) => [hook, status]),
    [["automation:shop/nightly", "completed"]],
  );
});

test("[AT15] check looks at files and rows, and one broken row stops no other", (t) => {
  const { hookline, store } = place(t, {
    "home/shop/.hookline/automations/a.yaml":
      "name: Three\ntrigger: { type: periodic, skip_llm: true }\ncontext_steps:\n  - { type: foobar }\n",
  });
  hookline(create);
  const database = new DatabaseSync(store);
  database.exec(
    "insert into automation (project, id, name, enabled, listens, fields, created, updated) values ('shop', 'bad', 'Bad', 1, 'Stop', '{oops', 1, 1)",
  );
  database.close();
  const { status, stdout } = hookline(["check", "--json"]);
  assert.equal(status, 1);
  const found = JSON.parse(stdout).filter(({ severity }: { severity: string }) => severity === "error");
  assert.deepEqual(
    found
      .map(({ file, line, column, code }: Record<string, unknown>) => [
        String(file).replace(/^.*\/shop\/\./, "."),
        line,
        column,
        code,
      ])
      .sort(),
    [
      [".hookline/automations/a.yaml", 4, 13, "unknown-type"],
      ["automation:shop/bad", 1, 1, "unreadable"],
    ],
  );
  const fired = hookline(["automation", "fire", "tell", "--json"]);
  assert.equal(JSON.parse(fired.stdout).hook_id, "tell");
  assert.match(hookline(["automation", "list"]).stdout, /bad .*its row cannot be read/s);
});

test("check reports the folder's own rows and not another project's", (t) => {
  const { hookline, store } = place(t);
  hookline(create);
  const database = new DatabaseSync(store);
  database.exec("insert into project (id, name, workspace, created, updated) values ('web', 'Web', '/web', 1, 1)");
  for (const project of ["shop", "web"])
    database.exec(
      `insert into automation (project, id, name, enabled, listens, fields, created, updated) values ('${project}', 'bad', 'Bad', 1, 'Stop', '{oops', 1, 1)`,
    );
  database.close();
  const { status, stdout } = hookline(["check", "--json"]);
  assert.equal(status, 1);
  assert.deepEqual(
    JSON.parse(stdout).map(({ file }: { file: string }) => file),
    ["automation:shop/bad"],
  );
});

test("[R58] a folder's file that names another project leaves that project's automation active, and check says so", (t) => {
  const { hookline, cwd, json } = place(t, {
    "home/shop/.hookline/automations/a.yaml":
      "id: other\nproject_id: web\nname: Hijack\ntrigger: { type: event, event_type: a.b, skip_llm: true }\n",
  });
  hookline(["project", "create", "Web", "--id", "web", "--workspace", join(cwd, "..")]);
  const made = ["--project", "web", "--id", "other", "--event", "a.b", "--skip-llm", "--cooldown-seconds", "0"];
  assert.equal(hookline(["automation", "create", "Other", ...made]).status, 0);
  const ran = json("emit", "a.b", "--data", '{"project_id":"web"}');
  assert.deepEqual(
    ran.runs.map(({ hook }: Record<string, unknown>) => hook),
    ["automation:web/other"],
  );
  assert.equal(json("automation", "show", "web/other").in, "store");
  const { status, stdout } = hookline(["check"]);
  assert.equal(status, 1);
  assert.match(stdout, /a\.yaml:1:1 error setting-refused "project_id" is "web".*runs as shop's/);
});

test("what of a project cannot be exported is reported, and the rest is written", (t) => {
  const { hookline, store } = place(t);
  hookline(create);
  const database = new DatabaseSync(store);
  database.exec(
    "insert into automation (project, id, name, enabled, listens, fields, created, updated) values ('shop', 'bad', 'Bad', 1, 'Stop', '{oops', 1, 1)",
  );
  database.close();
  const { status, stdout, stderr } = hookline(["automation", "export"]);
  assert.equal(status, 1);
  assert.match(stdout, /id: tell\n/);
  assert.match(stderr, /^hookline: it cannot be exported: its row cannot be read.* — the automation shop\/bad — /);
  assert.deepEqual(
    JSON.parse(hookline(["automation", "export", "--json"]).stdout).broken.map(({ id }: { id: string }) => id),
    ["bad"],
  );
});

test("one file is checked by itself, in the format that its place gives", (t) => {
  const { hookline } = place(t, { "home/shop/.hookline/automations/a.yaml": "name: A\ntriger: { type: periodic }\n" });
  const { status, stdout } = hookline(["check", ".hookline/automations/a.yaml"]);
  assert.equal(status, 1);
  assert.match(
    stdout,
    /^\.hookline\/automations\/a\.yaml:2:1 error unknown-field an automation has no "triger" \(did you mean "trigger"\?\)\n/,
  );
});

test("schema prints what an editor needs to know of automations", (t) => {
  const { hookline } = place(t);
  const schema = JSON.parse(hookline(["schema", "automation"]).stdout);
  const types = schema.$defs.step.properties.type.enum;
  for (const type of [
    "shell",
    "read_file",
    "http",
    "db_query",
    "git_diff",
    "run_tests",
    "memory_search",
    "create_task",
    "list_files",
    "file_diff",
  ])
    assert.ok(types.includes(type), type);
  assert.deepEqual(schema.$defs.automation.required, ["name", "trigger"]);
});

const shell = (command: string): string =>
  `trigger: { type: event, event_type: a.b, skip_llm: true }\ncontext_steps: [{ type: shell, command: "${command}" }]\n`;

test("[A19] fire of a run that goes wrong exits 1 with the step and the limit, and the log has a line of it", (t) => {
  const { hookline, store, json } = place(t, {
    "home/shop/.hookline/automations/slow.yaml": `name: Slow\ntimeout_seconds: 1\n${shell("sleep 20")}`,
    "home/shop/.hookline/automations/fine.yaml": `name: Fine\n${shell("true")}`,
  });
  const fired = hookline(["automation", "fire", "slow"]);
  assert.equal(fired.status, 1, fired.stdout);
  const reason = "step 0 (shell) reached the run's time limit of 1 s";
  assert.match(fired.stderr, new RegExp(`the automation Slow ended as timeout: ${reason.replace(/[()]/g, "\\$&")}`));
  const [run] = json("runs");
  assert.deepEqual([run.status, run.reason], ["timeout", reason]);
  const lines = readFileSync(join(dirname(store), "hookline.log"), "utf8")
    .trim()
    .split("\n");
  const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  assert.deepEqual(
    logged.map(({ message, run: id }) => [message, id]),
    [[`the automation Slow failed: timeout: ${reason} (hookline runs show ${run.id})`, run.id]],
  );
  assert.deepEqual([hookline(["automation", "fire", "fine"]).status], [0]);
});

test("what only a daemon sets off is made with a sentence that says so, where none is running", (t) => {
  const { hookline, cwd } = place(t);
  const waits = "hookline: no daemon is running, so nothing will fire: run `hookline up`\n";
  const made = hookline(["automation", "create", "Nightly", "--cron", "0 3 * * *", "--skip-llm"]);
  assert.deepEqual([made.status, made.stderr], [0, waits]);
  assert.equal(hookline(create).stderr, "");
  assert.equal(hookline(["automation", "disable", "nightly"]).stderr, "");
  assert.equal(hookline(["automation", "enable", "nightly"]).stderr, waits);
  writeFileSync(join(cwd, "more.yaml"), "name: More\ntrigger: { type: periodic, skip_llm: true }\n");
  assert.equal(hookline(["automation", "apply", "more.yaml"]).stderr, waits);
});

test("[R24] explain of a clock's or a watch's event says which hooks only their own clock or watch sets off", (t) => {
  const { json } = place(t, {
    "home/shop/.hookline/automations/often.yaml":
      "name: Often\ntrigger: { type: periodic, interval_seconds: 60, skip_llm: true }\ncooldown_seconds: 0\n",
    "home/shop/.hookline/automations/seen.yaml":
      "name: Seen\ntrigger: { type: event, event_type: file.changed, watch: { paths: [a.md] }, skip_llm: true }\n",
  });
  const why = (event: string): string[] =>
    json("explain", event)
      .sort((left: { name: string }, right: { name: string }) => (left.name < right.name ? -1 : 1))
      .map(({ because }: { because: string }) => because);
  const byHand = "sends it this event, while hookline up runs: one sent by hand does not reach it";
  const [often = "", seen = ""] = why("schedule.due");
  assert.equal(often, `it is due now; only its own schedule (every 60 s) ${byHand}`);
  assert.match(seen, /^it listens to changes of .*a\.md, and this is schedule\.due$/);
  const [, watched = ""] = why("file.changed");
  assert.match(watched, /^only its own watch \(changes of .*a\.md\) sends it this event/);
});

test("explain of a clock's event says of each hook that a clock sets off until when it is not due, and why", async (t) => {
  const { hookline } = place(t, {
    "home/shop/.hookline/automations/all.yaml": [
      "name: Often\ntrigger: { type: periodic, interval_seconds: 60, skip_llm: true }",
      "name: Nightly\ntrigger: { type: cron, cron: '0 3 1 1 *', zone: UTC, skip_llm: true }",
      "name: Once\ntrigger: { type: at, at: 2090-01-31T08:00:00Z, skip_llm: true }",
      "name: Off\nenabled: false\ntrigger: { type: periodic, skip_llm: true }",
      "name: Held\ntrigger: { type: periodic, skip_llm: true }",
    ].join("\n---\n"),
  });
  assert.equal(hookline(["automation", "fire", "often"]).status, 0);
  hookline(["pause", "automation:shop/held"]);
  const explained: { name: string; because: string; listens: boolean }[] = JSON.parse(
    hookline(["explain", "schedule.due", "--json"]).stdout,
  );
  const said = (name: string): string => explained.find((one) => one.name === name)?.because ?? "";
  const moment = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC";
  const longer = "\\(interval 60 s, cooldown 3600 s\\)";
  assert.match(
    said("Often"),
    new RegExp(`^not due until ${moment}, as its newest run began at ${moment} ${longer}; only`),
  );
  assert.match(said("Nightly"), /^not due until \d{4}-01-01 03:00:00 UTC; its moment before, .* set nothing off/);
  assert.match(said("Once"), /^not due until 2090-01-31 08:00:00 UTC; only its own schedule/);
  assert.match(said("Off"), /^disabled; only its own schedule/);
  assert.match(said("Held"), /^paused: it does not run for this event later; hookline resume lets it run again; only/);
  assert.ok(
    explained.every(({ listens }) => listens),
    "each has a row, and is not counted among other events'",
  );
});

test("[R24] why of a clock's event says that it is for one automation alone", (t) => {
  const { hookline, json } = place(t, {
    "home/shop/.hookline/automations/one.yaml": `name: One\n${shell("true")}`,
    "home/shop/.hookline/automations/two.yaml": `name: Two\n${shell("true")}`,
  });
  const { run_id: run } = json("automation", "fire", "one");
  const [{ eventId }] = json("runs");
  assert.ok(run);
  const told = hookline(["why", eventId]).stdout.replace(/\s+/g, " ");
  assert.match(told, /this event is for automation:shop\/one alone/);
  assert.doesNotMatch(told, /listens to a\.b, and this is automation\.fired/);
});

test("an automation in a file was made and changed when its file was", (t) => {
  const { hookline, cwd } = place(t, { "home/shop/.hookline/automations/a.yaml": `name: Tell\n${shell("true")}` });
  utimesSync(join(cwd, ".hookline", "automations", "a.yaml"), 1_700_000_000, 1_700_000_000);
  const { created_at: created, updated_at: updated } = JSON.parse(
    hookline(["automation", "show", "tell", "--json"]).stdout,
  );
  assert.deepEqual([created, updated], [1_700_000_000, 1_700_000_000]);
});
