/** Tells a program that decided from one that never ran: a shell's own exit 2 is no decision (R15). */

import { constants } from "node:os";
import type { EventName } from "../../../engine/event.ts";
import { resolveEvent, rowOf } from "../../../engine/events.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { StepResult } from "../../../engine/ports.ts";
import { type Ended, word } from "../../../engine/program.ts";
import { failed } from "../../step.ts";

interface Form {
  /** What the first line of stderr looks like. */
  stderr: RegExp;
  /** What all its lines look like: a shell that died says no more, a program that goes on to its own exit 2 does. */
  every?: RegExp;
  /** The exit codes that it is looked for at (default: all but 0). */
  codes?: readonly number[];
  reason(line: string): string;
}

const quoted = (line: string): string => `the command cannot run: ${line}`;
const shell = /^(?:\S*\/)?(?:ba|da|z|k|a)?sh: ?(?:-c: )?(?:line )?\d+: /;
const script = /: (?:line )?\d+: /;
/** A line that needs bash and got another shell: what it says next, it says because of that. */
const bashWord = /^(?:\S*\/)?(?:da|k|a)?sh: ?(?:line )?\d+: (?:\[\[|function|source|shopt|declare): not found$/;
const permission = /(?:^|: )([^:]+): Permission denied/;

/** Measured on bash 5.2, dash 0.5.12 and the interpreters named; the first that fits gives the reason. */
const forms: readonly Form[] = [
  { stderr: permission, codes: [126], reason: (line) => notExecutable(permission.exec(line)?.[1] ?? "") },
  { stderr: /^/, codes: [126, 127], reason: (line) => quoted(line || "the shell found no such program") },
  { stderr: bashWord, codes: [2], reason: quoted },
  { stderr: shell, every: shell, codes: [2], reason: quoted },
  { stderr: /: (?:line )?\d+: (?:syntax error|unexpected EOF)\b/i, every: script, codes: [2], reason: quoted },
  { stderr: /can't open file '.*': \[Errno|^Can't open perl script /, reason: quoted },
  { stderr: /^(?:\S*\/)?ruby: No such file or directory -- |^Could not open input file: /, reason: quoted },
  { stderr: /^error: Module not found/i, reason: quoted },
];

const notExecutable = (file: string): string => `${file} may not be executed: chmod +x ${word(file)}`;

/** Why the program did not really run, or undefined if its exit code is its own. */
export function launchFailure({ code, stdout, stderr }: Ended): string | undefined {
  if (code === undefined || code === 0) return undefined;
  const lines = stderr.split("\n").filter((one) => one.trim() !== "" && !warning.test(one));
  const line = firstLine(lines[0] ?? "");
  const isCertain = code === 126 || code === 127;
  if (!isCertain && stdout.trimStart().startsWith("{")) return undefined; // it got far enough to answer
  const form = forms.find(
    ({ codes = [code], stderr: first, every }) =>
      codes.includes(code) && first.test(line) && (every === undefined || lines.every((one) => every.test(one))),
  );
  return form ? `${form.reason(line)} (exit ${code})` : missingModule(stderr);
}

/** bash warns and goes on. */
const warning = /^(?:\S*\/)?bash: (?:line \d+: )?warning: /;

/** Node reports a missing script only after its stack. */
function missingModule(stderr: string): string | undefined {
  const isOwnScript = stderr.includes("MODULE_NOT_FOUND") && stderr.includes("requireStack: []");
  const line = /^Error: (Cannot find module .*)$/m.exec(stderr)?.[1];
  return isOwnScript && line !== undefined ? quoted(line) : undefined;
}

/** The first line that says anything, cut to what a person reads. */
export function firstLine(text: string): string {
  const start = text.search(/\S/);
  if (start < 0) return "";
  const end = text.indexOf("\n", start);
  return text.slice(start, Math.min(end < 0 ? text.length : end, start + 400)).trimEnd();
}

// Programs that ended without an answer: their ends mean the same, whatever else a program's protocol says.

/** What becomes of a program that did not end by itself. Its stdout is not read: it was not finished (C70a). */
const otherEnds: { readonly [H in Exclude<Ended["how"], "exit">]: (ended: Ended) => StepResult } = {
  aborted: ({ reason }) => failed("timeout", reason ?? "it did not end in time"),
  output: ({ reason }) => failed("output", reason ?? "it wrote too much"),
  launch: ({ reason }) => failed("launch", reason ?? "it did not start"),
  detached: () => ({ ok: true, output: { async: true } }),
};

/** Undefined: it ended by itself, with a code. */
export function unfinished(ended: Ended): StepResult | undefined {
  if (ended.how !== "exit") return otherEnds[ended.how](ended);
  return ended.code === undefined ? failed("exit", `it was ended by ${ended.signal ?? "a signal"}`) : undefined;
}

/** Undefined: this system has no signal of that name. */
export const signalNumber = (name: string | undefined): number | undefined =>
  Object.entries(constants.signals).find(([known]) => known === name)?.[1];

/** The code, and what the program said of it. */
export function exitReason({ code, stderr }: Ended): string {
  const line = firstLine(stderr);
  return line === "" ? `exit ${code}` : `exit ${code}: ${line}`;
}

// The event's name as the hook's author wrote it: a program is spoken to in its own words (R62).

export function writtenName({ on }: Hook, event: EventName): string {
  const { event: listened = [], as: written = [] } = "event" in on ? on : {};
  const { judgedAs } = rowOf(event);
  const heard = judgedAs !== undefined && !listened.includes(event) && listened.includes(judgedAs) ? judgedAs : event;
  return written.find((name) => resolveEvent(name)?.includes(heard)) ?? heard;
}
