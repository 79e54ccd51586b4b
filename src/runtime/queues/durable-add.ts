/** Durable runs are written down and left to whoever works on them: all that an agent's tool call has time for (R48). */
import type { Instant } from "../../engine/event.ts";
import type { Ended, Journal } from "../../engine/journal.ts";
import type { Queue, QueueOwner } from "../../engine/ports.ts";

export function createEnqueuing({ journal, now }: { journal: Journal; now(): Instant }): Queue {
  let owner: QueueOwner | undefined;
  const tell = ({ run, hook }: Ended): void => owner?.told?.(run, hook);
  return {
    start(given) {
      owner = given;
    },
    add(item) {
      const added = journal.add(item, now());
      if (added.is === "skipped") return added;
      for (const one of added.ended) tell(one);
      return { is: "queued" };
    },
    cancel(run) {
      const ended = journal.cancel(run, now());
      if (ended) tell(ended);
    },
    async close() {
      try {
        journal.tidy();
      } catch {
        // the store is broken, locked or full: whoever added something has heard of that, and the next one tidies up
      }
    },
  };
}
