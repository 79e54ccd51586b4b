/** An upgrade while automations go on: workers of this build and of the next one share a queue. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Item } from "../../src/engine/ports.ts";
import { bin } from "../program.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { makeMachine } from "./machine.ts";
import { nextBuild, nextVersion } from "./next-build.ts";
import { database, type Prepared } from "./prepared.ts";
import { addShared, type Sender, senderFor, startShared } from "./shared-world.ts";
import { type Command, startWorker } from "./start-command.ts";

let cluster: Prepared;
let builds: Record<Build, string>;
before(async () => {
  builds = { this: bin, next: nextBuild() };
  cluster = await startShared();
});
after(() => cluster.close());

interface Upgrade extends Sender {
  start(build: Build, name: string): Promise<Command>;
  /** A run of three steps. Each writes down when it begins and when it ends; the second one waits for the file, where one is named. */
  item(id: string, until?: string): Item;
  /** "begin RUN STEP" and "end …", in the order in which it happened. */
  logged(): string[];
  open(name: string): void;
}
type Build = "this" | "next";

function upgradeFor(context: TestContext, url: string): Upgrade {
  const machine = makeMachine(context);
  const folder = temporaryFolder(context);
  const log = join(folder, "log");
  return {
    ...senderFor(context, url),
    start: (build, name) =>
      startWorker(context, machine, { bin: builds[build], words: ["--store", url, "--name", name] }),
    item(id, until) {
      const steps = ["a", "b", "c"].map((step) => {
        const waits =
          step === "b" && until ? `while ! [ -e ${join(folder, until)} ]; do sleep 0.05; done` : "sleep 0.05";
        const command = `echo begin ${id} ${step} >> ${log}; ${waits}; echo end ${id} ${step} >> ${log}`;
        return { uses: "context_shell", with: { command }, timeout: 300, onError: "stop" as const };
      });
      return itemOf(durableHook(`hook of ${id}`, steps), id, { cwd: folder });
    },
    logged: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
    open: (name) => writeFileSync(join(folder, name), ""),
  };
}

/** Which build it is, in its own words. */
const buildOf = ({ said }: Command): Build => (said().includes(`Hookline ${nextVersion}+`) ? "next" : "this");

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(20);
}

test("a run passes from a killed worker of this build to one of the next, and the other way: what had ended is not repeated", async (context) => {
  const elsewhere = await addShared(cluster, "elsewhere");
  const passes = async (url: string, from: Build, to: Build): Promise<void> => {
    const { start, work, over, item, logged, open } = upgradeFor(context, url);
    const times = (line: string): number => logged().filter((one) => one === line).length;
    const run = item("r", "go");
    await work.add(run);
    const first = await start(from, "one");
    await until(() => times("begin r b") === 1);
    const second = await start(to, "two");
    first.child.kill("SIGKILL");
    await until(() => times("begin r b") === 2);
    open("go");
    const { status, steps, owner } = await over(run);
    assert.deepEqual([status, steps.length, owner?.split(":")[0]], ["completed", 3, String(second.child.pid)]);
    assert.deepEqual([times("begin r a"), times("begin r b"), times("begin r c")], [1, 2, 1]);
    assert.equal(times("end r b"), 1, "what the dead worker had begun was ended");
    assert.deepEqual([buildOf(first), buildOf(second)], [from, to]);
  };
  await Promise.all([passes(cluster.store, "this", "next"), passes(elsewhere, "next", "this")]);
});

test("workers are replaced one after the other by those of the next build while runs go on: none is lost, and no step is done again once another has followed it", async (context) => {
  cluster.empty();
  const { start, work, over, item, logged } = upgradeFor(context, cluster.store);
  const names = ["one", "two"];
  const olds = await Promise.all(names.map((name) => start("this", name)));
  let isOver = false;
  const runs: string[] = [];
  async function keepBusy(from: string): Promise<string[]> {
    const ends: string[] = [];
    while (!isOver) {
      const next = item(`${from}${ends.length}`);
      runs.push(next.run.id);
      await work.add(next);
      const { id, status } = await over(next);
      ends.push(`${id} ${status}`);
    }
    return ends;
  }
  const busy = Promise.all(["p", "q", "r"].map(keepBusy));
  for (const [index, old] of olds.entries()) {
    const before = runs.length;
    await until(() => runs.length > before + 3); // in the middle of the work
    old.child.kill("SIGTERM");
    assert.equal(await old.ended, 0, old.said());
    assert.equal(buildOf(await start("next", names[index] ?? "")), "next");
  }
  const before = runs.length;
  await until(() => runs.length > before + 3);
  isOver = true;
  const ends = (await busy).flat();
  assert.deepEqual(ends.sort(), runs.map((id) => `${id} completed`).sort());
  for (const id of runs) {
    const lines = logged().filter((line) => line.split(" ")[1] === id);
    // On a busy machine a worker may have to give a run back in the middle of a step, which is then begun again.
    const steps = lines.map((line) => line.at(-1)).join("");
    assert.match(steps, /^a+b+c+$/, id);
    for (const step of ["a", "b", "c"]) assert.ok(lines.includes(`end ${id} ${step}`), lines.join(", "));
  }
  assert.equal(cluster.sql("select count(*) from hookline.work", database), "0");
});
