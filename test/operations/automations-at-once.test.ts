/** Automations that several change at once, or that somebody is cut off from changing: nothing is lost, and nothing is half. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { databaseOf } from "../../src/storage/sqlite/automation-records.ts";
import { automationPlace } from "./automation-place.ts";

const plain = (more: Fields = {}): Fields => ({ name: "Tell", event: "deploy.done", skip_llm: true, ...more });

test("[X8] fields that several callers change at once are all changed, and a disabling at the same time holds", async (t) => {
  const { call, fields } = await automationPlace(t);
  await call("automation_create", plain());
  await Promise.all([
    call("automation_edit", { id: "tell", cooldown_seconds: 5 }),
    call("automation_disable", { id: "tell" }),
    call("automation_edit", { id: "tell", timeout_seconds: 7 }),
    call("automation_edit", { id: "tell", name: "Told" }),
  ]);
  const { enabled, cooldown_seconds, timeout_seconds, name } = await fields("automation_show", { id: "tell" });
  assert.deepEqual([enabled, cooldown_seconds, timeout_seconds, name], [false, 5, 7, "Told"]);
});

test("automations of one name that are made at once each get an id of their own", async (t) => {
  const { call, fields } = await automationPlace(t);
  await call("project_create");
  const made = await Promise.all([plain(), plain(), plain()].map((one) => fields("automation_create", one)));
  assert.deepEqual(made.map(({ id }) => id).sort(), ["tell", "tell-2", "tell-3"]);
  const named = await Promise.allSettled([1, 2].map(() => call("automation_create", plain({ id: "own" }))));
  assert.deepEqual(named.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a file is applied whole or not at all, also where the store fails in the middle of it", async (t) => {
  const { call, write, line } = await automationPlace(t);
  const yaml = ["first", "second", "third"].map(
    (name) => `  - { name: ${name}, trigger: { type: periodic, skip_llm: true } }\n`,
  );
  write("all.yaml", `automations:\n${yaml.join("")}`);
  databaseOf(line.ports.store)?.run(`create trigger full before insert on automation when new.id = 'third' begin
    select raise(abort, 'the disk is full'); end`);
  await assert.rejects(call("automation_apply", { file: "all.yaml" }), /the disk is full/);
  assert.deepEqual(await call("automation_list"), []);
});

test("a project that is taken away while an automation is made for it takes none with it, and gets none", async (t) => {
  const { call } = await automationPlace(t);
  for (let round = 0; round < 5; round++) {
    await call("project_create", { name: "Other" });
    const made = call("automation_create", plain({ project: "other" }));
    for (let waited = 0; waited < round; waited++) await Promise.resolve();
    const [first, second] = await Promise.allSettled([made, call("project_delete", { id: "other", force: true })]);
    assert.ok([first, second].some(({ status }) => status === "rejected"));
    const left = (await call("automation_list")) as Fields[];
    assert.equal(left.length, first.status === "fulfilled" ? 1 : 0);
    if (first.status === "fulfilled") await call("automation_delete", { id: "other/tell" });
    if (second.status === "rejected") await call("project_delete", { id: "other" });
  }
});
