/** What a benchmark leaves: a table for people, and bench/results/<name>.json, from which documentation quotes. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
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

export function makeReport(name: string, where: Surroundings, before: number, findings: Findings): Report {
  const after = loadNow();
  return { name, ...where, load: [round(before), round(after)], noisy: isBusy(before) || isBusy(after), ...findings };
}

export function writeReport(report: Report): string {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${report.name}.json`);
  writeFileSync(
    path,
    `${JSON.stringify(report, (_key, value) => (typeof value === "number" ? round(value) : value), 2)}\n`,
  );
  return path;
}

/** Three digits that count are more than a shared machine can tell. */
const round = (value: number): number => Number(value.toPrecision(4));

export function printReport({ name, rows, ratios, load, noisy }: Report, about: string): string {
  const loads = `load ${load[0]} → ${load[1]}${noisy ? ", NOISY: only the ratios count" : ""}`;
  return [`\n${name}: ${about} (${loads})`, "", ...columns(rows.map(cellsOf)), "", ...columns(ratios.map(lineOf))].join(
    "\n",
  );
}

const cellsOf = (row: Row, index: number, all: readonly Row[]): string[] => [
  all[index - 1]?.case === row.case ? "" : row.case,
  row.variant,
  `${amount(row.p50)} ${row.unit}`,
  `min ${amount(row.min)}`,
  `${amount(row.p25)} … ${amount(row.p75)}`,
  `n ${row.n}`,
];

const lineOf = ({ goal, against, value, spread, target, pass }: Ratio): string[] => [
  pass === undefined ? "" : pass ? "reached" : "MISSED",
  goal,
  `${amount(value)} ×`,
  target === undefined ? "" : `goal ${target} ×`,
  `± ${(spread * 100).toFixed(0)} %`,
  `against ${against}`,
];

const amount = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

function columns(lines: readonly string[][]): string[] {
  const widths: number[] = [];
  for (const line of lines)
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return lines.map((line) => `  ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd());
}
