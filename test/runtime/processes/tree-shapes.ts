/** What a program may leave behind that goes on when it ends. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning, pidsIn, type Runner, temporaryFolder } from "./running.ts";

const linux = { skip: process.platform === "linux" ? false : "walks /proc" };

/** A program that writes its process id and then sleeps: what the shapes below leave behind. */
export function sleeper(folder: string): string {
  const script = join(folder, "sleeper.sh");
  writeFileSync(script, `#!/bin/sh\necho $$ >> '${join(folder, "pids")}'\nexec /bin/sleep 60\n`, { mode: 0o755 });
  return script;
}
/** Of a shell: waits for the first of them, and says {}. */
export const untilPid = (folder: string): string => `until [ -s '${folder}/pids' ]; do sleep 0.05; done; echo '{}'`;

/** The hostile shapes of SAFETY.md (f). `S` stands for the sleeper. */
const shapes: Record<string, string> = {
  "a child that ignores TERM": "(trap '' TERM; S) &",
  "a background child that keeps the pipe": "S &",
  "a child in a session of its own": "setsid S &",
  "a daemon, forked twice": "(setsid S </dev/null >/dev/null 2>&1 &)",
  "a chain of nohup": "nohup sh -c 'nohup S & wait' &",
  "a session of its own with an emptied environment": "env -i /usr/bin/setsid S &",
  "a daemon with an emptied environment that keeps the pipe": "(env -i /usr/bin/setsid S &)",
};

/** @param named those that are tried; all, if not given */
export function testShapes(runner: Runner, named: readonly string[] = Object.keys(shapes)): void {
  for (const [shape, line] of Object.entries(shapes)) {
    if (!named.includes(shape)) continue;
    test(`[X2, R14, F4] at the limit nothing is left of ${shape}`, linux, async (context) => {
      const folder = temporaryFolder(context);
      const command = `${line.replaceAll("S", sleeper(folder))}\n${untilPid(folder)}; wait; sleep 60`;
      const ended = await runner.abortWhenReady(command, { limits: { grace: 0.2 } });
      assert.equal(ended.how, "aborted");
      assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
      assert.equal(ended.survivors, 0);
    });
  }
}
