/** What the payloads of all agents have in common, read so that nothing in them can be mistaken: event, session, folder, agent, key. */
import { isAbsolute, resolve } from "node:path";
import { HooklineError } from "../engine/error.ts";
import type { AgentEventName, Fields, HookEvent } from "../engine/event.ts";
import { events } from "../engine/events.ts";
import { isFields, isRecord, kindOf } from "../engine/schema.ts";
import { canBePath } from "../files/paths.ts";

/** @throws HooklineError input_invalid */
export function fieldsOf(wire: unknown, where: string): Fields {
  if (!isRecord(wire)) throw new HooklineError("input_invalid", { reason: `it is ${kindOf(wire)}`, where });
  return withInput(wire as Fields); // the payload was parsed from JSON: all of it is JSON
}

/** What agents call the input of a tool. */
const inputFields = ["tool_input", "toolInput", "tool_args", "toolArgs", "args", "input"] as const;

/** The input of a tool that comes as JSON in a text is what that text holds: read as a text it would pass every guard unseen. */
export function withInput(fields: Fields): Fields {
  let all = fields;
  for (const name of inputFields) {
    const text = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const read = typeof text === "string" && /^\s*[{"]/.test(text) ? parsed(text) : undefined;
    if (isFields(read)) all = { ...all, [name]: read };
  }
  return all;
}

/** A text in a text as well. What is no JSON stays what it is: a patch, say. */
function parsed(text: string, depth = 0): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" && depth < 2 ? parsed(value, depth + 1) : value;
  } catch {
    return undefined; // it is no JSON, and stays a text
  }
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A value as text, whatever it is: what JSON can hold may have a `toString` of its own that is none. */
export const wordOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? `${value}` : "";

/**
 * The event of this name, by the agent's own table of names or, without one, by ours.
 *
 * @throws HooklineError input_invalid, event_unknown
 */
export function eventNamed(
  written: unknown,
  where: string,
  names?: Readonly<Record<string, AgentEventName>>,
): AgentEventName {
  const called = textOf(written);
  if (called === undefined)
    throw new HooklineError("input_invalid", {
      reason: `hook_event_name is ${kindOf(written)}`,
      where,
      advice: "name the event there",
    });
  const meant = names && Object.hasOwn(names, called) ? names[called] : undefined;
  if (meant !== undefined) return meant;
  if (Object.hasOwn(events, called)) return called as AgentEventName; // it is a key of the event table
  throw new HooklineError("event_unknown", { name: called, where });
}

interface Place {
  session: string | undefined;
  /** As the payload has it. */
  cwd: unknown;
  /** Where the sender works. */
  given: string | undefined;
  where: string;
}

/**
 * A relative folder is the sender's: in another process it would be another one.
 *
 * @throws HooklineError input_invalid
 */
export function placeOf({ session, cwd, given, where }: Place): Pick<HookEvent, "cwd" | "session"> {
  const written = textOf(cwd);
  const folder =
    written === undefined || isAbsolute(written) || given === undefined ? (written ?? given) : resolve(given, written);
  if (folder === undefined)
    throw new HooklineError("input_invalid", { reason: `cwd is ${kindOf(cwd)}`, where, advice: "name a folder there" });
  for (const text of [session, folder]) if (text !== undefined) mustBeUsable(text, where);
  return { cwd: folder, ...(session === undefined ? {} : { session }) };
}

/** Such a value can be no session and no folder, and cannot be passed to a program. */
function mustBeUsable(text: string, where: string): void {
  if (!canBePath(text)) {
    throw new HooklineError("input_invalid", {
      reason: "session_id or cwd holds a NUL or is longer than 4,096 characters",
      where,
      advice: "send the session and the folder that there are",
    });
  }
}

export function agentIn({ agent_id, agent_type }: Fields): Pick<HookEvent, "agent"> {
  const id = textOf(agent_id);
  const type = textOf(agent_type);
  return id === undefined ? {} : { agent: { id, ...(type === undefined ? {} : { type }) } };
}

/** The end of a session is also its stop (R62). */
export function stopAtEnd({ delivery: _ofTheRequest, ...event }: HookEvent, id: () => string): HookEvent[] {
  return event.name === "SessionEnd" ? [{ ...event, id: id(), name: "SessionStop", accepts: [] }] : [];
}

interface Reported {
  session: string | undefined;
  /** What the agent knows the call or the prompt by. */
  happening: unknown;
  /** The registration that reports it. */
  by: string | undefined;
}

/** One happening has one key, whichever registration of whichever agent's file reports it (R49). */
export function deliveryOf(event: AgentEventName, { session, happening, by }: Reported): Pick<HookEvent, "delivery"> {
  const known = textOf(happening);
  if (known === undefined || session === undefined || by === undefined) return {};
  return { delivery: { id: JSON.stringify([session, event, known]), by } };
}
