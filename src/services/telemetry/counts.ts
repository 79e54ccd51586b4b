/** What is counted of decisions and runs. Hooks stand there by their ids: the name of a hook may be the command that it runs. */

import type { Run } from "../../engine/record.ts";
import type { DecisionListener } from "./decisions.ts";
import type { Measures } from "./measures.ts";

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

  function ended(run: Run): void {
    runs([run.hook, run.status]);
    if (run.asked > 0 && run.ms !== undefined) durations([run.hook], run.ms / 1000);
    if (run.tokens !== undefined) tokens([run.hook], run.tokens);
  }

  return {
    ended,
    decided({ event, outcome, ms, runs: ofEvent }) {
      events([event.name, event.sender]);
      verdicts([event.name, outcome.verdict?.is ?? "none"]);
      decisions([event.name], ms / 1000);
      for (const run of ofEvent) ended(run);
    },
  };
}
