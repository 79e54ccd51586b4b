/**
 * The degraded mode (SAFETY F10): while a store takes nothing, decisions go on from memory, and what must be durable is refused. A
 * long-lived process keeps its rows meanwhile, as many as its ring holds, and writes them when the store takes something again.
 */
import { isOfStore, messageOf } from "../engine/error.ts";
import type { Instant } from "../engine/event.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { Paused, Store } from "../engine/record.ts";
import { atOnce, createRing, type Keyed, memoryBeside, type Row } from "./degraded-rows.ts";
import { unopenedDatabase } from "./sqlite/database.ts";
import type { SqliteStore } from "./sqlite/sqlite.ts";

/** Rows that a long-lived process keeps in memory, at most. */
export const ringOfRows = 10_000;

export interface Loss {
  since: Instant;
  /** Why the store took nothing when it was last tried. */
  reason: string;
}

export interface DegradableStore extends SqliteStore {
  /** Set while the store takes nothing. */
  loss(): Loss | undefined;
  /** Rows that could not be kept until the store took them, since the process began. */
  rowsLost(): number;
}

export interface DegradedOptions {
  /** Called once for each time that the store takes nothing, and for rows that are lost. */
  complain(reason: string): void;
  /** Rows that are kept meanwhile. 0: the process is one event's, so its rows are lost and the store is not tried again. */
  ring: number;
  now?(): Instant;
  /** Milliseconds between two attempts to write; default: a second. */
  triesEvery?: number;
}

interface Outage {
  error: unknown;
  since: Instant;
  /** What decisions go on from. */
  memory: Store;
  /** What was written since is not on disk. */
  uncommitted: Promise<void>;
}

type Recorded = Awaited<ReturnType<Store["record"]>>;
/** The row that a method writes, known once it has been done: there, or in memory. */
type RowOf<Result> = (result: Result) => [key: string, row: Omit<Row, "to"> & Partial<Pick<Row, "to">>];

/** Rows that are written at once, and the milliseconds until the next: so long other writers have the store. */
const rowsAtOnce = 500;
const pausesFor = 10;
const refusedAtMost = 1_000;

/** @param open may throw; then, and where the store fails later, nothing waits */
export function withDegradedMode(open: () => SqliteStore, options: DegradedOptions): DegradableStore {
  const { complain, ring: atMost, now = Date.now, triesEvery = 1_000 } = options;
  const ring = createRing(atMost);
  let real: SqliteStore | undefined;
  let outage: Outage | undefined;
  let paused: Paused | undefined; // as it was last read
  let underWay: Keyed[] = []; // of the group that is open
  let refused: string[] = []; // events
  let messages = 0;
  let lostBefore = 0;
  let lostGroup: { because: unknown; rows: Keyed[] } | undefined;
  let trying: NodeJS.Timeout | undefined;
  let isClosed = false;

  try {
    real = open();
  } catch (error) {
    begin(error);
  }
  const unwatch = real?.database.watch((lost) => {
    const rows = underWay;
    underWay = [];
    if (!lost) return;
    lostGroup = { because: lost.because, rows: [...(lostGroup?.rows ?? []), ...rows] };
    setImmediate(current);
  });

  /** The outage that lasts, with what was lost since the last call. While there is none, the store is open. */
  function current(): Outage | undefined {
    const lost = lostGroup;
    lostGroup = undefined;
    return lost ? begin(lost.because, lost.rows) : outage;
  }

  function begin(error: unknown, rows: readonly Keyed[] = []): Outage {
    if (!outage) {
      real?.database.hurry(true); // one has waited for all
      const answer = (event: string): Outcome | undefined => ring.get(`answer ${event}`)?.outcome;
      const memory = memoryBeside(real, { now, answer, paused: () => paused });
      outage = { error, since: now(), memory, uncommitted: rejected(error) };
      lostBefore = ring.lost();
      complain(atMost > 0 ? messageOf(error) : `${messageOf(error)} (nothing more of this is recorded)`);
      if (atMost > 0) tryIn(triesEvery);
    }
    refused = [...refused, ...rows.flatMap(([, row]) => (row.isRefused && row.event) || [])].slice(-refusedAtMost);
    for (const [key, row] of rows) {
      row.to(outage.memory);
      keep(key, row);
    }
    return outage;
  }

  /** Throws what is no failure of the store. */
  function failed(error: unknown): Outage {
    if (!isOfStore(error)) throw error;
    return begin(error);
  }

  function tryIn(milliseconds: number): void {
    clearTimeout(trying);
    if (!isClosed) trying = setTimeout(tryAgain, milliseconds).unref();
  }

  /** Writes a part of the rows that are kept; with the last one the store is used again. */
  function tryAgain(): void {
    const store = real;
    if (!outage || !store || atMost === 0) return;
    try {
      const part = ring.first(rowsAtOnce);
      store.database.write(() => {
        store.database.run(tried, now());
        for (const [, row] of part) row.to(store);
      });
      for (const [key] of part) ring.drop(key);
      if (ring.size() > 0) tryIn(pausesFor);
      else over(outage);
    } catch (error) {
      outage.error = error;
      outage.uncommitted = rejected(error);
      tryIn(triesEvery);
    }
  }

  function over({ error, since }: Outage): void {
    clearTimeout(trying);
    outage = undefined;
    real?.database.hurry(false);
    const lost = ring.lost() - lostBefore;
    if (lost > 0) complain(`${rowsSince(lost, since)}: ${messageOf(error)}`);
  }

  /** A query whose answer decides something: in an outage memory answers, with what was written there since. */
  const decide = <Result>(query: (store: Store) => Result): Result => {
    const lasting = current();
    return lasting ? query(lasting.memory) : read(query);
  };

  /** A query about the records: those that can still be read count. */
  function read<Result>(query: (store: Store) => Result): Result {
    try {
      return insist(query);
    } catch (error) {
      return query((real ? failed(error) : begin(error)).memory);
    }
  }

  /** Only the store itself can do it. */
  function insist<Result>(work: (store: SqliteStore) => Result): Result {
    if (!real) throw outage?.error;
    return work(real);
  }

  /** What counts for all processes, and so cannot be counted in memory. */
  function count<Result>(work: (store: Store) => Result): Result {
    const lasting = current();
    if (lasting) throw lasting.error;
    try {
      return insist(work);
    } catch (error) {
      throw failed(error).error;
    }
  }

  /**
   * Writes to the store, or to memory and the ring.
   *
   * @param rowOf absent: in an outage it is not kept. @param mustLast in an outage it is refused
   */
  function put<Result>(to: (store: Store) => Result, rowOf?: RowOf<Result>, mustLast?: boolean): Result {
    const keyed = (result: Result): Keyed[] => {
      const [key, row] = rowOf?.(result) ?? [];
      return key !== undefined && row ? [[key, { to, ...row }]] : [];
    };
    let lasting = current();
    if (!lasting)
      try {
        const result = insist(to);
        if (real?.database.openGroup() !== undefined) underWay.push(...keyed(result));
        return result;
      } catch (error) {
        lasting = failed(error);
      }
    if (mustLast) throw lasting.error;
    const result = to(lasting.memory);
    for (const [key, row] of keyed(result)) keep(key, row);
    return result;
  }

  function keep(key: string, row: Row): void {
    if (row.event === undefined || !refused.includes(row.event)) ring.add(key, row);
  }

  return {
    database: real?.database ?? unopenedDatabase(() => outage?.error),
    redact: (text) => insist((store) => store.redact(text)),
    rowsLost: () => ring.lost(),
    record(event, set, advance, mustLast) {
      if (mustLast && current()) tryAgain();
      const recorded = put<Recorded>(
        (store) => atOnce(store.record(event, set, advance)),
        ({ turn }) => {
          const to = (store: Store): unknown => store.record({ ...event, turn }, set, advance);
          return [`event ${event.id}`, { to, of: event, event: event.id, ...(mustLast && { isRefused: true }) }];
        },
        mustLast,
      );
      paused = recorded.paused;
      return outage ? { ...recorded, hasReceipts: true } : recorded; // what is heard waits for those in the store
    },
    answered: (event, outcome, ms, following) =>
      put(
        (store) => store.answered(event, outcome, ms, following),
        () => [`answer ${event}`, { of: outcome, event, outcome }],
      ),
    heard: (session, heard) =>
      put(
        (store) => store.heard(session, heard),
        () => [`heard ${++messages}`, { of: heard }],
      ),
    receipts: (filter) => read((store) => store.receipts(filter)),
    saveRun: (run) =>
      put(
        (store) => store.saveRun(run),
        () => [`run ${run.id}`, { of: run, event: run.eventId }],
      ),
    post: (session, outcome, counter) =>
      put(
        (store) => store.post(session, outcome, counter),
        () => [`message ${++messages}`, { of: outcome, session }],
      ),
    collect(session) {
      if (current()) ring.dropOf(session);
      return decide((store) => store.collect(session));
    },
    claim: (claims, at) => count((store) => store.claim(claims, at)),
    spend: (session, counter, max) => count((store) => store.spend(session, counter, max)),
    peek: (claims, at) => decide((store) => store.peek(claims, at)),
    pendingChecks: (session, added) => put((store) => store.pendingChecks(session, added)),
    checkPassed: (session, hook) => put((store) => store.checkPassed(session, hook)),
    turn: (session) => decide((store) => store.turn(session)),
    baseline: (session, folder) => decide((store) => store.baseline(session, folder)),
    setBaseline: (...given) => put((store) => store.setBaseline(...given)),
    paused: () => decide((store) => store.paused()),
    pause: (what, at, until) => insist((store) => store.pause(what, at, until)),
    resume: (what) => insist((store) => store.resume(what)),
    run: (id) => read((store) => store.run(id)),
    runs: (filter) => read((store) => store.runs(filter)),
    event: (id) => read((store) => store.event(id)),
    newestId: () => read((store) => store.newestId?.()),
    events: (...given) => read((store) => store.events(...given)),
    recentHookSets: (events) => read((store) => store.recentHookSets(events)),
    hookSet: (id) => read((store) => store.hookSet(id)),
    lastFired: () => read((store) => store.lastFired()),
    deliveriesFrom: (beginning) => read((store) => store.deliveriesFrom(beginning)),
    lastReports: (folders) => read((store) => store.lastReports(folders)),
    transcripts: () => read((store) => store.transcripts()),
    saveTranscript: (transcript) => insist((store) => store.saveTranscript(transcript)),
    repair: (isAlive, at) => read((store) => store.repair(isAlive, at)),
    purge: (before) => read((store) => store.purge(before)),
    batch(work) {
      if (current() || !real?.batch) return work();
      const before = underWay.length;
      try {
        return real.batch(work);
      } catch (error) {
        underWay.length = Math.min(before, underWay.length); // what it has written is undone
        throw error;
      }
    },
    loss() {
      const lasting = current();
      return lasting && { since: lasting.since, reason: messageOf(lasting.error) };
    },
    committed: () => current()?.uncommitted ?? real?.committed() ?? Promise.resolve(),
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(trying);
      current();
      for (let left = -1; outage && ring.size() !== left; ) {
        left = ring.size();
        tryAgain();
      }
      try {
        real?.close();
      } catch (error) {
        complain(messageOf(error)); // what was decided stands
      }
      unwatch?.();
      const lasting = current();
      if (lasting && ring.size() > 0) complain(`${rowsSince(ring.size(), lasting.since)}: ${messageOf(lasting.error)}`);
    },
  };
}

const tried =
  "insert into meta (key, value) values ('tried', ?) on conflict (key) do update set value = excluded.value";

const rowsSince = (count: number, since: Instant): string =>
  `${count === 1 ? "1 row" : `${count} rows`} of what has happened since ${new Date(since).toISOString()} did not come into the store`;

function rejected(error: unknown): Promise<void> {
  const promise = Promise.reject(error);
  promise.catch(() => {}); // who asks hears of it
  return promise;
}
