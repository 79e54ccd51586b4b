/**
 * Settings hooks' programs that fail: what counts of their answer, nothing that loosens (R95), and which answers make a program fail,
 * refusals that a reader would miss. Apart from settings.ts, which reads the answer itself.
 */
import type { Fields, HookId, Json } from "../../../engine/event.ts";
import { isField, type Outcome, type OutcomeField, type OutcomeFields } from "../../../engine/outcome.ts";
import type { StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { isFields, isRecord } from "../../../engine/schema.ts";
import { failed, noted } from "../../step.ts";
import { exitReason, launchFailure, unfinished } from "./endings.ts";
import { parseJson } from "./find-answer.ts";
import { blocked, textOf } from "./settings-keys.ts";

/**
 * @param ended by itself, with another exit code than 0, or by a signal
 * @param answer the JSON on its stdout, if it holds any. Plain text is no answer here
 */
export function readFailed(ended: Ended, answer: StepResult | undefined, hook: HookId): StepResult {
  const { output = {}, notes: read = [] } = answer ?? {};
  const { outcome, lost } = withoutLoosening(answer?.outcome ?? {});
  const launch = launchFailure(ended);
  const failure =
    unfinished(ended) ?? (launch === undefined ? failed("exit", exitReason(ended)) : failed("launch", launch));
  const how = failure.ok ? "" : failure.reason;
  const notes = [
    ...read,
    ...(lost.length > 0 ? [`a program that failed loosens nothing: its ${lost.join(", ")} does not count`] : []),
  ];
  if (ended.code === 2 && launch === undefined) {
    const none =
      answer || ended.stdout.trim() === "" ? [] : ["stdout holds no answer: exit 2 blocks whatever it holds"];
    const reason = ended.stderr.trim() || reasonIn(answer) || blocked;
    const verdict = { is: "deny", reason, by: hook } as const;
    return { ok: true, output, outcome: { ...outcome, verdict }, ...noted([...notes, ...none]) };
  }
  if (outcome.verdict)
    return { ok: true, output, outcome, ...noted([...notes, `it failed after it had answered (${how})`]) };
  return { ...failure, output, ...(answer ? { outcome } : {}), ...noted(notes) };
}

/** Which values of a field count when the program failed. A field that is not here counts as it is. */
const counts: { readonly [F in OutcomeField]?: (value: OutcomeFields[F]) => boolean } = {
  verdict: ({ is }) => is !== "allow" && is !== "defer",
  updatedInput: () => false,
  updatedOutput: () => false,
  permissions: () => false,
  retry: () => false,
  displayContent: () => false,
  worktreePath: () => false,
  elicitation: ({ action }) => action !== "accept",
};

function withoutLoosening(outcome: Outcome): { outcome: Outcome; lost: string[] } {
  const kept: Outcome = { ...outcome };
  const lost: string[] = [];
  for (const field of Object.keys(kept).filter(isField)) {
    if (doesCount(field, kept)) continue;
    lost.push(field === "verdict" ? (kept.verdict?.is ?? field) : field);
    delete kept[field];
  }
  return { outcome: kept, lost };
}

function doesCount<F extends OutcomeField>(field: F, outcome: Outcome): boolean {
  const value: OutcomeFields[F] | undefined = outcome[field];
  return value === undefined || (counts[field]?.(value) ?? true);
}

/** Why it refuses, where its standard error does not say it. The reason of an allow is none. */
function reasonIn(answer: StepResult | undefined): string | undefined {
  const verdict = answer?.outcome?.verdict;
  if (verdict) return verdict.is === "deny" || verdict.is === "ask" ? verdict.reason : undefined;
  const { hookSpecificOutput: inner, ...said }: Fields = answer?.output ?? {};
  const beside = isFields(inner) ? textOf(inner, "permissionDecisionReason") : undefined;
  return beside ?? textOf(said, "reason") ?? textOf(said, "stopReason");
}

// A reader would miss a refusal in a form that no agent defines, or in the first of two keys of one name. Its author meant to refuse, so
// the program fails and its call does not pass.

const plain = (name: string): string => name.replaceAll(/[_\s-]/g, "").toLowerCase();
const deciding = /^(?:decision|permissiondecision|permission|behaviou?r|verdict)$/;
const refusing = /^(?:deny|denied|block|blocked|ask|reject|rejected|refuse|refused|forbid|forbidden)$/;
/** Words of many programs' own output: they refuse where nothing but a reason stands beside them. */
const ambiguous =
  /^(?:action|block|blocked|deny|denied|reject|rejected|refuse|refused|allow|allowed|approve|approved)$/;
const reasons = /^(?:reason|message|why|explanation|error)$/;
const saysYes = /^(?:allow|approve)/;

interface Refusal {
  /** As a person finds it in the answer. */
  key: string;
  value: Json;
}

/** Undefined: nothing there refuses. */
export function refusalIn(answer: Fields): Refusal | undefined {
  return (
    among(answer, "") ??
    Object.entries(answer)
      .map(inside)
      .find((found) => found !== undefined)
  );
}

const inside = ([name, value]: [string, Json]): Refusal | undefined =>
  plain(name) === "hookspecificoutput" && isFields(value) ? among(value, `${name}.`) : undefined;

function among(fields: Fields, before: string): Refusal | undefined {
  const names = Object.keys(fields).filter((name) => !reasons.test(plain(name)));
  for (const [name, value] of Object.entries(fields)) {
    const key = plain(name);
    const isAlone = ambiguous.test(key) && names.length === 1;
    if (!deciding.test(key) && !isAlone) continue;
    const isRefusing =
      typeof value === "string" ? refusing.test(plain(value)) : isAlone && value === !saysYes.test(key);
    if (isRefusing) return { key: before + name, value };
    const deeper = isFields(value) ? among(value, `${before}${name}.`) : undefined;
    if (deeper) return deeper;
  }
  return undefined;
}

/** What to write instead. */
export const rightForm = (value: Json): string =>
  value === "ask"
    ? '{"permissionDecision": "ask", "permissionDecisionReason": "…"}'
    : '{"decision": "block", "reason": "…"}';

// An object of JSON may have a key twice: a parser takes the last, while a refusal may stand in the first.

/** A text, with the colon that makes it a key, or a bracket. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/gs;
/** So often is a key looked for. */
const readingsAtMost = 32;
const leftOut = "\u0001left out:";

interface Key {
  start: number;
  end: number;
  /** How often it stood in its object by then. */
  occurrence: number;
  /** How often it stands there. */
  of: { total: number };
}

/** What else the object may mean: each time with another one of the values that a repeated key has. None: no key is repeated. */
export function otherReadings(text: string): Record<string, unknown>[] {
  const keys = keysIn(text);
  const most = Math.min(readingsAtMost, Math.max(0, ...keys.map(({ of }) => of.total)));
  return Array.from({ length: Math.max(0, most - 1) }, (_, index) => reading(text, keys, index + 1)).flatMap((value) =>
    isRecord(value) ? [value] : [],
  );
}

function keysIn(text: string): Key[] {
  const keys: Key[] = [];
  const around: Map<string, { total: number }>[] = [];
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(tokens)) {
    if (token === "{" || token === "[") around.push(new Map());
    else if (token === "}" || token === "]") around.pop();
    else if (string !== undefined && colon !== undefined) {
      const name = String(parseJson(string));
      const known = around.at(-1)?.get(name) ?? { total: 0 };
      known.total += 1;
      around.at(-1)?.set(name, known);
      keys.push({ start: index, end: index + string.length, occurrence: known.total, of: known });
    }
  }
  return keys.filter(({ of }) => of.total > 1);
}

/** With that occurrence of each repeated key, or its last. */
function reading(text: string, keys: readonly Key[], occurrence: number): unknown {
  let made = "";
  let from = 0;
  for (const [index, key] of keys.entries()) {
    if (key.occurrence === Math.min(occurrence, key.of.total)) continue;
    made += text.slice(from, key.start) + JSON.stringify(`${leftOut}${index}`);
    from = key.end;
  }
  const value = parseJson(made + text.slice(from));
  return JSON.parse(JSON.stringify(value ?? null), (name, one: unknown) =>
    name.startsWith(leftOut) ? undefined : one,
  );
}
