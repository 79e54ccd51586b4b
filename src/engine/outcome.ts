/** What hooks answer, and how answers merge: one rule per field. What a sender can take of them is in accept.ts. */
import type { Fields, HookId, Json } from "./event.ts";

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
  merged[field] = (held === undefined ? value : rules[field](held, value)) as Outcome[F]; // the rule of F returns F's type
}

export const isEmpty = (outcome: Outcome): boolean => {
  for (const key in outcome) if (outcome[key as OutcomeField] !== undefined) return false;
  return true;
};
