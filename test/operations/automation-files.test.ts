/** Automations between files and the store: applied again, exported, and shown as their file says. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Fields, Json } from "../../src/core/event.ts";
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

test("[AT45] a delay counts from when its file was applied first, until something else of it changes", async (t) => {
  const place = await automationPlace(t);
  const { fields, write } = place;
  const moment = async (): Promise<Json | undefined> =>
    ((await fields("automation_show", { id: "later" })).trigger as Fields).at; // every trigger is a map
  write("in.yaml", `name: Later\ntrigger: { type: at, in: 2h, skip_llm: true }\n${step}`);
  assert.deepEqual(await was(place, "in.yaml"), ["made"]);
  const first = await moment();
  assert.deepEqual(await was(place, "in.yaml"), ["the same"]);
  assert.equal(await moment(), first);
  write("in.yaml", `name: Later\ntrigger: { type: at, in: 3h, skip_llm: true }\n${step}cooldown_seconds: 5\n`);
  assert.deepEqual(await was(place, "in.yaml"), ["changed"]);
  assert.notEqual(await moment(), first);
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
