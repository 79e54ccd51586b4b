/** Composes the queue of durable runs over a store, as far as the store outlasts the process. Apart, because few events need it. */
import type { Caller } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import { endTagged } from "../../runtime/processes/tree.ts";
import { createDurableQueue, type DurableQueue, type DurableQueueOptions } from "../../runtime/queues/durable.ts";
import { createEnqueuing, type Settling } from "../../runtime/queues/routed.ts";
import { after, isAlive, ownerOf, uptime } from "../../runtime/system.ts";
import { createJournal, lastingStore } from "../../storage/sqlite/journal.ts";

export interface DurableOptions
  extends Pick<DurableQueueOptions, "own" | "onlyWaits" | "stop" | "complain" | "lease" | "poll" | "idlePoll"> {
  /** Runs at once, over all processes; asked each time (specification 000, max_concurrent_hooks). */
  cap(): number | undefined;
  /** What runs inherit, whichever process added them (R44). */
  environment: NonNullable<Caller["environment"]>;
}

const usualCap = 2;

/** A worker. Throws where the store holds nothing beyond the process. */
export function openDurableQueue(store: Store, { cap, ...options }: DurableOptions): DurableQueue {
  return createDurableQueue({
    ...options,
    journal: createJournal(lasting(store)),
    now: Date.now,
    uptime,
    after,
    owner: ownerOf(process.pid),
    isAlive,
    endTagged: (mark) => endTagged(mark),
    cap: () => cap() ?? usualCap,
  });
}

/** Writes runs down for others to perform. Throws where the store holds nothing beyond the process. */
export const openEnqueuing = (store: Store): Settling =>
  createEnqueuing({ journal: createJournal(lasting(store)), now: Date.now });

function lasting(store: Store): Parameters<typeof createJournal>[0] {
  const found = lastingStore(store);
  if (!found) throw new Error("runs that outlast the process need the SQLite store");
  return found;
}
