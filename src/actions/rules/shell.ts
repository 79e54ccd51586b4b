/** Runs a shell command as an action (specification 003, D54): its exit code is a result, never a decision. */
import { resolve } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { Fields, Seconds } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { TemplateFault } from "../../engine/handler.ts";
import type { Handler, Protocol, Scope, StepContext, StepResult } from "../../engine/ports.ts";
import type { Ended } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { type Mismatch, number, object, oneOf, say, text } from "../../engine/schema.ts";
import { compileTemplate, printValue } from "../../engine/template.ts";
import { createLineReader, type ReadLine, type Values } from "../../shell/values.ts";
import { createRunCommand, isFolder, notStarted } from "../command/command.ts";
import { firstLine, launchFailure } from "../command/protocols/endings.ts";
import { settings } from "../command/protocols/settings.ts";

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
        command: text("a line for bash, or sh; the event stands on its standard input, placeholders become variables"),
      },
      {
        cwd: say(text(), "where it runs, from the folder of the rules; the event's folder unless said"),
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
    inspect: (params, patterns) => faultsOf(patterns?.shellTemplate?.(lineOf(params))).map(mismatch),
    render(params, scope) {
      const line = read(lineOf(params));
      return isThenable(line) ? line.then((made) => render(params, scope, made)) : render(params, scope, line);
    },
    async run(params, context) {
      const folder = folderOf(params, context);
      if (folder !== undefined && !isFolder(folder))
        return concluded(notStarted(`the folder ${folder} does not exist`), params, context);
      const limited = withLimit(context, params.timeout ?? usualLimit);
      try {
        const wish = { command: params.command, ...(params.values ? { env: params.values } : {}) };
        return concluded(await run(wish, plain, limited.context, folder), params, context);
      } finally {
        limited.end();
      }
    },
  };
}

const lineOf = ({ command = "" }: Fields): string => String(command);

const faultsOf = (line: ReadLine): TemplateFault[] => (Array.isArray(line) ? line : []);

const told = ({ placeholder, where }: TemplateFault): { expected: string; found: string } => ({
  expected: `each value to stay one argument (where it cannot, hand it over: bash -c 'code with "$1"' _ ${placeholder})`,
  found: `${placeholder} ${where}`,
});
const mismatch = (fault: TemplateFault): Mismatch => ({ path: ["command"], ...told(fault) });

function render({ command = "", cwd, ...others }: Fields, scope: Scope, template: ReadLine): Fields {
  const [fault] = faultsOf(template);
  if (fault)
    throw new HooklineError("parameters_invalid", { name: "shell.command", ...told(fault), where: "a shell action" });
  const folder = cwd === undefined ? {} : { cwd: printValue(compileTemplate(cwd)(scope)) };
  const rest = { ...others, ...folder };
  return template && !Array.isArray(template)
    ? { ...rest, command: template.line, values: template.values(scope) }
    : { ...rest, command };
}

/** A project's rules speak of their own folder; a user's of wherever the event happens. */
function folderOf({ cwd }: ShellParams, { event, hook }: StepContext): string | undefined {
  if (cwd === undefined || cwd === "") return undefined;
  const { layer, root } = hook.origin;
  return resolve((layer === "project" || layer === "local" ? root : undefined) ?? event.cwd, cwd);
}

/** The command's own limit; the step's may be shorter, and then the engine ends it. */
function withLimit(context: StepContext, limit: Seconds): { context: StepContext; end(): void } {
  const { event, hook, scope, run, caller, ports, signal } = context;
  const own = new AbortController();
  const end = ports.after(limit * 1000, () => own.abort());
  const both = AbortSignal.any([signal, own.signal]);
  return { context: { event, hook, scope, run, caller, ports, timeout: limit, signal: both }, end };
}

/** The event on standard input, as for every command; what comes out is kept and means nothing. */
const plain: Protocol = { write: settings.write, read };

const failures: { readonly [H in Exclude<Ended["how"], "exit">]: { failure: Failure; reason: string } } = {
  aborted: { failure: "timeout", reason: "it did not end in time" },
  output: { failure: "output", reason: "it wrote too much" },
  launch: { failure: "launch", reason: "it did not start" },
  detached: { failure: "error", reason: "it went on by itself" },
};

/** Line breaks at the end are the program's, not the text's: `$(…)` leaves them out too. */
function read(ended: Ended): StepResult {
  const { how, code, stdout, stderr, signal } = ended;
  const output = { stdout: stdout.replace(/(?:\r?\n)+$/, ""), stderr, exit_code: code ?? null };
  if (how !== "exit") return { ok: false, output, ...failures[how], ...(ended.reason ? { reason: ended.reason } : {}) };
  if (code === 0) return { ok: true, output };
  if (code === undefined)
    return { ok: false, output, failure: "exit", reason: `it was ended by ${signal ?? "a signal"}` };
  const launch = launchFailure(ended);
  if (launch !== undefined) return { ok: false, output, failure: "launch", reason: launch };
  const line = firstLine(stderr);
  return { ok: false, output, failure: "exit", reason: line === "" ? `exit ${code}` : `exit ${code}: ${line}` };
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
    ...(kept.length > 0 ? { notes: kept } : {}),
    ...(evidence ? { evidence } : {}),
  };
}
