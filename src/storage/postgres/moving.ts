/** Moves a record between a file of SQLite and Postgres: part by part, so that it goes on where it was cut short, and then compared. */
import { createHash } from "node:crypto";
import type { Database } from "../sqlite/database.ts";
import { upsertRun } from "../sqlite/groups.ts";
import { type EventRow, eventFields, places, type RunRow, runFields } from "../sqlite/rows.ts";
import { refused } from "./address.ts";
import type { Connection, Value } from "./connection.ts";
import { createShip } from "./shipping.ts";

/** What both sides hold, as was found by reading both. */
export interface Moved {
  events: number;
  runs: number;
  /** Of all rows on either side, in the order of their ids. */
  hash: string;
}
export interface Moving {
  /** The file's. */
  database: Database;
  connection: Connection;
  complain(reason: string): void;
  /** Told after each part. */
  progress?(rows: number): void;
  signal?: AbortSignal | undefined;
}

/** @throws HooklineError store_unusable, also where both sides still differ after a second look */
export async function moveToPostgres({ name, ...moving }: Moving & { name: string }): Promise<Moved> {
  const { database, connection, signal } = moving;
  const ship = createShip({ ...moving, name });
  await ship(signal);
  const source = database.get<{ value: number }>("select value from meta where key = 'source'")?.value ?? 0;
  const first = await compared(moving, source);
  if (first) return first;
  await connection.transaction({ again: true, signal }, (query) =>
    query("update hookline.source set event_seq = 0, event_id = '', run_seq = 0, run_id = '' where id = $1", [source]),
  ); // a row has changed after it was copied
  await ship(signal);
  return (await compared(moving, source)) ?? differ(connection);
}

/**
 * All that Postgres holds, of whichever machine, into a file that holds no other record.
 *
 * @throws HooklineError store_unusable, as above
 */
export async function moveToSqlite(moving: Moving): Promise<Moved> {
  const { database, connection } = moving;
  const hasRows = database.get("select 1 from event limit 1") !== undefined;
  if (hasRows && cursorIn(database, "event") === undefined)
    throw refused("the file holds a record already", "store move", "name a file that is not there yet");
  await copyAll(moving);
  const first = await compared(moving, undefined);
  if (first) return first;
  for (const kind of ["event", "run"] as const) saveCursor(database, kind, 0); // as above
  await copyAll(moving);
  return (await compared(moving, undefined)) ?? differ(connection);
}

function differ({ address }: Connection): never {
  const reason = "after the move both sides differ: rows are still being written";
  throw refused(reason, address.shown, "stop what writes, then move again: what is there already is not copied twice");
}

const rowsAtOnce = 500;
const eventColumns = [...eventFields, "answered_at"].join(", ");
const runColumns = runFields.join(", ");
const upsertEvent = `insert into event (${eventColumns}) values (${places([...eventFields, ""])})
  on conflict (id) do update set outcome = excluded.outcome, answered_at = excluded.answered_at, ms = excluded.ms,
    redacted = excluded.redacted, receipt = excluded.receipt, receipt_key = excluded.receipt_key,
    receipt_of = excluded.receipt_of`;

type Kind = "event" | "run";
const cursorIn = (database: Database, kind: Kind): number | undefined =>
  database.get<{ value: number }>("select value from meta where key = ?", `moved ${kind}`)?.value;
function saveCursor(database: Database, kind: Kind, seq: number): void {
  const sql = "insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value";
  database.run(sql, `moved ${kind}`, seq);
}

async function copyAll({ database, connection, progress, signal }: Moving): Promise<void> {
  for (const set of await connection.read<{ id: string; hooks: string; used: number }>(
    "select * from hookline.hook_set",
  ))
    database.run(
      "insert into hook_set (id, hooks, used) values (?, ?, ?) on conflict (id) do nothing",
      set.id,
      set.hooks,
      set.used,
    );
  let copied = 0;
  for (const [kind, columns, write] of [
    ["event", [...eventFields, "answered_at"], upsertEvent],
    ["run", runFields, upsertRun],
  ] as const)
    for (let isLast = false; !isLast; ) {
      signal?.throwIfAborted();
      const after = cursorIn(database, kind) ?? 0;
      const sql = `select seq, ${columns.join(", ")} from hookline.${kind} where seq > $1 order by seq limit ${rowsAtOnce}`;
      const rows = await connection.read<Record<string, string | number | null> & { seq: number }>(sql, [after]);
      database.write(() => {
        for (const row of rows) database.run(write, ...columns.map((column) => row[column] ?? null));
        saveCursor(database, kind, rows.at(-1)?.seq ?? after);
      });
      copied += rows.length;
      progress?.(copied);
      isLast = rows.length < rowsAtOnce;
    }
}

/**
 * Undefined: they differ.
 *
 * @param source the store that was moved there, of which Postgres may also hold rows that were removed here since; undefined: all rows
 */
async function compared(
  { database, connection, signal }: Moving,
  source: number | undefined,
): Promise<Moved | undefined> {
  const here = await digestOf(async (kind, after) => {
    signal?.throwIfAborted();
    return database.all<EventRow | RunRow>(
      `select ${kind === "event" ? eventColumns : runColumns} from ${kind} where id > ? order by id limit ${rowsAtOnce}`,
      after,
    );
  });
  const there = await digestOf((kind, after) => {
    const page = `select id from ${kind} where id > ? order by id limit ${rowsAtOnce}`;
    const ids = source === undefined ? null : database.all<{ id: string }>(page, after).map(({ id }) => id);
    const values: Value[] = [after, source ?? null, ids];
    return connection.read<EventRow | RunRow>(
      `select ${kind === "event" ? eventColumns : runColumns} from hookline.${kind}
       where id collate "C" > $1 and ($2::bigint is null or source = $2) and ($3::text[] is null or id = any($3::text[]))
       order by id collate "C" limit ${rowsAtOnce}`,
      values,
    );
  });
  const isSame = here.hash === there.hash && here.events === there.events && here.runs === there.runs;
  return isSame ? here : undefined;
}

type Page = (kind: Kind, after: string) => Promise<(EventRow | RunRow)[]>;

async function digestOf(page: Page): Promise<Moved> {
  const hash = createHash("sha256");
  const counts = { event: 0, run: 0 };
  for (const kind of ["event", "run"] as const)
    for (let after: string | undefined = ""; after !== undefined; ) {
      const rows: (EventRow | RunRow)[] = await page(kind, after);
      for (const row of rows) hash.update(`${JSON.stringify(Object.entries(row).sort())}\n`);
      counts[kind] += rows.length;
      after = rows.length < rowsAtOnce ? undefined : rows.at(-1)?.id;
    }
  return { events: counts.event, runs: counts.run, hash: hash.digest("hex") };
}
