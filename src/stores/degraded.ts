/**
 * The degraded mode (SAFETY F10): while a store takes nothing, decisions go on from memory, and what must be durable is refused. A
 * process that stays keeps its rows meanwhile, as many as its ring holds, and writes them when the store takes something again.
 */
import { isOfStore, messageOf } from "../core/error.ts";
import type { HookId, Instant, MaybePromise, SessionId } from "../core/event.ts";
import { isThenable } from "../core/flow.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Found, Store } from "../core/record.ts";
import type { Database } from "./database.ts";
import { stringify } from "./keep.ts";
import { openMemoryStore } from "./memory.ts";
import { claimed, tellingsOf } from "./queries.ts";
import type { SqliteStore } from "./sqlite.ts";

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

/** A row that is not in the store: of an event, its answer, a run, or a message that waits for its session. */
interface Row {
  to(store: Store): unknown;
  /** What is written, as it is measured. */
  of: object;
  /** The event that it belongs to. */
  event?: string;
  /** The answer to that event. */
  outcome?: Outcome;
  /** Whose message it is. */
  session?: SessionId;
  /** The event had to be durable: where it is lost, its sender is told so, and nothing of it is written. */
  isRefused?: true;
  characters?: number;
}
type Keyed = [key: string, row: Row];

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

/** Of all rows that are kept, as JSON. */
const charactersAtMost = 64 * 1024 * 1024;
/** Rows that are written at once, and the milliseconds until the next: so long other writers have the store. */
const rowsAtOnce = 500;
const pausesFor = 10;
/** Events, runs and sessions that decisions go on from. */
const rememberedAtMost = 500;
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
    database: real?.database ?? closedDatabase(() => outage?.error),
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

interface Ring {
  add(key: string, row: Row): void;
  get(key: string): Row | undefined;
  drop(key: string): void;
  /** The messages of this session. */
  dropOf(session: SessionId): void;
  first(count: number): Keyed[];
  size(): number;
  /** How many fell out, in all. */
  lost(): number;
}

/** In the order in which they came; where it is full, the oldest fall out. */
function createRing(atMost: number): Ring {
  const rows = new Map<string, Row>();
  let characters = 0;
  let lost = 0;

  function drop(key: string): void {
    characters -= rows.get(key)?.characters ?? 0;
    rows.delete(key);
  }

  return {
    add(key, row) {
      const size = stringify(row.of)?.length ?? 0;
      characters += size - (rows.get(key)?.characters ?? 0);
      rows.set(key, { ...row, characters: size });
      for (const oldest of rows.keys()) {
        if (rows.size <= atMost && characters <= charactersAtMost) return;
        drop(oldest);
        lost += 1;
      }
    },
    get: (key) => rows.get(key),
    drop,
    dropOf(session) {
      for (const [key, row] of rows) if (row.session === session) drop(key);
    },
    first: (count) => Array.from(rows).slice(0, count),
    size: () => rows.size,
    lost: () => lost,
  };
}

interface Remembered {
  now(): Instant;
  /** What an event that the store has was answered since. */
  answer(event: string): Outcome | undefined;
  /** As they were when they could last be read. */
  paused(): ReadonlySet<string> | undefined;
}

/** A memory that goes on from what can still be read in the store. */
function memoryBeside(real: SqliteStore | undefined, { now, answer, paused }: Remembered): Store {
  /** Who waits for a lock has no part in what can be read. */
  function known<T>(read: (store: SqliteStore) => T): T | undefined {
    try {
      return real && read(real);
    } catch {
      return undefined; // it cannot be read either: the memory is all there is
    }
  }
  return openMemoryStore({
    now,
    limit: rememberedAtMost,
    before: {
      turn: (session) => known((store) => atOnce(store.turn(session))),
      tellings: (event) =>
        known((store) =>
          tellingsOf(store.database, event).map((one) => {
            const outcome = one.outcome ?? answer(one.id);
            return { ...one, ...(outcome && { outcome }) };
          }),
        ),
      claimed: (key) => known((store) => claimed(store.database, { key })),
      debts: (session) => known((store) => atOnce(store.owe(session, noDebts))),
      baseline: (session, folder) => known((store) => atOnce(store.baseline(session, folder))),
      paused: () => known((store) => atOnce(store.paused())) ?? paused(),
    },
  });
}
const noDebts: ReadonlyMap<HookId, Found> = new Map();

function atOnce<T>(given: MaybePromise<T>): T {
  if (isThenable(given)) throw new TypeError("a store of this process does not wait");
  return given;
}

/** Of a store that could not be opened. */
function closedDatabase(because: () => unknown): Database {
  const fail = (): never => {
    throw because();
  };
  const writing = { run: fail, write: fail, hold: fail };
  const nothing = (): void => {};
  return {
    ...{ all: fail, get: fail, ...writing, grouped: writing, beside: fail, shred: fail, watch: () => nothing },
    ...{
      standing: () => undefined,
      committed: () => rejected(because()),
      hurry: nothing,
      settle: nothing,
      close: nothing,
    },
  };
}
