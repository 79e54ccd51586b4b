/** Who has told the daemon of something, and when: what a person sees of it, and what says that nobody needs it any more. */
import { dropOldest } from "../core/drop-oldest.ts";
import type { Fields, HookEvent, Instant } from "../core/event.ts";
import { rowOf } from "../core/events.ts";
import type { Observation } from "../core/ports.ts";

export interface Activity {
  observe(seen: Observation): void;
  /** Milliseconds since anybody has told of anything. */
  quietFor(): number;
  facts(): Fields;
}

/** Sessions end without a word, too: then the one that was silent the longest is forgotten. */
const sessionsAtMost = 1_000;
const sendersAtMost = 50;

/** @param elapsed milliseconds on a clock that nobody sets */
export function createActivity({ now, elapsed }: { now(): Instant; elapsed(): number }): Activity {
  const sessions = new Map<string, Instant>();
  const senders = new Map<string, { events: number; last: Instant }>();
  let lastTold = elapsed();
  let events = 0;

  function count({ sender, session, name }: HookEvent): void {
    const at = now();
    events += 1;
    lastTold = elapsed();
    const known = senders.get(sender);
    if (known) {
      known.events += 1;
      known.last = at;
    } else if (senders.size < sendersAtMost) senders.set(sender, { events: 1, last: at });
    if (session === undefined) return;
    sessions.delete(session); // the last to be heard of stands last
    if (rowOf(name).endsSession) return;
    sessions.set(session, at);
    dropOldest(sessions, sessionsAtMost);
  }

  return {
    observe(seen) {
      if (seen.is === "event") count(seen.event);
    },
    quietFor: () => elapsed() - lastTold,
    facts: () => ({
      events,
      sessions: sessions.size,
      senders: [...senders].map(([sender, { events: sent, last }]) => ({
        sender,
        events: sent,
        last: new Date(last).toISOString(),
      })),
    }),
  };
}
