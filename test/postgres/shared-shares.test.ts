/** How one worker asks the database: how many runs it takes at once, and how often it writes a run's row. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Ports } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import type { SharedWork } from "../../src/engine/shared-work.ts";
import { openDurableEngine } from "../../src/runtime/queues/shared/dbos.ts";
import { openSharedQueue, type SharedQueue } from "../../src/runtime/queues/shared/shared.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openConnection, openPool } from "../../src/storage/postgres/connection.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import type { Prepared } from "./prepared.ts";
import { startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared({ settings: ["fsync = off"] });
});
after(() => cluster.close());

interface Opened {
  work: SharedWork;
  queue: SharedQueue;
  /** Rows that the worker wrote. */
  saved: Run[];
  /** How many runs it asked for, each time. */
  asked: number[];
  /** Resolves once it has said that it lives, after now. */
  beat(): Promise<void>;
  over(run: Run): Promise<Run>;
  close(): Promise<void>;
}

interface Given {
  after?: Ports["after"];
  others?: number;
  /** What is waited for when the database has written a row, before the worker hears so. */
  written?(run: Run, opened: { beats(): number }): Promise<void>;
}

async function open(cap: number, given: Given = {}): Promise<Opened> {
  cluster.empty();
  const connection = openConnection({ url: cluster.store });
  const work = createSharedWork({ connection });
  const [saved, asked]: [Run[], number[]] = [[], []];
  const member = { id: "own", token: "own", where: "here" };
  let beats = 0;
  await work.makePlaces(cap);
  for (const id of ["own", ...Array.from({ length: given.others ?? 0 }, (_none, index) => `other ${index}`)])
    assert.equal(await work.join({ id, token: id, where: "here" }, 600), undefined);
  const queue = await openSharedQueue({
    work: {
      ...work,
      begin(beginning) {
        asked.push(beginning.limit);
        return work.begin(beginning);
      },
      async save(hold, run, parts) {
        saved.push(run);
        const isHeld = await work.save(hold, run, parts);
        await given.written?.(run, { beats: () => beats });
        return isHeld;
      },
      beat: (of) => work.beat(of).finally(() => beats++),
    },
    ...{ member, lease: 600, poll: 0.05, cap: () => cap, isHere: () => true, endTagged: async () => true },
    after: given.after ?? systemPorts().after,
    openEngine: (options) =>
      openDurableEngine({
        ...options,
        ...{ pool: openPool({ url: cluster.store }), executor: "own", version: "1" },
      }),
    complain: (reason) => assert.fail(reason),
  });
  return {
    ...{ work, queue, saved, asked },
    async beat() {
      for (const until = beats + 2; beats < until; ) await pause(5);
    },
    async over(run) {
      for (;;) {
        const row = (await work.left([run])).get(run.id);
        if (row) return row;
        await pause(5);
      }
    },
    async close() {
      await queue.close(0.1);
      await connection.close();
    },
  };
}

test("a worker takes its share of what waits at once, and leaves the rest to the other workers", async () => {
  const { work, queue, asked, beat, close } = await open(20, { others: 3 });
  queue.start({ perform: () => new Promise(() => {}), drop: async () => {} });
  await beat();
  asked.length = 0;
  await work.add(itemOf(durableHook("h", []), "r1"));
  await beat();
  await beat();
  assert.ok(asked.length > 0);
  assert.ok(
    asked.every((limit) => limit === 5),
    `of 20 places 4 workers take 5 at once: ${asked}`,
  );
  await close();
});

/** Those of at most so many milliseconds are fired or never are; others as they should. */
const firing =
  (what: "never" | "at once", of: number): Ports["after"] =>
  (milliseconds, callback) => {
    if (milliseconds !== of) return systemPorts().after(milliseconds, callback);
    return what === "never" ? () => {} : systemPorts().after(0, callback);
  };

for (const [fires, rows] of [
  ["never", ["completed"]],
  ["at once", ["running 0", "running 1", "completed"]],
] as const)
  test(`what a run has done so far is written ${fires === "never" ? "by those that last: a short run is written once" : "while it goes on"}, and how it ended always`, async () => {
    const { work, queue, saved, over, close } = await open(2, { after: firing(fires, 100) });
    const item = itemOf(durableHook("h", []), "r1");
    queue.start({
      drop: async () => {},
      async perform({ run }, { steps }) {
        assert.ok(steps?.write);
        await steps.write("admission", () => ({ started: 7 }));
        await steps.save({ ...run, status: "running" });
        for (const word of ["a", "b"]) {
          await steps.step(`0:${word}`, async () => {
            const wanted = word === "a" ? "running 0" : "running 1";
            while (fires === "at once" && !told().includes(wanted)) await pause(5);
            return word;
          });
          const done = { uses: word, ok: true, output: {}, ms: 1 };
          await steps.save({ ...run, status: "running", steps: [done] });
        }
        const parts = await work.parts(run.id);
        assert.deepEqual(parts.get("admission"), fires === "never" ? undefined : { value: { started: 7 } });
        await steps.save({ ...run, status: "completed", ms: 1 });
      },
    });
    const told = (): string[] =>
      saved.map(({ status, steps }) => (status === "running" ? `${status} ${steps.length}` : status));
    await work.add(item);
    assert.equal((await over(item.run)).status, "completed");
    const found = told().filter((row, index, all) => row !== all[index - 1]);
    assert.deepEqual(found, rows);
    await close();
  });

test("a run whose end the database has written, while the worker has not heard so yet, is not taken for another worker's", async () => {
  const { work, queue, over, close } = await open(2, {
    async written(_run, { beats }) {
      for (const until = beats() + 3; beats() < until; ) await pause(5);
    },
  });
  const item = itemOf(durableHook("h", []), "r1");
  const isLost = new Promise((resolve) =>
    queue.start({
      drop: async () => {},
      async perform({ run }, { steps }) {
        try {
          await steps?.save({ ...run, status: "completed", ms: 1 });
        } finally {
          resolve(steps?.isLost());
        }
      },
    }),
  );
  await work.add(item);
  assert.equal((await over(item.run)).status, "completed");
  assert.equal(await isLost, false);
  await close();
});
