/** A Postgres for shared runs, and queues on it, for tests. */
import type { Item } from "../../src/engine/ports.ts";
import type { SharedWork } from "../../src/engine/shared-work.ts";
import { openSharedRuns, type SharedRunsOptions } from "../../src/hosts/compose/shared-runs.ts";
import { migrateDurableEngine } from "../../src/runtime/queues/shared/dbos.ts";
import type { SharedQueue } from "../../src/runtime/queues/shared/shared.ts";
import { openPostgresStore, type PostgresStore } from "../../src/storage/postgres/postgres.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import type { ClusterOptions } from "./cluster.ts";
import { database, owner, type Prepared, startPrepared, writer } from "./prepared.ts";

export async function startShared(options: ClusterOptions = {}): Promise<Prepared> {
  const cluster = await startPrepared(options);
  await migrateDurableEngine(cluster.url(owner, database), writer);
  return {
    ...cluster,
    empty() {
      cluster.empty();
      cluster.sql(
        `do $$ declare one text; begin
        for one in select tablename from pg_tables where schemaname = 'hookline_dbos' and tablename !~ 'migrations' loop
          execute format('truncate hookline_dbos.%I cascade', one);
        end loop; end $$`,
        database,
      );
    },
  };
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
