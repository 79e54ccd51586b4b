/** The store on SQLite: plain statements, one transaction per method, safe for any number of processes at once. */
import type { Counter, Instant } from "../core/event.ts";
import type { Store } from "../core/record.ts";
import { type Database, openDatabase } from "./database.ts";
import { createKeeper, type Keeping } from "./keep.ts";
import {
  debtsOf,
  findRuns,
  keepHookSet,
  lastFired,
  owe,
  pausesOf,
  refusing,
  repair,
  saveTurn,
  spend,
  take,
  tellingBefore,
  turnOf,
} from "./queries.ts";
import { purge, purgeIfDue } from "./retention.ts";
import {
  changingFields,
  changingValues,
  type EventRow,
  eventFields,
  eventOf,
  fixedValues,
  payloadOf,
  type RunRow,
  rowOfEvent,
  runFields,
  runOf,
  written,
} from "./rows.ts";
import { repeatable } from "./rules.ts";
import { migrations } from "./schema.ts";

export interface SqliteStoreOptions extends Keeping {
  path: string;
  /** Where nothing but a store can lie: there even a file that cannot be told for a store any more is moved aside as damaged. */
  usualPath?: string | undefined;
  now?(): Instant;
  /** Events and runs are forgotten after so many days; 30 unless said. Looked at once a day, when a store is closed. */
  retentionDays?: number;
  /** Told what a person should know: a damaged file that was moved aside, a file system without a write-ahead log. */
  onNotice?(notice: string): void;
}

/** The store, and the database behind it for what else lies there: durable runs, automations, projects. */
export interface SqliteStore extends Store {
  readonly database: Database;
  /** The text without secrets, as all that the store keeps. */
  redact(text: string): string;
}

const day = 86_400_000;

/**
 * Opens the store at the path, which is made if it is missing. Every method is synchronous.
 *
 * May throw HooklineError, here and in every method: store_unusable (no SQLite or one below 3.51.3, no rights, full
 * disk, a file that is no store, which is left as it is, or one of a newer Hookline), store_locked (another writer held it for 5 seconds), closed.
 *
 * @example const store = openSqliteStore({ path: "/home/me/.local/state/hookline/store.db" });
 */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { path, usualPath, now = Date.now, retentionDays = 30, onNotice } = options;
  const keeper = createKeeper(options);
  const database = openDatabase({ path, migrations, usualPath, onNotice });
  const begun = new Set<string>(); // runs that this process has written and not closed: an update is half an insert
  let lookedAt = now();
  let isClosed = false;

  /** Never throws: what was not forgotten today is forgotten tomorrow. */
  function tidy(): void {
    lookedAt = now();
    try {
      purgeIfDue(database, retentionDays, lookedAt);
    } catch {
      // the store is locked, full or read-only: whoever uses it next hears of that
    }
  }

  return {
    database,
    redact: keeper.text,
    record(event, set, advance) {
      if (Math.abs(now() - lookedAt) > day) tidy();
      const payload = payloadOf(event, keeper);
      return database.write(() => {
        const first = tellingBefore(database, event);
        const before = turnOf(database, event.session);
        const after = first ? before : advance(event, before); // one happening moves the turn on once
        if (event.session !== undefined && after !== before) saveTurn(database, event.session, after, now(), keeper);
        keepHookSet(database, set, now(), keeper);
        const turn = event.turn ?? after;
        const given = first?.outcome && repeatable(first.outcome);
        const row = rowOfEvent({ event, set, turn, payload, first, given }, keeper);
        database.run(insertEvent, ...eventFields.map((field) => row[field]));
        return { turn, paused: pausesOf(database), ...(given && { given }) };
      });
    },

    answered(eventId, outcome) {
      const { text, redacted } = keeper.outcome(outcome);
      const sql = "update event set outcome = ?, answered_at = ?, redacted = max(redacted, ?) where id = ?";
      database.run(sql, text, now(), redacted ? 1 : 0, written(eventId));
    },

    turn: (session) => turnOf(database, session),

    claim: (claims, at) => database.write(() => take(database, claims, at)),
    peek: (claims, at) => refusing(database, claims, at),
    spend: (session, counter, max) => spend(database, session, counter, max, now()),

    owe: (session, debts) =>
      debts.size === 0
        ? debtsOf(database, session)
        : database.write(() => owe(database, session, debts, { now: now(), keeper })),
    paid(session, hook) {
      database.run("delete from debt where session = ? and hook = ?", written(session), written(hook));
    },

    baseline(session, folder) {
      const sql = "select baseline from baseline where session = ? and folder = ?";
      const row = database.get<{ baseline: string }>(sql, written(session), written(folder));
      return row && JSON.parse(row.baseline);
    },
    setBaseline(session, folder, baseline) {
      const sql = `insert into baseline (session, folder, baseline, at) values (?, ?, ?, ?)
        on conflict (session, folder) do update set baseline = excluded.baseline, at = excluded.at`;
      database.run(sql, written(session), written(folder), JSON.stringify(baseline), now());
    },

    pause: (what, at) =>
      database.run("insert into pause (what, at) values (?, ?) on conflict (what) do nothing", written(what), at) === 1,
    resume: (what) => database.run("delete from pause where what = ?", written(what)) === 1,
    paused: () => pausesOf(database),

    post(session, outcome, counter) {
      const sql = "insert into inbox (session, outcome, counter, at) values (?, ?, ?, ?)";
      database.run(sql, written(session), keeper.whole(outcome), counter ?? null, now());
    },
    collect(session) {
      if (!database.get("select 1 from inbox where session = ? limit 1", written(session))) return []; // most events: no lock needed
      const taken = database.all<{ seq: number; outcome: string; counter: Counter | null }>(
        "delete from inbox where session = ? returning seq, outcome, counter",
        written(session),
      );
      taken.sort((left, right) => left.seq - right.seq); // "returning" promises no order
      return taken.map(({ outcome, counter }) => ({ outcome: JSON.parse(outcome), ...(counter && { counter }) }));
    },

    saveRun(run) {
      const changing = changingValues(run, keeper);
      const wasBegun = begun.has(run.id);
      if (run.status === "running" || run.status === "queued") begun.add(run.id);
      else if (wasBegun) begun.delete(run.id);
      if (wasBegun && database.run(updateRun, ...changing, written(run.id)) === 1) return;
      database.run(insertRun, ...fixedValues(run, keeper), ...changing);
    },
    run(id) {
      const row = database.get<RunRow>(`select ${runColumns} from run where id = ?`, written(id));
      return row && runOf(row);
    },
    runs: (filter) => findRuns(database, filter),

    event(id) {
      const row = database.get<EventRow>(`select ${eventColumns} from event where id = ?`, written(id));
      return row && eventOf(row);
    },
    events: (limit) =>
      database.all<EventRow>(`select ${eventColumns} from event order by seq desc limit ?`, limit).map(eventOf),
    setsInForce: (events) =>
      database
        .all<{ id: string }>(
          `select hook_set as id from (select hook_set, seq from event order by seq desc limit ?)
           group by hook_set order by max(seq) desc`,
          events,
        )
        .map(({ id }) => id),
    hookSet(id) {
      const row = database.get<{ hooks: string }>("select hooks from hook_set where id = ?", written(id));
      return row && { id, hooks: JSON.parse(row.hooks) };
    },

    lastFired: () => lastFired(database),
    repair: (isAlive, at) => repair(database, isAlive, at),
    purge: (before) => purge(database, before),
    batch: (work) => database.write(work),
    close() {
      if (isClosed) return;
      isClosed = true;
      tidy();
      database.close();
    },
  };
}

const runColumns = runFields.join(", ");
const eventColumns = eventFields.join(", ");
const places = (fields: readonly string[]): string => fields.map(() => "?").join(", ");

const insertEvent = `insert into event (${eventColumns}) values (${places(eventFields)}) on conflict (id) do nothing`;
const updateRun = `update run set ${changingFields.map((field) => `${field} = ?`).join(", ")} where id = ?`;
const insertRun = `insert into run (${runColumns}) values (${places(runFields)})
  on conflict (id) do update set ${changingFields.map((field) => `${field} = excluded.${field}`).join(", ")}`;
