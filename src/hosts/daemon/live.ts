/** What happens on the line, as server-sent events: for those who want to see it as it happens. */
import type { Fields } from "../../engine/event.ts";
import type { Observation } from "../../engine/ports.ts";

export interface Live {
  observe(seen: Observation): void;
  /** Ends when the reader goes, or with close. */
  open(): Response;
  close(): void;
}

/** Messages that wait for a reader; one that is further behind has stopped reading. */
const waitingAtMost = 1_000;

export function createLive(): Live {
  const readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  const end = (reader: ReadableStreamDefaultController<Uint8Array>): void => {
    if (readers.delete(reader)) reader.close();
  };
  return {
    observe(seen) {
      if (readers.size === 0) return;
      const shown = shownOf(seen);
      if (!shown) return;
      const message = encoder.encode(`event: ${seen.is}\ndata: ${JSON.stringify(shown)}\n\n`);
      for (const reader of [...readers]) {
        if ((reader.desiredSize ?? 0) > -waitingAtMost) reader.enqueue(message);
        else end(reader);
      }
    },
    open() {
      let own: ReadableStreamDefaultController<Uint8Array> | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(reader) {
          own = reader;
          readers.add(reader);
          reader.enqueue(encoder.encode(": the line\n\n")); // so that the reader knows that it listens
        },
        cancel() {
          if (own) readers.delete(own);
        },
      });
      const headers = { "content-type": "text/event-stream", "cache-control": "no-store", connection: "close" };
      return new Response(body, { headers });
    },
    close() {
      for (const reader of [...readers]) end(reader);
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
