/** Runs that no caller waits for: in this process, or, where it ends soon, each under a detached supervisor (R61). */
import type { Stream } from "node:stream";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { HookId, Seconds } from "../../engine/event.ts";
import type { Caller, DetachedWork, Item, Queue, QueueOwner } from "../../engine/ports.ts";
import { fullQueue, inTransit } from "../../engine/queue.ts";
import { nextTurn } from "../system.ts";

interface HookQueue {
  running: Item;
  stop: AbortController;
  waiting: { item: Item; caller: Caller }[];
}

interface InlineQueue extends Queue {
  /** Resolves once nothing runs or waits; it goes on taking items. */
  idle(): Promise<void>;
  /** Tells all that runs to end, and drops what waits. */
  stop(): void;
}

/**
 * One queue per hook: what is due while its hook runs waits, replaces, or is refused, as the hook's overlap says (R53).
 *
 * @example const line = await createHookline({ queue: createInlineQueue() });
 */
export function createInlineQueue(): InlineQueue {
  const queues = new Map<HookId, HookQueue>();
  const working = new Set<Promise<void>>();
  let owner: QueueOwner | undefined;
  let closed = false;

  function launch(item: Item, caller: Caller, waiting: HookQueue["waiting"]): void {
    const stop = new AbortController();
    const own: HookQueue = { running: item, stop, waiting };
    queues.set(item.hook.id, own);
    const signal = caller.signal ? AbortSignal.any([caller.signal, stop.signal]) : stop.signal;
    const work = nextTurn() // even a callback that never waits must not delay the sender of the event
      .then(() => owner?.perform(item, { ...caller, signal }))
      .then(() => next(own));
    working.add(work);
    void work.finally(() => working.delete(work)); // perform never rejects
  }

  function next(own: HookQueue): void {
    const following = own.waiting.shift();
    if (following) launch(following.item, following.caller, own.waiting);
    else queues.delete(own.running.hook.id);
  }

  const waitingInAll = (): number => [...queues.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);

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
      const own = queues.get(item.hook.id);
      if (!own) {
        launch(item, caller, []);
        return { is: "queued" };
      }
      const { taken, dropped, restarts } = overlaps[item.hook.limits.overlap](own);
      const full = dropped ? undefined : fullQueue({ ofHook: own.waiting.length, inAll: waitingInAll() });
      if (taken.is === "queued" && full !== undefined) return { is: "skipped", reason: full };
      if (taken.is === "queued") own.waiting = [...(dropped ? [] : own.waiting), { item, caller }];
      for (const { item: earlier } of dropped ?? []) drop(earlier, "overlap: a later event took its place");
      if (restarts) own.stop.abort();
      return taken;
    },
    cancel(run) {
      for (const own of queues.values()) {
        if (own.running.run.id === run) own.stop.abort();
        for (const { item } of own.waiting) if (item.run.id === run) drop(item, "cancelled before it started");
        own.waiting = own.waiting.filter(({ item }) => item.run.id !== run);
      }
    },
    idle,
    stop() {
      for (const own of queues.values()) {
        for (const { item } of own.waiting.splice(0)) drop(item, "its process stopped before it started");
        own.stop.abort();
      }
    },
    async close() {
      await idle();
      closed = true;
    },
  };
}

type Taken = { is: "queued" } | { is: "skipped"; reason: string };
interface Overlap {
  taken: Taken;
  /** Waiting items whose place the new one takes. */
  dropped?: readonly { item: Item }[];
  restarts?: true;
}

/** What becomes of an event that comes while its hook is running (R23, R53). */
const overlaps: Record<Item["hook"]["limits"]["overlap"], (own: HookQueue) => Overlap> = {
  skip: () => ({ taken: { is: "skipped", reason: "overlap: it is still running" } }),
  queue: () => ({ taken: { is: "queued" } }),
  coalesce: ({ waiting }) => ({ taken: { is: "queued" }, dropped: waiting }),
  restart: ({ waiting }) => ({ taken: { is: "queued" }, dropped: waiting, restarts: true }),
};

/** What a supervisor reads on its standard input. */
export interface Assignment {
  item: Item;
  store: string;
  /** Set: the program runs already; look after it. Its output arrives on descriptors 3 and 4. */
  adopted?: { pid: number; tag: string; limit: Seconds };
}

interface DetachedQueueOptions {
  /** How this command is started: absolute paths of Node and of the bin, and the supervisor's own words. */
  command: readonly [string, ...string[]];
  store: string;
}

/** A supervisor that has not taken its run over by then never will. */
const startsWithin = 60_000;

export function createDetachedQueue({ command, store }: DetachedQueueOptions): Queue {
  const [program, ...words] = command;

  function supervise(assignment: Assignment, caller: Caller, streams: readonly unknown[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const { spawn } = process.getBuiltinModule("node:child_process"); // 5 ms to load: only an async hook pays it
      const child = spawn(program, words, {
        detached: true,
        stdio: ["pipe", "ignore", "ignore", ...streams.map((stream) => stream as Stream)], // a released pipe of the program
        env: { ...caller.environment },
        cwd: "/",
      });
      const failed = (error: unknown): void =>
        reject(
          new HooklineError("hook_invalid", {
            name: assignment.item.hook.name,
            reason: messageOf(error),
            where: program,
          }),
        );
      child.on("error", failed);
      child.stdin?.on("error", failed);
      child.stdin?.end(JSON.stringify(assignment), () => {
        child.unref();
        resolve(); // after an error the promise has rejected already
      });
    });
  }

  return {
    start() {}, // the supervisor has an engine of its own
    async add(item, caller) {
      await supervise({ item, store }, caller, []);
      return { is: "queued" };
    },
    async adopt(item: Item, work: DetachedWork, caller: Caller) {
      const { pid, tag, stdout, stderr, limit } = work.release();
      await supervise({ item, store, adopted: { pid, tag, limit } }, caller, [stdout, stderr]);
    },
    cancel() {},
    owner: () => inTransit(Date.now() + startsWithin),
    async close() {},
  };
}
