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

export const loadNow = (): number => loadavg()[0] ?? 0;
const isBusy = (load: number): boolean => load > availableParallelism();

/** Names no host and no path. */
export function surroundings(peers: Readonly<Record<string, string>>): Surroundings {
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" });
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit.status === 0 ? commit.stdout.trim() : "none",
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

const folder = join(import.meta.dirname, "results");
const fileOf = (name: string): string => join(folder, `${name}.json`);

export function writeReport(report: Report): void {
  mkdirSync(folder, { recursive: true });
  const text = JSON.stringify(report, (_key, value) => (typeof value === "number" ? round(value) : value), 2);
  writeFileSync(fileOf(report.name), `${text}\n`);
}

/** The last report of each of these that was ever taken here. */
export const lastReports = (names: readonly string[]): Report[] =>
  names.map(fileOf).flatMap((path) => (existsSync(path) ? [JSON.parse(readFileSync(path, "utf8"))] : []));

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
