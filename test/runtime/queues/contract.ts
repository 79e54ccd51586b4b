/** What every queue must do that performs runs itself. A test of an implementation calls testQueue, and adds only what is its own. */
import assert from "node:assert/strict";
import test from "node:test";
import type { MaybePromise } from "../../../src/engine/event.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Item, Queue } from "../../../src/engine/ports.ts";
import type { RunStatus } from "../../../src/engine/record.ts";
import { durableHook, itemOf, marking } from "./world.ts";

export interface Opened {
  queue: Queue;
  /** Writes the run's row first, where the queue needs it. */
  add(item: Item): Promise<{ is: "queued" } | { is: "skipped"; reason: string }>;
  close(): MaybePromise<void>;
}

type Overlap = Hook["limits"]["overlap"];
const hookOf = (overlap: Overlap, name: string = overlap): Hook => durableHook(name, [marking("one")], { overlap });

/** Runs that are held until they are let go, and a list of what became of each. */
interface Scene {
  told: string[];
  begun: string[];
  add(item: Item): Promise<void>;
  /** Lets the run go on, once it has begun. */
  letGo(run: string): Promise<void>;
  hasBegun(run: string): Promise<void>;
  /** Once it is told to stop, it does so when it is let go. */
  obeysLate(run: string): void;
  queue: Queue;
  /** Waits until nothing is left to run. */
  close(): Promise<void>;
}

export function testQueue(name: string, open: (cap: number) => MaybePromise<Opened>): void {
  const about = (sentence: string, story: (scene: Scene) => Promise<void>): void => {
    test(`${name}: ${sentence}`, async () => {
      const opened = await open(8);
      try {
        await story(sceneOf(opened));
      } finally {
        await opened.close();
      }
    });
  };

  about("all that is added runs once, the runs of one hook in order and one at a time", async (scene) => {
    const hooks = ["a", "b", "c"].map((one) => hookOf("queue", one));
    let running = 0;
    for (let number = 1; number <= 10; number++)
      for (const hook of hooks) await scene.add(itemOf(hook, `${hook.name}${number}`));
    for (let number = 1; number <= 10; number++)
      for (const hook of hooks) {
        await scene.letGo(`${hook.name}${number}`);
        running += 1;
      }
    await scene.close();
    assert.equal(running, 30);
    for (const hook of hooks)
      assert.deepEqual(
        scene.told.filter((line) => line.startsWith(hook.name)),
        Array.from({ length: 10 }, (_none, index) => `${hook.name}${index + 1} ran`),
      );
  });

  /** Three more come while the first runs. */
  const meanwhile = async (scene: Scene, overlap: Overlap): Promise<string[]> => {
    const hook = hookOf(overlap);
    if (overlap === "restart") scene.obeysLate("r1");
    await scene.add(itemOf(hook, "r1"));
    await scene.hasBegun("r1");
    for (const run of ["r2", "r3", "r4"]) await scene.add(itemOf(hook, run));
    await scene.letGo("r1");
    for (const run of ["r2", "r3", "r4"]) void scene.letGo(run);
    await scene.close();
    return scene.told;
  };
  const itsPlace = "overlap: a later event took its place";

  about(
    "[R23, R53, AT17] coalesce runs the latest after the one that runs, and says what became of the others",
    async (scene) =>
      assert.deepEqual(await meanwhile(scene, "coalesce"), [`r2 ${itsPlace}`, `r3 ${itsPlace}`, "r1 ran", "r4 ran"]),
  );
  about("[R53] queue runs all, one after the other", async (scene) =>
    assert.deepEqual(await meanwhile(scene, "queue"), ["r1 ran", "r2 ran", "r3 ran", "r4 ran"]),
  );
  about("[R53, AT17] skip refuses what comes while it runs, with the reason", async (scene) =>
    assert.deepEqual(await meanwhile(scene, "skip"), [
      ...["r2", "r3", "r4"].map((run) => `${run} overlap: it is still running`),
      "r1 ran",
    ]),
  );
  about("[R53] restart stops the one that runs, and runs the latest", async (scene) => {
    const told = await meanwhile(scene, "restart");
    assert.deepEqual(told.toSorted(), ["r1 stopped", `r2 ${itsPlace}`, `r3 ${itsPlace}`, "r4 ran"]);
    assert.equal(told.at(-1), "r4 ran");
  });

  about("[R23] 1,000 events of a hook may wait, and what comes then is refused with the reason", async (scene) => {
    const hook = hookOf("queue");
    await scene.add(itemOf(hook, "r1"));
    await scene.hasBegun("r1");
    for (let number = 1; number <= 1_001; number++) await scene.add(itemOf(hook, `w${number}`));
    await scene.add(itemOf(hookOf("queue", "other"), "o1"));
    assert.deepEqual(scene.told, ["w1001 queue full: 1000 wait"]);
    for (let number = 2; number <= 1_000; number++) await scene.queue.cancel(`w${number}`);
    await scene.add(itemOf(hook, "r2"));
    for (const run of ["r1", "w1", "r2", "o1"]) void scene.letGo(run);
    await scene.close();
    assert.deepEqual(scene.told.filter((line) => line.endsWith(" ran")).toSorted(), [
      "o1 ran",
      "r1 ran",
      "r2 ran",
      "w1 ran",
    ]);
  });

  about("what is cancelled while it waits is ended with its reason, and what runs is stopped", async (scene) => {
    const hook = hookOf("queue");
    for (const run of ["r1", "r2", "r3"]) await scene.add(itemOf(hook, run));
    await scene.hasBegun("r1");
    await scene.queue.cancel("r2");
    await scene.queue.cancel("r1");
    void scene.letGo("r3");
    await scene.close();
    assert.deepEqual(scene.told, ["r2 cancelled before it started", "r1 stopped", "r3 ran"]);
  });

  about("close() takes and runs what running items add, level by level", async (scene) => {
    const levels = (["skip", "queue", "coalesce", "restart"] as const).map((one) => hookOf(one));
    const [first = assert.fail()] = levels;
    await scene.add(itemOf(first, "r0"));
    const closing = scene.close();
    for (const [index, hook] of levels.entries()) {
      await scene.hasBegun(`r${index}`);
      if (index < 3) await scene.add(itemOf(levels[index + 1] ?? hook, `r${index + 1}`));
      void scene.letGo(`r${index}`);
    }
    await closing;
    assert.deepEqual(scene.told, ["r0 ran", "r1 ran", "r2 ran", "r3 ran"]);
  });
}

function sceneOf({ queue, add }: Opened): Scene {
  const told: string[] = [];
  const begun: string[] = [];
  const late = new Set<string>();
  const gates = new Map<string, { begins(): void; begun: Promise<void>; open(): void; opened: Promise<void> }>();
  const gateOf = (run: string) => {
    const known = gates.get(run);
    if (known) return known;
    const start = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const gate = { begins: start.resolve, begun: start.promise, open: end.resolve, opened: end.promise };
    gates.set(run, gate);
    return gate;
  };
  queue.start({
    async perform({ run }, { signal, steps }) {
      begun.push(run.id);
      const gate = gateOf(run.id);
      gate.begins();
      const stopped = new Promise<void>((resolve) => {
        if (signal?.aborted) resolve();
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
      await (late.has(run.id) ? Promise.all([gate.opened, stopped]) : Promise.race([gate.opened, stopped]));
      const status: RunStatus = signal?.aborted ? "cancelled" : "completed";
      await steps?.save({ ...run, status, ms: 1 });
      told.push(`${run.id} ${signal?.aborted ? "stopped" : "ran"}`);
    },
    drop: async ({ run }, reason) => void told.push(`${run.id} ${reason}`),
    changed: ({ id, reason }) => void told.push(`${id} ${reason}`),
  });
  return {
    told,
    begun,
    queue,
    async add(item) {
      const taken = await add(item);
      if (taken.is === "skipped") told.push(`${item.run.id} ${taken.reason}`);
    },
    async letGo(run) {
      await gateOf(run).begun;
      gateOf(run).open();
    },
    hasBegun: (run) => gateOf(run).begun,
    obeysLate: (run) => late.add(run),
    close: () => queue.close(),
  };
}
