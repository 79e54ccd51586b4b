/** Runs that nobody waits for, in this process: for embedders, for `hookline emit`, and inside a supervisor. */
import { HooklineError } from "../../engine/error.ts";
import type { HookId } from "../../engine/event.ts";
import type { Caller, Item, Queue, QueueOwner } from "../../engine/ports.ts";
import { fullQueue } from "../../engine/queue.ts";

interface Lane {
  running: Item;
  stop: AbortController;
  waiting: { item: Item; caller: Caller }[];
}

export interface InlineQueue extends Queue {
  /** Resolves once nothing runs or waits; it goes on taking items. */
  idle(): Promise<void>;
  /** Tells all that runs to end, and drops what waits. */
  stop(): void;
}

/** One lane per hook: what is due while its hook runs waits, replaces, or is refused, as the hook's overlap says (R53). */
export function createInlineQueue(): InlineQueue {
  const lanes = new Map<HookId, Lane>();
  const working = new Set<Promise<void>>();
  let owner: QueueOwner | undefined;
  let closed = false;

  function launch(item: Item, caller: Caller, waiting: Lane["waiting"]): void {
    const stop = new AbortController();
    const lane: Lane = { running: item, stop, waiting };
    lanes.set(item.hook.id, lane);
    const signal = caller.signal ? AbortSignal.any([caller.signal, stop.signal]) : stop.signal;
    const work = soon()
      .then(() => owner?.perform(item, { ...caller, signal }))
      .then(() => next(lane));
    working.add(work);
    void work.finally(() => working.delete(work)); // perform never rejects
  }

  function next(lane: Lane): void {
    const following = lane.waiting.shift();
    if (following) launch(following.item, following.caller, lane.waiting);
    else lanes.delete(lane.running.hook.id);
  }

  const waitingInAll = (): number => [...lanes.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);

  function drop(item: Item, reason: string): void {
    const dropping = owner?.drop(item, reason) ?? Promise.resolve();
    working.add(dropping);
    void dropping.finally(() => working.delete(dropping)); // drop never rejects
  }

  /** What runs may add more, which is run as well. */
  async function idle(): Promise<void> {
    while (working.size > 0) await Promise.all(working);
  }

  return {
    start(given) {
      owner = given;
    },
    add(item, caller) {
      if (closed) throw new HooklineError("closed", { name: "the queue", where: item.hook.name });
      const lane = lanes.get(item.hook.id);
      if (!lane) {
        launch(item, caller, []);
        return { is: "queued" };
      }
      const { taken, dropped, restarts } = overlaps[item.hook.limits.overlap](lane);
      const full = dropped ? undefined : fullQueue({ ofHook: lane.waiting.length, inAll: waitingInAll() });
      if (taken.is === "queued" && full !== undefined) return { is: "skipped", reason: full };
      if (taken.is === "queued") lane.waiting = [...(dropped ? [] : lane.waiting), { item, caller }];
      for (const { item: earlier } of dropped ?? []) drop(earlier, "overlap: a later event took its place");
      if (restarts) lane.stop.abort();
      return taken;
    },
    cancel(run) {
      for (const lane of lanes.values()) {
        if (lane.running.run.id === run) lane.stop.abort();
        for (const { item } of lane.waiting) if (item.run.id === run) drop(item, "cancelled before it started");
        lane.waiting = lane.waiting.filter(({ item }) => item.run.id !== run);
      }
    },
    idle,
    stop() {
      for (const lane of lanes.values()) {
        for (const { item } of lane.waiting.splice(0)) drop(item, "its process stopped before it started");
        lane.stop.abort();
      }
    },
    async close() {
      await idle();
      closed = true;
    },
  };
}

/** After the event has its answer: even a callback that never waits must not delay whoever sent the event. */
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Taken = { is: "queued" } | { is: "skipped"; reason: string };
interface Overlap {
  taken: Taken;
  /** Waiting items whose place the new one takes. */
  dropped?: readonly { item: Item }[];
  restarts?: true;
}

/** What becomes of an event that comes while its hook is running (R23, R53). */
const overlaps: Record<Item["hook"]["limits"]["overlap"], (lane: Lane) => Overlap> = {
  skip: () => ({ taken: { is: "skipped", reason: "overlap: it is still running" } }),
  queue: () => ({ taken: { is: "queued" } }),
  coalesce: ({ waiting }) => ({ taken: { is: "queued" }, dropped: waiting }),
  restart: ({ waiting }) => ({ taken: { is: "queued" }, dropped: waiting, restarts: true }),
};
