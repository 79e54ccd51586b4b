/** Follows what this machine has handed over to others, until each end is written down here; and calls back what is to wait, or to end. */
import { messageOf } from "../../../engine/error.ts";
import type { Instant } from "../../../engine/event.ts";
import type { Ended, HandedOver } from "../../../engine/journal.ts";
import type { Item, Ports, QueueOwner } from "../../../engine/ports.ts";
import type { Run } from "../../../engine/record.ts";
import type { SharedWork } from "../../../engine/shared-work.ts";

export interface FollowingOptions extends Pick<Ports, "after"> {
  work: Pick<SharedWork, "identity" | "cancel" | "withdraw" | "takeBack" | "left">;
  handedOver: HandedOver;
  now(): Instant;
  /** Runs wait here again. */
  tookBack(): void;
  /** Called once for each time that the database is away. */
  complain(reason: string): void;
}

/** No method rejects. */
export interface Following {
  start(owner: QueueOwner): void;
  /** Just now it was handed over. */
  put(item: Item): void;
  size(): number;
  /** Resolves once nothing of it is left. */
  idle(): Promise<void>;
  /** Calls back what was cancelled or paused. One that is performed goes on; of a cancellation its worker hears. */
  recall(): Promise<void>;
  /** Hooks have changed: ends what waits elsewhere and may not run any more; while the database is away, as soon as it is back. */
  recheck(): Promise<void>;
  /** The database does not answer, for this reason: said once, until it is back. */
  away(error: unknown): void;
  back(): void;
  /** Writes down what has ended by now, if the database is there. Looks no more. */
  close(): Promise<void>;
}

/** Milliseconds until it looks for what has ended; and ever more rarely. */
const firstLook = 100;
const longestLook = 1_000;
const isPaused = "it is paused";

export function followHandedOver(options: FollowingOptions): Following {
  const { work, handedOver, now, after, tookBack, complain } = options;
  const sent = new Map<string, Item>();
  /** Runs that are performed already, by why they were called back. */
  const told = new Map<string, string>();
  const waiting = new Set<() => void>();
  let owner: QueueOwner | undefined;
  /** The database that has them; undefined: it has not been reached yet. */
  let place: string | undefined;
  let isRecheckDue = false;
  let isClosed = false;
  let isAway = false;
  let next: (() => void) | undefined;
  let wait = firstLook;

  function away(error: unknown): void {
    if (!isAway && !isClosed) complain(`${messageOf(error)} (automations wait on this machine until then)`);
    isAway = true;
  }
  function back(): void {
    isAway = false;
  }

  async function look(): Promise<void> {
    next = undefined;
    wait = Math.min(2 * wait, longestLook);
    try {
      place ??= await begin();
      if (sent.size > 0) await callBack(place);
      if (isRecheckDue) await withdraw();
      if (sent.size > 0) await settle();
    } catch (error) {
      away(error);
    }
    lookSoon();
  }
  async function begin(): Promise<string> {
    const to = await work.identity();
    for (const item of handedOver.list(to)) sent.set(item.run.id, item);
    const others = handedOver.elsewhere(to);
    if (others > 0)
      complain(
        `another database has ${others} of this machine's runs: their ends are written here once it is the store again`,
      );
    return to;
  }
  function lookSoon(): void {
    if (owner && !isClosed && (sent.size > 0 || place === undefined)) next ??= after(wait, () => void look());
  }
  async function settle(): Promise<void> {
    const left = await work.left([...sent.values()].map(({ run }) => run));
    back();
    for (const [run, row] of left)
      if (row) end(row);
      else takeBack(run); // a server that was restored, or took over, has lost it
  }
  async function callBack(to: string): Promise<void> {
    for (const { run, cancelled } of handedOver.recalled(to)) {
      const why = cancelled ?? isPaused;
      if (told.get(run) === why) continue;
      told.set(run, why);
      try {
        if (cancelled !== undefined) endAs(await work.cancel(run, cancelled));
        else if (await work.takeBack(run)) takeBack(run);
      } catch (error) {
        told.delete(run);
        throw error;
      }
    }
  }

  async function withdraw(): Promise<void> {
    isRecheckDue = false;
    try {
      for (const [id, item] of sent) {
        const because = await owner?.withdrawal?.(item);
        if (because !== undefined) endAs(await work.withdraw(id, because));
      }
    } catch (error) {
      isRecheckDue = true;
      throw error;
    }
  }

  /** @param hook given where the run was ended for this machine */
  function end(row: Run, hook?: Item["hook"]): void {
    if (!sent.has(row.id)) return;
    handedOver.settle(row);
    leave(row.id);
    owner?.changed?.(row, hook);
  }
  const endAs = (over: Ended | undefined): void => void (over && end(over.run, over.hook));
  function takeBack(run: string): void {
    const over = handedOver.takeBack(run, now());
    leave(run);
    if (over) owner?.changed?.(over.run, over.hook);
    tookBack();
  }
  function leave(run: string): void {
    sent.delete(run);
    told.delete(run);
    if (sent.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  return {
    start(given) {
      owner = given;
      void look();
    },
    put(item) {
      sent.set(item.run.id, item);
      if (wait > firstLook) {
        next?.();
        next = undefined;
      }
      wait = firstLook;
      lookSoon();
    },
    size: () => sent.size,
    async idle() {
      if (sent.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    recall: () => (place !== undefined && sent.size > 0 ? callBack(place).catch(away) : Promise.resolve()),
    recheck: () => withdraw().catch(away),
    away,
    back,
    async close() {
      next?.();
      if (!isAway) await look();
      isClosed = true;
      next?.();
    },
  };
}
