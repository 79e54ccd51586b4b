/** What test runners print: which tests failed, by the forms of JavaScript's runners and of the others. */
import type { TestReport } from "./run-tests.ts";

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

/** Runs of it in one command; more are text that looks like runs. */
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

const sumOf = (text: string, form: RegExp): number =>
  [...text.matchAll(form)].reduce((sum, [, count]) => sum + Number(count), 0);

const pytestHeading = /^=+ short test summary info =+$/;
const pytestSummary = /^(?:=+ )?(?:\d+ [a-z]+, )*\d+ [a-z]+ in \d[\d.]*s\b/;

/**
 * The short summary: the test, and behind a dash why. Without one, the lines that `-v` prints. Errors, of fixtures and
 * of files that cannot be read, are failures too. What tests print may look the same: where all have passed none is one.
 */
export function readPytest(lines: readonly string[]): TestReport {
  const totals = lines.filter((line) => pytestSummary.test(line));
  const hasFailed = totals.length === 0 || totals.some((line) => /\b\d+ (?:failed|errors?)\b/.test(line));
  return {
    failures: hasFailed ? [...new Set(pytestFailures(lines))] : [],
    count: totals.reduce((sum, line) => sum + sumOf(line, /\b(\d+) (?:passed|failed)\b/g), 0),
  };
}

function pytestFailures(lines: readonly string[]): string[] {
  const summarised = pytestSummaries(lines).flatMap((line) => {
    const word = /^(?:FAILED|ERROR) (?=\S)/.exec(line)?.[0];
    const name = word === undefined ? "" : pytestName(line.slice(word.length));
    return name.includes("::") || /^\S+\.py$/.test(name) ? name : [];
  });
  const listed = lines.flatMap((line) => {
    const end = line.search(/ (?:FAILED|ERROR)(?: +\[ *\d+%\])?$/);
    return end > 0 && line.includes("::") && !line.startsWith(" ") ? line.slice(0, end) : [];
  });
  return summarised.length > 0 ? summarised : listed;
}

/** The lines below each heading, up to the totals; all, where the report's beginning was cut off. */
function pytestSummaries(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => pytestHeading.test(line))) return lines;
  let isInside = false;
  return lines.filter((line) => {
    if (pytestHeading.test(line)) isInside = true;
    else if (pytestSummary.test(line)) isInside = false;
    return isInside;
  });
}

/**
 * Up to the dash before the reason. What stands in brackets, the test's parameters, may hold dashes and brackets: it ends
 * with the one that closes them all, or where none does, with the first that a dash follows.
 */
export function pytestName(said: string): string {
  const dash = said.indexOf(" - ");
  const bracket = said.indexOf("[");
  if (dash < 0) return said;
  if (bracket < 0 || dash < bracket) return said.slice(0, dash);
  const end = closingBracket(said, bracket) ?? said.indexOf("] - ", bracket);
  return end < 0 ? said : said.slice(0, end + 1);
}

function closingBracket(said: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < said.length; at++) {
    if (said[at] === "[") depth += 1;
    else if (said[at] === "]") depth -= 1;
    if (said[at] === "]" && depth === 0 && (at === said.length - 1 || said.startsWith(" - ", at + 1))) return at;
  }
  return undefined;
}

/**
 * Tests, without those that failed only because of a part of them; and packages that failed without a test, such as one
 * that does not compile. Only `-v` says how many there were: else the count is of those that are spoken of.
 */
export function readGo(lines: readonly string[]): TestReport {
  const failures: string[] = [];
  let ofPackage: string[] = [];
  for (const line of lines) {
    const name = /^ *--- FAIL: (\S+) \(\d[\d.]*s\)$/.exec(line)?.[1];
    if (name !== undefined) ofPackage.push(name);
    const ended = /^(?:FAIL|ok {2})\t(\S+)/.exec(line);
    if (!ended) continue;
    const isAlone = ofPackage.length === 0 && line.startsWith("FAIL");
    failures.push(...(isAlone ? [ended[1] ?? ""] : withoutParents(ofPackage)));
    ofPackage = [];
  }
  failures.push(...withoutParents(ofPackage));
  const begun = lines.filter((line) => /^=== RUN {3}\S/.test(line)).length;
  return { failures, count: begun || lines.filter((line) => /^ *--- (?:FAIL|PASS|SKIP): /.test(line)).length };
}

function withoutParents(names: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const name of names)
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1))
      parents.add(name.slice(0, end));
  return names.filter((name) => !parents.has(name));
}

/** The list right before the result of each binary; the lines above it may be mixed with what the tests print. */
export function readCargo(lines: readonly string[]): TestReport {
  const failures: string[] = [];
  let list: string[] | undefined;
  for (const line of lines) {
    const name = /^ {4}(\S.*)$/.exec(line)?.[1];
    if (line === "failures:") list = [];
    else if (name !== undefined) list?.push(name);
    else if (line !== "") {
      if (line.startsWith("test result: ")) failures.push(...(list ?? []));
      list = undefined;
    }
  }
  return { failures, count: lines.reduce((sum, line) => sum + sumOf(line, /^running (\d+) tests?$/g), 0) };
}
