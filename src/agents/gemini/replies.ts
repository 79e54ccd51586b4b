/** What Gemini CLI 0.61.0 takes as an answer, event by event: one table for its capabilities and for its replies. */

import type { AgentEventName, Fields, HookEvent } from "../../engine/event.ts";
import type { Outcome, OutcomeField, VerdictKind } from "../../engine/outcome.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Reply } from "../adapter.ts";
import { asContinuation } from "../continuation.ts";
import { nativeInput } from "../native-tools.ts";
import { wordOf } from "../payload.ts";
import { contextOf, onlyAccepted, texts } from "../reply-parts.ts";
import { tools } from "./tools.ts";

interface ReplyRow {
  /** Its own name for the event. */
  is: string;
  /** continue: refusing means going on, and the reason comes back as a prompt. */
  refuses?: "deny" | "continue";
  accepts: readonly OutcomeField[];
}

const told = ["context", "messages"] as const;

/**
 * Measured: what is not here had no effect. A question is none either: without a person to answer it, Gemini CLI waits for ever.
 * PreCompress comes before every call of the model, and the events of the model are not ours: none of them is registered.
 */
const rows: Readonly<Partial<Record<AgentEventName, ReplyRow>>> = {
  SessionStart: { is: "SessionStart", accepts: told },
  SessionEnd: { is: "SessionEnd", accepts: [] },
  UserPromptSubmit: { is: "BeforeAgent", refuses: "deny", accepts: ["verdict", "stop", ...told] },
  PreToolUse: { is: "BeforeTool", refuses: "deny", accepts: ["verdict", "stop", "updatedInput", "messages"] },
  PostToolUse: { is: "AfterTool", refuses: "deny", accepts: ["verdict", "stop", ...told] },
  PostToolUseFailure: { is: "AfterTool", refuses: "deny", accepts: ["verdict", "stop", "messages"] },
  Notification: { is: "Notification", accepts: [] },
  Stop: { is: "AfterAgent", refuses: "continue", accepts: ["verdict", "stop", "messages"] },
};
const denies: readonly VerdictKind[] = ["deny"];

const names = Object.keys(rows) as AgentEventName[]; // the table's keys
export const eventsRegistered: readonly AgentEventName[] = names.filter((name) => name !== "PostToolUseFailure");
export const eventsSent: readonly AgentEventName[] = names;
export const ownEventNames: Readonly<Partial<Record<AgentEventName, string>>> = Object.fromEntries(
  Object.entries(rows).map(([name, { is }]) => [name, is]),
);
export const capabilities: Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>> = Object.fromEntries(
  Object.entries(rows).map(([name, { accepts }]) => [name, accepts]),
);
export const verdicts: Readonly<Partial<Record<AgentEventName, readonly VerdictKind[]>>> = Object.fromEntries(
  names.map((name) => [name, denies]),
);

/** Of a tool that failed the model gets the error alone; a command that ended with another code than 0 did not fail for Gemini CLI. */
export function acceptedBy({ name, data }: Pick<HookEvent, "name" | "data">): readonly OutcomeField[] {
  const { tool_response: response } = data;
  const told = name === "PostToolUseFailure" && isRecord(response) && !isRecord(response.error);
  return rowNamed(told ? "PostToolUse" : name)?.accepts ?? [];
}

const rowNamed = (name: HookEvent["name"]): ReplyRow | undefined =>
  Object.hasOwn(rows, name) ? rows[name as AgentEventName] : undefined; // a key of the table

const blocked = "Hook blocked execution";

export function encode(event: HookEvent, outcome: Outcome, wire: unknown): Reply {
  const row = rowNamed(event.name);
  if (!row) return { exitCode: 0 };
  const accepts = acceptedBy(event);
  const taken = onlyAccepted(outcome, accepts);
  const isTold = accepts.includes("context");
  const context = isTold ? contextOf(taken) : "";
  const specific = { ...rewritten(taken, wire), ...(context && { additionalContext: context }) };
  const shown = texts(taken.messages, isTold ? "person" : undefined);
  const body: Fields = {
    ...(taken.stop && { continue: false, ...(taken.stop.reason && { stopReason: taken.stop.reason }) }),
    ...refusal(row, event, taken),
    ...(shown.length > 0 && { systemMessage: shown.join("\n") }),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: { hookEventName: row.is, ...specific } }),
  };
  return Object.keys(body).length > 0 ? { body, exitCode: 0 } : { exitCode: 0 };
}

/** A stop is not refused as well: the refusal would make the agent go on. */
function refusal({ refuses }: ReplyRow, { session }: HookEvent, { verdict, stop }: Outcome): Fields {
  if (verdict?.is !== "deny" || refuses === undefined) return {};
  const reason = verdict.reason || blocked;
  if (refuses === "deny") return { decision: "deny", reason };
  return stop ? {} : { decision: "deny", reason: asContinuation(reason, session) };
}

function rewritten({ updatedInput, verdict, stop }: Outcome, wire: unknown): Fields {
  if (!updatedInput || stop || verdict?.is === "deny") return {};
  const { tool_name } = isRecord(wire) ? wire : {};
  return { tool_input: nativeInput(tools, wordOf(tool_name), updatedInput) };
}

/** What would make the agent go on is not refused: nothing would ever end that. Of an event without a name only the exit code says it. */
export function refuse(reason: string, name: AgentEventName | undefined): Reply {
  const row = name === undefined ? undefined : rowNamed(name);
  if (!row) return { exitCode: 2, stderr: reason };
  return row.refuses === "deny"
    ? { exitCode: 0, body: { decision: "deny", reason } }
    : { exitCode: 0, body: { systemMessage: reason } };
}
