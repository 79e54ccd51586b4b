/** The event's name as the hook's author wrote it: a program is spoken to in its own words (R62). */
import type { EventName } from "../../../engine/event.ts";
import { resolveEvent } from "../../../engine/events.ts";
import type { Hook } from "../../../engine/hook.ts";

export function writtenName({ on }: Hook, event: EventName): string {
  const written = "event" in on ? on.as : undefined;
  return written?.find((name) => resolveEvent(name)?.includes(event)) ?? event;
}
