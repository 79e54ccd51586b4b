/**
 * The degraded mode (SAFETY F10): while a store takes nothing, decisions go on from memory, and what must be durable is refused. A
 * process that stays keeps its rows meanwhile, as many as its ring holds, and writes them when the store takes something again.
 */
import { isOfStore, messageOf } from "../engine/error.ts";
import type { Instant, MaybePromise } from "../engine/event.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { Store } from "../engine/record.ts";
import { atOnce, createRing, type Keyed, memoryBeside, type Row } from "./degraded-rows.ts";
import { unopenedDatabase } from "./sqlite/database.ts";
import type { SqliteStore } from "./sqlite/sqlite.ts";

/** Rows that a process which stays keeps in memory, at most. */
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
  /** Told once for each time that the store takes nothing, and of rows that are lost. */
  complain(reason: string): void;
  /** Rows that are kept meanwhile. 0: the process is one event's, so its rows are lost and the store is not tried again. */
  ring: number;
  now?(): Instant;
  /** Milliseconds after which it is tried again whether the store takes something; a second unless said. */
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

type Recording = Parameters<Store["record"]>;
type Recorded = Awaited<ReturnType<Store["record"]>>;

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
  let paused: ReadonlySet<string> | undefined; // as it was last read
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

  /** With what was lost since, of which the store has told while it was at work. */
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

  /** A question whose answer decides something. */
  function ask<Result>(question: (store: Store) => Result): Result {
    const lasting = current();
    if (lasting || !real) return question((lasting ?? failed(unopened)).memory);
    try {
      return question(real);
    } catch (error) {
      return question(failed(error).memory);
    }
  }

  /** A question about the records: those that can still be read count. */
  function look<Result>(question: (store: Store) => Result): Result {
    if (!real) return ask(question);
    try {
      return question(real);
    } catch (error) {
      return question(failed(error).memory);
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

  /** @param keyed the row that it writes. Absent: it is not kept where the store takes nothing */
  function put<Result>(to: (store: Store) => Result, keyed?: [key: string, row: Omit<Row, "to">]): Result {
    let lasting = current();
    if (real && !lasting) {
      try {
        const result = to(real);
        if (keyed && real.database.standing() !== undefined) underWay.push([keyed[0], { ...keyed[1], to }]);
        return result;
      } catch (error) {
        lasting = failed(error);
      }
    }
    const result = to((lasting ?? failed(unopened)).memory);
    if (keyed) keep(keyed[0], { ...keyed[1], to });
    return result;
  }

  function keep(key: string, row: Row): void {
    if (row.event === undefined || !refused.includes(row.event)) ring.add(key, row);
  }

  function record(...[event, set, advance, mustLast]: Recording): MaybePromise<Recorded> {
    const rowOf = ({ turn }: Recorded): Keyed => {
      const to = (store: Store): unknown => store.record({ ...event, turn }, set, advance);
      return [`event ${event.id}`, { to, of: event, event: event.id, ...(mustLast && { isRefused: true }) }];
    };
    if (current() && mustLast) tryAgain();
    let lasting = outage;
    if (real && !lasting) {
      try {
        const recorded = atOnce(real.record(event, set, advance));
        paused = recorded.paused;
        if (real.database.standing() !== undefined) underWay.push(rowOf(recorded));
        return recorded;
      } catch (error) {
        lasting = failed(error);
      }
    }
    lasting ??= failed(unopened);
    if (mustLast) throw lasting.error;
    const recorded = atOnce(lasting.memory.record(event, set, advance));
    keep(...rowOf(recorded));
    return recorded;
  }

  return {
    database: real?.database ?? unopenedDatabase(() => outage?.error),
    redact: (text) => insist((store) => store.redact(text)),
    rowsLost: () => ring.lost(),
    record,
    answered: (event, outcome, ms) =>
      put((store) => store.answered(event, outcome, ms), [`answer ${event}`, { of: outcome, event, outcome }]),
    saveRun: (run) => put((store) => store.saveRun(run), [`run ${run.id}`, { of: run, event: run.eventId }]),
    post: (session, outcome, counter) =>
      put((store) => store.post(session, outcome, counter), [`message ${++messages}`, { of: outcome, session }]),
    collect(session) {
      if (current()) ring.dropOf(session);
      return ask((store) => store.collect(session));
    },
    claim: (claims, at) => count((store) => store.claim(claims, at)),
    spend: (session, counter, max) => count((store) => store.spend(session, counter, max)),
    peek: (claims, at) => ask((store) => store.peek(claims, at)),
    owe: (session, debts) => put((store) => store.owe(session, debts)),
    paid: (session, hook) => put((store) => store.paid(session, hook)),
    turn: (session) => ask((store) => store.turn(session)),
    baseline: (session, folder) => ask((store) => store.baseline(session, folder)),
    setBaseline: (...given) => put((store) => store.setBaseline(...given)),
    paused: () => ask((store) => store.paused()),
    pause: (what, at) => insist((store) => store.pause(what, at)),
    resume: (what) => insist((store) => store.resume(what)),
    run: (id) => look((store) => store.run(id)),
    runs: (filter) => look((store) => store.runs(filter)),
    event: (id) => look((store) => store.event(id)),
    newestId: () => look((store) => store.newestId?.()),
    events: (limit) => look((store) => store.events(limit)),
    setsInForce: (events) => look((store) => store.setsInForce(events)),
    hookSet: (id) => look((store) => store.hookSet(id)),
    lastFired: () => look((store) => store.lastFired()),
    repair: (isAlive, at) => look((store) => store.repair(isAlive, at)),
    purge: (before) => look((store) => store.purge(before)),
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

const unopened = new Error("there is no store"); // never thrown: without one the degraded mode has begun

const tried =
  "insert into meta (key, value) values ('tried', ?) on conflict (key) do update set value = excluded.value";

const rowsSince = (count: number, since: Instant): string =>
  `${count === 1 ? "1 row" : `${count} rows`} of what has happened since ${new Date(since).toISOString()} did not come into the store`;

function rejected(error: unknown): Promise<void> {
  const promise = Promise.reject(error);
  promise.catch(() => {}); // who asks hears of it
  return promise;
}
