/** The shell step of automations (specification 000, 4.1): what a line says and how it ends is a result, never a decision. */
import type { Handler } from "../core/ports.ts";
import { object, say, text } from "../core/schema.ts";
import { settings } from "../protocols/settings.ts";
import { writtenName } from "../protocols/written-name.ts";
import { contextStep, timeoutOf } from "./context-step.ts";
import { createStepCommand, resultOf, streamsOf } from "./step-command.ts";
import { folderFor } from "./step-folder.ts";

export interface ContextShellParams {
  command?: string;
  timeout?: number;
}

const usualLimit = 60;
const most = { stdout: 50_000, stderr: 10_000 };

export const contextShell: Handler<ContextShellParams> = createContextShell();

function createContextShell(): Handler<ContextShellParams> {
  const command = createStepCommand();
  return contextStep(
    {
      type: "shell",
      summary: "Runs a line in a shell, in the project's workspace.",
      limit: usualLimit,
      gives: {
        stdout: "what it printed, up to 50,000 characters",
        stderr: "what it complained of, up to 10,000 characters",
        exit_code: "how it ended; -1 where it took too long, below that where a signal ended it",
      },
    },
    {
      params: object(
        {},
        {
          command: say(
            text(),
            "a line for bash, or sh; placeholders become variables, the event stands on its standard input",
            "",
          ),
          timeout: timeoutOf(usualLimit),
        },
      ),
      needs: ["spawn"],
      inspect: (params, patterns) => command.inspect(String(params.command ?? ""), patterns),
      render: (params) => params, // values never become text of the line: they are filled in when it runs
      async run({ command: line = "" }, context) {
        const { event, hook } = context;
        const input = settings.write(event, writtenName(hook, event.name), hook);
        const end = await command.run({ line, folder: folderFor("", context), input, called: "Command" }, context);
        const { output, notes } = streamsOf(end, most);
        return resultOf(output, notes, end.failed);
      },
    },
  );
}
