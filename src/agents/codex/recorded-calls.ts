/** The calls in the rollouts of Codex 0.169.0: a file for each thread, by the day on which it began. A subagent is a thread of its own. */
import { join } from "node:path";
import type { Fields, Json } from "../../engine/event.ts";
import { fieldsIn } from "../../engine/schema.ts";
import { canonicalCall } from "../native-tools.ts";
import { textOf } from "../payload.ts";
import {
  type CallBegun,
  type CallEnded,
  momentIn,
  namesIn,
  type RecordedEntry,
  type RecordedSessions,
  type RecordedSource,
  resultBy,
  sourcesIn,
} from "../recorded-calls.ts";
import { codexFolder, nativeTools } from "./adapter.ts";

/** A thread that was begun long ago may go on today: all days are looked at, and of each only what was written since. */
const sources: RecordedSessions["sources"] = ({ since, ...home }) => {
  const all = join(codexFolder(home), "sessions");
  const below = (folders: readonly string[]): string[] =>
    folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
  return below(below(below([all]))).flatMap((day): RecordedSource[] => sourcesIn(day, { ending: ".jsonl", since }));
};

type Reader = (payload: Fields) => RecordedEntry | undefined;

const begun = ({ call_id, name }: Fields, input: Json | undefined): CallBegun[] =>
  typeof call_id === "string" && typeof name === "string" ? [{ id: call_id, tool: name, input: input ?? {} }] : [];

const ended: Reader = ({ call_id, output }) =>
  typeof call_id === "string" ? { ended: [{ id: call_id, ...resultIn(output) }] } : undefined;

const readers: Readonly<Record<string, Reader>> = {
  session_meta: ({ session_id, id, cwd, source, agent_role }) => {
    const thread = textOf(id);
    const session = textOf(session_id) ?? thread;
    const folder = textOf(cwd);
    const type = textOf(agent_role) ?? textOf(fieldsIn(fieldsIn(fieldsIn(source).subagent).thread_spawn).agent_role);
    return {
      ...(session !== undefined && { session }),
      ...(folder !== undefined && { cwd: folder }),
      ...(thread !== undefined &&
        thread !== session && { subagent: { id: thread, ...(type !== undefined && { type }) } }),
    };
  },
  function_call: (payload) => ({ begun: begun(payload, parsed(payload.arguments)) }),
  custom_tool_call: (payload) => ({ begun: begun(payload, payload.input) }),
  function_call_output: ended,
  custom_tool_call_output: ended,
};

function entry({ type, payload, timestamp }: Fields): RecordedEntry | undefined {
  const fields = fieldsIn(payload);
  const kind = String(type === "response_item" ? fields.type : type);
  const told = Object.hasOwn(readers, kind) ? readers[kind]?.(fields) : undefined;
  return told && { ...momentIn(timestamp), ...told };
}

function parsed(text: Json | undefined): Json | undefined {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text; // what a model has written wrong
  }
}

const resultIn = (output: Json | undefined): Omit<CallEnded, "id"> =>
  resultBy(textOf(output) ?? textOf(fieldsIn(output).content) ?? "", results, "unknown");

const results = [
  [/^(?:Command blocked by PreToolUse hook|unsupported call:|failed to parse function arguments)/, "refused"],
  [/^Chunk ID: .*\nWall time: .*\nProcess exited with code 0$/m, "ran"],
  [/^Chunk ID: .*\nWall time: .*\nProcess exited with code [1-9]/m, "failed"],
  [/^Wall time: \S+ seconds\naborted by user/, "interrupted"],
] as const;

export const recorded: RecordedSessions = {
  sources,
  marks: ['"session_meta"', '_call"', '_call_output"'],
  entry,
  canonical({ tool, input }) {
    const { cmd } = fieldsIn(input);
    return tool === "exec_command" && cmd !== undefined
      ? { tool_name: "Bash", tool_input: { command: cmd } }
      : canonicalCall(nativeTools, tool, input);
  },
};
