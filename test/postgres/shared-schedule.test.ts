/** What a clock sets off, on machines whose clocks differ. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { HookEvent } from "../../src/engine/event.ts";
import { createSchedule } from "../../src/runtime/triggers/schedule.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { clockClaims } from "../../src/storage/postgres/clock-claims.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { anAutomation } from "../engine/a-hook.ts";
import { type Prepared, startPrepared } from "./prepared.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startPrepared();
});
after(() => cluster.close());

test("each moment of a cron pattern fires on one machine, also where clocks are 40 s ahead or behind", async () => {
  const connection = openConnection({ url: cluster.store });
  const start = Date.UTC(2026, 10, 24, 12, 0, 0);
  const hook = anAutomation("minutely", { on: { cron: "* * * * *", zone: "UTC" } });
  let time = start;
  const fired: string[] = [];
  const machines = [0, 40_000, -40_000].map((ahead, index) => {
    const local = openMemoryStore();
    return createSchedule({
      now: () => time + ahead,
      after: () => () => {}, // the test says when they look
      id: () => `event ${index} ${time}`,
      store: {
        ...local,
        ...clockClaims(connection),
      },
      isEnabled: () => true,
      fire: (event: HookEvent) => void fired.push(String(event.data.scheduled_for)),
      home: "/",
      complain: (reason) => assert.fail(reason),
    });
  });
  await Promise.all(machines.map((machine) => machine.sync([hook])));
  for (let second = 0; second <= 600; second += 10) {
    time = start + second * 1000;
    await Promise.all(machines.map((machine) => machine.check()));
  }
  const minutes = Array.from({ length: 10 }, (_none, index) => new Date(start + (index + 1) * 60_000).toISOString());
  assert.deepEqual(fired.filter((one) => minutes.includes(one)).toSorted(), minutes);
  assert.equal(new Set(fired).size, fired.length);
  await Promise.all(machines.map((machine) => machine.close()));
  await connection.close();
});
