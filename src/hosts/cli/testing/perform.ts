/** Performs the tests of one file in a scratch copy: each test sends its events to the engine of a command, with a store of its own. */
import { join } from "node:path";
import { decidesAlone } from "../../../actions/index.ts";
import type { Fields, HookEvent } from "../../../engine/event.ts";
import type { Explanation } from "../../../engine/explain.ts";
import { emitRecorded } from "../../../engine/later.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Run } from "../../../engine/record.ts";
import type { WrittenEvent, WrittenTest, WrittenTests } from "../../../formats/hook-tests/file.ts";
import type { Loaded } from "../../../loading/loading.ts";
import { describedEvent, withinHook } from "../../../operations/event.ts";
import { createInlineQueue } from "../../../runtime/queues/inline.ts";
import { openSqliteStore } from "../../../storage/sqlite/sqlite.ts";
import { openLine } from "../line.ts";
import { loadFiles, loadingFor } from "../loaded.ts";
import { filled, type Scratch } from "./scratch.ts";

/** What came of one event. */
export interface Seen {
  event: HookEvent;
  outcome: Outcome;
  /** In the order in which they began, as they ended. */
  runs: readonly Run[];
  /** What each hook would do, asked before the event. */
  explained: readonly Explanation[];
}
export interface Performed {
  test: WrittenTest;
  /** One for each event. */
  seen: readonly Seen[];
  ms: number;
  /** Why it could not be performed. */
  error?: unknown;
}

/** The hooks of the copy. */
export async function loadCopy({ place, own }: Scratch): Promise<Loaded> {
  const store = openSqliteStore({ path: join(own, "loading.db") });
  try {
    return await loadFiles(place, store, { loading: loadingFor(place) });
  } finally {
    store.close();
  }
}

/** @param signal ends it: the tests that are left are not performed */
export async function* perform(
  { tests }: Pick<WrittenTests, "tests">,
  loaded: Loaded,
  scratch: Scratch,
  signal: AbortSignal,
): AsyncGenerator<Performed> {
  let isUsed = false;
  for (const [index, test] of tests.entries()) {
    if (signal.aborted) return;
    if (isUsed) await scratch.renew();
    const started = performance.now();
    let [seen, error]: [Seen[], unknown] = [[], undefined];
    try {
      seen = await performOne(test, scratch, { loaded, index, signal });
    } catch (caught) {
      error = caught;
    }
    isUsed = error !== undefined || leftTraces(test, seen);
    yield { test, seen, ms: Math.round(performance.now() - started), ...(error === undefined ? {} : { error }) };
  }
}

/** A test that may have changed files of the copy: the next one gets a new copy. */
const leftTraces = ({ events }: WrittenTest, seen: readonly Seen[]): boolean =>
  events.some(({ files }) => files !== undefined) ||
  seen.some(({ runs }) => runs.some(({ steps }) => steps.some(({ uses }) => !decidesAlone.has(uses))));

interface With {
  loaded: Loaded;
  index: number;
  signal: AbortSignal;
}

async function performOne(test: WrittenTest, scratch: Scratch, { loaded, index, signal }: With): Promise<Seen[]> {
  const path = join(scratch.own, `test-${index}.db`);
  const place = { ...scratch.place, environment: { ...scratch.place.environment, HOOKLINE_STORE: path } };
  const { environment } = place;
  const runs = new Map<string, Run>();
  let passed = 0;
  const now = (): number => Date.now() + passed;
  const store = openSqliteStore({ path });
  const queue = createInlineQueue();
  const line = await openLine({
    ...{ place, store, loaded, queue, now, stop: signal },
    observe(seen) {
      if (seen.is === "run") runs.set(seen.run.id, seen.run);
    },
  });
  const sent: Omit<Seen, "runs">[] = [];
  try {
    for (const written of test.events) {
      passed += (written.after ?? 0) * 1_000;
      for (const [name, text] of Object.entries(written.files ?? {})) scratch.write(name, text);
      const event = eventOf(written, test, { scratch, id: line.ports.id(), at: now() });
      const explained = await line.engine.explain(event);
      const outcome = await emitRecorded(line.engine, event, { environment, signal });
      await queue.idle(); // what runs in the background ends before the next event
      sent.push({ event, outcome, explained });
    }
    await line.engine.close();
    return sent.map((one) => ({ ...one, runs: [...runs.values()].filter(({ eventId }) => eventId === one.event.id) }));
  } finally {
    await line.close();
  }
}

function eventOf(
  { event, data }: WrittenEvent,
  { session, place: { line, column } }: WrittenTest,
  { scratch, id, at }: { scratch: Scratch; id: string; at: number },
): HookEvent {
  const { cwd, environment } = scratch.place;
  const given = JSON.parse(filled(JSON.stringify(data), scratch.place)) as Fields; // it was JSON, and paths need no escape
  const described = { written: event, given, session, where: `line ${line}:${column}` };
  return withinHook(describedEvent(described, { id, at, cwd, sender: "test" }), environment);
}
