/** A Postgres with the tables of shared runs, and queues on it, for tests. */
import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { HooklineError } from "../../src/engine/error.ts";
import type { Run } from "../../src/engine/record.ts";
import type { SharedWork } from "../../src/engine/shared-work.ts";
import { endTagged } from "../../src/runtime/processes/tree.ts";
import { openDurableEngine } from "../../src/runtime/queues/dbos.ts";
import { openSharedQueue, type SharedQueue, type SharedQueueOptions } from "../../src/runtime/queues/shared.ts";
import { after } from "../../src/runtime/system.ts";
import { createSharedWork, makePlaces, type Sql } from "../../src/storage/postgres/shared-work.ts";
import { sharedWorkTables } from "../../src/storage/postgres/shared-work-schema.ts";

export function sqlOf(url: string): Sql & { pool: pg.Pool; close(): Promise<void> } {
  const pool = new pg.Pool({ connectionString: url, max: 6 });
  pool.on("error", () => {});
  const inside = new AsyncLocalStorage<pg.PoolClient>();
  const unusable = (error: unknown): never => {
    throw new HooklineError(
      "store_unusable",
      { reason: String(error), where: "postgres", advice: "look" },
      { cause: error },
    );
  };
  return {
    pool,
    query: async (text, values = []) =>
      (await (inside.getStore() ?? pool).query(text, [...values]).catch(unusable)).rows,
    async transaction(work) {
      const client = await pool.connect().catch(unusable);
      let broken: boolean | undefined;
      const ignore = (): void => {};
      client.on("error", ignore);
      try {
        await client.query("begin");
        const given = await inside.run(client, () =>
          work({ query: async (text, values = []) => (await client.query(text, [...values])).rows }),
        );
        await client.query("commit");
        return given;
      } catch (error) {
        await client.query("rollback").catch(() => {
          broken = true;
        });
        if (error instanceof HooklineError) throw error;
        return unusable(error);
      } finally {
        client.off("error", ignore);
        client.release(broken);
      }
    },
    listen(channel, heard) {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => {});
      client.on("notification", heard);
      void client
        .connect()
        .then(() => client.query(`listen ${channel}`))
        .catch(() => {});
      return () => void client.end().catch(() => {});
    },
    close: () => pool.end(),
  };
}

export const workOn = (sql: Sql, version?: number): SharedWork =>
  createSharedWork({
    sql,
    ...(version === undefined ? {} : { version }),
    isFree: "true",
    redact: (text) => text,
    async saveRun(tx, run) {
      await tx.query("insert into run (id, row) values ($1, $2) on conflict (id) do update set row = excluded.row", [
        run.id,
        JSON.stringify(run),
      ]);
    },
    async run(tx, id) {
      const [found] = await tx.query<{ row: string }>("select row from run where id = $1", [id]);
      return found && (JSON.parse(found.row) as Run);
    },
  });

export const makeTables = async (sql: Sql): Promise<void> => {
  await sql.query(`create table run (id text primary key, row text not null); ${sharedWorkTables}`);
};

export async function queueOn(
  url: string,
  options: Partial<Omit<SharedQueueOptions, "cap">> & { cap?: number; id?: string; version?: number } = {},
): Promise<{ queue: SharedQueue; work: SharedWork; close(): Promise<void> }> {
  const { cap = 2, id = "w1", version = 1, ...rest } = options;
  const sql = sqlOf(url);
  const work = workOn(sql, version);
  await makePlaces(sql, cap);
  const member = { id, token: crypto.randomUUID(), where: `process ${process.pid}` };
  const taken = await work.join(member, 5);
  if (taken) throw new Error(`taken by ${taken.holder}`);
  const pool = new pg.Pool({ connectionString: url, max: 6 });
  pool.on("error", () => {});
  const queue = await openSharedQueue({
    work,
    openEngine: (given) =>
      openDurableEngine({ ...given, pool, schema: "hookline_dbos", executor: id, version: String(version) }),
    member,
    after,
    endTagged,
    cap: () => cap,
    complain: (reason) => console.error(`complaint: ${reason}`),
    ...rest,
  });
  return {
    queue,
    work,
    async close() {
      await queue.close();
      await sql.close();
    },
  };
}
