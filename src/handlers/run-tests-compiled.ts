/** How pytest, go test and cargo test report: each looked at as the tool really prints (pytest 9, Go 1.19, cargo 1.95). */
import type { TestReport } from "./run-tests-report.ts";

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
