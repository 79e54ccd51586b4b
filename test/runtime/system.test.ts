import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import test from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { after, createIds, isAlive, ownerOf, patience } from "../../src/runtime/system.ts";

test("ids have 26 characters, are unique, and sort by time, also when the clock stops or steps back", () => {
  const times = [1_000, 1_000, 5_000, 4_000, 4_000, 6_000];
  let call = 0;
  const id = createIds(() => times[Math.min(call++, times.length - 1)] ?? 0);
  const ids = Array.from({ length: 1_000 }, id);
  assert.ok(ids.every((one) => /^[0-9a-z]{26}$/.test(one)));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids.map((one) => one.slice(0, 13))).size, ids.length, "a person types no more of them");
});

test("ids of a millisecond that gives out more than it has room for go on in the next", () => {
  const id = createIds(() => 1_000);
  const ids = Array.from({ length: 40_000 }, id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([...ids].sort(), ids);
});

test("ids continue after the newest of an earlier process, although the clock was set back since", () => {
  const earlier = createIds(() => 5_000)();
  const later = createIds(() => 1_000, earlier);
  const ids = [earlier, later(), later()];
  assert.deepEqual([...ids].sort(), ids);
  assert.notEqual(createIds(() => 1_000, earlier)(), ids[1], "two processes that begin there make no id twice");
  assert.equal(
    createIds(() => 1_000, "an id of another program")().slice(0, 10),
    createIds(() => 1_000)().slice(0, 10),
  );
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

test("a wait that is longer than a timer can hold is none that is over at once", async () => {
  const over: number[] = [];
  const undo = [2 ** 31, 9_999_999_999, Number.POSITIVE_INFINITY].map((wait) => after(wait, () => over.push(wait)));
  await pause(50); // a timer that overflows takes one millisecond
  for (const one of undo) one();
  assert.deepEqual(over, []);
});

test("a wait that is longer than a timer can hold ends when it is over, and not where it was undone", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const longest = 2 ** 31 - 1;
  const over: string[] = [];
  after(2 * longest + 1_000, () => over.push("waited for"));
  const undo = after(longest + 1_000, () => over.push("undone"));
  t.mock.timers.tick(longest);
  undo();
  t.mock.timers.tick(longest);
  t.mock.timers.tick(999);
  assert.deepEqual(over, []);
  t.mock.timers.tick(1);
  assert.deepEqual(over, ["waited for"]);
});

test("on a busy machine an answer is waited for as many times longer as more programs want to run than there are cores", () => {
  const cores = availableParallelism();
  assert.deepEqual(
    [0, cores / 2, cores, cores * 8.5].map((load) => patience(10_000, load)),
    [10_000, 10_000, 10_000, 85_000],
  );
});
