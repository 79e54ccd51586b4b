import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { openPostgresStore } from "../../src/storage/postgres/postgres.ts";
import { bundled } from "../program.ts";
import { aRun } from "../storage/contract.ts";
import { startCluster } from "./cluster.ts";
import { database, type Prepared, startPrepared, writer } from "./prepared.ts";

const isLong = process.env.HOOKLINE_TEST_LONG === "1";
let cluster: Prepared;
before(async () => {
  cluster = await startPrepared({
    settings: ["max_connections = 13", "superuser_reserved_connections = 3", "wal_level = replica"],
  });
});
beforeEach(() => cluster.empty());
after(() => cluster.close());

interface Writers {
  /** The ids that were acknowledged so far. */
  acknowledged: Set<string>;
  end(): Promise<void>;
}
function startWriters(context: TestContext, count: number, url: string): Writers {
  const acknowledged = new Set<string>();
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [bundled(join(import.meta.dirname, "writer.ts")), url], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  for (const child of children) {
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const id of lines) acknowledged.add(id);
    });
  }
  const end = async (): Promise<void> => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(
      children.map((child) => child.exitCode ?? child.signalCode ?? new Promise((over) => child.once("close", over))),
    );
  };
  context.after(end);
  return { acknowledged, end };
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(20);
}

/** Those of these ids that are in no table. */
function lostOf(ids: ReadonlySet<string>, where: Pick<Prepared, "sql">): string[] {
  const there = new Set(
    where.sql("select id from hookline.event union all select id from hookline.run", database).split("\n"),
  );
  return [...ids].filter((id) => !there.has(id));
}

test(`[F19] of two workers' rows none that was acknowledged is lost over ${isLong ? 50 : 6} immediate restarts`, {
  timeout: 900_000,
}, async (context) => {
  const { acknowledged, end } = startWriters(context, 2, cluster.store);
  for (let restart = 0; restart < (isLong ? 50 : 6); restart++) {
    const before = acknowledged.size;
    await until(() => acknowledged.size > before + 200); // in the middle of writing
    await cluster.restart({ immediate: true });
  }
  const before = acknowledged.size;
  await until(() => acknowledged.size > before + 200);
  await end();
  context.diagnostic(`${acknowledged.size} rows were acknowledged`);
  assert.deepEqual(lostOf(acknowledged, cluster), []);
  assert.equal(
    cluster.sql("select count(*) from (select id from hookline.run group by id having count(*) > 1) twice", database),
    "0",
  );
});

test("[G15] a synchronous standby that takes over has every row that was acknowledged", {
  timeout: 300_000,
}, async (context) => {
  const standby = await startCluster({ standbyOf: cluster });
  context.after(() => standby.close());
  cluster.sql("alter system set synchronous_standby_names = '*'");
  cluster.sql("select pg_reload_conf()");
  await until(() => cluster.sql("select sync_state from pg_stat_replication") === "sync");
  const { acknowledged, end } = startWriters(context, 2, cluster.store);
  await until(() => acknowledged.size > 1_000);
  await cluster.stop({ immediate: true });
  standby.program("pg_ctl", ["promote", "--pgdata", join(standby.folder, "data"), "--wait"]);
  await end();
  assert.deepEqual(lostOf(acknowledged, standby), []);
  const store = await openPostgresStore({ url: standby.url(writer, database) });
  await store.saveRun(aRun());
  await store.committed();
  await store.close();
  await cluster.start();
  cluster.sql("alter system reset synchronous_standby_names");
  cluster.sql("select pg_reload_conf()");
});

test("a standby that only reads refuses writes, with what to do", async (context) => {
  const standby = await startCluster({ standbyOf: cluster });
  context.after(() => standby.close());
  const store = await openPostgresStore({ url: standby.url(writer, database) });
  assert.deepEqual(await store.runs({}), []);
  await assert.rejects(
    async () => store.pause("x", 1),
    /it is a standby that only reads .* use the address of the primary/,
  );
  await store.close();
});

test("where no connection is left, who asks waits for one, and in the end hears why", async () => {
  const store = await openPostgresStore({ url: cluster.store, patience: 20_000 });
  cluster.sql(`alter role ${writer} connection limit 0`);
  const [busy, free] = [
    openConnection({ url: cluster.store, patience: 300 }),
    openConnection({ url: cluster.store, patience: 20_000 }),
  ];
  await assert.rejects(busy.read("select 1"), /it has no place for another connection .* raise max_connections/);
  const waiting = free.read("select 1 as one");
  cluster.sql(`alter role ${writer} connection limit -1`);
  assert.deepEqual(await waiting, [{ one: 1 }]);
  const many = Array.from({ length: 200 }, (_, index) =>
    store.claim([{ key: `k${index}`, max: 1, refusal: "used" }], 1),
  );
  assert.deepEqual(
    new Set(await Promise.all(many)),
    new Set([undefined]),
    "more questions than connections wait for their turn",
  );
  await Promise.all([busy.close(), free.close(), store.close()]);
});

test("a server that is halted in the middle of a transaction is waited for no longer than was said, and what waits is written later", async () => {
  const store = await openPostgresStore({
    url: cluster.store,
    patience: 500,
    statementTimeout: 500,
    connectTimeout: 500,
  });
  await store.saveRun(aRun());
  await store.committed();
  const pids = cluster
    .sql("select pid from pg_stat_activity where backend_type = 'client backend' and usename = 'hookline_writer'")
    .split("\n")
    .map(Number);
  for (const pid of [cluster.pid(), ...pids]) process.kill(pid, "SIGSTOP");
  const run = aRun();
  await store.saveRun(run);
  await assert.rejects(store.committed(), /cannot be used: (it did not answer in time|the connection was lost)/);
  await assert.rejects(async () => store.claim([{ key: "k", max: 1, refusal: "used" }], 1), /cannot be used/);
  for (const pid of [cluster.pid(), ...pids]) process.kill(pid, "SIGCONT");
  await until(() => cluster.sql("select 1") === "1");
  await store.committed();
  assert.equal((await store.run(run.id))?.id, run.id);
  await store.close();
});

test("a transaction whose server vanishes in the middle is done again where that is safe, and is an error where it is not", async () => {
  const connection = openConnection({ url: cluster.store });
  let attempts = 0;
  const work = async (again: boolean): Promise<number> => {
    attempts = 0;
    return connection.transaction({ again }, async (query) => {
      attempts += 1;
      await query(
        "insert into hookline.claim values ($1, 1, 1) on conflict (key) do update set count = claim.count + 1",
        [`${again}`],
      );
      if (attempts === 1) await cluster.restart({ immediate: true });
      await query("select 1");
      return attempts;
    });
  };
  assert.equal(await work(true), 2);
  await assert.rejects(
    work(false),
    /cannot be used: (the connection was lost|.*shutting down|.*ECONNRESET|.*administrator)/,
  );
  assert.equal(attempts, 1);
  assert.equal(cluster.sql("select key, count from hookline.claim", database), "true|1");
  await connection.close();
});

test("who listens is woken by others, and once after each time that it may have missed them", async () => {
  const [connection, other] = [openConnection({ url: cluster.store }), openConnection({ url: cluster.store })];
  let woken = 0;
  const undo = connection.listen("work", () => {
    woken += 1;
  });
  await until(() => woken === 1); // it listens now
  await other.read("select pg_notify('work', '')");
  await until(() => woken === 2);
  await cluster.restart({ immediate: true });
  await until(() => woken === 3);
  await other.read("select pg_notify('work', '')");
  await until(() => woken === 4);
  undo();
  await other.read("select pg_notify('work', '')");
  await Promise.all([connection.close(), other.close()]);
  assert.equal(woken, 4);
});
