/** The events of rules (specification 003): their names, when each happens, and what a written name means. */
import type { EventName } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { nearestFew } from "../../engine/nearest.ts";

export interface RuleEvent {
  name: string;
  /** Its other name. */
  alias?: string;
  when: string;
}

export const ruleEvents: readonly RuleEvent[] = [
  { name: "turn_start", alias: "user_prompt", when: "a turn begins: the user's input has been received" },
  { name: "turn_end", when: "a turn ends: the model asks for no more tools" },
  { name: "tool_start", alias: "pre_tool_use", when: "before a tool call" },
  { name: "tool_end", alias: "post_tool_use", when: "after a tool call, whether it failed or not" },
  { name: "session_start", when: "the first turn of a session begins" },
  { name: "session_end", when: "the session is closed" },
  { name: "pre_compact", when: "before the context is compacted" },
  { name: "error", when: "the turn ended in an error" },
  { name: "approval_request", when: "a person would be asked for permission" },
  { name: "agent_spawn", when: "a subagent is started" },
  { name: "agent_complete", when: "a subagent has finished, or failed" },
  { name: "activation", when: "an application event arrives: from a channel, a schedule or the bus" },
];

/** The fifteen names that specification 003 has. */
export const ruleEventNames: readonly string[] = ruleEvents.flatMap(({ name, alias }) =>
  alias === undefined ? [name] : [name, alias],
);

export const defaultEvent = "turn_end";

/** All names that an event has, those of 003 first. */
export const writableEvents: readonly string[] = [...new Set([...ruleEventNames, ...eventNames])];

const mostSuggested = 3;

export interface UnknownEvent {
  message: string;
  suggestion: string;
  /** The event that was most likely meant. */
  meant: EventName[];
}

/** The events that a name means, or what is said of a name that means none. */
export function readEvent(written: string): EventName[] | UnknownEvent {
  const known = resolveEvent(written);
  if (known) return known;
  const near = nearestFew(written, writableEvents, mostSuggested);
  const message = `Hook event '${written}' is unknown`;
  const [first] = near;
  const asked = first === undefined ? "" : `Did you mean ${near.map((name) => `"${name}"`).join(" or ")}? `;
  return { message, suggestion: `${asked}${validNames}`, meant: first === undefined ? [] : meantBy(first) };
}

const validNames = `Valid are ${ruleEventNames.join(", ")}, the names of docs/events.md, and names with a dot`;

const meantBy = (name: string): EventName[] => resolveEvent(name) ?? [];
