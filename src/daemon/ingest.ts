/**
 * Takes events from programs: each text becomes an event on the line, and is answered once it, and all that it set off, is on
 * disk. What comes of many in one turn of the event loop goes to disk together.
 */
import type { Engine } from "../core/engine.ts";
import type { HookEvent, MaybePromise } from "../core/event.ts";
import { isThenable } from "../core/flow.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Caller } from "../core/ports.ts";
import { saysFull } from "../core/queue-bounds.ts";
import type { Run, Store } from "../core/record.ts";
import type { CallAnswer } from "./call.ts";
import { type RefusalCode, type Refused, refusalAnswer, refused, refusedBy } from "./refusals.ts";
import { eventOfSent, jsonIn } from "./sent-event.ts";

export interface IngestOptions extends Pick<HookEvent, "cwd"> {
  engine: Pick<Engine, "emit" | "committed">;
  caller: Pick<Caller, "environment" | "signal">;
  store: Pick<Store, "runs">;
  /** Whether the event, which is decided and nobody had to wait for, has set runs off. Absent: the store is asked. */
  hasJustRun?(eventId: string): boolean;
  now(): number;
  id(): string;
}

/** What came of an event. */
export interface Taken {
  event: string;
  outcome: Outcome;
  runs: readonly Run[];
}
/** Taken, or why not: a refusal of ours, or what the line threw. */
export type Answer = { taken: Taken } | { refused: RefusalCode; message?: string } | { thrown: unknown };

export interface Ingest {
  /**
   * The event that this JSON text means; answers when it is on disk. A promise, which never rejects: its hooks are being
   * waited for. Never throws, but for what `answer` throws.
   */
  take(text: string, answer: (answer: Answer) => void): void | Promise<void>;
  /** The same of a value that was read from JSON. */
  takeValue(sent: unknown, answer: (answer: Answer) => void): void | Promise<void>;
}

type Tell = (answer: Answer) => void;

export function createIngest({ engine, caller, store, hasJustRun, cwd, now, id }: IngestOptions): Ingest {
  let group: Group | undefined; // of the events of this turn

  /** Tells when all is on disk that this turn has written. */
  function tellCommitted(answer: Answer, tell: Tell): void {
    const committed = engine.committed();
    if (group?.committed !== committed) group = groupOf(committed);
    group.told.push({ answer, tell });
  }

  function groupOf(committed: Promise<void>): Group {
    const made: Group = { committed, told: [] };
    const ended = (): void => {
      if (group === made) group = undefined;
    };
    committed.then(
      () => {
        ended();
        for (const { answer, tell } of made.told) tell(answer);
      },
      (thrown: unknown) => {
        ended();
        for (const { tell } of made.told) tell({ thrown });
      },
    );
    return made;
  }

  function tellTaken(taken: Taken, tell: Tell): void {
    const { runs } = taken;
    const isLost = runs.length > 0 && runs.every(({ reason }) => saysFull(reason));
    const reason = runs[0]?.reason;
    if (isLost) tellCommitted({ refused: "queue_full", ...(reason === undefined ? {} : { message: reason }) }, tell);
    else tellCommitted({ taken }, tell);
  }

  /** At once, where no hook had to be waited for. Throws or rejects where the event could not be written down. */
  function tellDecided(one: Emitted, outcome: Outcome, tell: Tell): MaybePromise<void> {
    const { event, unwritten } = one;
    if (unwritten) throw unwritten.because;
    const runs = store.runs({ eventId: event, limit: 1000 });
    if (!isThenable(runs)) return tellTaken({ event, outcome, runs }, tell);
    return Promise.resolve(runs).then((found) => tellTaken({ event, outcome, runs: found }, tell));
  }

  /** Never rejects. */
  async function tellLater(one: Emitted, deciding: PromiseLike<Outcome>, tell: Tell): Promise<void> {
    try {
      await tellDecided(one, await deciding, tell);
    } catch (thrown) {
      tell({ thrown });
    }
  }

  function takeValue(sent: unknown, tell: Tell): void | Promise<void> {
    try {
      const event = eventOfSent(sent, { id: id(), at: now(), cwd });
      const one: Emitted = { event: event.id, unwritten: undefined };
      const outcome = engine.emit(event, callerFor(one));
      if (isThenable(outcome)) return tellLater(one, outcome, tell);
      if (!one.unwritten && hasJustRun?.(event.id) === false)
        return tellTaken({ event: event.id, outcome, runs: none }, tell);
      const ended = tellDecided(one, outcome, tell);
      return isThenable(ended) ? ended.catch((thrown: unknown) => tell({ thrown })) : undefined;
    } catch (thrown) {
      tell({ thrown });
      return undefined;
    }
  }

  const callerFor = (one: Emitted): Caller => ({
    ...caller,
    unrecorded(because) {
      one.unwritten ??= { because };
    },
  });

  return {
    takeValue,
    take(text, tell) {
      const sent = jsonIn(text);
      return sent === undefined ? tell({ refused: "input_invalid" }) : takeValue(sent, tell);
    },
  };
}

/** Those who are told when one promise settles. */
interface Group {
  committed: Promise<void>;
  told: { answer: Answer; tell: Tell }[];
}

/** What the line was told, by its id. */
interface Emitted {
  event: string;
  unwritten: { because: unknown } | undefined;
}

const none: readonly Run[] = [];

const json = { "content-type": "application/json" };
const jsonLines = { "content-type": "application/x-ndjson" };

/** To `POST /events` with one event. */
export function toldOne(answer: Answer): CallAnswer {
  if (!("taken" in answer)) return refusalAnswer(refusedOf(answer));
  const { event, outcome, runs } = answer.taken;
  const body = saysNothing(outcome)
    ? `{"event":"${event}","outcome":{},"runs":${runs.length === 0 ? "[]" : JSON.stringify(runs.map(brief))}}` // an id of ours: [0-9a-z]
    : JSON.stringify({ event, outcome, runs: runs.map(brief) });
  return { status: 200, headers: json, body };
}

function saysNothing(outcome: Outcome): boolean {
  for (const _name in outcome) return false;
  return true;
}

/** What stands in the body of many is each one's own: that one was refused is no failure of the others. */
export const toldMany = (body: string, form: "list" | "lines"): CallAnswer => ({
  status: 200,
  headers: form === "list" ? json : jsonLines,
  body,
});

/** To one line among many, as JSON without a line break. */
export function toldLine(answer: Answer): string {
  if ("taken" in answer) return `{"ok":true,"event":"${answer.taken.event}"}`; // an id of ours: [0-9a-z]
  return JSON.stringify({ ok: false, error: refusedOf(answer).error });
}

const refusedOf = (answer: Exclude<Answer, { taken: unknown }>): Refused =>
  "thrown" in answer ? refusedBy(answer.thrown) : refused(answer.refused, answer.message);

export const brief = ({ id, hook, status, reason }: Run): object => ({ id, hook, status, reason: reason ?? null });
