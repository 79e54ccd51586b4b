/**
 * The way of a machine's record into Postgres. Every hook decides on the machine's own store and waits for nothing else; what that store
 * holds of events and runs is copied behind it. How far it has come lies in Postgres, in the transaction that wrote the rows: a server
 * that crashed, or a standby that took over and lacks the last of them, is given them again.
 */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import type { Database } from "../sqlite/database.ts";
import { type EventRow, eventFields, type RunRow, runFields } from "../sqlite/rows.ts";
import type { Connection, Query } from "./connection.ts";
import { type ShippedEvent, writeRows } from "./writing.ts";

export interface ShippingOptions {
  /** Of the machine's store. */
  database: Database;
  connection: Connection;
  /** What people call the machine. */
  name: string;
  /** Gets what a person should know, in one sentence. */
  complain(reason: string): void;
  now?(): Instant;
}

/** Copies what the store holds and Postgres does not; answers how many rows. Rejects with HooklineError store_unusable; then the rest comes with the next call. */
export type Ship = (signal?: AbortSignal) => Promise<number>;

/** Of one transaction: rows of each kind, and characters of their payloads. */
const rowsAtMost = 500;
const charactersAtMost = 4_000_000;
/** An event that has no answer after so long gets none: its process was killed. */
const answeredWithin = 86_400_000;
/** Where the last row that was copied is not the same any more, so many before it are copied again: numbers of rows that were deleted come again. */
const copiedAgain = 10_000;

interface Cursor {
  event_seq: number;
  event_id: string;
  run_seq: number;
  run_id: string;
}
type Kind = "event" | "run";

export function createShip({ database, connection, name, complain, now = Date.now }: ShippingOptions): Ship {
  const source = sourceOf(database);
  let rowsAtOnce = rowsAtMost;
  let known: Known | undefined; // what Postgres has, as far as it was told here; undefined after a failure

  /** One transaction; answers how many rows it copied, and whether there is more. */
  const part = (signal: AbortSignal | undefined, kinds: readonly Kind[] = both): Promise<Copied> =>
    connection
      .transaction({ again: true, signal }, async (query) => {
        const cursor = await cursorOf(query, source, name, now());
        const had: Known =
          known && isSame(known.cursor, cursor)
            ? known
            : { cursor, open: await openIn(query, source, now()), hookSets: new Set(), days: new Set() };
        known = undefined;
        const next = <Row extends EventRow | RunRow>(kind: Kind): Next<Row> =>
          nextRows<Row>(database, kind, placeIn(database, kind, cursor), kinds.includes(kind) ? rowsAtOnce : 0);
        const [events, runs] = [next<ShippedEvent>("event"), next<RunRow>("run")];
        const isLast = events.isLast && runs.isLast;
        const open = isLast ? closedMeanwhile(database, had.open) : nothing;
        await copyHookSets(query, database, events.rows, had.hookSets);
        const rows = { events: [...events.rows, ...open.events], runs: merged(runs.rows, open.runs), answers: [] };
        await writeRows(query, rows, source, had.days);
        const copied = rows.events.length + rows.runs.length;
        if (copied > 0) {
          const [[event_seq, event_id], [run_seq, run_id]] = [endOf(events), endOf(runs)];
          await query(saveCursor, [source, event_seq, event_id, run_seq, run_id, now()]);
          had.cursor = { event_seq, event_id, run_seq, run_id };
        }
        noteOpen(had.open, rows);
        return { copied, isLast, had };
      })
      .then(({ had, ...copied }) => {
        known = had; // the transaction has ended
        return copied;
      });

  /** The next row of each kind by itself; one that Postgres does not take is left out. Answers how many rows it is further. */
  async function oneOfEach(signal: AbortSignal | undefined): Promise<number> {
    let further = 0;
    for (const kind of both)
      try {
        further += (await part(signal, [kind])).copied;
      } catch (error) {
        if (!isOfRow(error)) throw error;
        complain(`a row cannot be copied to Postgres and is left out: ${messageOf(error)}`);
        await connection.transaction({ again: true, signal }, async (query) => {
          const cursor = await cursorOf(query, source, name, now());
          const { end } = nextRows(database, kind, placeIn(database, kind, cursor), 1);
          await query(`update hookline.source set ${kind}_seq = $2, ${kind}_id = $3 where id = $1`, [
            source,
            end.seq,
            end.id,
          ]);
        });
        further += 1;
      }
    return further;
  }

  return async (signal) => {
    for (let copied = 0; ; ) {
      try {
        const done = await part(signal);
        copied += done.copied;
        rowsAtOnce = Math.min(rowsAtMost, 2 * rowsAtOnce);
        if (done.isLast) return copied;
      } catch (error) {
        if (!isOfRow(error)) throw error;
        if (rowsAtOnce > 1) rowsAtOnce >>= 1;
        else if ((await oneOfEach(signal)) === 0) throw error;
      }
    }
  };
}

const both: readonly Kind[] = ["event", "run"];

interface Copied {
  copied: number;
  isLast: boolean;
}

/** The number of this store, which it keeps: another file, or one that was made anew, begins again. */
function sourceOf(database: Database): number {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
  database.run("insert into meta (key, value) values ('source', ?) on conflict (key) do nothing", random);
  return database.get<{ value: number }>("select value from meta where key = 'source'")?.value ?? random;
}

/** It is this transaction's until it ends: the machine's commands and its daemon come one after the other. */
async function cursorOf(query: Query, source: number, name: string, at: Instant): Promise<Cursor> {
  const [cursor] = await query<Cursor>(
    `insert into hookline.source (id, name, event_seq, event_id, run_seq, run_id, seen) values ($1, $2, 0, '', 0, '', $3)
     on conflict (id) do update set name = excluded.name returning event_seq, event_id, run_seq, run_id`,
    [source, name, at],
  );
  return cursor ?? { event_seq: 0, event_id: "", run_seq: 0, run_id: "" };
}

const saveCursor = `update hookline.source set event_seq = $2, event_id = $3, run_seq = $4, run_id = $5, seen = $6 where id = $1`;

const isSame = (one: Cursor, other: Cursor): boolean =>
  one.event_seq === other.event_seq &&
  one.run_seq === other.run_seq &&
  one.event_id === other.event_id &&
  one.run_id === other.run_id;

interface Known {
  /** As it was left here. Where it is another one, another process has gone on, or the server has lost what it had. */
  cursor: Cursor;
  open: Open;
  hookSets: Set<string>;
  days: Set<string>;
}
/** Rows that were copied before they were complete: events without an answer, and runs with what they were doing. */
interface Open {
  events: Map<string, Instant>;
  runs: Map<string, string>;
}

interface Place {
  seq: number;
  id: string;
}

/** Behind which row the next one is copied. */
function placeIn(database: Database, kind: Kind, cursor: Cursor): Place {
  const [seq, id] = kind === "event" ? [cursor.event_seq, cursor.event_id] : [cursor.run_seq, cursor.run_id];
  const there = database.get<{ id: string }>(`select id from ${kind} where seq = ?`, seq)?.id;
  const isGone = there === undefined && database.get(`select 1 from ${kind} where seq > ? limit 1`, seq) === undefined;
  if (there === id || (there === undefined && !isGone)) return { seq, id }; // it may have been forgotten meanwhile
  return { seq: Math.max(0, seq - copiedAgain), id: "" };
}

interface Next<Row> {
  rows: Row[];
  end: Place;
  isLast: boolean;
}

const columns = {
  event: [...eventFields, "answered_at"].join(", "),
  run: runFields.join(", "),
};
const sizes = { event: "length(payload) + length(turn)", run: "length(steps) + length(notes)" };

function nextRows<Row extends EventRow | RunRow>(
  database: Database,
  kind: Kind,
  after: Place,
  most: number,
): Next<Row> {
  const next = database.all<{ seq: number; size: number }>(
    `select seq, ${sizes[kind]} as size from ${kind} where seq > ? order by seq limit ?`,
    after.seq,
    most,
  );
  let characters = 0;
  const taken = next.filter(({ size }, index) => {
    characters += size;
    return index === 0 || characters <= charactersAtMost;
  });
  const last = taken.at(-1);
  if (!last) return { rows: [], end: after, isLast: most > 0 };
  const rows = database.all<Row>(
    `select ${columns[kind]} from ${kind} where seq > ? and seq <= ? order by seq`,
    after.seq,
    last.seq,
  );
  return {
    rows,
    end: { seq: last.seq, id: rows.at(-1)?.id ?? "" },
    isLast: taken.length === next.length && next.length < most,
  };
}

const endOf = ({ end }: Next<EventRow | RunRow>): [seq: number, id: string] => [end.seq, end.id];

const nothing: { events: ShippedEvent[]; runs: RunRow[] } = { events: [], runs: [] };

async function openIn(query: Query, source: number, at: Instant): Promise<Open> {
  const events = await query<{ id: string; at: number }>(
    "select id, at from hookline.event where source = $1 and outcome is null and at > $2",
    [source, at - answeredWithin],
  );
  const runs = await query<{ id: string; status: string }>(
    "select id, status from hookline.run where source = $1 and status in ('queued', 'running')",
    [source],
  );
  return {
    events: new Map(events.map((one) => [one.id, one.at])),
    runs: new Map(runs.map((one) => [one.id, one.status])),
  };
}

function noteOpen(open: Open, { events, runs }: { events: readonly ShippedEvent[]; runs: readonly RunRow[] }): void {
  for (const { id, outcome, at } of events)
    if (outcome === null) open.events.set(id, at);
    else open.events.delete(id);
  for (const { id, status } of runs)
    if (status === "queued" || status === "running") open.runs.set(id, status);
    else open.runs.delete(id);
  const latest = Math.max(...open.events.values());
  for (const [id, at] of open.events) if (at < latest - answeredWithin) open.events.delete(id);
}

/** Those of them that have gone on. */
function closedMeanwhile(database: Database, { events, runs }: Open): typeof nothing {
  const answered = `select ${columns.event} from event where id = ? and outcome is not null`;
  const changed = `select ${columns.run} from run where id = ? and status <> ?`;
  return {
    events: [...events.keys()].flatMap((id) => database.get<ShippedEvent>(answered, id) ?? []),
    runs: [...runs].flatMap(([id, status]) => database.get<RunRow>(changed, id, status) ?? []),
  };
}

/** Each id once: a statement takes no row twice. */
const merged = (rows: readonly RunRow[], others: readonly RunRow[]): RunRow[] => [
  ...new Map([...others, ...rows].map((row) => [row.id, row])).values(),
];

async function copyHookSets(
  query: Query,
  database: Database,
  events: readonly EventRow[],
  copied: Set<string>,
): Promise<void> {
  const ids = [...new Set(events.map(({ hook_set }) => hook_set))].filter((id) => !copied.has(id));
  if (ids.length === 0) return;
  const known = await query<{ id: string }>(
    "update hookline.hook_set set used = greatest(used, $2) where id = any($1::text[]) returning id",
    [ids, Math.max(...events.map(({ at }) => at))],
  );
  const isKnown = new Set(known.map(({ id }) => id));
  for (const id of ids) {
    const set = isKnown.has(id)
      ? undefined
      : database.get<{ hooks: string; used: number }>("select hooks, used from hook_set where id = ?", id);
    if (set)
      await query("insert into hookline.hook_set (id, hooks, used) values ($1, $2, $3) on conflict (id) do nothing", [
        id,
        set.hooks,
        set.used,
      ]);
  }
  for (const id of ids) copied.add(id);
}

/** Postgres takes the connection and the statement, but not what is in a row: an id that no index holds, a text that is none. */
function isOfRow(error: unknown): boolean {
  const cause = error instanceof HooklineError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" && /^(22|23|54)/.test(cause.code);
}
