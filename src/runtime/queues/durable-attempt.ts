/** One worker's attempt at a durable run: its journal, its signal, and whether what comes of it still counts. */
import { isOfStore } from "../../engine/error.ts";
import type { MaybePromise } from "../../engine/event.ts";
import type { Journal, Kept } from "../../engine/journal.ts";
import type { Item, Ports, Steps } from "../../engine/ports.ts";
import type { Run } from "../../engine/record.ts";

export interface Attempt {
  readonly item: Item;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** Its end is written down, or it was handed over. */
  hasEnded(): boolean;
  isLost(): boolean;
  /** Another one has the run, or it is given back: from now on nothing counts that comes of it here. */
  lose(): void;
  /** It was cancelled; how it ends is written down. */
  cancel(): void;
}

/** Stands in the environment of all that a worker starts for a run; no mark is a part of another. */
export const markOf = (worker: string, run: string): string => `run-${run}-of-${worker}`;

/** What a step gave may have cost something: for as long it is tried to write it down, a second apart. */
const keptAgainAtMost = 30;
const keptAgainIn = 1_000;

interface AttemptOptions extends Pick<Ports, "after"> {
  journal: Journal;
  worker: string;
  item: Item;
}

export function createAttempt({ journal, worker, item, after }: AttemptOptions): Attempt {
  const { id } = item.run;
  const stop = new AbortController();
  let hasEnded = false;
  let isLost = false;
  /** What the store failed with: whatever is made of that, it is no result of the run. */
  let failure: unknown;

  function lose(): void {
    isLost = true;
    stop.abort();
  }
  /** Throws where the run is not, or no longer, this worker's. */
  function insist(holds: boolean): void {
    if (failure !== undefined) throw failure;
    if (holds && !isLost) return;
    lose();
    throw new Error(`the run ${id} is no longer this worker's`);
  }

  /** For as long as it makes sense: where the store goes on failing, the run is not gone on with. */
  async function keep(step: string, result: Kept): Promise<boolean> {
    for (let again = keptAgainAtMost; ; again--) {
      try {
        return journal.keep(worker, id, step, result);
      } catch (error) {
        if (!isOfStore(error)) throw error;
        if (again === 0 || stop.signal.aborted) failure = error;
        if (failure !== undefined) throw failure;
      }
      await new Promise<void>((resolve) => after(keptAgainIn, resolve));
    }
  }

  const steps: Steps = {
    async step<T>(name: string, work: (key: string) => T | Promise<T>): Promise<T> {
      insist(true);
      const known = journal.kept<T>(id, name);
      if (known) return known.value as T; // absent only where the step gave nothing
      const value = await work(`${id}:${name}`);
      insist(!isLost && (await keep(name, { value })));
      return value;
    },
    write<T>(name: string, work: () => MaybePromise<T>): T {
      insist(true);
      const known = journal.kept<T>(id, name) ?? journal.record(worker, id, name, work as () => T); // this store waits for nothing
      insist(known !== undefined);
      return known?.value as T; // as above
    },
    save(run: Run) {
      if (hasEnded) return; // what it tells after its end is no news
      insist(!isLost && journal.save(worker, run));
      hasEnded = run.status !== "queued" && run.status !== "running";
    },
    handOver(to) {
      insist(!isLost && journal.handOver(worker, id, to));
      hasEnded = true;
    },
    isLost: () => isLost,
    mark: markOf(worker, id),
  };
  return {
    item,
    steps,
    signal: stop.signal,
    hasEnded: () => hasEnded,
    isLost: () => isLost,
    lose,
    cancel: () => stop.abort(),
  };
}
