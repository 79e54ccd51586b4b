/** What Codex 0.169.0 takes as an answer, event by event. Its schemas are closed: one key too many, and the call runs as if nothing was said. */

import { blocked } from "../../actions/command/protocols/settings-keys.ts";
import type { AgentEventName, Fields, HookEvent } from "../../engine/event.ts";
import type { Outcome, OutcomeField, VerdictKind } from "../../engine/outcome.ts";
import type { Reply } from "../adapter.ts";
import { contextOf, onlyAccepted, texts } from "../reply-parts.ts";

/**
 * How an event is refused. permission: permissionDecision; behavior: decision.behavior; block: decision and reason;
 * continue: the same on an event where refusing means going on, so a stop leaves it out; halt: continue, which ends the turn.
 */
type Refusal = "permission" | "behavior" | "block" | "continue" | "halt";

interface ReplyRow {
  refuses?: Refusal;
  accepts: readonly OutcomeField[];
  verdicts?: readonly VerdictKind[];
}

const silent: ReplyRow = { accepts: [] };
const informed: ReplyRow = { accepts: ["context", "messages"] };
const held: ReplyRow = { refuses: "continue", accepts: ["verdict", "stop", "messages"] };

/** The events that it sends, in the order in which they are registered. */
const rows: Readonly<Partial<Record<AgentEventName, ReplyRow>>> = {
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

export const capabilities: Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, row.accepts]),
);
export const verdicts: Readonly<Partial<Record<AgentEventName, readonly VerdictKind[]>>> = Object.fromEntries(
  Object.entries(rows).flatMap(([name, row]) => (row.verdicts ? [[name, row.verdicts]] : [])),
);

const nothing: Reply = { exitCode: 0 };
const rowNamed = (name: HookEvent["name"] | undefined): ReplyRow | undefined =>
  name !== undefined && Object.hasOwn(rows, name) ? rows[name as AgentEventName] : undefined; // a key of the table

/**
 * An outcome as Codex reads it.
 *
 * @param rewritten the input in Codex's own form; absent: the call stays as it is
 */
export function replyTo(name: HookEvent["name"], outcome: Outcome, rewritten?: Fields): Reply {
  const row = rowNamed(name);
  if (!row) return nothing;
  const taken = onlyAccepted(outcome, row.accepts);
  const specific = specificFields(row, taken, rewritten);
  const body: Fields = {
    ...commonFields(row, taken),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: { hookEventName: name, ...specific } }),
  };
  return Object.keys(body).length > 0 ? { body, exitCode: 0 } : nothing;
}

/** Of an event that is not known, only the exit code can say it; where nothing can be refused, the person is told. */
export function refuse(reason: string, name: AgentEventName | undefined): Reply {
  const row = rowNamed(name);
  if (name === undefined || !row) return { stderr: reason, exitCode: 2 };
  // Without anything that counts, a refused stop would never end: Codex has no limit of its own.
  if (row.refuses === undefined || row.refuses === "continue")
    return row.accepts.includes("messages")
      ? { body: { systemMessage: reason }, exitCode: 0 }
      : { stderr: reason, exitCode: 0 };
  return replyTo(name, { verdict: { is: "deny", reason, by: "hookline" } });
}

/** A reason of blanks counts as none, and then the call runs. */
const reasonOf = ({ verdict }: Outcome): string => (verdict?.reason?.trim() ? verdict.reason : blocked);

function commonFields({ refuses, accepts }: ReplyRow, outcome: Outcome): Fields {
  const isDenied = outcome.verdict?.is === "deny";
  const blocks = refuses === "block" || (refuses === "continue" && !outcome.stop);
  const shown = texts(outcome.messages, accepts.includes("context") ? "person" : undefined);
  return {
    ...(outcome.stop && { continue: false, ...(outcome.stop.reason && { stopReason: outcome.stop.reason }) }),
    ...(isDenied && refuses === "halt" && { continue: false, stopReason: reasonOf(outcome) }),
    ...(isDenied && blocks && { decision: "block", reason: reasonOf(outcome) }),
    ...(shown.length > 0 && { systemMessage: shown.join("\n") }),
  };
}

function specificFields({ refuses, accepts }: ReplyRow, outcome: Outcome, rewritten?: Fields): Fields {
  const context = accepts.includes("context") ? contextOf(outcome) : "";
  return {
    ...(refuses === "permission" && permission(outcome, rewritten)),
    ...(refuses === "behavior" && behavior(outcome)),
    ...(context && { additionalContext: context }),
  };
}

/** A rewrite counts only beside an allow, and an allow only beside a rewrite. */
function permission(outcome: Outcome, rewritten: Fields | undefined): Fields {
  if (outcome.verdict?.is === "deny")
    return { permissionDecision: "deny", permissionDecisionReason: reasonOf(outcome) };
  return rewritten ? { permissionDecision: "allow", updatedInput: rewritten } : {};
}

function behavior(outcome: Outcome): Fields {
  if (outcome.verdict?.is === "allow") return { decision: { behavior: "allow" } };
  return outcome.verdict?.is === "deny" ? { decision: { behavior: "deny", message: reasonOf(outcome) } } : {};
}
