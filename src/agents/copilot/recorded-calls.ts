/** The calls in what Copilot CLI 1.0.102 keeps of a session: one file of events, its subagents' among them. */
import { join } from "node:path";
import type { Fields } from "../../engine/event.ts";
import { fieldsIn } from "../../engine/schema.ts";
import { canonicalCall } from "../native-tools.ts";
import { textOf } from "../payload.ts";
import {
  type CallBegun,
  momentIn,
  namesIn,
  type RecordedEntry,
  type RecordedSessions,
  resultBy,
  sourceAt,
} from "../recorded-calls.ts";
import { copilotFolder } from "./adapter.ts";
import { serverTool, tools } from "./tools.ts";

const sources: RecordedSessions["sources"] = ({ since, ...home }) => {
  const all = join(copilotFolder(home), "session-state");
  return namesIn(all).flatMap((session) => sourceAt(join(all, session, "events.jsonl"), since, { session }));
};

const readers: Readonly<Record<string, (data: Fields) => RecordedEntry>> = {
  "session.start": ({ sessionId, context }) => {
    const session = textOf(sessionId);
    const cwd = textOf(fieldsIn(context).cwd);
    return { ...(session !== undefined && { session }), ...(cwd !== undefined && { cwd }) };
  },
  "tool.execution_start": ({ toolCallId, toolName, arguments: input }) => ({
    begun:
      typeof toolCallId === "string" && typeof toolName === "string"
        ? [{ id: toolCallId, tool: toolName, input: input ?? {} }]
        : [],
  }),
  "tool.execution_complete": ({ toolCallId, success, error, shellExecution }) => {
    if (typeof toolCallId !== "string") return {};
    const { code, message } = fieldsIn(error);
    const { exitCode } = fieldsIn(shellExecution);
    if (success === true)
      return { ended: [{ id: toolCallId, result: exitCode === 0 || exitCode === undefined ? "ran" : "failed" }] };
    const said = textOf(message) ?? "";
    return { ended: [{ id: toolCallId, ...resultBy(`${textOf(code) ?? ""}: ${said}`, refusals, "unknown") }] };
  },
};

const refusals = [[/^(?:denied|rejected|invalid\w*|not_found):|^\w*: Tool '[^']*' does not exist/, "refused"]] as const;

function entry({ type, data, agentId, timestamp }: Fields): RecordedEntry | undefined {
  const kind = String(type);
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  const id = textOf(agentId);
  return read && { ...momentIn(timestamp), ...(id !== undefined && { subagent: { id } }), ...read(fieldsIn(data)) };
}

const canonical = ({ tool, input }: CallBegun): ReturnType<typeof canonicalCall> =>
  canonicalCall(tools, serverTool(tool) ?? tool, input);

export const recorded: RecordedSessions = {
  sources,
  marks: ['"session.start"', '"tool.execution_'],
  entry,
  canonical,
  knownBy(call, { session, subagent }) {
    const { tool_name, tool_input } = canonical(call);
    return [subagent?.id ?? session, tool_name, tool_input];
  },
};
