/**
 * What a model's answer does: Claude Code's short form, or any JSON that a command may print, as far as a model may decide it.
 */

import type { EventName, Fields, HookEvent, HookId } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import {
  isEmpty,
  merge,
  type Outcome,
  type OutcomeField,
  outcomeFields,
  type VerdictKind,
} from "../../engine/outcome.ts";
import type { StepResult } from "../../engine/ports.ts";
import { isFields } from "../../engine/schema.ts";
import { quote } from "../../engine/words.ts";
import { type Candidate, findObjects } from "../command/protocols/find-answer.ts";
import { readAnswer } from "../command/protocols/settings.ts";
import { verdictOf } from "../command/protocols/settings-keys.ts";
import { failed, noted } from "../step.ts";

interface Judged {
  event: HookEvent;
  hook: HookId;
  /** Of Claude Code's prompt hooks: the agent reads the reason and continues, where otherwise its turn would end. */
  continueOnBlock: boolean;
  /** The hook's author takes an allow from a model that its input may have talked into it. */
  mayAllow: boolean;
}

/** An answer without one of these judges nothing. */
const judgingKeys = [
  "ok",
  "decision",
  "continue",
  "hookSpecificOutput",
  "systemMessage",
  "permissionDecision",
  "permission",
];

/**
 * Every object in it is an answer, fenced or not, and the strictest counts: a model that quotes an answer, perhaps because it
 * was told to give it, must not be taken at the quotation's word. Never throws; what cannot be read is a failure, never an
 * allow.
 */
export function readModelAnswer(said: string, judged: Judged): StepResult {
  const text = said.trim();
  const { objects, broken } = findObjects(text);
  const answers = objects
    .map(({ value }) => value)
    .filter(isFields)
    .filter((value) => !isEvent(value) && judgingKeys.some((key) => (value[key] ?? null) !== null));
  const words = around(text, objects);
  if (answers.length === 0 || broken !== undefined || beginsAnAnswer.test(words))
    return unreadable(`no judgement can be read in ${quote(said)}`);
  let outcome: Outcome = {};
  const notes: string[] = words === "" ? [] : [`beside its answer the model said: ${quote(words)}`];
  for (const answer of answers) {
    const read = readOne(answer, judged);
    if (!read.ok) return read;
    outcome = merge(outcome, read.outcome ?? {});
    notes.push(...(read.notes ?? []));
  }
  const kept = withinItsRights(outcome, judged, notes);
  return { ok: true, output: {}, ...noted(notes), ...(isEmpty(kept) ? {} : { outcome: kept }) };
}

/** The event, repeated. A refusal that looks like it is a refusal. */
const isEvent = (value: Fields): boolean => "hook_event_name" in value && value.ok !== false;

/** What stands around the objects, without the marks of fences. */
function around(text: string, objects: readonly Candidate[]): string {
  const pieces = [...objects, { start: text.length }].map(({ start }, index) =>
    text.slice(objects[index - 1]?.end ?? 0, start),
  );
  return pieces
    .join("\n")
    .replace(/```[\w-]*/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** An answer that was not finished, or is no JSON: what it would have said is unknown. */
const beginsAnAnswer = /\{\s*(?:"|'?(?:ok|decision|continue|hookSpecificOutput)\b)/;

const unreadable = (reason: string): StepResult => failed("output", `unreadable: ${reason}`);

/** Our own words for a decision, and Claude Code's older ones. */
const words: Readonly<Record<string, VerdictKind | undefined>> = {
  none: undefined,
  allow: "allow",
  approve: "allow",
  ask: "ask",
  deny: "deny",
  block: "deny",
};

function readOne(answer: Fields, judged: Judged): StepResult {
  const { ok, decision, context, ...rest } = answer;
  if (ok === undefined && typeof decision !== "string")
    return readAnswer(JSON.stringify(answer), judged.event, judged.hook);
  if (ok !== undefined && typeof ok !== "boolean") return unreadable(`ok is ${JSON.stringify(ok)}, not true or false`);
  if (decision !== undefined && decision !== null && !(typeof decision === "string" && Object.hasOwn(words, decision)))
    return unreadable(`decision is ${quote(JSON.stringify(decision))}, none of ${Object.keys(words).join(", ")}`);
  const word = typeof decision === "string" ? words[decision] : undefined;
  const is = ok === false && word !== "ask" ? "deny" : word;
  const own = merge(verdictOutcome(is, textOf(rest.reason), judged), contextOutcome(textOf(context)));
  if (!judgingKeys.some((key) => key in rest)) return { ok: true, output: {}, outcome: own };
  const beside = readAnswer(JSON.stringify(rest), judged.event, judged.hook);
  return beside.ok ? { ...beside, outcome: merge(own, beside.outcome ?? {}) } : beside;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

const contextOutcome = (text: string | undefined): Outcome => (text === undefined ? {} : { context: [text] });

/** After the fact, a refusal ends the turn as it does in Claude Code, unless the hook says otherwise. */
const endsTurn: ReadonlySet<EventName> = new Set<EventName>(["PostToolUse", "PostToolBatch"]);

function verdictOutcome(
  is: VerdictKind | undefined,
  said: string | undefined,
  { event, hook, continueOnBlock }: Judged,
): Outcome {
  if (!is) return {};
  const verdict = verdictOf(is, hook, said);
  const { reason } = verdict;
  if (!rowOf(event.name).accepts.includes("verdict")) return is === "deny" ? contextOutcome(reason) : {};
  return is === "deny" && endsTurn.has(event.name) && !continueOnBlock
    ? { verdict, stop: reason === undefined ? {} : { reason } }
    : { verdict };
}

/** A model judges and reports. It rewrites nothing, grants nothing, and never answers in the person's name. */
const rights: ReadonlySet<OutcomeField> = new Set<OutcomeField>([
  "verdict",
  "stop",
  "context",
  "messages",
  "interrupt",
]);

function withinItsRights(outcome: Outcome, { mayAllow }: Judged, notes: string[]): Outcome {
  const { verdict, ...kept }: Outcome = outcome;
  for (const field of outcomeFields) {
    if (outcome[field] === undefined || rights.has(field)) continue;
    delete kept[field as keyof typeof kept];
    notes.push(`a model may not set ${field}: dropped`);
  }
  if (!verdict) return kept;
  if (verdict.is === "deny" || verdict.is === "ask" || mayAllow)
    return { ...kept, verdict: { ...verdict, advisory: true } };
  notes.push(`a model's ${verdict.is} counts only where the hook says mayAllow: dropped`);
  return kept;
}
