/** One worker's attempt at a run that machines share: its journal, its signal, and whether what comes of it still counts. */
import { isOfStore } from "../../engine/error.ts";
import type { MaybePromise } from "../../engine/event.ts";
import type { Kept } from "../../engine/journal.ts";
import { type Ports, pause, type Steps } from "../../engine/ports.ts";
import type { Run } from "../../engine/record.ts";
import type { Begun, SharedWork } from "../../engine/shared-work.ts";
import type { DurableEngine } from "./dbos.ts";

export interface SharedAttempt {
  readonly token: string;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** Its end is written down. */
  hasEnded(): boolean;
  isLost(): boolean;
  /** Another one has the run, or it is given back: from now on nothing counts that comes of it here. */
  lose(): void;
  /** It was cancelled; how it ends is written down. */
  cancel(): void;
}

interface SharedAttemptOptions extends Pick<Ports, "after"> {
  work: SharedWork;
  engine: Pick<DurableEngine, "step" | "isInStep" | "conflict" | "isConflict">;
  begun: Begun;
  /** Stands in the environment of all that is started for the run. */
  mark: string;
  /** What parts of steps gave to an earlier attempt. */
  parts: ReadonlyMap<string, Kept>;
}

export function createSharedAttempt({ work, engine, begun, mark, parts, after }: SharedAttemptOptions): SharedAttempt {
  const { item, hold } = begun;
  const { id } = item.run;
  const stop = new AbortController();
  const left = new AbortController(); // it is the run's end that is cancelled by `stop`, never what is written of it
  let hasEnded = false;

  const isLost = (): boolean => left.signal.aborted;
  function lose(): void {
    left.abort();
    stop.abort();
  }
  function insist(holds: boolean): void {
    if (holds && !isLost()) return;
    lose();
    throw engine.conflict(id);
  }

  /** What is too small for a step of DBOS's, and the parts of a step: inside one DBOS keeps no journal. */
  async function part<T>(name: string, inner: (key: string) => MaybePromise<T>): Promise<T> {
    const known = parts.get(name);
    if (known) return known.value as T; // absent only where it gave nothing
    const value = await inner(`${id}:${name}`);
    insist(await asking(() => work.keep(hold, name, { value })));
    return value;
  }

  /** While the store is away the run waits: what a step gave may have cost something. */
  const asking = <T>(ask: () => Promise<T>): Promise<T> => untilReached(ask, { after, signal: left.signal });

  const steps: Steps = {
    async step<T>(name: string, inner: (key: string) => MaybePromise<T>): Promise<T> {
      insist(true);
      if (engine.isInStep()) return part(name, inner);
      try {
        const kept = await engine.step<Kept<T>>(name, async () => {
          const value = await inner(`${id}:${name}`);
          insist(true); // what is thrown here is not kept
          return { value };
        });
        return kept.value as T; // as above
      } catch (error) {
        if (engine.isConflict(error)) lose();
        throw error;
      }
    },
    async write(name, inner) {
      insist(true);
      return part(name, inner);
    },
    async save(run: Run) {
      if (hasEnded) return; // what it tells after its end is no news
      insist(true);
      insist(await asking(() => work.save(hold, run)));
      hasEnded = run.status !== "queued" && run.status !== "running";
    },
    isLost,
    mark,
  };
  return {
    token: hold.token,
    steps,
    signal: stop.signal,
    hasEnded: () => hasEnded,
    isLost,
    lose,
    cancel: () => stop.abort(),
  };
}

const firstPause = 100;
const longestPause = 2_000;

/** Asks again, ever more rarely, for as long as the store is away. Rejects as the store does once the signal has aborted. */
export async function untilReached<T>(
  ask: () => Promise<T>,
  { after, signal }: Pick<Ports, "after"> & { signal: AbortSignal },
): Promise<T> {
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return await ask();
    } catch (error) {
      if (!isOfStore(error) || signal.aborted) throw error;
    }
    await pause(wait * (0.5 + Math.random()), { after }, signal); // not all at the same moment
  }
}
