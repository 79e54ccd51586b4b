/** Automations made, changed, run and taken away, on a real line with a real store. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import test from "node:test";
import type { Fields, Json } from "../../src/engine/event.ts";
import { automationPlace } from "./automation-place.ts";

/** It needs no model. */
const plain = (more: Fields = {}): Fields => ({
  name: "Tell",
  event: "deploy.done",
  skip_llm: true,
  cooldown_seconds: 0,
  context_steps: [{ type: "shell", command: "echo told" }],
  ...more,
});
const ids = (rows: Json): unknown[] => (Array.isArray(rows) ? rows.map((row) => (row as Fields).id) : []);

test("[A54, AT25] automations are made, listed, switched, changed and taken away with their runs", async (t) => {
  const { fields, call, emit, runsOf } = await automationPlace(t);
  const made = await fields("automation_create", plain());
  assert.deepEqual([made.id, made.project_id, made.hook, made.enabled], ["tell", "shop", "automation:shop/tell", true]);
  await call("automation_create", plain({ name: "Other" }));
  assert.deepEqual(await fields("automation_disable", { id: "other" }), {
    id: "other",
    project_id: "shop",
    enabled: false,
    changed: true,
  });
  assert.deepEqual(ids(await call("automation_list")), ["other", "tell"]);
  assert.deepEqual(ids(await call("automation_list", { enabled: true })), ["tell"]);
  assert.deepEqual((await emit("deploy.done")).map(({ hook, status, reason }) => [hook, status, reason ?? ""]).sort(), [
    ["automation:shop/other", "skipped", "disabled"],
    ["automation:shop/tell", "completed", ""],
  ]);
  const edited = await fields("automation_edit", { id: "other", enabled: true, cooldown_seconds: 60 });
  assert.deepEqual([edited.enabled, edited.cooldown_seconds, edited.prompt_template], [true, 60, ""]);
  await assert.rejects(
    call("automation_edit", { id: "other" }),
    /^Error: No fields to update — automation:shop\/other — name a field/,
  );
  assert.deepEqual(await fields("automation_delete", { id: "tell" }), {
    id: "tell",
    project_id: "shop",
    deleted: true,
  });
  assert.deepEqual(ids(await call("automation_list")), ["other"]);
  assert.deepEqual(await runsOf("automation:shop/tell"), []);
  await assert.rejects(call("automation_show", { id: "tell" }), /Hook 'tell' not found/);
});

test("[A4] ids are unique in their project: a second of one name gets a number, and a taken id is refused", async (t) => {
  const { fields, call } = await automationPlace(t);
  await call("automation_create", plain());
  assert.equal((await fields("automation_create", plain())).id, "tell-2");
  await assert.rejects(
    call("automation_create", plain({ id: "tell" })),
    /already called "tell" — the project shop — choose another/,
  );
  await call("project_create", { name: "Other" });
  assert.equal((await fields("automation_create", plain({ project: "other" }))).hook, "automation:other/tell");
  assert.equal((await fields("automation_show", { id: "tell" })).project_id, "shop", "the one of the folder's project");
  assert.equal((await fields("automation_show", { id: "other/tell" })).project_id, "other");
});

test("a list for a project that there is not is refused; one for a project without automations is empty", async (t) => {
  const { call } = await automationPlace(t);
  await call("automation_create", plain());
  assert.deepEqual(ids(await call("automation_list", { project: "shop" })), ["tell"]);
  await assert.rejects(
    call("automation_list", { project: "shpo" }),
    /no project is called "shpo"; did you mean "shop"/,
  );
  await call("project_create", { name: "Other" });
  assert.deepEqual(await call("automation_list", { project: "other" }), []);
});

test("what cannot run is refused when it is made, with every reason, and nothing is kept", async (t) => {
  const { call } = await automationPlace(t);
  const refused = async (more: Fields, reason: RegExp): Promise<void> =>
    assert.rejects(call("automation_create", plain(more)), reason);
  await refused({ event: "nothing" }, /no event is called "nothing"/);
  await refused({ context_steps: [{ type: "foobar" }] }, /Unknown step type: foobar/);
  await refused({ context_steps: [{ type: "db_query", query: "x" }] }, /Unknown query: x/);
  await refused(
    { context_steps: [{ type: "shel" }], cooldown_seconds: 5, trigger: "{" },
    /no JSON|given twice|trigger/,
  );
  const timed = ({ cron, zone, at, in: delay }: Fields): Fields => {
    const { event: _event, ...rest } = plain();
    return { ...rest, ...JSON.parse(JSON.stringify({ cron, zone, at, in: delay })) };
  };
  await assert.rejects(call("automation_create", timed({ cron: "61 * * * *" })), /no cron pattern/);
  await assert.rejects(
    call("automation_create", timed({ cron: "0 3 * * *", zone: "Mars" })),
    /no time zone is called "Mars"/,
  );
  await assert.rejects(call("automation_create", timed({ at: "2020-01-01T00:00:00Z" })), /future/);
  await assert.rejects(call("automation_create", timed({ at: "2030-01-01T00:00:00Z", in: "5m" })), /not both/);
  await assert.rejects(call("automation_create", timed({ in: "soon" })), /no delay/);
  const asked = { ...plain({ prompt_template: "hi", llm_config: { provider: "opnai" } }), skip_llm: false };
  await assert.rejects(call("automation_create", asked), /Failed to create LLM provider: opnai/);
  assert.deepEqual(await call("automation_list"), []);
});

test("[A49] without any model an automation is made with a warning, and its run fails with the reason", async (t) => {
  const { fields, emit } = await automationPlace(t);
  const made = await fields("automation_create", plain({ prompt_template: "hello", skip_llm: false }));
  assert.match(String(made.warnings), /none is configured/);
  const [run] = await emit("deploy.done");
  assert.equal(run?.status, "failed");
  assert.match(run?.reason ?? "", /Failed to create LLM provider|no model can be asked/);
});

test("[A48] fire gives the hook and its run, works on a disabled hook, and names what it cannot find", async (t) => {
  const { fields, call, runsOf } = await automationPlace(t);
  await call("automation_create", plain({ enabled: false, cooldown_seconds: 3600 }));
  const fired = await fields("automation_fire", { id: "tell" });
  assert.equal(fired.hook_id, "tell");
  const [run] = await runsOf("automation:shop/tell");
  assert.deepEqual([run?.id, run?.cause, run?.status], [fired.run_id, "manual", "completed"]);
  assert.match(String(fired.run_id), /^[0-9a-f-]{12}$/);
  await assert.rejects(call("automation_fire", { id: "nothing" }), /^Error: Hook 'nothing' not found — /);
  await call("automation_fire", { id: "tell" });
  assert.equal((await runsOf("automation:shop/tell")).length, 2, "its cooldown does not refuse it");
});

test("[A48] fire is refused while the hook runs", async (t) => {
  const { call, shop, write, runsOf, next } = await automationPlace(t);
  write("go", "");
  const command = `while [ -e '${shop}/go' ]; do sleep 0.02; done`;
  await call("automation_create", plain({ context_steps: [{ type: "shell", command }] }));
  await call("automation_fire", { id: "tell" });
  for (let running = 0; running === 0; ) {
    const changed = next();
    running = ((await call("runs", { status: "running" })) as Json[]).length; // it gives a list
    if (running === 0) await changed;
  }
  await assert.rejects(
    call("automation_fire", { id: "tell" }),
    /^Error: Hook 'tell' is already running — run [0-9a-f-]{12} — /,
  );
  rmSync(`${shop}/go`);
  assert.deepEqual(
    (await runsOf("automation:shop/tell")).map(({ status }) => status),
    ["completed"],
  );
});

test("[A21] a run by hand ignores the cooldown, and begins it", async (t) => {
  const { call, emit } = await automationPlace(t);
  await call("automation_create", plain({ cooldown_seconds: 3600 }));
  await call("automation_fire", { id: "tell" });
  const [run] = await emit("deploy.done");
  assert.deepEqual([run?.status, run?.reason], ["skipped", "cooldown: 3600 s have not passed"]);
});

test("[AT21, A5] the event that it names sets it off, and another does not", async (t) => {
  const { call, emit } = await automationPlace(t);
  await call("automation_create", plain());
  assert.equal((await emit("deploy.done")).length, 1);
  assert.equal((await emit("deploy.begun")).length, 0);
});

test("[AT30, A8] an event of another project does not reach it, and one of its own does", async (t) => {
  const { call, emit, shop } = await automationPlace(t);
  await call("automation_create", plain({ event: "Stop" }));
  await call("automation_create", plain({ name: "Done" }));
  assert.equal((await emit("deploy.done", { project_id: "project-b" })).length, 0);
  assert.equal((await emit("deploy.done", { project_id: "shop" })).length, 1);
  assert.equal((await emit("deploy.done")).length, 1);
  assert.equal((await emit("Stop", {}, `${shop}/src`)).length, 1);
  assert.equal((await emit("Stop", {}, "/")).length, 0);
});

test("[AT22, A39] a run that meets a flag is skipped with its reason, once, and no model is asked", async (t) => {
  const { call, emit } = await automationPlace(t);
  const steps = [
    { type: "shell", command: "exit 3" },
    { type: "shell", command: "true", skip_llm_if_exit_zero: true },
  ];
  await call("automation_create", plain({ skip_llm: false, prompt_template: "why", context_steps: steps }));
  const runs = await emit("deploy.done");
  assert.deepEqual(
    runs.map(({ status, reason }) => [status, reason]),
    [["skipped", "step_1: exit code 0 (skip_llm_if_exit_zero)"]],
  );
  assert.deepEqual(
    runs[0]?.steps.map(({ uses }) => uses),
    ["context_shell", "context_shell"],
  );
  assert.notEqual(runs[0]?.ms, undefined);
});

test("[AT29, A15] with skip_llm the steps run, flags or not, and the run is completed", async (t) => {
  const { call, emit } = await automationPlace(t);
  const context_steps = [{ type: "shell", command: "true", skip_llm_if_exit_zero: true }];
  await call("automation_create", plain({ prompt_template: "why", context_steps }));
  const [run] = await emit("deploy.done");
  assert.deepEqual([run?.status, run?.tokens], ["completed", undefined]);
});

test("[AT15] a step that there is not gives its error, and the next one runs", async (t) => {
  const { emit } = await automationPlace(t, {
    ".hookline/automations/a.yaml": `name: Three
trigger: { type: event, event_type: deploy.done, skip_llm: true }
context_steps:
  - { type: shell, command: echo one }
  - { type: foobar }
  - { type: shell, command: "echo {{step_0}} and {{step_1.error}}" }
`,
  });
  const [run] = await emit("deploy.done");
  assert.equal(run?.status, "completed");
  assert.deepEqual(run?.steps.map(({ output }) => [output.stdout ?? null, output.error ?? null]).slice(0, 3), [
    ["one\n", null],
    [null, "Unknown step type: foobar"],
    ["one\n and Unknown step type: foobar\n", null],
  ]);
});

test("two automations that do the same are two, and both run", async (t) => {
  const { call, emit } = await automationPlace(t);
  await call("automation_create", plain());
  await call("automation_create", plain());
  assert.deepEqual(
    (await emit("deploy.done")).map(({ status }) => status),
    ["completed", "completed"],
  );
});

test("a paused automation does not run until it is resumed", async (t) => {
  const { call, emit } = await automationPlace(t);
  await call("automation_create", plain());
  await call("automation_pause", { id: "tell" });
  assert.match((await emit("deploy.done"))[0]?.reason ?? "", /^paused/);
  assert.equal(((await call("automation_list")) as Fields[])[0]?.paused, true);
  await call("automation_resume", { id: "tell" });
  assert.equal((await emit("deploy.done"))[0]?.status, "completed");
});

test("an automation in a file is active, listed and run by hand, and changed in its file only", async (t) => {
  const { call, fields, emit, shop } = await automationPlace(t, {
    ".hookline/automations/a.yaml":
      "name: Tell\ntrigger: { type: event, event_type: deploy.done, skip_llm: true }\ncooldown_seconds: 0\n",
  });
  assert.deepEqual(
    (await emit("deploy.done")).map(({ hook, status }) => [hook, status]),
    [["automation:shop/tell", "completed"]],
  );
  assert.equal(((await call("automation_list")) as Fields[])[0]?.in, `${shop}/.hookline/automations/a.yaml:1`);
  assert.equal((await fields("automation_fire", { id: "tell" })).hook_id, "tell");
  for (const action of ["edit", "delete", "enable", "disable"])
    await assert.rejects(
      call(`automation_${action}`, { id: "tell", ...(action === "edit" ? { enabled: false } : {}) }),
      /a file defines the automation .* — .*a\.yaml:1 — edit the file/,
    );
  const checked = await fields("automation_apply", { file: ".hookline/automations/a.yaml" });
  assert.deepEqual([checked.live, checked.applied], [true, []]);
});

test("what is exported is applied again to the same, in another place too, and byte for byte", async (t) => {
  const { call, fields, write } = await automationPlace(t);
  await call(
    "automation_create",
    plain({ prompt_template: "a\n  b: {{step_0}}\n# c\n", llm_config: { model: 4 }, skip_llm: false }),
  );
  const { event: _event, ...timed } = plain({ name: "Later", in: "2h" });
  await call("automation_create", timed);
  const { yaml } = await fields("automation_export");
  const path = write("all.yaml", String(yaml));
  const again = await fields("automation_apply", { file: "all.yaml" });
  assert.deepEqual(
    (again.applied as Fields[]).map(({ was }) => was),
    ["the same", "the same"],
  );
  for (const id of ["tell", "later"]) await call("automation_delete", { id });
  const fresh = await fields("automation_apply", { file: path });
  assert.deepEqual(
    (fresh.applied as Fields[]).map(({ was }) => was),
    ["made", "made"],
  );
  assert.equal((await fields("automation_export")).yaml, readFileSync(path, "utf8"));
  write("all.yaml", String(yaml).replace("name: Tell", "name: Told"));
  assert.deepEqual(
    ((await fields("automation_apply", { file: path })).applied as Fields[]).map(({ was }) => was).sort(),
    ["changed", "the same"],
  );
});

test("a file with a mistake is applied not at all, and says where", async (t) => {
  const { call, write } = await automationPlace(t);
  write(
    "two.yaml",
    "automations:\n  - name: good\n    trigger: { type: periodic, skip_llm: true }\n  - name: bad\n    trigger: { type: cron, cron: never }\n",
  );
  await assert.rejects(
    call("automation_apply", { file: "two.yaml" }),
    /nothing was applied: "never" is no cron pattern.* — two\.yaml:5:34 — write minute/,
  );
  assert.deepEqual(await call("automation_list"), []);
});

test("a one-shot that is over is not enabled again as it is", async (t) => {
  const { call, line } = await automationPlace(t);
  await call("project_create");
  const desk = await line.automations();
  assert.ok(desk);
  const fields = { trigger: { type: "at", at: "2020-01-01T00:00:00Z", skip_llm: true } };
  desk.records.add({ project: "shop", id: "over", name: "Over", enabled: false, fields, created: 1, updated: 1 });
  await assert.rejects(call("automation_enable", { id: "over" }), /future/);
});

test("a row that is broken stops no other, is listed with its fault, and can be taken away", async (t) => {
  const { call, emit, line } = await automationPlace(t);
  await call("automation_create", plain());
  const desk = await line.automations();
  assert.ok(desk);
  const fields = { trigger: { type: "event", event_type: "deploy.done" }, cooldown_seconds: "often" };
  desk.records.add({
    project: "shop",
    id: "bad",
    name: "Bad",
    enabled: true,
    listens: "deploy.done",
    fields,
    created: 1,
    updated: 1,
  });
  const [bad] = (await call("automation_list")) as Fields[];
  assert.match(String(bad?.fault), /^"cooldown_seconds" of an automation needs/);
  const runs = await emit("deploy.done");
  assert.deepEqual(runs.map(({ hook, status }) => [hook, status]).sort(), [
    ["automation:shop/bad", "failed"],
    ["automation:shop/tell", "completed"],
  ]);
  assert.match(
    runs.find(({ status }) => status === "failed")?.reason ?? "",
    /"cooldown_seconds" of an automation needs/,
  );
  await call("automation_delete", { id: "bad" });
  assert.deepEqual(ids(await call("automation_list")), ["tell"]);
});

test("shorter words make the usual triggers, and at most one", async (t) => {
  const { fields, call } = await automationPlace(t);
  const { event: _event, ...rest } = plain();
  const trigger = async (more: Fields): Promise<Json | undefined> =>
    (await fields("automation_create", { ...rest, ...more })).trigger;
  assert.deepEqual(await trigger({ every: 60 }), { type: "periodic", interval_seconds: 60, skip_llm: true });
  assert.deepEqual(await trigger({ cron: "0 3 * * *", zone: "UTC" }), {
    type: "cron",
    cron: "0 3 * * *",
    zone: "UTC",
    skip_llm: true,
  });
  assert.deepEqual(await trigger({ watch: ["docs/"] }), {
    type: "event",
    event_type: "folder.changed",
    watch: { paths: ["docs/"], recursive: true },
    skip_llm: true,
  });
  assert.deepEqual(await trigger({ watch: ["a.md"] }), {
    type: "event",
    event_type: "file.changed",
    watch: { paths: ["a.md"] },
    skip_llm: true,
  });
  await assert.rejects(
    call("automation_create", { ...rest, every: 60, event: "deploy.done" }),
    /more than one trigger/,
  );
  await assert.rejects(call("automation_create", { ...plain(), trigger: { type: "periodic" } }), /given twice/);
  const edited = await fields("automation_edit", { id: "tell", skip_llm: false });
  assert.deepEqual(edited.trigger, { type: "periodic", interval_seconds: 60, skip_llm: false });
});

test("a text that holds a secret is refused: the store keeps none", async (t) => {
  const { call } = await automationPlace(t);
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const steps = [{ type: "http", url: `http://localhost/?token=${secret}` }];
  await assert.rejects(call("automation_create", plain({ context_steps: steps })), (error: Error) => {
    assert.match(error.message, /holds a secret/);
    assert.doesNotMatch(error.message, /ghp_/);
    return true;
  });
  assert.deepEqual(await call("automation_list"), []);
});
