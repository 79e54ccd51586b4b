/**
 * Durable runs that are written down here and performed by whichever machine is first: an acknowledgement waits for this machine's disk
 * alone, and what the database cannot take now waits here.
 */
import { isOfStore, messageOf } from "../../../engine/error.ts";
import type { Caller, Item, Ports, QueueOwner } from "../../../engine/ports.ts";
import type { Run } from "../../../engine/record.ts";
import type { SharedWork } from "../../../engine/shared-work.ts";
import type { DurableQueue } from "../durable.ts";
import { untilReached } from "./attempt.ts";

export interface ForwardingOptions extends Pick<Ports, "after"> {
  work: Pick<SharedWork, "add" | "cancel" | "withdraw" | "ended">;
  /** Called once for each time that the database is away. */
  complain(reason: string): void;
}

export interface Forwarding extends DurableQueue {
  /** Hooks have changed: what waits elsewhere and may not run any more is taken back. Never rejects. */
  recheck(): Promise<void>;
}

/** Milliseconds until it looks for what has ended elsewhere: the next run of a hook waits for that; and ever more rarely. */
const firstLook = 100;
const longestLook = 1_000;
/** Seconds. */
const handsBackWithin = 0.2;

/** Forwards what the queue would perform. */
export function forwarding(queue: DurableQueue, options: ForwardingOptions): Forwarding {
  const { work, after, complain } = options;
  const sent = new Map<string, { item: Item; over(run: Run): void }>();
  let owner: QueueOwner | undefined;
  let looking: (() => void) | undefined;
  let wait = firstLook;
  let isAway = false;

  async function look(): Promise<void> {
    looking = undefined;
    if (sent.size === 0) return;
    wait = Math.min(2 * wait, longestLook);
    try {
      for (const run of await work.ended([...sent.values()].map(({ item }) => item.run))) sent.get(run.id)?.over(run);
      isAway = false;
    } catch (error) {
      sayAway(error);
    }
    lookSoon();
  }
  function lookSoon(): void {
    if (sent.size > 0) looking ??= after(wait, () => void look());
  }
  function lookAtOnce(): void {
    if (wait > firstLook) {
      looking?.();
      looking = undefined;
    }
    wait = firstLook;
    lookSoon();
  }
  function sayAway(error: unknown): void {
    if (!isAway) complain(`${messageOf(error)} (automations wait on this machine until then)`);
    isAway = true;
  }

  /** Asks until the database answers, or the run is given back. */
  const reaching = <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    untilReached(
      async () => {
        try {
          return await ask();
        } catch (error) {
          if (isOfStore(error)) sayAway(error);
          throw error;
        }
      },
      { after, signal },
    );

  async function forward(item: Item, { signal, steps }: Caller, to: QueueOwner): Promise<void> {
    if (!steps || !signal) return to.perform(item, {}); // a durable queue gives both
    const { run } = item;
    const because = await steps.step("withdrawal", async () => to.withdrawal?.(item)); // once: what was handed over is asked for again
    if (because !== undefined) {
      const skipped: Run = { ...run, status: "skipped", reason: because, ms: 0 };
      await steps.save(skipped);
      to.changed?.(skipped, item.hook);
      return;
    }
    const added = await reaching(() => work.add(item), signal);
    const last =
      added.is === "skipped"
        ? { ...run, status: "skipped" as const, reason: added.reason, ms: 0 }
        : await endOf(signal);
    if (!last || steps.isLost()) return; // the next process of this store asks again
    await steps.save(last);
    to.changed?.(last);

    /** Undefined: this process stops. */
    function endOf(stop: AbortSignal): Promise<Run | undefined> {
      return new Promise((resolve) => {
        const end = (row: Run | undefined): void => {
          sent.delete(run.id);
          stop.removeEventListener("abort", stopped);
          resolve(row);
        };
        function stopped(): void {
          if (steps?.isLost()) end(undefined);
          else void cancel().catch(() => end(undefined));
        }
        async function cancel(): Promise<void> {
          const over = await reaching(() => work.cancel(run.id), closed.signal);
          if (over) end(over.run);
        }
        sent.set(run.id, { item, over: end });
        if (stop.aborted) stopped();
        else stop.addEventListener("abort", stopped, { once: true });
        lookAtOnce();
      });
    }
  }

  const closed = new AbortController();
  return {
    ...queue,
    async recheck() {
      for (const [id, { item, over }] of sent)
        try {
          const because = await owner?.withdrawal?.(item);
          const taken = because === undefined ? undefined : await work.withdraw(id, because);
          if (taken) over(taken.run);
        } catch (error) {
          sayAway(error); // what could not be taken back is performed as it was queued
        }
    },
    start(given) {
      owner = given;
      queue.start({
        ...given,
        async perform(item, caller) {
          try {
            await forward(item, caller, given);
          } catch (error) {
            if (!caller.steps?.isLost()) complain(messageOf(error)); // it is given back, and sent again
          }
        },
      });
    },
    /** Nothing runs here: what has ended elsewhere is written down, and the next process of this store asks for the rest. */
    async close() {
      if (!isAway) await look();
      await queue.close(handsBackWithin);
      closed.abort();
      looking?.();
    },
  };
}
