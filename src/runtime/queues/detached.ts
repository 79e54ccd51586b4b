/** Runs that nobody waits for, where no process stays: one detached supervisor per run, which ends with it (R61). */
import type { Stream } from "node:stream";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import type { Caller, DetachedWork, Item, Queue } from "../../engine/ports.ts";
import { handedOver } from "../../engine/queue.ts";

/** What a supervisor reads on its standard input. */
export interface Assignment {
  item: Item;
  store: string;
  /** Set: the program runs already; look after it. Its output arrives on descriptors 3 and 4. */
  adopted?: { pid: number; tag: string; limit: Seconds };
}

export interface DetachedQueueOptions {
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
    owner: () => handedOver(Date.now() + startsWithin),
    async close() {},
  };
}
