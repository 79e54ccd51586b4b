/** bench/RESULTS.md: the table of all goals and every figure behind it, written anew by each run from the last reports. */
import { amount, figure, markdownTable } from "./columns.ts";
import { type Line, type Lines, linesOf } from "./goals.ts";
import type { Report } from "./report.ts";

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
  line.from,
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

const begin = "<!-- figures: written by npm run bench -->";
const end = "<!-- figures end -->";

/** A page of documentation with its results of now; as it was where it has no place for them. */
export function withResults(page: string, reports: readonly Report[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) return page;
  const { promised, others } = linesOf(reports);
  const tables = [
    takenLine(reports),
    "",
    ...markdownTable(shortTitles, promised.map(shortCells)),
    "",
    "And beside them, what other parts are held to:",
    "",
    ...markdownTable(shortTitles, others.map(shortCells)),
  ];
  return `${page.slice(0, from)}${begin}\n\n${tables.join("\n")}\n\n${page.slice(to)}`;
}

/** When and where; the reports need not have been taken in one call. */
function takenLine(reports: readonly Report[]): string {
  const dates = [...new Set(reports.map(({ date }) => date))].sort().join(", ");
  const machines = [...new Set(reports.map(({ machine, node }) => `${machine}, Node ${node}`))].join("; ");
  return `${dates}, ${machines}. What was measured while the machine was busy with other work is marked.`;
}

const shortTitles = ["what", "ours", "beside", "", "goal", ""];
const shortCells = (line: Line): string[] => [
  line.what,
  line.ours,
  line.peer,
  line.ratio,
  line.goal,
  [line.verdict === "reached" ? "reached" : `**${line.verdict}**`, line.noisy ? "(busy)" : ""].join(" ").trimEnd(),
];

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
