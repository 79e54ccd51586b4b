/** Who has reported events, and when: for the status, and to end a daemon that is not needed any more. */
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { Fields, HookEvent, Instant, Seconds } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Observation, Ports } from "../../engine/ports.ts";

interface Activity {
  observe(seen: Observation): void;
  /** Milliseconds since the last event. */
  quietFor(): number;
  /** Those that have begun and not ended. */
  sessions(): number;
  facts(): Fields;
}

/** Sessions end without a word, too: then the one that was silent the longest is forgotten. */
const sessionsAtMost = 1_000;
const sendersAtMost = 50;

/** @param elapsed milliseconds on a monotonic clock */
export function createActivity({ now, elapsed }: { now(): Instant; elapsed(): number }): Activity {
  const sessions = new Map<string, Instant>();
  const senders = new Map<string, { events: number; last: Instant }>();
  let lastEvent = elapsed();
  let events = 0;

  function count({ sender, session, name }: HookEvent): void {
    const at = now();
    events += 1;
    lastEvent = elapsed();
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
    quietFor: () => elapsed() - lastEvent,
    sessions: () => sessions.size,
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

interface IdleExitOptions extends Pick<Ports, "after"> {
  idle: Seconds;
  quietFor(): number;
  /** Something is to be done without an event from outside. May throw what the store throws. */
  isNeeded(): boolean;
  end(): void;
}

/**
 * Ends a daemon that is not needed: nothing was reported for a while, and it has no clock, no watch, no run of its own and no agent
 * that reports over HTTP. One timer, set to the moment at which it could be over.
 *
 * @returns its undo
 */
export function endWhenIdle({ idle, quietFor, isNeeded, after, end }: IdleExitOptions): () => void {
  const limit = idle * 1000;
  let undo = after(limit, look);
  function look(): void {
    const left = limit - quietFor();
    if (left <= 0 && !isBusy()) end();
    else undo = after(left > 0 ? left : limit, look);
  }
  /** A store that says nothing now may say that runs wait. */
  function isBusy(): boolean {
    try {
      return isNeeded();
    } catch {
      return true;
    }
  }
  return () => undo();
}
