/** Durable runs over several real processes: killed, stopped, frozen, competing. */
import assert from "node:assert/strict";
import test, { after } from "node:test";
import type { Run } from "../../../src/engine/record.ts";
import { openDurableQueue, openEnqueuing } from "../../../src/hosts/compose/durable-queue.ts";
import { beginnings, logged, whenLogged } from "./start-worker.ts";
import { leftovers, placeFor } from "./workers.ts";
import { durableHook, engineOn, enqueue, itemOf, marking } from "./world.ts";

const threeSteps = [marking("a"), marking("b", { until: "go" }), marking("c")];

test("[AT49, A50, X8] a run whose process is killed in a step continues in another: what had ended is not repeated", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  assert.equal((await place.run("r1")).status, "queued");
  const lease = 3_600; // its process is known to be gone: nobody waits for that
  const first = await place.start({ lease });
  const second = await place.start({ lease });
  await whenLogged(folder, "begin", "r1", "b");
  const holder = [first, second].find(({ child }) => logged(folder).some((line) => line[3] === String(child.pid)));
  const other = holder === first ? second : first;
  await holder?.kill();
  await other.says(({ begun }) => begun === "r1");
  place.open("go");
  const [run] = await place.over("r1");
  assert.equal(run?.status, "completed");
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
  assert.deepEqual(
    run?.steps.map(({ ok, output }) => [ok, output]),
    ["a", "b", "c"].map((word) => [true, { word }]),
  );
  assert.deepEqual(run?.notes, [
    "begun again, as the process that ran it ended before the run did (1 of at most 3 times)",
  ]);
  assert.deepEqual(leftovers(place), []);
});

test("[A50, R56] a worker that is asked to stop waits a while, gives its run back, and the next worker continues it", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const first = await place.start({ patience: 1 });
  await whenLogged(folder, "begin", "r1", "b");
  await first.kill("SIGTERM");
  const between = await place.run("r1");
  assert.equal(between.status, "queued");
  assert.deepEqual(
    between.steps.map(({ output }) => output),
    [{ word: "a" }],
    "what was gathered stands in its row",
  );
  place.open("go");
  await place.start();
  const [run] = await place.over("r1");
  assert.equal(run?.status, "completed");
  assert.deepEqual(run?.notes, [], "a stop counts as no recovery");
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
});

/** For tests that leave its two workers as they are, in the order in which they stand here. */
const shared = placeFor({ after });
const workers = Promise.all([shared.start({ poll: 0.02 }), shared.start({ poll: 0.02 })]);

test("[A23, AT26] two processes together perform as many runs at once as the cap says, and one of each hook", async () => {
  const place = shared;
  const { folder } = place;
  const runs: string[] = [];
  await workers; // each would begin two of them alone
  for (let number = 1; number <= 4; number++)
    for (const name of ["p", "q", "r"]) {
      runs.push(`${name}${number}`);
      await place.add(itemOf(durableHook(name, [marking("a", { takes: 40 })]), `${name}${number}`));
    }
  await place.over(...runs);
  const lines = logged(folder);
  const now = new Set<string>();
  let most = 0;
  for (const [what, run = ""] of lines) {
    if (what === "end") now.delete(run);
    else now.add(run);
    most = Math.max(most, now.size);
    const hooks = [...now].map(([hook]) => hook);
    assert.equal(new Set(hooks).size, hooks.length, `two runs of one hook at once: ${[...now]}`);
  }
  assert.equal(most, 2);
  for (const name of ["p", "q", "r"])
    assert.deepEqual(
      lines.filter(([what, run]) => what === "begin" && run?.startsWith(name)).map(([, run]) => run),
      [1, 2, 3, 4].map((number) => `${name}${number}`),
    );
});

test("a run that another process cancels is stopped, and its row says why", async () => {
  await shared.add(itemOf(durableHook("h", threeSteps), "cancelled"));
  await whenLogged(shared.folder, "begin", "cancelled", "b");
  openEnqueuing(shared.store).cancel("cancelled");
  const [run] = await shared.over("cancelled");
  assert.deepEqual([run?.status, run?.reason], ["cancelled", "cancelled"]);
  assert.deepEqual(
    Object.keys(beginnings(shared.folder)).filter((step) => step.startsWith("cancelled")),
    ["cancelled a", "cancelled b"],
  );
});

test("[R48] a caller that performs only its own runs waits for a run that another process performs, and gets its end", async () => {
  const heard: Run[] = [];
  const own = openDurableQueue(shared.store, { own: true, cap: () => 0, environment: {} });
  await engineOn(shared.store, own, shared.folder, {
    observe(seen) {
      if (seen.is === "run") heard.push(seen.run);
    },
  });
  await enqueue(shared.store, own, itemOf(durableHook("h", [marking("a")]), "waited"));
  await own.close();
  assert.deepEqual(
    heard.map(({ id, status }) => [id, status]),
    [["waited", "completed"]],
  );
  const pids = (await workers).map(({ child }) => String(child.pid));
  assert.ok(pids.includes(heard[0]?.owner?.split(":")[0] ?? ""));
});
