/** Looks at an agent's own record of a session a moment after its turn has ended: the agent has its answer, and waits for nothing. */
import type { HookEvent } from "../../engine/event.ts";
import type { Observation, Ports } from "../../engine/ports.ts";

interface CoverageWatchOptions extends Pick<Ports, "after"> {
  /** What one agent has recorded in the project of a folder; it ends soon after the signal. Must not reject. */
  look(folder: string, sender: string, signal: AbortSignal): Promise<void>;
}

interface CoverageWatch {
  observe(seen: Observation): void;
  /** Ends the look that goes on. Safe to call twice. */
  close(): Promise<void>;
}

/** What an agent sends when it has done with something. */
const ends: ReadonlySet<HookEvent["name"]> = new Set(["Stop", "StopFailure", "SessionEnd"] as const);
/** Milliseconds, in which the agent writes its last lines. */
const soon = 1_000;

/** One look at a time, and one for all ends of a moment of an agent in one folder. */
export function createCoverageWatch({ after, look }: CoverageWatchOptions): CoverageWatch {
  const waiting = new Map<string, () => void>();
  const closing = new AbortController();
  let going: Promise<void> = Promise.resolve();
  return {
    observe(seen) {
      if (seen.is !== "event" || !ends.has(seen.event.name)) return;
      const { cwd, sender } = seen.event;
      const key = JSON.stringify([cwd, sender]);
      waiting.get(key)?.();
      waiting.set(
        key,
        after(soon, () => {
          waiting.delete(key);
          going = going.then(() => (closing.signal.aborted ? undefined : look(cwd, sender, closing.signal)));
        }),
      );
    },
    close() {
      for (const undo of waiting.values()) undo();
      waiting.clear();
      closing.abort();
      return going;
    },
  };
}
