/** A process of its own that works on durable runs: node worker.ts FOLDER OPTIONS. It says what it does, one line each. */

import type { Queue } from "../../../src/engine/ports.ts";
import { openDurableQueue } from "../../../src/hosts/compose/durable-queue.ts";
import { engineOn, storeIn } from "./world.ts";

export interface WorkerOptions {
  cap?: number;
  lease?: number;
  poll?: number;
  /** Seconds that it waits for what runs, once it is told to stop. */
  patience?: number;
}

const [folder = "", given = "{}"] = process.argv.slice(2);
const { cap = 2, patience, ...options }: WorkerOptions = JSON.parse(given);
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const store = storeIn(folder);
const durable = openDurableQueue(store, { ...options, cap: () => cap, environment: {} });
const queue: Queue = {
  ...durable,
  start: (owner) =>
    durable.start({
      ...owner,
      async perform(item, caller) {
        print({ begun: item.run.id });
        await owner.perform(item, caller);
        print({ performed: item.run.id, lost: caller.steps?.isLost() });
      },
    }),
};
await engineOn(store, queue, folder);
process.once("SIGTERM", async () => {
  print({ stopping: true });
  await durable.close(patience);
  store.close();
  print({ closed: true });
  process.exit(0);
});
print({ ready: true });
