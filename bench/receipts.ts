/**
 * What receipts cost an event, in processor time: the same events through an engine with the SQLite store that follows no calls, and one
 * that does. Ten events are sent, and a turn's end after ten denials, then it is waited until all is on disk.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { reportsOf } from "../src/agents/index.ts";
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import { createEngine } from "../src/engine/engine.ts";
import type { HookEvent } from "../src/engine/event.ts";
import type { Handler } from "../src/engine/ports.ts";
import { anything } from "../src/engine/schema.ts";
import { createInlineQueue } from "../src/runtime/queues/inline.ts";
import { systemPorts } from "../src/runtime/system.ts";
import { openSqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { aHook } from "../test/engine/a-hook.ts";
import {
  type Benchmark,
  type Findings,
  inFolder,
  joined,
  quantile,
  type Ratio,
  ratioOf,
  rowsOf,
  type Samples,
  sampleReadings,
  sized,
} from "./measure.ts";

export const receipts: Benchmark = {
  name: "receipts",
  about: "processor time of an event with receipts, against the same event without",
  measure: () =>
    inFolder(async (folder) => {
      const parts: Findings[] = [];
      for (const [name, given] of Object.entries(cases)) parts.push(await measureCase(join(folder, name), name, given));
      return joined(parts);
    }),
};

interface Case {
  event: "PreToolUse" | "PostToolUse";
  isDenied?: boolean;
  /** Receipts of the session that are there before. */
  before?: { count: number; are: "open" | "settled" };
}
const cases: Readonly<Record<string, Case>> = {
  "a denied call": { event: "PreToolUse", isDenied: true },
  "a call let through": { event: "PreToolUse" },
  "a call let through, 200 settled": { event: "PreToolUse", before: { count: 200, are: "settled" } },
  "a call let through, 200 open": { event: "PreToolUse", before: { count: 200, are: "open" } },
  "a report, 200 settled": { event: "PostToolUse", before: { count: 200, are: "settled" } },
  "a report, 200 open": { event: "PostToolUse", before: { count: 200, are: "open" } },
};

async function measureCase(folder: string, name: string, given: Case): Promise<Findings> {
  mkdirSync(folder);
  const sides = {
    without: await sideOf(join(folder, "without.db"), given, false),
    "with receipts": await sideOf(join(folder, "with.db"), given, true),
  };
  const samples = await sampleReadings(Object.keys(sides), 15, (side) =>
    side === "without" ? sides.without.take() : sides["with receipts"].take(),
  );
  for (const { close } of Object.values(sides)) close();
  return {
    rows: rowsOf(name, "ns", samples),
    ratios: [
      added(name, samples),
      ratioOf(samples, { goal: `with receipts: ${name}`, cost: "with receipts", by: "without" }),
    ],
  };
}

/** Microseconds that an event may cost more than without. */
const atMost = 100;

function added(name: string, samples: Samples): Ratio {
  const without = samples.of("without");
  const value = quantile(
    samples.of("with receipts").map((one, index) => (one - (without[index] ?? Number.NaN)) / 1000),
    0.5,
  );
  const { spread } = ratioOf(samples, { goal: "", cost: "with receipts", by: "without" });
  return {
    ...{ goal: `what receipts add: ${name}`, against: "the same without", value, unit: "µs", spread },
    ...{ target: atMost, better: "less", pass: value <= atMost },
  };
}

interface Side {
  /** Nanoseconds of processor time for one event. */
  take(): Promise<number>;
  close(): void;
}

async function sideOf(path: string, { event, isDenied = false, before }: Case, hasReceipts: boolean): Promise<Side> {
  const system = systemPorts();
  const store = openSqliteStore({ path, groups: true });
  let denies = false;
  const handler: Handler = {
    params: anything as Handler["params"], // it takes any fields
    run: () => ({ ok: true, output: {}, outcome: denies ? { verdict: { is: "deny", reason: "no", by: "g" } } : {} }),
  };
  const engine = createEngine({
    ...{ ...system, store, queue: createInlineQueue(), patterns: await loadPatterns() },
    hooks: () => ({ id: "set", hooks: [aHook("g", "h", { role: "guard" })] }),
    registry: { handlers: new Map([["h", handler]]), conditions },
    ...(hasReceipts && { reports: reportsOf }),
  });
  let count = 0;
  const send = (name: HookEvent["name"]): unknown => {
    const id = `${++count}`;
    const data = {
      tool_name: "Bash",
      tool_input: { command: `ls ${id}` },
      tool_use_id: `toolu_${id}`,
      tool_response: "",
    };
    const base = { id: system.id(), name, at: system.now(), cwd: "/p", sender: "claude-code", session: "s" };
    return engine.emit({ ...base, data });
  };
  denies = true;
  for (let index = 0; index < (before?.count ?? 0); index++) await send("PreToolUse");
  denies = isDenied;
  if (before?.are === "settled") await send("Stop");
  await store.committed();
  return {
    async take() {
      const tens = sized(30, 1);
      const began = process.cpuUsage();
      for (let ten = 0; ten < tens; ten++) {
        for (let index = 0; index < 10; index++) await send(event);
        if (isDenied) await send("Stop");
        await store.committed();
      }
      const { user, system: kernel } = process.cpuUsage(began);
      return ((user + kernel) * 1000) / (tens * 10);
    },
    close: () => store.close(),
  };
}
