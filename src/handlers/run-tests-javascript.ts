/** How JavaScript's test runners report: each looked at as the tool really prints (jest 30, vitest 5, mocha 12, Node 24). */
import type { TestReport } from "./run-tests-report.ts";

/** What all lines of a form say, added up: a command may run a tool more than once. */
const totalOf = (lines: readonly string[], form: RegExp): number =>
  lines.reduce((sum, line) => sum + Number(form.exec(line)?.[1] ?? 0), 0);

/** Headings with a dot that are no tests. */
const jestRemark =
  /^(?:Console|Validation (?:Warning|Error)|Deprecation Warning|Multiple configurations found|process\.exit called|Cannot log after tests are done)/;

/** Names with ● and the path of their groups; the summary at the end of a long run names them once more. */
export function readJest(lines: readonly string[]): TestReport {
  let file = "";
  const failures = new Map<string, string>();
  for (const line of lines) {
    file = /^\s*FAIL +(\S.*?)(?: \(\d[\d.]* m?s\))?$/.exec(line)?.[1] ?? file;
    const name = /^ {2}● (.+)$/.exec(line)?.[1];
    if (name === undefined || jestRemark.test(name)) continue;
    failures.set(`${file}\n${name}`, name === "Test suite failed to run" ? file : name);
  }
  return { failures: [...failures.values()], count: totalOf(lines, /^Tests: .*\b(\d+) total$/) };
}

const vitestFailure = /^ ?FAIL {1,2}(\S.*)$/;
/** What stands before an error, whose names come first: the heading of them all, or the line that ends the error before. */
const beforeVitestError = /^⎯+ Failed \w+ \d+ ⎯+$|^⎯+\[\d+\/\d+\]⎯+$/;

/**
 * Names with the file and their groups before them; a file that failed as a whole stands twice, in brackets again. Lines
 * that tests print, or that errors say, may look the same; they count only where the report's beginning was cut off.
 */
export function readVitest(lines: readonly string[]): TestReport {
  const all: string[] = [];
  const reported: string[] = [];
  let isReported = false;
  for (const line of lines) {
    const name = vitestFailure.exec(line)?.[1]?.trimEnd();
    if (name === undefined) isReported = beforeVitestError.test(line) || (isReported && line === "");
    else for (const list of isReported ? [all, reported] : [all]) list.push(fileOnce(name));
  }
  const hasFailed = lines.some((line) => /^ *(?:Test Files|Tests) {2}.*\b\d+ failed\b/.test(line));
  const named = reported.length > 0 || !hasFailed ? reported : all;
  return { failures: [...new Set(named)], count: totalOf(lines, /^ *Tests {2}.*\((\d+)\)$/) };
}

function fileOnce(name: string): string {
  const [file = "", again] = name.split(" [ ");
  return again === `${file} ]` ? file : name;
}

/** Runs of it in one command; more are none that anybody wrote. */
const mostRuns = 20;

/** The list at the end: a number, then the path of groups and the test, one a line and each deeper, up to a colon. */
export function readMocha(lines: readonly string[]): TestReport {
  const summaries = lines.flatMap((line, index) => {
    const failing = /^ {2}(\d+) failing$/.exec(line)?.[1];
    return failing === undefined ? [] : { from: index + 1, failing: Number(failing) };
  });
  const failures = summaries.slice(0, mostRuns).flatMap(({ from, failing }) => mochaTitles(lines, from, failing));
  return { failures, count: totalOf(lines, /^ {2}(\d+) (?:passing|failing)(?: \(\w+\))?$/) };
}

function mochaTitles(lines: readonly string[], from: number, failing: number): string[] {
  const titles: string[] = [];
  for (let at = from; at < lines.length && titles.length < failing; at++) {
    const number = `  ${titles.length + 1}) `;
    const line = lines[at] ?? "";
    if (!line.startsWith(number)) continue;
    const parts = [line.slice(number.length)];
    while (!parts.at(-1)?.endsWith(":") && /^ {5,}\S/.test(lines[at + 1] ?? "")) parts.push((lines[++at] ?? "").trim());
    titles.push(parts.join(" ").replace(/:$/, ""));
  }
  return titles;
}

/** The lists at the ends of reports for people, or the points of TAP reports. Groups fail because of their tests, and are left out. */
export function readNode(lines: readonly string[]): TestReport {
  const starts = lines.flatMap((line, index) => (isNodeHeading(line) && lines[index + 1] === "" ? index + 2 : []));
  const failures = starts.length === 0 ? tapFailures(lines) : starts.flatMap((from) => listedFailures(lines, from));
  const summaries = lines.filter((_, index) => /^(?:ℹ|#) (?:suites|pass) \d+$/.test(lines[index + 1] ?? ""));
  return { failures, count: totalOf(summaries, /^(?:ℹ|#) tests (\d+)$/) };
}

const isNodeHeading = (line: string): boolean => /^(?:✖ failing|Failed) tests:$/.test(line);
const isOfGroup = (line = ""): boolean => /^\s*'\d+ subtests? failed'$/.test(line);
const isPlace = (line = ""): boolean => line.startsWith("test at ");
const isOfList = (line: string): boolean => line === "" || /^(?: {2}|[✖⚠] )/.test(line) || isPlace(line);

/** Up to where something else is said: a name without a place, where those of the list have theirs, is of another run. */
function listedFailures(lines: readonly string[], from: number): string[] {
  const failures: string[] = [];
  const arePlaced = isPlace(lines[from]);
  for (let at = from; at < lines.length && isOfList(lines[at] ?? ""); at++) {
    const name = /^✖ (.+?)(?: \(\d[\d.]*ms\))?$/.exec(lines[at] ?? "")?.[1];
    if (name === undefined) continue;
    if (arePlaced && !isPlace(lines[at - 1])) break;
    if (!isOfGroup(lines[at + 1])) failures.push(name);
  }
  return failures;
}

const longestPoint = 100;

const tapFailures = (lines: readonly string[]): string[] =>
  lines.flatMap((line, index) => {
    const name = /^\s*not ok \d+ (?:- )?(.+)$/.exec(line)?.[1];
    if (name === undefined || / # (?:TODO|SKIP)\b/.test(name)) return [];
    const rest = lines.slice(index + 1, index + longestPoint);
    const end = rest.findIndex((one) => /^\s*\.\.\.$/.test(one));
    const isGroup = rest.slice(0, Math.max(0, end)).some((one) => /^\s*failureType: 'subtestsFailed'$/.test(one));
    return isGroup ? [] : name.replace(/\\([#\\])/g, "$1");
  });
