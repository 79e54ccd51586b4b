/** What Copilot CLI 1.0.102 takes as an answer, event by event: one table for its capabilities and for its replies. All keys are flat. */

import { howToAllow } from "../../engine/counting.ts";
import type { Fields, HookEvent } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { fieldsIn } from "../../engine/schema.ts";
import { asContinuation } from "../continuation.ts";
import { nativeInput } from "../native-tools.ts";
import { wordOf } from "../payload.ts";
import { createReplies, permission, type Replies, type ReplyRow, type ReplyRows, reasonOf, texts } from "../replies.ts";
import { resultOf, tools } from "./tools.ts";

/** How an event is refused. continue: refusing means going on, and the reason comes back as a prompt. */
type Refusal = "permission" | "behavior" | "block" | "continue";

type CopilotRow = ReplyRow<Refusal>;

const informing = ["context", "messages"] as const;
const silent: CopilotRow = { accepts: [] };

/** Measured: what is not here had no effect. */
const rows: ReplyRows<CopilotRow> = {
  SessionStart: { accepts: informing },
  SessionEnd: silent,
  UserPromptSubmit: { refuses: "block", accepts: ["verdict", ...informing] },
  PreToolUse: {
    refuses: "permission",
    accepts: ["verdict", "updatedInput", ...informing],
    verdicts: ["deny", "ask", "allow"],
  },
  PostToolUse: { refuses: "block", accepts: ["verdict", "updatedOutput", ...informing] },
  PostToolUseFailure: { accepts: informing },
  PermissionRequest: { refuses: "behavior", accepts: ["verdict", "interrupt"] },
  Notification: silent,
  Stop: { refuses: "continue", accepts: ["verdict"] },
  StopFailure: silent,
  SubagentStart: { accepts: informing },
  SubagentStop: { refuses: "continue", accepts: ["verdict"] },
  PreCompact: silent,
};

/** All its keys are at the top. */
export const replies: Replies<CopilotRow> = createReplies(rows, {
  top: (row, outcome, { event, wire }) => ({
    ...refusal(row, event, outcome),
    ...rewritten(outcome, wire),
    ...(outcome.updatedOutput !== undefined &&
      outcome.verdict?.is !== "deny" && { modifiedResult: resultOf(outcome.updatedOutput) }),
    ...told(outcome),
  }),
});

function refusal({ refuses }: CopilotRow, event: HookEvent, outcome: Outcome): Fields {
  const { verdict, interrupt } = outcome;
  if (!verdict || !refuses) return {};
  if (refuses === "permission") return permission(outcome);
  if (refuses === "behavior" && verdict.is === "allow") return { behavior: "allow" };
  if (verdict.is !== "deny") return {};
  const reason = reasonOf(outcome);
  if (refuses === "behavior") return { behavior: "deny", message: reason, ...(interrupt && { interrupt }) };
  return { decision: "block", reason: refuses === "continue" ? asContinuation(reason, event.session) : reason };
}

/** It takes the place of the whole input. A refused call has none. */
function rewritten({ updatedInput, verdict }: Outcome, wire: unknown): Fields {
  if (!updatedInput || verdict?.is === "deny") return {};
  const { toolName, tool_name = toolName } = fieldsIn(wire);
  return { modifiedArgs: nativeInput(tools, wordOf(tool_name), updatedInput) };
}

/** It shows a person nothing that a hook says, so the model is asked to pass it on. */
function told({ context = [], messages }: Outcome): Fields {
  // How a person allows a call is nothing for the model to pass on.
  const toPerson = texts(messages, "person")
    .filter((text) => text !== howToAllow)
    .map((text) => `Tell the user: ${text}`);
  const all = [...context, ...texts(messages, "model"), ...toPerson];
  return all.length > 0 ? { additionalContext: all.join("\n") } : {};
}
