/** A spawner of a test's own with its helper, and what it does with many programs at once. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import type { Command, Ended, SpawnOptions } from "../../../src/engine/program.ts";
import { livingSince } from "../../../src/runtime/processes/process-table.ts";
import { createSpawner, type Spawner, type SpawnerOptions } from "../../../src/runtime/processes/spawner.ts";
import { helperFile, helperIsHere, PATH } from "./running.ts";

export const here: { skip: string | false } = { skip: helperIsHere ? false : "there is no helper for this system" };

export interface Started extends Spawner {
  run(program: string, args: string[], more?: Partial<Command> & Partial<SpawnOptions>): Promise<Ended>;
  line(line: string, more?: Partial<Command> & Partial<SpawnOptions>): Promise<Ended>;
  /** The process id of the helper. */
  helper(): number;
}

export function start(context: TestContext, options: SpawnerOptions = {}): Started {
  const before = new Set(helpers());
  const spawner = createSpawner({ file: helperFile, complain: assert.fail, ...options });
  context.after(() => spawner.close());
  const run: Started["run"] = (program, args, more = {}) => {
    const { signal = new AbortController().signal, detaches, leftovers, ...command } = more;
    return spawner.spawn(
      { program, args, cwd: tmpdir(), environment: { PATH }, input: "", ...command },
      { signal, ...(detaches ? { detaches } : {}), ...(leftovers ? { leftovers } : {}) },
    );
  };
  return {
    ...spawner,
    run,
    line: (line, more) => run("bash", ["--norc", "-c", line], more),
    helper: () => helpers().find((pid) => !before.has(pid)) ?? assert.fail("no helper runs"),
  };
}

/** Our own children that are helpers. */
export const helpers = (): number[] =>
  livingSince(0)
    .filter(
      ({ pid, parent }) =>
        parent === process.pid && readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("hookline-spawn"),
    )
    .map(({ pid }) => pid);
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

export function testManyAtOnce(count: number): void {
  test(`${count} programs at once all answer, and none is left as a zombie`, here, async (context) => {
    const { run, helper } = start(context);
    const all = await Promise.all(
      Array.from({ length: count }, (_, index) => run("sh", ["-c", "read line; echo $line"], { input: `${index}\n` })),
    );
    assert.deepEqual(
      all.map(({ stdout }) => Number(stdout)),
      Array.from({ length: count }, (_, index) => index),
    );
    assert.deepEqual(childrenOf(helper()), []);
  });
}
