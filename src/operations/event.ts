/** The events that operations make: where they happen, and how deep they are. */
import { depthBelow, depthWithin, type EventName, type Fields, type HookEvent, payloadAt } from "../engine/event.ts";
import { eventNames, eventToEmit } from "../engine/events.ts";
import { emitRecorded } from "../engine/later.ts";
import { didYouMean } from "../engine/nearest.ts";
import type { Outcome } from "../engine/outcome.ts";
import { anything, mapOf, object, say, text } from "../engine/schema.ts";
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
    cwd: event?.cwd ?? cwd ?? process.cwd(),
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
  given: Partial<Pick<HookEvent, "id" | "cwd" | "sender" | "to">> = {},
): Promise<SentEvent> {
  const { engine, signal, environment } = sender;
  const depth = sender.event ? depthBelow(sender.event, environment ?? {}) : depthWithin(environment ?? {});
  const event = { ...eventOf(name, payloadAt(depth, data, name), sender), ...given };
  const caller = { ...(signal ? { signal } : {}), ...(environment ? { environment } : {}) };
  return { event, outcome: await emitRecorded(engine, event, caller) };
}

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
