/** What steps gave stands in the journal as it was until the run ends: then no secret of it is in any file of the store. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Journal } from "../../../src/engine/journal.ts";
import { uptime } from "../../../src/runtime/system.ts";
import { createRedaction } from "../../../src/storage/redaction/redaction.ts";
import { createAutomationRecords } from "../../../src/storage/sqlite/automation-records.ts";
import { createJournal } from "../../../src/storage/sqlite/journal.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { durableHook, itemOf, marking } from "./world.ts";

const secret = "k7Qz-93hf-aa81-xx20";
const redact = createRedaction({ environment: { API_TOKEN: secret } });
const worker = "1:1:w";
/** Small ones share a page, large ones lie on pages of their own; many make pages that are split. */
const results = [...Array.from({ length: 60 }, () => `${secret} `.repeat(9)), `${secret} `.repeat(20_000)];

interface Place {
  store: SqliteStore;
  journal: Journal;
  /** As another process has it open all the while, so that the log stays. */
  beside: SqliteStore;
  /** Where the secret stands. */
  holding(): string[];
  /** Begins a run whose steps give the secret. */
  begin(run: string): void;
}

function placeFor(context: TestContext): Place {
  const folder = mkdtempSync(join(tmpdir(), "hookline-secrets-"));
  const path = join(folder, "hookline.db");
  const [store, beside] = [openSqliteStore({ path, redact }), openSqliteStore({ path, redact })];
  context.after(() => {
    store.close();
    beside.close();
    rmSync(folder, { recursive: true });
  });
  const journal = createJournal(store);
  return {
    ...{ store, beside, journal },
    holding: () => readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(secret)),
    begin(run) {
      const item = itemOf(durableHook("h", [marking("a")], { overlap: "queue" }), run);
      void beside.saveRun(item.run);
      createJournal(beside).add(item, Date.now());
      const claimed = journal.claim(worker, { cap: 9, until: uptime() + 30_000 });
      assert.equal(claimed?.run.id, run);
      for (const [index, value] of results.entries()) assert.ok(journal.keep(worker, run, `${index}`, { value }));
    },
  };
}

test("[T25, SD12] once a run has ended and none is left, what its steps gave is in no file of the store, though it stays open", async (context) => {
  const { store, beside, journal, holding, begin } = placeFor(context);
  begin("r1");
  beside.database.run("insert into meta (key, value) values ('other', 1)");
  assert.notDeepEqual(holding(), []);
  const [run = assert.fail()] = await store.runs({});
  const output = { stdout: `it is ${secret}` };
  journal.save(worker, { ...run, status: "completed", steps: [{ uses: "shell", ok: true, output, ms: 1 }] });
  journal.tidy();
  assert.deepEqual(holding(), []);
  assert.match(JSON.stringify(await store.run("r1")), /it is \[redacted\]/);
});

test("[T25, SD12] the same holds for a run that another process cancels while it waits to continue, and for one that goes with its automation", (context) => {
  const { store, beside, journal, holding, begin } = placeFor(context);
  begin("r1");
  journal.release(worker, "r1", Date.now());
  const other = createJournal(beside);
  assert.equal(other.cancel("r1", Date.now())?.run.status, "cancelled");
  other.tidy();
  assert.deepEqual(holding(), []);

  begin("r2");
  const project = "insert into project (id, name, created, updated) values ('p', 'p', 1, 1)";
  beside.database.run(project);
  const records = createAutomationRecords(beside.database);
  const row = { project: "p", id: "h", name: "h", enabled: true, fields: {}, created: 1, updated: 1 };
  records.add(row);
  records.remove("p", "h");
  assert.deepEqual(holding(), []);
  assert.equal(store.database.get("select 1 from work"), undefined);
});

test("[T25, SD12] the same holds for a run that had begun and waited so long that it is forgotten", async (context) => {
  const { store, beside, journal, holding, begin } = placeFor(context);
  begin("r1");
  journal.release(worker, "r1", Date.now());
  assert.notDeepEqual(holding(), []);
  await beside.purge(Date.now() + 1);
  assert.deepEqual(holding(), []);
  assert.equal((await store.run("r1"))?.status, "cancelled");
});

test("the log is emptied without waiting: a current writer is not disturbed, and it is done later", (context) => {
  const { beside, journal, holding, begin } = placeFor(context);
  begin("r1");
  journal.save(worker, { ...itemOf(durableHook("h", [marking("a")]), "r1").run, status: "completed" });
  beside.database.write(() => {
    const before = performance.now();
    journal.tidy();
    assert.ok(performance.now() - before < 5_000, "it did not wait for five seconds");
  });
  assert.notDeepEqual(holding(), []);
  journal.tidy();
  assert.deepEqual(holding(), []);
});
