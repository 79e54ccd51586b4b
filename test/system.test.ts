import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { createIds, isAlive, ownerOf } from "../src/system.ts";

test("ids have 26 characters, are unique, and sort by time, also when the clock stands or steps back", () => {
  const times = [1_000, 1_000, 5_000, 4_000, 4_000, 6_000];
  let call = 0;
  const id = createIds(() => times[Math.min(call++, times.length - 1)] ?? 0);
  const ids = Array.from({ length: 1_000 }, id);
  assert.ok(ids.every((one) => /^[0-9a-z]{26}$/.test(one)));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([...ids].sort(), ids);
});

test("a process is alive until it has ended, and another process with its number is not the same", async () => {
  const child = spawn("sleep", ["30"]);
  await once(child, "spawn");
  const owner = ownerOf(child.pid ?? 0);
  assert.equal(isAlive(owner), true);
  assert.equal(isAlive(`${child.pid}:1`), process.platform !== "linux");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(isAlive(owner), false);
});
