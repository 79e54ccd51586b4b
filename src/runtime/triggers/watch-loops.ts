/**
 * Watches that feed themselves: a run changes what its own watch, or the watch of another hook of its workspace that then runs, looks at.
 * Nothing says which program has written a file, so a change counts as a run's where it was seen while that run went on. An automation that
 * begins then, but by a clock, counts as set off by that run too: a program may send an event by any door. A person's edits look the same,
 * as long as each of them meets a run. So the last round waits until no run of theirs goes on: a person's next edit comes then, and a
 * loop's does not.
 */
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { HookEvent, HookId, Instant, Seconds } from "../../engine/event.ts";
import type { Observation, Ports } from "../../engine/ports.ts";

export interface WatchLoops {
  /** Hears of all runs. */
  observe(seen: Observation): void;
  /**
   * Hands the event on: at once, as a rule. The last round waits for a quiet moment. Of too many rounds the event says why nothing
   * more runs. The next change that no run has made begins anew.
   */
  pass(change: Change): void;
  /** What waits is dropped. Safe to call twice. */
  close(): void;
}

export interface Change {
  event: HookEvent;
  /** Of its hook; undefined: a person's own hook, of no workspace. */
  workspace: string | undefined;
  /** When it was seen. */
  changed: Instant;
  /** How much later it was seen than made, at most. */
  late: Seconds;
  deliver(event: HookEvent): void;
}

/** Runs that came out of each other. */
const roundsAtMost = 10;
/** A run is known to be over as soon as its program has ended, and the system reports what that wrote a moment later. */
const leeway: Seconds = 1;
/** A change is not kept for longer than this after the run that it met. */
const quietAtMost: Seconds = 60;
/** Hooks that a sentence names, and events and runs that are remembered. */
const namedAtMost = 3;
const rememberedAtMost = 1_000;

/** How often it went round before, and through which hooks. */
interface Round {
  count: number;
  through: readonly string[];
  /** Whose runs these are. */
  workspace: string | undefined;
}
interface Going extends Round {
  from: Instant;
  until?: Instant;
}

/** What waits for one hook until the run that it met is over, and then for a quiet moment. */
interface Held {
  run: Going;
  changes: Change[];
  cancel?: () => void;
}

export function createWatchLoops({ now, after }: Pick<Ports, "now" | "after">): WatchLoops {
  const sent = new Map<string, Round>();
  const runs = new Map<string, Going>();
  const held = new Map<HookId | undefined, Held>();

  /** The run of the workspace that was going on then, of several the one that has gone round most often. */
  function before(changed: Instant, late: Seconds, workspace: string | undefined): Going | undefined {
    let found: Going | undefined;
    for (const run of runs.values()) {
      if (run.workspace !== workspace) continue;
      const isWithin = run.from - late * 1000 <= changed && changed <= (run.until ?? changed) + (late + leeway) * 1000;
      if (isWithin && run.count >= (found?.count ?? 0)) found = run;
    }
    return found;
  }

  function send({ event, workspace, deliver }: Change, { count, through }: Pick<Round, "count" | "through">): void {
    sent.set(event.id, { count: count + 1, through, workspace });
    dropOldest(sent, rememberedAtMost);
    deliver(event);
  }

  function release(hook: HookId | undefined, round?: Round): void {
    const waiting = held.get(hook);
    held.delete(hook);
    waiting?.cancel?.();
    for (const change of waiting?.changes ?? []) send(change, round ?? begun);
  }

  /** A person whose edits met each run edits at least as often as that: the next edit comes before the end of it. */
  function waitForQuiet(hook: HookId | undefined): void {
    const waiting = held.get(hook);
    const { until, from } = waiting?.run ?? {};
    if (!waiting || waiting.cancel || until === undefined || from === undefined) return;
    const late = Math.max(...waiting.changes.map((one) => one.late));
    const quiet = Math.min(until - from + 2 * (late + leeway) * 1000, quietAtMost * 1000);
    waiting.cancel = after(quiet, () => release(hook, waiting.run));
  }

  return {
    observe(seen) {
      if (seen.is !== "run") return;
      const { id, eventId, eventName, hookName, status, startedAt } = seen.run;
      if (status === "queued") return;
      const going = runs.get(id);
      if (status !== "running") {
        if (going) going.until ??= now();
        for (const [hook, { run }] of held) if (run === going) waitForQuiet(hook);
        return;
      }
      const workspace = seen.hook?.origin.root;
      const isSetOff = seen.hook !== undefined && eventName !== "schedule.due"; // a clock is set off by no run
      const round = sent.get(eventId) ?? (isSetOff ? before(startedAt, 0, workspace) : undefined);
      if (going || !round) return;
      const through = [...round.through.filter((name) => name !== hookName), hookName];
      runs.set(id, { count: round.count, through, from: startedAt, workspace: round.workspace });
      dropOldest(runs, rememberedAtMost);
    },
    pass(change) {
      const { event, workspace, changed, late } = change;
      const run = before(changed, late, workspace);
      const hook = event.to?.hook;
      const waiting = held.get(hook);
      if (!run) {
        release(hook);
        send(change, begun);
      } else if (waiting) {
        if (waiting.changes.push(change) > rememberedAtMost) release(hook, waiting.run);
      } else if (run.count === roundsAtMost - 1) {
        held.set(hook, { run, changes: [change] });
        waitForQuiet(hook);
      } else if (run.count >= roundsAtMost && event.to) {
        const instead = { is: "failed", because: sentenceOf(event, run.through) } as const;
        change.deliver({ ...event, to: { ...event.to, instead } });
      } else send(change, run);
    },
    close() {
      for (const { cancel } of held.values()) cancel?.();
      held.clear();
    },
  };
}

/** Nothing came before. */
const begun = { count: 0, through: [] } as const;

function sentenceOf({ data }: HookEvent, through: readonly string[]): string {
  const names = through.slice(-namedAtMost).map((name) => `"${name}"`);
  const known = `${String(data.path)} was changed during each of the last ${roundsAtMost} runs of ${names.join(" and ")}, and not in the pause before the last one`;
  return `a loop, as it seems: ${known}, so this one is left out — let it write elsewhere, or watch less`;
}
