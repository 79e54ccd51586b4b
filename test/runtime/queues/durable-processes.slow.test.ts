import assert from "node:assert/strict";
import test from "node:test";
import { openDurableQueue } from "../../../src/hosts/compose/durable-queue.ts";
import { isAlive } from "../../../src/runtime/system.ts";
import { beginnings, whenLogged } from "./start-worker.ts";
import { leftovers, placeFor } from "./workers.ts";
import { durableHook, engineOn, enqueue, itemOf, marking } from "./world.ts";

test("[R56, AT49] a run that ends every process that begins it is interrupted after three recoveries", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", [marking("a"), marking("b", { dies: true })]), "r1"));
  for (let attempt = 1; attempt <= 4; attempt++) {
    const worker = await place.start();
    await worker.ended;
  }
  await place.add(itemOf(durableHook("other", [marking("a")]), "r2"));
  await place.start();
  const [run, other] = await place.over("r1", "r2");
  assert.equal(run?.status, "interrupted");
  assert.equal(run?.reason, "the process that ran it ended before the run did, 4 times");
  assert.equal(other?.status, "completed");
  assert.deepEqual(beginnings(place.folder), { "r1 a": 1, "r1 b": 4, "r2 a": 1 });
  assert.deepEqual(leftovers(place), []);
});

const threeSteps = [marking("a"), marking("b", { until: "go" }), marking("c")];

test("[R56] a worker that was frozen while another took its run keeps nothing, and does nothing more of it", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const frozen = await place.start({ lease: 1 });
  await whenLogged(folder, "begin", "r1", "b");
  frozen.child.kill("SIGSTOP");
  const other = await place.start({ lease: 1 });
  await other.says(({ begun }) => begun === "r1");
  place.open("go");
  const [run] = await place.over("r1");
  frozen.child.kill("SIGCONT");
  assert.equal((await frozen.says(({ performed }) => performed === "r1")).lost, true);
  assert.equal((await other.says(({ performed }) => performed === "r1")).lost, false);
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
  assert.deepEqual(await place.run("r1"), run, "the row stays as the other has written it");
  assert.equal(run?.owner?.split(":")[0], String(other.child.pid));
});

test("[A50] a worker that is asked to stop lets a run end that does so in time, and begins no other", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", [marking("a", { until: "go" })]), "r1"));
  await place.add(itemOf(durableHook("h", [marking("a")]), "r2"));
  const worker = await place.start({ patience: 60 });
  await whenLogged(place.folder, "begin", "r1", "a");
  worker.child.kill("SIGTERM");
  await worker.says(({ stopping }) => stopping === true);
  place.open("go");
  await worker.ended;
  assert.equal((await place.run("r1")).status, "completed");
  assert.equal((await place.run("r2")).status, "queued");
});

test("[R48] who performs only what it adds leaves what others added, and its own comes before that", async (context) => {
  const place = placeFor(context);
  const hook = durableHook("h", [marking("a")]);
  await place.add(itemOf(hook, "r1"));
  await place.add(itemOf(durableHook("other", [marking("a")]), "r2"));
  const own = openDurableQueue(place.store, { own: true, cap: () => 2, environment: {} });
  await engineOn(place.store, own, place.folder);
  await enqueue(place.store, own, itemOf(hook, "r3"));
  await own.close();
  assert.deepEqual(beginnings(place.folder), { "r3 a": 1 });
  assert.equal((await place.run("r1")).status, "queued");
  assert.equal(await place.store.repair(isAlive, Date.now()), 0, "[X8] what waits for a worker was not interrupted");
  const worker = openDurableQueue(place.store, { cap: () => 2, environment: {} });
  await engineOn(place.store, worker, place.folder);
  const runs = await place.over("r1", "r2", "r3");
  await worker.close();
  assert.deepEqual(
    runs.map(({ status }) => status),
    ["completed", "completed", "completed"],
  );
});
