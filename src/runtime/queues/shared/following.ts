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

interface State extends FollowingOptions {
  readonly sent: Map<string, Item>;
  /** Runs that are performed already, by why they were called back. */
  readonly told: Map<string, string>;
  readonly waiting: Set<() => void>;
  owner: QueueOwner | undefined;
  /** The database that has them; undefined: it has not been reached yet. */
  place: string | undefined;
  isRecheckDue: boolean;
  isClosed: boolean;
  isAway: boolean;
  next: (() => void) | undefined;
  wait: number;
}

export function followHandedOver(options: FollowingOptions): Following {
  const following: State = {
    ...{ ...options, sent: new Map(), told: new Map(), waiting: new Set(), owner: undefined, place: undefined },
    ...{ isRecheckDue: false, isClosed: false, isAway: false, next: undefined, wait: firstLook },
  };
  const { sent, waiting } = following;
  return {
    start(given) {
      following.owner = given;
      void look(following);
    },
    put(item) {
      sent.set(item.run.id, item);
      if (following.wait > firstLook) {
        following.next?.();
        following.next = undefined;
      }
      following.wait = firstLook;
      lookSoon(following);
    },
    size: () => sent.size,
    async idle() {
      if (sent.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    async recall() {
      const { place } = following;
      if (place !== undefined && sent.size > 0)
        await callBack(following, place).catch((error) => away(following, error));
    },
    recheck: () => withdraw(following).catch((error) => away(following, error)),
    away: (error) => away(following, error),
    back: () => back(following),
    async close() {
      following.next?.();
      if (!following.isAway) await look(following);
      following.isClosed = true;
      following.next?.();
    },
  };
}

function away(following: State, error: unknown): void {
  const { complain } = following;
  if (!following.isAway && !following.isClosed)
    complain(`${messageOf(error)} (automations wait on this machine until then)`);
  following.isAway = true;
}

function back(following: State): void {
  following.isAway = false;
}

async function look(following: State): Promise<void> {
  const { sent } = following;
  following.next = undefined;
  following.wait = Math.min(2 * following.wait, longestLook);
  try {
    following.place ??= await begin(following);
    if (sent.size > 0) await callBack(following, following.place);
    if (following.isRecheckDue) await withdraw(following);
    if (sent.size > 0) await settle(following);
  } catch (error) {
    away(following, error);
  }
  lookSoon(following);
}

async function begin(following: State): Promise<string> {
  const { work, handedOver, sent, complain } = following;
  const to = await work.identity();
  for (const item of handedOver.list(to)) sent.set(item.run.id, item);
  const others = handedOver.elsewhere(to);
  if (others > 0)
    complain(
      `another database has ${others} of this machine's runs: their ends are written here once it is the store again`,
    );
  return to;
}

function lookSoon(following: State): void {
  const { sent, after } = following;
  if (following.owner && !following.isClosed && (sent.size > 0 || following.place === undefined))
    following.next ??= after(following.wait, () => void look(following));
}

async function settle(following: State): Promise<void> {
  const { work, sent } = following;
  const left = await work.left([...sent.values()].map(({ run }) => run));
  back(following);
  for (const [run, row] of left)
    if (row) end(following, row);
    else takeBack(following, run); // a server that was restored, or took over, has lost it
}

async function callBack(following: State, to: string): Promise<void> {
  const { handedOver, told, work } = following;
  for (const { run, cancelled } of handedOver.recalled(to)) {
    const why = cancelled ?? isPaused;
    if (told.get(run) === why) continue;
    told.set(run, why);
    try {
      if (cancelled !== undefined) endAs(following, await work.cancel(run, cancelled));
      else if (await work.takeBack(run)) takeBack(following, run);
    } catch (error) {
      told.delete(run);
      throw error;
    }
  }
}

async function withdraw(following: State): Promise<void> {
  const { sent, work } = following;
  following.isRecheckDue = false;
  try {
    for (const [id, item] of sent) {
      const because = await following.owner?.withdrawal?.(item);
      if (because !== undefined) endAs(following, await work.withdraw(id, because));
    }
  } catch (error) {
    following.isRecheckDue = true;
    throw error;
  }
}

/** @param hook given where the run was ended for this machine */
function end(following: State, row: Run, hook?: Item["hook"]): void {
  const { sent, handedOver } = following;
  if (!sent.has(row.id)) return;
  handedOver.settle(row);
  leave(following, row.id);
  following.owner?.changed?.(row, hook);
}

function endAs(following: State, over: Ended | undefined): void {
  if (over) end(following, over.run, over.hook);
}

function takeBack(following: State, run: string): void {
  const { handedOver, now, tookBack } = following;
  const over = handedOver.takeBack(run, now());
  leave(following, run);
  if (over) following.owner?.changed?.(over.run, over.hook);
  tookBack();
}

function leave(following: State, run: string): void {
  const { sent, told, waiting } = following;
  sent.delete(run);
  told.delete(run);
  if (sent.size > 0) return;
  for (const resolve of waiting) resolve();
  waiting.clear();
}
