/** What `why` says to a person: the decision, the hooks that answered, those that listen and did not run, and what to type next. */
import type { Hook } from "../../engine/hook.ts";
import type { StoredEvent } from "../../engine/record.ts";
import { counted } from "../../engine/words.ts";
import { callOf } from "../call.ts";
import { coverageLine, isWhole, knownCoverage } from "../coverage/coverage.ts";
import { shownEffects } from "../effects.ts";
import { folderOf } from "../operation.ts";
import { shownOutcome } from "../outcome.ts";
import { markOf } from "../runs/marks.ts";
import { receiptTones, receiptWords } from "../runs/receipt-words.ts";
import { ago, type Cell, oneLine, placeOf, type Reader, type Shown } from "../shown.ts";
import type { Reason } from "./reasons.ts";
import type { FoundWhy } from "./why.ts";

export async function shownWhy({ stored, reasons, run }: FoundWhy, reader: Reader): Promise<Shown[]> {
  const all = (some: readonly Reason[]): Shown[] => some.flatMap((reason) => linesOf(reason, run, reader));
  const answered = reasons.filter(({ ran, status }) => ran || status === "queued" || status === "running");
  const silent = reasons.filter((one) => one.listens && !answered.includes(one));
  const elsewhere = reasons.filter((one) => !one.listens);
  const unmatched = silent.filter(({ status }) => status === "not matched");
  const isMuch = unmatched.length > fewUnmatched && !reader.all;
  const does = await shownEffects(stored.event, reader.at.home);
  const coverage = await knownCoverage(stored.event.session, reader.at);
  return [
    ...headLines(stored, reader),
    "",
    ...all(answered),
    ...(answered.length === 0 ? [noAnswer(stored, silent, elsewhere)] : []),
    ...(answered.length > 0 && silent.length > 0
      ? ["", `${more(silent.length, "more hook")} to ${oneLine(stored.event.name)}:`]
      : []),
    ...all(isMuch ? silent.filter((one) => !unmatched.includes(one)) : silent),
    ...(isMuch ? [dim(`· ${counted(unmatched.length, "hook")} did not match (--verbose shows each, and why)`)] : []),
    ...(reader.all ? all(elsewhere) : restOf(stored, elsewhere.length)),
    ...(does.length > 0 ? ["", ...does] : []),
    ...(coverage && !isWhole(coverage) ? ["", ...coverageLine(coverage)] : []),
  ];
}

const dim = (text: string): Shown => ({ text, tone: "dim" });

const more = (count: number, noun: string): string => `${counted(count, noun)} ${count === 1 ? "listens" : "listen"}`;

const restOf = (stored: StoredEvent, count: number): Shown[] =>
  count === 0 ? [] : ["", dim(`${othersOf(stored, count)} (--verbose shows ${count === 1 ? "it" : "them"}).`)];

/** A pack of guards has many more, of which a person seeks none. */
const fewUnmatched = 8;

/** A clock, a watch or a person may send an event to one hook. */
const othersOf = ({ event }: StoredEvent, count: number): string =>
  event.to
    ? `this event is for ${oneLine(event.to.hook)} alone: ${counted(count, "other hook")} ${count === 1 ? "was" : "were"} not asked`
    : `${counted(count, "other hook")} ${count === 1 ? "listens" : "listen"} to other events`;

function headLines({ event, outcome, set, redacted, receipt }: StoredEvent, { at, path }: Reader): Shown[] {
  const call = callOf(event.data);
  const where = event.cwd === folderOf(at) ? "" : ` in ${path(event.cwd)}`;
  return [
    dim(
      `event ${event.id} of ${new Date(event.at).toLocaleString()} (${ago(event.at)}), sent by ${oneLine(event.sender)}${where}, decided with hook set ${set.slice(0, 12)}`,
    ),
    ...(outcome
      ? shownOutcome(event, outcome)
      : [`${event.name}  has no answer: it was interrupted, or Hookline is deciding it now`]),
    ...(call === undefined ? [] : [`  the call ${oneLine(call)}`]),
    ...(receipt ? [{ line: ["  then     ", { text: receiptWords(receipt), tone: receiptTones[receipt.is] }] }] : []),
    ...(redacted
      ? [dim("the store redacted secrets in the payload: a condition on them may read differently here")]
      : []),
  ];
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

function linesOf(reason: Reason, asked: string | undefined, reader: Reader): Shown[] {
  const { file, name, notes, run, stderr, failure, changed } = reason;
  const place = file ? ` (${placeOf(reason, reader)})` : "";
  const said = stderr?.split("\n") ?? [];
  const inside = (text: string): string => `    ${text}`;
  return [
    { line: [...markedAs(reason, asked), " ", { text: oneLine(name), tone: "bold" }, { text: place, tone: "dim" }] },
    inside(sentence(reason)),
    ...(failure === null ? [] : [inside(policies[failure])]),
    ...(said.length === 0 ? [] : [dim(inside("Its program said on standard error:"))]),
    ...said.slice(0, mostLines).map((one) => inside(`  ${one}`)),
    ...(said.length > mostLines ? [dim(inside(`… and ${counted(said.length - mostLines, "more line")}`))] : []),
    ...notes.map((note) => dim(inside(`note: ${oneLine(note)}`))),
    ...(said.length > 0 && run !== null ? [dim(inside(`\`hookline runs show ${run}\` shows all of it.`))] : []),
    ...changed.map((one) =>
      inside(
        `${reader.path(one)} has changed since${run === null ? "" : `: \`hookline rerun ${run}\` tries the hook as it is now`}.`,
      ),
    ),
  ];
}

const policies: Readonly<Record<Hook["onFailure"], string>> = {
  block: "It is a guard, so its failure blocks.",
  ask: "Where it fails, a person is asked.",
  continue: "Its failure blocks nothing.",
};

function markedAs({ run, ran, status, withheld, verdict }: Reason, asked: string | undefined): Cell[] {
  const arrow: Cell[] = run !== null && run === asked ? [{ text: "→", tone: "bold" }, " "] : [];
  if (!ran || status === "not matched") return [...arrow, { text: "·", tone: "dim" }];
  const outcome = verdict === null ? {} : { verdict: { is: verdict, by: "" } };
  const ended = { status, outcome, ...(withheld === null ? {} : { withheld: { because: withheld, outcome } }) };
  return [...arrow, markOf(ended)];
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
