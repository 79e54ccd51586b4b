/** Runs that nobody waits for, in this process: for embedders, for `hookline emit`, and inside a supervisor. */
import { HooklineError } from "../core/error.ts";
import type { HookId } from "../core/event.ts";
import type { Caller, Item, Perform, Queue } from "../core/ports.ts";

interface Lane {
  running: Item;
  stop: AbortController;
  waiting: { item: Item; caller: Caller }[];
}

/** One lane per hook: what is due while its hook runs waits, replaces, or is refused, as the hook's overlap says (R53). */
export function createInlineQueue(): Queue {
  const lanes = new Map<HookId, Lane>();
  const working = new Set<Promise<void>>();
  let perform: Perform | undefined;
  let closed = false;

  function launch(item: Item, caller: Caller, waiting: Lane["waiting"]): void {
    const stop = new AbortController();
    const lane: Lane = { running: item, stop, waiting };
    lanes.set(item.hook.id, lane);
    const signal = caller.signal ? AbortSignal.any([caller.signal, stop.signal]) : stop.signal;
    const work = soon()
      .then(() => perform?.(item, { ...caller, signal }))
      .then(() => next(lane));
    working.add(work);
    void work.finally(() => working.delete(work)); // perform never rejects
  }

  function next(lane: Lane): void {
    const following = lane.waiting.shift();
    if (following) launch(following.item, following.caller, lane.waiting);
    else lanes.delete(lane.running.hook.id);
  }

  return {
    start(given) {
      perform = given;
    },
    add(item, caller) {
      if (closed) throw new HooklineError("closed", { name: "the queue", where: item.hook.name });
      const lane = lanes.get(item.hook.id);
      if (!lane) {
        launch(item, caller, []);
        return { is: "queued" };
      }
      return overlaps[item.hook.limits.overlap](lane, item, caller);
    },
    cancel(run) {
      for (const lane of lanes.values()) {
        if (lane.running.run.id === run) lane.stop.abort();
        lane.waiting = lane.waiting.filter(({ item }) => item.run.id !== run);
      }
    },
    async close() {
      closed = true;
      while (working.size > 0) await Promise.all(working);
    },
  };
}

/** After the event has its answer: even a callback that never waits must not delay whoever sent the event. */
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Taken = { is: "queued" } | { is: "skipped"; reason: string };

const overlaps: Record<Item["hook"]["limits"]["overlap"], (lane: Lane, item: Item, caller: Caller) => Taken> = {
  skip: () => ({ is: "skipped", reason: "overlap: it is still running" }),
  queue(lane, item, caller) {
    lane.waiting.push({ item, caller });
    return { is: "queued" };
  },
  coalesce(lane, item, caller) {
    if (lane.waiting.length > 0)
      return { is: "skipped", reason: "overlap: one more run is waiting already and will see the latest" };
    lane.waiting.push({ item, caller });
    return { is: "queued" };
  },
  restart(lane, item, caller) {
    lane.waiting = [{ item, caller }];
    lane.stop.abort();
    return { is: "queued" };
  },
};
