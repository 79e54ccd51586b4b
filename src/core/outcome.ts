/** What hooks answer, how answers merge (one rule per field), and what a sender can take of them. */
import type { Fields, HookId, Json } from "./event.ts";
import { oneLine } from "./one-line.ts";

export type VerdictKind = "deny" | "ask" | "allow" | "defer";
export interface Verdict {
  is: VerdictKind;
  reason?: string;
  by: HookId;
  /** Given by a model: it may tighten what another hook decided, never loosen it. */
  advisory?: true;
}
export interface Message {
  to: "person" | "model";
  role?: "user" | "system" | "assistant";
  text: string;
  /** Of a notice. */
  title?: string;
  level?: string;
  tag?: string;
  /** Where a host that assembles its prompt from named parts puts it. */
  placeholder?: string;
}
export interface Suggestion {
  id: string;
  reason?: string;
  confidence?: number;
}
export interface SuggestedDocument {
  path: string;
  reason?: string;
  stage?: string;
}
export interface FollowUp {
  kind: string;
  payload: Fields;
}
export interface Compact {
  strategy: "truncate" | "summarize";
  keepLast?: number;
}

/** Every field that an answer can have. An Outcome has some of them; {} means: carry on. */
export interface OutcomeFields {
  verdict: Verdict;
  stop: { reason?: string };
  context: string[];
  messages: Message[];
  compact: Compact;
  updatedInput: Fields;
  updatedOutput: Json;
  permissions: Json[];
  watchPaths: string[];
  firstMessage: string;
  retry: boolean;
  suggestions: Suggestion[];
  documents: SuggestedDocument[];
  intent: Fields;
  followUps: FollowUp[];
  sessionTitle: string;
  suppressPrompt: boolean;
  suppressOutput: boolean;
  displayContent: string;
  worktreePath: string;
  elicitation: { action: string; content?: Json };
  reloadSkills: boolean;
  interrupt: boolean;
  /** Answers that only one agent or event knows. */
  extra: Fields;
}
export type OutcomeField = keyof OutcomeFields;
export type Outcome = Partial<OutcomeFields>;

/** deny > ask > allow > defer > nothing (R5). */
export const rank: Readonly<Record<VerdictKind, number>> = { deny: 3, ask: 2, allow: 1, defer: 0 };

/** A model's allow stands below everything that a deterministic hook said. */
const weight = ({ is, advisory }: Verdict): number =>
  advisory && rank[is] < rank.ask ? rank[is] - rank.ask : rank[is];

const append = <T>(left: T[], right: T[]): T[] => [...left, ...right];
const latest = <T>(_left: T, right: T): T => right;
const either = (left: boolean, right: boolean): boolean => left || right;
const lastText = (left: string, right: string): string => (right === "" ? left : right);

/** How two answers to one event become one. The left one came first. */
const rules: { [F in OutcomeField]: (left: OutcomeFields[F], right: OutcomeFields[F]) => OutcomeFields[F] } = {
  verdict: (left, right) => (weight(right) > weight(left) ? right : left),
  stop: (left) => left,
  context: append,
  messages: append,
  compact: latest,
  updatedInput: latest,
  updatedOutput: latest,
  permissions: append,
  watchPaths: append,
  firstMessage: lastText,
  retry: either,
  suggestions: append,
  documents: append,
  intent: latest,
  followUps: append,
  sessionTitle: lastText,
  suppressPrompt: either,
  suppressOutput: either,
  displayContent: latest,
  worktreePath: lastText,
  elicitation: latest,
  reloadSkills: either,
  interrupt: either,
  extra: (left, right) => ({ ...left, ...right }),
};
export const outcomeFields = Object.keys(rules) as OutcomeField[]; // the mapped type above makes this list complete

type Shape = (value: unknown) => boolean;
const isText: Shape = (value) => typeof value === "string";
const isFlag: Shape = (value) => typeof value === "boolean";
const isList: Shape = Array.isArray;
const isTextList: Shape = (value) => Array.isArray(value) && value.every(isText);
const isObject: Shape = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const areObjects: Shape = (value) => Array.isArray(value) && value.every(isObject);

/** What each field must be, for answers that come from code that nobody checked. */
const shapes: { [F in OutcomeField]: Shape } = {
  verdict: isObject,
  stop: isObject,
  context: isTextList,
  messages: areObjects,
  compact: isObject,
  updatedInput: isObject,
  updatedOutput: () => true,
  permissions: isList,
  watchPaths: isTextList,
  firstMessage: isText,
  retry: isFlag,
  suggestions: areObjects,
  documents: areObjects,
  intent: isObject,
  followUps: areObjects,
  sessionTitle: isText,
  suppressPrompt: isFlag,
  suppressOutput: isFlag,
  displayContent: isText,
  worktreePath: isText,
  elicitation: isObject,
  reloadSkills: isFlag,
  interrupt: isFlag,
  extra: isObject,
};

/** The first field whose value is of another kind than the field; undefined: the answer can be merged. */
export const misshapen = (outcome: Outcome): OutcomeField | undefined =>
  outcomeFields.find((field) => outcome[field] !== undefined && !shapes[field](outcome[field]));

const isField = (key: string): key is OutcomeField => Object.hasOwn(rules, key);

/** One answer out of two, field by field; neither is changed. Associative in every field. */
export function merge(left: Outcome, right: Outcome): Outcome {
  const merged: Outcome = { ...left };
  for (const key in right) if (isField(key)) mergeField(merged, key, right[key]);
  return merged;
}

function mergeField<F extends OutcomeField>(merged: Outcome, field: F, value: OutcomeFields[F] | undefined): void {
  if (value === undefined) return;
  const held: OutcomeFields[F] | undefined = merged[field];
  merged[field] = (held === undefined ? value : rules[field](held, value)) as Outcome[F]; // the rule of F returns F's type
}

export const isEmpty = (outcome: Outcome): boolean => {
  for (const key in outcome) if (outcome[key as OutcomeField] !== undefined) return false;
  return true;
};

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

/** Splits an answer by what can be delivered: now, weaker, later, or lost with a note (R7). Never throws. */
export function accept(outcome: Outcome, acceptance: Acceptance, guard: boolean): Accepted {
  const split: Split = { now: {}, later: {}, notes: [], room: mostInOtherForm };
  for (const key in outcome) {
    if (!isField(key) || outcome[key] === undefined) continue;
    if (key === "verdict" && outcome.verdict) acceptVerdict(outcome.verdict, acceptance, guard, split);
    else if (key === "messages" && acceptance.defersMessages) deferMessages(outcome.messages ?? [], acceptance, split);
    else if (acceptance.fields.has(key)) mergeField(split.now, key, outcome[key]);
    else deliverOtherwise(key, outcome, acceptance, split);
  }
  const { now, later, notes } = split;
  return { now, later, notes };
}

/** In characters, of one answer: what somebody else's text becomes for a model or a person has an end (D13). */
const mostInOtherForm = 10_000;

interface Split extends Accepted {
  /** So many characters may still be said in another form. */
  room: number;
}

function acceptVerdict(verdict: Verdict, { fields, verdicts }: Acceptance, guard: boolean, split: Accepted): void {
  if (fields.has("verdict") && verdicts.includes(verdict.is)) {
    mergeField(split.now, "verdict", verdict);
    return;
  }
  if (verdict.is === "ask" && guard && fields.has("verdict") && verdicts.includes("deny")) {
    mergeField(split.now, "verdict", { ...verdict, is: "deny" });
    split.notes.push("ask became deny: nobody can be asked here, and this hook is a guard");
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
  split: Split,
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
    const all = way.texts(value);
    const texts = fitting(all, split);
    const lost = all.length - texts.length;
    if (lost > 0)
      split.notes.push(`${lost} of its ${field} are not told: ${mostInOtherForm} characters of an answer are the most`);
    if (lost > 0 && texts.length === 0) return;
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

/** Those before the first that has no room. */
const fitting = (texts: readonly string[], split: Split): string[] =>
  texts.filter(({ length }) => {
    split.room -= length;
    return split.room >= 0;
  });
