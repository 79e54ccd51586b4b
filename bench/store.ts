/**
 * What a run record costs through Store.saveRun, against raw node:sqlite that writes the same rows.
 *
 * Both sides: the same table with the same indexes (the store's own migrations), WAL, synchronous NORMAL, the
 * same number of rows per transaction, one insert when the run begins and one update when it closes. Both make the values of
 * a row by the store's own functions. Only ours: redaction, cutting, groups, errors in our words. That both write the same row is
 * checked first; each reading has a new file of its own, whose rows are counted afterwards. 80 % of raw's rate is 1.25 times its time.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Run } from "../src/engine/record.ts";
import { createRedaction } from "../src/storage/redaction/redaction.ts";
import { changingFields, changingValues, fixedValues, places, runFields } from "../src/storage/sqlite/rows.ts";
import { openSqliteStore } from "../src/storage/sqlite/sqlite.ts";
import { type Benchmark, type Findings, inFolder, joined, ratioOf, rowsOf, sampleReadings, sized } from "./measure.ts";
import { mustHoldTheSame, openRaw, plainKeeper } from "./raw-store.ts";

export const store: Benchmark = {
  name: "store",
  about: "one run record, begun and closed, the store's own indexes, WAL NORMAL",
  measure: () =>
    inFolder(async (folder) => {
      checkRows(folder);
      const parts: Findings[] = [];
      for (const one of cases) parts.push(await measureCase(one, folder));
      return joined(parts);
    }),
};

interface Case {
  name: string;
  /** Run records per transaction; 1: each save is a transaction of its own. */
  size: number;
  records: number;
  rounds: number;
}
const cases: readonly Case[] = [
  { name: "each save by itself", size: 1, records: sized(500, 20), rounds: 21 },
  { name: "batches of 10", size: 10, records: sized(1_500, 20), rounds: 21 },
  { name: "batches of 1,000", size: 1_000, records: sized(4_000, 20), rounds: 15 },
];

async function measureCase({ name, size, records, rounds }: Case, folder: string): Promise<Findings> {
  const runs = Array.from({ length: records }, (_, index): [Run, Run] => [begun(finished(index)), finished(index)]);
  let files = 0;
  const samples = await sampleReadings(Object.keys(sides), rounds, (side) => {
    const path = join(folder, `${size}-${++files}.db`);
    return timeOf((sides[side] ?? raw)(path), path, { runs, size });
  });
  const goal = `run record, ${name}: at least 80 % of raw's rate`;
  return {
    rows: rowsOf(name, "µs per run record", samples),
    ratios: [ratioOf(samples, { goal, cost: "hookline", by: "raw node:sqlite", atMost: 1.25 })],
  };
}

/** Throws where the two sides do not write the same row of a run. */
export function checkRows(folder: string): void {
  const files = new Map(Object.keys(sides).map((side, index) => [side, join(folder, `run-${index}.db`)]));
  for (const [side, path] of files) {
    const opened = (sides[side] ?? raw)(path);
    opened.save(begun(finished(0)));
    opened.save(finished(0));
    opened.close();
  }
  mustHoldTheSame(files);
}

/** Microseconds per run record. */
function timeOf(side: Side, path: string, { runs, size }: { runs: readonly [Run, Run][]; size: number }): number {
  const started = performance.now();
  for (let at = 0; at < runs.length; at += size) {
    const save = (): void => {
      for (const [first, last] of runs.slice(at, at + size)) {
        side.save(first);
        side.save(last);
      }
    };
    if (size === 1) save();
    else side.batch(save);
  }
  const took = performance.now() - started;
  assert.equal(countOf(path), runs.length, "every run was written");
  side.close();
  return (took * 1_000) / runs.length;
}

const redact = createRedaction({
  environment: { BENCH_TOKEN: "a-token-of-this-benchmark", BENCH_PASSWORD: "another-secret" },
});

const finished = (index: number): Run => ({
  id: `01k3${String(index).padStart(22, "0")}`,
  hook: `settings:.claude/settings.json:${index % 20}`,
  hookName: "format and check",
  eventId: `01k3event${String(index >> 1).padStart(17, "0")}`,
  eventName: "PreToolUse",
  session: "7d0c1a52-3b0c-4a57-9d5e-2f6f8f0a1b2c",
  status: "completed",
  cause: "event:PreToolUse",
  startedAt: 1_750_000_000_000 + index,
  ms: 12,
  outcome: { context: ["formatted 1 file"] },
  steps: [
    {
      uses: "command",
      ok: true,
      output: { exitCode: 0 },
      ms: 11,
      evidence: { exitCode: 0, stdout: "formatted src/a.ts\n", stderr: "", containment: "pgroup" },
    },
  ],
  notes: [],
  asked: 1,
  owner: "4711:123456",
});
const begun = (run: Run): Run => {
  const { ms: _ms, outcome: _outcome, ...rest } = run;
  return { ...rest, status: "running", steps: [] };
};

interface Side {
  save(run: Run): void;
  batch(work: () => void): void;
  close(): void;
}
const sides: Readonly<Record<string, (path: string) => Side>> = { "raw node:sqlite": raw, hookline: ours };

function ours(path: string): Side {
  const opened = openSqliteStore({ path, redact });
  return {
    save: (run) => void opened.saveRun(run),
    batch: (work) => void opened.batch?.(work),
    close: () => opened.close(),
  };
}

const insert = `insert into run (${runFields.join()}) values (${places(runFields)})`;
const update = `update run set ${changingFields.map((field) => `${field} = ?`).join()} where id = ?`;

function raw(path: string): Side {
  const opened = openRaw(path);
  return {
    save(run) {
      const changing = changingValues(run, plainKeeper);
      if (run.status === "running") opened.run(insert, ...fixedValues(run, plainKeeper), ...changing);
      else opened.run(update, ...changing, run.id);
    },
    batch(work) {
      opened.run("begin immediate");
      work();
      opened.run("commit");
    },
    close: opened.close,
  };
}

function countOf(path: string): number {
  const database = new DatabaseSync(path);
  const row = database
    .prepare("select count(*) as n from run where status = 'completed' and json_extract(steps, '$[0].ok')")
    .get();
  database.close();
  return Number(row?.n);
}
