/** Forgetting in processes that stay: part by part, and as thoroughly as all at once. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { purgeSlowly } from "../../src/storage/sqlite/retention.ts";
import { openSqliteStore, type SqliteStore } from "../../src/storage/sqlite/sqlite.ts";

const day = 86_400_000;
const today = 100 * day;

function storeIn(t: TestContext): SqliteStore {
  const folder = mkdtempSync(join(tmpdir(), "hookline-retention-"));
  const store = openSqliteStore({ path: join(folder, "store.db"), now: () => today });
  t.after(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

/** So many old events, each with a run that has ended, and one young one; a run that goes on is among the old. */
function fill({ batch, record, saveRun, database }: SqliteStore, old: number): void {
  batch?.(() => {
    for (let number = 0; number <= old; number++) {
      const at = number < old ? 1_000 + number : today;
      const event = { id: `e${number}`, name: "a.b" as const, at, cwd: "/", sender: "test", data: {} };
      record(event, { id: "set", hooks: [] }, (_event, before) => before);
      saveRun({
        ...{ id: `r${number}`, hook: "h", hookName: "h", eventId: event.id, eventName: "a.b", cause: "event:a.b" },
        ...{ status: number === 7 ? "running" : "completed", startedAt: at, steps: [], notes: [], asked: 1 },
      });
    }
  });
  database.run("insert into meta (key, value) values ('purged', 0)"); // it was looked at before
}

const count = ({ database }: SqliteStore, table: string): number =>
  database.get<{ count: number }>(`select count(*) as count from ${table}`)?.count ?? -1;

const waits = { first: 1, look: 10_000, part: 1 };

/** Resolves when it is so, looked at after each turn of the loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

test("in small parts everything old is deleted, and what is new or still runs stays", async (t) => {
  const store = storeIn(t);
  fill(store, 3_000);
  const forgetting = purgeSlowly(store.database, { retentionDays: 30, now: () => today, waits });
  t.after(forgetting.stop);
  await until(() => count(store, "event") === 1);
  assert.equal(count(store, "run"), 2);
  assert.equal(store.database.get<{ status: string }>("select status from run where id = 'r7'")?.status, "running");
});

test("a part that takes long is followed by smaller ones, down to a few rows, and never by one that looks at everything", async (t) => {
  const store = storeIn(t);
  fill(store, 400);
  let time = 0;
  const left: number[] = [count(store, "run")];
  const { database } = store;
  const counting = {
    ...database,
    run(sql: string, ...values: Parameters<typeof database.run>[1][]) {
      const changed = database.run(sql, ...values);
      if (sql.startsWith("delete from run")) left.push(count(store, "run"));
      return changed;
    },
  };
  // each look at the clock is 10 ms later than the last: every part takes too long
  const forgetting = purgeSlowly(counting, { retentionDays: 30, now: () => today, waits, elapsed: () => (time += 10) });
  t.after(forgetting.stop);
  await until(() => count(store, "event") === 1);
  const steps = left.slice(1).map((rest, index) => (left[index] ?? 0) - rest);
  assert.ok(steps.length >= 20, `${steps.length} parts`);
  assert.ok(
    steps.every((rows) => rows <= 32),
    steps.join(),
  );
});

test("what was looked at today is left until tomorrow, and a stopped one does nothing more", async (t) => {
  const store = storeIn(t);
  fill(store, 10);
  store.database.run("update meta set value = ? where key = 'purged'", today - 1_000);
  const idle = purgeSlowly(store.database, { retentionDays: 30, now: () => today, waits });
  const stopped = purgeSlowly(store.database, { retentionDays: 30, now: () => today + day, waits });
  stopped.stop();
  await new Promise((resolve) => setTimeout(resolve, 30)); // longer than the first look of both
  idle.stop();
  assert.equal(count(store, "event"), 11);
});
