/** Durable runs while somebody sets the clock: it says when something happened, and nothing waits for it. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Run } from "../../../src/engine/record.ts";
import { openDurableQueue } from "../../../src/hosts/compose/durable-queue.ts";
import { createEnqueuing } from "../../../src/runtime/queues/routed.ts";
import { uptime } from "../../../src/runtime/system.ts";
import { createJournal } from "../../../src/storage/sqlite/journal.ts";
import type { SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { beginnings, logged } from "./start-worker.ts";
import { durableHook, engineOn, enqueue, itemOf, marking, placeFor } from "./world.ts";

const hour = 3_600_000;
const worker = (store: SqliteStore): ReturnType<typeof openDurableQueue> =>
  openDurableQueue(store, { cap: () => 1, environment: {} });

test("[R56, R23] what was queued before the clock was set back an hour is begun at once, and in its order", async (context) => {
  const { folder, store } = placeFor(context);
  const journal = createJournal(store);
  const earlier = createEnqueuing({ journal, now: () => Date.now() + hour });
  await enqueue(store, earlier, itemOf(durableHook("one", [marking("a")], { overlap: "coalesce" }), "r1"));
  const later = createEnqueuing({ journal, now: Date.now });
  await enqueue(store, later, itemOf(durableHook("two", [marking("a")]), "r2"));
  await enqueue(store, later, itemOf(durableHook("one", [marking("a")], { overlap: "coalesce" }), "r3"));
  const queue = worker(store);
  const engine = await engineOn(store, queue, folder);
  await queue.idle();
  await engine.close();
  assert.deepEqual(
    logged(folder).flatMap(([what, run]) => (what === "begin" ? [run] : [])),
    ["r3", "r2"],
  );
});

/** A run of two steps; the clock is set by so much when the first has ended. */
async function runWhile(context: TestContext, step: number): Promise<Run> {
  const { folder, store } = placeFor(context);
  let offset = 0;
  const queue = worker(store);
  const engine = await engineOn(store, queue, folder, {
    now: () => Date.now() + offset,
    observe(seen) {
      if (seen.is === "run" && seen.run.steps.length === 1) offset = step;
    },
  });
  const hook = durableHook("h", [marking("a"), marking("b", { takes: 20 })], { timeout: 60 });
  await enqueue(store, queue, itemOf(hook, "r1"));
  await queue.idle();
  await engine.close();
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 1 });
  return (await store.run("r1")) ?? assert.fail("no run");
}
for (const [how, step] of Object.entries({ "forward an hour": hour, "back an hour": -hour }))
  test(`[R54] a run with a limit of a minute ends as usual although the clock is set ${how} between two steps, and reports its duration`, async (context) => {
    const { status, reason, ms = -1, steps } = await runWhile(context, step);
    assert.deepEqual([status, reason], ["completed", undefined]);
    assert.ok(ms >= 20 && ms < 60_000, `${ms} ms`);
    assert.ok(steps.every((one) => one.ms >= 0 && one.ms < 60_000));
  });

test("[R56] a lease holds as long as it says, and one from before the machine was started anew does not", (context) => {
  const { store } = placeFor(context);
  const journal = createJournal(store);
  const isAlive = (): boolean => true;
  journal.add(itemOf(durableHook("h", [marking("a")]), "r1"), Date.now());
  const at = uptime();
  assert.ok(journal.claim("1:1:w", { cap: 1, until: at + 30_000 }));
  const takers = (when: number): string[] => journal.abandoned("2:2:v", isAlive, when).map(({ run }) => run);
  assert.deepEqual([takers(at), takers(at + 30_000), takers(at + 30_001)], [[], [], ["r1"]]);
  assert.deepEqual(takers(at - 10 * 24 * hour), ["r1"]);
});
