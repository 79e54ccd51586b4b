/**
 * One event with one matching function hook, recorded, in groups: what engine.emit costs beyond writing the rows.
 *
 * All sides write the same rows to a new file each, WAL, synchronous NORMAL, so many events per transaction: an event with its
 * answer, a run, and the session's turn once per transaction. "the store by hand" calls record, saveRun and answered as the
 * engine does, with redaction. "raw node:sqlite" runs the store's own statements with the values of its own rows on a connection of
 * its own, and neither redacts nor cuts. One event's rows are compared first, and all are counted afterwards.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createEngine } from "../src/engine/engine.ts";
import type { HookEvent, Turn } from "../src/engine/event.ts";
import { advance } from "../src/engine/events.ts";
import type { HookSet } from "../src/engine/hook.ts";
import type { Run } from "../src/engine/record.ts";
import { createInlineQueue } from "../src/runtime/queues/inline.ts";
import { createIds, systemPorts } from "../src/runtime/system.ts";
import { createRedaction } from "../src/storage/redaction/redaction.ts";
import type { Database } from "../src/storage/sqlite/database.ts";
import { insertEvent, upsertRun, upsertSession } from "../src/storage/sqlite/groups.ts";
import { keepHookSet, pausesOf, standingOf } from "../src/storage/sqlite/queries.ts";
import {
  changingValues,
  type EventRow,
  eventFields,
  fixedValues,
  payloadOf,
  recorded,
} from "../src/storage/sqlite/rows.ts";
import { openSqliteStore, type SqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { eventAt, makeWorld, type World } from "./dispatch-world.ts";
import { type Benchmark, type Findings, inFolder, joined, ratioOf, rowsOf, sampleReadings, sized } from "./measure.ts";
import { mustHoldTheSame, openRaw, plainKeeper } from "./raw-store.ts";

export const emit: Benchmark = {
  name: "emit",
  about: "one matching function hook, recorded, against the store's own cost of the same rows",
  measure: () =>
    inFolder(async (folder) => {
      const world = await makeWorld();
      await checkRows(world, folder);
      const parts: Findings[] = [];
      for (const size of [10, 100, 1]) parts.push(await measureGroups(world, size, folder));
      return joined(parts);
    }),
};

/** Of one reading. */
const events = sized(2_000, 40);
const warmUp = sized(200, 10);
const session = "7d0c1a52-3b0c-4a57-9d5e-2f6f8f0a1b2c";
const nextId = createIds(Date.now);
const freshEvent = (index: number): HookEvent => ({ ...eventAt(index), id: nextId(), at: Date.now(), session });

type Sides = Readonly<Record<string, (path: string) => Side>>;

function sidesOf(world: World): Sides {
  const set = world.hooks(1, () => undefined);
  return {
    "engine.emit": (path) => emitting(world, set, path),
    "the store by hand": (path) => byHand(set, path),
    "raw node:sqlite": (path) => raw(set, path),
  };
}

/** Throws where one of the sides does not write the same rows of an event. */
export async function checkRows(world: World, folder: string): Promise<void> {
  const files = new Map<string, string>();
  for (const [name, open] of Object.entries(sidesOf(world))) {
    const path = join(folder, `event-${files.size}.db`);
    files.set(name, path);
    const side = open(path);
    await take(side, 1, 1);
    side.close();
  }
  mustHoldTheSame(files);
}

async function measureGroups(world: World, size: number, folder: string): Promise<Findings> {
  const sides = sidesOf(world);
  let files = 0;
  const samples = await sampleReadings(Object.keys(sides), 13, async (name) => {
    const path = join(folder, `${size}-${++files}.db`);
    const side = (sides[name] ?? ((): never => assert.fail(name)))(path);
    await take(side, warmUp, size); // the file has its first pages, and the engine its plans
    const started = process.cpuUsage();
    await take(side, events, size);
    const { user, system } = process.cpuUsage(started);
    side.close();
    countRows(path, warmUp + events);
    return (user + system) / events;
  });
  const one = size === 1 ? "each event a transaction" : `${size} events a transaction`;
  return {
    rows: rowsOf(one, "µs of processor time per event", samples),
    ratios: [
      ratioOf(samples, {
        goal: `one matching function hook, recorded, ${one}: at most 30 % above the store's own cost`,
        cost: "engine.emit",
        by: "the store by hand",
        atMost: 1.3,
      }),
      ratioOf(samples, {
        goal: `for information: emit, ${one}, against raw node:sqlite`,
        cost: "engine.emit",
        by: "raw node:sqlite",
      }),
      ratioOf(samples, {
        goal: `for information: the store by hand, ${one}, against raw node:sqlite`,
        cost: "the store by hand",
        by: "raw node:sqlite",
      }),
    ],
  };
}

interface Side {
  one(event: HookEvent): unknown;
  /** Ends the transaction, and resolves once it is written. */
  written(): Promise<void> | undefined;
  close(): void;
}

async function take(side: Side, count: number, size: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    side.one(freshEvent(index));
    if (index % size === size - 1) await side.written();
  }
  await side.written();
}

const redact = createRedaction({
  environment: { BENCH_TOKEN: "a-token-of-this-benchmark", BENCH_PASSWORD: "another-secret" },
});
const opened = (path: string): SqliteStore => openSqliteStore({ path, redact, groups: true });
const owner = "4711:123456";

function emitting({ registry, patterns }: World, set: HookSet, path: string): Side {
  const store = opened(path);
  const ports = { ...systemPorts(), owner, store, queue: createInlineQueue(), hooks: () => set, registry, patterns };
  const engine = createEngine(ports);
  return { one: (event) => engine.emit(event), written: () => store.committed(), close: () => store.close() };
}

const runOf = (event: HookEvent, id: string): Run => ({
  id,
  hook: "hook-0",
  hookName: "hook-0",
  eventId: event.id,
  eventName: event.name,
  session,
  status: "completed",
  cause: `event:${event.name}`,
  startedAt: event.at,
  ms: 0,
  outcome: {},
  steps: [{ uses: "function", ok: true, output: {}, ms: 0 }],
  notes: [],
  asked: 1,
  owner,
});

function byHand(set: HookSet, path: string): Side {
  const store = opened(path);
  return {
    one(event) {
      void store.record(event, set, advance); // SQLite's is synchronous
      const run = runOf(event, nextId());
      void store.saveRun({ ...run, status: "running", steps: [] });
      void store.saveRun(run);
      void store.collect(session);
      void store.answered(event.id, {}, 0);
    },
    written: () => store.committed(),
    close: () => store.close(),
  };
}

function raw(set: HookSet, path: string): Side {
  const opened = openRaw(path);
  const database = opened as unknown as Database; // what is called here only asks, and writes by `run`
  let turn: Turn | undefined;

  function before(): Turn {
    opened.run("begin immediate");
    const held = standingOf(database, session).turn;
    keepHookSet(database, set, Date.now(), plainKeeper);
    pausesOf(database);
    opened.get("select 1 from inbox limit 1");
    return held;
  }

  return {
    one(event) {
      const payload = payloadOf(event, plainKeeper);
      const made = { event, set, payload, first: undefined, before: turn ?? before(), advance };
      const { row: begun, answer } = recorded(made, plainKeeper);
      turn = answer.turn;
      const row: EventRow = { ...begun, outcome: "{}", ms: 0 };
      opened.run(insertEvent, ...eventFields.map((field) => row[field]), Date.now());
      const run = runOf(event, nextId());
      opened.run(upsertRun, ...fixedValues(run, plainKeeper), ...changingValues(run, plainKeeper));
    },
    written() {
      if (!turn) return undefined;
      const { reprompts, rewakes, injected } = turn.spent;
      opened.run(upsertSession, session, JSON.stringify(turn), Date.now(), reprompts, rewakes, injected);
      opened.run("commit");
      turn = undefined;
      return new Promise((resolve) => setImmediate(resolve)); // the others give the event loop a turn as well
    },
    close: opened.close,
  };
}

/** So many events, each answered, each with its run, and a turn that has counted them. */
function countRows(path: string, expected: number): void {
  const database = new DatabaseSync(path);
  const counts = database
    .prepare(
      `select (select count(*) from event where outcome = '{}') as events,
         (select count(*) from run join event on event.id = run.event where run.status = 'completed') as runs,
         (select json_extract(turn, '$.toolCalls') from session) as calls`,
    )
    .get();
  database.close();
  assert.deepEqual({ ...counts }, { events: expected, runs: expected, calls: expected });
}
