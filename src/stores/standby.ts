/**
 * Keeps the hooks of a process that stays working while its store takes nothing: what cannot be written down goes on in memory,
 * and is written once the store takes it again (SAFETY F10). Apart from fallback.ts, which is for a process that ends.
 */
import { isOfStore, messageOf } from "../core/error.ts";
import type { HookEvent, HookId, Instant, MaybePromise, SessionId, Turn } from "../core/event.ts";
import type { Found, Store } from "../core/record.ts";
import { createMissedWrites, type Write } from "./missed-writes.ts";
import { createOutages, type Loss, type Outage } from "./outages.ts";
import type { SqliteStore } from "./sqlite.ts";
import { atOnce } from "./standby-memory.ts";
import { type Concerning, createWritesUnderWay } from "./writes-under-way.ts";

export interface StandbyStore extends SqliteStore {
  /** Set while the store takes nothing: since when, and why. */
  loss(): Loss | undefined;
}

export interface StandbyOptions {
  /** Told once for each time that the store fails a decision. */
  complain(reason: string): void;
  now?(): Instant;
  /** Milliseconds after which it is tried again whether the store takes something; a second unless said. */
  triesEvery?: number;
}

interface Operation<Given extends object, Result> {
  to(store: Store, given: Given): Result;
  /** Whether it has changed anything. Absent: it always has. */
  isDone?(result: Result): boolean;
}

type Recorded = Awaited<ReturnType<Store["record"]>>;
type RecordedWith = [set: Parameters<Store["record"]>[1], advance: Parameters<Store["record"]>[2]];

/**
 * @param real a store with `groups`, whose methods do not wait. It is closed with what is given
 * @returns a store whose `committed` rejects for whatever was not written down, as `record` throws for an event that must last.
 *   What is to outlast the process, such as durable runs, has no substitute: `database` fails as it does.
 */
export function storeWithStandby(real: SqliteStore, options: StandbyOptions): StandbyStore {
  const { complain, now = Date.now, triesEvery = 1_000 } = options;
  const missed = createMissedWrites();
  const outages = createOutages(real, { missed, complain, now, triesEvery, paused: () => lastPaused });
  /** A group that is lost when it is committed counts as a failure, too; the store has said why. */
  const underWay = createWritesUnderWay(real, { missed, outages, triesEvery });
  /** What was lost meanwhile goes on in its memory, too. */
  function lasting(): Outage | undefined {
    const outage = outages.now();
    if (outage) underWay.takeOver(outage);
    return outage;
  }

  let astray: { committed: Promise<void> } | undefined; // of this turn of the event loop
  let lastPaused: ReadonlySet<string> | undefined;
  let isClosed = false;

  function stray({ error }: Outage): void {
    if (astray) return;
    const committed = Promise.reject(error);
    committed.catch(() => {}); // who asks hears of it
    astray = { committed };
    setImmediate(() => {
      astray = undefined;
    });
  }

  /** Throws what is no failure of the store. */
  function failed(error: unknown): Outage {
    if (!isOfStore(error)) throw error;
    const isNew = !outages.now();
    const outage = outages.begin(error);
    underWay.settle();
    underWay.takeOver(outage);
    if (isNew && !real.database.isLosing()) complain(messageOf(error)); // else it has been said
    return outage;
  }

  /**
   * May throw what is no failure of the store, as all that follows.
   *
   * @param question asked again where its asking has lost what waited to be written, unless it takes what it finds
   */
  function ask<Result>(question: (store: Store) => Result, takes = false): Result {
    const outage = lasting();
    if (outage) return question(outage.memory);
    try {
      if (!underWay.isLost()) {
        const answer = question(real);
        if (takes || !underWay.isLost()) return answer;
      }
      return real.database.grouped.write(() => question(real));
    } catch (error) {
      return question(failed(error).memory);
    }
  }

  function put<Given extends object, Result>(
    { to, isDone }: Operation<Given, Result>,
    given: Given,
    concerned: Pick<Concerning, "event" | "mail">,
  ): Result {
    let outage = lasting();
    if (!outage) {
      try {
        const result = to(real, given);
        if (isDone?.(result) !== false) underWay.keep({ ...concerned, given, to });
        return result;
      } catch (error) {
        outage = failed(error);
      }
    }
    stray(outage);
    const result = to(outage.memory, given);
    if (concerned.mail !== undefined) outage.mail.add(concerned.mail);
    else if (isDone?.(result) !== false) missed.add({ ...concerned, given, to });
    return result;
  }

  function record(...[event, set, advance]: Parameters<Store["record"]>): Recorded {
    const recording = ({ turn }: Recorded): Write => recordingOf(event, turn, set, advance);
    let outage = lasting();
    if (!outage) {
      try {
        const recorded = atOnce(real.record(event, set, advance));
        lastPaused = recorded.paused;
        underWay.keep(recording(recorded));
        return recorded;
      } catch (error) {
        outage = failed(error);
      }
    }
    stray(outage);
    const recorded = atOnce(outage.memory.record(event, set, advance));
    missed.add(recording(recorded));
    return recorded;
  }

  /** No decision is made on it: it is written down, or it is refused. What comes of it is not written without it. */
  function mustRecord(...[event, set, advance]: Parameters<Store["record"]>): MaybePromise<Recorded> {
    lasting();
    if (!outages.end("at once")) throw outages.now()?.error;
    missed.without(event.id);
    try {
      const recorded = atOnce(real.record(event, set, advance));
      underWay.keep({ ...recordingOf(event, recorded.turn, set, advance), mustLast: true });
      return recorded;
    } catch (error) {
      throw failed(error).error;
    }
  }

  /** What a work has written that throws is undone. */
  function batch<T>(work: () => T): T {
    const { batch: together } = real;
    if (lasting() || !together) return work();
    return underWay.part(() => together(work));
  }

  return {
    ...real,
    loss: () => outages.now()?.loss,
    record: (event, set, advance, mustLast) => (mustLast ? mustRecord : record)(event, set, advance),
    answered: (id, ...rest) => put(operations.answered, [id, ...rest], { event: id }),
    saveRun: (run) => put(operations.saveRun, [run], { event: run.eventId }),
    claim: (...given) => put(operations.claim, given, unconcerned),
    spend: (...given) => put(operations.spend, given, unconcerned),
    owe: (session, debts) =>
      debts.size === 0
        ? ask((store) => store.owe(session, debts))
        : put(operations.owe, { session, debts: [...debts] }, unconcerned),
    paid: (...given) => put(operations.paid, given, unconcerned),
    setBaseline: (...given) => put(operations.setBaseline, given, unconcerned),
    post: (...given) => put(operations.post, given, { mail: given[0] }),
    turn: (session) => ask((store) => store.turn(session)),
    peek: (claims, at) => ask((store) => store.peek(claims, at)),
    baseline: (session, folder) => ask((store) => store.baseline(session, folder)),
    collect(session) {
      outages.now()?.mail.delete(session);
      return ask((store) => store.collect(session), true);
    },
    batch,
    committed: () => astray?.committed ?? underWay.committed(),
    close() {
      if (isClosed) return;
      isClosed = true;
      outages.close();
      real.close();
      underWay.close();
    },
  };
}

const recordingOf = (event: HookEvent, turn: Turn, ...[set, advance]: RecordedWith): Write => ({
  event: event.id,
  isEvent: true,
  given: { event, turn },
  to: (store, then: { event: HookEvent; turn: Turn }) => store.record({ ...then.event, turn: then.turn }, set, advance),
});

const unconcerned = {};

type GivenTo<Name extends "answered" | "saveRun" | "claim" | "spend" | "paid" | "setBaseline" | "post"> = Parameters<
  Store[Name]
>;

/** Claims and counters that refuse have changed nothing. */
const operations = {
  answered: { to: (store: Store, given: GivenTo<"answered">) => store.answered(...given) },
  saveRun: { to: (store: Store, given: GivenTo<"saveRun">) => store.saveRun(...given) },
  claim: {
    to: (store: Store, given: GivenTo<"claim">) => store.claim(...given),
    isDone: (refusal: ReturnType<Store["claim"]>) => refusal === undefined,
  },
  spend: {
    to: (store: Store, given: GivenTo<"spend">) => store.spend(...given),
    isDone: (isSpent: ReturnType<Store["spend"]>) => isSpent !== false,
  },
  owe: {
    to: (store: Store, { session, debts }: { session: SessionId; debts: [HookId, Found][] }) =>
      store.owe(session, new Map(debts)),
  },
  paid: { to: (store: Store, given: GivenTo<"paid">) => store.paid(...given) },
  setBaseline: { to: (store: Store, given: GivenTo<"setBaseline">) => store.setBaseline(...given) },
  post: { to: (store: Store, given: GivenTo<"post">) => store.post(...given) },
};
