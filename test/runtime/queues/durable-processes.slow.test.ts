import assert from "node:assert/strict";
import test from "node:test";
import { beginnings } from "./start-worker.ts";
import { leftovers, placeFor } from "./workers.ts";
import { durableHook, itemOf, marking } from "./world.ts";

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
