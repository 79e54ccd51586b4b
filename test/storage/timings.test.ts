import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { advance } from "../../src/engine/events.ts";
import { openSqliteStore, type SqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { eventTimings, hookTimings, timingOf } from "../../src/storage/sqlite/statistics.ts";
import { anEvent, aRun, noHooks } from "./contract.ts";

function opened(context: TestContext): SqliteStore {
  const folder = mkdtempSync(join(tmpdir(), "hookline-timings-"));
  const store = openSqliteStore({ path: join(folder, "store.db") });
  context.after(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

test("percentiles are figures that were measured, and nothing has none", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual(timingOf(hundred), { count: 100, p50: 50, p95: 95 });
  assert.deepEqual(timingOf([7]), { count: 1, p50: 7, p95: 7 });
  assert.equal(timingOf([]), undefined);
});

test("a hook's runs are timed with what they cost a session; refused, open and old ones are not", async (t) => {
  const store = opened(t);
  const runs = [
    aRun({ hook: "a", ms: 10, session: "one" }),
    aRun({ hook: "a", ms: 30, session: "one" }),
    aRun({ hook: "a", ms: 20, session: "two" }),
    aRun({ hook: "a", ms: 5_000, asked: 0, status: "skipped" }),
    aRun({ hook: "a", ms: 6_000, startedAt: 5 }),
    aRun({ hook: "b", ms: 7_000 }),
  ];
  for (const run of runs) await store.saveRun(run);
  const { ms: _none, ...open } = aRun({ hook: "a", status: "running" });
  await store.saveRun(open);
  const timings = hookTimings(store.database, ["a", "none", "b"], 1_000);
  assert.deepEqual(
    [...timings],
    [
      ["a", { count: 3, p50: 20, p95: 30, perSession: 30 }],
      ["b", { count: 1, p50: 7_000, p95: 7_000 }],
    ],
  );
});

test("only a hook's newest runs are read, and they by its index", async (t) => {
  const store = opened(t);
  for (let number = 0; number < 600; number++) await store.saveRun(aRun({ hook: "a", ms: number < 100 ? 9_000 : 1 }));
  assert.deepEqual(hookTimings(store.database, ["a"], 0).get("a"), { count: 500, p50: 1, p95: 1 });
  const plan = store.database.all<{ detail: string }>(
    "explain query plan select ms from (select ms, asked, seq from run where hook = ? order by seq desc limit 9) where asked > 0",
    "a",
  );
  assert.match(plan.map(({ detail }) => detail).join(), /USING INDEX run_hook/);
});

test("whole decisions are timed by event, the slowest first; one that has no answer yet is not", async (t) => {
  const store = opened(t);
  const decide = async (name: "PreToolUse" | "Stop", ms?: number): Promise<void> => {
    const event = anEvent({ name });
    await store.record(event, noHooks, advance);
    if (ms !== undefined) await store.answered(event.id, {}, ms);
  };
  await decide("PreToolUse", 2);
  await decide("PreToolUse", 4);
  await decide("PreToolUse");
  await decide("Stop", 900);
  assert.deepEqual(eventTimings(store.database, 0), [
    { event: "Stop", count: 1, p50: 900, p95: 900 },
    { event: "PreToolUse", count: 2, p50: 2, p95: 4 },
  ]);
  assert.deepEqual(eventTimings(store.database, Date.now() + 1e12), []);
});
