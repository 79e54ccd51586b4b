/** The names of workers: one process has each at a time in a database, and other databases do not matter. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Item } from "../../src/engine/ports.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { makeMachine } from "./machine.ts";
import type { Prepared } from "./prepared.ts";
import { addShared, senderFor, startShared } from "./shared-world.ts";
import { type Command, startWorker } from "./start-command.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared();
});
beforeEach(() => cluster.empty());
after(() => cluster.close());

/** A run of one step, which ends once it may. */
function waiting(context: TestContext, id: string) {
  const folder = temporaryFolder(context);
  const [log, end] = [join(folder, "log"), join(folder, "end")];
  const command = `echo begin >> ${log}; while ! [ -e ${end} ]; do sleep 0.05; done; echo end >> ${log}`;
  const step = { uses: "context_shell", with: { command }, timeout: 300, onError: "stop" as const };
  const item: Item = itemOf(durableHook("h", [step]), id, { cwd: folder });
  const said = (): string => (existsSync(log) ? readFileSync(log, "utf8").replaceAll("\n", " ").trim() : "");
  return {
    item,
    said,
    async until(what: string): Promise<void> {
      while (said() !== what) await pause(20);
    },
    end: () => writeFileSync(end, ""),
  };
}

test("of two processes with one name the second is refused, and says who has it", async (context) => {
  const machine = makeMachine(context);
  await startWorker(context, machine, { words: ["--store", cluster.store, "--name", "alpha"] });
  const { status, stderr } = makeMachine(context).run("worker", "--store", cluster.store, "--name", "alpha");
  assert.equal(status, 3);
  assert.match(
    stderr,
    /another process works under the name alpha: process \d+ on \S+ — postgres:\/\/.* — end it, or give this one a name of its own/,
  );
});

test("workers of one machine have names of their own, and have them again after a restart", async (context) => {
  const machine = makeMachine(context);
  const nameIn = ({ said }: Command): string => /, as (\S+)/.exec(said())?.[1] ?? assert.fail(said());
  const start = (): Promise<Command> => startWorker(context, machine, { words: ["--store", cluster.store] });
  const [first, second] = [await start(), await start()];
  assert.notEqual(nameIn(first), nameIn(second));
  first.child.kill("SIGTERM");
  assert.equal(await first.ended, 0);
  assert.equal(nameIn(await start()), nameIn(first));
});

test("workers with one name on two databases do not know each other", async (context) => {
  const elsewhere = await addShared(cluster, "elsewhere");
  const machine = makeMachine(context);
  const [here, there] = [waiting(context, "r1"), waiting(context, "r2")];
  const start = (url: string): Promise<Command> =>
    startWorker(context, machine, { words: ["--store", url, "--name", "alpha"] });
  const [sender, other] = [senderFor(context, cluster.store), senderFor(context, elsewhere)];
  await sender.work.add(here.item);
  await other.work.add(there.item);
  const first = await start(cluster.store);
  await start(elsewhere);
  await here.until("begin");
  await there.until("begin");
  first.child.kill("SIGKILL");
  await start(cluster.store);
  await here.until("begin begin");
  here.end();
  there.end();
  assert.deepEqual(
    [(await sender.over(here.item)).status, (await other.over(there.item)).status],
    ["completed", "completed"],
  );
  assert.deepEqual([here.said(), there.said()], ["begin begin end", "begin end"]);
});

test("a worker that stood still while another took its name ends with the reason, and its run is the other's", async (context) => {
  const run = waiting(context, "r");
  const { work, over } = senderFor(context, cluster.store);
  await work.add(run.item);
  const words = ["--store", cluster.store, "--name", "alpha"];
  const first = await startWorker(context, makeMachine(context), { words });
  await run.until("begin");
  first.child.kill("SIGSTOP");
  const second = await startWorker(context, makeMachine(context), { words });
  await run.until("begin begin");
  first.child.kill("SIGCONT");
  assert.equal(await first.ended, 3);
  assert.match(first.said(), /another process works under the name alpha: it took the name over/);
  run.end();
  const { status, owner } = await over(run.item);
  assert.deepEqual([status, owner?.split(":")[0]], ["completed", String(second.child.pid)]);
  assert.equal(run.said(), "begin begin end");
});
