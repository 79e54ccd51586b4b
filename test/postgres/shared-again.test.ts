/** A shared run that its own worker gets once more while it still works on it, and cancellations with a reason. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { DurableEngine } from "../../src/runtime/queues/shared/dbos.ts";
import { openSharedQueue } from "../../src/runtime/queues/shared/shared.ts";
import { durableHook, itemOf, marking } from "../runtime/queues/world.ts";
import type { Prepared } from "./prepared.ts";
import { senderFor, startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared({ settings: ["fsync = off"] });
});
after(() => cluster.close());

const hook = durableHook("h", [marking("a")]);

test("a worker that gets a run once more, as it was silent, ends its first attempt before it begins the second", async (context) => {
  cluster.empty();
  const { work, over } = senderFor(context, cluster.store);
  const member = { id: "w1", token: "t1", where: "here" };
  await work.makePlaces(1);
  await work.join(member, 600);
  const go = Promise.withResolvers<void>();
  let [alive, atOnce, begun] = [0, 0, 0];
  let perform: (run: string) => Promise<void> = async () => {};
  /** As DBOS calls, on a day when its queue gives this worker what another one took from it. */
  const engine: DurableEngine = {
    async start(run) {
      void perform(run).catch(() => {});
      return true;
    },
    step: (_name, inner) => inner(),
    isInStep: () => false,
    conflict: (run) => new Error(`${run} is another's`),
    isConflict: () => false,
    states: async () => new Map(),
    open: async () => [],
    resume: async () => {},
    tidy: async () => {},
    close: async () => {},
  };
  const queue = await openSharedQueue({
    ...{ work, member, cap: () => 1, lease: 600, poll: 0.05, isHere: () => true, endTagged: async () => true },
    after(milliseconds, inner) {
      const timer = setTimeout(inner, milliseconds);
      return () => clearTimeout(timer);
    },
    openEngine: async (options) => {
      perform = options.perform;
      return engine;
    },
    complain: (reason) => console.error(reason),
  });
  queue.start({
    async perform({ run }, { signal, steps }) {
      begun += 1;
      alive += 1;
      atOnce = Math.max(atOnce, alive);
      const stopped = new Promise<void>((resolve) =>
        signal?.addEventListener("abort", () => resolve(), { once: true }),
      );
      await Promise.race([go.promise, stopped.then(() => pause(100))]); // its program takes a moment to end
      alive -= 1;
      try {
        await steps?.save({ ...run, status: "completed", ms: 1 });
      } catch {
        // it is lost
      }
    },
    drop: async () => {},
  });
  const item = itemOf(hook, "r1");
  await work.add(item);
  while (begun < 1) await pause(10);
  const again = perform("r1").catch(() => {});
  while (begun < 2) await pause(10);
  for (let beat = 0; beat < 6; beat++) await pause(50); // a run that seemed to be nobody's would be given back at the second
  go.resolve();
  await again;
  assert.equal((await over(item)).status, "completed");
  assert.deepEqual([begun, atOnce], [2, 1]);
  await queue.close();
});

test("a cancellation keeps its reason, whether the run waits or is performed", async (context) => {
  cluster.empty();
  const { work, over } = senderFor(context, cluster.store);
  const member = { id: "w1", token: "t1", where: "here" };
  await work.makePlaces(1);
  await work.join(member, 600);
  for (const id of ["r1", "r2"]) await work.add(itemOf(hook, id));
  const [begun] = await work.begin({ member, cap: 1, limit: 1, elsewhere: [] });
  assert.equal(begun?.item.run.id, "r1");
  const waited = await work.cancel("r2", "another took its place");
  assert.deepEqual([waited?.run.status, waited?.run.reason], ["skipped", "another took its place"]);
  assert.equal(await work.cancel("r1", "another took its place"), undefined);
  assert.equal((await work.beat(member)).held.get("r1")?.cancelled, "another took its place");
  assert.ok(begun);
  await work.save(begun.hold, { ...begun.item.run, status: "cancelled", ms: 1 });
  assert.equal((await over(begun.item)).reason, "another took its place");
});
