/** One worker's attempt at a run that machines share: its journal, its signal, and whether what comes of it still counts. */
import { isOfStore } from "../../../engine/error.ts";
import type { MaybePromise } from "../../../engine/event.ts";
import { isThenable } from "../../../engine/flow.ts";
import type { Kept } from "../../../engine/journal.ts";
import { type Ports, pause, type Steps } from "../../../engine/ports.ts";
import { ofWorker } from "../../../engine/queue.ts";
import type { Run } from "../../../engine/record.ts";
import type { Begun, SharedWork } from "../../../engine/shared-work.ts";
import type { DurableEngine } from "./dbos.ts";

export interface SharedAttempt {
  readonly token: string;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** Its end is being written down: that statement itself says whether the run is still this worker's. */
  isEnding(): boolean;
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
  /** Its name stands in the run's row. */
  worker: string;
  /** What parts of steps gave to an earlier attempt. */
  parts: ReadonlyMap<string, Kept>;
}

export function createSharedAttempt({
  work,
  engine,
  begun,
  mark,
  worker,
  parts,
  after,
}: SharedAttemptOptions): SharedAttempt {
  const { item, hold } = begun;
  const { id } = item.run;
  const stop = new AbortController();
  const left = new AbortController(); // it is the run's end that is cancelled by `stop`, never what is written of it
  let isEnding = false;
  let hasEnded = false;

  const isLost = (): boolean => left.signal.aborted;
  function lose(): void {
    showing.stop();
    left.abort();
    stop.abort();
  }
  function insist(holds: boolean): void {
    if (showing.failure() !== undefined) throw showing.failure();
    if (holds && !isLost()) return;
    lose();
    throw engine.conflict(id);
  }

  /** The parts of a step: inside one DBOS keeps no journal. */
  async function part<T>(name: string, inner: (key: string) => MaybePromise<T>): Promise<T> {
    const known = parts.get(name);
    if (known) return known.value as T; // absent only where it gave nothing
    const value = await inner(`${id}:${name}`);
    insist(await asking(() => work.keep(hold, name, { value })));
    return value;
  }

  /** While the store is away the run waits: what a step gave may have cost something. */
  const asking = <T>(ask: () => Promise<T>): Promise<T> => untilReached(ask, { after, signal: left.signal });

  const showing = createShowing({ after, lose, write: (run, kept) => asking(() => work.save(hold, run, kept)) });
  async function end(run: Run): Promise<void> {
    isEnding = true;
    showing.stop();
    await showing.written();
    insist(await asking(() => work.save(hold, run)));
    hasEnded = true;
  }

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
    /** Kept with the next row: what the work itself writes is written once however often it is done (claimingOnce). */
    write(name, inner) {
      insist(true);
      const known = parts.get(name);
      if (known) return known.value as Awaited<ReturnType<typeof inner>>; // absent only where it gave nothing
      const value = inner();
      return isThenable(value) ? Promise.resolve(value).then(keepLater) : keepLater(value);

      function keepLater<T>(given: T): T {
        showing.keep(name, { value: given });
        return given;
      }
    },
    save(given: Run) {
      const run = { ...given, owner: ofWorker(given.owner, worker) };
      if (hasEnded) return; // what it tells after its end is no news
      insist(true);
      if (run.status !== "queued" && run.status !== "running") return end(run);
      showing.show(run);
    },
    isLost,
    mark,
  };
  return {
    token: hold.token,
    steps,
    signal: stop.signal,
    isEnding: () => isEnding,
    hasEnded: () => hasEnded,
    isLost,
    lose,
    cancel: () => stop.abort(),
  };
}

interface Showing {
  show(run: Run): void;
  /** Written with the next row. */
  keep(name: string, kept: Kept): void;
  /** What was to be shown is not. */
  stop(): void;
  /** Resolves once nothing is being written. */
  written(): Promise<void>;
  /** What the store failed with while no step waited for it. */
  failure(): unknown;
}

interface ShowingOptions extends Pick<Ports, "after"> {
  /** False: the run is no longer this worker's. */
  write(run: Run, kept: ReadonlyMap<string, Kept>): Promise<boolean>;
  lose(): void;
}

/** The row as it is to be shown, and what `write` of a step gave: written together, now and then. */
function createShowing({ after, write, lose }: ShowingOptions): Showing {
  let news: Run | undefined;
  const unkept = new Map<string, Kept>();
  let writing: Promise<void> | undefined;
  let next: (() => void) | undefined;
  let failure: unknown;

  function soon(): void {
    if (!writing) next ??= after(shownWithin, begin);
  }
  function begin(): void {
    next = undefined;
    writing = writeNow().finally(() => {
      writing = undefined;
      if (news) soon();
    });
  }
  async function writeNow(): Promise<void> {
    const [run, kept] = [news, new Map(unkept)];
    news = undefined;
    unkept.clear();
    try {
      if (run && !(await write(run, kept))) lose();
    } catch (error) {
      failure = error;
    }
  }
  return {
    show(run) {
      news = run;
      soon();
    },
    keep: (name, kept) => void unkept.set(name, kept),
    stop() {
      next?.();
      news = undefined;
    },
    async written() {
      await writing;
    },
    failure: () => failure,
  };
}

/** Milliseconds: people see no difference, and a short run is written once. */
const shownWithin = 100;
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
