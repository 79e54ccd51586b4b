/** Events, runs and outcomes of every process of the store as they happen, as server-sent events. */
import type { ServerResponse } from "node:http";
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { Fields, HookEvent } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { Run } from "../../engine/record.ts";
import type { SqliteStore } from "../../storage/sqlite/sqlite.ts";
import type { Call } from "./call.ts";

export interface Live {
  /** What this process does. What others do is found in the store. */
  observe(seen: Observation): void;
  /** Answers a call for as long as its reader listens, or until close. */
  open(call: Call): void;
  close(): void;
}

interface LiveOptions extends Pick<Ports, "after"> {
  store: Pick<SqliteStore, "events" | "runs" | "database">;
}

/** Bytes that wait for a reader; one that is further behind has stopped reading. */
const waitingAtMost = 256 * 1024;
/** Between two looks at what other processes have written. Nobody looks while nobody reads. */
const looksEveryMilliseconds = 250;
/** Rows of one look; where none of them is known, more are read. */
const rowsAtOnce = 100;
const rowsAtMost = 6_400;
/** What was sent and may come again. */
const knownAtMost = 4 * rowsAtMost;
const own = "own";

/** @example const live = createLive({ store, after }); daemon.listen(live.observe); */
export function createLive({ store, after }: LiveOptions): Live {
  const readers = new Set<ServerResponse>();
  /** What was sent of each row; "own": this process tells it itself, and not as the store has it. */
  const known = new Map<string, string>();
  let version: number | undefined;
  let cancel: (() => void) | undefined;

  const end = (reader: ServerResponse): void => {
    readers.delete(reader);
    reader.end();
  };

  function send(row: Row, state: string): void {
    known.set(row.key, state);
    dropOldest(known, knownAtMost);
    const message = `event: ${row.is}\ndata: ${JSON.stringify(row.shown)}\n\n`;
    for (const reader of readers) {
      if (reader.writableLength <= waitingAtMost) reader.write(message);
      else end(reader);
    }
  }

  function isNews({ key, state }: Row): boolean {
    const before = known.get(key);
    return before !== own && before !== state;
  }

  /** Whether another connection has written since the last look. Throws what the store throws. */
  function hasChanged(): boolean {
    const before = version;
    version = store.database.get<{ data_version: number }>("pragma data_version")?.data_version;
    return version !== before;
  }

  /** The newest rows in their order. @param most of a burst more are read, until the oldest is known */
  async function newest(most: number, count: number = rowsAtOnce): Promise<Row[]> {
    const [events, runs] = await Promise.all([store.events(count), store.runs({ limit: count })]);
    const [event, run] = [events.at(count - 1), runs.at(count - 1)];
    const isBurst = (event && !known.has(eventRow(event.event).key)) || (run && !known.has(runRow(run).key));
    if (isBurst && count < most) return newest(most, 4 * count);
    return [
      ...events.map(({ event }) => eventRow(event)).reverse(),
      ...runs.map(runRow).reverse(),
      ...events.flatMap(({ event, outcome }) => (outcome ? outcomeRow(event, outcome) : [])).reverse(),
    ];
  }

  async function begin(): Promise<void> {
    hasChanged();
    for (const { key, state } of await newest(rowsAtOnce)) if (!known.has(key)) known.set(key, state); // what has been is not told
  }

  async function look(): Promise<void> {
    if (hasChanged()) for (const row of await newest(rowsAtMost)) if (isNews(row)) send(row, row.state);
  }

  /** While the store cannot be read, readers hear of this process alone. */
  function follow(work: () => Promise<void>): void {
    void Promise.resolve()
      .then(work)
      .catch(() => {})
      .finally(() => {
        cancel = undefined;
        if (readers.size > 0) cancel = after(looksEveryMilliseconds, () => follow(look));
        else known.clear();
      });
  }

  return {
    observe(seen) {
      const row = readers.size > 0 ? rowOf(seen) : undefined;
      if (row && (row.is === "run" || isNews(row))) send(row, own); // of a run that goes on more is told each time
    },
    open({ response }) {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        connection: "close",
      });
      const isFirst = readers.size === 0 && cancel === undefined;
      readers.add(response);
      response.on("close", () => readers.delete(response));
      const greet = (): void => void response.write(": the line\n\n"); // so that the reader knows that it listens
      if (isFirst) follow(() => begin().finally(greet));
      else greet();
    },
    close() {
      cancel?.();
      for (const reader of readers) end(reader);
    },
  };
}

interface Row {
  is: "event" | "run" | "outcome";
  key: string;
  /** What makes it news again. */
  state: string;
  /** No payloads: what stands in them is in the store, without its secrets. */
  shown: Fields;
}

function rowOf(seen: Observation): Row | undefined {
  if (seen.is === "event") return eventRow(seen.event);
  if (seen.is === "run") return runRow(seen.run);
  return seen.is === "outcome" ? outcomeRow(seen.event, seen.outcome) : undefined;
}

const eventRow = ({ id, name, at, session }: HookEvent): Row => ({
  is: "event",
  key: `event ${id}`,
  state: "",
  shown: { id, name, at, session: session ?? null },
});

const outcomeRow = ({ id }: HookEvent, { verdict }: Outcome): Row => ({
  is: "outcome",
  key: `outcome ${id}`,
  state: "",
  shown: { id, verdict: verdict?.is ?? null },
});

const runRow = ({ id, hook, eventId, status, reason, cause, startedAt, ms, tokens }: Run): Row => ({
  is: "run",
  key: `run ${id}`,
  state: status,
  shown: {
    ...{ id, hook, eventId, status, cause, startedAt },
    ...{ reason: reason ?? null, ms: ms ?? null, tokens: tokens ?? null },
  },
});
