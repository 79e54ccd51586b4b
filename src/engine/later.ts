/** What an answer does not wait for: writes of one event and what is done behind them, in their order. */
import type { Engine } from "./engine.ts";
import { messageOf } from "./error.ts";
import type { HookEvent, MaybePromise, SessionId } from "./event.ts";
import { isThenable } from "./flow.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage } from "./passage.ts";
import type { Caller, Ports } from "./ports.ts";
import type { Run } from "./record.ts";

/** Of one engine: what goes on behind answers. */
export interface Later {
  /**
   * Does the work now, and throws what it throws at once. Where it has to wait, it and all that comes after it of this event go
   * on behind the answer; what fails there is told to who has to be sure of the event, and observed.
   */
  put(passage: Passage, work: () => MaybePromise<void>): void;
  /** Writes the run as it is now, and then tells of it. */
  save(passage: Passage, run: Run): void;
  /** The same, where nobody is told. */
  keep(passage: Passage, run: Run): void;
  /** Resolves once nothing is on its way; undefined: nothing is. Never rejects. */
  settled(): Promise<void> | undefined;
  /** The same of earlier events of the session; undefined: there is nothing to wait for. */
  settledOf(session: SessionId): Promise<unknown> | undefined;
}

export function createLater(ports: Ports): Later {
  const underWay = new Map<Promise<void>, SessionId | undefined>();

  function fail({ caller, event }: Passage, error: unknown): void {
    caller.unrecorded?.(error);
    const message = `what became of ${event.name} could not be written down: ${messageOf(error)}`;
    ports.observe?.({ is: "log", level: "error", message, hook: "", run: event.id });
  }

  function goOn(passage: Passage, working: PromiseLike<void>): void {
    const settled: Promise<void> = Promise.resolve(working)
      .catch((error: unknown) => fail(passage, error))
      .then(() => {
        underWay.delete(settled);
        if (passage.later === settled) passage.later = undefined;
      });
    passage.later = settled;
    underWay.set(settled, passage.event.session);
  }

  function put(passage: Passage, work: () => MaybePromise<void>): void {
    const working = passage.later ? passage.later.then(work) : work();
    if (isThenable(working)) goOn(passage, working);
  }

  const behind = (before: Promise<void>, run: Run): Promise<void> => before.then(() => ports.store.saveRun(run));

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay.keys());
  }

  return {
    put,
    save(passage, run) {
      const saving = passage.later ? behind(passage.later, copyOf(run)) : ports.store.saveRun(run);
      if (!isThenable(saving)) {
        ports.observe?.({ is: "run", run });
        return;
      }
      const told = copyOf(run);
      goOn(
        passage,
        saving.then(() => ports.observe?.({ is: "run", run: told })),
      );
    },
    keep(passage, run) {
      const then = passage.later ? copyOf(run) : run;
      put(passage, () => ports.store.saveRun(then));
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
