/** The events that operations make: where they happen, and how deep they are. */
import { withInput } from "../agents/payload.ts";
import { withOwnNames } from "../engine/ability.ts";
import { HooklineError } from "../engine/error.ts";
import {
  depthBelow,
  depthWithin,
  type EventName,
  type Fields,
  type HookEvent,
  type Json,
  payloadAt,
} from "../engine/event.ts";
import { eventNames, eventToEmit } from "../engine/events.ts";
import { emitRecorded } from "../engine/later.ts";
import { didYouMean, nearest } from "../engine/nearest.ts";
import type { Outcome } from "../engine/outcome.ts";
import { anything, isRecord, mapOf, object, say, text } from "../engine/schema.ts";
import { type Asked, type Operation, plain } from "./operation.ts";

/** @throws Error for a name that nothing sends */
export function knownEvent(found: EventName | undefined, written: string): EventName {
  if (found) return found;
  throw new Error(
    `no event is called "${written}"; ${didYouMean(written, eventNames) ?? "names of application events hold a dot"}`,
  );
}

/** It happens where the event of the asking hook happened, and in its session. */
export function eventOf(
  name: EventName,
  data: Fields,
  { event, now, id, cwd }: Pick<Asked, "event" | "now" | "id" | "cwd">,
): HookEvent {
  return {
    id: id(),
    name,
    at: now(),
    cwd: event?.cwd ?? cwd,
    data,
    sender: "hookline",
    ...(event?.session === undefined ? {} : { session: event.session }),
  };
}

/** Who sends an event, and for whom. */
export interface Sender extends Pick<Asked, "engine" | "event" | "now" | "id" | "cwd" | "environment"> {
  signal?: AbortSignal | undefined;
}
interface SentEvent {
  event: HookEvent;
  outcome: Outcome;
}

/**
 * Sends an application event, one deeper than the event whose hook or program asks for it. Throws where hooks answer each other
 * without end, and where the event could not be written down.
 *
 * @param given its own id, folder and sender, where they are others than usual, and the one hook that it is for
 */
export async function send(
  name: EventName,
  data: Fields,
  sender: Sender,
  given: Partial<Pick<HookEvent, "id" | "cwd" | "sender" | "session" | "to">> = {},
): Promise<SentEvent> {
  const { engine, signal, environment } = sender;
  const depth = sender.event ? depthBelow(sender.event, environment ?? {}) : depthWithin(environment ?? {});
  const event = { ...eventOf(name, payloadAt(depth, data, name), sender), ...given };
  const caller = { ...(signal ? { signal } : {}), ...(environment ? { environment } : {}) };
  return { event, outcome: await emitRecorded(engine, event, caller) };
}

// The event that the caller describes by a name and a payload, to try it.

interface Described {
  /** The event's name, or another one for it. */
  written: string;
  given: Fields;
  session: string | undefined;
  where: string;
}

/**
 * The event that a person describes by a name and a payload.
 *
 * @throws HooklineError event_unknown
 */
export function describedEvent(
  { written, given, session, where }: Described,
  facts: Pick<HookEvent, "id" | "at" | "cwd" | "sender">,
): HookEvent {
  const data = withInput(asPayload(given));
  const name = eventToEmit(written, data);
  if (!name) throw new HooklineError("event_unknown", { name: written, where, near: nearest(written, eventNames) });
  const own = session ?? (typeof data.session_id === "string" ? data.session_id : undefined);
  const { session_id: _session, cwd: _cwd, hook_event_name: _name, ...rest } = payloadAt(0, data, name);
  return { ...facts, name, data: rest, ...(own ? { session: own } : {}), ...agentOf(data) };
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

export const emit: Operation<{ event: string; data?: Fields }> = {
  summary: "Sends an application event to its hooks, and returns their decision.",
  params: object(
    { event: text("the event's name, which holds a dot, such as deploy.started") },
    { data: say(mapOf(anything), "its payload", {}) },
  ),
  readOnly: false,
  async run({ event: written, data = {} }, asked) {
    const name = knownEvent(eventToEmit(written, data), written);
    if (!name.includes("."))
      throw new Error(`only agents send "${written}"; hooks send application events, whose names hold a dot`);
    const { event, outcome } = await send(name, data, asked);
    return { event: event.id, outcome: plain(outcome) };
  },
};
