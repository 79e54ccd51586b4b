/**
 * The pages that show figures, written anew by each run from the last reports: bench/RESULTS.md with every figure, and in other pages
 * each block `<!-- figures: all -->` … `<!-- figures end -->`. Every line names the benchmark, its date and the commit measured.
 * `<!-- figures: trust, trust-cost -->` has these benchmarks alone, `<!-- figures: guards (commands) -->` what speaks of commands.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { amount, figure, markdownTable } from "./columns.ts";
import { type Line, type Lines, linesOf } from "./goals.ts";
import type { Report } from "./report.ts";

const project = join(import.meta.dirname, "..");
/** Its own path, and those that may hold blocks. */
export const resultsPath = "bench/RESULTS.md";
const pages = ["README.md", "docs/**/*.md"];

export function writePages(reports: readonly Report[]): void {
  writeFileSync(join(project, resultsPath), resultsPage(reports));
  for (const page of globSync(pages, { cwd: project })) {
    const text = readFileSync(join(project, page), "utf8");
    const written = withResults(text, reports);
    if (written !== text) writeFileSync(join(project, page), written);
  }
}

export function resultsPage(reports: readonly Report[]): string {
  const lines = linesOf(reports);
  return [
    "# Results",
    "",
    "Written by `npm run bench`, `npm run bench:git` and `npm run bench:agents`; do not edit. [How a figure is taken](../docs/performance.md)",
    "and what each side does and does not do stand in `docs/performance.md` and at the top of each file of `bench/`.",
    "",
    ...goalTables(lines),
    "",
    ...reports.flatMap(section),
  ].join("\n");
}

const titles = ["what", "ours", "peer", "ratio", "goal", "", "spread", "noisy", "measured by"];

const cells = (line: Line): string[] => [
  line.what,
  line.ours,
  line.peer,
  line.ratio,
  line.goal,
  line.verdict === "reached" ? "reached" : `**${line.verdict}**`,
  line.spread,
  line.noisy ? "noisy" : "",
  measuredBy(line),
];

const goalTables = ({ promised, others }: Lines): string[] => [
  "## Goals",
  "",
  ...markdownTable(titles, promised.map(cells)),
  "",
  "Beside them:",
  "",
  ...markdownTable(titles, others.map(cells)),
];

const block = /^<!-- figures: ([\w-]+(?:, [\w-]+)*)(?: \((.+)\))? -->\n[\s\S]*?^<!-- figures end -->$/gm;

/** A page of documentation with its figures of now; one without a place for them as it was. */
export const withResults = (page: string, reports: readonly Report[]): string =>
  page.replace(block, (_written, names: string, about: string | undefined) => {
    const only = about === undefined ? names : `${names} (${about})`;
    return [`<!-- figures: ${only} -->`, "", ...figuresOf(names, about, reports), "", "<!-- figures end -->"].join(
      "\n",
    );
  });

/** What a page says in its own words. */
export const outsideOfFigures = (page: string): string => page.replace(block, "");

function figuresOf(names: string, about: string | undefined, reports: readonly Report[]): string[] {
  const { promised, others } = linesOf(reports);
  if (names === "all")
    return [
      takenLine(reports),
      "",
      ...shortTable(promised),
      "",
      "And beside them, what other parts are held to:",
      "",
      ...shortTable(others),
    ];
  const chosen = names.split(", ");
  return shortTable(
    [...promised, ...others].filter(({ from, what }) => chosen.includes(from) && what.includes(about ?? "")),
  );
}

/** Where; when, and at which commit, says each line: the reports need not have been taken in one call. */
function takenLine(reports: readonly Report[]): string {
  const machines = [...new Set(reports.map(({ machine, node }) => `${machine}, Node ${node}`))].join("; ");
  return `Each line names the benchmark, the day and the commit. ${machines}. What was measured while the machine was busy with other work is marked.`;
}

/** Without the columns in which nothing stands. */
function shortTable(lines: readonly Line[]): string[] {
  const rows = lines.map(shortCells);
  const isUsed = (_: unknown, column: number): boolean => rows.some((row) => row[column] !== "");
  return markdownTable(
    shortTitles.filter(isUsed),
    rows.map((row) => row.filter(isUsed)),
  );
}

const shortTitles = ["what", "ours", "beside", "", "goal", "", "measured by"];
const shortCells = (line: Line): string[] => [
  line.what,
  line.ours,
  line.peer,
  line.ratio,
  line.goal,
  [line.verdict === "reached" ? "reached" : `**${line.verdict}**`, line.noisy ? "(busy)" : ""].join(" ").trimEnd(),
  measuredBy(line),
];

const measuredBy = ({ from, date, commit }: Line): string =>
  date === undefined ? from : `${from}, ${date}, commit ${commit}`;

function section(report: Report): string[] {
  const { name, about, date, machine, node, commit, load, noisy, rows, ratios } = report;
  const rowCells = rows.map((row) => [
    row.case,
    row.variant,
    figure(row.p50, row.unit),
    figure(row.min, row.unit),
    `${figure(row.p25, row.unit)} … ${figure(row.p75, row.unit)}`,
    String(row.n),
  ]);
  const ratioCells = ratios.map(({ goal, against, value, unit = "×", target, pass, spread }) => [
    goal,
    against,
    `${amount(value)} ${unit}`,
    target === undefined ? "" : `${target} ${unit}`,
    pass === undefined ? "" : pass ? "reached" : "**MISSED**",
    `± ${(spread * 100).toFixed(0)} %`,
  ]);
  return [
    `## ${name}`,
    "",
    `${about}. ${date}, commit ${commit}, Node ${node}, ${machine}; load ${load[0]} before, ${load[1]} after${noisy ? ": **noisy**" : ""}.`,
    "",
    ...markdownTable(["case", "side", "median", "least", "half lie in", "n"], rowCells),
    "",
    ...(ratios.length === 0 ? [] : [...markdownTable(["ratio", "against", "", "goal", "", "spread"], ratioCells), ""]),
  ];
}
