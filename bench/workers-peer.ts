/**
 * What the workers are measured against: short runs as a good engineer does them by hand on DBOS. A queue of DBOS's has the cap, DBOS keeps
 * the journal of steps, and plain `pg` writes the rows that people see. One process: node workers-peer.ts URL NAME.
 */
import { readFile } from "node:fs/promises";
import dbos from "@dbos-inc/dbos-sdk";
import pg from "pg";
import type { Run } from "../src/engine/record.ts";
import { rowOfRun } from "../src/storage/sqlite/rows.ts";
import { plainKeeper } from "./raw-store.ts";

/** At once, over all processes. */
export const cap = 8;
export const schema = "peer_dbos";
export const queue = "runs";
export const workflow = "run";
export const version = "1";
/** Milliseconds: as a worker does, it writes what a run has done so far only where the run lasts. */
const shownWithin = 100;
/** How often each process looks for work. */
const looksEvery = 10;

/** The tables of the store once more: the same columns, keys and indexes, a partition for today. */
export const tables = (day: string): string => `create schema peer;
  grant usage on schema peer to public;
  ${["event", "run"]
    .map(
      (name) => `create table peer.${name} (like hookline.${name} including all) partition by range (day);
        create table peer.${name}_days partition of peer.${name} for values from ('${day}') to (date '${day}' + 2);
        grant select on peer.${name} to public;`,
    )
    .join("\n")}`;

/** As whoever sends the run writes it: the columns of the store's own row. */
export function queuedRow(run: Run, day: string): string {
  const row = { day, ...rowOfRun(run, plainKeeper) };
  const values = Object.values(row).map((value) => (typeof value === "string" ? inQuotes(value) : String(value)));
  return `insert into peer.run (${Object.keys(row).join()}) values (${values.join()});`;
}
const inQuotes = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export interface Given {
  id: string;
  day: string;
  paths: string[];
}
interface Step {
  uses: string;
  ok: boolean;
  output: { content: string };
  ms: number;
}

async function read(path: string): Promise<Step> {
  const began = performance.now();
  const content = (await readFile(path, "utf8")).trimEnd();
  return { uses: "read_file", ok: true, output: { content }, ms: performance.now() - began };
}

async function main(url: string, name: string): Promise<void> {
  const { DBOS } = dbos;
  const rows = new pg.Pool({ connectionString: url, max: 4 });
  /** Planned once for each connection. */
  const set = (name: string, changes: string, values: unknown[]): Promise<unknown> =>
    rows.query({ name, text: `update peer.run set ${changes} where day = $1 and id = $2`, values });
  const begun = "asked = 1, started = $3, owner = $4, steps = $5";

  async function perform({ id, day, paths }: Given): Promise<void> {
    const started = Date.now();
    const steps: Step[] = [];
    const row = (): unknown[] => [day, id, started, `${process.pid}:${name}`, JSON.stringify(steps)];
    let shown = Promise.resolve<unknown>(undefined);
    const show = setInterval(() => {
      shown = set("show", `status = 'running', ${begun}`, row());
    }, shownWithin);
    for (const [index, path] of paths.entries())
      steps.push(await DBOS.runStep(() => read(path), { name: `${index}:read_file` }));
    clearInterval(show);
    await shown;
    await set("end", `status = 'completed', outcome = '{}', ms = $6, ${begun}`, [...row(), Date.now() - started]);
  }

  DBOS.setConfig({
    name: "peer",
    systemDatabasePool: new pg.Pool({ connectionString: url, max: 10 }),
    systemDatabaseSchemaName: schema,
    applicationVersion: version,
    executorID: name,
    useListenNotify: false,
    runMigrations: false,
    logger: { info() {}, debug() {}, warn() {}, error: console.error },
  });
  DBOS.registerWorkflow(perform, { name: workflow });
  await DBOS.launch();
  await DBOS.registerQueue(queue, {
    concurrency: cap,
    minPollingIntervalMs: looksEvery,
    onConflict: "always_update",
  });
  console.log(`${name} works`);
}

const [url, name] = process.argv.slice(2);
if (import.meta.main && url && name) await main(url, name);
