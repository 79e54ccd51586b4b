import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { processState, readEntry } from "../../../src/runtime/processes/process-table.ts";
import { runProgram } from "./running.ts";

const onLinux = { skip: process.platform !== "linux" };

test("[R26] the state and start of a process are those of its entry, and nobody has none", onLinux, () => {
  const state = processState(process.pid);
  assert.equal(state?.started, readEntry(process.pid)?.startedAt);
  assert.ok(state && state.started > 0 && /^[RSD]$/.test(state.state), JSON.stringify(state));
  assert.equal(processState(2 ** 30), undefined);
});

test("[R26] a process that has ended and that nobody has waited for is told as Z", onLinux, async (context) => {
  // The shell starts one, becomes a program that waits for no child before that ends, and so keeps it as a zombie.
  const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 60"]);
  context.after(() => parent.kill("SIGKILL"));
  const [printed] = await once(parent.stdout, "data");
  const pid = Number(String(printed));
  const end = Date.now() + 30_000;
  while (processState(pid)?.state !== "Z" && Date.now() < end) await runProgram("sleep", ["0.05"]);
  assert.equal(readEntry(pid)?.isZombie, true);
});
