/** A Postgres with the tables of a store, and the roles that docs/postgres.md names. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HooklineError } from "../../src/engine/error.ts";
import { migrate } from "../../src/storage/postgres/migrate.ts";
import { type Cluster, type ClusterOptions, password, startCluster } from "./cluster.ts";

export const owner = "hookline_owner";
export const writer = "hookline_writer";
export const reader = "hookline_reader";
export const database = "hookline";

export interface Prepared extends Cluster {
  /** Of the role that writes rows. */
  readonly store: string;
  /** Every table is empty again. */
  empty(): void;
}

/** What a person does once, before the first store. */
export async function prepareRoles(cluster: Cluster): Promise<void> {
  for (const role of [owner, writer, reader]) cluster.sql(`create role ${role} login password '${password}'`);
  cluster.sql(`create database ${database} owner ${owner}`);
}

const ended = new Map<string, Promise<string>>();

/**
 * The data of a server that was prepared so, and has ended. It is made once in a process of tests: each server of it begins with a
 * copy, which takes a tenth of the time.
 */
export function dataOf(
  name: string,
  prepare: (cluster: Cluster) => Promise<void>,
  options: ClusterOptions = {},
): Promise<string> {
  const made = ended.get(name) ?? make();
  ended.set(name, made);
  return made;

  async function make(): Promise<string> {
    const cluster = await startCluster(options);
    process.once("exit", () => rmSync(cluster.folder, { recursive: true, force: true }));
    await prepare(cluster);
    await cluster.stop();
    return join(cluster.folder, "data");
  }
}

/** @param options.data of a server with these roles and tables, and more */
export async function startPrepared(options: ClusterOptions = {}): Promise<Prepared> {
  const data = options.data ?? (await preparedData());
  const cluster = await startCluster({ ...options, data });
  const tables = cluster.sql(
    "select string_agg('hookline.' || relname, ', ') from pg_class where relnamespace = 'hookline'::regnamespace and relkind in ('r', 'p') and relname <> 'meta'",
    database,
  );
  return Object.assign({}, cluster, {
    store: cluster.url(writer, database),
    empty: () => void cluster.sql(`truncate ${tables}`, database),
  });
}

export const preparedData = (): Promise<string> =>
  dataOf("prepared", async (cluster) => {
    await prepareRoles(cluster);
    await inTime(() => migrate({ url: cluster.url(owner, database), writer, reader }));
  });

/** A busy machine may take longer to answer a new server's first question than a store waits. */
export async function inTime<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HooklineError && /did not answer in time/.test(error.message))) throw error;
    }
}
