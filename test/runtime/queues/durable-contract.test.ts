import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDurableQueue } from "../../../src/hosts/compose/durable-queue.ts";
import { testQueue } from "./contract.ts";
import { storeIn } from "./world.ts";

testQueue("durable", (cap) => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-queue-"));
  const store = storeIn(folder);
  const queue = openDurableQueue(store, { own: true, cap: () => cap, environment: {} });
  return {
    queue,
    async add(item) {
      store.saveRun(item.run);
      return queue.add(item, {});
    },
    close() {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
