/** The run_tests step of automations (specification 000, 4.6): failing tests are a result, not a failed step. */
import type { Fields } from "../../engine/event.ts";
import type { Handler, Scope } from "../../engine/ports.ts";
import { object, oneOf, say, text } from "../../engine/schema.ts";
import { compileTemplate, printValue } from "../../engine/template.ts";
import { plainText } from "../step.ts";
import { contextStep, folderFor, timeoutOf } from "./context-step.ts";
import { resultOf, runStepLine, stepLines, streamsOf } from "./program.ts";
import {
  pytestName,
  readCargo,
  readGo,
  readJest,
  readMocha,
  readNode,
  readPytest,
  readVitest,
} from "./test-reports.ts";

const usualCommand = "pytest";
const usualLimit = 300;
const most = { stdout: 100_000, stderr: 50_000 };
const mostFailures = 50;

/** In the order in which they are recognised. */
export const frameworks = ["pytest", "vitest", "jest", "cargo", "go", "node", "mocha"] as const;
type Framework = (typeof frameworks)[number];

export const runTests: Handler = contextStep(
  {
    type: "run_tests",
    summary: "Runs a project's tests, and says which of them fail.",
    limit: usualLimit,
    gives: {
      stdout: "what the command printed, up to 100,000 characters",
      stderr: "what it printed to standard error, up to 50,000 characters",
      exit_code: "the exit code; -1: it timed out; below -1: a signal ended it",
      passed: "true where it ended with 0",
      failures: "the names of tests that failed, as the tool names them and in its order; up to 50",
      test_count: "how many there were, as the tool says; else those that passed and failed",
      framework: "whose report was read; `auto` where none was recognised",
    },
  },
  {
    params: object(
      {},
      {
        command: say(text(), "a line for bash, or sh; placeholders become variables", usualCommand),
        timeout: timeoutOf(usualLimit),
        workspace: say(text(), "where it runs; a relative path starts at the project's workspace", "."),
        framework: say(
          oneOf("auto", ...frameworks),
          "whose report to read; auto finds out. Other tools' reports are read for lines that look like failures",
          "auto",
        ),
      },
    ),
    needs: ["spawn"],
    inspect: ({ command: line }, patterns) => stepLines.inspect(line, patterns),
    render: fillAllButCommand,
    async run({ command: line = usualCommand, workspace = ".", framework: asked = "auto" }, context) {
      const work = { line, folder: folderFor(workspace, context), input: "", called: "Test command" };
      const end = await runStepLine(work, context);
      const { output, notes } = streamsOf(end, most);
      const report = readTestReport(`${end.stdout}\n${end.stderr}`, asked);
      const failures = report.failures.slice(0, mostFailures);
      if (report.failures.length > mostFailures) notes.push(`${report.failures.length} tests failed`);
      const passed = end.exitCode === 0;
      const found = { passed, failures, test_count: report.count, framework: report.framework };
      return resultOf({ ...output, ...found }, notes, end.failed);
    },
  },
);

/** Values never become text of the line: they are filled in when it runs. */
function fillAllButCommand({ workspace, ...params }: Fields, scope: Scope): Fields {
  return workspace === undefined ? params : { ...params, workspace: printValue(compileTemplate(workspace)(scope)) };
}

export interface TestReport {
  failures: string[];
  count: number;
}

interface Tool {
  /** Something that only its reports have. */
  sign: RegExp;
  read(lines: readonly string[]): TestReport;
}

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
