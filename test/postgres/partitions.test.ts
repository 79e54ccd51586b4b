import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { advance } from "../../src/engine/events.ts";
import { createIds } from "../../src/runtime/system.ts";
import { migrate } from "../../src/storage/postgres/migrate.ts";
import { openPostgresStore, type PostgresStore } from "../../src/storage/postgres/postgres.ts";
import { anEvent, aRun, noHooks } from "../storage/contract.ts";
import { database, owner, type Prepared, startPrepared } from "./prepared.ts";

let cluster: Prepared;
let store: PostgresStore;
before(async () => {
  cluster = await startPrepared();
  store = await openPostgresStore({ url: cluster.store });
});
beforeEach(() => cluster.empty());
after(async () => {
  await store.close();
  await cluster.close();
});

const day = 86_400_000;
const partitions = (table: string): string[] =>
  cluster
    .sql(
      `select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'hookline.${table}'::regclass order by relname`,
      database,
    )
    .split("\n");
const rowsIn = (table: string): number => Number(cluster.sql(`select count(*) from hookline.${table}`, database));
const nameOf = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll("-", "");

/** An event of that time with a run, as the engine writes them. */
async function happens(
  at: number,
  status: "completed" | "running" = "completed",
): Promise<{ event: string; run: string }> {
  const ids = createIds(() => at);
  const [event, run] = [ids(), ids()];
  await store.record(anEvent({ id: event, at }), noHooks, advance);
  await store.saveRun(aRun({ id: run, eventId: event, startedAt: at, status }));
  await store.committed();
  return { event, run };
}

test("events and their runs lie in the partition of their day, and a day is forgotten by dropping it", async () => {
  const now = Date.now();
  const [old, young] = [await happens(now - 40 * day), await happens(now)];
  assert.equal(rowsIn(`event_${nameOf(now - 40 * day)}`), 1);
  assert.equal(rowsIn(`run_${nameOf(now)}`), 1);
  assert.equal(await store.purge(now - 30 * day), 1);
  assert.ok(!partitions("event").includes(`event_${nameOf(now - 40 * day)}`));
  assert.ok(!partitions("run").includes(`run_${nameOf(now - 40 * day)}`));
  assert.equal(await store.event(old.event), undefined);
  assert.equal((await store.run(young.run))?.id, young.run);
});

test("a day on which a run still goes on is not dropped: its other rows are deleted", async () => {
  const before = Date.now() - 30 * day;
  const goesOn = await happens(before - 5 * day, "running");
  await happens(before - 5 * day);
  assert.equal(await store.purge(before), 2);
  assert.deepEqual(
    (await store.runs({})).map(({ id }) => id),
    [goesOn.run],
  );
});

test("what comes of a day that was forgotten, or that is far away, lies with the others and is found", async () => {
  const far = await happens(Date.now() + 400 * day);
  assert.equal(rowsIn("event_others"), 1);
  assert.equal((await store.event(far.event))?.event.id, far.event);
  assert.equal((await store.run(far.run))?.eventId, far.event);
});

test("of all who tidy up, one in a day forgets what is older than the owner wants it kept", async () => {
  const old = await happens(Date.now() - 8 * day);
  await happens(Date.now());
  await migrate({ url: cluster.url(owner, database), retentionDays: 7 });
  const tidy = (): Promise<{ count: number | null }[]> =>
    store.connection.transaction({ again: true }, (query) => query("select hookline.tidy() as count"));
  const told = (await Promise.all([tidy(), tidy(), tidy()])).flat().map(({ count }) => count);
  assert.deepEqual(
    told.toSorted((left, right) => Number(left) - Number(right)),
    [null, null, 1],
  );
  assert.equal(await store.event(old.event), undefined);
  assert.equal((await store.events(9)).length, 1);
});

test("a run that is written again is one row, also from another process", async () => {
  const { event, run } = await happens(Date.now(), "running");
  const other = await openPostgresStore({ url: cluster.store });
  await other.saveRun(aRun({ id: run, eventId: event, status: "completed" }));
  await other.close();
  assert.deepEqual(
    (await store.runs({})).map(({ id, status }) => [id, status]),
    [[run, "completed"]],
  );
});

test("rows that are written at once come as one transaction, in their order", async () => {
  const runs = Array.from({ length: 1_500 }, () => aRun());
  for (const run of runs) void store.saveRun(run);
  await store.committed();
  assert.deepEqual(
    (await store.runs({})).map(({ id }) => id),
    runs.map(({ id }) => id).reverse(),
  );
  assert.equal(cluster.sql("select count(distinct xmin::text) from hookline.run", database), "1");
});

test("[X7] of many processes that claim at once, as many are granted as there may be", async () => {
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url: cluster.store })));
  const claim = { key: "cap", max: 7, refusal: "used" };
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => stores[index % 4]?.claim([claim, { ...claim, key: `own ${index}` }], 1)),
  );
  assert.equal(answers.filter((one) => one === undefined).length, 7);
  const spent = await Promise.all(
    Array.from({ length: 20 }, (_, index) => stores[index % 4]?.spend("s", "injected", 5)),
  );
  assert.equal(spent.filter(Boolean).length, 5);
  const turns = await Promise.all(
    Array.from({ length: 20 }, (_, index) => stores[index % 4]?.record(anEvent({ session: "t" }), noHooks, advance)),
  );
  assert.deepEqual(
    turns.map((one) => one?.turn.toolCalls).sort((left = 0, right = 0) => left - right),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  await Promise.all(stores.map((one) => one.close()));
});
