/** What hook tests found: for a person, as JSON, and as JUnit XML for a CI server. */
import { messageOf } from "../../../engine/error.ts";
import type { Problem } from "../../../engine/hook.ts";
import type { Invocation } from "../command.ts";
import { findingLine } from "../hooks/check.ts";
import { oneLine, type Style, safeText, shortPath, type Terminal } from "../terminal.ts";
import { wrapped } from "../width.ts";
import { type Failure, storyOf } from "./expected.ts";
import type { Performed } from "./perform.ts";

export interface TestResult extends Pick<Performed, "test" | "seen" | "ms"> {
  failures: readonly Failure[];
  /** Why it could not be performed. */
  error?: unknown;
}
export interface FileResult {
  file: string;
  /** Why nothing of the file was performed. */
  problems: readonly Problem[];
  tests: readonly TestResult[];
}

const hasPassed = ({ failures, error }: TestResult): boolean => failures.length === 0 && error === undefined;

/** A file that cannot be performed counts as one failure. */
export const failedIn = ({ problems, tests }: FileResult): number =>
  problems.length > 0 ? 1 : tests.filter((test) => !hasPassed(test)).length;
const passedIn = ({ tests }: FileResult): number => tests.filter(hasPassed).length;

const countOf = (results: readonly FileResult[], of: (result: FileResult) => number): number =>
  results.reduce((sum, result) => sum + of(result), 0);

export function printFile(result: FileResult, { terminal, cwd, home }: Invocation, verbose: boolean): void {
  const file = shortPath(result.file, cwd, home);
  const failed = failedIn(result);
  const mark = failed > 0 ? terminal.paint("red", "✗") : terminal.paint("green", "✓");
  const said =
    result.problems.length > 0
      ? "not performed"
      : failed > 0
        ? `${failed} of ${result.tests.length} failed`
        : `${passedIn(result)} passed`;
  terminal.print(`${mark} ${terminal.paint("bold", file)}  ${said}`);
  for (const problem of result.problems)
    terminal.print(`    ${findingLine(problem, terminal, shortPath(problem.file, cwd, home))}`);
  for (const test of result.tests) {
    if (!hasPassed(test)) for (const line of failureLines(test, file, terminal)) terminal.print(line);
    else if (verbose)
      terminal.print(
        `  ${terminal.paint("green", "✓")} ${oneLine(test.test.name)}${terminal.paint("dim", `  ${test.ms} ms`)}`,
      );
  }
}

/** Of the hooks that did not run so many are named. */
const mostOthers = 8;

function failureLines({ test, seen, failures, error }: TestResult, file: string, terminal: Terminal): string[] {
  const dim = (text: string): string => terminal.paint("dim", text);
  const [name = "", ...more] = wrapped(`    ${oneLine(test.name)}`, terminal.width, { hang: 4 });
  const lines = [
    `  ${terminal.paint("red", "✗")} ${name.trimStart()}`,
    ...more,
    `      ${dim(`${file}:${test.place.line}:${test.place.column}`)}`,
  ];
  if (error !== undefined) lines.push(...wrapped(`      ${oneLine(messageOf(error))}`, terminal.width, { hang: 6 }));
  for (const { field, expected, actual, line, column } of failures) {
    lines.push(`      ${terminal.paint("bold", field)}${dim(`  ${file}:${line}:${column}`)}`);
    lines.push(...labelled("expected", "green", expected), ...labelled("found", "red", actual));
  }
  for (const [index, one] of seen.entries()) {
    const { ran, others } = storyOf(one);
    const title = seen.length > 1 ? `event ${index + 1}, ${one.event.name}: ` : "";
    lines.push(`      ${dim(`${title}ran:`)}${ran.length === 0 ? " no hook" : ""}`, ...ran.flatMap(asItem));
    if (others.length > 0) lines.push(`      ${dim("did not run:")}`, ...others.slice(0, mostOthers).flatMap(asItem));
    if (others.length > mostOthers)
      lines.push(dim(`        and ${others.length - mostOthers} more: --json lists them`));
  }
  return lines;

  function asItem(text: string): string[] {
    const [first = "", ...rest] = wrapped(`          ${oneLine(text)}`, terminal.width, { hang: 10 });
    return [first.slice(2), ...rest];
  }
  function labelled(label: string, style: Style, text: string): string[] {
    const [first = "", ...rest] = wrapped(`${" ".repeat(18)}${oneLine(text)}`, terminal.width, { hang: 18 });
    return [`        ${terminal.paint(style, label.padEnd(8))}  ${first.trimStart()}`, ...rest];
  }
}

export function printSummary(results: readonly FileResult[], { terminal }: Pick<Invocation, "terminal">): void {
  const [passed, failed] = [countOf(results, passedIn), countOf(results, failedIn)];
  const files = `${results.length} ${results.length === 1 ? "file" : "files"}`;
  terminal.print("");
  terminal.print(
    `${passed} passed, ${failed > 0 ? terminal.paint("red", `${failed} failed`) : "0 failed"} in ${files}`,
  );
}

export const asJson = (results: readonly FileResult[]): object => ({
  passed: countOf(results, passedIn),
  failed: countOf(results, failedIn),
  files: results.map(({ file, problems, tests }) => ({
    ...{ file, problems },
    tests: tests.map((result) => ({
      name: result.test.name,
      ...result.test.place,
      passed: hasPassed(result),
      ms: result.ms,
      failures: result.failures,
      ...(result.error === undefined ? {} : { error: messageOf(result.error) }),
      events: result.seen.map((one) => ({ event: one.event.name, outcome: one.outcome, ...storyOf(one) })),
    })),
  })),
});

/** The form that CI servers read: a suite for each file, a case for each test. */
export function asJunit(results: readonly FileResult[], { cwd, home }: Pick<Invocation, "cwd" | "home">): string {
  const suites = results.map((result) => {
    const name = shortPath(result.file, cwd, home);
    const cases =
      result.problems.length > 0 ? [brokenCase(name, result)] : result.tests.map((test) => caseOf(name, test));
    return `  <testsuite name="${xml(name)}" tests="${cases.length}" failures="${failedIn(result)}">\n${cases.join("")}  </testsuite>\n`;
  });
  const [tests, failures] = [
    countOf(results, (one) => Math.max(one.tests.length, one.problems.length > 0 ? 1 : 0)),
    countOf(results, failedIn),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="hookline" tests="${tests}" failures="${failures}">\n${suites.join("")}</testsuites>\n`;
}

const brokenCase = (file: string, { problems }: FileResult): string =>
  failedCase(
    { file, name: "the file can be read", ms: 0, line: problems[0]?.line ?? 1 },
    problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`),
  );

function caseOf(file: string, result: TestResult): string {
  const { test, ms, failures, error } = result;
  const about = { file, name: test.name, ms, line: test.place.line };
  if (hasPassed(result)) return `    <testcase ${attributesOf(about)}/>\n`;
  return failedCase(about, [
    ...(error === undefined ? [] : [messageOf(error)]),
    ...failures.map(
      (one) => `${file}:${one.line}:${one.column} ${one.field}: expected ${one.expected}, found ${one.actual}`,
    ),
    ...result.seen
      .map(storyOf)
      .flatMap(({ ran, others }) => [
        `ran: ${ran.join("; ") || "no hook"}`,
        ...others.map((text) => `did not run: ${text}`),
      ]),
  ]);
}

interface About {
  file: string;
  name: string;
  ms: number;
  line: number;
}
const attributesOf = ({ file, name, ms, line }: About): string =>
  `classname="${xml(file)}" name="${xml(name)}" file="${xml(file)}" line="${line}" time="${(ms / 1_000).toFixed(3)}"`;

const failedCase = (about: About, lines: readonly string[]): string =>
  `    <testcase ${attributesOf(about)}>\n      <failure message="${xml(lines[0] ?? "")}">${xml(lines.join("\n"))}</failure>\n    </testcase>\n`;

/** XML 1.0 has no other control characters: safeText makes them visible. */
const xml = (text: string): string =>
  text
    .split("\n")
    .map(safeText)
    .join("\n")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
