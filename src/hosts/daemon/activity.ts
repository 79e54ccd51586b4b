/** Who has reported events, and when: for the status, and to end a daemon that is not needed any more. */
import type { ServerResponse } from "node:http";
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { Fields, HookEvent, Instant, Seconds } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { Call } from "./call.ts";

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

/** Events, runs and outcomes as they happen, as server-sent events. */
export interface Live {
  observe(seen: Observation): void;
  /** Answers a call for as long as its reader listens, or until close. */
  open(call: Call): void;
  close(): void;
}

/** Bytes that wait for a reader; one that is further behind has stopped reading. */
const waitingAtMost = 256 * 1024;

export function createLive(): Live {
  const readers = new Set<ServerResponse>();
  const end = (reader: ServerResponse): void => {
    readers.delete(reader);
    reader.end();
  };
  return {
    observe(seen) {
      const shown = readers.size > 0 ? shownOf(seen) : undefined;
      if (!shown) return;
      const message = `event: ${seen.is}\ndata: ${JSON.stringify(shown)}\n\n`;
      for (const reader of readers) {
        if (reader.writableLength <= waitingAtMost) reader.write(message);
        else end(reader);
      }
    },
    open({ response }) {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        connection: "close",
      });
      response.write(": the line\n\n"); // so that the reader knows that it listens
      readers.add(response);
      response.on("close", () => readers.delete(response));
    },
    close() {
      for (const reader of readers) end(reader);
    },
  };
}

/** No payloads: what stands in them is in the store, without its secrets. */
function shownOf(seen: Observation): Fields | undefined {
  if (seen.is === "event") {
    const { id, name, at, session } = seen.event;
    return { id, name, at, session: session ?? null };
  }
  if (seen.is === "run") {
    const { id, hook, eventId, status, reason, cause, startedAt, ms, tokens } = seen.run;
    return {
      ...{ id, hook, eventId, status, cause, startedAt },
      ...{ reason: reason ?? null, ms: ms ?? null, tokens: tokens ?? null },
    };
  }
  if (seen.is === "outcome") return { id: seen.event.id, verdict: seen.outcome.verdict?.is ?? null };
  return undefined;
}
