/** Durable runs are written down and left to whoever works on them: all that an agent's tool call has time for (R48). */
import type { Instant } from "../core/event.ts";
import type { Journal } from "../core/journal.ts";
import type { Queue, QueueOwner } from "../core/ports.ts";
import type { Run } from "../core/record.ts";

export function createEnqueuing({ journal, now }: { journal: Journal; now(): Instant }): Queue {
  let owner: QueueOwner | undefined;
  const tell = (run: Run): void => owner?.told?.(run);
  return {
    start(given) {
      owner = given;
    },
    add(item) {
      const added = journal.add(item, now());
      if (added.is === "skipped") return added;
      for (const run of added.ended) tell(run);
      return { is: "queued" };
    },
    cancel(run) {
      const ended = journal.cancel(run, now());
      if (ended) tell(ended);
    },
    async close() {},
  };
}
