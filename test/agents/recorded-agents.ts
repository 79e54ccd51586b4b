/** What each agent sends around a call, made of the payloads that were recorded of it: the same fields, with another session, call and command. */
import { ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "../../src/engine/event.ts";
import { isFields } from "../../src/engine/schema.ts";

const folder = join(import.meta.dirname, "../fixtures/agents");

function recorded(name: string): Fields {
  const value: unknown = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  ok(isFields(value), name);
  return value;
}

export interface RecordedCall {
  session: string;
  /** Of the call, for agents that give one. */
  id: string;
  command: string;
  /** Milliseconds at which the agent sends it. */
  at: number;
}
interface Sent {
  /** What the registration names, for payloads that do not say it. */
  event?: string;
  wire: Fields;
}
export interface RecordedAgent {
  before(call: RecordedCall): Sent;
  ran(call: RecordedCall): Sent;
  /** Absent: it reports a failed call as it reports others. */
  failed?(call: RecordedCall): Sent;
  prompt(of: Omit<RecordedCall, "id" | "command">): Sent;
  stop(of: Omit<RecordedCall, "id" | "command">): Sent;
  /** Absent: none was recorded. */
  end?(of: Omit<RecordedCall, "id" | "command">): Sent;
}

const withCommand = (input: unknown, command: string): Fields => ({ ...(isFields(input) ? input : {}), command });
const timeOf = (at: number): string => new Date(at).toISOString();

/** Agents whose payloads are shaped as Claude Code's. */
function like(
  name: string,
  files: { before: string; ran: string; failed?: string; prompt: string; stop: string; end?: string },
  ids: readonly string[],
): RecordedAgent {
  const call = (file: string) => {
    const base = recorded(`${name}/${file}`);
    return ({ session, id, command, at }: RecordedCall): Sent => ({
      wire: {
        ...base,
        session_id: session,
        tool_name: recorded(`${name}/${files.before}`).tool_name ?? "",
        tool_input: withCommand(recorded(`${name}/${files.before}`).tool_input, command),
        ...Object.fromEntries(ids.map((field) => [field, id])),
        ...(base.timestamp !== undefined && { timestamp: timeOf(at) }),
      },
    });
  };
  const other = (file: string) => {
    const base = recorded(`${name}/${file}`);
    return ({ session, at }: { session: string; at: number }): Sent => ({
      wire: {
        ...base,
        session_id: session,
        ...(base.timestamp !== undefined && { timestamp: timeOf(at) }),
        ...(base.turn_id !== undefined && { turn_id: String(at) }),
        ...(base.prompt_id !== undefined && { prompt_id: String(at) }),
      },
    });
  };
  return {
    before: call(files.before),
    ran: call(files.ran),
    ...(files.failed && { failed: call(files.failed) }),
    prompt: other(files.prompt),
    stop: other(files.stop),
    ...(files.end && { end: other(files.end) }),
  };
}

function copilotSends(file: string, event: string) {
  const base = recorded(`copilot/${file}`);
  return ({ session, at, command }: { session: string; at: number; command?: string }): Sent => ({
    event,
    wire: {
      ...base,
      sessionId: session,
      timestamp: at,
      ...(command !== undefined && {
        toolName: "bash",
        toolArgs: withCommand(recorded("copilot/preToolUse.bash").toolArgs, command),
      }),
    },
  });
}

function openCodeSends(hook: string, make: (of: RecordedCall) => Fields) {
  return (of: { session: string; at: number; id?: string; command?: string }): Sent => ({
    wire: { hook, cwd: "/workspace/repo", sessionID: of.session, ...make({ id: "", command: "", ...of }) },
  });
}

function piSends(file: string, more: Fields = {}) {
  const base = recorded(`pi/${file}`);
  return ({ session, id, command }: { session: string; id?: string; command?: string }): Sent => ({
    wire: {
      ...base,
      ...more,
      session_id: session,
      cwd: "/workspace/repo",
      ...(id !== undefined && command !== undefined && { toolCallId: id, input: { command } }),
    },
  });
}

export const recordedAgents: Readonly<Record<string, RecordedAgent>> = {
  "claude-code": like(
    "claude-code",
    {
      ...{ before: "PreToolUse.Bash", ran: "PostToolUse.Bash", failed: "PostToolUseFailure" },
      ...{ prompt: "UserPromptSubmit", stop: "Stop", end: "SessionEnd" },
    },
    ["tool_use_id"],
  ),
  codex: like(
    "codex",
    { before: "PreToolUse", ran: "PostToolUse", prompt: "UserPromptSubmit", stop: "Stop", end: "SessionEnd" },
    ["tool_use_id"],
  ),
  qwen: like(
    "qwen",
    {
      ...{ before: "PreToolUse.run_shell_command", ran: "PostToolUse.run_shell_command" },
      ...{ failed: "PostToolUseFailure", prompt: "UserPromptSubmit", stop: "Stop" },
    },
    ["tool_call_id"],
  ),
  gemini: {
    ...like(
      "gemini",
      {
        ...{ before: "BeforeTool.run_shell_command", ran: "AfterTool.run_shell_command" },
        ...{ prompt: "BeforeAgent", stop: "AfterAgent", end: "SessionEnd" },
      },
      [],
    ),
  },
  copilot: {
    before: copilotSends("preToolUse.bash", "preToolUse"),
    ran: copilotSends("postToolUse.bash", "postToolUse"),
    failed: copilotSends("postToolUseFailure", "postToolUseFailure"),
    prompt: copilotSends("userPromptSubmitted", "userPromptSubmitted"),
    stop: copilotSends("agentStop.session", "agentStop"),
    end: copilotSends("sessionEnd", "sessionEnd"),
  },
  opencode: {
    before: openCodeSends("tool.execute.before", ({ session, id, command }) => ({
      input: { tool: "bash", sessionID: session, callID: id },
      output: { args: { command, description: "x" } },
    })),
    ran: openCodeSends("tool.execute.after", ({ session, id, command }) => ({
      input: { tool: "bash", sessionID: session, callID: id, args: { command, description: "x" } },
      output: recorded("opencode/tool.execute.after.bash").output ?? {},
    })),
    failed: openCodeSends("event.message.part.updated", ({ session, id, command }) => ({
      input: {
        type: "message.part.updated",
        properties: {
          part: {
            ...{ type: "tool", tool: "bash", sessionID: session, callID: id },
            state: { status: "error", input: { command, description: "x" }, error: "it failed" },
          },
        },
      },
    })),
    prompt: openCodeSends("chat.message", ({ session, at }) => ({
      input: { sessionID: session },
      output: { message: { id: `msg_${at}` }, parts: [{ type: "text", text: "please work" }] },
    })),
    stop: openCodeSends("event.session.idle", ({ session }) => ({
      input: { type: "session.idle", properties: { sessionID: session } },
    })),
    end: openCodeSends("dispose", () => ({})),
  },
  pi: {
    before: piSends("tool_call.bash"),
    ran: piSends("tool_result.bash"),
    failed: piSends("tool_result.bash", { isError: true, content: [{ type: "text", text: "it failed" }] }),
    prompt: piSends("input"),
    stop: piSends("message_end", {
      message: { role: "assistant", content: [{ type: "text", text: "all done" }], stopReason: "stop" },
    }),
    end: piSends("session_shutdown"),
  },
};
