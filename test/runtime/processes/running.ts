/** Runs a bash line through the real spawner, and tells which processes still live. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, describe } from "node:test";
import { fileURLToPath } from "node:url";
import type { Ended, Spawn, SpawnOptions } from "../../../src/engine/program.ts";
import { readEntry } from "../../../src/runtime/processes/process-table.ts";
import { createSpawn, type SpawnLimits } from "../../../src/runtime/processes/spawn.ts";
import { createSpawner, type Spawner } from "../../../src/runtime/processes/spawner.ts";

export { temporaryFolder } from "../../temporary-folder.ts";

export interface Wish extends Partial<SpawnOptions> {
  input?: string;
  limits?: Partial<SpawnLimits>;
  environment?: Record<string, string>;
  cwd?: string;
}
export interface Ran extends Ended {
  ms: number;
}

export const PATH: string = process.env.PATH ?? "";
const never = new AbortController().signal;

export interface Runner {
  spawn: Spawn;
  program(program: string, args: string[], wish?: Wish): Promise<Ran>;
  line(line: string, wish?: Wish): Promise<Ran>;
  /** Aborts as soon as the line has printed {} and a line break; `ms` then counts from there. */
  abortWhenReady(line: string, wish?: Wish): Promise<Ran>;
  /** What a script writes to have this spawner as `createSpawn`. */
  script: string;
}

function runnerOf(make: (limits: Partial<SpawnLimits> | undefined) => Spawn, script: string): Runner {
  const program: Runner["program"] = async (name, args, wish = {}) => {
    const { input = "", limits, environment, cwd = tmpdir(), signal = never, ...options } = wish;
    const started = performance.now();
    const ended = await make(limits)(
      { program: name, args, cwd, environment: { PATH, ...environment }, input },
      { signal, ...options },
    );
    return { ...ended, ms: performance.now() - started };
  };
  const line: Runner["line"] = (words, wish) => program("bash", ["--norc", "-c", words], wish);
  return {
    spawn: make(undefined),
    program,
    line,
    script,
    async abortWhenReady(words, wish = {}) {
      const controller = new AbortController();
      let ready = 0;
      const detaches = (): boolean => {
        ready = performance.now();
        controller.abort();
        return false;
      };
      const ended = await line(words, { ...wish, signal: controller.signal, detaches });
      return { ...ended, ms: performance.now() - ready };
    },
  };
}

const child: Runner = runnerOf(createSpawn, scriptOf("spawn.ts", "createSpawn"));
export const runProgram: Runner["program"] = child.program;
export const runLine: Runner["line"] = child.line;

function scriptOf(file: string, made: string): string {
  const place = JSON.stringify(new URL(`../../../src/runtime/processes/${file}`, import.meta.url).href);
  return `import { ${made} } from ${place}; const spawn = ${made}();`;
}

type Tests = (runner: Runner, name: "child" | "helper") => void;

/** A promise of the usual way to start programs. */
export function withChildren(tests: Tests): void {
  describe("a child of this process", () => tests(child, "child"));
}

/** The same promise, kept by each way of starting programs. */
export function withEachSpawner(tests: Tests): void {
  withChildren(tests);
  describe("a child of the helper", { skip: helperIsHere ? false : "there is no helper for this system" }, () => {
    const spawners = new Map<string, Spawner>();
    after(() => Promise.all([...spawners.values()].map((one) => one.close())));
    const make = (limits: Partial<SpawnLimits> = {}): Spawn => {
      const key = JSON.stringify(limits);
      const spawner = spawners.get(key) ?? createSpawner({ limits, file: helperFile, complain: assert.fail });
      spawners.set(key, spawner);
      return spawner.spawn;
    };
    const script = `${scriptOf("spawner.ts", "createSpawner").replace("const spawn =", "const { spawn } =")}`;
    tests(runnerOf(make, script), "helper");
  });
}

/** HOOKLINE_TEST_SPAWNER: another one, such as that of a fresh build or of another processor. */
export const helperFile: string =
  process.env.HOOKLINE_TEST_SPAWNER ??
  fileURLToPath(new URL(`../../../native/${process.platform}-${process.arch}/hookline-spawner`, import.meta.url));
export const helperIsHere: boolean = existsSync(helperFile);

export const isRunning = (pid: number): boolean => {
  const entry = readEntry(pid);
  return entry !== undefined && !entry.isZombie;
};

/** The process ids that a test's programs wrote into this file, one a line. */
export const pidsIn = (file: string): number[] => readFileSync(file, "utf8").trim().split("\n").map(Number);
