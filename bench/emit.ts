/**
 * One event with one matching function hook, recorded, in groups: what engine.emit costs beyond writing the rows.
 *
 * All sides write the same rows to a new file each, WAL, synchronous NORMAL, so many events per transaction: an event with its
 * answer, a run, and the session's turn once per transaction. "the store by hand" calls record, saveRun and answered as the
 * engine does, with redaction. "raw node:sqlite" runs the store's own statements on a connection of its own: it makes JSON of
 * payload, turn, outcome, steps and notes, and neither redacts, cuts nor checks texts. The rows are counted and compared first.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createEngine } from "../src/engine/engine.ts";
import { firstTurn, type HookEvent, type Turn } from "../src/engine/event.ts";
import { advance } from "../src/engine/events.ts";
import type { HookSet } from "../src/engine/hook.ts";
import type { Run } from "../src/engine/record.ts";
import { createInlineQueue } from "../src/runtime/queues/inline.ts";
import { createIds, systemPorts } from "../src/runtime/system.ts";
import { createRedaction } from "../src/storage/redaction/redaction.ts";
import { insertEvent, upsertRun, upsertSession } from "../src/storage/sqlite/groups.ts";
import { changingFields, eventFields, runFields } from "../src/storage/sqlite/rows.ts";
import { migrations } from "../src/storage/sqlite/schema.ts";
import { openSqliteStore, type SqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { eventAt, makeWorld, type World } from "./dispatch-world.ts";
import { type Benchmark, type Findings, inFolder, joined, ratioOf, rowsOf, sampleReadings } from "./measure.ts";

export const emit: Benchmark = {
  name: "emit",
  about: "one matching function hook, recorded, against the store's own cost of the same rows",
  measure: () =>
    inFolder(async (folder) => {
      const world = await makeWorld();
      const parts: Findings[] = [];
      for (const size of [10, 100, 1]) parts.push(await measureGroups(world, size, folder));
      return joined(parts);
    }),
};

/** Of one reading. */
const events = 2_000;
const session = "7d0c1a52-3b0c-4a57-9d5e-2f6f8f0a1b2c";
const nextId = createIds(Date.now);
const freshEvent = (index: number): HookEvent => ({ ...eventAt(index), id: nextId(), at: Date.now(), session });

async function measureGroups(world: World, size: number, folder: string): Promise<Findings> {
  const set = world.hooks(1, () => undefined);
  let files = 0;
  const sides: Readonly<Record<string, (path: string) => Side>> = {
    "engine.emit": (path) => emitting(world, set, path),
    "the store by hand": (path) => byHand(set, path),
    "raw node:sqlite": (path) => raw(set, path),
  };
  const samples = await sampleReadings(Object.keys(sides), 13, async (name) => {
    const path = join(folder, `${size}-${++files}.db`);
    const side = (sides[name] ?? ((): never => assert.fail(name)))(path);
    await take(side, 200, size); // the file has its first pages, and the engine its plans
    const started = process.cpuUsage();
    await take(side, events, size);
    const { user, system } = process.cpuUsage(started);
    side.close();
    checkRows(path, 200 + events);
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
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = normal");
  for (const migration of migrations) database.exec(migration);
  const statements = {
    begin: database.prepare("begin immediate"),
    commit: database.prepare("commit"),
    turn: database.prepare("select turn, reprompts, rewakes, injected from session where id = ?"),
    set: database.prepare("select used from hook_set where id = ?"),
    paused: database.prepare("select what from pause"),
    mail: database.prepare("select 1 from inbox limit 1"),
    event: database.prepare(insertEvent),
    run: database.prepare(upsertRun),
    session: database.prepare(upsertSession),
  };
  database
    .prepare("insert into hook_set (id, hooks, used) values (?, ?, ?)")
    .run(set.id, JSON.stringify(set.hooks), Date.now());
  let turn: Turn | undefined;

  function before(): Turn {
    statements.begin.run();
    const row = statements.turn.get(session);
    statements.set.get(set.id);
    statements.paused.all();
    statements.mail.get();
    return row ? JSON.parse(String(row.turn)) : firstTurn;
  }

  return {
    one(event) {
      turn = advance(event, turn ?? before());
      const { id, at, name, cwd, sender, data } = event;
      const text = JSON.stringify({ data });
      const now = JSON.stringify(turn);
      statements.event.run(
        ...[id, at, name, session, cwd, sender, null, null, null, set.id, text, now, "{}", 0, 0, 0, Date.now()],
      );
      const run = runOf(event, nextId());
      const fixed = [run.id, run.eventId, run.eventName, run.hook, run.hookName, session, run.cause];
      const [outcome, steps, notes] = [run.outcome, run.steps, run.notes].map((one) => JSON.stringify(one) ?? null);
      statements.run.run(
        ...fixed,
        ...[run.status, null, run.startedAt, 0, outcome ?? null, steps ?? null, notes ?? null, 1, owner],
      );
    },
    written() {
      if (!turn) return undefined;
      const { reprompts, rewakes, injected } = turn.spent;
      statements.session.run(session, JSON.stringify(turn), Date.now(), reprompts, rewakes, injected);
      statements.commit.run();
      turn = undefined;
      return new Promise((resolve) => setImmediate(resolve)); // the others give the event loop a turn as well
    },
    close: () => database.close(),
  };
}

/** The same rows on all sides: so many events, each answered, each with its run, and a turn that has counted them. */
function checkRows(path: string, expected: number): void {
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
  assert.equal(eventFields.length + 1, 17);
  assert.equal(runFields.length - changingFields.length, 7);
}
