/** The calls in what Gemini CLI 0.61.0 keeps of a session: a file for its chat, and a folder with one for each of its subagents. */
import { join } from "node:path";
import type { Fields } from "../../engine/event.ts";
import { fieldsIn, isFields } from "../../engine/schema.ts";
import { isInside } from "../../files/paths.ts";
import { textAt } from "../../files/regular-file.ts";
import { canonicalCall } from "../native-tools.ts";
import { textOf } from "../payload.ts";
import {
  type CallBegun,
  type CallEnded,
  momentIn,
  namesIn,
  type RecordedEntry,
  type RecordedSessions,
  resultBy,
  sourcesIn,
} from "../recorded-calls.ts";
import { geminiHome } from "./adapter.ts";
import { tools } from "./tools.ts";

const ending = ".jsonl";

/** Each folder of projects names its project in a file. */
const sources: RecordedSessions["sources"] = ({ folder, since, ...home }) => {
  const all = join(geminiHome(home), ".gemini", "tmp");
  return namesIn(all).flatMap((name) => {
    const project = textAt(join(all, name, ".project_root"), 65_536)?.trim();
    if (folder !== undefined && (project === undefined || !isInside(folder, project))) return [];
    const chats = join(all, name, "chats");
    const cwd = project === undefined ? {} : { cwd: project };
    return [
      ...sourcesIn(chats, { ending, since }, () => cwd),
      ...namesIn(chats).flatMap((session) =>
        sourcesIn(join(chats, session), { ending, since }, (id) => ({ session, subagent: { id }, ...cwd })),
      ),
    ];
  });
};

function entry(written: Fields): RecordedEntry | undefined {
  const { sessionId, toolCalls, timestamp, kind } = written;
  if (typeof sessionId === "string") return kind === "subagent" ? {} : { session: sessionId };
  if (!Array.isArray(toolCalls)) return undefined;
  const calls = toolCalls.filter(isFields);
  return {
    ...momentIn(timestamp),
    begun: calls.flatMap((call) => begunIn(call)),
    ended: calls.flatMap((call) => endIn(call)),
  };
}

const begunIn = ({ id, name, args }: Fields): CallBegun[] =>
  typeof id === "string" && typeof name === "string" ? [{ id, tool: name, input: args ?? {} }] : [];

/** A call is written when it has ended, with when that was. */
function endIn({ id, status, result, timestamp }: Fields): CallEnded[] {
  if (typeof id !== "string" || (status !== "success" && status !== "error" && status !== "cancelled")) return [];
  const at = momentIn(timestamp);
  if (status !== "error") return [{ id, ...at, result: status === "success" ? "ran" : "interrupted" }];
  const [first] = Array.isArray(result) ? result : [];
  const { response } = fieldsIn(fieldsIn(first).functionResponse);
  return [{ id, ...at, ...resultBy(textOf(fieldsIn(response).error) ?? "", refusals, "unknown") }];
}

const refusals = [[/^(?:Tool execution blocked:|params must |Tool "[^"]*" not found)/, "refused"]] as const;

const canonical = ({ tool, input }: CallBegun): ReturnType<typeof canonicalCall> => canonicalCall(tools, tool, input);

export const recorded: RecordedSessions = {
  sources,
  marks: ['"toolCalls"', '"sessionId"'],
  entry,
  canonical,
  knownBy(call) {
    const { tool_name, tool_input } = canonical(call);
    return [tool_name, tool_input];
  },
};
