/** Times in which a store takes nothing: how they begin, and how what was missed is written when they are over. */
import { messageOf } from "../core/error.ts";
import type { Instant, SessionId } from "../core/event.ts";
import type { Store } from "../core/record.ts";
import type { MissedWrites } from "./missed-writes.ts";
import type { SqliteStore } from "./sqlite.ts";
import { atOnce, openStandbyMemory, type StandbyMemoryOptions } from "./standby-memory.ts";

export interface Loss {
  since: Instant;
  reason: string;
}

export interface Outage {
  /** Why the store took nothing when it was last tried. */
  error: unknown;
  loss: Loss;
  /** What stands in for the store. */
  memory: Store;
  /** Sessions whose inbox in memory may hold something: it is written down when all else is, and delivered until then. */
  mail: Set<SessionId>;
}

export interface Outages {
  now(): Outage | undefined;
  /** The one that lasts, or a new one. */
  begin(error: unknown): Outage;
  /** Groups come into the store when this returns, and what was acknowledged is in it. Throws what the store throws, or that error. */
  probe(error: unknown): void;
  /**
   * Tries whether something can be written, and writes what was missed: a part of it, or all at once.
   *
   * @returns false: the store is not to be written to yet
   */
  end(how: "in parts" | "at once"): boolean;
  /** Ends what lasts, as far as it can. Safe to call twice. */
  close(): void;
}

export interface OutagesOptions extends StandbyMemoryOptions {
  missed: MissedWrites;
  /** Told what is not written down for good. */
  complain(reason: string): void;
  /** Milliseconds after which it is tried again whether the store takes something. */
  triesEvery: number;
}

/** Milliseconds between two parts: so long other writers have the store, and this process its events. */
const pausesFor = 10;

export function createOutages(
  real: SqliteStore,
  { missed, complain, now, paused, triesEvery }: OutagesOptions,
): Outages {
  const { database } = real;
  let outage: Outage | undefined;
  let trying: NodeJS.Timeout | undefined;
  let isClosed = false;

  function tryIn(milliseconds: number): void {
    clearTimeout(trying);
    if (!isClosed) trying = setTimeout(() => end("in parts"), milliseconds).unref();
  }

  function begin(error: unknown): Outage {
    if (outage) return outage;
    const loss: Loss = { since: now(), reason: messageOf(error) };
    outage = { error, loss, memory: openStandbyMemory(real, { now, paused }), mail: new Set() };
    database.hurry(true); // one has waited for all
    tryIn(triesEvery);
    return outage;
  }

  function end(how: "in parts" | "at once"): boolean {
    const lasting = outage;
    if (!lasting) return true;
    const isOver = (): boolean => missed.isEmpty() && lasting.mail.size === 0;
    try {
      probe(lasting.error);
      do writeSome(lasting);
      while (how === "at once" && !isOver());
    } catch (error) {
      lasting.error = error;
      tryIn(triesEvery);
      return false;
    }
    if (isOver()) over(lasting);
    else tryIn(pausesFor);
    return outage === undefined;
  }

  function over({ loss }: Outage): void {
    clearTimeout(trying);
    outage = undefined;
    database.hurry(false);
    if (missed.takeLoss()) complain(lostSince(loss));
  }

  function writeSome(lasting: Outage): void {
    if (missed.isEmpty()) writeMail(lasting);
    else missed.drop(database.write(() => missed.writeSome(real)));
  }

  function writeMail(lasting: Outage): void {
    const { memory, mail } = lasting;
    const waiting = [...mail].map((session) => ({ session, posts: atOnce(memory.collect(session)) }));
    const postAll = (store: Store): void => {
      for (const { session, posts } of waiting)
        for (const { outcome, counter } of posts) store.post(session, outcome, counter);
    };
    try {
      database.write(() => postAll(real));
      mail.clear();
    } catch (error) {
      postAll(memory);
      throw error;
    }
  }

  function probe(error: unknown): void {
    database.grouped.run(tried, now());
    database.run(tried, now()); // it is not grouped, so the group before it ends
    if (database.isLosing()) throw error;
  }

  return {
    now: () => outage,
    begin,
    probe,
    end,
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(trying);
      if (end("at once") || !outage) return;
      const isWhole = missed.isEmpty() && !missed.takeLoss() && outage.mail.size === 0;
      if (!isWhole) complain(lostSince(outage.loss));
    },
  };
}

const lostSince = ({ since, reason }: Loss): string =>
  `not all that has happened since ${new Date(since).toISOString()} is in the store: ${reason}`;

const tried =
  "insert into meta (key, value) values ('tried', ?) on conflict (key) do update set value = excluded.value";
