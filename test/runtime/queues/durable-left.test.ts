/** What the programs of a durable run do when the process dies that started them. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openEnqueuing } from "../../../src/hosts/compose/durable-queue.ts";
import { end } from "../processes/gone.ts";
import { isRunning, pidsIn } from "../processes/running.ts";
import { startWorker, whenLogged } from "./start-worker.ts";
import { durableHook, enqueue, itemOf, running, storeIn } from "./world.ts";

/** Says who of those before it is alive, then how it is called, and stays; so does what it has put into the background. */
const stays = `
  for pid in $(cat pids 2>/dev/null); do
    grep -q '^State:[[:space:]][^ZX]' /proc/$pid/status 2>/dev/null && echo "$pid" >> beside
  done
  setsid sleep 300 &
  echo "$!" >> pids
  echo "$$" >> pids
  echo "begin RUN after-$(wc -l < pids) $$" >> log
  wait`;

const onLinux = { skip: process.platform === "linux" ? false : "walks /proc" };

interface Scene {
  folder: string;
  add(id: string, line: string): Promise<void>;
  start(options?: { lease: number }): ReturnType<typeof startWorker>;
}
function sceneFor(context: TestContext): Scene {
  const folder = mkdtempSync(join(tmpdir(), "hookline-left-"));
  const store = storeIn(folder);
  const workers: Awaited<ReturnType<typeof startWorker>>[] = [];
  context.after(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    for (const pid of pidsIn(join(folder, "pids")).filter(isRunning)) end(pid);
    store.close();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    async add(id, line) {
      const hook = durableHook(id, [running(line.replaceAll("RUN", id))]);
      await enqueue(store, openEnqueuing(store), itemOf(hook, id));
    },
    async start(options) {
      const worker = await startWorker(folder, options);
      workers.push(worker);
      return worker;
    },
  };
}
test(
  "[R56, R14] a run that is begun again after a kill does not run at the same time as programs of its first attempt, in whatever session these are",
  onLinux,
  async (context) => {
    const { folder, add, start } = sceneFor(context);
    await add("r1", stays);
    const first = await start();
    await whenLogged(folder, "begin", "r1", "after-2");
    const left = pidsIn(join(folder, "pids"));
    await first.kill();
    assert.deepEqual(left.filter(isRunning), left, "nobody has ended them with their process");
    await start();
    await whenLogged(folder, "begin", "r1", "after-4");
    assert.ok(!existsSync(join(folder, "beside")));
    assert.deepEqual(left.filter(isRunning), []);
  },
);

test(
  "[R56, R14] a worker that takes a run from a stopped worker ends the programs that it had started for the run",
  onLinux,
  async (context) => {
    const { folder, add, start } = sceneFor(context);
    await add("r1", stays);
    const frozen = await start({ lease: 1 });
    await whenLogged(folder, "begin", "r1", "after-2");
    const left = pidsIn(join(folder, "pids"));
    frozen.child.kill("SIGSTOP");
    await start();
    await whenLogged(folder, "begin", "r1", "after-4");
    assert.ok(!existsSync(join(folder, "beside")));
    assert.deepEqual(left.filter(isRunning), []);
  },
);
