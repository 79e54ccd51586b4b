/** What `why` says to a person: the decision, the hooks that answered, those that listen and did not run, and what to type next. */

import type { Fields } from "../../../engine/event.ts";
import { textField } from "../../../engine/event.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { StoredEvent } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import { inputOf } from "../../../operations/run-words.ts";
import type { Invocation } from "../command.ts";
import { outcomeLines } from "../hooks/emit.ts";
import { ago, counted, oneLine, safeText, shortPath, type Terminal } from "../terminal.ts";
import { wrapped } from "../width.ts";
import { paintedMark } from "./marks.ts";
import type { Reason } from "./reasons.ts";

interface Told {
  stored: StoredEvent;
  reasons: readonly Reason[];
  /** The run that was asked about. */
  run: string | undefined;
  /** What the call does, as far as its text tells. */
  does: readonly string[];
}

export function tell(invocation: Invocation, { stored, reasons, run, does }: Told): void {
  const { terminal, flags } = invocation;
  const there = { ...invocation, cwd: stored.event.cwd }; // the head says where that is
  const say = (line: string): void => terminal.print(line);
  const all = (some: readonly Reason[]): void => {
    for (const reason of some) for (const line of linesOf(reason, run, there)) say(line);
  };
  const answered = reasons.filter(({ ran, status }) => ran || status === "queued" || status === "running");
  const silent = reasons.filter((one) => one.listens && !answered.includes(one));
  const elsewhere = reasons.filter((one) => !one.listens);
  for (const line of headLines(stored, invocation)) say(line);
  say("");
  all(answered);
  if (answered.length === 0) for (const line of wrapped(noAnswer(stored, silent, elsewhere), terminal.width)) say(line);
  if (answered.length > 0 && silent.length > 0) {
    say("");
    say(
      `${counted(silent.length, "more hook")} ${silent.length === 1 ? "listens" : "listen"} to ${oneLine(stored.event.name)}:`,
    );
  }
  const unmatched = silent.filter(({ status }) => status === "not matched");
  const isMuch = unmatched.length > fewUnmatched && flags.verbose !== true;
  all(isMuch ? silent.filter((one) => !unmatched.includes(one)) : silent);
  if (isMuch)
    say(terminal.paint("dim", `· ${counted(unmatched.length, "hook")} did not match (--verbose shows each, and why)`));
  if (flags.verbose === true) all(elsewhere);
  else if (elsewhere.length > 0) {
    const rest = `${othersOf(stored, elsewhere.length)} (--verbose shows ${elsewhere.length === 1 ? "it" : "them"}).`;
    say("");
    for (const line of wrapped(rest, terminal.width)) say(terminal.paint("dim", line));
  }
  for (const line of does.length > 0 ? ["", ...does] : []) say(line);
}

/** A pack of guards has many more, of which a person seeks none. */
const fewUnmatched = 8;

/** A clock, a watch or a person may send an event to one hook. */
const othersOf = ({ event }: StoredEvent, count: number): string =>
  event.to
    ? `this event is for ${oneLine(event.to.hook)} alone: ${counted(count, "other hook")} ${count === 1 ? "was" : "were"} not asked`
    : `${counted(count, "other hook")} ${count === 1 ? "listens" : "listen"} to other events`;

function headLines({ event, outcome, set, redacted }: StoredEvent, { terminal, cwd, home }: Invocation): string[] {
  const call = callOf(event.data);
  const dim = (text: string): string[] => wrapped(text, terminal.width).map((line) => terminal.paint("dim", line));
  return [
    ...dim(
      `event ${event.id} of ${new Date(event.at).toLocaleString()} (${ago(event.at)}), sent by ${oneLine(event.sender)}${event.cwd === cwd ? "" : ` in ${shortPath(event.cwd, cwd, home)}`}, decided with hook set ${set.slice(0, 12)}`,
    ),
    ...(outcome
      ? outcomeLines(terminal, event, outcome)
      : [`${event.name}  has no answer: it was interrupted, or Hookline is deciding it now`]),
    ...(call === undefined ? [] : [`  the call ${oneLine(call)}`]),
    ...(redacted
      ? dim("the store redacted secrets in the payload: a condition on them may read differently here")
      : []),
  ];
}

/** The tool, and the part of its input that a person would name. */
function callOf(data: Fields): string | undefined {
  const tool = textField(data, "tool_name");
  if (tool === undefined) return textField(data, "prompt");
  return isRecord(data.tool_input) ? `${tool}: ${inputOf(data.tool_input as Fields)}` : tool; // payloads are JSON
}

/** No hook answered: which hooks listen, or what to type where none does. */
function noAnswer({ event }: StoredEvent, silent: readonly Reason[], elsewhere: readonly Reason[]): string {
  const name = oneLine(event.name);
  if (silent.length > 0)
    return `No hook answered. ${counted(silent.length, "hook")} ${silent.length === 1 ? "listens" : "listen"} to ${name} and did not run:`;
  if (elsewhere.length === 0)
    return `No hook was active. \`hookline add guard\` adds the first ones; \`hookline doctor\` says what keeps others from being read.`;
  return `No hook listens to ${name}. \`hookline list\` shows what the active ones listen to. To write one, name "${name}" in .hookline/hooks.json.`;
}

/** Of what a program said. */
const mostLines = 12;

function linesOf(
  reason: Reason,
  asked: string | undefined,
  { terminal, cwd, home }: Pick<Invocation, "terminal" | "cwd" | "home">,
): string[] {
  const { file, line, name, notes, run, stderr, failure, changed } = reason;
  const indent = "    ";
  const show = (path: string): string => shortPath(path, cwd, home);
  const place = file ? ` (${show(file)}${line ? `:${line}` : ""})` : "";
  const said = stderr?.split("\n") ?? [];
  const inside = (text: string): string[] =>
    wrapped(text, terminal.width - indent.length).map((one) => `${indent}${one}`);
  const dim = (text: string): string[] => inside(text).map((one) => terminal.paint("dim", one));
  return [
    `${markOf(reason, asked, terminal)} ${terminal.paint("bold", oneLine(name))}${terminal.paint("dim", place)}`,
    ...inside(sentence(reason)),
    ...(failure === null ? [] : inside(policies[failure])),
    ...(said.length === 0 ? [] : dim("Its program said on standard error:")),
    ...said.slice(0, mostLines).map((one) => `${indent}  ${safeText(one)}`),
    ...(said.length > mostLines ? dim(`… and ${counted(said.length - mostLines, "more line")}`) : []),
    ...notes.flatMap((note) => dim(`note: ${oneLine(note)}`)),
    ...(said.length > 0 && run !== null ? dim(`\`hookline runs show ${run}\` shows all of it.`) : []),
    ...changed.flatMap((path) =>
      inside(
        `${show(path)} has changed since${run === null ? "" : `: \`hookline rerun ${run}\` tries the hook as it is now`}.`,
      ),
    ),
  ];
}

const policies: Readonly<Record<Hook["onFailure"], string>> = {
  block: "It is a guard, so its failure blocks.",
  ask: "Where it fails, a person is asked.",
  continue: "Its failure blocks nothing.",
};

function markOf(
  { run, ran, status, withheld, verdict }: Reason,
  asked: string | undefined,
  terminal: Terminal,
): string {
  const arrow = run !== null && run === asked ? `${terminal.paint("bold", "→")} ` : "";
  if (!ran || status === "not matched") return arrow + terminal.paint("dim", "·");
  const outcome = verdict === null ? {} : { verdict: { is: verdict, by: "" } };
  const ended = { status, outcome, ...(withheld === null ? {} : { withheld: { because: withheld, outcome } }) };
  return arrow + paintedMark(ended, terminal);
}

function sentence({ ran, status, because, withheld }: Reason): string {
  const words = oneLine(because).replace(/^not: /, "this does not hold: ");
  if (status === "not matched") return `It did not run: ${words}.`;
  if (status === "running") return "It is running.";
  if (!ran) return status === "queued" ? "It is queued." : `It matched, but did not run: ${words}.`;
  if (status === "completed" && withheld === "report") return `It only reports: it ${words}`;
  if (status === "completed" && withheld) return `It was ${words}`;
  if (status === "completed")
    return words === "no decision" ? "It ran and made no decision." : `It ran and answered ${words}`;
  return words === status ? `It ran and ended as ${status}.` : `It ran and ended as ${status}: ${words}`;
}
