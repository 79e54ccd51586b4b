/**
 * How long a run stands still when its worker dies: two real workers as people install them, with the usual lease, on one Postgres. The one
 * that has the run is killed in a step, at any moment of its beat, and is started again at once, as a supervisor does. A reading ends when
 * the step that was cut off has begun again. Both workers are on one machine: the other one ends what the dead one has left before.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { openConnection } from "../src/storage/postgres/connection.ts";
import { createSharedWork } from "../src/storage/postgres/shared-work/shared-work.ts";
import { missingPostgres } from "../test/postgres/cluster.ts";
import { startShared } from "../test/postgres/shared-world.ts";
import { durableHook, itemOf } from "../test/runtime/queues/world.ts";
import { type Benchmark, boundOf, type Findings, inFolder, quantile, rowOf, sized } from "./measure.ts";

const kills = sized(10, 1);
const atMostInSeconds = 10;
/** Milliseconds. */
const settles = sized(6_000, 0);
/** Of one reading. */
const longest = 60_000;

export const recovery: Benchmark = {
  name: "recovery",
  about: `a run whose worker is killed, ${kills} times: until another worker has begun its step again`,
  missing: missingPostgres,
  measure: () => inFolder(measureIn),
};

async function measureIn(folder: string): Promise<Findings> {
  const cluster = await startShared();
  const connection = openConnection({ url: cluster.store });
  const work = createSharedWork({ connection });
  const children = new Map<string, ChildProcess>();
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  mkdirSync(join(folder, "home"));
  async function start(name: string): Promise<void> {
    const child = spawn(process.execPath, [bin, "worker", "--store", cluster.store, "--name", name], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: join(folder, "home") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.set(name, child);
    await once(child.stdout, "data");
    child.stdout.resume();
  }
  try {
    for (const name of ["one", "two"]) await start(name);
    await pause(settles); // it has been there for a while, as workers are
    const readings: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const log = join(folder, `log ${kill}`);
      const end = join(folder, `end ${kill}`);
      const command = `echo begin >> '${log}'; while ! [ -e '${end}' ]; do sleep 0.05; done`;
      const step = { uses: "context_shell", with: { command }, timeout: 300, onError: "stop" as const };
      const item = itemOf(durableHook(`number ${kill}`, [step]), `run ${kill}`, { cwd: folder });
      await work.add(item);
      await begun(log, 1);
      await pause(Math.random() * 1_000);
      const sql = "select worker from hookline.work where run = $1";
      const [row] = await connection.read<{ worker: string }>(sql, [item.run.id]);
      const name = row?.worker ?? "";
      const killed = performance.now();
      children.get(name)?.kill("SIGKILL");
      const again = start(name);
      await begun(log, 2);
      readings.push((performance.now() - killed) / 1000);
      writeFileSync(end, "");
      await again;
      while (!(await work.left([item.run])).get(item.run.id)) await pause(20);
    }
    return findings(readings);
  } finally {
    for (const child of children.values()) child.kill("SIGKILL");
    await connection.close();
    await cluster.close();
  }
}

async function begun(log: string, times: number): Promise<void> {
  const count = (): number => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);
  for (const since = performance.now(); count() < times; await pause(5))
    if (performance.now() - since > longest) throw new Error(`the step has not begun ${times} times in ${longest} ms`);
}

function findings(readings: readonly number[]): Findings {
  const called = `${readings.length} kills`;
  const [median, most] = [quantile(readings, 0.5), quantile(readings, 1)];
  return {
    rows: [
      rowOf(called, "least", "s", quantile(readings, 0)),
      rowOf(called, "median", "s", median),
      rowOf(called, "most", "s", most),
    ],
    ratios: [boundOf("a run of a killed worker goes on, the longest wait", most, atMostInSeconds, { unit: "s" })],
  };
}
