/** Runs a shell command as an action (specification 003, D54): its exit code is a result, never a decision. */
import { resolve } from "node:path";
import type { Fields, Seconds } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Handler, Protocol, Scope, StepContext, StepResult } from "../../engine/ports.ts";
import type { Ended } from "../../engine/program.ts";
import { number, object, oneOf, say, text } from "../../engine/schema.ts";
import { compileTemplate, printValue } from "../../engine/template.ts";
import { createLineReader, type ReadLine, type Values } from "../../shell/values.ts";
import { createRunCommand, isFolder } from "../command/command.ts";
import { exitReason, firstLine, launchFailure, unfinished } from "../command/protocols/endings.ts";
import { settings } from "../command/protocols/settings.ts";
import { fillLine, lineFaults } from "../command/template.ts";
import { failed, noted, withinLimit } from "../step.ts";

const policies = ["log", "ignore", "raise"] as const;
type Policy = (typeof policies)[number];
export interface ShellParams {
  command: string;
  cwd?: string;
  timeout?: Seconds;
  on_error?: Policy;
  /** What the variables hold that stand in the place of placeholders. */
  values?: Values;
}

const usualLimit: Seconds = 30;
/** Seconds in which a program that was told to stop ends; `on_error` decides what it means, so the run must not be over first. */
const endingLasts: Seconds = 3;
const shortestLimit: Seconds = 0.1;

export const shell: Handler<ShellParams> = createShell();

function createShell(): Handler<ShellParams> {
  const run = createRunCommand();
  const read = createLineReader();
  return {
    params: object(
      {
        command: text("a line for bash, or sh; the event is on its standard input, placeholders become variables"),
      },
      {
        cwd: say(text(), "where it runs, relative to the folder of the rules (default: the event's folder)"),
        timeout: say(
          number("seconds", shortestLimit),
          "seconds until it is ended, with all that it started",
          usualLimit,
        ),
        on_error: say(oneOf(...policies), "what a failure is: logged, ignored, or a failed run", "log"),
      },
    ),
    needs: ["spawn"],
    action: {
      summary: "Runs a shell command.",
      role: () => "observe",
      limit: ({ timeout }) => (typeof timeout === "number" ? timeout : usualLimit) + endingLasts,
    },
    inspect: (params, patterns) => lineFaults(patterns?.shellTemplate?.(lineOf(params))),
    render(params, scope) {
      const line = read(lineOf(params));
      return isThenable(line) ? line.then((made) => render(params, scope, made)) : render(params, scope, line);
    },
    async run(params, context) {
      const folder = folderOf(params, context);
      if (folder !== undefined && !isFolder(folder))
        return concluded(failed("launch", `the folder ${folder} does not exist`), params, context);
      const { event, hook, scope, run: id, caller, ports } = context;
      const timeout = params.timeout ?? usualLimit;
      const limited = withinLimit(context, timeout); // the step's may be shorter, and then the engine ends it
      try {
        const wish = { command: params.command, ...(params.values ? { env: params.values } : {}) };
        const own = { event, hook, scope, run: id, caller, ports, timeout, signal: limited.signal };
        return concluded(await run(wish, plain, own, folder), params, context);
      } finally {
        limited.end();
      }
    },
  };
}

const lineOf = ({ command = "" }: Fields): string => String(command);

function render({ command = "", cwd, ...others }: Fields, scope: Scope, template: ReadLine): Fields {
  const filled = fillLine(String(command), template, scope, { name: "shell.command", where: "a shell action" });
  const folder = cwd === undefined ? {} : { cwd: printValue(compileTemplate(cwd)(scope)) };
  return { ...others, ...folder, command: filled.line, ...(filled.values ? { values: filled.values } : {}) };
}

/** A project's rules speak of their own folder; a user's of wherever the event happens. */
function folderOf({ cwd }: ShellParams, { event, hook }: StepContext): string | undefined {
  if (cwd === undefined || cwd === "") return undefined;
  const { layer, root } = hook.origin;
  return resolve((layer === "project" || layer === "local" ? root : undefined) ?? event.cwd, cwd);
}

/** The event on standard input, as for every command; what comes out is kept and means nothing. */
const plain: Protocol = { write: settings.write, read };

/** Line breaks at the end are the program's, not the text's: `$(…)` leaves them out too. */
function read(ended: Ended): StepResult {
  const { how, code, stdout, stderr } = ended;
  const output = { stdout: stdout.replace(/(?:\r?\n)+$/, ""), stderr, exit_code: code ?? null };
  if (how === "detached") return failed("error", ended.reason ?? "it went on by itself", output);
  const without = unfinished(ended);
  if (without) return { ...without, output };
  if (code === 0) return { ok: true, output };
  const launch = launchFailure(ended);
  return launch === undefined ? failed("exit", exitReason(ended), output) : failed("launch", launch, output);
}

/** What a failure is to the run. That a command could not run at all is told even where failures are ignored. */
function concluded(
  result: StepResult,
  { command, on_error: policy = "log" }: ShellParams,
  context: StepContext,
): StepResult {
  if (result.ok || policy === "raise" || context.signal.aborted) return result;
  const { failure, reason, output, notes = [], evidence } = result;
  const said = `${firstLine(command).slice(0, 80)}: ${reason}`;
  if (policy === "log") {
    const { ports, hook, run } = context;
    ports.observe?.({ is: "log", level: "warn", message: said, hook: hook.id, run });
  }
  const isTold = policy === "log" || failure !== "exit";
  const kept = isTold ? [...notes, said] : notes;
  return {
    ok: true,
    output: { exit_code: null, ...output },
    ...noted(kept),
    ...(evidence ? { evidence } : {}),
  };
}
