import { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Queue } from "../../src/engine/ports.ts";
import { testQueue } from "../runtime/queues/contract.ts";
import type { Prepared } from "./prepared.ts";
import { openOn, startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared({ settings: ["fsync = off"] });
});
after(() => cluster.close());

testQueue("shared", async (cap) => {
  cluster.empty();
  const opened = await openOn(cluster.store, { cap, poll: 0.5, lease: 600 });
  /** The contract's queue waits for what it has taken; this one leaves it to other workers. */
  const whenIdle = async (): Promise<void> => {
    for (let left = 1; left > 0; await pause(20)) {
      const { waiting, running } = await opened.work.counts();
      left = waiting + running;
    }
  };
  const queue: Queue = { ...opened.queue, close: () => whenIdle().then(() => opened.queue.close()) };
  return { queue, add: async (item) => queue.add(item, {}), close: opened.close };
});
