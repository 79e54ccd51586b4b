/** The store on SQLite: plain statements, one transaction per method, safe for any number of processes at once. */
import type { Counter, Instant, SessionId } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import { afterReports, type Following, type Receipt } from "../../engine/receipt.ts";
import type { Paused, Store } from "../../engine/record.ts";
import { type Database, openDatabase } from "./database.ts";
import { createGroupRows } from "./groups.ts";
import { createKeeper, type Keeping } from "./keep.ts";
import {
  addPendingChecks,
  deliveriesFrom,
  findRuns,
  keepHookSet,
  lastFired,
  lastReports,
  pause,
  pausesOf,
  pendingChecksOf,
  receiptsOf,
  refusing,
  repair,
  reportBefore,
  runNamed,
  saveTranscript,
  spend,
  standingOf,
  take,
  transcripts,
} from "./queries.ts";
import { closeSilent, concernsAny, hear, reportsSince, saveReceipt } from "./receipts.ts";
import { purge, purgeIfDue, purgeSlowly } from "./retention.ts";
import {
  type EventRow,
  eventFields,
  eventOf,
  newSession,
  payloadOf,
  recorded,
  type Standing,
  written,
} from "./rows.ts";
import { isOfApplication, migrations } from "./schema.ts";

export interface SqliteStoreOptions extends Keeping {
  path: string;
  /**
   * For processes that stay: what is written of events and runs in one turn of the event loop is one transaction, and `committed`
   * says when it is on disk. Without it each method is one.
   */
  groups?: boolean | undefined;
  /** The default path, where only a store can lie: there even a file that is not recognisable as a store is moved aside as damaged. */
  usualPath?: string | undefined;
  now?(): Instant;
  /** Days after which events and runs are deleted; default: 30. Checked once a day: when a store is closed, and part by part where it stays open in `groups`. */
  retentionDays?: number;
  /** Called with what a person should know: a damaged file that was moved aside, a file system without a write-ahead log. */
  onNotice?(notice: string): void;
  /** For a caller that only reads: a file that cannot be written is opened for reading, with a notice. */
  reads?: boolean;
  /** Where its file was taken away: true, and none is made anew. */
  isGone?(): boolean;
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
 * disk, a file that is no store, which is left as it is, or one of a newer Hookline), store_locked (another writer held it for 5 seconds, in `groups` for a quarter of one), closed.
 *
 * @example const store = openSqliteStore({ path: "/home/me/.local/state/hookline/store.db" });
 */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { path, usualPath, groups = false, now = Date.now, retentionDays = 30, onNotice } = options;
  const keeper = createKeeper(options);
  const rows = createGroupRows(keeper);
  let known = nothingKnown(); // for the milliseconds of a transaction
  const database = openDatabase({
    ...{ path, migrations, usualPath, onNotice, groups, isGone: options.isGone, reads: options.reads },
    waiting: {
      ...rows,
      clear() {
        rows.clear();
        known = nothingKnown();
      },
    },
  });
  const { grouped } = database;
  const forgetting = groups ? purgeSlowly(database, { retentionDays, now }) : undefined;
  let lookedAt = now();
  let isClosed = false;

  /** Never throws: what was not forgotten today is forgotten tomorrow. */
  function tidy(): void {
    lookedAt = now();
    try {
      purgeIfDue(database, retentionDays, lookedAt);
    } catch {
      // the store is locked, full or read-only: the next caller hears of that
    }
  }

  /** While a group is open no other process writes: what was read in it holds until its end. */
  function standingBefore(session: SessionId | undefined): Standing {
    if (session === undefined) return newSession;
    const [turn, hasReceipts] = [rows.turn(session), known.receipts.get(session)];
    if (turn && hasReceipts !== undefined) return { turn, hasReceipts };
    const read = standingOf(database, session);
    const standing = { turn: turn ?? read.turn, hasReceipts: hasReceipts ?? read.hasReceipts };
    known.receipts.set(session, standing.hasReceipts);
    return standing;
  }

  /** By the reports that came since the event of the call, which may still wait, was recorded. */
  function receiptNow(event: string, following: Following): Receipt {
    const { session } = following;
    const { isWaiting, reports } = rows.since(event, session);
    known.receipts.set(session, true);
    const before = isWaiting ? [] : reportsSince(database, event);
    return afterReports(following, [...before, ...reports.map((row) => eventOf(row).event)]);
  }

  /** When receipts are read, as no clock does it. Never throws: who reads may be unable to write. */
  function endSilent(): void {
    try {
      closeSilent(database, now());
    } catch {
      // the store is locked or read-only, so they are read as open; what is worse, the reading itself says
    }
  }

  function keepSet(set: HookSet): void {
    if (known.sets.has(set.id)) return;
    keepHookSet(database, set, now(), keeper);
    known.sets.add(set.id);
  }

  return {
    database,
    redact: keeper.text,
    record(event, set, advance) {
      if (!forgetting && Math.abs(now() - lookedAt) > day) tidy();
      const payload = payloadOf(event, keeper);
      if (event.delivery && rows.hasDelivery(event.delivery.id)) database.get("select 1"); // a query writes what waits, such as other reports of the same
      return grouped.hold(() => {
        const [first, { turn: before, hasReceipts }] = [reportBefore(database, event), standingBefore(event.session)];
        const { row, moved, answer } = recorded({ event, set, payload, first, before, advance }, keeper);
        keepSet(set);
        if (moved) rows.saveTurn(moved.session, { turn: moved.turn, kept: moved.kept, at: now() });
        rows.event(row);
        known.paused ??= pausesOf(database);
        known.isWithoutMail ??= database.get("select 1 from inbox limit 1") === undefined;
        return { ...answer, paused: known.paused, ...(hasReceipts && { hasReceipts }) };
      });
    },

    answered(eventId, outcome, ms, following) {
      const kept = keeper.outcome(outcome);
      return grouped.hold(() => {
        const receipt = following && receiptNow(eventId, following);
        if (rows.answer(eventId, kept, { at: now(), ms, receipt })) return receipt;
        const sql = "update event set outcome = ?, answered_at = ?, ms = ?, redacted = max(redacted, ?) where id = ?";
        database.run(sql, kept.text, now(), ms ?? null, kept.redacted ? 1 : 0, written(eventId));
        if (receipt) saveReceipt(database, eventId, receipt);
        return receipt;
      });
    },
    heard(session, heard) {
      const isConcerned = (): boolean => concernsAny(database, session, heard);
      // nearly always none is concerned: no lock needed, and what waits goes on waiting
      if (!(rows.hasReceipt(session) ? isConcerned() : database.beside(isConcerned))) return [];
      return hear(database, session, heard);
    },
    receipts({ since, folders }) {
      endSilent();
      return receiptsOf(database, since, folders);
    },

    turn: (session) => standingOf(database, session).turn,

    claim: (claims, at) => grouped.write(() => take(database, claims, at)),
    peek: (claims, at) => refusing(database, claims, at),
    spend: (session, counter, max) => grouped.write(() => spend(database, session, counter, max, now())),

    pendingChecks: (session, added) =>
      added === undefined || added.size === 0
        ? pendingChecksOf(database, session)
        : grouped.write(() => addPendingChecks(database, session, added, { now: now(), keeper })),
    checkPassed(session, hook) {
      grouped.run("delete from debt where session = ? and hook = ?", written(session), written(hook));
    },

    baseline(session, folder) {
      const sql = "select baseline from baseline where session = ? and folder = ?";
      const row = database.get<{ baseline: string }>(sql, written(session), written(folder));
      return row && JSON.parse(row.baseline);
    },
    setBaseline(session, folder, baseline) {
      const sql = `insert into baseline (session, folder, baseline, at) values (?, ?, ?, ?)
        on conflict (session, folder) do update set baseline = excluded.baseline, at = excluded.at`;
      grouped.run(sql, written(session), written(folder), JSON.stringify(baseline), now());
    },

    pause: (what, at, until) => pause(database, what, at, until),
    resume: (what) => database.run("delete from pause where what = ?", written(what)) === 1,
    paused: () => pausesOf(database),

    post(session, outcome, counter) {
      known.isWithoutMail = false;
      const sql = "insert into inbox (session, outcome, counter, at) values (?, ?, ?, ?)";
      grouped.run(sql, written(session), keeper.whole(outcome), counter ?? null, now());
    },
    collect(session) {
      if (known.isWithoutMail) return []; // most events
      if (!database.get("select 1 from inbox where session = ? limit 1", written(session))) return []; // no lock needed
      const taken = grouped.write(() =>
        database.all<{ seq: number; outcome: string; counter: Counter | null }>(
          "delete from inbox where session = ? returning seq, outcome, counter",
          written(session),
        ),
      );
      taken.sort((left, right) => left.seq - right.seq); // "returning" promises no order
      return taken.map(({ outcome, counter }) => ({ outcome: JSON.parse(outcome), ...(counter && { counter }) }));
    },

    saveRun: (run) => grouped.hold(() => rows.run(run)),
    run: (id) => runNamed(database, id),
    runs(filter) {
      endSilent();
      return findRuns(database, filter);
    },

    event(id) {
      const row = database.get<EventRow>(`select ${eventColumns} from event where id = ?`, written(id));
      return row && eventOf(row);
    },
    newestId: () => database.get<{ id: string | null }>(newestId)?.id ?? undefined,
    events(limit, name) {
      const which = name === undefined ? "" : `where name = ? and ${isOfApplication}`;
      const sql = `select ${eventColumns} from event ${which} order by seq desc limit ?`;
      return database.all<EventRow>(sql, ...(name === undefined ? [] : [written(name)]), limit).map(eventOf);
    },
    recentHookSets: (events) =>
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
    deliveriesFrom: (beginning) => deliveriesFrom(database, beginning),
    lastReports: (folders) => lastReports(database, folders),
    transcripts: () => transcripts(database),
    saveTranscript: (transcript) => saveTranscript(database, transcript, keeper),
    repair: (isAlive, at) => repair(database, isAlive, at),
    purge: (before) => purge(database, before),
    batch: (work) => grouped.write(work),
    committed: () => database.committed(),
    close() {
      if (isClosed) return;
      isClosed = true;
      if (forgetting) forgetting.stop();
      else tidy();
      database.close();
    },
  };
}

/** Durable runs have shorter ids, which say nothing of their time. */
const newestId = `select max(id) as id from (
  select id from (select id from event order by seq desc limit 1)
  union all select id from (select id from run order by seq desc limit 20)) where length(id) = 26`;

const eventColumns = eventFields.join(", ");

/** What was read in a group, and counts as long as that is open. */
interface Known {
  sets: Set<string>;
  /** Whether there are receipts of a session. */
  receipts: Map<SessionId, boolean>;
  paused?: Paused;
  isWithoutMail?: boolean;
}
const nothingKnown = (): Known => ({ sets: new Set(), receipts: new Map() });
