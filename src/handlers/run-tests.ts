/** The run_tests step of automations (specification 000, 4.6): failing tests are a result, not a failed step. */
import type { Fields } from "../core/event.ts";
import type { Handler, Scope } from "../core/ports.ts";
import { object, oneOf, say, text } from "../core/schema.ts";
import { compileTemplate, printValue } from "../core/template.ts";
import { contextStep, timeoutOf } from "./context-step.ts";
import { type Framework, frameworks, readTestReport } from "./run-tests-report.ts";
import { createStepCommand, resultOf, streamsOf } from "./step-command.ts";
import { folderFor } from "./step-folder.ts";

export interface RunTestsParams {
  command?: string;
  timeout?: number;
  workspace?: string;
  framework?: Framework | "auto";
}

const usualCommand = "pytest";
const usualLimit = 300;
const most = { stdout: 100_000, stderr: 50_000 };
const mostFailures = 50;

export const runTests: Handler<RunTestsParams> = createRunTests();

function createRunTests(): Handler<RunTestsParams> {
  const command = createStepCommand();
  return contextStep(
    {
      type: "run_tests",
      summary: "Runs a project's tests, and says which of them fail.",
      limit: usualLimit,
      gives: {
        stdout: "what the command printed, up to 100,000 characters",
        stderr: "what it complained of, up to 50,000 characters",
        exit_code: "how it ended; -1 where it took too long, below that where a signal ended it",
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
      inspect: (params, patterns) => command.inspect(String(params.command ?? ""), patterns),
      render: fillAllButCommand,
      async run({ command: line = usualCommand, workspace = ".", framework: asked = "auto" }, context) {
        const work = { line, folder: folderFor(workspace, context), input: "", called: "Test command" };
        const end = await command.run(work, context);
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
}

/** Values never become text of the line: they are filled in when it runs. */
function fillAllButCommand({ workspace, ...params }: Fields, scope: Scope): Fields {
  return workspace === undefined ? params : { ...params, workspace: printValue(compileTemplate(workspace)(scope)) };
}
