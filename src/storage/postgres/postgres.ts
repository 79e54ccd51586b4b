/**
 * The store on Postgres: the same contract and the same rows as on SQLite, for workers and programs on many machines. Rows of events and
 * runs are gathered while a transaction is under way and written in the next one; what counts for all is its own transaction.
 */
import { HooklineError } from "../../engine/error.ts";
import {
  type Counter,
  firstTurn,
  type HookEvent,
  type HookId,
  type Instant,
  type SessionId,
  type Turn,
} from "../../engine/event.ts";
import type { Baseline, Claim, Found, Paused, Refusal, Store } from "../../engine/record.ts";
import { createKeeper, type Keeping } from "../sqlite/keep.ts";
import {
  type Claimed,
  firstRefusal,
  firstReport,
  interruption,
  keptAround,
  mergeFound,
  newSession,
  payloadOf,
  type Report,
  readBack,
  recorded,
  rowOfRun,
  type Standing,
  written,
} from "../sqlite/rows.ts";
import { type Connection, type ConnectionOptions, openConnection, type Query } from "./connection.ts";
import { createGroup } from "./group.ts";
import { checkSchema } from "./migrate.ts";
import * as reading from "./reading.ts";
import { areReceiptsOf, closeSilent, hear, openReceipt } from "./receipts.ts";

export interface PostgresStoreOptions extends Keeping, ConnectionOptions {
  now?(): Instant;
  /** Called with what a person should know, in one sentence. */
  onNotice?(notice: string): void;
}

/** What commands ask of a store beside its contract. */
export interface RecordQueries {
  idsFrom(table: "run" | "event", beginning: string, most: number): Promise<string[]>;
  newestEventIn(folders: readonly string[]): Promise<string | undefined>;
  eventsCalled(ids: readonly string[]): Promise<ReadonlyMap<string, HookEvent>>;
  hooksWithRuns(): Promise<{ hook: HookId; name: string }[]>;
}

type Promised<Port> = {
  [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Awaited<Result>>
    : Port[Name];
};

export interface PostgresStore extends Promised<Omit<Store, "batch" | "newestId">>, RecordQueries {
  readonly connection: Connection;
}

type Recorded = Awaited<ReturnType<Store["record"]>>;

/**
 * Opens the store at `postgres://ROLE:PASSWORD@HOST/DATABASE`; its owner has made the tables before, by `hookline store migrate`. What is
 * written while the server is away for some seconds is written when it is back; `committed` rejects where that takes longer.
 *
 * @throws HooklineError store_unusable: an address or a server that is not taken, no rights or too many, another version
 * @example const store = await openPostgresStore({ url: "postgres://hookline_writer:SECRET@127.0.0.1/hookline" });
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { now = Date.now, onNotice = () => {} } = options;
  const connection = openConnection(options);
  try {
    await checkSchema(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const keeper = createKeeper(options);
  const group = createGroup(connection, onNotice);
  const knownSets = new Set<string>();
  let closing: Promise<void> | undefined;

  function insistOnOpen(): void {
    if (closing) throw new HooklineError("closed", { name: "the store", where: connection.address.shown });
  }

  /** What waits is written first, so that a question sees it. */
  async function ask<T>(question: (query: Query) => Promise<T>): Promise<T> {
    insistOnOpen();
    await group.written();
    return question(connection.read);
  }

  /** @param again doing it twice is doing it once */
  async function change<T>(work: (query: Query) => Promise<T>, again = false): Promise<T> {
    insistOnOpen();
    await group.written();
    return connection.transaction({ again }, work);
  }

  return {
    connection,
    record: (event, set, advance) =>
      change<Recorded>(async (query) => {
        const first = event.delivery && firstReport(await reportsOf(query, event), event.delivery);
        const { turn: before, hasReceipts } =
          event.session === undefined ? newSession : await lockedStanding(query, event.session, now());
        const payload = payloadOf(event, keeper);
        const { row, moved, answer } = recorded({ event, set, payload, first, before, advance }, keeper);
        if (moved) await saveTurn(query, moved.session, moved.kept.text, moved.turn, now());
        if (!knownSets.has(set.id)) await query(keepSet, [written(set.id), keeper.whole(set.hooks), now()]);
        await group.writeIn(query, { ...row, answered_at: null });
        return { ...answer, paused: await pausesOf(query), ...(hasReceipts && { hasReceipts }) };
      }).then((done) => {
        knownSets.add(set.id); // its transaction has ended
        return done;
      }),
    async answered(id, outcome, ms, following) {
      insistOnOpen();
      const { text, redacted } = keeper.outcome(outcome);
      const row = { id: written(id), outcome: text, answered_at: now(), ms: ms ?? null, redacted: redacted ? 1 : 0 };
      group.answer(row);
      return following && change((query) => openReceipt(query, id, following), true);
    },
    heard: (session, heard) => change((query) => hear(query, session, heard)),
    receipts: (filter) => ask((query) => reading.countReceipts(query, filter)),
    async saveRun(run) {
      insistOnOpen();
      group.run(rowOfRun(run, keeper));
    },
    turn: (session) => ask((query) => turnOf(query, session)),

    claim: (claims, at) => change((query) => claimIn(query, claims, at)),
    peek: (claims, at) => ask((query) => peekIn(query, claims, at)),
    spend: (session, counter, max) =>
      change(async (query) => {
        if (max <= 0) return false;
        const values = [written(session), JSON.stringify(firstTurn), now(), max];
        return (await query(spending[counter], values)).length === 1;
      }),

    pendingChecks: (session, added) =>
      added && added.size > 0
        ? change(async (query) => {
            await query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [written(session)]);
            const pending = await pendingOf(query, session);
            for (const [hook, found] of added) {
              const merged = mergeFound(pending.get(hook) ?? {}, found);
              pending.set(hook, merged);
              await query(owe, [written(session), written(hook), keeper.whole(merged), now()]);
            }
            return pending;
          }, true)
        : ask((query) => pendingOf(query, session)),
    checkPassed: (session, hook) =>
      change(async (query) => {
        await query("delete from hookline.debt where session = $1 and hook = $2", [written(session), written(hook)]);
      }, true),
    baseline: (session, folder) =>
      ask(async (query) => {
        const sql = "select baseline from hookline.baseline where session = $1 and folder = $2";
        const [row] = await query<{ baseline: string }>(sql, [written(session), written(folder)]);
        return row && (JSON.parse(row.baseline) as Baseline); // as setBaseline wrote it
      }),
    setBaseline: (session, folder, baseline) =>
      change(async (query) => {
        await query(setBaseline, [written(session), written(folder), JSON.stringify(baseline), now()]);
      }, true),

    pause: (what, at, until) =>
      change(async (query) => {
        await query("delete from hookline.pause where until <= $1", [at]);
        return (await query(pause, [written(what), at, until ?? null])).length === 1;
      }),
    resume: (what) =>
      change(async (query) => {
        const sql = "delete from hookline.pause where what = $1 returning what";
        return (await query(sql, [written(what)])).length === 1;
      }),
    paused: () => ask(pausesOf),

    post: (session, outcome, counter) => {
      const id = crypto.randomUUID(); // so that to write it again is to write it once
      return change(async (query) => {
        await query(post, [id, written(session), keeper.whole(outcome), counter ?? null, now()]);
      }, true);
    },
    collect: (session) =>
      change(async (query) => {
        const sql = "delete from hookline.inbox where session = $1 returning seq, outcome, counter";
        const taken = await query<{ seq: number; outcome: string; counter: Counter | null }>(sql, [written(session)]);
        taken.sort((left, right) => left.seq - right.seq);
        return taken.map(({ outcome, counter }) => ({ outcome: JSON.parse(outcome), ...(counter && { counter }) }));
      }),

    run: (id) => ask((query) => reading.runNamed(query, id)),
    runs: (filter) => ask((query) => reading.findRuns(query, filter)),
    event: (id) => ask((query) => reading.eventNamed(query, id)),
    events: (...given) => ask((query) => reading.newestEvents(query, ...given)),
    recentHookSets: (events) => ask((query) => reading.recentHookSets(query, events)),
    hookSet: (id) =>
      ask(async (query) => {
        const sql = "select hooks from hookline.hook_set where id = $1";
        const [row] = await query<{ hooks: string }>(sql, [written(id)]);
        return row && { id, hooks: JSON.parse(row.hooks) };
      }),
    lastFired: () => ask(reading.lastFired),
    deliveriesFrom: (beginning) => ask((query) => reading.deliveriesFrom(query, beginning)),
    lastReports: (folders) => ask((query) => reading.lastReports(query, folders)),
    transcripts: () => ask(reading.transcripts),
    saveTranscript: (transcript) =>
      change(async (query) => {
        await query(saveTranscript, [written(transcript.path), transcript.modified, keeper.whole(transcript)]);
      }, true),
    idsFrom: (table, beginning, most) => ask((query) => reading.idsFrom(query, table, beginning, most)),
    newestEventIn: (folders) => ask((query) => reading.newestEventIn(query, folders)),
    eventsCalled: (ids) => ask((query) => reading.eventsCalled(query, ids)),
    hooksWithRuns: () => ask(reading.hooksWithRuns),

    repair: (isAlive, at) =>
      change(async (query) => {
        const rows = await query<{ id: string; owner: string | null }>(unfinished);
        const left = rows.filter(({ owner }) => owner === null || !isAlive(readBack(owner)));
        if (left.length > 0) await query(interrupt, [left.map(({ id }) => id), interruption, at]);
        await closeSilent(query, at);
        return left.length;
      }, true),
    purge: (before) =>
      change(async (query) => {
        const [row] = await query<{ count: number }>("select hookline.forget($1) as count", [before]);
        return row?.count ?? 0;
      }, true),
    committed: () => group.committed(),
    close() {
      closing ??= group.close().finally(() => connection.close());
      return closing;
    },
  };
}

const keepSet = `insert into hookline.hook_set (id, hooks, used) values ($1, $2, $3)
  on conflict (id) do update set used = greatest(hook_set.used, excluded.used)`;
const saveSession = `update hookline.session set turn = $2, at = $3, reprompts = $4, rewakes = $5, injected = $6 where id = $1`;
const owe = `insert into hookline.debt (session, hook, found, at) values ($1, $2, $3, $4)
  on conflict (session, hook) do update set found = excluded.found, at = excluded.at`;
const setBaseline = `insert into hookline.baseline (session, folder, baseline, at) values ($1, $2, $3, $4)
  on conflict (session, folder) do update set baseline = excluded.baseline, at = excluded.at`;
const saveTranscript = `insert into hookline.transcript (path, at, row) values ($1, $2, $3)
  on conflict (path) do update set at = excluded.at, row = excluded.row`;
const pause = `insert into hookline.pause as pause (what, at, until) values ($1, $2, $3)
  on conflict (what) do update set at = excluded.at, until = excluded.until
  where pause.until is distinct from excluded.until returning what`;
const post = `insert into hookline.inbox (id, session, outcome, counter, at) values ($1, $2, $3, $4, $5) on conflict (id) do nothing`;
/** Those of other stores are repaired there, where their processes can be seen. */
const unfinished = `select id, owner from hookline.run where source is null and status in ('queued', 'running')
  and not exists (select 1 from hookline.work where work.run = run.id) for update`;
const interrupt = `update hookline.run set status = 'interrupted', reason = $2, ms = greatest(0, $3 - started) where id = any($1::text[])`;

const spendingFrom = (counter: Counter): string =>
  `insert into hookline.session as session (id, turn, at, ${counter}) values ($1, $2, $3, 1)
   on conflict (id) do update set ${counter} = session.${counter} + 1 where session.${counter} < $4 returning id`;
const spending: Record<Counter, string> = {
  reprompts: spendingFrom("reprompts"),
  rewakes: spendingFrom("rewakes"),
  injected: spendingFrom("injected"),
};

type TurnRow = { turn: string } & Turn["spent"];
const turnIn = ({ turn, ...spent }: TurnRow): Turn => ({ ...JSON.parse(turn), spent });

async function turnOf(query: Query, session: SessionId): Promise<Turn> {
  const sql = "select turn, reprompts, rewakes, injected from hookline.session where id = $1";
  const [row] = await query<TurnRow>(sql, [written(session)]);
  return row ? turnIn(row) : firstTurn;
}

/** The session is this transaction's until it ends: its events move its turn on one after the other. */
async function lockedStanding(query: Query, session: SessionId, now: Instant): Promise<Standing> {
  const sql = `insert into hookline.session as session (id, turn, at) values ($1, $2, $3)
    on conflict (id) do update set at = session.at
    returning turn, reprompts, rewakes, injected, xmax = 0 as is_new, ${areReceiptsOf("$1")} as has_receipts`;
  const values = [written(session), JSON.stringify(firstTurn), now];
  const [row] = await query<TurnRow & { is_new: boolean; has_receipts: boolean }>(sql, values);
  if (!row || row.is_new) return newSession;
  const { is_new: _isNew, has_receipts: hasReceipts, ...held } = row;
  return { turn: turnIn(held), hasReceipts };
}

async function saveTurn(query: Query, session: SessionId, text: string, { spent }: Turn, at: Instant): Promise<void> {
  await query(saveSession, [written(session), text, at, spent.reprompts, spent.rewakes, spent.injected]);
}

/** All reports of the same happening, in the order in which they came. No other is written until this transaction ends. */
async function reportsOf(query: Query, event: Parameters<Store["record"]>[0]): Promise<Report[]> {
  if (!event.delivery) return [];
  const delivery = written(event.delivery.id);
  await query("select pg_advisory_xact_lock(hashtextextended($1, 2))", [delivery]);
  const rows = await query<{ id: string; delivered_by: string; outcome: string | null }>(
    `select id, delivered_by, outcome from hookline.event
     where delivery = $1 and name = $2 and session is not distinct from $3 order by seq`,
    [delivery, written(event.name), event.session === undefined ? null : written(event.session)],
  );
  return rows.map(({ id, delivered_by, outcome }) => ({
    ...{ id: readBack(id), by: readBack(delivered_by) },
    ...(outcome !== null && { outcome: JSON.parse(outcome) }),
  }));
}

const noPause: Paused = new Map();

async function pausesOf(query: Query): Promise<Paused> {
  const rows = await query<{ what: string; until: Instant | null }>("select what, until from hookline.pause");
  if (rows.length === 0) return noPause;
  return new Map(rows.map(({ what, until }) => [readBack(what), until ?? Number.POSITIVE_INFINITY]));
}

async function pendingOf(query: Query, session: SessionId): Promise<Map<HookId, Found>> {
  const sql = "select hook, found from hookline.debt where session = $1 order by hook";
  const rows = await query<{ hook: string; found: string }>(sql, [written(session)]);
  return new Map(rows.map(({ hook, found }) => [readBack(hook), JSON.parse(found)]));
}

export async function peekIn(query: Query, claims: readonly Claim[], at: Instant): Promise<Refusal | undefined> {
  const sql = "select key, count, last from hookline.claim where key = any($1::text[])";
  const rows = await query<Claimed & { key: string }>(sql, [claims.map(({ key }) => written(key))]);
  const held = new Map(rows.map((row) => [row.key, row]));
  return firstRefusal(claims, ({ key }) => held.get(written(key)), at);
}

/** All or none. A key that is named twice counts once. The keys are locked in one order, whichever process asks. */
export async function claimIn(query: Query, claims: readonly Claim[], at: Instant): Promise<Refusal | undefined> {
  if (claims.length === 0) return undefined;
  const keys = [...new Set(claims.map(({ key }) => written(key)))].sort();
  for (const key of keys) await query("select pg_advisory_xact_lock(hashtextextended($1, 3))", [key]);
  const refused = await peekIn(query, claims, at);
  if (refused) {
    const moment = refused.at ?? at;
    await query("update hookline.claim set last = $2 where key = $1 and last > $2", [written(refused.key), moment]); // see firstRefusal()
    return refused;
  }
  const moments = new Map(claims.map((claim) => [written(claim.key), claim.at ?? at]));
  await query(
    `insert into hookline.claim as claim (key, count, last) select key, 1, last from unnest($1::text[], $2::float8[]) as one (key, last)
     on conflict (key) do update set count = claim.count + 1, last = excluded.last`,
    [keys, keys.map((key) => moments.get(key) ?? at)],
  );
  for (const { among, at: moment = at } of claims)
    if (among !== undefined)
      await query("delete from hookline.claim where starts_with(key, $1) and abs(last - $2) > $3", [
        written(among),
        moment,
        keptAround,
      ]);
  return undefined;
}
