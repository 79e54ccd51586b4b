/** What stores keep, in the sizes and numbers that take long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { advance } from "../../src/engine/events.ts";
import { ringOfRows, withDegradedMode } from "../../src/storage/degraded.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { anEvent, noHooks, readsBackAny } from "./contract.ts";
import { comesBack, count, newPath, opened } from "./degrading.ts";
import { locked } from "./lock.ts";

const stores = {
  memory: () => openMemoryStore(),
  sqlite: () => openSqliteStore({ path: newPath() }),
  "sqlite in groups": () => openSqliteStore({ path: newPath(), groups: true }),
  "sqlite in groups with the degraded mode": () =>
    withDegradedMode(() => openSqliteStore({ path: newPath(), groups: true }), {
      ring: ringOfRows,
      complain: assert.fail,
    }),
};
for (const [name, open] of Object.entries(stores))
  test(`${name}: any of 100 JSON payloads within the limit is read back as it was`, async (context) => {
    const store = open();
    context.after(() => store.close());
    await readsBackAny(store, 100);
  });

test("rows that are large are kept up to 64 MB while the store takes nothing, however few they are", async (context) => {
  const { store, path } = opened(context);
  const release = locked(context, path);
  const text = "x".repeat(30 * 1024 * 1024);
  for (let index = 0; index < 3; index++) await store.record(anEvent({ data: { text } }), noHooks, advance);
  assert.equal(store.rowsLost(), 1);
  release();
  await comesBack(store);
  assert.equal(count(path, "event"), 2);
});
