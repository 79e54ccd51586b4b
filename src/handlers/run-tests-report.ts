/**
 * What a test run says of itself, whichever tool ran: which tests failed, and how many there were. The tools are a
 * table; a report that none of them knows is read for lines that look like failures (A32).
 */

import { plainText } from "./plain-text.ts";
import { pytestName, readCargo, readGo, readPytest } from "./run-tests-compiled.ts";
import { readJest, readMocha, readNode, readVitest } from "./run-tests-javascript.ts";

export interface TestReport {
  failures: string[];
  count: number;
}

interface Tool {
  /** Something that only its reports have. */
  sign: RegExp;
  read(lines: readonly string[]): TestReport;
}

/** In the order in which they are recognised. */
export const frameworks = ["pytest", "vitest", "jest", "cargo", "go", "node", "mocha"] as const;
export type Framework = (typeof frameworks)[number];

const tools: { readonly [F in Framework]: Tool } = {
  pytest: {
    sign: /^=+ test session starts =+$|^(?:=+ )?(?:\d+ [a-z]+, )*\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?) in \d/m,
    read: readPytest,
  },
  vitest: { sign: /^ *Test Files {2}.*\(\d+\)$/m, read: readVitest },
  jest: { sign: /^Test Suites: .*\d+ total$|^Tests: .*\d+ total$/m, read: readJest },
  cargo: { sign: /^test result: (?:ok|FAILED)\. \d+ passed; /m, read: readCargo },
  go: { sign: /^(?:ok {2}|FAIL)\t\S|^--- (?:FAIL|PASS|SKIP): \w+ \(\d+\.\d+s\)$/m, read: readGo },
  node: { sign: /^(?:ℹ|#) duration_ms \d|^Failed tests:$/m, read: readNode },
  mocha: { sign: /^ {2}\d+ (?:passing|failing)(?: \(\w+\))?$/m, read: readMocha },
};

/** Names and counts are never found in longer ones, and reading those could take long. */
const longestLine = 1000;

/** @param printed both streams, one after the other, as they came */
export function readTestReport(
  printed: string,
  asked: Framework | "auto",
): TestReport & { framework: Framework | "auto" } {
  const lines = plainText(printed)
    .split("\n")
    .filter((line) => line.length <= longestLine);
  const text = lines.join("\n");
  const framework = asked === "auto" ? (frameworks.find((one) => tools[one].sign.test(text)) ?? "auto") : asked;
  const report = framework === "auto" ? undefined : tools[framework].read(lines);
  if (report && (report.failures.length > 0 || report.count > 0)) return { framework, ...report };
  return { framework, ...readAnyReport(lines) };
}

const named =
  (form: RegExp) =>
  (line: string): string | undefined =>
    form.exec(line)?.[1];

const looksFailed: readonly ((line: string) => string | undefined)[] = [
  (line) => (/^\s*FAILED \S+::/.test(line) ? pytestName(line.trimStart().slice("FAILED ".length)) : undefined),
  named(/^\s*[✕●✗✖×] (.+?)(?: \(\d+(?:\.\d+)? ?m?s\))?$/),
  named(/^\s*FAIL:? +(\S.*)$/),
  named(/^\s*not ok \d+ (?:- )?(.+)$/),
];

/** Each form of a failure only where there was none of the form before (A32). */
function readAnyReport(lines: readonly string[]): TestReport {
  const found = looksFailed
    .map((nameIn) => lines.flatMap((line) => nameIn(line)?.trim() ?? []))
    .find((names) => names.length > 0);
  return { failures: [...new Set(found)], count: countIn(lines) };
}

/** The total that is said, else what passed and failed of the last line that says it; in whatever order. */
function countIn(lines: readonly string[]): number {
  for (const form of [/^\s*Tests: .*\b(\d+) total/, /^# tests (\d+)$/]) {
    const total = lines.findLast((line) => form.test(line));
    if (total !== undefined) return Number(form.exec(total)?.[1]);
  }
  const summary = lines.findLast((line) => /\b\d+ (?:passed|failed)\b/.test(line)) ?? "";
  return sumOf(summary, /\b(\d+) (?:passed|failed)\b/g);
}

const sumOf = (line: string, form: RegExp): number =>
  [...line.matchAll(form)].reduce((sum, [, count]) => sum + Number(count), 0);
