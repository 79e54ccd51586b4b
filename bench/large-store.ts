/**
 * A store of a million runs beside an empty one: what a person waits for, what an event costs, and how long forgetting old rows
 * holds the process up.
 *
 * Commands: the package that people install, whole processes, one after the other on both stores; the empty one has a single event.
 * Emit: engine.emit with one function hook, ten events a transaction. Forgetting: a third of the rows are older than the setting; its parts
 * are timed while events are emitted, beside the commits of groups of a hundred events in the same process.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { type Callback, callbackOf, functionHandler } from "../src/actions/function/function.ts";
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import { createEngine } from "../src/engine/engine.ts";
import type { Handler } from "../src/engine/ports.ts";
import { createInlineQueue } from "../src/runtime/queues/inline.ts";
import { createIds, systemPorts } from "../src/runtime/system.ts";
import { purgeSlowly } from "../src/storage/sqlite/retention.ts";
import { openSqliteStore, type SqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { aHook } from "../test/engine/a-hook.ts";
import { eventId, fill, runId, runsOfEvent, sessionId } from "./large-store-fill.ts";
import {
  type Benchmark,
  boundOf,
  type Findings,
  inFolder,
  joined,
  quantile,
  ratioOf,
  rowOf,
  rowsOf,
  sampleReadings,
  sized,
} from "./measure.ts";
import { timeProgram } from "./process-time.ts";

export const largeStore: Benchmark = {
  name: "large-store",
  about: "a store of a million runs beside an empty one: commands, emit, and forgetting old rows",
  measure: () =>
    inFolder(async (folder) => {
      const now = Date.now();
      fill(join(folder, "filled.db"), { runs: rowsOfYears, now });
      fill(join(folder, "fresh.db"), { runs: 2, now });
      const parts = [await measureCommands(folder), await measureEmit(folder), await measureForgetting(folder)];
      return joined(parts);
    }),
};

const [empty, large] = ["an empty store", "a million runs"];
const storeOf = (side: string, folder: string): string => join(folder, side === large ? "filled.db" : "fresh.db");

const rowsOfYears = sized(1_000_000, 2_000);
/** The number of a run. */
const middle = rowsOfYears / 2 + 1;
/** On the empty store `why` is asked of its one event, and the others find nothing. */
const commands: readonly [called: string, words: (side: string) => string[]][] = [
  ["runs of all projects", () => ["runs", "--all"]],
  ["runs of a project that has none", () => ["runs"]],
  ["runs of a hook by its name", () => ["runs", "--all", "--hook", "waiting"]],
  ["runs of a session", () => ["runs", "--all", "--session", sessionId(3)]],
  ["runs on an event that is rare", () => ["runs", "--all", "--event", "PreCompact"]],
  ["runs that failed", () => ["runs", "--all", "--status", "failed"]],
  ["why last", () => ["why", "last"]],
  ["why RUN", (side) => ["why", runId(side === large ? middle : 1)]],
  ["why EVENT", (side) => ["why", eventId(side === large ? (middle - 1) / runsOfEvent : 0)]],
  ["list", () => ["list"]],
];
const rounds = 9;

async function measureCommands(folder: string): Promise<Findings> {
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, ".hookline"), { recursive: true });
  mkdirSync(join(folder, "home"));
  writeFileSync(join(workspace, ".hookline", "hooks.json"), '{ "deny": ["Bash(git push --force *)"] }\n');
  const input = join(folder, "input");
  writeFileSync(input, "");
  const bin = join(packageForTests(), "bin", "hookline.js");
  const environment = { HOME: join(folder, "home"), PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
  spawnSync(process.execPath, [bin, "trust", "--yes"], { cwd: workspace, env: environment });
  const parts: Findings[] = [];
  for (const [called, words] of commands) {
    const samples = await sampleReadings([empty, large], rounds, (side) => {
      const command = [process.execPath, bin, ...words(side), "--store", storeOf(side, folder)] as const;
      return timeProgram({ command: [...command], input, cwd: workspace, environment }, 1).wall;
    });
    const goal = `${called}: at most 2 times an empty store's`;
    parts.push({
      rows: rowsOf(called, "ms", samples),
      ratios: [ratioOf(samples, { goal, cost: large, by: empty, atMost: 2 })],
    });
  }
  return joined(parts);
}

interface Emitting {
  store: SqliteStore;
  /** So many events, and the transaction around them. */
  group(size: number): Promise<void>;
}

async function emitting(path: string): Promise<Emitting> {
  const functions = new Map<string, Callback>([["answer", callbackOf(() => undefined)]]);
  const registry = { handlers: new Map([["function", functionHandler(functions) as Handler]]), conditions }; // its schema checks what it is given
  const hook = aHook("answer", "function", {
    steps: [{ uses: "function", with: { id: "answer" }, timeout: 1, onError: "stop" }],
  });
  const store = openSqliteStore({ path, groups: true });
  const set = { id: "one hook", hooks: [hook] };
  const ports = {
    ...systemPorts(),
    owner: "4711:123456",
    store,
    queue: createInlineQueue(),
    hooks: () => set,
    registry,
  };
  const engine = createEngine({ ...ports, patterns: await loadPatterns({ regex: true }) });
  const nextId = createIds(Date.now);
  return {
    store,
    async group(size) {
      for (let index = 0; index < size; index++)
        void engine.emit({
          ...{
            id: nextId(),
            at: Date.now(),
            name: "PreToolUse",
            session: "emitting",
            cwd: "/project",
            sender: "bench",
          },
          data: { tool_name: "Bash", tool_input: { command: "git status" } },
        });
      await store.committed();
    },
  };
}

async function measureEmit(folder: string): Promise<Findings> {
  const sides = new Map([
    [empty, await emitting(storeOf(empty, folder))],
    [large, await emitting(storeOf(large, folder))],
  ]);
  const groups = sized(200, 5);
  const size = 10;
  const samples = await sampleReadings([empty, large], 15, async (side) => {
    const started = process.cpuUsage();
    for (let index = 0; index < groups; index++) await sides.get(side)?.group(size);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / (groups * size);
  });
  for (const { store } of sides.values()) store.close();
  return {
    rows: rowsOf("one event with one function hook", "µs of processor time per event", samples),
    ratios: [
      ratioOf(samples, { goal: "emit: at most 1.1 times an empty store's", cost: large, by: empty, atMost: 1.1 }),
    ],
  };
}

const keptDays = 20;
const groupsBeside = sized(2_000, 20);

async function measureForgetting(folder: string): Promise<Findings> {
  const { store, group } = await emitting(storeOf(large, folder));
  store.database.run("insert into meta (key, value) values ('purged', 0) on conflict (key) do update set value = 0");
  const parts: number[] = [];
  let began = 0;
  let isBegun = false;
  /** It is asked before a part, and after it. */
  const elapsed = (): number => {
    const time = performance.now();
    if (isBegun) parts.push(time - began);
    else began = time;
    isBegun = !isBegun;
    return time;
  };
  const waits = { first: 1, look: 3_600_000, part: 1 };
  const forgetting = purgeSlowly(store.database, { retentionDays: keptDays, now: Date.now, waits, elapsed });
  const commits: number[] = [];
  for (let index = 0; index < groupsBeside; index++) {
    const started = performance.now();
    await group(100);
    commits.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  forgetting.stop();
  store.close();
  const called = "forgetting a third of the rows";
  const at = (readings: readonly number[], part: number): number => quantile(readings, part);
  return {
    rows: [
      rowOf(called, "a part, median", "ms", at(parts, 0.5)),
      rowOf(called, "a part, 99 of 100", "ms", at(parts, 0.99)),
      rowOf(called, "parts", "parts", parts.length),
      rowOf(called, "a group of 100 events with its commit, median", "ms", at(commits, 0.5)),
      rowOf(called, "a group of 100 events with its commit, 99 of 100", "ms", at(commits, 0.99)),
    ],
    ratios: [
      ...[0.5, 0.99].map((part) =>
        boundOf(
          `a part of forgetting, ${part * 100} of 100: no longer than a group`,
          at(parts, part) / at(commits, part),
          1,
          {
            against: "a group of 100 events with its commit",
          },
        ),
      ),
    ],
  };
}
