/** What Gemini CLI 0.61.0 takes as an answer, event by event: one table for its capabilities and for its replies. */

import type { Fields, HookEvent } from "../../engine/event.ts";
import type { Outcome, OutcomeField } from "../../engine/outcome.ts";
import { fieldsIn, isRecord } from "../../engine/schema.ts";
import { asContinuation } from "../continuation.ts";
import { nativeInput } from "../native-tools.ts";
import { wordOf } from "../payload.ts";
import {
  additional,
  createReplies,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  shown,
  stopped,
} from "../replies.ts";
import { tools } from "./tools.ts";

/** continue: refusing means going on, and the reason comes back as a prompt. */
type GeminiRow = ReplyRow<"deny" | "continue"> & { is: string };

const told = ["context", "messages"] as const;
const denied = { refuses: "deny", verdicts: ["deny"] } as const;
const held = { refuses: "continue", verdicts: ["deny"] } as const;

/**
 * Measured: what is not here had no effect. A question is none either: without a person to answer it, Gemini CLI waits for ever.
 * PreCompress comes before every call of the model, and the events of the model are not ours: none of them is registered.
 */
const rows: ReplyRows<GeminiRow> = {
  SessionStart: { is: "SessionStart", accepts: told },
  SessionEnd: { is: "SessionEnd", accepts: [] },
  UserPromptSubmit: { is: "BeforeAgent", ...denied, accepts: ["verdict", "stop", ...told] },
  PreToolUse: { is: "BeforeTool", ...denied, accepts: ["verdict", "stop", "updatedInput", "messages"] },
  PostToolUse: { is: "AfterTool", ...denied, accepts: ["verdict", "stop", ...told] },
  PostToolUseFailure: { is: "AfterTool", ...denied, accepts: ["verdict", "stop", "messages"] },
  Notification: { is: "Notification", accepts: [] },
  Stop: { is: "AfterAgent", ...held, accepts: ["verdict", "stop", "messages"] },
};
export const replies: Replies<GeminiRow> = createReplies(rows, {
  accepts: acceptedBy,
  top: (row, outcome, { event }) => ({
    ...stopped(outcome),
    ...refusal(row, event, outcome),
    ...shown(row, outcome),
  }),
  specific: (row, outcome, { wire }) => ({ ...rewritten(outcome, wire), ...additional(row, outcome) }),
});

/** Of a tool that failed the model gets the error alone; a command that ended with another code than 0 did not fail for Gemini CLI. */
export function acceptedBy({ name, data }: Pick<HookEvent, "name" | "data">): readonly OutcomeField[] {
  const { tool_response: response } = data;
  const told = name === "PostToolUseFailure" && isRecord(response) && !isRecord(response.error);
  return replies.rowNamed(told ? "PostToolUse" : name)?.accepts ?? [];
}

/** A stop is not refused as well: the refusal would make the agent go on. */
function refusal({ refuses }: GeminiRow, { session }: HookEvent, outcome: Outcome): Fields {
  if (outcome.verdict?.is !== "deny" || refuses === undefined) return {};
  const reason = reasonOf(outcome);
  if (refuses === "deny") return { decision: "deny", reason };
  return outcome.stop ? {} : { decision: "deny", reason: asContinuation(reason, session) };
}

function rewritten({ updatedInput, verdict, stop }: Outcome, wire: unknown): Fields {
  if (!updatedInput || stop || verdict?.is === "deny") return {};
  const { tool_name } = fieldsIn(wire);
  return { tool_input: nativeInput(tools, wordOf(tool_name), updatedInput) };
}
