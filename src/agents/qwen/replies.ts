/** What Qwen Code 0.24.4 does with an answer, event by event: it copies Claude Code's words, and obeys fewer of them. */

import { asContinuation } from "../continuation.ts";
import {
  additional,
  createReplies,
  permission,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  texts,
} from "../replies.ts";

/**
 * How an event is refused. permission: permissionDecision; block: decision and reason, and a stop likewise; continue: decision and
 * reason on an event where refusing means going on, so a stop leaves it out.
 */
type Refusal = "permission" | "block" | "continue";

type QwenRow = ReplyRow<Refusal>;

const silent: QwenRow = { accepts: [] };
const informed: QwenRow = { accepts: ["context"] };
/** Only here it shows a message of a hook's to the person. */
const held: QwenRow = { refuses: "continue", accepts: ["verdict", "stop", "messages"] };

/** The events that it sends, in the order in which they are registered. */
const rows: ReplyRows<QwenRow> = {
  SessionStart: informed,
  SessionEnd: silent,
  InstructionsLoaded: silent,
  UserPromptSubmit: { refuses: "block", accepts: ["verdict", "stop", "context"] },
  UserPromptExpansion: silent,
  // It documents a rewritten input, and runs the call as it was.
  PreToolUse: { refuses: "permission", accepts: ["verdict"], verdicts: ["deny", "ask", "allow"] },
  PostToolUse: informed,
  PostToolUseFailure: informed,
  PostToolBatch: informed,
  PermissionRequest: silent,
  PermissionDenied: silent,
  Notification: silent,
  Stop: held,
  StopFailure: silent,
  // It takes a context here, and the subagent was not seen to get it.
  SubagentStart: silent,
  SubagentStop: { refuses: "continue", accepts: ["verdict", "stop"] },
  PreCompact: silent,
  PostCompact: silent,
  TaskCreated: silent,
  TaskCompleted: silent,
  MessageDisplay: silent,
};

export const replies: Replies<QwenRow> = createReplies(rows, {
  top: ({ refuses, accepts }, outcome, { event }) => {
    const { stop, verdict } = outcome;
    const isDenied = verdict?.is === "deny";
    const reason = reasonOf(outcome);
    const reasons = refuses === "continue" && accepts.includes("messages") && stop?.reason ? [stop.reason] : [];
    const said = [...texts(outcome.messages), ...reasons];
    return {
      ...(refuses === "block" && stop && { continue: false, stopReason: stop.reason || reason }),
      ...(refuses === "block" && isDenied && { decision: "block", reason }),
      // A stop is said by not blocking: with continue it would go on here.
      ...(refuses === "continue" &&
        isDenied &&
        !stop && { decision: "block", reason: asContinuation(reason, event.session) }),
      // It takes permissionDecision from the last hook of all that answer; what says continue: false is never outvoted.
      ...(refuses === "permission" && isDenied && { continue: false, stopReason: reason }),
      ...(said.length > 0 && { systemMessage: said.join("\n") }),
    };
  },
  specific: (row, outcome) => ({
    ...(row.refuses === "permission" && outcome.verdict?.is !== "defer" && permission(outcome)),
    ...additional(row, outcome),
  }),
});
