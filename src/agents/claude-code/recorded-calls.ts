/** The calls in the transcripts of Claude Code 2.1.330: a file for a session, and one beside it for each of its subagents. */
import { join } from "node:path";
import { type Fields, type Json, textField } from "../../engine/event.ts";
import { fieldsIn, isFields } from "../../engine/schema.ts";
import { textAt } from "../../files/regular-file.ts";
import { textOf } from "../payload.ts";
import {
  type CallEnded,
  isFolderOf,
  momentIn,
  namesIn,
  type RecordedEntry,
  type RecordedSessions,
  type RecordedSource,
  resultBy,
  sourcesIn,
} from "../recorded-calls.ts";
import { claudeFolder } from "./adapter.ts";

const ending = ".jsonl";
const folderName = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, "-");

const sources: RecordedSessions["sources"] = ({ folder, since, ...home }) => {
  const all = join(claudeFolder(home), "projects");
  const cwd = folder === undefined ? {} : { cwd: folder };
  return namesIn(all)
    .filter((name) => folder === undefined || isFolderOf(name, folder, folderName))
    .flatMap((name) => [
      ...sourcesIn(join(all, name), { ending, since }, (session) => ({ session, ...cwd })),
      ...namesIn(join(all, name)).flatMap((session) => subagentsOf(join(all, name), session, since)),
    ]);
};

const prefix = "agent-";

const subagentsOf = (folder: string, session: string, since: number): RecordedSource[] => {
  const own = join(folder, session, "subagents");
  return sourcesIn(own, { ending, since }, (name) => {
    const id = name.slice(prefix.length);
    const about = textAt(join(own, `${name}.meta.json`), 65_536);
    const type = typeIn(about);
    return { session, subagent: { id, ...(type !== undefined && { type }) } };
  });
};

function typeIn(about: string | undefined): string | undefined {
  try {
    return textOf(fieldsIn(JSON.parse(about ?? "null")).agentType);
  } catch {
    return undefined; // it is being written
  }
}

function entry(written: Fields): RecordedEntry | undefined {
  const { type, sessionId, cwd, message, timestamp } = written;
  const session = textOf(sessionId);
  const folder = textOf(cwd);
  if (session === undefined || (type !== "assistant" && type !== "user")) return undefined;
  const agent = textOf(written.agentId);
  const { content } = fieldsIn(message);
  const asked = textOf(written.requestSessionId);
  const isOfOther = asked !== undefined && asked !== session; // a fork begins with the entries of the session that it is one of
  const parts = Array.isArray(content) && !isOfOther ? content.filter(isFields) : [];
  return {
    session,
    ...(folder !== undefined && { cwd: folder }),
    ...momentIn(timestamp),
    ...(agent !== undefined && { subagent: { id: agent } }),
    begun: parts.flatMap(({ type, id, name, input }) =>
      type === "tool_use" && typeof id === "string" && typeof name === "string"
        ? [{ id, tool: name, input: input ?? {} }]
        : [],
    ),
    ended: parts.flatMap((part) => endOf(part)),
  };
}

function endOf(part: Fields): CallEnded[] {
  const id = textField(part, "tool_use_id");
  if (part.type !== "tool_result" || id === undefined) return [];
  return [
    { id, ...(part.is_error === true ? resultBy(textIn(part.content), refusals, "unknown") : { result: "ran" }) },
  ];
}

/** What a call ended with that was not executed, and what one that was. All other errors may be either. */
const refusals = [
  [/^<tool_use_error>(?:InputValidationError|Error: No such tool)/, "refused"],
  [/^(?:Pre\w+:\S+ hook error|Hook PreToolUse|Execution stopped by PreToolUse hook)/, "refused"],
  [/^(?:Permission to use|Claude requested permissions|This command requires approval)/, "refused"],
  [/^The user doesn't want to (?:proceed|take this action)/, "refused"],
  [/^\[Request interrupted by user/, "interrupted"],
  [/^Exit code \d/, "failed"],
] as const;

const textIn = (content: Json | undefined): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : []).map((part) => textOf(fieldsIn(part).text) ?? "").join("\n");

export const recorded: RecordedSessions = {
  sources,
  marks: ['"tool_use"', '"tool_result"', '"type":"user"'],
  entry,
};
