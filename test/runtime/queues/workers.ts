/** A place for durable runs with workers in processes of their own, which end with the test. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Item, Queue } from "../../../src/engine/ports.ts";
import type { Run } from "../../../src/engine/record.ts";
import { openEnqueuing } from "../../../src/hosts/compose/durable-queue.ts";
import type { SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { startWorker, type Worker } from "./start-worker.ts";
import type { WorkerOptions } from "./worker.ts";
import { enqueue, storeIn } from "./world.ts";

export interface Place {
  folder: string;
  store: SqliteStore;
  add(item: Item): Promise<void>;
  start(options?: WorkerOptions): Promise<Worker>;
  /** Steps that wait for this file go on. */
  open(name: string): void;
  run(id: string): Promise<Run>;
  /** Waits until none of the runs is queued or running. */
  over(...runs: string[]): Promise<Run[]>;
}

export function placeFor(context: { after(work: () => unknown): void }): Place {
  const folder = mkdtempSync(join(tmpdir(), "hookline-workers-"));
  const store = storeIn(folder);
  const queue: Queue = openEnqueuing(store);
  const workers: Worker[] = [];
  context.after(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    store.close();
    rmSync(folder, { recursive: true });
  });
  const run = async (id: string): Promise<Run> => (await store.run(id)) ?? assert.fail(`no run ${id}`);
  return {
    folder,
    store,
    add: (item) => enqueue(store, queue, item),
    async start(options) {
      const worker = await startWorker(folder, options);
      workers.push(worker);
      return worker;
    },
    open: (name) => writeFileSync(join(folder, name), ""),
    run,
    async over(...runs) {
      for (;;) {
        const found = await Promise.all(runs.map(run));
        if (found.every(({ status }) => status !== "queued" && status !== "running")) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** What is left of a run in the tables of the queue. */
export const leftovers = ({ store: { database } }: Place): unknown[] => [
  ...database.all("select run from work"),
  ...database.all("select run from step"),
];
