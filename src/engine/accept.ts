/** What becomes of an answer that its event or its sender cannot take as it is: now, weaker, later, or lost with a note (R7). */
import type { Fields, HookId } from "./event.ts";
import { oneLine } from "./one-line.ts";
import {
  isField,
  type Message,
  mergeField,
  type Outcome,
  type OutcomeField,
  type OutcomeFields,
  type Verdict,
  type VerdictKind,
} from "./outcome.ts";

/** What the event and its sender can take of an answer. */
export interface Acceptance {
  fields: ReadonlySet<string>;
  verdicts: readonly VerdictKind[];
  /** Messages to the model would start a new round of the conversation here: they wait for the next event. */
  defersMessages?: boolean;
}
/** An answer, split: `now` goes into the reply, `later` into the session's inbox; the notes say what changed. */
export interface Accepted {
  now: Outcome;
  later: Outcome;
  notes: string[];
}

/**
 * Splits an answer by what can be delivered: now, weaker, later, or lost with a note (R7). Never throws.
 *
 * @param guard the hook whose answer it is, if it is a guard
 */
export function accept(outcome: Outcome, acceptance: Acceptance, guard: HookId | undefined): Accepted {
  const split: Accepted = { now: {}, later: {}, notes: [] };
  for (const key in outcome) {
    if (!isField(key) || outcome[key] === undefined) continue;
    if (key === "verdict" && outcome.verdict) acceptVerdict(outcome.verdict, acceptance, guard, split);
    else if (key === "messages" && acceptance.defersMessages) deferMessages(outcome.messages ?? [], acceptance, split);
    else if (acceptance.fields.has(key)) mergeField(split.now, key, outcome[key]);
    else if (key === "updatedInput" && guard !== undefined && canDeny(acceptance))
      denyInstead(outcome.updatedInput ?? {}, guard, split);
    else deliverOtherwise(key, outcome, acceptance, split);
  }
  if (outcome.updatedInput !== undefined && !acceptance.fields.has("updatedInput")) dropLoosening(split);
  return split;
}

/** It was given for the call as it was rewritten, which does not happen. */
function dropLoosening(split: Accepted): void {
  const kind = split.now.verdict?.is;
  if (kind !== "allow" && kind !== "defer") return;
  delete split.now.verdict;
  split.notes.push(`its ${kind} was about another input: dropped`);
}

const canDeny = ({ fields, verdicts }: Acceptance): boolean => fields.has("verdict") && verdicts.includes("deny");

/** A guard's rewrite takes something out: where it has no effect, the call must not happen as it is. */
function denyInstead(input: Fields, by: HookId, split: Accepted): void {
  const reason = `a hook allows this call with another input only: ${oneLine(JSON.stringify(input), longestInput)}`;
  mergeField(split.now, "verdict", { is: "deny", reason, by });
  split.notes.push("updatedInput became deny: the agent runs no rewritten call, and this hook is a guard");
}
const longestInput = 2000;

function acceptVerdict(verdict: Verdict, acceptance: Acceptance, guard: HookId | undefined, split: Accepted): void {
  const { fields, verdicts } = acceptance;
  if (fields.has("verdict") && verdicts.includes(verdict.is)) {
    mergeField(split.now, "verdict", verdict);
    return;
  }
  if (verdict.is === "ask" && guard !== undefined && canDeny(acceptance)) {
    mergeField(split.now, "verdict", { ...verdict, is: "deny" });
    split.notes.push("ask became deny: no person can be asked here, and this hook is a guard");
    return;
  }
  if (verdict.is === "allow" || verdict.is === "defer") {
    split.notes.push(`${verdict.is} has no effect on this event`);
    return;
  }
  const text = `a hook would ${verdict.is === "ask" ? "ask about" : "block"} this: ${verdict.reason ?? verdict.by}`;
  tellPerson(text, fields, split);
  split.notes.push(`${verdict.is} cannot be obeyed on this event: it became a message to the person`);
}

function tellPerson(text: string, fields: ReadonlySet<string>, split: Accepted): void {
  mergeField(fields.has("messages") ? split.now : split.later, "messages", [{ to: "person", text }]);
}

function deferMessages(messages: readonly Message[], { fields }: Acceptance, split: Accepted): void {
  const toModel = messages.filter(({ to }) => to === "model");
  const toPerson = messages.filter(({ to }) => to === "person");
  if (toPerson.length > 0) mergeField(fields.has("messages") ? split.now : split.later, "messages", toPerson);
  if (toModel.length === 0) return;
  mergeField(split.later, "messages", toModel);
  split.notes.push("the message goes with the next event: here it would start a new round");
}

/** What becomes of a field that the event does not take. A field without a row here is lost, with a note. */
const otherwise: { [F in OutcomeField]?: "later" | "kept" | Instead<OutcomeFields[F]> } = {
  context: "later",
  messages: "later",
  followUps: "kept",
  suggestions: {
    field: "context",
    texts: (list) => list.map(({ id, reason }) => `Suggested: ${withReason(id, reason)}`),
  },
  documents: {
    field: "context",
    texts: (list) => list.map(({ path, reason }) => `Suggested document: ${withReason(path, reason)}`),
  },
  intent: { field: "context", texts: (intent) => [`Intent: ${oneLine(JSON.stringify(intent), longestIntent)}`] },
  compact: {
    field: "messages",
    texts: ({ strategy, keepLast }) => [
      `a hook asks to compact the context (${strategy}${keepLast === undefined ? "" : `, keep the last ${keepLast} messages`}): run /compact`,
    ],
  },
};
const longestIntent = 2000;
const withReason = (name: string, reason?: string): string =>
  reason ? `${oneLine(name)} (${oneLine(reason)})` : oneLine(name);

/** The nearest thing that can be delivered. */
interface Instead<T> {
  field: "context" | "messages";
  texts(value: T): string[];
}

function deliverOtherwise<F extends OutcomeField>(
  field: F,
  outcome: Outcome,
  { fields }: Acceptance,
  split: Accepted,
): void {
  const value: OutcomeFields[F] | undefined = outcome[field];
  const way = otherwise[field];
  if (value === undefined) return;
  if (way === "later") {
    mergeField(split.later, field, value);
    split.notes.push(`${field} goes with the next event that takes it`);
  } else if (way === "kept") {
    split.notes.push("its follow-ups wait in this run: hookline follow-ups list");
  } else if (way) {
    const place = fields.has(way.field) ? split.now : split.later;
    const texts = way.texts(value);
    if (way.field === "context") mergeField(place, "context", texts);
    else
      mergeField(
        place,
        "messages",
        texts.map((text) => ({ to: "person" as const, text })),
      );
    split.notes.push(way.field === "context" ? `${field} became context` : `${field} became a message to the person`);
  } else split.notes.push(`${field} is not accepted on this event: dropped`);
}
