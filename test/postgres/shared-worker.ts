/** A worker of shared runs in a process of its own: node shared-worker.ts FOLDER OPTIONS. It says what it does, one line each. */
import { flushCompileCache } from "node:module";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Handler, Queue } from "../../src/engine/ports.ts";
import { createSpawn } from "../../src/runtime/processes/spawn.ts";
import { claimingOnce } from "../../src/runtime/queues/shared/shared.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { markIn, programIn } from "../runtime/queues/world.ts";
import { openOn } from "./shared-world.ts";

export interface SharedWorkerOptions {
  url: string;
  id: string;
  cap?: number;
  lease?: number;
  poll?: number;
  version?: number;
  /** Seconds that it waits for what runs, once it is told to stop. */
  patience?: number;
  saysWithin?: number;
}

const [folder = "", given = "{}"] = process.argv.slice(2);
const { url, patience, ...options }: SharedWorkerOptions = JSON.parse(given);
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const opened = await openOn(url, {
  poll: 0.2,
  ...options,
  environment: {},
  complain: (reason) => print({ complains: reason }),
  expelled: () => print({ expelled: true }),
});
const queue: Queue = {
  ...opened.queue,
  start: (owner) =>
    opened.queue.start({
      ...owner,
      async perform(item, caller) {
        print({ begun: item.run.id });
        await owner.perform(item, caller);
        print({ performed: item.run.id, lost: caller.steps?.isLost() });
      },
    }),
};
const handlers = new Map<string, Handler>([
  ["mark", markIn(folder)],
  ["program", programIn(folder)],
]);
createEngine({
  ...systemPorts(),
  store: claimingOnce(opened.store, opened.work),
  queue,
  hooks: () => ({ id: "none", hooks: [] }),
  registry: { handlers, conditions: new Map() },
  patterns: await loadPatterns(),
  spawn: createSpawn(),
});
process.once("SIGTERM", async () => {
  await opened.queue.close(patience);
  await opened.store.close();
  print({ closed: true });
  process.exit(0);
});
flushCompileCache(); // one that is killed would keep nothing for the next
print({ ready: true });
