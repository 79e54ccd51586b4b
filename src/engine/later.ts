/** What an answer does not wait for, in its order; and waiting for another report's answer: where two registrations report one call, its hooks run once (R36). */
import { createBriefMap } from "./drop-oldest.ts";
import type { Engine } from "./engine.ts";
import { messageOf } from "./error.ts";
import type { HookEvent, MaybePromise, SessionId } from "./event.ts";
import type { EventContext } from "./event-context.ts";
import { isThenable } from "./flow.ts";
import type { Outcome } from "./outcome.ts";
import { type Caller, elapsed, type Ports } from "./ports.ts";
import type { Run } from "./record.ts";

/** Of one engine: what goes on behind answers. */
export interface Later {
  /**
   * Does the work now, and throws what it throws at once. Where it has to wait, it and all that comes after it of this event go
   * on behind the answer; a failure there goes to the caller's `unrecorded`, and is observed.
   */
  put(eventContext: EventContext, work: () => MaybePromise<void>): void;
  /** Writes the run as it is now, and then reports it to `observe`. */
  save(eventContext: EventContext, run: Run): void;
  /** The same without the report. */
  keep(eventContext: EventContext, run: Run): void;
  /** Resolves once nothing is on its way; undefined: nothing is. Never rejects. */
  settled(): Promise<void> | undefined;
  /** The same of earlier events of the session; undefined: there is nothing to wait for. */
  settledOf(session: SessionId): Promise<unknown> | undefined;
}

export function createLater(ports: Ports): Later {
  const underWay = new Map<Promise<void>, SessionId | undefined>();

  function fail({ caller, event }: EventContext, error: unknown): void {
    caller.unrecorded?.(error);
    const message = `what became of ${event.name} could not be written down: ${messageOf(error)}`;
    ports.observe?.({ is: "log", level: "error", message, hook: "", run: event.id });
  }

  function goOn(eventContext: EventContext, working: PromiseLike<void>): void {
    const settled: Promise<void> = Promise.resolve(working)
      .catch((error: unknown) => fail(eventContext, error))
      .then(() => {
        underWay.delete(settled);
        if (eventContext.later === settled) eventContext.later = undefined;
      });
    eventContext.later = settled;
    underWay.set(settled, eventContext.event.session);
  }

  function put(eventContext: EventContext, work: () => MaybePromise<void>): void {
    const working = eventContext.later ? eventContext.later.then(work) : work();
    if (isThenable(working)) goOn(eventContext, working);
  }

  const behind = (before: Promise<void>, run: Run): Promise<void> => before.then(() => ports.store.saveRun(run));

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay.keys());
  }

  return {
    put,
    save(eventContext, run) {
      const saving = eventContext.later ? behind(eventContext.later, copyOf(run)) : ports.store.saveRun(run);
      if (!isThenable(saving)) {
        ports.observe?.({ is: "run", run });
        return;
      }
      const saved = copyOf(run);
      goOn(
        eventContext,
        saving.then(() => ports.observe?.({ is: "run", run: saved })),
      );
    },
    keep(eventContext, run) {
      const then = eventContext.later ? copyOf(run) : run;
      put(eventContext, () => ports.store.saveRun(then));
    },
    settled: () => (underWay.size > 0 ? settled() : undefined),
    settledOf(session) {
      if (underWay.size === 0) return undefined;
      const own = [...underWay].flatMap(([settled, of]) => (of === session ? settled : []));
      return own.length === 0 ? undefined : Promise.all(own);
    },
  };
}

/** The engine goes on with the run meanwhile. */
const copyOf = (run: Run): Run => ({ ...run, steps: [...run.steps], notes: [...run.notes] });

/**
 * Sends for a caller that has to be sure: an event counts as taken only once it, and all that it set off, is written down
 * (SAFETY F10). Throws what the store failed with: the event has not been taken then, and may be sent again.
 */
export async function emitRecorded(
  engine: Pick<Engine, "emit" | "committed">,
  event: HookEvent,
  caller: Omit<Caller, "unrecorded">,
): Promise<Outcome> {
  const failures: unknown[] = [];
  const outcome = await engine.emit(event, { ...caller, unrecorded: (because) => failures.push(because) });
  await engine.committed();
  if (failures.length > 0) throw failures[0];
  return outcome;
}

/** Of one engine. */
interface FirstReports {
  /** Others may wait for this decision until it has ended. It never rejects. One whose sender has left meanwhile is not shared: its hooks were ended. */
  deciding(event: string, outcome: Promise<Outcome>, caller: Caller): void;
  /** The first report's answer, waited for within the time of the one that repeats it. Undefined: there is none in time, or there will be none. May reject with what the store throws. */
  answerOf(first: string, repeating: EventContext): Promise<Outcome | undefined>;
}

/** Milliseconds between two looks for an answer of another process. */
const looksEvery = 25;
/** A process that works on its event runs a hook of it, but for so long at most: one that does not has ended. */
const betweenHooks = 2_000;

export function createFirstReports(ports: Ports): FirstReports {
  const underWay = createBriefMap<string, Promise<Outcome | undefined>>();

  /** Whether the sender of the repeating report still waits. */
  function hasTime({ caller, stepScope: { ends } }: EventContext): boolean {
    return !hasLeft(caller) && (ends === undefined || elapsed(ports) < ends);
  }

  function fromHere(
    deciding: Promise<Outcome | undefined>,
    { caller: { signal }, stepScope: { ends } }: EventContext,
  ): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      const undo = ends === undefined ? undefined : ports.after(Math.max(0, ends - elapsed(ports)), () => give());
      const give = (outcome?: Outcome): void => {
        undo?.();
        signal?.removeEventListener("abort", leave);
        resolve(outcome);
      };
      const leave = (): void => give();
      signal?.addEventListener("abort", leave);
      void deciding.then(give);
    });
  }

  async function fromElsewhere(first: string, repeating: EventContext): Promise<Outcome | undefined> {
    let seen = elapsed(ports);
    while (hasTime(repeating)) {
      const outcome = (await ports.store.event(first))?.outcome;
      if (outcome) return outcome;
      const running = await ports.store.runs({ eventId: first, status: "running" });
      if (running.some(({ owner }) => owner !== undefined && ports.isAlive?.(owner) === true)) seen = elapsed(ports);
      else if (running.length > 0 || elapsed(ports) - seen > betweenHooks) return undefined;
      await new Promise<void>((resolve) => void ports.after(looksEvery, resolve));
    }
    return undefined;
  }

  return {
    deciding(event, outcome, caller) {
      const answer = outcome.then((given) => (hasLeft(caller) ? undefined : given));
      underWay.set(event, answer);
      void answer.then(() => underWay.delete(event));
    },
    async answerOf(first, repeating) {
      const deciding = underWay.get(first);
      const outcome = await (deciding ? fromHere(deciding, repeating) : fromElsewhere(first, repeating));
      return outcome && repeatable(outcome);
    },
  };
}

const hasLeft = ({ signal }: Caller): boolean => signal?.aborted === true;

/** All that a repeat is given of the first answer (R36). */
export const repeatable = ({ verdict, stop }: Outcome): Outcome => ({
  ...(verdict && { verdict }),
  ...(stop && { stop }),
});
