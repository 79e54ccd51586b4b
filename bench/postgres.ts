/**
 * What a Postgres takes of the record, for the sizing in docs/operations.md: real payloads of an agent, a run for each event, a Postgres
 * of its own on this machine, which also runs the machines that bring their rows. It compares nothing, so it has no goal.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent } from "../src/engine/event.ts";
import { advance } from "../src/engine/events.ts";
import { systemPorts } from "../src/runtime/system.ts";
import { openConnection } from "../src/storage/postgres/connection.ts";
import { openPostgresStore } from "../src/storage/postgres/postgres.ts";
import { createShip, type Ship } from "../src/storage/postgres/shipping.ts";
import { openSqliteStore, type SqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { missingPostgres } from "../test/postgres/cluster.ts";
import { database, type Prepared, startPrepared } from "../test/postgres/prepared.ts";
import { anEvent, aRun } from "../test/storage/contract.ts";
import { type Benchmark, type Findings, inFolder, type Row, rowOf, sized } from "./measure.ts";

const machines = 4;
/** Events of each machine: in large parts, and one after another, as a machine with one developer has them. */
const [many, few] = [sized(10_000, 20), sized(300, 2)];
const writers = 4;
/** What all writers write: runs, so many in a group, and events. */
const [runs, together, decided] = [sized(20_000, 200), 50, sized(2_000, 20)];

export const postgres: Benchmark = {
  name: "postgres",
  about: `what a Postgres takes of the record: ${machines} machines that bring their rows, and ${writers} that write there`,
  missing: missingPostgres,
  measure: () => inFolder(measureIn),
};

async function measureIn(folder: string): Promise<Findings> {
  const cluster = await startPrepared({
    settings: ["synchronous_commit = on", "shared_buffers = '256MB'", "max_wal_size = '4GB'"],
  });
  const stores = Array.from({ length: machines }, (_, index) => openSqliteStore({ path: join(folder, `${index}.db`) }));
  try {
    const rows = [...(await bring(cluster, stores)), await bringOneByOne(cluster, stores), ...(await write(cluster))];
    return { rows, ratios: [] };
  } finally {
    for (const store of stores) store.close();
    await cluster.close();
  }
}

const { id } = systemPorts();
const set = { id: "set", hooks: [] };
const payloads = globSync("fixtures/agents/claude-code/{Pre,Post}ToolUse*.json", {
  cwd: join(import.meta.dirname, "..", "test"),
}).map((file) => JSON.parse(readFileSync(join(import.meta.dirname, "..", "test", file), "utf8")));

const events = (count: number): HookEvent[] =>
  Array.from({ length: count }, (_, index) =>
    anEvent({
      id: id(),
      at: Date.now(),
      session: `48c9a19d-f010-4d3b-8d15-${index % 100}`,
      data: payloads[index % payloads.length],
    }),
  );

function keep(store: SqliteStore, event: HookEvent): void {
  void store.record(event, set, advance); // SQLite's is synchronous
  void store.answered(event.id, {}, 2);
  void store.saveRun(aRun({ id: id(), eventId: event.id, startedAt: event.at, session: event.session ?? "" }));
}

const inASecond = (count: number, since: number): number => (count * 1_000) / (performance.now() - since);

async function bring(cluster: Prepared, stores: readonly SqliteStore[]): Promise<Row[]> {
  const number = (sql: string): number => Number(cluster.sql(sql, database));
  for (const store of stores)
    store.database.write(() => {
      for (const event of events(many)) keep(store, event);
    });
  const wal = number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')");
  const began = performance.now();
  const brought = await Promise.all(stores.map((store) => shipping(cluster, store, (ship) => ship())));
  const rows = 2 * machines * many;
  const speed = inASecond(rows, began);
  assert.equal(
    brought.reduce((sum, one) => sum + one, 0),
    rows,
    "every row was brought",
  );
  const bytesOf = (kind: string): number =>
    number(
      `select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'hookline.${kind}'::regclass`,
    ) /
    (machines * many);
  const log = number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')") - wal;
  return [
    rowOf("a row", "an event with its indexes", "bytes", bytesOf("event")),
    rowOf("a row", "a run with its indexes", "bytes", bytesOf("run")),
    rowOf("a row", "log (WAL)", "bytes", log / rows),
    rowOf(`${machines} machines bring`, "rows, in parts of 500", "each second", speed),
  ];
}

/** As machines with one developer each do it: an event and its run, again and again. */
async function bringOneByOne(cluster: Prepared, stores: readonly SqliteStore[]): Promise<Row> {
  const since = performance.now();
  await Promise.all(
    stores.map((store) =>
      shipping(cluster, store, async (ship) => {
        for (const event of events(few)) {
          keep(store, event);
          await ship();
        }
      }),
    ),
  );
  const speed = inASecond(few * machines, since);
  return rowOf(`${machines} machines bring`, "transactions of one event and its run", "each second", speed);
}

async function shipping<T>(cluster: Prepared, store: SqliteStore, work: (ship: Ship) => Promise<T>): Promise<T> {
  const connection = openConnection({ url: cluster.store, connections: 1 });
  const done = await work(createShip({ database: store.database, connection, name: "bench", complain: console.error }));
  await connection.close();
  return done;
}

async function write(cluster: Prepared): Promise<Row[]> {
  const stores = await Promise.all(Array.from({ length: writers }, () => openPostgresStore({ url: cluster.store })));
  const from = performance.now();
  await Promise.all(
    stores.map(async (store) => {
      for (let part = 0; part < runs / writers / together; part++) {
        for (let index = 0; index < together; index++) void store.saveRun(aRun({ id: id() }));
        await store.committed();
      }
    }),
  );
  const grouped = inASecond(runs, from);
  const waiting = events(decided).entries();
  const start = performance.now();
  await Promise.all(
    stores.map(async (store) => {
      for (const [, event] of waiting) await store.record(event, set, advance);
    }),
  );
  return [
    rowOf(`${writers} workers write`, `runs, ${together} in a group, each group acknowledged`, "each second", grouped),
    rowOf(`${writers} workers write`, "events, each acknowledged", "each second", inASecond(decided, start)),
  ];
}
