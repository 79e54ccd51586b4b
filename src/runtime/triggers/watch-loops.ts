/**
 * Watches that feed themselves: a run changes what its own watch, or the watch of another hook that then runs, looks at. Nothing says
 * which program has written a file, so a change counts as a run's where it was seen while that run went on. An automation that begins then
 * counts as set off by that run too: a program may send an event by any door.
 */
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { HookEvent, Instant, Seconds } from "../../engine/event.ts";
import type { Observation } from "../../engine/ports.ts";

export interface WatchLoops {
  /** Hears of all runs. */
  observe(seen: Observation): void;
  /**
   * The event as it is sent: of too many that came out of each other it says why nothing more runs. The next change that no run has
   * made begins anew.
   *
   * @param changed when the change was seen
   * @param late how much later than it was made, at most
   */
  counted(event: HookEvent, changed: Instant, late: Seconds): HookEvent;
}

/** Runs that came out of each other. */
const roundsAtMost = 10;
/** A run is known to be over as soon as its program has ended, and the system reports what that wrote a moment later. */
const leeway: Seconds = 1;
/** Hooks that a sentence names, and events and runs that are remembered. */
const namedAtMost = 3;
const rememberedAtMost = 1_000;

/** How often it went round before, and through which hooks. */
interface Round {
  count: number;
  through: readonly string[];
}
interface Going extends Round {
  from: Instant;
  until?: Instant;
}

export function createWatchLoops({ now }: { now(): Instant }): WatchLoops {
  const sent = new Map<string, Round>();
  const runs = new Map<string, Going>();

  /** The run that made the change, of several the one that has gone round most often. */
  function before(changed: Instant, late: Seconds): Going | undefined {
    let found: Going | undefined;
    for (const run of runs.values()) {
      const isWithin = run.from - late * 1000 <= changed && changed <= (run.until ?? changed) + (late + leeway) * 1000;
      if (isWithin && run.count >= (found?.count ?? 0)) found = run;
    }
    return found;
  }

  return {
    observe(seen) {
      if (seen.is !== "run") return;
      const { id, eventId, hookName, status, startedAt } = seen.run;
      if (status === "queued") return;
      const going = runs.get(id);
      if (status !== "running") {
        if (going) going.until ??= now();
        return;
      }
      const round = sent.get(eventId) ?? (seen.hook ? before(startedAt, 0) : undefined);
      if (going || !round) return;
      const through = [...round.through.filter((name) => name !== hookName), hookName];
      runs.set(id, { count: round.count, through, from: startedAt });
      dropOldest(runs, rememberedAtMost);
    },
    counted(event, changed, late) {
      const { count = 0, through = [] } = before(changed, late) ?? {};
      if (count >= roundsAtMost && event.to)
        return { ...event, to: { ...event.to, instead: { is: "failed", because: sentenceOf(event, through) } } };
      sent.set(event.id, { count: count + 1, through });
      dropOldest(sent, rememberedAtMost);
      return event;
    },
  };
}

function sentenceOf({ data }: HookEvent, through: readonly string[]): string {
  const names = through.slice(-namedAtMost).map((name) => `"${name}"`);
  const loop = names.length > 1 ? `${names.join(" and ")} set each other off` : `${names.join("")} sets itself off`;
  return `a loop: ${loop}: ${String(data.path)} was changed during each of the last ${roundsAtMost} runs, so this one is left out — let it write elsewhere, or watch less`;
}
