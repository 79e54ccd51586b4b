/** Kills workers at random moments while they perform durable runs of several steps, and counts what became of the runs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunStatus } from "../../../src/engine/record.ts";
import { openEnqueuing } from "../../../src/hosts/compose/durable-queue.ts";
import type { SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { beginnings, startWorker } from "./start-worker.ts";
import { durableHook, enqueue, itemOf, marking, storeIn } from "./world.ts";

export interface Toll {
  kills: number;
  /** Runs that were queued, as whoever added them was told. */
  acknowledged: number;
  completed: number;
  /** They took their process with them too often. */
  interrupted: number;
  /** Neither completed nor interrupted, or not to be found. */
  lost: number;
  leftRunning: number;
  /** Times that a step began whose result was known already. */
  repeated: number;
  /** Times that a step began once more, because a kill had come before its result. */
  again: number;
  /** Milliseconds from the last kill until nothing was left to do. */
  caughtUpIn: number;
}

const hooks = ["p", "q", "r", "s", "t"].map((name) =>
  durableHook(
    name,
    ["a", "b", "c", "d"].map((word) => marking(word, { takes: 4 })),
  ),
);
const runsPerRound = 6;
/** Milliseconds after a worker said that it is ready: by then it works. */
const livesAtMost = 90;

/** Of all that was acknowledged nothing is lost, repeated or left running. */
export async function losesNothing(kills: number): Promise<void> {
  const { acknowledged, completed, interrupted, lost, leftRunning, repeated } = await killRounds(kills);
  assert.equal(acknowledged, kills * runsPerRound);
  assert.deepEqual({ lost, leftRunning, repeated }, { lost: 0, leftRunning: 0, repeated: 0 });
  assert.equal(completed + interrupted, acknowledged);
}

export async function killRounds(kills: number): Promise<Toll> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-kills-"));
  const store = storeIn(folder);
  try {
    return await killIn(folder, store, kills);
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

async function killIn(folder: string, store: SqliteStore, kills: number): Promise<Toll> {
  const queue = openEnqueuing(store);
  const runs: string[] = [];
  /** By "RUN STEP": how often it had begun when its result was first seen. */
  const finished = new Map<string, number>();
  for (let round = 0; round < kills; round++) {
    for (let index = 0; index < runsPerRound; index++) {
      const hook = hooks[runs.length % hooks.length] ?? hooks[0];
      if (!hook) continue;
      const id = `${hook.name}${runs.length}`;
      await enqueue(store, queue, itemOf(hook, id));
      runs.push(id);
    }
    const worker = await startWorker(folder);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * livesAtMost));
    await worker.kill();
    noteFinished(store, beginnings(folder), finished);
  }
  const killed = performance.now();
  const last = await startWorker(folder);
  while (store.database.get("select 1 from work limit 1")) await new Promise((resolve) => setTimeout(resolve, 20));
  const caughtUpIn = performance.now() - killed;
  await last.kill("SIGTERM");
  const begun = beginnings(folder);
  const rows = await Promise.all(runs.map(async (id) => store.run(id)));
  const count = (...statuses: readonly (RunStatus | undefined)[]): number =>
    rows.filter((row) => statuses.includes(row?.status)).length;
  return {
    kills,
    acknowledged: runs.length,
    completed: count("completed"),
    interrupted: count("interrupted"),
    lost: rows.length - count("completed", "interrupted"),
    leftRunning: count("running", "queued"),
    repeated: [...finished].reduce((sum, [step, times]) => sum + (begun[step] ?? 0) - times, 0),
    again: Object.values(begun).reduce((sum, times) => sum + times - 1, 0),
    caughtUpIn,
  };
}

/** What has a result may not begin again: the steps of runs that have ended, and those in the journal. */
function noteFinished(store: SqliteStore, begun: Record<string, number>, finished: Map<string, number>): void {
  const kept = new Set(
    store.database
      .all<{ run: string; name: string }>("select run, name from step")
      .map(({ run, name }) => `${run} ${words[Number.parseInt(name, 10)]}`),
  );
  const open = new Set(store.database.all<{ run: string }>("select run from work").map(({ run }) => run));
  for (const [step, times] of Object.entries(begun)) {
    const [run = ""] = step.split(" ");
    if (!finished.has(step) && (kept.has(step) || !open.has(run))) finished.set(step, times);
  }
}
const words = ["a", "b", "c", "d"];
