/** What a daemon shares with other machines by a Postgres store: automations' runs, and which machine fires what a clock sets off. */
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import type { HandedOver } from "../../engine/journal.ts";
import type { Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { DurableQueue } from "../../runtime/queues/durable.ts";
import { type Forwarding, forwarding } from "../../runtime/queues/shared/forwarded.ts";
import { clockClaims } from "../../storage/postgres/clock-claims.ts";
import { openConnection } from "../../storage/postgres/connection.ts";
import { createSharedWork } from "../../storage/postgres/shared-work/shared-work.ts";
import { openWorker, type Worker, type WorkerOptions } from "../worker/worker.ts";

export interface SharingOptions extends Omit<WorkerOptions, "expelled">, Pick<Ports, "after"> {}

export interface Sharing {
  /** Runs go to the database when it takes them; until then they wait in this machine's store. */
  forward(queue: DurableQueue, handedOver: HandedOver): Forwarding;
  /** The store of clocks: of all machines one fires. */
  claiming<S extends Pick<Store, "claim" | "peek">>(store: S): S;
  /**
   * Begins to perform runs as soon as the database can be reached: for a machine that has automations, as others need ask the database
   * nothing. Resolves after the first attempt. Safe to call twice.
   */
  work(): Promise<void>;
  /** `worker`: the name by which it performs runs, and `reason` why it performs none; both null: it has no automations. */
  facts(): Fields;
  /** Performs no more runs: the last ones end, or are given back (A50). */
  endWork(): Promise<void>;
  /** Last: what forwarded runs have come to is asked for until then. */
  close(): Promise<void>;
}

const triesEvery = 5_000;
/** What is not said for so long is news. */
const sameOutage = 60_000;
/** Who waits for a clock does not wait longer for the database: the next look asks again. */
const clocksWait = 2_000;

/** Connects when it is first asked. Throws HooklineError store_unusable for an address that is not taken. */
export function openSharing(options: SharingOptions): Sharing {
  const { url, redact, after } = options;
  const connection = openConnection({ url });
  const clocks = openConnection({ url, connections: 1, patience: clocksWait, connectTimeout: clocksWait });
  const work = createSharedWork({ connection, ...(redact ? { redact } : {}) });
  const said = new Map<string, number>();
  let worker: Worker | undefined;
  let reason: string | undefined; // none for a machine without automations
  let opening: Promise<void> | undefined;
  let undo: (() => void) | undefined;
  let isClosed = false;

  /** Each sentence once for each time that the database is away: what is tried again says it again and again. */
  function complain(message: string): void {
    const now = performance.now();
    if (now - (said.get(message) ?? Number.NEGATIVE_INFINITY) > sameOutage) options.complain(message);
    said.set(message, now);
  }

  async function open(): Promise<void> {
    try {
      const opened = await openWorker({
        ...options,
        complain,
        expelled: () => {
          reason = "another process has this worker's name";
          options.complain(`${reason}: it performs no automations`);
        },
      });
      worker = opened;
      reason = undefined;
      if (isClosed) await opened.close();
    } catch (error) {
      reason = messageOf(error);
      complain(`${reason} (this machine's own hooks go on without it)`);
      if (!isClosed) undo = after(triesEvery, () => void open());
    }
  }

  function begin(): Promise<void> {
    opening ??= isClosed ? Promise.resolve() : open();
    return opening;
  }

  return {
    forward: (queue, handedOver) =>
      forwarding(queue, {
        work: {
          ...work,
          add(item) {
            void begin(); // its project may lie on this machine alone
            return work.add(item);
          },
        },
        ...{ handedOver, now: Date.now, after, complain },
      }),
    claiming: (store) => ({ ...store, ...clockClaims(clocks) }),
    work: begin,
    facts: () => ({ store: connection.address.shown, worker: worker ? options.name : null, reason: reason ?? null }),
    async endWork() {
      isClosed = true;
      undo?.();
      await worker?.close();
    },
    async close() {
      await Promise.all([connection.close(), clocks.close()]);
    },
  };
}
