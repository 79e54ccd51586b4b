/** One worker's attempt at a durable run: its journal, its signal, and whether what comes of it still counts. */
import type { Journal } from "../core/journal.ts";
import type { Item, Steps } from "../core/ports.ts";
import type { Run } from "../core/record.ts";

export interface Attempt {
  readonly item: Item;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** Its end is written down. */
  hasEnded(): boolean;
  isLost(): boolean;
  /** Another one has the run, or it is given back: from now on nothing counts that comes of it here. */
  lose(): void;
  /** Somebody wants it to end; how it ends is written down. */
  cancel(): void;
}

/** Stands in the environment of all that a worker starts for a run; no mark is a part of another. */
export const markOf = (worker: string, run: string): string => `run-${run}-of-${worker}`;

export function createAttempt(journal: Journal, worker: string, item: Item): Attempt {
  const { id } = item.run;
  const stop = new AbortController();
  let hasEnded = false;
  let isLost = false;

  function lose(): void {
    isLost = true;
    stop.abort();
  }
  /** Throws where the run is not, or no longer, this worker's. */
  function insist(holds: boolean): void {
    if (holds && !isLost) return;
    lose();
    throw new Error(`the run ${id} is no longer this worker's`);
  }

  const steps: Steps = {
    async step<T>(name: string, work: (key: string) => T | Promise<T>): Promise<T> {
      insist(true);
      const known = journal.kept<T>(id, name);
      if (known) return known.value as T; // absent only where the step gave nothing
      const value = await work(`${id}:${name}`);
      insist(!isLost && journal.keep(worker, id, name, { value }));
      return value;
    },
    write<T>(name: string, work: () => T): T {
      insist(true);
      const known = journal.kept<T>(id, name) ?? journal.record(worker, id, name, work);
      insist(known !== undefined);
      return known?.value as T; // as above
    },
    save(run: Run) {
      if (hasEnded) return; // what it tells after its end is no news
      insist(!isLost && journal.save(worker, run));
      hasEnded = run.status !== "queued" && run.status !== "running";
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
