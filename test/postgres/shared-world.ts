/** A Postgres for shared runs, and queues on it, for tests. */
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Item } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import type { SharedWork } from "../../src/engine/shared-work.ts";
import { openSharedRuns, type SharedRunsOptions } from "../../src/hosts/worker/worker.ts";
import { migrateDurableEngine } from "../../src/runtime/queues/shared/dbos.ts";
import type { SharedQueue } from "../../src/runtime/queues/shared/shared.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { migrate } from "../../src/storage/postgres/migrate.ts";
import { openPostgresStore, type PostgresStore } from "../../src/storage/postgres/postgres.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import {
  database,
  dataOf,
  inTime,
  owner,
  type Prepared,
  preparedData,
  reader,
  startPrepared,
  writer,
} from "./prepared.ts";

export async function startShared(options: ClusterOptions = {}): Promise<Prepared> {
  const data = await dataOf(
    "shared",
    (cluster) => inTime(() => migrateDurableEngine(cluster.url(owner, database), writer)),
    { data: await preparedData() },
  );
  const cluster = await startPrepared({ ...options, data });
  const tables = cluster.sql(
    "select string_agg('hookline_dbos.' || quote_ident(tablename), ', ') from pg_tables where schemaname = 'hookline_dbos' and tablename !~ 'migrations'",
    database,
  );
  return {
    ...cluster,
    empty() {
      cluster.empty();
      cluster.sql(`truncate ${tables} cascade`, database);
    },
  };
}

/** Another database of this server, with the same tables. Gives the address of whoever writes there. */
export async function addShared(cluster: Cluster, name: string): Promise<string> {
  cluster.sql(`create database ${name} owner ${owner}`);
  await migrate({ url: cluster.url(owner, name), writer, reader });
  await migrateDurableEngine(cluster.url(owner, name), writer);
  return cluster.url(writer, name);
}

export interface Opened {
  store: PostgresStore;
  work: SharedWork;
  queue: SharedQueue;
  close(): Promise<void>;
}

export async function openOn(
  url: string,
  options: Partial<Omit<SharedRunsOptions, "cap">> & { cap?: number } = {},
): Promise<Opened> {
  const { cap = 2, id = "w1", ...rest } = options;
  const store = await openPostgresStore({ url });
  const queue = await openSharedRuns({
    ...{ url, store, id, cap: () => cap },
    complain: (reason) => console.error(`complaint: ${reason}`),
    ...rest,
  });
  return {
    store,
    queue,
    work: createSharedWork({ connection: store.connection }, rest.version),
    async close() {
      await queue.close();
      await store.close();
    },
  };
}

/** As a sender hands a run over. */
export const send = ({ work }: Pick<Opened, "work">, item: Item): Promise<unknown> => work.add(item);

export interface Sender {
  work: SharedWork;
  /** Its row, once it has ended. */
  over(item: Item): Promise<Run>;
}

/** A machine that sends runs and performs none. */
export function senderFor(context: Pick<TestContext, "after">, url: string): Sender {
  const connection = openConnection({ url });
  const work = createSharedWork({ connection });
  context.after(() => connection.close());
  return {
    work,
    async over(item) {
      for (;;) {
        const run = (await work.left([item.run])).get(item.run.id);
        if (run) return run;
        await pause(50);
      }
    },
  };
}
