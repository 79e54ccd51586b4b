/** What the SQLite store keeps of durable runs that were handed over to other machines. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { createHandedOver } from "../../../src/storage/sqlite/handed-over.ts";
import { workCounts } from "../../../src/storage/sqlite/journal-queues.ts";
import { durableHook, itemOf, marking, placeFor } from "./world.ts";

const worker = "1:2:w";
const now = 1_000;

function sceneFor(context: TestContext, overlap: Hook["limits"]["overlap"] = "queue") {
  const { store, journal } = placeFor(context);
  const hook = durableHook("h", [marking("a")], { overlap });
  const take = () => journal.claim(worker, { cap: 10, until: 10_000 })?.run.id;
  return {
    ...{ store, journal, hook, take, handedOver: createHandedOver(store) },
    async add(id: string, data?: object) {
      const item = itemOf(hook, id);
      if (data) item.event.data = { ...item.event.data, ...data };
      await store.saveRun(item.run);
      return journal.add(item, now);
    },
    send(id: string) {
      assert.equal(take(), id);
      assert.equal(journal.handOver(worker, id, "db"), true);
    },
  };
}

test("what was handed over gives its place to the next of its hook, and stays until its end is written", async (context) => {
  const { store, handedOver, take, add, send } = sceneFor(context);
  await add("r1", { number: 1 });
  await add("r2");
  send("r1");
  assert.equal(take(), "r2", "its turn has come");
  assert.deepEqual(workCounts(store.database), { waiting: 0, running: 1, handedOver: 1 });
  const [item] = handedOver.list("db");
  assert.deepEqual([item?.run.id, item?.event.data.number], ["r1", 1]);
  assert.ok(item);
  assert.equal(handedOver.settle({ ...item.run, status: "completed", ms: 5 }), true);
  assert.equal(handedOver.settle({ ...item.run, status: "failed", ms: 6 }), false, "it has one end");
  assert.equal((await store.run("r1"))?.status, "completed");
  assert.deepEqual(handedOver.list("db"), []);
});

test("only the worker that has a run hands it over", async (context) => {
  const { journal, take, add } = sceneFor(context);
  await add("r1");
  assert.equal(journal.handOver(worker, "r1", "db"), false, "it waits");
  assert.equal(take(), "r1");
  assert.equal(journal.handOver("3:4:other", "r1", "db"), false);
  assert.equal(journal.handOver(worker, "r1", "db"), true);
  assert.equal(journal.handOver(worker, "r1", "db"), false);
});

test("overlap looks at what was not handed over: the rest is for the machines that have it", async (context) => {
  for (const overlap of ["skip", "coalesce", "restart"] as const) {
    const { add, send, handedOver } = sceneFor(context, overlap);
    await add("r1");
    send("r1");
    assert.deepEqual(await add("r2"), { is: "queued", ended: [] }, overlap);
    assert.deepEqual(handedOver.recalled("db"), [], overlap);
  }
});

test("what is taken back waits before what came later", async (context) => {
  const { handedOver, take, add, send } = sceneFor(context);
  for (const id of ["r1", "r2"]) {
    await add(id);
    send(id);
  }
  await add("r3");
  for (const id of ["r2", "r1"]) assert.equal(handedOver.takeBack(id, now), undefined);
  assert.equal(handedOver.takeBack("r1", now), undefined, "it waits here already");
  for (const id of ["r1", "r2", "r3"]) send(id);
  assert.equal(take(), undefined);
});

test("what was cancelled or paused is recalled; taken back, the one ends and the other waits for the end of the pause", async (context) => {
  const { store, journal, hook, handedOver, take, add, send } = sceneFor(context);
  for (const id of ["r1", "r2"]) {
    await add(id);
    send(id);
  }
  assert.equal(journal.cancel("r1", now), undefined, "the machine that has it ends it");
  assert.deepEqual(handedOver.recalled("db"), [{ run: "r1", cancelled: "cancelled" }]);
  await store.pause(hook.id, now);
  assert.deepEqual(handedOver.recalled("db"), [{ run: "r1", cancelled: "cancelled" }, { run: "r2" }]);
  assert.equal(handedOver.takeBack("r1", now)?.run.status, "cancelled");
  assert.equal(handedOver.takeBack("r2", now), undefined);
  assert.equal(take(), undefined);
  await store.resume(hook.id);
  assert.equal(take(), "r2");
});

test("who waits for a run knows that it goes on elsewhere", async (context) => {
  const { journal, add, send } = sceneFor(context);
  await add("r1");
  send("r1");
  assert.deepEqual([...journal.unfinished(["r1"], true)], ["r1"]);
  assert.deepEqual([...journal.unfinished(["r1"], false)], []);
});
