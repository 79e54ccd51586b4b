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
import type { RefusalCode } from "./refusals.ts";
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

export function createIngest({ engine, caller, store, hasJustRun, cwd, now, id }: IngestOptions): Ingest {
  let group: (() => void)[] = []; // answers to give when all is on disk that this turn has written
  let failed: ((because: unknown) => void)[] = [];

  function whenCommitted(answer: () => void, fail: (because: unknown) => void): void {
    if (group.length === 0) queueMicrotask(endGroup);
    group.push(answer);
    failed.push(fail);
  }

  function endGroup(): void {
    const answers = group;
    const failures = failed;
    group = [];
    failed = [];
    const give = (): void => {
      for (const answer of answers) answer();
    };
    engine.committed().then(give, (error: unknown) => {
      for (const fail of failures) fail(error);
    });
  }

  /** Without a wait where no hook waits. Throws or rejects where it could not be written down. */
  function emit(event: HookEvent): MaybePromise<Outcome> {
    const failures: unknown[] = [];
    const outcome = engine.emit(event, { ...caller, unrecorded: (because) => failures.push(because) });
    const checked = (found: Outcome): Outcome => {
      if (failures.length > 0) throw failures[0];
      return found;
    };
    return isThenable(outcome) ? Promise.resolve(outcome).then(checked) : checked(outcome);
  }

  function answerWith(event: HookEvent, outcome: Outcome, answer: (answer: Answer) => void): MaybePromise<void> {
    const runs = store.runs({ eventId: event.id, limit: 1000 });
    const give = (found: readonly Run[]): void => answerTaken({ event: event.id, outcome, runs: found }, answer);
    return isThenable(runs) ? Promise.resolve(runs).then(give) : give(runs);
  }

  function answerTaken(taken: Taken, answer: (answer: Answer) => void): void {
    const { runs } = taken;
    const isLost = runs.length > 0 && runs.every(({ reason }) => saysFull(reason));
    const reason = runs[0]?.reason;
    const told: Answer = isLost
      ? { refused: "queue_full", ...(reason === undefined ? {} : { message: reason }) }
      : { taken };
    whenCommitted(
      () => answer(told),
      (thrown) => answer({ thrown }),
    );
  }

  /** At once, where no hook had to be waited for. */
  function answerDecided(event: HookEvent, outcome: Outcome, answer: (answer: Answer) => void): MaybePromise<void> {
    if (hasJustRun?.(event.id) === false) return answerTaken({ event: event.id, outcome, runs: none }, answer);
    return answerWith(event, outcome, answer);
  }

  function takeValue(sent: unknown, answer: (answer: Answer) => void): void | Promise<void> {
    try {
      const event = eventOfSent(sent, { id: id(), at: now(), cwd });
      const deciding = emit(event);
      const ended = isThenable(deciding)
        ? Promise.resolve(deciding).then((outcome) => answerWith(event, outcome, answer))
        : answerDecided(event, deciding, answer);
      return isThenable(ended) ? Promise.resolve(ended).catch((thrown: unknown) => answer({ thrown })) : undefined;
    } catch (thrown) {
      answer({ thrown });
      return undefined;
    }
  }

  return {
    takeValue,
    take(text, answer) {
      const sent = jsonIn(text);
      return sent === undefined ? answer({ refused: "input_invalid" }) : takeValue(sent, answer);
    },
  };
}

const none: readonly Run[] = [];
