/**
 * Keeps the hooks of a process that stays working while its store takes nothing: what cannot be written down goes on in memory,
 * and is written once the store takes it again (SAFETY F10). Apart from fallback.ts, which is for a process that ends.
 */
import { isOfStore, messageOf } from "../core/error.ts";
import { firstTurn, type HookId, type Instant, type MaybePromise, type SessionId } from "../core/event.ts";
import { isThenable } from "../core/flow.ts";
import type { Found, Store } from "../core/record.ts";
import { openMemoryStore } from "./memory.ts";
import type { SqliteStore } from "./sqlite.ts";

export interface Loss {
  since: Instant;
  reason: string;
}

export interface StandbyStore extends SqliteStore {
  /** Set while the store takes nothing: since when, and why. */
  loss(): Loss | undefined;
}

export interface StandbyOptions {
  /** Told once for each time that the store fails a decision. */
  complain(reason: string): void;
  now?(): Instant;
}

/** Milliseconds after which it is tried whether the store takes something again. */
const triedEvery = 1_000;
/** Of what is missed no more is kept than this, as JSON; what comes then is lost. */
const missedAtMostInCharacters = 8 * 1024 * 1024;
/** Events, runs and sessions that the memory holds. */
const rowsAtMost = 500;

interface Away {
  error: unknown;
  loss: Loss;
  memory: Store;
  /** Sessions whose inbox may hold something. */
  mail: Set<SessionId>;
}

/**
 * @param real a store with `groups`, whose methods do not wait. It is closed with what is given
 * @returns a store whose `committed` rejects for whatever was not written down, as `record` throws for an event that must last.
 *   What is to outlast the process, such as durable runs, has no substitute: `database` fails as it does.
 */
export function storeWithStandby(real: SqliteStore, { complain, now = Date.now }: StandbyOptions): StandbyStore {
  let away: Away | undefined;
  let trying: NodeJS.Timeout | undefined;
  let missed: (() => unknown)[] = [];
  let missedInCharacters = 0;
  let isLeftOut = false; // something that was missed
  let astray: { committed: Promise<void> } | undefined; // of this turn of the event loop
  let watched: Promise<void> | undefined;
  const sure = new Set<string>(); // events that must last and are under way: what comes of them is not written without them
  let isClosed = false;

  function leave(error: unknown): Away {
    if (away) return away;
    const loss: Loss = { since: now(), reason: messageOf(error) };
    away = { error, loss, memory: openMemoryStore({ now, limit: rowsAtMost }), mail: new Set() };
    real.database.hurry(true); // one has waited for all
    if (!isClosed) trying ??= setInterval(comesBack, triedEvery).unref();
    return away;
  }

  /** Tries whether something can be written, and writes what was missed. */
  function comesBack(): boolean {
    if (!away) return true;
    try {
      real.database.run(tried, now());
      catchUp(away);
    } catch (error) {
      away.error = error;
      return false;
    }
    real.database.hurry(false);
    clearInterval(trying);
    trying = undefined;
    away = undefined;
    return true;
  }

  function catchUp({ memory, mail, loss }: Away): void {
    const writes = missed;
    real.batch?.(() => {
      for (const write of writes) write();
      for (const session of mail) {
        for (const { outcome, counter } of atOnce(memory.collect(session))) real.post(session, outcome, counter);
      }
    });
    const characters = missedInCharacters;
    missed = [];
    missedInCharacters = 0;
    real.committed().catch(() => {
      missed = [...writes, ...missed]; // they were lost with their group: the next time, then
      missedInCharacters += characters;
    });
    if (isLeftOut) complain(lostSince(loss));
    isLeftOut = false;
    watch();
  }

  /** A group that is lost when it is committed counts as a failure, too: what comes next would be lost like it. */
  function watch(): Promise<void> {
    const committed = real.committed();
    if (committed === watched) return committed;
    watched = committed;
    committed.catch(leave); // the store has said why
    return committed;
  }

  function stray({ error }: Away): void {
    if (astray) return;
    const committed = Promise.reject(error);
    committed.catch(() => {}); // who asks hears of it
    astray = { committed };
    setImmediate(() => {
      astray = undefined;
    });
  }

  function miss(size: unknown, write: () => unknown): void {
    const characters = JSON.stringify(size)?.length ?? 0;
    if (missedInCharacters + characters > missedAtMostInCharacters) {
      isLeftOut = true;
      return;
    }
    missedInCharacters += characters;
    missed.push(write);
  }

  /** May throw what is no failure of the store. */
  function orElse<T>(write: () => T, instead: (away: Away) => T): T {
    let here = away;
    if (!here) {
      try {
        return write();
      } catch (error) {
        here = failed(error);
      }
    }
    stray(here);
    return instead(here);
  }

  /** Who waits for a lock has no part in what can be read. */
  function known<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      return undefined; // it cannot be read either: the memory is all there is
    }
  }

  function failed(error: unknown): Away {
    if (!isOfStore(error)) throw error;
    if (!away && !real.database.isLosing()) complain(messageOf(error)); // else it has been said
    return leave(error);
  }

  /** No decision is made on it: it is written down, or it is refused. */
  function mustRecord(...given: Parameters<Store["record"]>): ReturnType<Store["record"]> {
    if (!comesBack()) throw away?.error;
    const [{ id }] = given;
    sure.add(id);
    const [oldest] = sure.size > rowsAtMost ? sure : [];
    if (oldest !== undefined) sure.delete(oldest);
    try {
      return real.record(...given);
    } catch (error) {
      throw failed(error).error;
    }
  }

  return {
    ...real,
    loss: () => away?.loss,
    record(event, set, advance, mustLast) {
      if (mustLast) return mustRecord(event, set, advance);
      return orElse(
        () => real.record(event, set, advance),
        ({ memory }) => {
          const { session } = event;
          const before = session === undefined ? undefined : known(() => atOnce(real.turn(session)));
          const moves: typeof advance = (one, own) => advance(one, own === firstTurn && before ? before : own);
          const told = atOnce(memory.record(event, set, moves));
          const recorded = { ...event, turn: structuredClone(told.turn) };
          miss(event, () => real.record(recorded, set, advance));
          return { ...told, paused: known(() => atOnce(real.paused())) ?? told.paused };
        },
      );
    },
    answered: (id, outcome, ms) =>
      orElse(
        () => {
          const answering = real.answered(id, outcome, ms);
          sure.delete(id);
          return answering;
        },
        ({ memory }) => {
          if (!sure.has(id)) miss(outcome, () => real.answered(id, outcome, ms));
          return memory.answered(id, outcome, ms);
        },
      ),
    saveRun: (run) =>
      orElse(
        () => real.saveRun(run),
        ({ memory }) => {
          const kept = structuredClone(run);
          if (!sure.has(run.eventId)) miss(run, () => real.saveRun(kept));
          return memory.saveRun(run);
        },
      ),
    claim: (claims, at) =>
      orElse(
        () => real.claim(claims, at),
        ({ memory }) => {
          const refusal = known(() => real.peek(claims, at)) ?? memory.claim(claims, at);
          if (!refusal) miss(claims, () => real.claim(claims, at));
          return refusal;
        },
      ),
    spend: (session, counter, max) =>
      orElse(
        () => real.spend(session, counter, max),
        ({ memory }) => {
          miss(session, () => real.spend(session, counter, max));
          return memory.spend(session, counter, max);
        },
      ),
    owe: (session, debts) =>
      orElse(
        () => real.owe(session, debts),
        ({ memory }) => {
          const before = known(() => atOnce(real.owe(session, noDebts)));
          if (debts.size > 0) miss([...debts], () => real.owe(session, debts));
          return new Map([...(before ?? noDebts), ...atOnce(memory.owe(session, debts))]);
        },
      ),
    paid: (session, hook) =>
      orElse(
        () => real.paid(session, hook),
        ({ memory }) => {
          miss(hook, () => real.paid(session, hook));
          return memory.paid(session, hook);
        },
      ),
    baseline: (session, folder) =>
      away?.memory.baseline(session, folder) ?? known(() => real.baseline(session, folder)),
    setBaseline: (session, folder, baseline) =>
      orElse(
        () => real.setBaseline(session, folder, baseline),
        ({ memory }) => {
          miss(baseline, () => real.setBaseline(session, folder, baseline));
          return memory.setBaseline(session, folder, baseline);
        },
      ),
    post: (session, outcome, counter) =>
      orElse(
        () => real.post(session, outcome, counter),
        ({ memory, mail }) => {
          mail.add(session);
          return memory.post(session, outcome, counter);
        },
      ),
    collect: (session) =>
      away
        ? away.memory.collect(session)
        : orElse(
            () => real.collect(session),
            ({ memory }) => memory.collect(session),
          ),
    batch(work) {
      if (away || !real.batch) return work();
      return real.batch(work);
    },
    committed: () => astray?.committed ?? watch(),
    close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(trying);
      if (!comesBack() && away && (missed.length > 0 || isLeftOut)) complain(lostSince(away.loss));
      real.close();
    },
  };
}

const noDebts: ReadonlyMap<HookId, Found> = new Map();

const lostSince = ({ since, reason }: Loss): string =>
  `not all that has happened since ${new Date(since).toISOString()} is in the store: ${reason}`;

function atOnce<T>(given: MaybePromise<T>): T {
  if (isThenable(given)) throw new TypeError("a store of this process does not wait");
  return given;
}

const tried =
  "insert into meta (key, value) values ('tried', ?) on conflict (key) do update set value = excluded.value";
