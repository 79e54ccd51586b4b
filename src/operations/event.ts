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
import { isRecord } from "../engine/schema.ts";
import type { Asked } from "./operation.ts";

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
  return sendEvent({ ...eventOf(name, data, sender), ...given }, sender);
}

/** The same of an event that is there already. */
export async function sendEvent(given: HookEvent, sender: Sender): Promise<SentEvent> {
  const { engine, signal, environment } = sender;
  const event = withinHook(given, environment ?? {}, sender.event);
  const caller = { ...(signal ? { signal } : {}), ...(environment ? { environment } : {}) };
  return { event, outcome: await emitRecorded(engine, event, caller) };
}

/** As deep as what sends it, where that is a hook or a program of one. Throws an Error where that is too deep. */
export function withinHook(
  event: HookEvent,
  environment: Readonly<Record<string, string>>,
  asking?: HookEvent,
): HookEvent {
  const depth = asking ? depthBelow(asking, environment) : depthWithin(environment);
  return depth === 0 ? event : { ...event, data: payloadAt(depth, event.data, event.name) };
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
