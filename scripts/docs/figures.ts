/**
 * Figures in pages: what a benchmark measured stands in blocks that are made from bench/results, whose lines name the benchmark, the
 * day and the commit. Where a page says a measured figure in its own words, these words name day and commit.
 */
import { benchmarks } from "../../bench/benchmarks.ts";
import { lastReports, type Report } from "../../bench/report.ts";
import { outsideOfFigures, resultsPage, resultsPath, withResults } from "../../bench/results-page.ts";
import type { Project } from "./checks.ts";

const reportsIn = ({ read }: Pick<Project, "read">): Report[] =>
  lastReports(
    benchmarks.map(({ name }) => name),
    read,
  );

/** The page with each of its blocks as the results are now. */
export const withFigures = (page: string, project: Pick<Project, "read">): string =>
  withResults(page, reportsIn(project));

/** bench/RESULTS.md */
export const allFigures = (project: Pick<Project, "read">): string => resultsPage(reportsIn(project));

export function figureComplaints(project: Project): string[] {
  const { pages, read } = project;
  const reports = reportsIn(project);
  return [
    ...reports.flatMap(sourceComplaints),
    ...(read(resultsPath) === resultsPage(reports) ? [] : [`${resultsPath}: it is stale — npm run docs`]),
    ...pages.flatMap((page) => {
      const text = read(page) ?? "";
      return [
        ...(withResults(text, reports) === text
          ? []
          : [`${page}: its figures are not those of bench/results — npm run docs`]),
        ...unsourced(text).map(
          (words) => `${page}: "${words}" names no day and no commit — name them, or use <!-- figures: NAME -->`,
        ),
      ];
    }),
  ];
}

const isDay = (text: string): boolean => /^20\d\d-\d\d-\d\d$/.test(text);
const isCommit = (text: string): boolean => /^[0-9a-f]{7,40}$/.test(text);

function sourceComplaints({ name, date, commit }: Report): string[] {
  if (isDay(date) && isCommit(commit)) return [];
  return [
    `bench/results/${name}.json: "${date}, ${commit}" is no day and commit — commit what is measured, then npm run bench -- ${name}`,
  ];
}

/** Beginnings of the paragraphs, with the tables behind them, that speak of a measured figure and do not say when, and of what. */
const unsourced = (page: string): string[] =>
  outsideOfFigures(page)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .split(/\n\s*\n(?!\|)|\n(?=\s*- )/)
    .filter((part) => speaksOfBenchmarks.test(part) && figure.test(part) && !(day.test(part) && commit.test(part)))
    .map((part) => part.trim().replaceAll("\n", " ").slice(0, 60));

const speaksOfBenchmarks = /\bmeasured\b|npm run bench|performance\.md/i;
const figure = /\d ?(?:ns|µs|ms|s|bytes|MB|kB|GB|%|×|each second)(?![\w-])/;
const day = /\b20\d\d-\d\d-\d\d\b/;
const commit = /\bcommit [0-9a-f]{7,40}\b/;
