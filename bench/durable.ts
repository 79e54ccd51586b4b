/**
 * Durable runs: what 100 kills at random moments leave behind, and what a burst of 10,000 events costs.
 *
 * Kills: worker processes perform runs of four short steps each and are killed with SIGKILL up to 90 ms after they began
 * to work; what the steps wrote down is compared with what the journal held after each kill. Burst: in one process, with
 * a cap of 2, each event reaches one hook of each overlap policy; every event must have a row for each of them that says
 * what became of it, and the memory of the process may not grow with the number of events.
 */
import type { Hook } from "../src/engine/hook.ts";
import { openDurableQueue } from "../src/hosts/compose/durable-queue.ts";
import { killRounds } from "../test/runtime/queues/kill-rounds.ts";
import { durableHook, engineOn, marking, storeIn } from "../test/runtime/queues/world.ts";
import { type Benchmark, boundOf, type Findings, inFolder, joined, rowOf, sized } from "./measure.ts";

export const durable: Benchmark = {
  name: "durable",
  about: "durable runs: 100 kills of their processes, and a burst of 10,000 events",
  async measure() {
    return joined([await measureKills(), await inFolder(measureBurst)]);
  },
};

const kills = sized(100, 2);
const events = sized(10_000, 200);
/** That the memory of the process may grow by in the second half of the burst, where all is warm. */
const megabytes = 48;

async function measureKills(): Promise<Findings> {
  const toll = await killRounds(kills);
  const called = `${kills} kills, ${toll.acknowledged} runs of 4 steps`;
  return {
    rows: [
      rowOf(called, "runs completed", "runs", toll.completed),
      rowOf(called, "runs interrupted after 3 recoveries", "runs", toll.interrupted),
      rowOf(called, "steps begun again that had no result yet", "steps", toll.again - toll.repeated),
      rowOf(called, "from the last kill until all was done", "ms", toll.caughtUpIn),
    ],
    ratios: [
      boundOf("acknowledged runs that were lost", toll.lost, 0, { unit: "runs" }),
      boundOf("finished steps that were repeated", toll.repeated, 0, { unit: "steps" }),
      boundOf("runs left running", toll.leftRunning, 0, { unit: "runs" }),
    ],
  };
}

const overlaps: readonly Hook["limits"]["overlap"][] = ["skip", "queue", "coalesce", "restart"];

async function measureBurst(folder: string): Promise<Findings> {
  const store = storeIn(folder);
  try {
    const hooks = overlaps.map((overlap) => durableHook(overlap, [marking(overlap)], { overlap }));
    const queue = openDurableQueue(store, { cap: () => 2, environment: {} });
    const engine = await engineOn(store, queue, folder, { hooks });
    const began = performance.now();
    let halfway = 0;
    for (let number = 0; number < events; number++) {
      if (number === events / 2) halfway = memory();
      await engine.emit({
        id: `event ${number}`,
        name: "task.completed",
        at: Date.now(),
        cwd: "/",
        data: { number },
        sender: "bench",
      });
      if (number % 20 === 0) await new Promise(setImmediate);
    }
    const emitted = performance.now() - began;
    const grown = (memory() - halfway) / 1024 ** 2;
    await queue.idle();
    const took = performance.now() - began;
    await engine.close();
    const counts = new Map<string, number>();
    for (const { hook_name, status } of store.database.all<{ hook_name: string; status: string }>(
      "select hook_name, status from run where reason is not null or status not in ('skipped', 'cancelled')",
    ))
      counts.set(`${hook_name}: ${status}`, (counts.get(`${hook_name}: ${status}`) ?? 0) + 1);
    const ended = [...counts].flatMap(([name, count]) => (/: (queued|running)$/.test(name) ? [] : count));
    const accounted = ended.reduce((sum, count) => sum + count, 0);
    const called = `${events} events, 4 hooks each`;
    return {
      rows: [
        rowOf(called, "an event, its 4 runs written down", "µs", (emitted * 1000) / events),
        rowOf(called, "until nothing was left to do", "ms", took),
        rowOf(called, "memory grown in the second half", "MB", grown),
        ...[...counts].map(([name, count]) => rowOf(called, name, "runs", count)),
      ],
      ratios: [
        boundOf("runs without a row that says what became of them", events * overlaps.length - accounted, 0, {
          unit: "runs",
        }),
        boundOf("memory grown in the second half of a burst", grown, megabytes, { unit: "MB" }),
      ],
    };
  } finally {
    store.close();
  }
}

/** Without what can be collected, where the process was started so that it may be asked to. */
function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
