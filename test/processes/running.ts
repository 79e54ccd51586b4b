/** Runs a bash line through the real spawner, and tells which processes still live. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Ended, SpawnOptions } from "../../src/core/program.ts";
import { readEntry } from "../../src/processes/process-table.ts";
import { createSpawn, type SpawnLimits } from "../../src/processes/spawn.ts";

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

export function runProgram(program: string, args: string[], wish: Wish = {}): Promise<Ran> {
  const { input = "", limits, environment, cwd = tmpdir(), signal = never, ...options } = wish;
  const started = performance.now();
  return createSpawn(limits)(
    { program, args, cwd, environment: { PATH, ...environment }, input },
    { signal, ...options },
  ).then((ended) => ({ ...ended, ms: performance.now() - started }));
}

export const runLine = (line: string, wish?: Wish): Promise<Ran> => runProgram("bash", ["--norc", "-c", line], wish);

/** Aborts as soon as the line has printed {} and a line break; `ms` then counts from there. */
export async function abortWhenReady(line: string, wish: Wish = {}): Promise<Ran> {
  const controller = new AbortController();
  let ready = 0;
  const detaches = (): boolean => {
    ready = performance.now();
    controller.abort();
    return false;
  };
  const ended = await runLine(line, { ...wish, signal: controller.signal, detaches });
  return { ...ended, ms: performance.now() - ready };
}

export const isRunning = (pid: number): boolean => {
  const entry = readEntry(pid);
  return entry !== undefined && !entry.isZombie;
};

export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The process ids that a test's programs wrote into this file, one a line. */
export const pidsIn = (file: string): number[] => readFileSync(file, "utf8").trim().split("\n").map(Number);
