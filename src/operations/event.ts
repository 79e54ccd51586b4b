/** The events that operations make: where they happen, and how deep hooks that emit may answer each other. */
import type { EventName, Fields, HookEvent } from "../core/event.ts";
import { eventNames, eventToEmit } from "../core/events.ts";
import { didYouMean } from "../core/nearest.ts";
import type { Outcome } from "../core/outcome.ts";
import { anything, mapOf, object, say, text } from "../core/schema.ts";
import { type Asked, type Operation, plain } from "./operation.ts";

/** @throws Error for a name that nothing sends */
export function knownEvent(found: EventName | undefined, written: string): EventName {
  if (found) return found;
  throw new Error(
    `no event is called "${written}"; ${didYouMean(written, eventNames) ?? "application events hold a dot"}`,
  );
}

/** It happens where the event of the asking hook happened, and in its session. */
export function eventOf(name: EventName, data: Fields, { event, now, id }: Asked): HookEvent {
  return {
    id: id(),
    name,
    at: now(),
    cwd: event?.cwd ?? process.cwd(),
    data,
    sender: "hookline",
    ...(event?.session === undefined ? {} : { session: event.session }),
  };
}

/** How many events lie between this one and the first that no hook emitted; part of the payload, so that it outlives a process. */
export const depthField = "hookline_depth";
/** Hooks that emit what other hooks answer by emitting end here. */
export const deepest = 5;

const depthOf = ({ data }: HookEvent): number => {
  const depth = data[depthField];
  return typeof depth === "number" && depth > 0 ? depth : 0;
};

export const emit: Operation<{ event: string; data?: Fields }> = {
  summary: "Sends one application event down the line, and gives what its hooks answered.",
  params: object(
    { event: text("the event's name, which holds a dot, such as deploy.started") },
    { data: say(mapOf(anything), "its payload", {}) },
  ),
  readOnly: false,
  async run({ event: written, data = {} }, asked) {
    const name = knownEvent(eventToEmit(written, data), written);
    if (!name.includes("."))
      throw new Error(`"${written}" is told by agents; hooks emit application events, whose names hold a dot`);
    const depth = asked.event ? depthOf(asked.event) + 1 : 0;
    if (depth > deepest) throw new Error(`${deepest} events deep, hooks answer each other: "${written}" was not sent`);
    const { [depthField]: _given, ...payload } = data;
    const event = eventOf(name, depth === 0 ? payload : { ...payload, [depthField]: depth }, asked);
    const { signal, environment } = asked;
    const outcome: Outcome = await asked.engine.emit(event, { signal, ...(environment ? { environment } : {}) });
    return { event: event.id, outcome: plain(outcome) };
  },
};
