import assert from "node:assert/strict";
import { test } from "node:test";
import { advance } from "../../src/engine/events.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { anEvent, aRun, noHooks, testStore } from "./contract.ts";

testStore("memory", (given) => openMemoryStore(given));

test("memory: what is held has a limit, and the oldest goes first", async () => {
  const store = openMemoryStore({ limit: 3 });
  const events = [1, 2, 3, 4].map(() => anEvent({ session: `s${Math.random()}` }));
  for (const event of events) await store.record(event, noHooks, advance);
  for (let time = 0; time < 5; time++) await store.saveRun(aRun());
  assert.deepEqual(
    (await store.events(9)).map(({ event }) => event.id),
    events
      .slice(1)
      .map(({ id }) => id)
      .reverse(),
  );
  assert.equal((await store.runs({})).length, 3);
  store.close();
});
