/** What Codex 0.169.0 takes as an answer, event by event. Its schemas are closed: one key too many, and the call runs as if nothing was said. */

import type { Fields } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import {
  additional,
  createReplies,
  permission,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  shown,
  stopped,
} from "../replies.ts";

/**
 * How an event is refused. permission: permissionDecision; behavior: decision.behavior; block: decision and reason;
 * continue: the same on an event where refusing means going on, so a stop leaves it out; halt: continue, which ends the turn.
 */
type Refusal = "permission" | "behavior" | "block" | "continue" | "halt";

type CodexRow = ReplyRow<Refusal>;

const silent: CodexRow = { accepts: [] };
const informed: CodexRow = { accepts: ["context", "messages"] };
const held: CodexRow = { refuses: "continue", accepts: ["verdict", "stop", "messages"] };

/** The events that it sends, in the order in which they are registered. */
const rows: ReplyRows<CodexRow> = {
  SessionStart: informed,
  SessionEnd: silent,
  UserPromptSubmit: { refuses: "block", accepts: ["verdict", "stop", "context", "messages"] },
  // An allow of its own lets nothing pass, and with ask the call runs: both are said to be errors of the hook.
  PreToolUse: {
    refuses: "permission",
    accepts: ["verdict", "context", "messages", "updatedInput"],
    verdicts: ["deny"],
  },
  PostToolUse: { refuses: "block", accepts: ["verdict", "context", "messages"] },
  PermissionRequest: { refuses: "behavior", accepts: ["verdict", "messages"], verdicts: ["deny", "allow"] },
  Stop: held,
  SubagentStart: informed,
  SubagentStop: held,
  PreCompact: { refuses: "halt", accepts: ["verdict", "messages"] },
  PostCompact: silent,
  Interrupt: { accepts: ["messages"] },
};

const denied = (outcome: Outcome): boolean => outcome.verdict?.is === "deny";

/** Its `updatedInput` is in Codex's own form. */
export const replies: Replies<CodexRow> = createReplies(rows, {
  top: ({ refuses, accepts }, outcome) => ({
    ...stopped(outcome),
    ...(denied(outcome) && refuses === "halt" && { continue: false, stopReason: reasonOf(outcome) }),
    ...(denied(outcome) &&
      (refuses === "block" || (refuses === "continue" && !outcome.stop)) && {
        decision: "block",
        reason: reasonOf(outcome),
      }),
    ...shown({ accepts }, outcome),
  }),
  specific: (row, outcome) => ({
    ...(row.refuses === "permission" && permissionOf(outcome)),
    ...(row.refuses === "behavior" && behavior(outcome)),
    ...additional(row, outcome),
  }),
});

/** A rewrite counts only beside an allow, and an allow only beside a rewrite. */
function permissionOf(outcome: Outcome): Fields {
  if (denied(outcome)) return permission(outcome);
  const { updatedInput } = outcome;
  return updatedInput ? { permissionDecision: "allow", updatedInput } : {};
}

function behavior(outcome: Outcome): Fields {
  if (outcome.verdict?.is === "allow") return { decision: { behavior: "allow" } };
  return denied(outcome) ? { decision: { behavior: "deny", message: reasonOf(outcome) } } : {};
}
