/** Durable runs on a store that takes nothing for a while: nothing that was acknowledged is lost, and nothing that was paid is done again. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Engine } from "../../../src/engine/engine.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Observation } from "../../../src/engine/ports.ts";
import { type DurableOptions, openDurableQueue, openEnqueuing } from "../../../src/hosts/compose/durable-queue.ts";
import { createInlineQueue } from "../../../src/runtime/queues/inline.ts";
import { createRoutedQueue } from "../../../src/runtime/queues/routed.ts";
import { beginnings, logged, whenLogged } from "./start-worker.ts";
import { durableHook, engineOn, enqueue, itemOf, marking, type Place, placeFor } from "./world.ts";

interface Refusing extends Place {
  /** The store refuses this, as a full disk would, until it is repaired. */
  refuse(...what: string[]): void;
  repair(): void;
}
function refusing(context: TestContext): Refusing {
  const place = placeFor(context);
  const { store } = place;
  const broken: string[] = [];
  return {
    ...place,
    refuse(...what) {
      for (const one of what) {
        const name = `broken_${broken.length}`;
        broken.push(name);
        store.database.run(`create trigger ${name} before ${one} begin select raise(abort, 'no space is left'); end`);
      }
    },
    repair() {
      for (const name of broken.splice(0)) store.database.run(`drop trigger ${name}`);
    },
  };
}

interface Worker {
  engine: Engine;
  /** Resolves once it could not work on its journal. */
  hasComplained: Promise<void>;
  /** Resolves with the run that has ended. */
  hasEnded: Promise<Observation>;
}
/** It begins one run, whose only step goes on once there is a file `go`. */
async function workerOf({ folder, store }: Place, own: Pick<DurableOptions, "own">): Promise<Worker> {
  const complained = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Observation>();
  const complain = (): void => complained.resolve();
  const queue = openDurableQueue(store, { ...own, cap: () => 1, environment: {}, poll: 0.02, complain });
  const engine = await engineOn(store, queue, folder, {
    observe(seen) {
      if (seen.is === "run" && seen.run.ms !== undefined) ended.resolve(seen);
    },
  });
  await enqueue(store, queue, itemOf(durableHook("h", [marking("a", { until: "go" })]), "r1"));
  await whenLogged(folder, "begin", "r1", "a");
  return { engine, hasComplained: complained.promise, hasEnded: ended.promise };
}

const ways: [name: string, own: Pick<DurableOptions, "own">][] = [
  ["of all runs", {}],
  ["of its own runs", { own: true }],
];

for (const [name, own] of ways) {
  test(`[R56] a run whose end and give-back both meet a store that fails is ended by the same worker ${name}, once that works again`, async (context) => {
    const place = refusing(context);
    const { folder, store } = place;
    const { engine, hasComplained, hasEnded } = await workerOf(place, own);
    place.refuse("update on run", "update on work", "delete on work");
    writeFileSync(join(folder, "go"), "");
    await hasComplained;
    place.repair();
    await hasEnded;
    await engine.close();
    assert.equal((await store.run("r1"))?.status, "completed");
    assert.deepEqual(beginnings(folder), { "r1 a": 1 }, "what its step gave was kept");
  });

  test(`[R56] a run whose end alone cannot be written down is not failed by its worker ${name}, but taken up again`, async (context) => {
    const place = refusing(context);
    const { folder, store } = place;
    const { engine, hasEnded } = await workerOf(place, own);
    // Its first attempt cannot end; when it is given back, the way is free.
    place.refuse("update of status on run when new.status = 'completed' and (select recoveries from work) = 0");
    writeFileSync(join(folder, "go"), "");
    await hasEnded;
    await engine.close();
    const run = await store.run("r1");
    assert.equal(run?.status, "completed");
    assert.match(run?.notes.join() ?? "", /begun again/);
    assert.deepEqual(beginnings(folder), { "r1 a": 1 });
  });
}

test("[R56] what a step gave is written down once the store takes it again, and the step is not done twice", async (context) => {
  const place = refusing(context);
  const { folder, store } = place;
  const { engine, hasEnded } = await workerOf(place, {});
  place.refuse("insert on step");
  writeFileSync(join(folder, "go"), "");
  await whenLogged(folder, "end", "r1", "a");
  await new Promise(setImmediate); // by now it has been tried once
  place.repair();
  await hasEnded;
  await engine.close();
  const run = await store.run("r1");
  assert.deepEqual([run?.status, run?.notes], ["completed", []]);
  assert.deepEqual(beginnings(folder), { "r1 a": 1 });
});

/** Judges on the spot, and says so. */
const plain = (id: string): Hook => {
  const { durable: _durable, project: _project, ...hook } = durableHook(id, [marking(id)]);
  return { ...hook, id, mode: "sync", role: "guard", onFailure: "block" };
};

for (const [what, broken] of [
  ["it", ["insert on work"]],
  ["neither it nor its row", ["insert on work", "insert on run when new.hook = 'automation:p/h'"]],
] as const)
  test(`[R56] an event whose durable run cannot be queued, as ${what} can be written down, is not taken, and every guard has been evaluated`, async (context) => {
    const place = refusing(context);
    const { folder, store } = place;
    const queue = createRoutedQueue({ durable: () => openEnqueuing(store), other: createInlineQueue() });
    const hooks = [plain("before"), durableHook("h", [marking("a")]), plain("after")];
    const engine = await engineOn(store, queue, folder, { hooks });
    const event = itemOf(plain("x"), "x", { id: "e", name: "task.completed" }).event;
    const failures: unknown[] = [];
    const emit = async (): Promise<unknown> =>
      engine.emit(event, { unrecorded: (because) => void failures.push(because) });
    place.refuse(...broken);
    assert.deepEqual(await emit(), {}, "no guard has failed on its account");
    assert.match(String(failures), /no space is left/);
    const asked = logged(folder).flatMap(([what, , step]) => (what === "begin" ? step : []));
    assert.deepEqual(asked, ["before", "after"]);
    assert.equal((await store.event("e"))?.outcome, undefined);
    place.repair();
    failures.length = 0;
    await emit();
    assert.deepEqual(failures, []);
    assert.deepEqual((await store.event("e"))?.outcome, {});
    assert.equal(store.database.all("select 1 from work").length, 1);
    await engine.close();
  });
