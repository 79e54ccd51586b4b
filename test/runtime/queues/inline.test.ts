import assert from "node:assert/strict";
import test from "node:test";
import { createInlineQueue, type Hook, type Item } from "../../../src/index.ts";
import { aHook } from "../../engine/a-hook.ts";
import { testQueue } from "./contract.ts";

const hookOf = (overlap: Hook["limits"]["overlap"]): Hook =>
  aHook(`h-${overlap}`, "function", { name: "h", on: { event: ["Stop"] }, limits: { overlap }, mode: "async" });
const itemOf = (hook: Hook, number: number): Item => ({
  hook,
  event: { id: `e${number}`, name: "Stop", at: number, cwd: "/", data: {}, sender: "test" },
  run: {
    id: `r${number}`,
    hook: hook.id,
    hookName: hook.name,
    eventId: `e${number}`,
    eventName: "Stop",
    status: "queued",
    cause: "event:Stop",
    startedAt: number,
    steps: [],
    notes: [],
    asked: 0,
  },
});

/** Adds four items at once and says what became of each. */
async function fourAtOnce(overlap: Hook["limits"]["overlap"]): Promise<string[]> {
  const queue = createInlineQueue();
  const told: string[] = [];
  queue.start({
    perform: async (item, { signal }) => {
      await new Promise((resolve) => setImmediate(resolve));
      told.push(`${item.run.id} ${signal?.aborted ? "stopped" : "ran"}`);
    },
    drop: async (item, reason) => void told.push(`${item.run.id} dropped: ${reason}`),
  });
  const hook = hookOf(overlap);
  for (let number = 1; number <= 4; number++) {
    const taken = await queue.add(itemOf(hook, number), {});
    if (taken.is === "skipped") told.push(`r${number} ${taken.reason}`);
  }
  await queue.close();
  return told;
}

test("[R23, R53] coalesce runs the first and the latest, and says what became of those between", async () => {
  assert.deepEqual(await fourAtOnce("coalesce"), [
    "r2 dropped: overlap: a later event took its place",
    "r3 dropped: overlap: a later event took its place",
    "r1 ran",
    "r4 ran",
  ]);
});

test("[R53] queue runs all in order, one at a time", async () => {
  assert.deepEqual(await fourAtOnce("queue"), ["r1 ran", "r2 ran", "r3 ran", "r4 ran"]);
});

test("[R53] skip refuses what comes while it runs, with the reason", async () => {
  assert.deepEqual(
    await fourAtOnce("skip"),
    [2, 3, 4].map((number) => `r${number} overlap: it is still running`).concat("r1 ran"),
  );
});

test("[R53] restart stops the running one and runs the latest; none vanishes", async () => {
  assert.deepEqual(await fourAtOnce("restart"), [
    "r2 dropped: overlap: a later event took its place",
    "r3 dropped: overlap: a later event took its place",
    "r1 stopped",
    "r4 ran",
  ]);
});

test("an item that is cancelled while it waits is dropped with its reason, and the others run", async () => {
  const queue = createInlineQueue();
  const told: string[] = [];
  queue.start({
    perform: async (item) => void told.push(item.run.id),
    drop: async (item, reason) => void told.push(`${item.run.id} ${reason}`),
  });
  const hook = hookOf("queue");
  for (const number of [1, 2, 3]) await queue.add(itemOf(hook, number), {});
  await queue.cancel("r2");
  await queue.close();
  assert.deepEqual(told, ["r2 cancelled before it started", "r1", "r3"]);
  await assert.rejects(async () => queue.add(itemOf(hook, 4), {}), { code: "closed" });
});

/** What every queue keeps to, whoever runs its items. */
const queues: { name: string; make: typeof createInlineQueue }[] = [{ name: "inline", make: createInlineQueue }];
for (const { name, make } of queues)
  test(`${name}: close() takes and runs what running items add, level by level, and only then refuses`, async () => {
    const queue = make();
    const told: string[] = [];
    const levels = (["skip", "queue", "coalesce", "restart"] as const).map(hookOf);
    queue.start({
      perform: async (item) => {
        await new Promise((resolve) => setImmediate(resolve));
        told.push(item.run.id);
        const next = levels[told.length];
        if (next) assert.deepEqual(await queue.add(itemOf(next, told.length + 1), {}), { is: "queued" });
      },
      drop: async (item, reason) => assert.fail(`${item.run.id} was dropped: ${reason}`),
    });
    const [first = assert.fail()] = levels;
    await queue.add(itemOf(first, 1), {});
    await Promise.all([queue.close(), queue.close()]);
    assert.deepEqual(told, ["r1", "r2", "r3", "r4"]);
    await assert.rejects(async () => queue.add(itemOf(first, 5), {}), { code: "closed" });
    assert.equal(told.length, 4);
  });

testQueue("inline", () => {
  const queue = createInlineQueue();
  return { queue, add: async (item) => queue.add(item, {}), close() {} };
});
