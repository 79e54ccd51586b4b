/** Questions about what Postgres holds of events and runs, each one statement. */
import type { HookEvent, HookId, Instant } from "../../engine/event.ts";
import type { ReceiptCount, Run, RunFilter, StoredEvent, Transcript } from "../../engine/record.ts";
import {
  type EventRow,
  eventFields,
  eventOf,
  listOf,
  type RunRow,
  readBack,
  runFields,
  runOf,
  textFields,
  written,
} from "../sqlite/rows.ts";
import type { Query, Value } from "./connection.ts";

const eventColumns = eventFields.join(", ");
const runColumns = `${runFields.join(", ")},
  (select receipt_of from hookline.event where event.day = run.day and event.id = run.event) as receipt_of`;

export async function eventNamed(query: Query, id: string): Promise<StoredEvent | undefined> {
  const [row] = await query<EventRow>(`select ${eventColumns} from hookline.event where id = $1`, [written(id)]);
  return row && eventOf(row);
}

export async function runNamed(query: Query, id: string): Promise<Run | undefined> {
  const [row] = await query<RunRow>(`select ${runColumns} from hookline.run where id = $1`, [written(id)]);
  return row && runOf(row);
}

export async function newestEvents(query: Query, limit: number, name?: string): Promise<StoredEvent[]> {
  const which = name === undefined ? "" : "where name = $2";
  const sql = `select ${eventColumns} from hookline.event ${which} order by seq desc limit $1`;
  return (await query<EventRow>(sql, name === undefined ? [limit] : [limit, written(name)])).map(eventOf);
}

/** The condition that a field of the filter is, with its value in the place of `$`. */
const conditions: {
  readonly [F in keyof RunFilter]?: (value: NonNullable<RunFilter[F]>) => [sql: string, value: Value];
} = {
  hook: (hooks) => ["hook = any($::text[])", listOf(hooks).map(written)],
  session: (session) => ["session = $", written(session)],
  event: (name) => ["event_name = $", written(name)],
  status: (status) => ["status = $", status],
  eventId: (id) => ["event = $", written(id)],
  since: (since) => ["started >= $", since],
  before: (id) => ["seq < (select seq from hookline.run where id = $)", written(id)],
  folders: (folders) => [
    `exists (select 1 from hookline.event, unnest($::text[]) folder
       where event.day = run.day and event.id = run.event and (cwd = folder or starts_with(cwd, rtrim(folder, '/') || '/')))`,
    folders.map(written),
  ],
  receipt: (is) => [
    `exists (select 1 from hookline.event where event.day = run.day and event.id = run.event and receipt = $)
       and (outcome::json #>> '{verdict,is}' in ('deny', 'ask') or outcome::json -> 'updatedInput' is not null)`,
    is,
  ],
  text: (text) => [
    `exists (select 1 from (select $::text) sought (word) where position(word in lower(concat_ws(E'\\n', ${textFields.join(", ")}))) > 0
       or exists (select 1 from hookline.event where event.day = run.day and event.id = run.event and position(word in lower(payload)) > 0))`,
    text.toLowerCase(),
  ],
};

/** Newest first, that is in the reverse order in which they came. */
export async function findRuns(query: Query, filter: RunFilter): Promise<Run[]> {
  const values: Value[] = [];
  const place = (value: Value): string => `$${values.push(value)}`;
  const wanted: string[] = [];
  for (const [field, value] of Object.entries(filter)) {
    const condition = conditions[field as keyof RunFilter] as ((value: unknown) => [string, Value]) | undefined; // each is asked with its own field
    if (!condition || value === undefined) continue;
    const [sql, given] = condition(value);
    wanted.push(sql.replace("$", () => place(given)));
  }
  if (filter.among) {
    const { prefix, suffix = "" } = filter.among;
    const end = place(suffix);
    wanted.push(`starts_with(hook, ${place(prefix)}) and right(hook, length(${end})) = ${end}`);
  }
  const where = wanted.length === 0 ? "" : `where ${wanted.join(" and ")}`;
  const limit = place(filter.limit ?? null);
  const rows = await query<RunRow>(
    `select ${runColumns} from hookline.run ${where} order by seq desc limit ${limit}::bigint`,
    values,
  );
  return rows.map(runOf);
}

/** @param folders with those below them; absent: all */
export async function countReceipts(
  query: Query,
  { since, folders }: { since: Instant; folders?: readonly string[] },
): Promise<ReceiptCount[]> {
  return query<ReceiptCount>(
    `select receipt as "is", receipt_of::json ->> 'to' as "to", count(*)::int as count from hookline.event
     where receipt is not null and at >= $1 and ($2::text[] is null or exists (
       select 1 from unnest($2::text[]) folder where cwd = folder or starts_with(cwd, rtrim(folder, '/') || '/')))
     group by 1, 2`,
    [since, folders?.map(written) ?? null],
  );
}

export async function recentHookSets(query: Query, events: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `select hook_set as id from (select hook_set, seq from hookline.event order by seq desc limit $1) newest
     group by hook_set order by max(seq) desc`,
    [events],
  );
  return rows.map(({ id }) => readBack(id));
}

/** For each hook its newest run that started. */
export async function lastFired(query: Query): Promise<Map<HookId, Instant>> {
  const rows = await query<{ hook: string; started: number }>(
    "select distinct on (hook) hook, started from hookline.run where asked > 0 order by hook, seq desc",
  );
  return new Map(rows.map(({ hook, started }) => [readBack(hook), started]));
}

/** The ids of deliveries that begin so. */
export const deliveriesFrom = async (query: Query, beginning: string): Promise<string[]> =>
  (
    await query<{ delivery: string }>(
      "select distinct delivery from hookline.event where delivery is not null and starts_with(delivery, $1)",
      [written(beginning)],
    )
  ).map(({ delivery }) => readBack(delivery));

export async function lastReports(query: Query, folders: readonly string[]): Promise<Map<string, Instant>> {
  const rows = await query<{ by: string; at: Instant }>(
    `select delivered_by as by, max(at) as at from hookline.event
     where delivered_by is not null and exists (select 1 from unnest($1::text[]) folder
       where cwd = folder or starts_with(cwd, rtrim(folder, '/') || '/')) group by delivered_by`,
    [folders.map(written)],
  );
  return new Map(rows.map(({ by, at }) => [readBack(by), at]));
}

export const transcripts = async (query: Query): Promise<Transcript[]> =>
  (await query<{ row: string }>("select row from hookline.transcript order by at desc, path")).map(({ row }) =>
    JSON.parse(row),
  );

/** The ids that begin so: at most so many. */
export async function idsFrom(
  query: Query,
  table: "run" | "event",
  beginning: string,
  most: number,
): Promise<string[]> {
  const sql = `select id from hookline.${table} where starts_with(id, $1) order by id limit $2`;
  return (await query<{ id: string }>(sql, [written(beginning), most])).map(({ id }) => readBack(id));
}

/** The newest event in these folders or below them. */
export async function newestEventIn(query: Query, folders: readonly string[]): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    `select id from hookline.event where exists (select 1 from unnest($1::text[]) folder
       where cwd = folder or starts_with(cwd, rtrim(folder, '/') || '/')) order by seq desc limit 1`,
    [folders.map(written)],
  );
  return row && readBack(row.id);
}

export async function eventsCalled(query: Query, ids: readonly string[]): Promise<Map<string, HookEvent>> {
  const sql = `select ${eventColumns} from hookline.event where id = any($1::text[])`;
  const rows = await query<EventRow>(sql, [ids.map(written)]);
  return new Map(rows.map((row) => [readBack(row.id), eventOf(row).event]));
}

/** With the names that they had last; also those that are gone. */
export async function hooksWithRuns(query: Query): Promise<{ hook: HookId; name: string }[]> {
  const rows = await query<{ hook: string; name: string }>(
    "select distinct on (hook) hook, hook_name as name from hookline.run order by hook, seq desc",
  );
  return rows.map(({ hook, name }) => ({ hook: readBack(hook), name: readBack(name) }));
}
