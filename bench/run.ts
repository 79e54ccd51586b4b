/**
 * npm run bench [-- NAME…] [--quick | --check | --baseline]: measures, prints a table of all goals, writes
 * bench/results/<name>.json, bench/RESULTS.md and the pages that show figures. --check exits 1 if a ratio is worse than in the last
 * release. --quick measures nothing: it exits 1 if one of all benchmarks does not come to its end (quick.ts).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarks, type Entry } from "./benchmarks.ts";
import { columns } from "./columns.ts";
import { type Line, linesOf } from "./goals.ts";
import { installPeers, wantedPeers } from "./peers.ts";
import { runQuickly } from "./quick.ts";
import { type Baseline, guarded, noLongerMeasured, type Recorded, regressions, worseIn } from "./regression.ts";
import {
  lastReports,
  loadNow,
  makeReport,
  printReport,
  type Report,
  type Surroundings,
  surroundings,
  writeReport,
} from "./report.ts";
import { writePages } from "./results-page.ts";
import { take } from "./take.ts";

/** All that is asked for without a name is done by then, so that it ends within eight minutes. */
const secondsInAll = 460;
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"));
const baselinePath = join(import.meta.dirname, "baseline.json");

async function main(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => !word.startsWith("--"));
  const unknown = names.filter((name) => !benchmarks.some((one) => one.name === name));
  if (unknown.length > 0) {
    const there = benchmarks.map(({ name }) => name).join(", ");
    console.log(`no benchmark is called ${unknown.join(", ")}: there are ${there}`);
    return 2;
  }
  const isQuick = words.includes("--quick");
  const wantsOptional = !isQuick && names.some((name) => ["git", "agents", "agents-processor"].includes(name));
  const notInstalled = installPeers(wantsOptional);
  if (notInstalled !== undefined) console.log(notInstalled);
  const where = surroundings(wantedPeers(wantsOptional));
  console.log(`${where.machine} · Node ${where.node} · commit ${where.commit} · ${where.date}`);
  if (isQuick) return runQuickly(benchmarks.filter(({ name }) => names.length === 0 || names.includes(name)));
  const chosen = benchmarks.filter(({ name, alone }) => (names.length === 0 ? !alone : names.includes(name)));
  const deadline = performance.now() + (names.length === 0 ? secondsInAll : 3600) * 1000;
  const taken = await takeAll(chosen, { where, deadline });
  for (const report of taken.reports) writeReport(report);
  writePages(lastReports(benchmarks.map(({ name }) => name)));
  const earlier = names.length === 0 ? lastReports(benchmarks.flatMap(({ name, alone }) => (alone ? [name] : []))) : [];
  printGoals([...taken.reports, ...earlier], taken.failures);
  if (words.includes("--baseline")) recordBaseline(where, taken.reports);
  if (words.includes("--check"))
    return checkAgainstBaseline(taken.reports, (entry) => takeOne(entry, { where, deadline: Infinity }));
  return taken.failures.size === 0 ? 0 : 1;
}

interface Terms {
  where: Surroundings;
  deadline: number;
}
interface Taken {
  reports: Report[];
  failures: Map<string, string>;
}

async function takeAll(chosen: readonly Entry[], terms: Terms): Promise<Taken> {
  const reports: Report[] = [];
  const failures = new Map<string, string>();
  for (const entry of chosen) {
    const report = await takeOne(entry, terms);
    if (typeof report === "string") failures.set(entry.name, report);
    else reports.push(report);
  }
  for (const [at, report] of reports.entries()) {
    const entry = chosen.find(({ name }) => name === report.name);
    if (entry && deservesAnother(report) && secondsLeft(terms) > entry.seconds * 1.5) {
      console.log(`\n${report.name} missed a goal while the machine was busy: measured once more`);
      const again = await takeOne(entry, terms);
      if (typeof again !== "string" && spreadOf(again) < spreadOf(report)) reports[at] = again;
    }
  }
  return { reports, failures };
}

const secondsLeft = ({ deadline }: Terms): number => (deadline - performance.now()) / 1000;

/** Which of two readings counts is decided by how quiet they were, never by what came out. */
const deservesAnother = ({ ratios, noisy }: Report): boolean => noisy && ratios.some(({ pass }) => pass === false);
const spreadOf = ({ ratios }: Report): number =>
  ratios.reduce((sum, { spread }) => sum + spread, 0) / Math.max(1, ratios.length);

async function takeOne({ name, seconds }: Entry, terms: Terms): Promise<Report | string> {
  const left = secondsLeft(terms);
  if (left < seconds / 2) return "not measured: the time was used up";
  const before = loadNow();
  const began = performance.now();
  const taken = await take(name, { limit: Math.min(left, Math.max(60, seconds * 3)), quick: false });
  const took = ((performance.now() - began) / 1000).toFixed(0);
  if (!("rows" in taken)) {
    const why = "skipped" in taken ? taken.skipped : taken.failed;
    console.log(`\n${name}: FAILED after ${took} s: ${why}`);
    return why;
  }
  const { leftOut, ...findings } = taken;
  const report = makeReport(name, terms.where, before, findings);
  console.log([printReport(report), ...leftOut.map((side) => `left out: ${side}`), `(${took} s)`].join("\n  "));
  return report;
}

function printGoals(reports: readonly Report[], failures: ReadonlyMap<string, string>): void {
  const { promised, others } = linesOf(reports);
  const names = new Set([...reports.map(({ name }) => name), ...failures.keys()]);
  const asked = promised.filter(({ from }) => names.has(from) || names.size > 3);
  console.log("\nAll goals\n");
  for (const line of columns([headings, ...asked.map(cells), ["", "beside them:"], ...others.map(cells)]))
    console.log(line);
  for (const [name, why] of failures) console.log(`  ${name}: ${why}`);
  const all = [...asked, ...others];
  const count = (verdict: Line["verdict"]): number => all.filter((line) => line.verdict === verdict).length;
  console.log(`\n${count("reached")} reached, ${count("MISSED")} missed, ${count("not measured")} not measured`);
}

const headings = ["", "what", "ours", "peer", "ratio", "goal", "±", "", "measured by"];
const cells = (line: Line): string[] => [
  line.verdict,
  line.what,
  line.ours,
  line.peer,
  line.ratio,
  line.goal,
  line.spread.replace("± ", ""),
  line.noisy ? "noisy" : "",
  [line.from, line.date, line.commit].join(" ").trimEnd(),
];

function recordBaseline({ commit, date, node, machine }: Surroundings, reports: readonly Report[]): void {
  const ratios = reports.flatMap(({ name, ratios }) => guarded(name, ratios));
  const baseline: Baseline = { version: manifest.version, commit, date, node, machine, ratios };
  writeFileSync(baselinePath, `${JSON.stringify(baseline, null, 2)}\n`);
  console.log(`bench/baseline.json holds ${ratios.length} ratios of ${manifest.version} now`);
}

/** No earlier release can be installed yet, so its ratios are those that were recorded. A suspect is measured twice more. */
async function checkAgainstBaseline(
  reports: readonly Report[],
  again: (entry: Entry) => Promise<Report | string>,
): Promise<number> {
  if (!existsSync(baselinePath)) {
    console.log("there is no bench/baseline.json to compare with: record it with npm run bench -- --baseline");
    return 1;
  }
  const { version, date, ratios }: Baseline = JSON.parse(readFileSync(baselinePath, "utf8"));
  const measured = new Set(reports.map(({ name }) => name));
  const known = ratios.filter(({ from }) => measured.has(from));
  const rounds: Recorded[][] = [reports.flatMap(({ name, ratios }) => guarded(name, ratios))];
  const suspects = new Set(worseIn(known, rounds[0] ?? []).map(({ before }) => before.from));
  for (let round = 2; round <= 3 && suspects.size > 0; round++) {
    console.log(`\nround ${round} of 3: ${[...suspects].join(", ")}`);
    const more: Recorded[] = [];
    for (const entry of benchmarks.filter(({ name }) => suspects.has(name))) {
      const report = await again(entry);
      if (typeof report !== "string") more.push(...guarded(report.name, report.ratios));
    }
    rounds.push(more);
  }
  const worse = regressions(known, rounds);
  const silent = noLongerMeasured(known, rounds[0] ?? []);
  console.log(`\nagainst the recorded ratios of ${version} (${date}): ${known.length - silent.length} compared`);
  for (const { before, now, worseBy } of worse)
    console.log(
      `  WORSE by ${(worseBy * 100).toFixed(0)} %: ${before.from}: ${before.goal}: ${before.value} → ${now.value.toPrecision(4)}`,
    );
  for (const { from, goal } of silent) console.log(`  no longer measured: ${from}: ${goal}`);
  return worse.length + silent.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
