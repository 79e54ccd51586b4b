/**
 * Durable runs that are written down here and performed by whichever machine is first: an acknowledgement waits for this machine's disk
 * alone, and what the database cannot take now waits here.
 */
import { isOfStore, messageOf } from "../../../engine/error.ts";
import type { Caller, Item, QueueOwner } from "../../../engine/ports.ts";
import type { Run } from "../../../engine/record.ts";
import type { SharedWork } from "../../../engine/shared-work.ts";
import type { DurableQueue } from "../durable.ts";
import { untilReached } from "./attempt.ts";
import { type Following, type FollowingOptions, followHandedOver } from "./following.ts";

export interface ForwardingOptions extends Omit<FollowingOptions, "tookBack"> {
  work: FollowingOptions["work"] & Pick<SharedWork, "add">;
}

export type Forwarding = DurableQueue & Pick<Following, "recheck">;

/** Seconds. */
const handsBackWithin = 0.2;

/** Forwards what the queue would perform. */
export function forwarding(queue: DurableQueue, options: ForwardingOptions): Forwarding {
  const { work, after, complain } = options;
  const following = followHandedOver({ ...options, tookBack: queue.look });

  async function add(item: Item): Promise<{ is: "queued"; to: string } | { is: "skipped"; reason: string }> {
    try {
      const to = await work.identity();
      const added = await work.add(item);
      following.back();
      return added.is === "queued" ? { is: "queued", to } : added;
    } catch (error) {
      if (isOfStore(error)) following.away(error);
      throw error;
    }
  }

  async function forward(item: Item, { signal, steps }: Caller, to: QueueOwner): Promise<void> {
    if (!steps?.handOver || !signal) return to.perform(item, {}); // a durable queue gives both
    const because = await steps.step("withdrawal", async () => to.withdrawal?.(item)); // once: what was handed over is asked for again
    const added =
      because === undefined
        ? await untilReached(() => add(item), { after, signal })
        : { is: "skipped" as const, reason: because };
    if (added.is === "queued") {
      await steps.handOver(added.to);
      following.put(item);
    } else {
      const skipped: Run = { ...item.run, status: "skipped", reason: added.reason, ms: 0 };
      await steps.save(skipped);
      to.changed?.(skipped, item.hook);
    }
  }

  return {
    ...queue,
    look() {
      queue.look();
      void following.recall();
    },
    isIdle: () => queue.isIdle() && following.size() === 0,
    async idle() {
      await queue.idle();
      for (; following.size() > 0; await queue.idle()) await following.idle();
    },
    async cancel(run) {
      await queue.cancel(run);
      await following.recall();
    },
    recheck: following.recheck,
    start(given) {
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
      following.start(given);
    },
    /** Nothing runs here: what has ended elsewhere is written down, and the next process of this store asks for the rest. */
    async close() {
      await queue.close(handsBackWithin);
      await following.close();
    },
  };
}
