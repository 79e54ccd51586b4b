/** What a benchmark leaves: a table for people, and bench/results/<name>.json, from which documentation quotes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { amount, columns, figure } from "./columns.ts";
import type { Findings, Ratio, Row } from "./measure.ts";

export interface Surroundings {
  date: string;
  commit: string;
  node: string;
  machine: string;
  peers: Readonly<Record<string, string>>;
}
export interface Report extends Surroundings, Findings {
  name: string;
  about: string;
  /** The load average of one minute, before and after. */
  load: [number, number];
  /** More than one waiting process per core: read the ratios, not the figures. */
  noisy: boolean;
}

const project = join(import.meta.dirname, "..");

export const loadNow = (): number => loadavg()[0] ?? 0;
const isBusy = (load: number): boolean => load > availableParallelism();

/** What is measured and what measures: what else has changed beside a commit, such as the figures of the call before, does not count. */
const measured = [
  "src",
  "bin",
  "native",
  "packs",
  "dashboard",
  "package.json",
  "package-lock.json",
  "bench/*.ts",
  "test",
];
const git = (...words: string[]): string | undefined => {
  const { status, stdout } = spawnSync("git", words, { cwd: project, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
};

/** The commit that is measured. Of a folder with other changes it says so: nobody else could take the figure again. */
function commitNow(): string {
  const commit = git("rev-parse", "--short", "HEAD");
  if (commit === undefined) return "none";
  return git("status", "--porcelain", "--", ...measured) === "" ? commit : `${commit} with changes`;
}

/** Names no host and no path. */
export function surroundings(peers: Readonly<Record<string, string>>): Surroundings {
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commitNow(),
    node: process.versions.node,
    machine: `${process.platform} ${process.arch}, ${availableParallelism()} cores, ${processor?.model ?? "?"}, ${memory} GiB`,
    peers,
  };
}

export function makeReport(
  name: string,
  where: Surroundings,
  before: number,
  findings: Findings & { about: string },
): Report {
  const after = loadNow();
  return { name, ...where, load: [round(before), round(after)], noisy: isBusy(before) || isBusy(after), ...findings };
}

const folder = join(project, "bench", "results");
const fileOf = (name: string): string => join(folder, `${name}.json`);

export function writeReport(report: Report): void {
  mkdirSync(folder, { recursive: true });
  const text = JSON.stringify(report, (_key, value) => (typeof value === "number" ? round(value) : value), 2);
  writeFileSync(fileOf(report.name), `${text}\n`);
}

/** The last report of each of these that was ever taken here. @param read default: from the project's folder */
export const lastReports = (
  names: readonly string[],
  read: (path: string) => string | undefined = readHere,
): Report[] =>
  names.flatMap((name) => {
    const text = read(`bench/results/${name}.json`);
    return text === undefined ? [] : [JSON.parse(text)];
  });

function readHere(path: string): string | undefined {
  const file = join(project, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Three digits that count are more than a shared machine can tell. */
const round = (value: number): number => Number(value.toPrecision(4));

export function printReport({ name, about, rows, ratios, load, noisy }: Report): string {
  const loads = `load ${load[0]} → ${load[1]}${noisy ? ", NOISY: only the ratios count" : ""}`;
  return [`\n${name}: ${about} (${loads})`, "", ...columns(rows.map(cellsOf)), "", ...columns(ratios.map(lineOf))].join(
    "\n",
  );
}

const cellsOf = (row: Row, index: number, all: readonly Row[]): string[] => [
  all[index - 1]?.case === row.case ? "" : row.case,
  row.variant,
  figure(row.p50, row.unit),
  `min ${figure(row.min, row.unit)}`,
  `${figure(row.p25, row.unit)} … ${figure(row.p75, row.unit)}`,
  `n ${row.n}`,
];

const lineOf = ({ goal, against, value, unit = "×", spread, target, pass }: Ratio): string[] => [
  pass === undefined ? "" : pass ? "reached" : "MISSED",
  goal,
  `${amount(value)} ${unit}`,
  target === undefined ? "" : `goal ${target} ${unit}`,
  `± ${(spread * 100).toFixed(0)} %`,
  `against ${against}`,
];
