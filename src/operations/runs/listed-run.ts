/** A run as each surface lists it. Types alone, as the pages of the dashboard know it too. */
import type { ReceiptState } from "../../engine/receipt.ts";
import type { RunStatus } from "../../engine/record.ts";

/** What its answer did to the event. */
export type RunOutcome = "blocked" | "held" | "asked" | "allowed" | "rewritten" | "failed";

/** What the agent then did with it. */
export type RunReceipt = Exclude<ReceiptState, "open">;

export interface RunRow {
  id: string;
  hook: string;
  hookName: string;
  /** Its name. */
  event: string;
  eventId: string;
  session: string | null;
  status: RunStatus;
  /** Null: it left the event as it was. */
  outcome: RunOutcome | null;
  /** Whether the agent then obeyed; null: there was nothing to obey, or its turn goes on. */
  receipt: RunReceipt | null;
  /** What the agent was about to do, as a person would name it; null: the record holds the event no more, or it is no call. */
  call: string | null;
  /** Why it answered so, or why it did not run. */
  reason: string | null;
  /** What came of it, in a few words. */
  result: string;
  cause: string;
  startedAt: string;
  ms: number | null;
  /** Where it happened, and who said so; null: the record holds the event no more. */
  cwd: string | null;
  sender: string | null;
}
