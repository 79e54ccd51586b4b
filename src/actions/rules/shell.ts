/** Runs a shell command as an action (specification 003, D54): its exit code is a result, never a decision. */
import { resolve } from "node:path";
import type { Seconds } from "../../engine/event.ts";
import type { Handler, Protocol, StepContext, StepResult } from "../../engine/ports.ts";
import type { Ended } from "../../engine/program.ts";
import { number, object, say, text } from "../../engine/schema.ts";
import { compileTemplate, printValue } from "../../engine/template.ts";
import type { Values } from "../../shell/values.ts";
import { isFolder, runCommand } from "../command/command.ts";
import { ownFolder } from "../command/environment.ts";
import { exitReason, firstLine, launchFailure, unfinished } from "../command/protocols/endings.ts";
import { settings } from "../command/protocols/settings.ts";
import { createShellLines } from "../command/template.ts";
import { failed, noted, withinLimit } from "../step.ts";
import { type ErrorPolicy, errorPolicy } from "./actions.ts";

export interface ShellParams {
  command: string;
  cwd?: string;
  timeout?: Seconds;
  on_error?: ErrorPolicy;
  /** What the variables hold that stand in the place of placeholders. */
  values?: Values;
}

const usualLimit: Seconds = 30;
/** Seconds in which a program ends that was asked to stop; `on_error` decides what it means, so the run must not be over first. */
const endingLasts: Seconds = 3;
const shortestLimit: Seconds = 0.1;

const lines = createShellLines({ name: "shell.command", where: "a shell action" });

export const shell: Handler<ShellParams> = {
  params: object(
    {
      command: text("a line for bash, or sh; the event stands on its standard input, placeholders become variables"),
    },
    {
      cwd: say(text(), "where it runs, relative to the folder of the rules (default: the event's folder)"),
      timeout: say(number("seconds", shortestLimit), "seconds until it is ended, with all that it started", usualLimit),
      on_error: errorPolicy,
    },
  ),
  needs: ["spawn"],
  action: {
    summary: "Runs a shell command.",
    role: () => "observe",
    limit: ({ timeout }) => (typeof timeout === "number" ? timeout : usualLimit) + endingLasts,
  },
  inspect: ({ command }, patterns) => lines.inspect(command, patterns),
  async render({ command = "", cwd, ...others }, scope) {
    const { line, values } = await lines.fill(String(command), scope);
    const folder = cwd === undefined ? {} : { cwd: printValue(compileTemplate(cwd)(scope)) };
    return { ...others, ...folder, command: line, ...(values ? { values } : {}) };
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
      return concluded(await runCommand(wish, plain, own, folder), params, context);
    } finally {
      limited.end();
    }
  },
};

/** A project's rules speak of their own folder; a user's of wherever the event happens. */
function folderOf({ cwd }: ShellParams, { event, hook }: StepContext): string | undefined {
  if (cwd === undefined || cwd === "") return undefined;
  return resolve(ownFolder(hook) ?? event.cwd, cwd);
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

/** What a failure is to the run. That a command could not run at all is noted even where failures are ignored. */
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
  const isNoted = policy === "log" || failure !== "exit";
  const kept = isNoted ? [...notes, said] : notes;
  return {
    ok: true,
    output: { exit_code: null, ...output },
    ...(failure === "timeout" ? { late: said } : {}),
    ...noted(kept),
    ...(evidence ? { evidence } : {}),
  };
}
