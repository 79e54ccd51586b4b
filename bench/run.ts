/**
 * npm run bench [-- NAME…] [--check]: measures, prints a table and writes bench/results/<name>.json.
 * With --check it exits 1 when a goal is missed; without, a missed goal is only shown.
 */

import { automations } from "./automations.ts";
import { changes } from "./changes.ts";
import { conditions } from "./conditions.ts";
import { dispatch } from "./dispatch.ts";
import { durable } from "./durable.ts";
import { git } from "./git.ts";
import { hotPath } from "./hot-path.ts";
import type { Benchmark, Ratio } from "./measure.ts";
import { installPeers } from "./peers.ts";
import { loadNow, makeReport, printReport, surroundings, writeReport } from "./report.ts";
import { rules } from "./rules.ts";
import { store } from "./store.ts";

const benchmarks: readonly Benchmark[] = [
  dispatch,
  conditions,
  hotPath,
  store,
  rules,
  changes,
  automations,
  git,
  durable,
];

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => !word.startsWith("--"));
  const unknown = names.filter((name) => !benchmarks.some((one) => one.name === name));
  if (unknown.length > 0) {
    console.log(
      `no benchmark is called ${unknown.join(", ")}: there are ${benchmarks.map(({ name }) => name).join(", ")}`,
    );
    return 2;
  }
  const where = surroundings(installPeers());
  console.log(`${where.machine} · Node ${where.node} · commit ${where.commit} · ${where.date}`);
  const missed: Ratio[] = [];
  for (const benchmark of benchmarks.filter(({ name, alone }) =>
    names.length === 0 ? !alone : names.includes(name),
  )) {
    const before = loadNow();
    const report = makeReport(benchmark.name, where, before, await benchmark.measure());
    writeReport(report);
    console.log(printReport(report, benchmark.about));
    missed.push(...report.ratios.filter(({ pass }) => pass === false));
  }
  console.log(
    missed.length === 0
      ? "\nevery goal was reached"
      : `\n${missed.length} missed: ${missed.map(({ goal }) => goal).join("; ")}`,
  );
  return words.includes("--check") && missed.length > 0 ? 1 : 0;
}
