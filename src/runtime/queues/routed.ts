/** One queue out of two: durable runs go to the one that outlasts the process, all others to another. */
import type { Instant, MaybePromise } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Ended, Journal } from "../../engine/journal.ts";
import type { Queue, QueueOwner } from "../../engine/ports.ts";

/** A queue that can be waited for before it is closed. */
export interface Settling extends Queue {
  isIdle?(): boolean;
  /** Resolves once what it is to wait for has ended; it goes on taking items. */
  idle?(): Promise<void>;
  /** What was added here ends before it closes. */
  readonly own?: boolean;
}

interface RoutedQueueOptions {
  /** A queue that works from the start; or how one is made when the first durable run comes, which hardly any event brings. */
  durable: Settling | (() => MaybePromise<Settling>);
  other: Settling;
}

export function createRoutedQueue({ durable, other }: RoutedQueueOptions): Queue {
  let owner: QueueOwner | undefined;
  let made: Settling | undefined = typeof durable === "function" ? undefined : durable;
  let making: Promise<Settling> | undefined;

  const started = (queue: Settling): Settling => {
    if (owner) queue.start(owner);
    made = queue;
    return queue;
  };
  function lasting(): MaybePromise<Settling> {
    if (made) return made;
    if (making || typeof durable !== "function") return making ?? other;
    const given = durable();
    if (!isThenable(given)) return started(given);
    making = Promise.resolve(given).then(started);
    making.catch(() => {
      making = undefined; // the next one who needs it may have more luck
    });
    return making;
  }
  const inLasting = <T>(work: (queue: Settling) => MaybePromise<T>): MaybePromise<T> => {
    const queue = lasting();
    return isThenable(queue) ? Promise.resolve(queue).then(work) : work(queue);
  };

  /** What runs in one may add to the other. A worker of all is not waited for: what comes too late for it is written down. */
  async function settle(): Promise<void> {
    if (made && !made.own) return;
    await other.idle?.();
    while (made && !made.isIdle?.()) {
      await made.idle?.();
      await other.idle?.();
    }
  }

  return {
    start(given) {
      owner = given;
      made?.start(given);
      other.start(given);
    },
    add: (item, caller) =>
      item.hook.durable ? inLasting((queue) => queue.add(item, caller)) : other.add(item, caller),
    async cancel(run) {
      await other.cancel(run);
      await inLasting((queue) => queue.cancel(run));
    },
    ...(other.owner ? { owner: other.owner } : {}),
    ...(other.adopt ? { adopt: other.adopt } : {}),
    async close() {
      await settle();
      await Promise.all([made?.close(), other.close()]);
    },
  };
}

/** Durable runs are written down and left to a worker: all that an agent's tool call has time for (R48). */
export function createEnqueuing({ journal, now }: { journal: Journal; now(): Instant }): Queue {
  let owner: QueueOwner | undefined;
  const tell = ({ run, hook }: Ended): void => owner?.changed?.(run, hook);
  return {
    start(given) {
      owner = given;
    },
    add(item) {
      const added = journal.add(item, now());
      if (added.is === "skipped") return added;
      for (const one of added.ended) tell(one);
      return { is: "queued" };
    },
    cancel(run) {
      const ended = journal.cancel(run, now());
      if (ended) tell(ended);
    },
    async close() {
      try {
        journal.tidy();
      } catch {
        // the store is broken, locked or full: the caller that added something has heard of that, and the next process tidies up
      }
    },
  };
}
