/** What Qwen Code 0.24.4 does with an answer, event by event: it copies Claude Code's words, and obeys fewer of them. */

import { blocked } from "../../actions/command/protocols/settings-keys.ts";
import type { AgentEventName, Fields, HookEvent, SessionId } from "../../engine/event.ts";
import type { Outcome, OutcomeField, VerdictKind } from "../../engine/outcome.ts";
import type { Reply } from "../adapter.ts";
import { asContinuation } from "../continuation.ts";
import { contextOf, onlyAccepted, texts } from "../reply-parts.ts";

/**
 * How an event is refused. permission: permissionDecision; block: decision and reason, and a stop likewise; continue: decision and
 * reason on an event where refusing means going on, so a stop leaves it out.
 */
type Refusal = "permission" | "block" | "continue";

interface ReplyRow {
  refuses?: Refusal;
  accepts: readonly OutcomeField[];
  verdicts?: readonly VerdictKind[];
}

const silent: ReplyRow = { accepts: [] };
const informed: ReplyRow = { accepts: ["context"] };
/** Only here it shows a message of a hook's to the person. */
const held: ReplyRow = { refuses: "continue", accepts: ["verdict", "stop", "messages"] };

/** The events that it sends, in the order in which they are registered. */
const rows: Readonly<Partial<Record<AgentEventName, ReplyRow>>> = {
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

export const capabilities: Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, row.accepts]),
);
export const verdicts: Readonly<Partial<Record<AgentEventName, readonly VerdictKind[]>>> = Object.fromEntries(
  Object.entries(rows).flatMap(([name, row]) => (row.verdicts ? [[name, row.verdicts]] : [])),
);

const nothing: Reply = { exitCode: 0 };
const rowNamed = (name: HookEvent["name"] | undefined): ReplyRow | undefined =>
  name !== undefined && Object.hasOwn(rows, name) ? rows[name as AgentEventName] : undefined; // a key of the table

/** An outcome as Qwen Code reads it. */
export function encode({ name, session }: Pick<HookEvent, "name" | "session">, outcome: Outcome): Reply {
  const row = rowNamed(name);
  if (!row) return nothing;
  const taken = onlyAccepted(outcome, row.accepts);
  const specific = specificFields(row, taken);
  const body: Fields = {
    ...commonFields(row, taken, session),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: { hookEventName: name, ...specific } }),
  };
  return Object.keys(body).length > 0 ? { body, exitCode: 0 } : nothing;
}

/** Exit 2 refuses what can be refused; where that would only make the agent go on, or nothing can be, the reason stands there alone. */
export function refuse(reason: string, name: AgentEventName | undefined): Reply {
  const row = rowNamed(name);
  if (name === undefined || !row) return { stderr: reason, exitCode: 2 };
  if (row.refuses === "continue" || !row.accepts.includes("verdict")) return { stderr: reason, exitCode: 0 };
  return encode({ name }, { verdict: { is: "deny", reason, by: "" } });
}

const reasonOf = ({ verdict }: Outcome): string => (verdict?.reason?.trim() ? verdict.reason : blocked);

function commonFields({ refuses, accepts }: ReplyRow, outcome: Outcome, session: SessionId | undefined): Fields {
  const { stop, verdict } = outcome;
  const isDenied = verdict?.is === "deny";
  const reasons = refuses === "continue" && accepts.includes("messages") && stop?.reason ? [stop.reason] : [];
  const shown = [...texts(outcome.messages), ...reasons];
  return {
    ...(refuses === "block" && stop && { continue: false, stopReason: stop.reason || reasonOf(outcome) }),
    ...(refuses === "block" && isDenied && { decision: "block", reason: reasonOf(outcome) }),
    // A stop is said by not blocking: with continue it would go on here.
    ...(refuses === "continue" &&
      isDenied &&
      !stop && { decision: "block", reason: asContinuation(reasonOf(outcome), session) }),
    // It takes permissionDecision from the last hook of all that answer; what says continue: false is never outvoted.
    ...(refuses === "permission" && isDenied && { continue: false, stopReason: reasonOf(outcome) }),
    ...(shown.length > 0 && { systemMessage: shown.join("\n") }),
  };
}

function specificFields({ refuses, accepts }: ReplyRow, outcome: Outcome): Fields {
  const context = accepts.includes("context") ? contextOf(outcome) : "";
  return {
    ...(refuses === "permission" && permission(outcome)),
    ...(context && { additionalContext: context }),
  };
}

function permission(outcome: Outcome): Fields {
  const { verdict } = outcome;
  if (!verdict || verdict.is === "defer") return {};
  const reason = verdict.is === "deny" ? reasonOf(outcome) : verdict.reason;
  return { permissionDecision: verdict.is, ...(reason && { permissionDecisionReason: reason }) };
}
