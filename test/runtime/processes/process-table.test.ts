import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { readEntry } from "../../../src/runtime/processes/process-table.ts";
import { runProgram } from "./running.ts";

const onLinux = { skip: process.platform !== "linux" };

test("[R26] a process that lives has a start and is no zombie, and one that is not there has no entry", onLinux, () => {
  const entry = readEntry(process.pid);
  assert.ok(entry && entry.startedAt > 0 && !entry.isZombie, JSON.stringify(entry));
  assert.equal(readEntry(2 ** 30), undefined);
});

test("[R26] a process that has ended and whose parent has not noticed yet is a zombie", onLinux, async (context) => {
  // The shell starts one, becomes a program that waits for no child before that ends, and so keeps it as a zombie.
  const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 60"]);
  context.after(() => parent.kill("SIGKILL"));
  const [printed] = await once(parent.stdout, "data");
  const pid = Number(String(printed));
  while (readEntry(pid)?.isZombie !== true) await runProgram("sleep", ["0.05"]);
  assert.equal(readEntry(pid)?.isZombie, true);
});
