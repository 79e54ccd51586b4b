/** Daemons as clients start them: each in a process of its own, which nobody waits for. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../../../src/hosts/daemon/state-file.ts";
import { bin } from "../../program.ts";
import { goes } from "../../runtime/processes/gone.ts";
import { type Place, placeFor, until } from "./started.ts";

export const filesOf = ({ store }: Place): ReturnType<typeof daemonFilesOf> => daemonFilesOf(store);
export const isUp = (place: Place): DaemonState | undefined => {
  const daemon = runningDaemon(filesOf(place));
  return daemon?.phase === "up" ? daemon : undefined;
};

/** Whatever is there when the test ends is ended. */
export function placeOf(t: TestContext, files: Readonly<Record<string, string>> = {}): Place {
  const place = placeFor(t, files);
  place.atEnd(async () => {
    const left = runningDaemon(filesOf(place));
    if (!left) return;
    process.kill(left.pid, "SIGKILL");
    await goes(left.pid);
  });
  return place;
}

export function start({ workspace, environment }: Place, ...words: string[]): ChildProcess {
  return spawn(process.execPath, [bin, "up", "--port", "0", ...words], {
    cwd: workspace,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
}

export async function ended(child: ChildProcess): Promise<string> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, "close");
  return `${code} ${said}`;
}

/** Of so many that clients start at once one is the daemon, and the others end without a word. */
export async function oneIsTheDaemon(t: TestContext, count: number): Promise<void> {
  const place = placeOf(t);
  const children = Array.from({ length: count }, () => start(place, "--on-demand"));
  t.after(() => {
    for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
  });
  const ends = new Map(children.map((child) => [child.pid, ended(child)]));
  const daemon = await until(() => isUp(place), "one is up");
  const winner = ends.get(daemon.pid);
  ends.delete(daemon.pid);
  assert.deepEqual([...new Set(await Promise.all(ends.values()))], ["0 "]);
  assert.equal(ends.size, count - 1);
  assert.equal(daemon.onDemand, true);
  process.kill(daemon.pid, "SIGTERM");
  assert.equal(await winner, "0 ");
}
