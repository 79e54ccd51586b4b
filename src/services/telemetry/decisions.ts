/**
 * What the engine shows step by step, as wholes: each event with its outcome and the runs that it waited for, and each run that ended
 * behind its answer; and what is counted of them.
 */
import { createBriefMap, dropOldest } from "../../engine/drop-oldest.ts";
import type { HookEvent, Instant } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Observation } from "../../engine/ports.ts";
import type { Receipt } from "../../engine/receipt.ts";
import type { Run } from "../../engine/record.ts";
import type { Measures } from "./measures.ts";

export interface Decision {
  event: HookEvent;
  outcome: Outcome;
  /** How long it took, in milliseconds, and when it was there. */
  ms: number;
  at: Instant;
  /** Those that have ended, each once. */
  runs: readonly Run[];
}

/** Neither may throw, and nothing waits for them. */
export interface DecisionListener {
  decided(decision: Decision): void;
  /** A run of an event that has its answer already. */
  ended(run: Run): void;
  /** The agent has not obeyed the answer to this event. Absent: nothing of that is shown. */
  disobeyed?(event: HookEvent, receipt: Receipt): void;
}

/** Events whose outcome never comes must not stay in memory. */
const eventsAtMost = 1_000;

const hasEnded = ({ status }: Run): boolean => status !== "queued" && status !== "running";

export function followDecisions(now: () => Instant, listener: DecisionListener): (seen: Observation) => void {
  const open = createBriefMap<string, Run[]>();

  function giveUp(id: string): void {
    for (const run of open.get(id) ?? []) if (hasEnded(run)) listener.ended(run);
    open.delete(id);
  }

  /** A hook that is asked again (R6) is reported again, as the same run. */
  function keep(run: Run): void {
    const runs = open.get(run.eventId);
    if (!runs) {
      if (hasEnded(run)) listener.ended(run);
      return;
    }
    const index = runs.findIndex(({ id }) => id === run.id);
    if (index === -1) runs.push(run);
    else runs[index] = run;
  }

  return (seen) => {
    if (seen.is === "event") {
      open.set(seen.event.id, []);
      dropOldest(open, eventsAtMost, giveUp);
    } else if (seen.is === "run") keep(seen.run);
    else if (seen.is === "receipt") listener.disobeyed?.(seen.event, seen.receipt);
    else if (seen.is === "outcome") {
      const { event, outcome, ms } = seen;
      const runs = (open.get(event.id) ?? []).filter(hasEnded);
      open.delete(event.id);
      listener.decided({ event, outcome, ms, at: now(), runs });
    }
  };
}

/** Hooks are counted by their ids: the name of a hook may be the command that it runs. */
export function countDecisions(measures: Measures): DecisionListener {
  const events = measures.counter({ name: "hookline.events", help: "Events that were decided." }, ["event", "sender"]);
  const verdicts = measures.counter(
    { name: "hookline.verdicts", help: "What events came to: deny, ask, allow, defer, or none." },
    ["event", "verdict"],
  );
  const decisions = measures.histogram(
    { name: "hookline.event.duration", help: "How long an event waited for its outcome.", unit: "s" },
    ["event"],
  );
  const runs = measures.counter({ name: "hookline.runs", help: "Runs of hooks, by how they ended." }, [
    "hook",
    "status",
  ]);
  const durations = measures.histogram(
    { name: "hookline.run.duration", help: "How long a hook ran; one that was skipped has not run.", unit: "s" },
    ["hook"],
  );
  const tokens = measures.counter({ name: "hookline.tokens", help: "Tokens of the models that hooks asked." }, [
    "hook",
  ]);

  const disobeyed = measures.counter(
    { name: "hookline.disobeyed", help: "Calls that were refused, asked about or rewritten, and ran all the same." },
    ["sender", "verdict"],
  );

  function ended(run: Run): void {
    runs([run.hook, run.status]);
    if (run.asked > 0 && run.ms !== undefined) durations([run.hook], run.ms / 1000);
    if (run.tokens !== undefined) tokens([run.hook], run.tokens);
  }

  return {
    ended,
    disobeyed: ({ sender }, { to }) => disobeyed([sender, to]),
    decided({ event, outcome, ms, runs: ofEvent }) {
      events([event.name, event.sender]);
      verdicts([event.name, outcome.verdict?.is ?? "none"]);
      decisions([event.name], ms / 1000);
      for (const run of ofEvent) ended(run);
    },
  };
}
