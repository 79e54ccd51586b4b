/** What came of a run as one character, and how it is painted. The words beside it say the same. */
import type { Run } from "../../../engine/record.ts";
import type { Style, Terminal } from "../terminal.ts";

type Ended = Pick<Run, "status" | "outcome" | "withheld">;

/** The first that holds. */
const marks: readonly { mark: string; style: Style; holds(run: Ended): boolean }[] = [
  { mark: "…", style: "cyan", holds: ({ status }) => status === "running" || status === "queued" },
  { mark: "!", style: "red", holds: ({ status }) => status === "failed" || status === "timeout" },
  { mark: "!", style: "yellow", holds: ({ status }) => status === "cancelled" || status === "interrupted" },
  { mark: "·", style: "dim", holds: ({ status, withheld }) => status === "skipped" || withheld !== undefined },
  { mark: "✗", style: "red", holds: ({ outcome }) => outcome?.verdict?.is === "deny" || outcome?.stop !== undefined },
  { mark: "?", style: "yellow", holds: ({ outcome }) => outcome?.verdict?.is === "ask" },
  { mark: "✓", style: "green", holds: () => true },
];

export const markOf = (run: Ended): string => marks.find(({ holds }) => holds(run))?.mark ?? "";

export const markStyle = (run: Ended): Style | undefined => marks.find(({ holds }) => holds(run))?.style;

export function paintedMark(run: Ended, terminal: Terminal): string {
  const style = markStyle(run);
  return style ? terminal.paint(style, markOf(run)) : markOf(run);
}
