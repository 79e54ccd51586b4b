/** What came of a run as one character, and how it is painted. The words beside it say the same. */
import type { Run } from "../../engine/record.ts";
import type { Tone } from "../shown.ts";

type Ended = Pick<Run, "status" | "outcome" | "withheld">;

interface Mark {
  text: string;
  tone: Tone;
}

/** The first that holds. */
const marks: readonly (Mark & { holds(run: Ended): boolean })[] = [
  { text: "…", tone: "cyan", holds: ({ status }) => status === "running" || status === "queued" },
  { text: "!", tone: "red", holds: ({ status }) => status === "failed" || status === "timeout" },
  { text: "!", tone: "yellow", holds: ({ status }) => status === "cancelled" || status === "interrupted" },
  { text: "·", tone: "dim", holds: ({ status, withheld }) => status === "skipped" || withheld !== undefined },
  { text: "✗", tone: "red", holds: ({ outcome }) => outcome?.verdict?.is === "deny" || outcome?.stop !== undefined },
  { text: "?", tone: "yellow", holds: ({ outcome }) => outcome?.verdict?.is === "ask" },
];
const passed: Mark = { text: "✓", tone: "green" };

export function markOf(run: Ended): Mark {
  const { text, tone } = marks.find(({ holds }) => holds(run)) ?? passed;
  return { text, tone };
}
