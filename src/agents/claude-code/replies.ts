/** What Claude Code 2.1.332 takes as an answer, event by event: one table for its capabilities and for its replies. */

import { permissionUpdates } from "../../actions/command/protocols/settings-keys.ts";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import type { Outcome, OutcomeField } from "../../engine/outcome.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Reply } from "../adapter.ts";
import {
  additional,
  createReplies,
  denial,
  eventNamed,
  nothing,
  onlyAccepted,
  permission,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  shown,
  stopped,
  texts,
} from "../replies.ts";
import { deliverResult } from "./results.ts";

/**
 * How an event is refused. permission: permissionDecision; behavior: decision.behavior; block: decision and reason;
 * continue: the same on an event where refusing means going on, so a stop leaves it out; exit: code 2 and stderr.
 */
type Refusal = "permission" | "behavior" | "block" | "continue" | "exit";

interface ClaudeRow extends ReplyRow<Refusal> {
  /** Keys of `extra` that go into hookSpecificOutput. */
  extra?: readonly string[];
  /** stdout is read as plain text, not as JSON: the field that it carries. */
  plain?: "context" | "worktreePath";
  /** Stays a command: it is never asked over HTTP, or a command has to bring a daemon back that is gone. */
  commandOnly?: true;
}

const told = ["messages", "suppressOutput", "extra"] as const;
const decided = ["verdict", "stop", "context", ...told] as const;
const silent: ClaudeRow = { accepts: [] };
const refusable: ClaudeRow = { refuses: "exit", accepts: ["verdict", ...told] };
const informed: ClaudeRow = { accepts: ["context", ...told] };
const watching: ClaudeRow = { accepts: ["watchPaths", ...told] };
const elicited: ClaudeRow = { refuses: "exit", accepts: ["verdict", "elicitation", ...told] };

/** The 34 events that it sends, in the order in which they are registered. */
const rows: ReplyRows<ClaudeRow> = {
  SessionStart: {
    commandOnly: true,
    accepts: ["context", "firstMessage", "sessionTitle", "watchPaths", "reloadSkills", ...told],
  },
  SessionEnd: silent,
  Setup: { ...informed, commandOnly: true },
  InstructionsLoaded: silent,
  UserPromptSubmit: { commandOnly: true, refuses: "block", accepts: [...decided, "sessionTitle", "suppressPrompt"] },
  UserPromptExpansion: { refuses: "block", accepts: [...decided, "suppressPrompt"] },
  PreToolUse: { refuses: "permission", accepts: [...decided, "updatedInput"] },
  // It runs no line with another input, and a line that may run needs no word.
  PreSkillShellCommand: { refuses: "permission", accepts: ["verdict", ...told] },
  PostToolUse: { refuses: "block", accepts: [...decided, "updatedOutput"], extra: ["classifierContext"] },
  PostToolUseFailure: { refuses: "block", accepts: decided },
  PostToolBatch: { refuses: "block", accepts: decided },
  PermissionRequest: { refuses: "behavior", accepts: ["verdict", "updatedInput", "permissions", "interrupt", ...told] },
  PermissionDenied: { accepts: ["retry", ...told] },
  Notification: informed,
  Stop: { refuses: "continue", accepts: decided },
  StopFailure: silent,
  SubagentStart: informed,
  SubagentStop: { refuses: "continue", accepts: decided },
  // Its stdout becomes instructions for the summary as it stands, so nothing else can be said there.
  PreCompact: { refuses: "exit", accepts: ["verdict", "context"], plain: "context" },
  PostCompact: silent,
  PreModelSwitch: { refuses: "permission", accepts: ["verdict", ...told] },
  PostModelSwitch: informed,
  TeammateIdle: refusable,
  TaskCreated: refusable,
  TaskCompleted: refusable,
  Elicitation: elicited,
  ElicitationResult: elicited,
  ConfigChange: refusable,
  WorktreeCreate: { refuses: "exit", accepts: ["verdict", "worktreePath"], plain: "worktreePath" },
  WorktreeRemove: silent,
  CwdChanged: watching,
  DirectoryAdded: silent,
  FileChanged: watching,
  MessageDisplay: { accepts: ["displayContent"] },
};

export const replies: Replies<ClaudeRow> = createReplies(rows, { top: commonFields, specific: specificFields });

/** An outcome as Claude Code reads it. What the event does not take is left out; an empty answer prints nothing. */
export function encode(event: HookEvent, outcome: Outcome): Reply {
  const row = replies.rowNamed(event.name);
  if (!row) return nothing;
  const taken = withResult(event, onlyAccepted(outcome, row.accepts));
  if (row.refuses === "exit" && taken.verdict?.is === "deny") return refusedByExit(taken);
  return row.plain ? plainText(row.plain, taken) : replies.encode(event, taken);
}

/** Where code 2 or plain text says it, a body of JSON cannot say the same, so such an event stays a command's (R50). */
export function overHttp(name: AgentEventName): boolean {
  const row = replies.rowNamed(name);
  return row !== undefined && !row.commandOnly && !row.plain && row.refuses !== "exit";
}

/** An event that a person has registered for HTTP by hand all the same is refused in the nearest form. */
export function encodeForHttp(event: HookEvent, outcome: Outcome): Json | undefined {
  const row = replies.rowNamed(event.name);
  if (!row || overHttp(event.name as AgentEventName) || row.commandOnly) return encode(event, outcome).body; // a key of the table
  const taken = onlyAccepted(outcome, row.accepts);
  if (taken.verdict?.is !== "deny")
    return row.plain ? plainForHttp(event, row.plain, taken) : replies.bodyOf(event, taken);
  const { verdict: _said, ...others } = taken;
  const beside = row.plain ? {} : replies.bodyOf(event, others);
  return { ...beside, ...(nearestRefusals[event.name as AgentEventName] ?? blocking)(reasonOf(taken)) };
}

/** Of an event without a row only a decision to block can be said. */
export function refuseOverHttp(reason: string, name: AgentEventName | undefined): Json | undefined {
  return name === undefined ? blocking(reason) : encodeForHttp(eventNamed(name), denial(reason));
}

const blocking = (reason: string): Fields => ({ decision: "block", reason });
const stopping = (reason: string): Fields => ({ continue: false, stopReason: reason });
const declining =
  (name: AgentEventName) =>
  (reason: string): Fields => ({
    systemMessage: reason,
    hookSpecificOutput: { hookEventName: name, action: "decline" },
  });
/** What says no in JSON, where it is not a decision to block. */
const nearestRefusals: Readonly<Partial<Record<AgentEventName, (reason: string) => Fields>>> = {
  TeammateIdle: stopping,
  TaskCreated: stopping,
  TaskCompleted: stopping,
  Elicitation: declining("Elicitation"),
  ElicitationResult: declining("ElicitationResult"),
  WorktreeCreate: (reason) => ({ systemMessage: reason }), // without a path there is no worktree
};

function plainForHttp(event: HookEvent, field: "context" | "worktreePath", outcome: Outcome): Json | undefined {
  const { worktreePath } = outcome;
  if (field === "context") return plainText(field, outcome).body;
  return worktreePath && { hookSpecificOutput: { hookEventName: event.name, worktreePath } };
}

/** What the model cannot be shown in a result becomes context. */
function withResult(event: HookEvent, outcome: Outcome): Outcome {
  if (outcome.updatedOutput === undefined) return outcome;
  const { updatedOutput, ...rest } = outcome;
  const { output, told } = deliverResult(event, updatedOutput);
  return {
    ...rest,
    ...(output !== undefined && { updatedOutput: output }),
    ...(told !== undefined && { context: [...(outcome.context ?? []), told] }),
  };
}

/** Exit 2 lets stdout go unread, so what a person should see stands behind the reason. */
const refusedByExit = (outcome: Outcome): Reply => ({
  stderr: [reasonOf(outcome), ...texts(outcome.messages)].join("\n"),
  exitCode: 2,
});

function plainText(field: "context" | "worktreePath", outcome: Outcome): Reply {
  const text = field === "context" ? outcome.context?.join("\n") : outcome.worktreePath;
  return text ? { body: text, exitCode: 0 } : nothing;
}

function commonFields(row: ClaudeRow, outcome: Outcome): Fields {
  const blocks = row.refuses === "block" || (row.refuses === "continue" && !outcome.stop);
  const sequence = outcome.extra?.terminalSequence;
  return {
    ...stopped(outcome),
    ...(blocks && outcome.verdict?.is === "deny" && { decision: "block", reason: reasonOf(outcome) }),
    ...shown(row, outcome),
    ...(outcome.suppressOutput && { suppressOutput: true }),
    ...(typeof sequence === "string" && allowedSequence.test(sequence) && { terminalSequence: sequence }),
  };
}

/** Titles, notifications and the bell; a sequence that Claude Code refuses would cost the whole answer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences consist of control characters
const allowedSequence = /^(?:\u0007|\u001b\](?:0|1|2|9|99|777);[^\u0007\u001b]*(?:\u0007|\u001b\\))+$/;

function specificFields(row: ClaudeRow, outcome: Outcome): Fields {
  return {
    ...(row.refuses === "permission" && permission(outcome)),
    ...(row.refuses === "behavior" ? behavior(outcome) : rewrite(outcome)),
    ...additional(row, outcome),
    ...renamed(outcome),
    ...(outcome.elicitation && elicitation(outcome.elicitation)),
    ...Object.fromEntries(Object.entries(outcome.extra ?? {}).filter(([key]) => row.extra?.includes(key))),
  };
}

/** Claude Code replaces the whole input, with or without a decision. A refused call has none. */
const rewrite = ({ updatedInput, verdict }: Outcome): Fields =>
  updatedInput && verdict?.is !== "deny" ? { updatedInput } : {};

/** A rewrite or new permissions without an allow cannot be said here: the dialog decides then (C59). */
function behavior(outcome: Outcome): Fields {
  const { verdict, updatedInput, permissions = [], interrupt } = outcome;
  const updates = permissionUpdates(permissions);
  if (verdict?.is === "allow") {
    return {
      decision: {
        behavior: "allow",
        ...(updatedInput && { updatedInput }),
        ...(updates.length > 0 && { updatedPermissions: updates }),
      },
    };
  }
  if (verdict?.is !== "deny") return {};
  return {
    decision: { behavior: "deny", message: reasonOf(outcome, "denied by hook"), ...(interrupt && { interrupt }) },
  };
}

const elicitationActions: readonly string[] = ["accept", "decline", "cancel"];
const elicitation = ({ action, content }: { action: string; content?: Json }): Fields =>
  elicitationActions.includes(action) ? { action, ...(isRecord(content) && { content }) } : {};

/** Fields that differ in their name only. */
const renames: { readonly [F in OutcomeField]?: string } = {
  updatedOutput: "updatedToolOutput",
  retry: "retry",
  firstMessage: "initialUserMessage",
  sessionTitle: "sessionTitle",
  watchPaths: "watchPaths",
  reloadSkills: "reloadSkills",
  suppressPrompt: "suppressOriginalPrompt",
  displayContent: "displayContent",
};

function renamed(outcome: Outcome): Fields {
  const fields: Fields = {};
  for (const key of Object.keys(renames) as OutcomeField[]) {
    const value = outcome[key];
    const written = renames[key];
    if (written && saysSomething(value)) fields[written] = value as Json; // the renamed fields are all plain JSON
  }
  return fields;
}

const saysSomething = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
