/** The store in memory: for tests, and for embedders who need no record. The same contract and the same rows, no file. */
import { dropOldest } from "../../engine/drop-oldest.ts";
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
import { callReports } from "../../engine/events.ts";
import { afterReports, neverEnded, type Receipt, settle, silentFor } from "../../engine/receipt.ts";
import type { Baseline, Claim, Found, Paused, ReceiptCount, Refusal, RunFilter, Store } from "../../engine/record.ts";
import { createKeeper, type Keeping } from "../sqlite/keep.ts";
import {
  type Claimed,
  type EventRow,
  eventOf,
  firstRefusal,
  firstReport,
  interruption,
  keptAround,
  listOf,
  mergeFound,
  payloadOf,
  type Report,
  type RunRow,
  readBack,
  receiptColumns,
  recorded,
  rowOfRun,
  runOf,
  textFields,
  written,
} from "../sqlite/rows.ts";

export interface MemoryStoreOptions extends Keeping {
  now?(): Instant;
  /** Events, runs, sessions and hook sets that are held; then the oldest go. Default: 10,000. */
  limit?: number;
  /** What it goes on from. Absent: it begins with nothing. */
  before?: Before;
}

/**
 * Every method is synchronous, and throws HooklineError closed once the store is closed.
 *
 * @example const line = await createHookline({ store: openMemoryStore() });
 */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { now = Date.now, limit = 10_000, before } = options;
  const keeper = createKeeper(options);
  let held: Tables | undefined = emptyTables();

  function tables(): Tables {
    if (!held) throw new HooklineError("closed", { name: "the store", where: "memory" });
    return held;
  }

  function put<Row>(rows: Map<string, Row>, key: string, row: Row): void {
    rows.set(key, row);
    dropOldest(rows, limit);
  }

  function turnOf(session: SessionId | undefined): Turn {
    const row = session === undefined ? undefined : tables().sessions.get(session);
    if (row) return { ...JSON.parse(row.turn), spent: { ...row.spent } };
    return (session === undefined ? undefined : before?.turn(session)) ?? firstTurn;
  }

  function saveTurn(session: SessionId, turn: Turn): void {
    const { sessions } = tables();
    sessions.delete(session); // so that the sessions lie in the order of their last use
    put(sessions, session, { turn: keeper.turn(turn).text, spent: { ...turn.spent }, at: now() });
  }

  function reportBefore(event: HookEvent): Report | undefined {
    if (!event.delivery) return undefined;
    const rows = (tables().reports.get(happeningOf(event)) ?? []).map(eventOf);
    const own = rows.flatMap(({ event: { id, delivery }, outcome }) =>
      delivery ? [{ id, by: delivery.by, ...(outcome && { outcome }) }] : [],
    );
    const isOwn = new Set(own.map(({ id }) => id));
    const earlier = (before?.reports(event) ?? []).filter(({ id }) => !isOwn.has(id));
    return firstReport([...earlier, ...own], event.delivery);
  }

  function keep(event: HookEvent, row: EventRow): void {
    const { events, reports } = tables();
    if (events.has(event.id)) return;
    put(events, event.id, row);
    const happening = happeningOf(event);
    if (event.delivery) put(reports, happening, [...(reports.get(happening) ?? []), row]);
  }

  const refusing = (claims: readonly Claim[], at: Instant): Refusal | undefined =>
    firstRefusal(claims, ({ key }) => claimedBefore(key), at);

  const claimedBefore = (key: string): Claimed | undefined => tables().claims.get(key) ?? before?.claimed(key);

  function pendingChecksOf(session: SessionId): Map<HookId, Found> {
    const pending = tables().pendingChecks.get(session);
    if (!pending) return new Map(before?.pendingChecks(session));
    return new Map([...pending].map(([hook, found]) => [hook, JSON.parse(found)]));
  }

  function savePendingChecks(session: SessionId, pending: ReadonlyMap<HookId, Found>): void {
    put(tables().pendingChecks, session, new Map([...pending].map(([hook, found]) => [hook, keeper.whole(found)])));
  }

  const paused = (): Paused => before?.paused() ?? tables().pauses;

  const followedIn = (session: SessionId): EventRow[] =>
    all(tables().events).filter((row) => row.receipt !== null && row.session === written(session));

  const withReceipt = (row: RunRow): RunRow => ({
    ...row,
    receipt_of: tables().events.get(row.event)?.receipt_of ?? null,
  });

  /** Of the session of an event, those reported since. */
  function reportsAfter(id: string): HookEvent[] {
    const rows = all(tables().events);
    const index = rows.findIndex((row) => row.id === written(id));
    const isReport = ({ name, session }: EventRow): boolean =>
      callReports.some((one) => one === name) && session === rows[index]?.session;
    return index < 0
      ? []
      : rows
          .slice(index + 1)
          .filter(isReport)
          .map((row) => eventOf(row).event);
  }

  return {
    record(event, set, advance) {
      const [first, before] = [reportBefore(event), turnOf(event.session)];
      const payload = payloadOf(event, keeper);
      const { row, moved, answer } = recorded({ event, set, payload, first, before, advance }, keeper);
      if (moved) saveTurn(moved.session, moved.turn);
      const { hookSets } = tables();
      if (!hookSets.has(set.id)) put(hookSets, set.id, keeper.whole(set.hooks));
      keep(event, row);
      const hasReceipts = event.session !== undefined && followedIn(event.session).length > 0;
      return { ...answer, paused: paused(), ...(hasReceipts && { hasReceipts }) };
    },
    turn: (session) => turnOf(session),
    answered(eventId, outcome, ms, following) {
      const row = tables().events.get(eventId);
      const { text, redacted } = keeper.outcome(outcome);
      const receipt = following && afterReports(following, reportsAfter(eventId));
      if (row) Object.assign(row, { outcome: text, ms: ms ?? null, redacted: redacted ? 1 : row.redacted });
      if (row && receipt) Object.assign(row, receiptColumns(receipt));
      return receipt;
    },
    heard(session, heard) {
      const followed = followedIn(session).map((row) => ({ event: eventOf(row).event.id, receipt: receiptIn(row) }));
      const changed = settle(followed, heard);
      for (const { event, receipt } of changed)
        Object.assign(tables().events.get(event) ?? {}, receiptColumns(receipt));
      return changed;
    },
    receipts({ since, folders }) {
      const counts = new Map<string, ReceiptCount>();
      for (const row of all(tables().events)) {
        if (row.receipt === null || row.at < since || (folders && !isIn(folders, row.cwd))) continue;
        const { is, to } = receiptIn(row);
        const key = `${is} ${to}`;
        counts.set(key, { is, to, count: (counts.get(key)?.count ?? 0) + 1 });
      }
      return [...counts.values()];
    },

    claim(claims, at) {
      const refused = refusing(claims, at);
      const rows = tables().claims;
      const late = refused && claimedBefore(refused.key);
      if (late) rows.set(refused.key, { ...late, last: Math.min(late.last, refused.at ?? at) }); // see firstRefusal()
      if (refused) return refused;
      for (const { key, at: moment = at, among } of new Map(claims.map((one) => [one.key, one])).values()) {
        rows.set(key, { count: (claimedBefore(key)?.count ?? 0) + 1, last: moment });
        if (among === undefined) continue;
        for (const [one, { last }] of rows)
          if (one.startsWith(among) && Math.abs(last - moment) > keptAround) rows.delete(one);
      }
      return undefined;
    },
    peek: refusing,

    spend(session, counter, max) {
      const { spent, ...turn } = turnOf(session);
      if (spent[counter] >= max) return false;
      saveTurn(session, { ...turn, spent: { ...spent, [counter]: spent[counter] + 1 } });
      return true;
    },

    pendingChecks(session, added = nothingAdded) {
      const pending = pendingChecksOf(session);
      for (const [hook, found] of added) pending.set(hook, mergeFound(pending.get(hook) ?? {}, found));
      if (added.size > 0) savePendingChecks(session, pending);
      return pending;
    },
    baseline(session, folder) {
      const text = tables().baselines.get(placeIn(session, folder));
      return text === undefined ? before?.baseline(session, folder) : JSON.parse(text);
    },
    setBaseline: (session, folder, baseline) =>
      put(tables().baselines, placeIn(session, folder), JSON.stringify(baseline)),
    pause(what, at, until = Number.POSITIVE_INFINITY) {
      const isNew = tables().pauses.get(what) !== until;
      const others = [...tables().pauses].filter(([one, end]) => one !== what && end > at);
      tables().pauses = new Map([...others, [what, until]]);
      return isNew;
    },
    resume(what) {
      const wasThere = tables().pauses.has(what);
      tables().pauses = new Map([...tables().pauses].filter(([one]) => one !== what));
      return wasThere;
    },
    paused,
    checkPassed(session, hook) {
      const pending = pendingChecksOf(session);
      if (pending.delete(hook)) savePendingChecks(session, pending);
    },

    post(session, outcome, counter) {
      const { inboxes } = tables();
      put(inboxes, session, [...(inboxes.get(session) ?? []), { outcome: keeper.whole(outcome), counter }]);
    },
    collect(session) {
      const { inboxes } = tables();
      const taken = inboxes.get(session) ?? [];
      inboxes.delete(session);
      return taken.map(({ outcome, counter }) => ({ outcome: JSON.parse(outcome), ...(counter && { counter }) }));
    },

    saveRun(run) {
      const { runs } = tables();
      const row = rowOfRun(run, keeper);
      const begun = runs.get(run.id);
      if (begun) Object.assign(begun, row);
      else put(runs, run.id, row);
    },
    run(id) {
      const row = tables().runs.get(id);
      return row && runOf(withReceipt(row));
    },
    runs: (filter) =>
      behind(all(tables().runs).reverse(), filter.before)
        .filter((row) => answers(row, filter, tables().events.get(row.event)))
        .map((row) => runOf(withReceipt(row)))
        .filter(({ receipt }) => filter.receipt === undefined || receipt?.is === filter.receipt)
        .slice(0, filter.limit),

    event(id) {
      const row = tables().events.get(id);
      return row && eventOf(row);
    },
    events: (most, name) =>
      all(tables().events)
        .filter((row) => name === undefined || row.name === written(name))
        .reverse()
        .slice(0, most)
        .map(eventOf),
    recentHookSets: (most) => [
      ...new Set(
        all(tables().events)
          .reverse()
          .slice(0, most)
          .map((row) => row.hook_set),
      ),
    ],
    hookSet(id) {
      const hooks = tables().hookSets.get(id);
      return hooks === undefined ? undefined : { id, hooks: JSON.parse(hooks) };
    },

    lastFired() {
      const started = all(tables().runs).filter(({ asked }) => asked > 0);
      return new Map(started.map(runOf).map((run) => [run.hook, run.startedAt])); // the newest is the last
    },
    deliveriesFrom: (beginning) => [
      ...new Set(
        all(tables().events).flatMap(({ delivery }) => {
          const id = delivery === null ? undefined : readBack(delivery);
          return id?.startsWith(beginning) ? id : [];
        }),
      ),
    ],
    lastReports: (folders) =>
      new Map(
        all(tables().events).flatMap(
          ({ delivered_by: by, at, cwd }) =>
            by !== null && isIn(folders, readBack(cwd)) ? [[readBack(by), at] as const] : [], // the newest is the last
        ),
      ),
    transcripts: () =>
      all(tables().transcripts)
        .toSorted((one, other) => other.at - one.at)
        .map(({ row }) => JSON.parse(row)),
    saveTranscript: (transcript) =>
      put(tables().transcripts, transcript.path, { at: transcript.modified, row: keeper.whole(transcript) }),
    repair(isAlive, at) {
      const left = all(tables().runs).filter(
        (row) => isUnfinished(row) && (row.owner === null || !isAlive(runOf(row).owner ?? "")),
      );
      for (const row of all(tables().events)) {
        const heard = tables().sessions.get(row.session ?? "")?.at ?? row.at;
        if (row.receipt === "open" && Math.max(row.at, heard) < at - silentFor)
          Object.assign(row, receiptColumns({ ...receiptIn(row), is: "unknown", because: neverEnded }));
      }
      for (const row of left) {
        Object.assign(row, { status: "interrupted", reason: interruption, ms: Math.max(0, at - row.started) });
      }
      return left.length;
    },
    purge(before) {
      const { events, runs, sessions, reports, transcripts } = tables();
      drop(reports, (rows) => rows.every((row) => row.at < before));
      drop(sessions, (row) => row.at < before);
      drop(transcripts, (row) => row.at < before);
      drop(runs, (row) => row.started < before && !isUnfinished(row));
      return drop(events, (row) => row.at < before);
    },
    committed: () => everything,
    close() {
      held = undefined;
    },
  };
}

const nothingAdded: ReadonlyMap<HookId, Found> = new Map();
/** Nothing is ever on its way. */
const everything: Promise<void> = Promise.resolve();

/** Texts are JSON, as in the database: a caller cannot change a row by changing what it gave or was given. */
interface Tables {
  events: Map<string, EventRow>;
  /** The rows of each delivery. */
  reports: Map<string, EventRow[]>;
  runs: Map<string, RunRow>;
  hookSets: Map<string, string>;
  sessions: Map<SessionId, { turn: string; spent: Record<Counter, number>; at: Instant }>;
  claims: Map<string, Claimed>;
  pendingChecks: Map<SessionId, Map<HookId, string>>;
  baselines: Map<string, string>;
  /** Replaced, never changed: it is given out as it is. */
  pauses: Paused;
  inboxes: Map<SessionId, { outcome: string; counter: Counter | undefined }[]>;
  transcripts: Map<string, { at: Instant; row: string }>;
}

const emptyTables = (): Tables => ({
  events: new Map(),
  reports: new Map(),
  runs: new Map(),
  hookSets: new Map(),
  sessions: new Map(),
  claims: new Map(),
  pendingChecks: new Map(),
  baselines: new Map(),
  pauses: new Map(),
  inboxes: new Map(),
  transcripts: new Map(),
});

/**
 * What a memory goes on from: asked as long as it has nothing of its own about a session or a key. Undefined: nothing is known.
 * Must not throw.
 */
interface Before {
  turn(session: SessionId): Turn | undefined;
  /** All of the same happening. */
  reports(event: HookEvent): readonly Report[] | undefined;
  claimed(key: string): Claimed | undefined;
  pendingChecks(session: SessionId): ReadonlyMap<HookId, Found> | undefined;
  baseline(session: SessionId, folder: string): Baseline | undefined;
  paused(): Paused | undefined;
}

const placeIn = (session: SessionId, folder: string): string => JSON.stringify([session, folder]);

const happeningOf = ({ delivery, name, session }: HookEvent): string => JSON.stringify([delivery?.id, name, session]);

const all = <Row>(rows: ReadonlyMap<string, Row>): Row[] => [...rows.values()];

const receiptIn = ({ receipt_of }: EventRow): Receipt => JSON.parse(receipt_of ?? "{}"); // asked for where there is one

const isUnfinished = ({ status }: RunRow): boolean => status === "queued" || status === "running";

/** Answers how many rows went. */
function drop<Row>(rows: Map<string, Row>, isOld: (row: Row) => boolean): number {
  const old = [...rows].filter(([, row]) => isOld(row));
  for (const [key] of old) rows.delete(key);
  return old.length;
}

const answers = (
  row: RunRow,
  { hook, session, event, status, eventId, among, since, folders, text }: RunFilter,
  of: EventRow | undefined,
): boolean =>
  (hook === undefined || listOf(hook).some((one) => is(row.hook, one))) &&
  is(row.session, session) &&
  is(row.event_name, event) &&
  is(row.status, status) &&
  is(row.event, eventId) &&
  (since === undefined || row.started >= since) &&
  (folders === undefined || isIn(folders, of?.cwd)) &&
  (text === undefined ||
    [of?.payload, ...textFields.map((field) => row[field])].some((said) =>
      String(said ?? "")
        .toLowerCase()
        .includes(text.toLowerCase()),
    )) &&
  (among === undefined || (row.hook.startsWith(among.prefix) && row.hook.endsWith(among.suffix ?? "")));

const isIn = (folders: readonly string[], cwd: string | undefined): boolean =>
  folders.some((folder) => cwd === folder || cwd?.startsWith(folder.replace(/\/?$/, "/")));

const behind = (rows: readonly RunRow[], id: string | undefined): readonly RunRow[] =>
  id === undefined ? rows : rows.slice(rows.findIndex((row) => row.id === written(id)) + 1 || rows.length);

const is = (held: string | null, wanted: string | undefined): boolean =>
  wanted === undefined || held === written(wanted);
