/** The event that a person describes on the command line, for emit and explain. */
import { withOwnNames } from "../../engine/ability.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { type Fields, type HookEvent, type Json, payloadAt } from "../../engine/event.ts";
import { eventNames, eventToEmit } from "../../engine/events.ts";
import { nearest } from "../../engine/nearest.ts";
import { isRecord } from "../../engine/schema.ts";
import { type Invocation, textFlag, usageError } from "./command.ts";
import { textOfFile, textOfInput } from "./text-source.ts";

/** @throws HooklineError event_unknown, input_invalid, usage, file_unreadable */
export function eventFrom(invocation: Invocation, usage: string, id: string, at: number): HookEvent {
  const { words, flags, cwd } = invocation;
  const [written] = words;
  if (written === undefined) throw usageError("the event's name is missing", usage);
  const data = asPayload(readData(textFlag(flags, "data"), cwd));
  const name = eventToEmit(written, data);
  if (!name) {
    throw new HooklineError("event_unknown", {
      name: written,
      where: "the command line",
      near: nearest(written, eventNames),
    });
  }
  const session = textFlag(flags, "session") ?? (typeof data.session_id === "string" ? data.session_id : undefined);
  const { session_id: _session, cwd: _cwd, hook_event_name: _name, ...rest } = payloadAt(0, data, name);
  return { id, name, at, cwd, data: rest, sender: "emit", ...(session ? { session } : {}), ...agentOf(data) };
}

/** The words of specification 003's placeholders mean the payload's own fields: `{"tool": {"name": …, "params": …}}`. */
const toolWords = { name: "tool_name", params: "tool_input", result: "tool_response", error: "error" } as const;

function asPayload({ tool, ...data }: Fields): Fields {
  if (!isRecord(tool)) return withOwnNames(tool === undefined ? data : { ...data, tool });
  const payload: Fields = {};
  for (const [word, field] of Object.entries(toolWords)) {
    const value = tool[word];
    if (value !== undefined) payload[field] = value as Json; // read from JSON
  }
  return withOwnNames({ ...payload, ...data });
}

/** `agent` alone names an agent by its id. */
const agentOf = ({ agent, agent_id: id = agent, agent_type: type }: Fields): Pick<HookEvent, "agent"> =>
  typeof id === "string" ? { agent: { id, ...(typeof type === "string" ? { type } : {}) } } : {};

function readData(given: string | undefined, cwd: string): Fields {
  if (given === undefined) return {};
  if (given === "-") return parseFields(textOfInput(), "standard input");
  if (!given.startsWith("@")) return parseFields(given, "--data");
  const file = given.slice(1);
  return parseFields(textOfFile(file, cwd), file);
}

/** @throws HooklineError input_invalid */
export function parseFields(text: string, where: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new HooklineError("input_invalid", { reason: messageOf(error), where }, { cause: error });
  }
  if (!isRecord(value)) throw new HooklineError("input_invalid", { reason: "it is another kind of value", where });
  return value as Fields; // JSON.parse gives JSON
}
