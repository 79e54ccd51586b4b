/** What hooks answer, and how answers merge: one rule per field. What a sender can take of them is in accept.ts. */
import type { Fields, HookId, Json } from "./event.ts";
import { isRecord } from "./schema.ts";

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

/** How two answers to one event become one, the left one first; and what a value has to be that comes from unchecked code. */
interface Rule<T> {
  merge(left: T, right: T): T;
  fits(value: unknown): boolean;
}
type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === "string";
const isFlag: Fits = (value) => typeof value === "boolean";
const isList: Fits = Array.isArray;
const areTexts: Fits = (value) => Array.isArray(value) && value.every(isText);
const areObjects: Fits = (value) => Array.isArray(value) && value.every(isRecord);

const append = <T>(fits: Fits): Rule<T[]> => ({ merge: (left, right) => [...left, ...right], fits });
const latest = <T>(fits: Fits): Rule<T> => ({ merge: (_left, right) => right, fits });
const either: Rule<boolean> = { merge: (left, right) => left || right, fits: isFlag };
const lastText: Rule<string> = { merge: (left, right) => (right === "" ? left : right), fits: isText };

const rules: { [F in OutcomeField]: Rule<OutcomeFields[F]> } = {
  verdict: { merge: (left, right) => (weight(right) > weight(left) ? right : left), fits: isRecord },
  stop: { merge: (left) => left, fits: isRecord },
  context: append(areTexts),
  messages: append(areObjects),
  compact: latest(isRecord),
  updatedInput: latest(isRecord),
  updatedOutput: latest(() => true),
  permissions: append(isList),
  watchPaths: append(areTexts),
  firstMessage: lastText,
  retry: either,
  suggestions: append(areObjects),
  documents: append(areObjects),
  intent: latest(isRecord),
  followUps: append(areObjects),
  sessionTitle: lastText,
  suppressPrompt: either,
  suppressOutput: either,
  displayContent: latest(isText),
  worktreePath: lastText,
  elicitation: latest(isRecord),
  reloadSkills: either,
  interrupt: either,
  extra: { merge: (left, right) => ({ ...left, ...right }), fits: isRecord },
};
export const outcomeFields = Object.keys(rules) as OutcomeField[]; // the mapped type above makes this list complete

/** The first field whose value is of another kind than the field; undefined: the answer can be merged. */
export const misshapen = (outcome: Outcome): OutcomeField | undefined =>
  outcomeFields.find((field) => outcome[field] !== undefined && !rules[field].fits(outcome[field]));

export const isField = (key: string): key is OutcomeField => Object.hasOwn(rules, key);

/** One answer out of two, field by field; neither is changed. Associative in every field. */
export function merge(left: Outcome, right: Outcome): Outcome {
  const merged: Outcome = { ...left };
  for (const key in right) if (isField(key)) mergeField(merged, key, right[key]);
  return merged;
}

export function mergeField<F extends OutcomeField>(
  merged: Outcome,
  field: F,
  value: OutcomeFields[F] | undefined,
): void {
  if (value === undefined) return;
  const held: OutcomeFields[F] | undefined = merged[field];
  merged[field] = (held === undefined ? value : rules[field].merge(held, value)) as Outcome[F]; // the rule of F returns F's type
}

export const isEmpty = (outcome: Outcome): boolean => {
  for (const key in outcome) if (outcome[key as OutcomeField] !== undefined) return false;
  return true;
};
