/**
 * A shell line as a context step runs it: placeholders become variables (R18), its end is a result whatever it is, and
 * nothing of its process tree is left. Apart, because the shell step and the test step both run one.
 */

import { constants } from "node:os";
import type { Fields } from "../../engine/event.ts";
import type { Patterns } from "../../engine/handler.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import type { Ended } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { type Mismatch, object, say, text } from "../../engine/schema.ts";
import { createLineReader } from "../../shell/values.ts";
import { processNotes } from "../command/command.ts";
import { createFinder, environmentOf, lineOf } from "../command/environment.ts";
import { launchFailure, writtenName } from "../command/protocols/endings.ts";
import { settings } from "../command/protocols/settings.ts";
import { fillLine, lineFaults } from "../command/template.ts";
import { firstCharacters, noted } from "../step.ts";
import { contextStep, folderFor, isOverLimit, timeoutOf } from "./context-step.ts";

interface StepCommand {
  /** What is wrong with the line; found when the automation is made. */
  inspect(line: string, patterns: Patterns | undefined): Mismatch[];
  /** Throws a sentence where it could not be started, or a value may not be given to a program. */
  run(work: StepLine, context: StepContext): Promise<StepEnd>;
}

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

export function createStepCommand(): StepCommand {
  const find = createFinder();
  const read = createLineReader();
  return {
    inspect(line, patterns) {
      return lineFaults(patterns?.shellTemplate?.(line));
    },
    async run(work, context) {
      const { ports, signal, scope } = context;
      if (!ports.spawn) throw new Error("nothing here can start programs");
      const place = { name: "command", where: "a context step" };
      const { line, values = {} } = fillLine(work.line, await read(work.line), scope, place);
      const environment = environmentOf({ env: values }, context);
      const program = lineOf({ command: line }, environment, find);
      if (typeof program === "string") throw new Error(program);
      const command = { ...program, cwd: work.folder, environment, input: work.input };
      const ended = await ports.spawn(command, { signal });
      if (ended.how === "launch") throw new Error(ended.reason ?? "it could not be started");
      return endOf(ended, work, context);
    },
  };
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
  return { stdout, stderr, exitCode: code ?? -numberOf(signal), ...(failed ? { failed } : {}), notes };
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

const numberOf = (signal: string | undefined): number =>
  Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 1;

/** The streams as a step's result holds them. What was said last of why it ended is kept. */
export function streamsOf(
  { stdout, stderr, exitCode, failed, notes }: StepEnd,
  most: { stdout: number; stderr: number },
): { output: Fields; notes: string[] } {
  const out = firstCharacters(stdout, most.stdout, "stdout");
  const last = failed && stderr.endsWith(failed.reason) ? failed.reason : "";
  const room = last === "" ? most.stderr : most.stderr - last.length - 1;
  const said = firstCharacters(stderr.slice(0, stderr.length - last.length), room, "stderr");
  const gap = last !== "" && said.notes.length > 0 ? "\n" : "";
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

const command = createStepCommand();

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
