/** The calls in the sessions of pi 0.73.1: a file each, in a folder that is named after the project's. */
import { join } from "node:path";
import type { Fields } from "../../engine/event.ts";
import { fieldsIn, isFields } from "../../engine/schema.ts";
import { canonicalCall } from "../native-tools.ts";
import { textOf } from "../payload.ts";
import {
  type CallEnded,
  isFolderOf,
  momentIn,
  namesIn,
  type RecordedEntry,
  type RecordedSessions,
  resultBy,
  sourcesIn,
} from "../recorded-calls.ts";
import { agentFolder, textsIn, tools } from "./adapter.ts";

const folderName = (path: string): string => `--${path.replace(/^\//, "").replaceAll(/[/\\:]/g, "-")}`;

const sources: RecordedSessions["sources"] = ({ folder, since, ...home }) => {
  const all = join(agentFolder(home), "sessions");
  const cwd = folder === undefined ? {} : { cwd: folder };
  return namesIn(all)
    .filter((name) => folder === undefined || isFolderOf(name, folder, folderName))
    .flatMap((name) => sourcesIn(join(all, name), { ending: ".jsonl", since }, () => cwd));
};

function entry({ type, id, cwd, message, timestamp }: Fields): RecordedEntry | undefined {
  if (type === "session") {
    const session = textOf(id);
    const folder = textOf(cwd);
    return { ...(session !== undefined && { session }), ...(folder !== undefined && { cwd: folder }) };
  }
  const { role, content, toolCallId, isError } = fieldsIn(message);
  if (type !== "message") return undefined;
  const parts = role === "assistant" && Array.isArray(content) ? content.filter(isFields) : [];
  return {
    ...momentIn(timestamp),
    begun: parts.flatMap(({ type: kind, id: call, name, arguments: input }) =>
      kind === "toolCall" && typeof call === "string" && typeof name === "string"
        ? [{ id: call, tool: name, input: input ?? {} }]
        : [],
    ),
    ended:
      role === "toolResult" && typeof toolCallId === "string"
        ? [{ id: toolCallId, ...resultOf(isError === true, textsIn(content)) }]
        : [],
  };
}

const resultOf = (isError: boolean, text: string): Omit<CallEnded, "id"> =>
  isError ? resultBy(text, results, "unknown") : { result: "ran" };

/** What an extension of it refuses has the extension's own words: whether it ran, they do not tell. */
const results = [
  [/^(?:Validation failed for tool|Tool \S+ not found)/, "refused"],
  [/Command exited with code \d+$/, "failed"],
] as const;

export const recorded: RecordedSessions = {
  sources,
  marks: ['"type":"session"', '"toolCall"', '"toolResult"'],
  entry,
  canonical: ({ tool, input }) => canonicalCall(tools, tool, input),
};
