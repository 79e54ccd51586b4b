/** What belongs to projects, as rows of a real SQLite file. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { ProjectRecord, ProjectRecords, TaskRecord } from "../../src/services/projects/records.ts";
import { createAutomationRecords } from "../../src/storage/sqlite/automation-records.ts";
import { createProjectRecords } from "../../src/storage/sqlite/project-records.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";

function open(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-projects-"));
  const store = openSqliteStore({ path: join(folder, "store.db") });
  context.after(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { projects: createProjectRecords(store.database), automations: createAutomationRecords(store.database) };
}
const shop: ProjectRecord = { id: "shop", name: "Shop", created: 1, updated: 1 };
const task = { id: "t", project: "shop", title: "T", description: "", status: "DEFINED", priority: 1, context: [] };

test("a project that was removed gets nothing more, whichever caller had found it before", async (t) => {
  const { projects, automations } = open(t);
  const note = { project: "shop", name: "n", title: "N", content: "c", created: 1, updated: 1 };
  const memory = { id: "m", project: "shop", source: "s", heading: "", content: "c", created: 1 };
  const automation = { project: "shop", id: "a", name: "A", enabled: true, fields: {}, created: 1, updated: 1 };
  const additions: readonly (() => unknown)[] = [
    () => projects.tasks.add({ ...task, dependsOn: [], created: 1, updated: 1 } as TaskRecord, undefined),
    () => projects.notes.save(note, [], () => assert.fail("its copy was written")),
    () => projects.memory.add({ memory, key: "k" }),
    () => automations.add(automation),
  ];
  for (const add of additions) assert.throws(add, /no project is called "shop"/);
  await projects.add(shop);
  assert.equal(await projects.memory.add({ memory, key: "k" }), "m");
});

test("a project is taken away only where what belongs to it then may go with it", async (t) => {
  const { projects } = open(t);
  await projects.add(shop);
  const seen: unknown[] = [];
  const remove = (mayGo: Parameters<ProjectRecords["remove"]>[1]) => projects.remove("shop", mayGo);
  assert.throws(
    () =>
      remove((holdings) => {
        seen.push(holdings);
        throw new Error("not yet");
      }),
    /not yet/,
  );
  assert.deepEqual(seen, [{ tasks: 0, notes: 0, memories: 0, automations: [] }]);
  assert.ok(await projects.get("shop"));
  await remove(() => {});
  assert.equal(await projects.get("shop"), undefined);
});
