/**
 * What a Postgres takes of the record, for the sizing in docs/postgres.md: `node bench/postgres.ts`. Real payloads of an agent, a run for each
 * event, a Postgres of its own on this machine. It prints figures and compares nothing, so it is no benchmark of the table.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advance } from "../src/engine/events.ts";
import { systemPorts } from "../src/runtime/system.ts";
import { openConnection } from "../src/storage/postgres/connection.ts";
import { openPostgresStore } from "../src/storage/postgres/postgres.ts";
import { createShip } from "../src/storage/postgres/shipping.ts";
import { openSqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { database, startPrepared } from "../test/postgres/prepared.ts";
import { anEvent, aRun } from "../test/storage/contract.ts";

const machines = 4;
const eventsEach = 10_000;
const { id } = systemPorts();
const payloads = globSync("test/fixtures/agents/claude-code/{Pre,Post}ToolUse*.json").map((file) =>
  JSON.parse(readFileSync(file, "utf8")),
);
const set = { id: "set", hooks: [] };
const events = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    anEvent({
      id: id(),
      at: Date.now(),
      session: `48c9a19d-f010-4d3b-8d15-${index % 100}`,
      data: payloads[index % payloads.length],
    }),
  );

const cluster = await startPrepared({
  settings: ["synchronous_commit = on", "shared_buffers = '256MB'", "max_wal_size = '4GB'"],
});
const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
const say = (what: string, figure: number, unit: string): void =>
  console.log(`${what.padEnd(62)} ${Math.round(figure).toLocaleString("en").padStart(10)} ${unit}`);
const number = (sql: string): number => Number(cluster.sql(sql, database));
try {
  const stores = Array.from({ length: machines }, (_, index) => openSqliteStore({ path: join(folder, `${index}.db`) }));
  for (const store of stores)
    store.database.write(() => {
      for (const event of events(eventsEach)) {
        void store.record(event, set, advance);
        void store.answered(event.id, {}, 2);
        void store.saveRun(aRun({ id: id(), eventId: event.id, startedAt: event.at, session: event.session ?? "" }));
      }
    });
  const wal = number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')");
  const began = performance.now();
  await Promise.all(
    stores.map(async ({ database: local }) => {
      const connection = openConnection({ url: cluster.store, connections: 1 });
      await createShip({ database: local, connection, name: "bench", complain: console.error })();
      await connection.close();
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const rows = 2 * machines * eventsEach;
  const sizeOf = (kind: string): number =>
    number(
      `select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'hookline.${kind}'::regclass`,
    ) /
    (machines * eventsEach);
  say(`rows brought by ${machines} machines at once, events and runs`, rows / seconds, "rows/s");
  say("an event with its indexes", sizeOf("event"), "bytes");
  say("a run with its indexes", sizeOf("run"), "bytes");
  say("log (WAL) of a row", (number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')") - wal) / rows, "bytes");

  const small = 300; // as machines with one developer each do it: an event and its run, again and again
  const since = performance.now();
  await Promise.all(
    stores.map(async (store) => {
      const connection = openConnection({ url: cluster.store, connections: 1 });
      const ship = createShip({ database: store.database, connection, name: "bench", complain: console.error });
      for (const event of events(small)) {
        void store.record(event, set, advance);
        void store.answered(event.id, {}, 2);
        void store.saveRun(aRun({ id: id(), eventId: event.id, startedAt: event.at }));
        await ship();
      }
      await connection.close();
    }),
  );
  say(
    "an event and its run in a transaction of their own, brought",
    (small * machines) / ((performance.now() - since) / 1_000),
    "/s",
  );
  for (const store of stores) store.close();

  const direct = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url: cluster.store })));
  const runs = 20_000;
  const from = performance.now();
  await Promise.all(
    direct.map(async (store) => {
      for (let part = 0; part < runs / direct.length / 50; part++) {
        for (let index = 0; index < 50; index++) void store.saveRun(aRun({ id: id() }));
        await store.committed();
      }
    }),
  );
  say(
    "runs written by 4 workers, 50 in a group, each group acknowledged",
    runs / ((performance.now() - from) / 1_000),
    "runs/s",
  );
  const decided = events(2_000);
  const start = performance.now();
  await Promise.all(
    direct.map(async (store, own) => {
      for (const event of decided.filter((_, index) => index % direct.length === own))
        await store.record(event, set, advance);
    }),
  );
  say(
    "events recorded one after another by each of 4 workers",
    decided.length / ((performance.now() - start) / 1_000),
    "events/s",
  );
  await Promise.all(direct.map((store) => store.close()));
} finally {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
