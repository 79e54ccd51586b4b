/**
 * A shell line as a context step runs it: placeholders become variables (R18), its end is a result whatever it is, and
 * nothing of its process tree is left. Apart, because the shell step and the test step both run one.
 */

import type { Fields } from "../../engine/event.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import type { Ended } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { object, say, text } from "../../engine/schema.ts";
import { processNotes } from "../command/command.ts";
import { environmentOf, lineOf, umaskOf } from "../command/environment.ts";
import { launchFailure, signalNumber, writtenName } from "../command/protocols/endings.ts";
import { settings } from "../command/protocols/settings.ts";
import { createShellLines, type ShellLines } from "../command/template.ts";
import { fitted, noted } from "../step.ts";
import { contextStep, folderFor, isOverLimit, timeoutOf } from "./context-step.ts";

interface StepLine {
  line: string;
  folder: string;
  /** What it reads. */
  input: string;
  /** As messages name it. */
  called: string;
}

interface StepEnd {
  stdout: string;
  stderr: string;
  /** Minus the number of the signal that ended it; -1 where it took too long or wrote too much. */
  exitCode: number;
  /** Absent: it ran to its own end, whatever it says by its exit code. */
  failed?: { failure: Failure; reason: string };
  notes: string[];
}

export const stepLines: ShellLines = createShellLines({ name: "command", where: "a context step" });

/** Throws a sentence where it could not be started, or a value may not be given to a program. */
export async function runStepLine(work: StepLine, context: StepContext): Promise<StepEnd> {
  const { ports, signal, scope, caller } = context;
  if (!ports.spawn) throw new Error("nothing here can start programs");
  const { line, values = {} } = await stepLines.fill(work.line, scope);
  const environment = environmentOf({ env: values }, context);
  const program = lineOf({ command: line }, environment, context.event.cwd);
  if (typeof program === "string") throw new Error(program);
  const command = { ...program, cwd: work.folder, environment, input: work.input, ...umaskOf(caller) };
  const ended = await ports.spawn(command, { signal });
  if (ended.how === "launch") throw new Error(ended.reason ?? "it could not be started");
  return endOf(ended, work, context);
}

function endOf(ended: Ended, work: StepLine, context: StepContext): StepEnd {
  const { how, code, signal, stdout, stderr } = ended;
  const notes = processNotes(ended);
  const cutShort = stopped(ended, work, context);
  if (cutShort) {
    const gap = stderr === "" || stderr.endsWith("\n") ? "" : "\n";
    return { stdout, stderr: `${stderr}${gap}${cutShort.reason}`, exitCode: -1, failed: cutShort, notes };
  }
  const launch = how === "exit" ? launchFailure(ended) : undefined;
  const failed = launch === undefined ? bySignal(ended) : { failure: "launch" as const, reason: launch };
  return { stdout, stderr, exitCode: code ?? -(signalNumber(signal) ?? 1), ...(failed ? { failed } : {}), notes };
}

const bySignal = ({ code, signal }: Ended): StepEnd["failed"] =>
  code === undefined ? { failure: "exit", reason: `it was ended by ${signal ?? "a signal"}` } : undefined;

/** Why it did not come to its own end. */
function stopped({ how, reason }: Ended, { called }: StepLine, { signal, timeout }: StepContext): StepEnd["failed"] {
  if (how === "output") return { failure: "output", reason: reason ?? `${called} wrote too much` };
  if (how !== "aborted") return undefined;
  return isOverLimit(signal)
    ? { failure: "timeout", reason: `${called} timed out after ${timeout}s` }
    : { failure: "cancelled", reason: `${called} was ended with its run` };
}

/** The streams as a step's result holds them. What was said last of why it ended is kept. */
export function streamsOf(
  { stdout, stderr, exitCode, failed, notes }: StepEnd,
  most: { stdout: number; stderr: number },
): { output: Fields; notes: string[] } {
  const out = fitted(stdout, most.stdout, { name: "stdout" });
  const last = failed && stderr.endsWith(failed.reason) ? failed.reason : "";
  const room = last === "" ? most.stderr : most.stderr - last.length - 1;
  const said = fitted(stderr.slice(0, stderr.length - last.length), room, { name: "stderr" });
  const gap = last !== "" && said.notes.length > 0 && !said.text.endsWith("\n") ? "\n" : "";
  return {
    output: { stdout: out.text, stderr: `${said.text}${gap}${last}`, exit_code: exitCode },
    notes: [...notes, ...out.notes, ...said.notes],
  };
}

/** A program that ran to its end is a result, whatever its exit code says. */
export const resultOf = (output: Fields, notes: string[], failed: StepEnd["failed"]): StepResult => ({
  ...(failed ? { ok: false, ...failed } : { ok: true }),
  output,
  ...noted(notes),
});

const usualLimit = 60;
const most = { stdout: 50_000, stderr: 10_000 };

export const contextShell: Handler = contextStep(
  {
    type: "shell",
    summary: "Runs a line in a shell, in the project's workspace.",
    limit: usualLimit,
    gives: {
      stdout: "what it printed, up to 50,000 characters",
      stderr: "what it printed to standard error, up to 10,000 characters",
      exit_code: "the exit code; -1: it timed out; below -1: a signal ended it",
    },
  },
  {
    params: object(
      {},
      {
        command: say(
          text(),
          "a line for bash, or sh; placeholders become variables, the event is on its standard input",
          "",
        ),
        timeout: timeoutOf(usualLimit),
      },
    ),
    needs: ["spawn"],
    inspect: ({ command: line }, patterns) => stepLines.inspect(line, patterns),
    render: (params) => params, // values never become text of the line: they are filled in when it runs
    async run({ command: line = "" }, context) {
      const { event, hook } = context;
      const input = settings.write(event, writtenName(hook, event.name), hook);
      const end = await runStepLine({ line, folder: folderFor("", context), input, called: "Command" }, context);
      const { output, notes } = streamsOf(end, most);
      return resultOf(output, notes, end.failed);
    },
  },
);
