/** Automations as rows of a real SQLite file. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { EventName } from "../../src/engine/event.ts";
import type { AutomationRecords, StoredAutomation } from "../../src/engine/journal.ts";
import { anyListens, createAutomationRecords } from "../../src/storage/sqlite/automation-records.ts";
import { openSqliteStore, type SqliteStore } from "../../src/storage/sqlite/sqlite.ts";

interface Opened {
  store: SqliteStore;
  records: AutomationRecords;
  /** As another process has it open. */
  beside: SqliteStore;
}

function open(context: TestContext): Opened {
  const folder = mkdtempSync(join(tmpdir(), "hookline-automations-"));
  const path = join(folder, "store.db");
  const [store, beside] = [openSqliteStore({ path }), openSqliteStore({ path })];
  context.after(() => {
    store.close();
    beside.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const project of ["shop", "other"])
    store.database.run("insert into project (id, name, created, updated) values (?1, ?1, 1, 1)", project);
  return { store, beside, records: createAutomationRecords(store.database) };
}

const row = (more: Partial<StoredAutomation> = {}): StoredAutomation => ({
  project: "shop",
  id: "a",
  name: "A",
  enabled: true,
  listens: "task.completed",
  fields: { trigger: { type: "event", event_type: "task.completed" } },
  created: 1.5,
  updated: 1.5,
  ...more,
});

test("[A54, AT25] a row is kept as it was written, changed as a whole, and an id is taken once in its project", (t) => {
  const { records } = open(t);
  assert.equal(records.add(row()), true);
  assert.equal(records.add(row({ name: "other" })), false);
  assert.equal(records.add(row({ project: "other" })), true);
  assert.deepEqual(records.get("shop", "a"), row());
  const { listens: _listens, ...changed } = row({ name: "B", enabled: false, created: 9, updated: 2.5 });
  assert.equal(records.replace(changed), true);
  assert.deepEqual(records.get("shop", "a"), { ...changed, created: 1.5 });
  assert.equal(records.replace(row({ id: "none" })), false);
  assert.deepEqual(
    records.list().map(({ project, id }) => `${project}/${id}`),
    ["other/a", "shop/a"],
  );
  assert.deepEqual(
    records.list("shop").map(({ project }) => project),
    ["shop"],
  );
});

test("enabling says whether it changed anything", (t) => {
  const { records } = open(t);
  records.add(row());
  assert.equal(records.enable("shop", "a", true, 2), false);
  assert.equal(records.enable("shop", "a", false, 2), true);
  assert.equal(records.enable("shop", "none", false, 2), false);
  const found = records.get("shop", "a");
  assert.ok(found && "enabled" in found);
  assert.deepEqual([found.enabled, found.updated], [false, 2]);
});

test("[A54, AT25] what is taken away goes with its runs, its waiting work, its cooldown and its pause, and no other's", async (t) => {
  const { store, records } = open(t);
  const hooks = ["automation:shop/a", "automation:shop/ab"];
  const claims = ["at:HOOK", "cooldown:HOOK", "every:HOOK", "fires:HOOK", "firing:HOOK:5", "once:s:HOOK", "slot:HOOK"];
  records.add(row());
  records.add(row({ id: "ab" }));
  for (const [index, hook] of hooks.entries()) {
    store.saveRun({
      id: `r${index}`,
      hook,
      hookName: "A",
      eventId: "e",
      eventName: "x.y",
      status: "completed",
      cause: "manual",
      startedAt: 1,
      ms: 1,
      steps: [],
      notes: [],
      asked: 1,
    });
    store.claim(
      claims.map((key) => ({ key: key.replace("HOOK", hook), refusal: "" })),
      1,
    );
    store.pause(hook, 1);
    store.database.run(
      "insert into work (run, hook, item, event, status, forced, created) values (?, ?, '{}', 1, 'waiting', 0, 1)",
      `r${index}`,
      hook,
    );
    store.database.run("insert into step (run, name, result) values (?, 'admission', '1')", `r${index}`);
  }
  assert.equal(records.remove("shop", "a"), true);
  assert.equal(records.remove("shop", "a"), false);
  assert.deepEqual(
    (await store.runs({})).map(({ hook }) => hook),
    [hooks[1]],
  );
  const left = (sql: string): unknown[] => store.database.all<{ one: string }>(sql).map(({ one }) => one);
  assert.deepEqual(left("select hook as one from work"), [hooks[1]]);
  assert.deepEqual(left("select run as one from step"), ["r1"]);
  assert.deepEqual(
    left("select key as one from claim order by key"),
    claims.map((key) => key.replace("HOOK", String(hooks[1]))),
  );
  assert.deepEqual([...(await store.paused()).keys()], [hooks[1]]);
});

test("those that listen to an event are found by every name that it has", (t) => {
  const { store, records } = open(t);
  records.add(row({ id: "one", listens: "task.completed" }));
  records.add(row({ id: "two", listens: "tool_end" }));
  records.add(row({ id: "three", listens: "activation" }));
  const { listens: _none, ...timed } = row({ id: "four" });
  records.add(timed);
  const heard = (...names: EventName[]): string[] => records.listening(names).map(({ id }) => id);
  assert.deepEqual(heard("task.completed"), ["one", "three"]);
  assert.deepEqual(heard("PostToolUseFailure"), ["two"]);
  assert.deepEqual(heard("Stop"), []);
  assert.deepEqual(heard("Stop", "deploy.done"), ["three"]);
  assert.equal(anyListens(store.database, ["Stop"]), false);
  assert.equal(anyListens(store.database, ["Stop", "PostToolUse"]), true);
});

test("the version is another one after every change, whichever process made it, and the same until then", (t) => {
  const { records, beside } = open(t);
  const other = createAutomationRecords(beside.database);
  const versions = [records.version(), records.version()];
  assert.equal(versions[0], versions[1]);
  other.add(row());
  versions.push(records.version());
  other.enable("shop", "a", false, 5);
  versions.push(records.version());
  beside.database.run(
    "insert into project (id, name, workspace, created, updated) values ('third', 'Third', '/third', 1, 1)",
  );
  versions.push(records.version());
  assert.equal(records.workspaces().get("third"), "/third");
  other.remove("shop", "a");
  versions.push(records.version());
  assert.equal(new Set(versions).size, 5);
});

test("a row that holds no automation is reported, and the others are there", (t) => {
  const { store, records } = open(t);
  records.add(row({ id: "good" }));
  for (const [id, fields] of [
    ["bad", "{oops"],
    ["list", "[1]"],
  ] as const)
    store.database.run(
      "insert into automation (project, id, name, enabled, fields, created, updated) values ('shop', ?, 'B', 1, ?, 1, 1)",
      id,
      fields,
    );
  const found = records.list();
  assert.deepEqual(
    found.map((one) => [one.id, "broken" in one]),
    [
      ["bad", true],
      ["good", false],
      ["list", true],
    ],
  );
});
