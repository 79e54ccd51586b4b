/** How rows of events and runs come into Postgres: many in one statement, each once, whatever is written again. */
import { changingFields, type EventRow, eventFields, type RunRow, runFields } from "../sqlite/rows.ts";
import type { Query, Value } from "./connection.ts";

export type ShippedEvent = EventRow & { answered_at: number | null };
/** What was answered to an event whose row is written already. */
export interface Answer {
  id: string;
  outcome: string;
  answered_at: number;
  ms: number | null;
  redacted: number;
}
export interface Rows {
  events: readonly ShippedEvent[];
  answers: readonly Answer[];
  runs: readonly RunRow[];
}

/** The columns that hold numbers; the others hold text. */
const numbers: { readonly [column: string]: string } = {
  at: "double precision",
  answered_at: "double precision",
  ms: "double precision",
  started: "double precision",
  cut: "integer",
  redacted: "integer",
  asked: "integer",
};
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const unknownDay = "1970-01-01";

/** The day on which an id of ours was made, which is its partition; of any other id one long ago. */
export function dayOf(id: string): string {
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id)) return unknownDay;
  const time = Array.from(id.slice(0, 10)).reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0);
  return time < latest ? new Date(time).toISOString().slice(0, 10) : unknownDay;
}
const latest = Date.UTC(2200, 0);
/** A run lies with its event. */
export const dayOfRun = ({ id, event }: Pick<RunRow, "id" | "event">): string => {
  const day = dayOf(event);
  return day === unknownDay ? dayOf(id) : day;
};

interface Table<Row> {
  name: string;
  columns: readonly (keyof Row & string)[];
  day(row: Row): string;
  /** What a row that is there already takes from the new one. */
  onConflict: string;
}
const events: Table<ShippedEvent> = {
  name: "event",
  columns: [...eventFields, "answered_at"],
  day: ({ id }) => dayOf(id),
  onConflict: `outcome = coalesce(excluded.outcome, event.outcome), answered_at = coalesce(excluded.answered_at, event.answered_at),
    ms = coalesce(excluded.ms, event.ms), redacted = greatest(excluded.redacted, event.redacted),
    receipt = coalesce(excluded.receipt, event.receipt), receipt_key = coalesce(excluded.receipt_key, event.receipt_key),
    receipt_of = coalesce(excluded.receipt_of, event.receipt_of),
    source = coalesce(event.source, excluded.source)`,
};
const isWorkers = "excluded.ms is null and exists (select 1 from hookline.work where work.run = run.id)";
const runs: Table<RunRow> = {
  name: "run",
  columns: runFields,
  day: dayOfRun,
  // One that has ended, on whichever machine, does not go on: a copy of how it stood before comes late. While workers have it, its
  // machine knows only that it has queued it.
  onConflict: `${changingFields.map((field) => `${field} = case when ${isWorkers} then run.${field} else excluded.${field} end`).join(", ")},
    source = coalesce(run.source, excluded.source)
    where not (run.ms is not null and excluded.ms is null)`,
};

/**
 * Ids are each there once.
 *
 * @param source the store that they come from; null: this process. @param made the days whose partitions are there, and were made here
 */
export async function writeRows(query: Query, rows: Rows, source: number | null, made: Set<string>): Promise<void> {
  await makeDays(query, [...rows.events.map(events.day), ...rows.runs.map(runs.day)], made);
  await upsert(query, events, rows.events, source);
  if (rows.answers.length > 0)
    await query(
      answering,
      answerColumns.map((column) => rows.answers.map((one) => one[column])),
    );
  await upsert(query, runs, rows.runs, source);
}

/** Partitions are made before their first row: afterwards it would lie with the others. */
async function makeDays(query: Query, days: readonly string[], made: Set<string>): Promise<void> {
  const missing = [...new Set(days)].filter((day) => day !== unknownDay && !made.has(day));
  if (missing.length === 0) return;
  await query("select hookline.make_days(day, day) from unnest($1::date[]) day", [missing]);
  for (const day of missing) made.add(day);
}

async function upsert<Row extends { id: string }>(
  query: Query,
  { name, columns, day, onConflict }: Table<Row>,
  rows: readonly Row[],
  source: number | null,
): Promise<void> {
  if (rows.length === 0) return;
  const types = columns.map((column, index) => `$${index + 3}::${numbers[column] ?? "text"}[]`);
  // as the tables have them: text, number or null
  const values = columns.map((column) => rows.map((row) => row[column] as string | number | null));
  await query(
    `insert into hookline.${name} as ${name} (source, day, ${columns.join(", ")})
     select $1::bigint, * from unnest($2::date[], ${types.join(", ")})
     on conflict (day, id) do update set ${onConflict}`,
    [source, rows.map(day), ...values] satisfies Value[],
  );
}

const answerColumns = ["id", "outcome", "answered_at", "ms", "redacted"] as const;
const answering = `update hookline.event set outcome = given.outcome, answered_at = given.answered_at, ms = given.ms,
    redacted = greatest(event.redacted, given.redacted)
  from unnest($1::text[], $2::text[], $3::double precision[], $4::double precision[], $5::integer[])
    given (id, outcome, answered_at, ms, redacted)
  where event.id = given.id`;
