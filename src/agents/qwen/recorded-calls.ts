/** The calls in what Qwen Code 0.24.4 keeps of a session: a file for its chat, and one for each of its subagents. */
import { join } from "node:path";
import type { Fields } from "../../engine/event.ts";
import { fieldsIn, isFields } from "../../engine/schema.ts";
import { canonicalCall } from "../native-tools.ts";
import { textOf } from "../payload.ts";
import {
  type CallResult,
  isFolderOf,
  momentIn,
  namesIn,
  type RecordedEntry,
  type RecordedSessions,
  sourcesIn,
} from "../recorded-calls.ts";
import { nativeTools, qwenFolder } from "./adapter.ts";

const ending = ".jsonl";
const folderName = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, "-");

const sources: RecordedSessions["sources"] = ({ folder, since, ...home }) => {
  const all = join(qwenFolder(home), "projects");
  const cwd = folder === undefined ? {} : { cwd: folder };
  return namesIn(all)
    .filter((name) => folder === undefined || isFolderOf(name, folder, folderName))
    .flatMap((name) => {
      const subagents = join(all, name, "subagents");
      return [
        ...sourcesIn(join(all, name, "chats"), { ending, since }, (session) => ({ session, ...cwd })),
        ...namesIn(subagents).flatMap((session) =>
          sourcesIn(join(subagents, session), { ending, since }, (id) => ({ session, subagent: { id } })),
        ),
      ];
    });
};

/** By `errorType`, where a call has not come to its end. */
const byError: Readonly<Record<string, CallResult>> = {
  execution_denied: "refused",
  invalid_tool_params: "refused",
  tool_not_registered: "refused",
  shell_execute_error: "failed",
};

function entry(written: Fields): RecordedEntry | undefined {
  const session = textOf(written.sessionId);
  const { type, message, timestamp, toolCallResult } = written;
  if (session === undefined || (type !== "assistant" && type !== "tool_result" && type !== "user")) return undefined;
  const cwd = textOf(written.cwd);
  const id = textOf(written.agentId);
  const kind = textOf(written.agentName);
  const { parts } = fieldsIn(message);
  const all = Array.isArray(parts) ? parts.filter(isFields) : [];
  const outcome = fieldsIn(toolCallResult);
  return {
    session,
    ...(cwd !== undefined && { cwd }),
    ...momentIn(timestamp),
    ...(id !== undefined && { subagent: { id, ...(kind !== undefined && { type: kind }) } }),
    begun: all.flatMap(({ functionCall }) => {
      const { id: call, name, args } = fieldsIn(functionCall);
      return typeof call === "string" && typeof name === "string" ? [{ id: call, tool: name, input: args ?? {} }] : [];
    }),
    ended: all.flatMap(({ functionResponse }) => {
      const { id: call, response } = fieldsIn(functionResponse);
      if (typeof call !== "string") return [];
      const { error } = fieldsIn(response);
      if (error === undefined) return [{ id: call, result: "ran" }];
      const result = byError[String(outcome.errorType)] ?? "unknown";
      return [{ id: call, result, ...(result === "refused" && { reason: textOf(error) ?? "" }) }];
    }),
  };
}

export const recorded: RecordedSessions = {
  sources,
  marks: ['"functionCall"', '"functionResponse"', '"type":"user"'],
  entry,
  canonical: ({ tool, input }) => canonicalCall(nativeTools, tool, input),
};
