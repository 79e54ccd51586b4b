/** Takes one benchmark in a process and a temporary folder of its own, and ends it with all that it started if it takes too long. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Findings } from "./measure.ts";

export type Taken =
  | (Findings & { about: string; leftOut: readonly string[] })
  /** What it needs is not on this machine. */
  | { skipped: string }
  /** Why it came to nothing, and the end of what it said. */
  | { failed: string; said: string };

export interface Taking {
  /** Seconds. */
  limit: number;
  quick: boolean;
  /** Where the benchmark's file lies; default: bench. */
  folder?: string;
}

/** Memory can be asked for without what nobody holds any more (durable, memory). */
const flags = ["--expose-gc"];

export async function take(name: string, { limit, quick, folder: from = import.meta.dirname }: Taking): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), "hlb-")); // short: a socket's path has 107 characters
  chmodSync(folder, 0o711); // a Postgres that root starts works in it as another user
  const file = join(folder, "findings.json");
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "measure-one.ts"), name, file, from], {
    detached: true, // a group of its own, so that all of it can be ended
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...process.env, TMPDIR: folder, ...(quick && { HOOKLINE_BENCH_QUICK: "1" }) },
  });
  const interrupt = (): void => {
    endGroup(child, "SIGTERM");
    process.exit(130);
  };
  process.once("SIGINT", interrupt);
  try {
    return (await failure(child, limit)) ?? found(file);
  } finally {
    process.removeListener("SIGINT", interrupt);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** It may have ended well before it was done, because nothing was left that it could wait for. */
const found = (file: string): Taken =>
  existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : { failed: "ended before it had measured anything", said: "" };

/** Why it came to nothing; nothing if it ended by itself and well. */
async function failure(child: ChildProcess, limit: number): Promise<Taken | undefined> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child, "SIGTERM");
    setTimeout(() => endGroup(child, "SIGKILL"), 3000).unref();
  }, limit * 1000);
  const closed = once(child, "close");
  const [code, signal] = await once(child, "exit");
  clearTimeout(timer);
  endGroup(child, "SIGKILL");
  await Promise.race([closed, pause(1_000)]); // what it said last is read; who is of another group may keep that open
  if (late) return { failed: `ended after ${limit.toFixed(0)} s, which was too long`, said };
  if (code === 0) return undefined;
  const lines = said.split("\n");
  const error = lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.findLast((line) => line.trim() !== "");
  return { failed: error?.trim().slice(0, 300) ?? `ended with ${code ?? signal}`, said };
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // the group is gone
  }
}
