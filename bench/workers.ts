/**
 * Short automation runs that four real workers perform from one Postgres, against the same done by hand on DBOS (workers-peer.ts): four
 * processes too, the same cap over all of them, the same rows. A run reads one small file twice, so queue, journal and rows are what
 * is measured. The runs were added before; while the processes of one side work, those of the other are stopped.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import dbos from "@dbos-inc/dbos-sdk";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { advance } from "../src/engine/events.ts";
import type { Item } from "../src/engine/ports.ts";
import { systemPorts } from "../src/runtime/system.ts";
import { openPostgresStore, type PostgresStore } from "../src/storage/postgres/postgres.ts";
import { createSharedWork } from "../src/storage/postgres/shared-work/shared-work.ts";
import { dayOf } from "../src/storage/postgres/writing.ts";
import { missingPostgres } from "../test/postgres/cluster.ts";
import { database, type Prepared } from "../test/postgres/prepared.ts";
import { startShared } from "../test/postgres/shared-world.ts";
import { durableHook, itemOf } from "../test/runtime/queues/world.ts";
import { type Benchmark, type Findings, inFolder, ratioOf, rowsOf, sampleReadings, sized } from "./measure.ts";
import { cap, type Given, queue, queuedRow, schema, tables, version, workflow } from "./workers-peer.ts";

const processes = sized(4, 1);
const runs = sized(400, 16);
const automations = 50;
const rounds = 5;
/** Milliseconds of one reading. */
const longest = 60_000;
const { id } = systemPorts();

export const workers: Benchmark = {
  name: "workers",
  about: `short automation runs of ${processes} workers on one Postgres, at most ${cap} at once, and of DBOS by hand`,
  missing: missingPostgres,
  measure: () => inFolder(measureIn),
};

interface Side {
  children: readonly ChildProcess[];
  /** Its table of runs. */
  table: string;
  /** Adds runs, and lets none of them begin. */
  add(items: readonly Item[]): Promise<void>;
  /** Lets them begin. */
  open(): Promise<void>;
}
interface Place {
  folder: string;
  /** What a run reads. */
  file: string;
  cluster: Prepared;
  store: PostgresStore;
}

async function measureIn(folder: string): Promise<Findings> {
  const cluster = await startShared({ settings: ["shared_buffers = '128MB'", "max_connections = 150"] });
  const store = await openPostgresStore({ url: cluster.store, connections: 8 });
  const place: Place = { folder, file: join(folder, "facts.txt"), cluster, store };
  writeFileSync(place.file, "All is well.\n");
  const sides = new Map<string, Side>();
  try {
    sides.set("hookline worker", await startOwn(place));
    sides.set("DBOS by hand", await startPeer(place));
    for (const side of sides.values()) tell(side, "SIGSTOP");
    const samples = await sampleReadings([...sides.keys()], rounds, (name) => {
      const side = sides.get(name);
      assert.ok(side);
      return timeOf(side, place);
    });
    return {
      rows: rowsOf(`${runs} runs of ${automations} automations, a run`, "ms", samples),
      ratios: [
        ratioOf(samples, {
          goal: "short automation runs a second of four workers",
          cost: "DBOS by hand",
          by: "hookline worker",
          atLeast: 0.7,
        }),
      ],
    };
  } finally {
    for (const side of sides.values()) tell(side, "SIGKILL");
    await store.close();
    await cluster.close();
  }
}

const tell = ({ children }: Side, signal: NodeJS.Signals): void => {
  for (const child of children) child.kill(signal);
};

/** Milliseconds of a run, from the moment at which all may begin until the row of each says how it ended. */
async function timeOf(side: Side, { cluster, store, file }: Place): Promise<number> {
  const step = { uses: "read_file", with: { path: file }, timeout: 30, onError: "stop" as const };
  const items = Array.from({ length: runs }, (_, index): Item => {
    const { run, ...rest } = itemOf(durableHook(`number ${index % automations}`, [step, step]), id(), { id: id() });
    return { ...rest, run: { ...run, eventId: rest.event.id } };
  });
  await inParts(items, ({ event }) => store.record(event, { id: "none", hooks: [] }, advance));
  await side.add(items);
  tell(side, "SIGCONT");
  await pause(1_500); // they see that they have slept
  cluster.sql("checkpoint");
  await side.open();
  const began = performance.now();
  const going = `select 1 from ${side.table} where status in ('queued', 'running') limit 1`; // by an index of those alone
  while ((await store.connection.read(going)).length > 0) {
    if (performance.now() - began > longest) throw new Error(`${runs} runs have not ended within ${longest} ms`);
    await pause(20);
  }
  const took = performance.now() - began;
  tell(side, "SIGSTOP");
  const read = `select id from ${side.table} where status = 'completed' and steps like '%well%well%' and id = any($1)`;
  const done = await store.connection.read(read, [items.map(({ run }) => run.id)]);
  assert.equal(done.length, runs, `${side.table}: every run has read its file twice`);
  return took / runs;
}

async function startOwn({ folder, cluster, store }: Place): Promise<Side> {
  const home = join(folder, "home");
  mkdirSync(join(home, ".config", "hookline"), { recursive: true });
  writeFileSync(join(home, ".config", "hookline", "config.yaml"), `hook_engine: { max_concurrent_hooks: ${cap} }\n`);
  const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(folder, "state") };
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const work = createSharedWork({ connection: store.connection });
  return {
    children: await startAll([bin, "worker", "--store", cluster.store, "--name"], { cwd: folder, env }),
    table: "hookline.run",
    async add(items) {
      await store.pause("project:p", Date.now());
      await inParts(items, (item) => work.add(item));
    },
    async open() {
      await store.resume("project:p");
      await store.connection.read("select pg_notify('hookline_work', '')");
    },
  };
}

async function startPeer({ folder, file, cluster }: Place): Promise<Side> {
  const url = cluster.url("postgres", database);
  const day = dayOf(id());
  await quietly(() => dbos.DBOS.migrate(url, { schemaName: schema }));
  cluster.sql(tables(day), database);
  const client = await dbos.DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
    applicationName: "peer",
  });
  return {
    children: await startAll([join(import.meta.dirname, "workers-peer.ts"), url], { cwd: folder, env: process.env }),
    table: "peer.run",
    async add(items) {
      cluster.sql(
        `insert into peer.event select * from hookline.event where id not in (select id from peer.event);
        ${items.map(({ run }) => queuedRow(run, day)).join("\n")}`,
        database,
      );
      await inParts(items, ({ run }) =>
        client.enqueue<(given: Given) => Promise<void>>(
          { workflowName: workflow, workflowID: run.id, queueName: "held", appVersion: version },
          { id: run.id, day, paths: [file, file] },
        ),
      );
    },
    async open() {
      cluster.sql(`update ${schema}.workflow_status set queue_name = '${queue}' where queue_name = 'held'`, database);
    },
  };
}

/** The last word is the name of the process; it works once it says something. */
async function startAll(
  words: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<ChildProcess[]> {
  const children = Array.from({ length: processes }, (_, index) =>
    spawn(process.execPath, [...words, `worker-${index + 1}`], { ...place, stdio: ["ignore", "pipe", "inherit"] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "data").then(() => stdout.resume())));
  return children;
}

/** The tables of DBOS tell of each of their statements. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = () => {};
  await work().finally(() => {
    console.log = log;
  });
}

async function inParts<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += 8) await Promise.all(all.slice(at, at + 8).map(work));
}
