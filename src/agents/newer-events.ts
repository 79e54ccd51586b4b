/**
 * Events of a known agent that are newer than this Hookline (R104). What asks before a tool runs is judged as PreToolUse, and answered
 * under the agent's own name; all else is recorded. Apart from the adapters, which need not know of it.
 */
import { type EventName, type Fields, type HookEvent, type Json, textField } from "../engine/event.ts";
import { events, resolveEvent } from "../engine/events.ts";
import { isRecord } from "../engine/schema.ts";
import type { AgentAdapter, DecodeOptions, Reply } from "./adapter.ts";
import { agentIn, placeOf, textOf } from "./payload.ts";

const judgedAs = "PreToolUse";
/** Nothing is known of what it obeys: the two answers that can do no harm, and no other input. */
const verdicts = ["deny", "ask"] as const;

/**
 * What a payload means whose event the adapter does not know; undefined: it can be none that is newer.
 *
 * @throws HooklineError input_invalid
 */
export function newerEvents(
  adapter: AgentAdapter,
  wire: unknown,
  options: DecodeOptions & { where: string },
): readonly HookEvent[] | undefined {
  if (!isRecord(wire)) return undefined;
  const { session_id, cwd, hook_event_name, ...data } = wire as Fields; // parsed from JSON
  const called = textOf(hook_event_name) ?? options.event;
  if (called === undefined || !isName.test(called) || Object.hasOwn(Object.prototype, called) || resolveEvent(called))
    return undefined;
  if (isCall(called, data)) {
    const { editor } = adapter.settings;
    const name = (editor.is === "JSON groups" && editor.names?.[judgedAs]) || judgedAs;
    const judged = adapter.decode({ ...wire, hook_event_name: name }, { ...options, event: name });
    return judged.map(({ delivery: _ofAnother, ...event }) => ({
      ...event,
      data: { ...event.data, hook_event_name: called },
      accepts: ["verdict"],
      verdicts: verdicts.filter((is) => event.verdicts?.includes(is) ?? true),
    }));
  }
  // What is registered for an event that is known here is no newer one: it is that event, and cannot be read.
  if (options.event !== undefined && resolveEvent(options.event)) return undefined;
  const session = textOf(session_id);
  const name: EventName = `${adapter.name}.${called}`;
  return [
    {
      ...{ id: options.id(), name, at: options.at, data, sender: adapter.name, accepts: [] },
      ...placeOf({ session, cwd, given: options.cwd, where: options.where }),
      ...agentIn(data),
    },
  ];
}

const isName = /^\w[\w-]*$/;

const isCall = (called: string, { tool_name, tool_input }: Fields): boolean =>
  /^(?:pre|before)/i.test(called) && textOf(tool_name) !== undefined && isRecord(tool_input);

/** The agent reads an answer under the name that it sent. */
export function namedAsSent({ name, data }: HookEvent, body: Json | undefined): Json | undefined {
  const called = Object.hasOwn(events, name) ? textField(data, "hook_event_name") : undefined;
  if (called === undefined || !isRecord(body) || !isRecord(body.hookSpecificOutput)) return body;
  const { hookEventName, ...rest } = body.hookSpecificOutput as Fields; // an adapter made it
  return hookEventName === undefined ? body : { ...body, hookSpecificOutput: { hookEventName: called, ...rest } };
}

export function repliedAsSent(event: HookEvent, reply: Reply): Reply {
  const body = namedAsSent(event, reply.body);
  return body === undefined ? reply : { ...reply, body };
}
