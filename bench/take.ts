/** Takes one benchmark in a process and a temporary folder of its own, and ends it with all that it started if it takes too long. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Findings } from "./measure.ts";

export type Taken = (Findings & { about: string }) | { failed: string };

/** Memory can be asked for without what nobody holds any more (durable, memory). */
const flags = ["--expose-gc"];

export async function take(name: string, limit: number, quick: boolean): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), "hlb-")); // short: a socket's path has 107 characters
  chmodSync(folder, 0o711); // a Postgres that root starts works in it as another user
  const file = join(folder, "findings.json");
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "measure-one.ts"), name, file], {
    detached: true, // a group of its own, so that all of it can be ended
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, TMPDIR: folder, ...(quick && { HOOKLINE_BENCH_QUICK: "1" }) },
  });
  const interrupt = (): void => {
    endGroup(child, "SIGTERM");
    process.exit(130);
  };
  process.once("SIGINT", interrupt);
  try {
    const failed = await outcome(child, limit);
    return failed === undefined ? JSON.parse(readFileSync(file, "utf8")) : { failed };
  } finally {
    process.removeListener("SIGINT", interrupt);
    endGroup(child, "SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Why it came to nothing; nothing if it wrote down what it found. */
async function outcome(child: ChildProcess, limit: number): Promise<string | undefined> {
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
  const [code, signal] = await once(child, "exit");
  clearTimeout(timer);
  if (late) return `ended after ${limit.toFixed(0)} s, which was too long`;
  if (code === 0) return undefined;
  const lines = said.split("\n");
  const error = lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.findLast((line) => line.trim() !== "");
  return error?.trim().slice(0, 300) ?? `ended with ${code ?? signal}`;
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // the group is gone
  }
}
