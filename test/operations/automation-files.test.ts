/** Automations between files and the store: applied again, exported, and shown as their file says. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Fields, Json } from "../../src/engine/event.ts";
import { automationApply } from "../../src/operations/automations/files.ts";
import type { Reader } from "../../src/operations/shown.ts";
import { type AutomationPlace, automationPlace } from "./automation-place.ts";

const was = async ({ fields }: AutomationPlace, file: string): Promise<unknown[]> =>
  ((await fields("automation_apply", { file })).applied as Fields[]).map((row) => row.was); // it gives a list

const step = "context_steps: [{ type: shell, command: echo hi }]\n";

test("[AT45] what was exported is applied again also where a one-shot is over, which stays over", async (t) => {
  const place = await automationPlace(t);
  const { call, fields, line, write } = place;
  await call("automation_create", { name: "Other", event: "a.b", skip_llm: true });
  await call("automation_create", { name: "Once", at: "2090-01-01", skip_llm: true });
  const desk = await line.automations();
  const row = desk?.records.get("shop", "once");
  assert.ok(desk && row && !("broken" in row));
  const trigger = { type: "at", at: "2020-01-01T00:00:00.000Z", skip_llm: true };
  desk.records.replace({ ...row, enabled: false, fields: { ...row.fields, trigger } }); // as it stands when it has fired
  const yaml = String((await fields("automation_export")).yaml);
  write("all.yaml", yaml);
  assert.deepEqual(await was(place, "all.yaml"), ["the same", "the same"]);
  assert.match(yaml, /enabled: false/);
  write("all.yaml", yaml.replace("enabled: false\n", "enabled: true\n"));
  assert.deepEqual(await was(place, "all.yaml"), ["the same", "the same"]);
  for (const id of ["once", "other"]) await call("automation_delete", { id });
  write("all.yaml", yaml);
  assert.deepEqual(await was(place, "all.yaml"), ["made", "made"]);
  assert.equal((await fields("automation_show", { id: "once" })).enabled, false);
});

test("[AT45] the same delay applied again is the same moment, spent or not, whatever else changes; another delay is a new one", async (t) => {
  const place = await automationPlace(t);
  const { call, fields, line, write } = place;
  const shown = async (): Promise<Json[]> => {
    const { trigger, enabled = null } = await fields("automation_show", { id: "later" });
    return [(trigger as Fields).at ?? null, enabled]; // every trigger is a map
  };
  const apply = async (trigger: string, more = ""): Promise<unknown[]> => {
    write("in.yaml", `name: Later\ntrigger: { type: at, ${trigger}, skip_llm: true }\n${step}${more}`);
    return was(place, "in.yaml");
  };
  assert.deepEqual(await apply("in: 2h"), ["made"]);
  const first = await shown();
  assert.deepEqual(await apply("in: 2h"), ["the same"]);
  assert.deepEqual(await apply("in: 2h", "cooldown_seconds: 5\n"), ["changed"]);
  assert.deepEqual(await shown(), first);
  await call("automation_edit", { id: "later", cooldown_seconds: 5, timeout_seconds: 9 });
  assert.deepEqual(await apply("in: 2h"), ["changed"]);
  assert.deepEqual(await shown(), first);
  assert.deepEqual(await apply("in: 3h"), ["changed"]);
  const second = await shown();
  assert.notDeepEqual(second, first);
  const row = (await line.automations())?.records.get("shop", "later");
  assert.ok(row && !("broken" in row));
  const spent = { type: "at", at: "2020-01-01T00:00:00.000Z", skip_llm: true };
  (await line.automations())?.records.replace({ ...row, enabled: false, fields: { ...row.fields, trigger: spent } }); // it has fired
  assert.deepEqual(await apply("in: 3h", "cooldown_seconds: 7\n"), ["changed"]);
  assert.deepEqual(await shown(), [spent.at, false]);
  assert.deepEqual(await apply("in: 4h", "cooldown_seconds: 7\n"), ["changed"]);
  assert.equal((await shown())[1], true);
  await call("automation_edit", { id: "later", at: "2090-01-01T00:00:00Z" });
  assert.deepEqual(await apply("in: 4h", "cooldown_seconds: 7\n"), ["changed"]);
  assert.notEqual((await shown())[0], "2090-01-01T00:00:00.000Z");
  assert.doesNotMatch(String((await fields("automation_export")).yaml), /delay|4h/);
});

const tell = "name: Tell\ntrigger: { type: event, event_type: a.b, skip_llm: true }\ncooldown_seconds: 0\n";

test("[R58] one of the store that a file has, too, is deleted and exported; what is kept of the file's stays, and it is changed there", async (t) => {
  const path = ".hookline/automations/a.yaml";
  const { call, fields, emit, runsOf, shop, line } = await automationPlace(t, { [path]: tell });
  const file = join(shop, path);
  await call("project_create", { name: "Shop" });
  const records = (await line.automations())?.records;
  const trigger = { type: "event", event_type: "c.d", skip_llm: true };
  const row = { project: "shop", id: "tell", name: "Tell", enabled: true, listens: "c.d", created: 1, updated: 1 };
  records?.add({ ...row, fields: { trigger } }); // as it was made before the file was
  await emit("a.b");
  assert.equal((await runsOf("automation:shop/tell")).length, 1);
  for (const [name, more] of [
    ["automation_edit", { cooldown_seconds: 3 }],
    ["automation_disable", {}],
  ] as const)
    await assert.rejects(call(name, { id: "tell", ...more }), (error: Error) => {
      assert.match(
        error.message,
        /a file defines the automation .*, and the file is active, not the copy in the store/,
      );
      assert.match(error.message, /automation delete shop\/tell/);
      return error.message.includes(file);
    });
  assert.match(String((await fields("automation_export", { id: "tell" })).yaml), /event_type: c\.d/);
  mkdirSync(join(shop, "web"));
  await call("project_create", { name: "Web", workspace: join(shop, "web") });
  await call("automation_create", { name: "Tell", project: "web", event: "c.d", skip_llm: true });
  const deleted = await fields("automation_delete", { id: "tell" });
  assert.deepEqual([deleted.project_id, deleted.file], ["shop", `${file}:1`]);
  assert.deepEqual(
    records?.list().map(({ project }) => project),
    ["web"],
  );
  assert.equal((await runsOf("automation:shop/tell")).length, 1);
  await assert.rejects(
    call("automation_delete", { id: "tell" }),
    /a file defines the automation shop\/tell — .*a\.yaml:1 — edit the file/,
  );
  await call("project_delete", { id: "shop", force: true });
});

test("[R58] apply refuses an automation whose id a live file has, names that file, and writes none of the others", async (t) => {
  const { call, write, line } = await automationPlace(t, { ".hookline/automations/a.yaml": tell });
  write("more.yaml", `name: Other\ntrigger: { type: periodic, skip_llm: true }\n---\n${tell}`);
  await assert.rejects(
    call("automation_apply", { file: "more.yaml" }),
    /nothing was applied: the file .*\.hookline\/automations\/a\.yaml:1 defines the automation shop\/tell, and is active — more\.yaml:4:1 —/,
  );
  assert.deepEqual((await line.automations())?.records.list(), []);
});

test("a mistake in what is applied is reported with file and line, and never as if the rest were active", async (t) => {
  const { call, write } = await automationPlace(t);
  const said = async (text: string): Promise<string> => {
    write("a.yaml", text);
    return call("automation_apply", { file: "a.yaml" }).then(
      () => assert.fail("it was applied"),
      ({ message }: Error) => message,
    );
  };
  assert.match(
    await said(`\n${tell.replace("\n", "\nproject_id: shopp\n")}`),
    /^nothing was applied: no project is called "shopp"; .* — a\.yaml:2:1 — /,
  );
  const broken = await said("automations:\n  - name: [\n");
  assert.match(broken, /a\.yaml:\d+:\d+/);
  assert.doesNotMatch(broken, /active/);
  const secret = await said(`${tell}prompt_template: ghp_${"a1B2".repeat(9)}\n`);
  assert.match(secret, /holds a secret.* — a\.yaml:1:1 — /);
  assert.doesNotMatch(secret, /a1B2/);
});

test("apply in a folder without a project reports the project that was made, by its name", async (t) => {
  const { fields, write } = await automationPlace(t);
  write("a.yaml", tell);
  const result = await fields("automation_apply", { file: "a.yaml" });
  const reader = {} as Reader<{ file: string }>; // it is not asked
  const [first] = (await automationApply.show?.(result, reader)) ?? [];
  assert.match(String(first), /^created the project shop for .*shop$/);
});

test("an automation in a file is shown with the same fields as one in the store, and with what is wrong with it", async (t) => {
  const written =
    "name: Same\ntrigger: { type: event, event_type: a.b, skip_llm: true }\ncooldown_seconds: 7\noverlap: queue\n";
  const { call, fields, shop } = await automationPlace(t, {
    ".hookline/automations/a.yaml": `${written}${step}`,
    ".hookline/automations/b.yaml": "name: Bad\ntrigger: { type: periodic }\ncontext_steps: [{ type: foobar }]\n",
    ".hookline/automations/c.yaml": "name: Far\nproject_id: web\ntrigger: { type: periodic, skip_llm: true }\n",
  });
  await call("automation_create", { name: "Kept", event: "a.b", skip_llm: true });
  const [inFile, kept] = [
    await fields("automation_show", { id: "same" }),
    await fields("automation_show", { id: "kept" }),
  ];
  assert.deepEqual(Object.keys(inFile).sort(), Object.keys(kept).sort());
  assert.deepEqual(
    [inFile.cooldown_seconds, inFile.overlap, inFile.context_steps, inFile.trigger, inFile.in],
    [
      7,
      "queue",
      [{ type: "shell", command: "echo hi" }],
      { type: "event", event_type: "a.b", skip_llm: true },
      join(shop, ".hookline/automations/a.yaml:1"),
    ],
  );
  assert.match(String((await fields("automation_show", { id: "bad" })).findings), /Unknown step type: foobar/);
  const far = await fields("automation_show", { id: "far" });
  assert.equal(far.project_id, "shop");
  assert.match(String(far.findings), /"project_id" is "web"/);
});

test("an id alone means the folder's own automation, also where its folder has no project", async (t) => {
  const text = "name: Tell\ntrigger: { type: event, event_type: a.b, skip_llm: true }\n";
  const { call, fields, emit, shop } = await automationPlace(t, { ".hookline/automations/a.yaml": text });
  const other = join(shop, "..", "web");
  mkdirSync(other);
  await call("project_create", { name: "Web", workspace: other });
  await call("automation_create", { name: "Tell", project: "web", event: "a.b", skip_llm: true, cooldown_seconds: 0 });
  assert.equal((await fields("automation_show", { id: "tell" })).project_id, "shop");
  await emit("a.b");
  const projects = async (id: string): Promise<unknown[]> =>
    ((await call("automation_runs", { id })) as Fields[]).map((run) => run.project_id); // it gives a list
  assert.deepEqual(await projects("tell"), ["shop"]);
  assert.deepEqual(await projects("web/tell"), ["web"]);
});

test("[T25] a file's automation that is named with a secret does not run, and its failed run is kept without that name", async (t) => {
  const token = `ghp_${"A1b2".repeat(9)}`;
  const named = tell.replace("Tell", `Tell ${token}`);
  const { emit } = await automationPlace(t, { ".hookline/automations/a.yaml": named });
  const [run] = await emit("a.b");
  assert.deepEqual([run?.status, run?.hookName], ["failed", "Tell [redacted]"]);
  assert.match(run?.reason ?? "", /it holds a secret/);
  assert.equal(JSON.stringify(run).includes(token), false);
});
