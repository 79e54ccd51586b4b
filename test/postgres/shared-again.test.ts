/** A shared run that its own worker gets once more, or at its end, and cancellations with a reason. */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { SharedWork } from "../../src/engine/shared-work.ts";
import type { DurableEngine, DurableEngineOptions } from "../../src/runtime/queues/shared/dbos.ts";
import { openSharedQueue, type SharedQueue } from "../../src/runtime/queues/shared/shared.ts";
import { durableHook, itemOf, marking } from "../runtime/queues/world.ts";
import type { Prepared } from "./prepared.ts";
import { type Sender, senderFor, startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared({ settings: ["fsync = off"] });
});
after(() => cluster.close());

const hook = durableHook("h", [marking("a")]);

interface Given {
  work: SharedWork;
  /** As it begins a run: the one that calls `perform`. */
  start(run: string, perform: DurableEngineOptions["perform"]): Promise<boolean>;
}

/** A worker whose DBOS calls as the test says. */
async function openWith({ work, start }: Given): Promise<{ queue: SharedQueue; perform(run: string): Promise<void> }> {
  let perform: DurableEngineOptions["perform"] = async () => {};
  const engine: DurableEngine = {
    start: (run) => start(run, perform),
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
  return { queue, perform: (run) => perform(run) };
}
const member = { id: "w1", token: "t1", where: "here" };

async function joined(context: TestContext): Promise<Sender> {
  cluster.empty();
  const sender = senderFor(context, cluster.store);
  await sender.work.makePlaces(1);
  await sender.work.join(member, 600);
  return sender;
}

test("a worker that gets a run once more, as it was silent, ends its first attempt before it begins the second", async (context) => {
  const { work, over } = await joined(context);
  const go = Promise.withResolvers<void>();
  let [alive, atOnce, begun] = [0, 0, 0];
  const { queue, perform } = await openWith({
    work,
    async start(run, performs) {
      void performs(run).catch(() => {});
      return true;
    },
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

for (const moment of ["while it asks what waits", "before its first step"] as const)
  test(`a run that a worker takes ${moment}, when it is told to end, is given back and nothing of it is done twice`, async (context) => {
    const { work } = await joined(context);
    const [reached, isTold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = async (): Promise<void> => {
      reached.resolve();
      await isTold.promise;
    };
    const given: boolean[] = [];
    let performed: Promise<void> = Promise.resolve();
    const { queue } = await openWith({
      work: {
        ...work,
        async begin(beginning) {
          const begun = await work.begin(beginning);
          if (begun.length > 0 && moment === "while it asks what waits") await waits();
          return begun;
        },
        release(...words) {
          given.push(true);
          return work.release(...words);
        },
      },
      async start(run, performs) {
        if (moment === "before its first step") await waits();
        performed = performs(run).catch(() => {});
        return true;
      },
    });
    let begun = 0;
    queue.start({ perform: async () => void begun++, drop: async () => {} });
    await work.add(itemOf(hook, "r1"));
    await reached.promise;
    const closed = queue.close();
    await new Promise(setImmediate);
    assert.deepEqual(given, [], "it is not given back while it is on its way");
    isTold.resolve();
    await closed;
    await performed;
    assert.equal(begun, 0);
    const other = { ...member, id: "w2", token: "t2" };
    await work.join(other, 600);
    const taken =
      moment === "while it asks what waits"
        ? (await work.begin({ member: other, cap: 1, limit: 1, elsewhere: [] }))[0]
        : await work.resume(other, "r1");
    assert.ok(taken && "item" in taken);
    assert.deepEqual([taken.item.run.id, taken.item.run.notes], ["r1", []]);
  });

test("a cancellation keeps its reason, whether the run waits or is performed", async (context) => {
  const { work, over } = await joined(context);
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

test("a run that was given back is shown once, as who takes it up may need longer than the next look", async (context) => {
  const { work } = await joined(context);
  const shown = async (lease: number): Promise<string[]> => {
    const runs: string[] = [];
    await work.adrift(lease, async (adrift) => void runs.push(...adrift.map(({ run }) => run)));
    return runs;
  };
  await work.add(itemOf(hook, "r1"));
  await work.begin({ member, cap: 1, limit: 1, elsewhere: [] });
  for (const _time of [1, 2]) {
    await work.release(member, ["r1"]);
    assert.deepEqual([await shown(600), await shown(600)], [["r1"], []]);
    assert.deepEqual(await shown(0), ["r1"], "nobody has taken it up in time");
    await work.resume(member, "r1");
    assert.deepEqual(await shown(600), []);
  }
});
