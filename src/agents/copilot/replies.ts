/** What Copilot CLI 1.0.102 takes as an answer, event by event: one table for its capabilities and for its replies. All keys are flat. */

import { howToAllow } from "../../engine/counting.ts";
import type { AgentEventName, Fields, HookEvent } from "../../engine/event.ts";
import type { Outcome, OutcomeField, VerdictKind } from "../../engine/outcome.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Reply } from "../adapter.ts";
import { asContinuation } from "../continuation.ts";
import { nativeInput } from "../native-tools.ts";
import { wordOf } from "../payload.ts";
import { onlyAccepted, texts } from "../reply-parts.ts";
import { resultOf, tools } from "./tools.ts";

/** How an event is refused. continue: refusing means going on, and the reason comes back as a prompt. */
type Refusal = "permission" | "behavior" | "block" | "continue";

interface ReplyRow {
  refuses?: Refusal;
  accepts: readonly OutcomeField[];
  verdicts?: readonly VerdictKind[];
}

const told = ["context", "messages"] as const;
const silent: ReplyRow = { accepts: [] };

/** Measured: what is not here had no effect. */
const rows: Readonly<Partial<Record<AgentEventName, ReplyRow>>> = {
  SessionStart: { accepts: told },
  SessionEnd: silent,
  UserPromptSubmit: { refuses: "block", accepts: ["verdict", ...told] },
  PreToolUse: {
    refuses: "permission",
    accepts: ["verdict", "updatedInput", ...told],
    verdicts: ["deny", "ask", "allow"],
  },
  PostToolUse: { refuses: "block", accepts: ["verdict", "updatedOutput", ...told] },
  PostToolUseFailure: { accepts: told },
  PermissionRequest: { refuses: "behavior", accepts: ["verdict", "interrupt"] },
  Notification: silent,
  Stop: { refuses: "continue", accepts: ["verdict"] },
  StopFailure: silent,
  SubagentStart: { accepts: told },
  SubagentStop: { refuses: "continue", accepts: ["verdict"] },
  PreCompact: silent,
};

/** In the order in which they are registered. */
export const eventsSent = Object.keys(rows) as AgentEventName[]; // the table's keys

export const capabilities: Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, row.accepts]),
);
export const verdicts: Readonly<Partial<Record<AgentEventName, readonly VerdictKind[]>>> = Object.fromEntries(
  Object.entries(rows).flatMap(([name, row]) => (row.verdicts ? [[name, row.verdicts]] : [])),
);

const rowNamed = (name: HookEvent["name"]): ReplyRow | undefined =>
  Object.hasOwn(rows, name) ? rows[name as AgentEventName] : undefined; // a key of the table

const blocked = "Hook blocked execution";

export function encode(event: HookEvent, outcome: Outcome, wire: unknown): Reply {
  const row = rowNamed(event.name);
  if (!row) return { exitCode: 0 };
  const taken = onlyAccepted(outcome, row.accepts);
  const body: Fields = {
    ...refusal(row, event, taken),
    ...rewritten(taken, wire),
    ...(taken.updatedOutput !== undefined &&
      taken.verdict?.is !== "deny" && { modifiedResult: resultOf(taken.updatedOutput) }),
    ...additional(taken),
  };
  return Object.keys(body).length > 0 ? { body, exitCode: 0 } : { exitCode: 0 };
}

function refusal({ refuses }: ReplyRow, event: HookEvent, { verdict, interrupt }: Outcome): Fields {
  if (!verdict || !refuses) return {};
  const reason = verdict.reason || blocked;
  if (refuses === "permission") {
    const said = verdict.is === "deny" ? reason : verdict.reason;
    return { permissionDecision: verdict.is, ...(said && { permissionDecisionReason: said }) };
  }
  if (refuses === "behavior" && verdict.is === "allow") return { behavior: "allow" };
  if (verdict.is !== "deny") return {};
  if (refuses === "behavior") return { behavior: "deny", message: reason, ...(interrupt && { interrupt }) };
  return { decision: "block", reason: refuses === "continue" ? asContinuation(reason, event.session) : reason };
}

/** It takes the place of the whole input. A refused call has none. */
function rewritten({ updatedInput, verdict }: Outcome, wire: unknown): Fields {
  if (!updatedInput || verdict?.is === "deny") return {};
  const { toolName, tool_name = toolName } = isRecord(wire) ? wire : {};
  return { modifiedArgs: nativeInput(tools, wordOf(tool_name), updatedInput) };
}

/** It shows a person nothing that a hook says, so the model is asked to pass it on. */
function additional({ context = [], messages }: Outcome): Fields {
  // How a person allows a call is nothing for the model to pass on.
  const toPerson = texts(messages, "person")
    .filter((text) => text !== howToAllow)
    .map((text) => `Tell the user: ${text}`);
  const all = [...context, ...texts(messages, "model"), ...toPerson];
  return all.length > 0 ? { additionalContext: all.join("\n") } : {};
}

/** What would make the agent go on is not refused: nothing would ever end that. Of an event without a name only the exit code says it. */
export function refuse(reason: string, name: AgentEventName | undefined): Reply {
  const row = name === undefined ? undefined : rowNamed(name);
  if (!row) return { exitCode: 2, stderr: reason };
  if (row.refuses === undefined || row.refuses === "continue") return { exitCode: 0, stderr: reason };
  const event: HookEvent = { id: "", name: name ?? "Stop", at: 0, cwd: "/", data: {}, sender: "copilot" };
  return { exitCode: 0, body: refusal(row, event, { verdict: { is: "deny", reason, by: "hookline" } }) };
}
