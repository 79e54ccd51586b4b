import { after, before } from "node:test";
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
  const opened = await openOn(cluster.store, { cap, own: true, poll: 0.5, lease: 600 });
  return {
    queue: opened.queue,
    add: async (item) => opened.queue.add(item, {}),
    close: opened.close,
  };
});
