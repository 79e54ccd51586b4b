/** What the script of a repository hook reads and answers (specification 001): one JSON object each way. */

import type { Fields, HookEvent, HookId, Json } from "../../../engine/event.ts";
import { oneLine, shortened, visible } from "../../../engine/one-line.ts";
import { merge, type Outcome, type SuggestedDocument, type Suggestion } from "../../../engine/outcome.ts";
import type { LogLine, Protocol, StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { isFields, isRecord, kindOf } from "../../../engine/schema.ts";
import { quote } from "../../../engine/words.ts";
import { failed, noted } from "../../step.ts";
import { exitReason, launchFailure, unfinished } from "./endings.ts";
import { deepest, findObjects, isTooDeep, parseJson } from "./find-answer.ts";
import { contextOf, cutText, isStage, stages } from "./registry-context.ts";

export const registry: Protocol = {
  write: (event, as, hook) => JSON.stringify(contextOf(event, as, hook)),
  read,
};

function read(ended: Ended, event: HookEvent, hook: HookId): StepResult {
  const without = unfinished(ended);
  if (without) return without;
  const launch = launchFailure(ended);
  if (launch !== undefined) return failed("launch", launch);
  const answer = readOutput(ended, event, hook);
  return ended.code === 0 ? answer : withRefusal(failed("exit", exitReason(ended)), [answer]);
}

/** Who failed has answered nothing, but what it refused stays refused. */
function withRefusal(failure: StepResult, answers: readonly StepResult[]): StepResult {
  const { verdict, messages } = answers.find(({ outcome }) => outcome?.verdict)?.outcome ?? {};
  if (!verdict) return failure;
  return { ...failure, outcome: { verdict, ...(messages ? { messages } : {}) } };
}

function readOutput({ stdout, dropped }: Ended, event: HookEvent, hook: HookId): StepResult {
  const said = stdout.replace(/^\uFEFF/, "").trim();
  if (said === "") return { ok: true, output: {} };
  const whole = parseJson(said);
  if (whole === undefined) return readAmong(said, dropped, event, hook);
  if (!isRecord(whole)) return unreadable("it is JSON, but no object", said);
  if (isTooDeep(whole)) return unreadable(`it is nested deeper than ${deepest}`, said);
  return readResult(whole as Fields, event, hook); // JSON.parse gives JSON
}

/** The result may stand among what the programs of a script print; one that can be told from the rest counts. */
function readAmong(said: string, dropped: number, event: HookEvent, hook: HookId): StepResult {
  const { objects, inside } = findObjects(said);
  const results = [
    ...objects.filter(({ value, start, end }) =>
      isResult(value, { beginsLine: beginsLine(said, start), isLast: end === said.length }),
    ),
    ...inside.filter(({ value }) => refuses(value)),
  ];
  const [only, ...others] = results;
  if (!only) return unreadable(isCut(said, dropped) ? "it is larger than 1 MiB" : "it is not JSON", said);
  if (others.length > 0) {
    const read = results.map(({ value }) => readResult(value as Fields, event, hook)); // JSON.parse gives JSON
    return withRefusal(unreadable(`it holds ${results.length} results, and there can be one`, said), read);
  }
  const noise = `${said.slice(0, only.start)} … ${said.slice(only.end)}`.trim();
  const result = readResult(only.value as Fields, event, hook); // the same
  return { ...result, notes: [`stdout holds more than the result: ${quote(noise)}`, ...(result.notes ?? [])] };
}

/** Behind blanks as well. */
function beginsLine(said: string, start: number): boolean {
  let at = start;
  while (said[at - 1] === " " || said[at - 1] === "\t") at--;
  return at === 0 || said[at - 1] === "\n";
}

/** Bytes may be missing of stderr alone. */
const isCut = (said: string, dropped: number): boolean => dropped > 0 && Buffer.byteLength(said) >= 1 << 20;

const unreadable = (why: string, said: string): StepResult =>
  failed("output", `invalid output: ${why}: ${quote(said)}`);

// What handlers of repository hooks answer (specification 001, 4.2): each field becomes what the engine has for it.
// One that is not as it should be is left out with a note, and the rest counts.

interface Reading {
  outcome: Outcome;
  logs: LogLine[];
  notes: string[];
  /** What went wrong, or was refused, in the handler's words. */
  error?: string;
  /** It says that what is about to happen must not. */
  blocks?: true;
}
/** May leave out what it cannot read, with a note. @returns what the field must be, where it is something else */
type Reader = (value: Json, into: Reading) => string | undefined;

/** @returns a failed step where the handler says so itself. Never throws. */
export function readResult(result: Fields, event: HookEvent, hook: HookId): StepResult {
  const reading: Reading = { outcome: {}, logs: [], notes: [] };
  for (const [field, value] of Object.entries(result)) {
    const reader = Object.hasOwn(readers, field) ? readers[field] : undefined;
    if (!reader || value === null) continue; // what has no meaning here is kept in the run
    const wanted = reader(value, reading);
    if (wanted !== undefined) reading.notes.push(`${field} must be ${wanted}, not ${kindOf(value)}: left out`);
  }
  const otherForm = otherFormIn(result);
  if (otherForm !== undefined) reading.error ??= otherForm;
  const { outcome, logs, error, blocks, notes } = reading;
  const output = keepable(result, notes);
  const end = { output, outcome, ...noted(notes), ...(logs.length > 0 ? { logs } : {}) };
  if (!blocks && error === undefined) return { ok: true, ...end };
  if (!blocks || afterTheFact.has(event.name)) return { ok: false, ...end, failure: "error", reason: error ?? blocked };
  const reason = textsOf(outcome).join("\n") || error || blocked;
  return { ok: true, ...end, outcome: merge(outcome, { verdict: { is: "deny", reason, by: hook } }) };
}

const blocked = "blocked by the hook";

/** Settings hooks refuse so. Here it has no meaning, and who meant it must not be taken to have passed. */
function otherFormIn(result: Fields): string | undefined {
  const inner = result.hookSpecificOutput ?? null;
  const decision = isFields(inner) ? (inner.decision ?? null) : null;
  for (const said of [result, inner, decision]) {
    if (!isFields(said)) continue;
    const key = verdictKeys.find((one) => refusing.includes(said[one]));
    if (key === undefined) continue;
    return `"${key}": ${JSON.stringify(said[key])} is the answer of a settings hook, which a repository hook does not have — write {"block_execution": true, "messages_to_user": ["…"]}`;
  }
  return undefined;
}
const verdictKeys: readonly string[] = ["decision", "permissionDecision", "permission", "behavior"];
const refusing: readonly unknown[] = ["block", "deny", "ask"];
const textsOf = ({ messages = [] }: Outcome): string[] => messages.map(({ text }) => text);

/** What these report has happened, or nothing can stand against it: blocking is a failure like others there (R39). */
const afterTheFact: ReadonlySet<string> = new Set([
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
  "SessionStart",
  "SessionEnd",
]);

const isText = (value: unknown): value is string => typeof value === "string";
/** One text alone is a list of one. */
const textsIn = (value: Json): string[] | undefined => {
  const list = Array.isArray(value) ? value : [value];
  return list.every(isText) ? list : undefined;
};
const add = (into: Reading, outcome: Outcome): void => {
  into.outcome = merge(into.outcome, outcome);
};
/** Entries one by one: a bad one costs itself. */
const eachOf =
  (wanted: string, field: string, read: (entry: Json, into: Reading) => boolean): Reader =>
  (value, into) => {
    if (!Array.isArray(value)) return `a list of ${wanted}`;
    for (const [index, entry] of value.entries())
      if (!read(entry, into)) into.notes.push(`${field}[${index}] must be one of ${wanted}: left out`);
    return undefined;
  };

const readers: { readonly [field: string]: Reader } = {
  logs: eachOf("texts, or { level, message }", "logs", readLog),
  messages_to_user(value, into) {
    const said = textsIn(value)?.filter((text) => text.trim() !== "");
    if (!said) return "a list of texts";
    const texts = withinLimit(said, into);
    if (texts.length > 0) add(into, { messages: texts.map((text) => ({ to: "person", text })) });
    return undefined;
  },
  suggested_abilities: eachOf("{ id, reason, confidence? }", "suggested_abilities", readAbility),
  suggested_documents: eachOf("{ path, reason, stage? }", "suggested_documents", readDocument),
  new_intent(value, into) {
    if (!isFields(value) || !isText(value.intent)) return "a map with an intent";
    const { stage, ...rest } = value;
    add(into, { intent: stage === undefined || stageFits(stage, "new_intent", into) ? value : rest });
    return undefined;
  },
  follow_up_actions: eachOf("{ kind, payload }", "follow_up_actions", readFollowUp),
  usage_recorded: (value) => (typeof value === "boolean" ? undefined : "true or false"),
  error(value, into) {
    if (!isText(value)) {
      into.error ??= JSON.stringify(value).slice(0, 200); // it was meant to say that it failed
      return "text";
    }
    if (value.trim() === "") return undefined;
    into.error = shortened(visible(value.trim()), longestError);
    if (saysBlocked.test(into.error)) into.blocks = true;
    return undefined;
  },
  block_execution(value, into) {
    if (typeof value === "boolean") {
      if (value) into.blocks = true;
      return undefined;
    }
    into.error ??= `block_execution is ${kindOf(value)}, and neither true nor false`; // it may have been meant to refuse
    return "true or false";
  },
};

const saysBlocked = /^blocked/i;
const longestError = 2000;
/** In characters, of one answer. */
const mostMessages = 10_000;

function withinLimit(texts: readonly string[], { notes }: Reading): string[] {
  let room = mostMessages;
  const kept: string[] = [];
  for (const text of texts) {
    if (room <= 0) break;
    const shown = visible(shortened(text, room));
    kept.push(shortened(shown, room));
    room -= shown.length;
  }
  if (room < 0 || kept.length < texts.length)
    notes.push(`messages_to_user were cut: ${mostMessages} characters are the most`);
  return kept;
}

/**
 * Whether an object among other output is a result. The last one is, with any field of a result; before it `logs` says
 * nothing, and an error counts where it begins a line and is no program's own line of a log. What refuses always counts,
 * so that nothing printed around it hides that.
 */
export const isResult = (
  value: Record<string, unknown>,
  { beginsLine, isLast }: { beginsLine: boolean; isLast: boolean },
): boolean =>
  refuses(value) ||
  (beginsLine && isSaid(value.error) && !isLogLine(value)) ||
  Object.keys(value).some((field) => Object.hasOwn(readers, field) && (isLast || !also.includes(field)));

/** A line of a log may hold these as well. */
const also: readonly string[] = ["error", "logs"];

/** By its form alone. In a line of a log it takes one word: "blocked_by_policy" refuses, "Blocked port 9200" reports something. */
export const refuses = (value: Record<string, unknown>): boolean =>
  value.block_execution === true ||
  (isText(value.error) && (isLogLine(value) ? /^blocked\S*$/i : saysBlocked).test(value.error.trim()));

const isSaid = (error: unknown): boolean =>
  error !== undefined && error !== null && !(isText(error) && error.trim() === "");

/** What the loggers of most languages write beside an error, and no result has. */
const logFields: readonly string[] =
  "level log_level levelname severity lvl msg message time ts timestamp @timestamp".split(" ");
const isLogLine = (value: Record<string, unknown>): boolean => logFields.some((field) => Object.hasOwn(value, field));

const levels: readonly string[] = ["debug", "info", "warn", "error"];

function readLog(entry: Json, { logs, notes }: Reading): boolean {
  if (isText(entry)) return logs.push({ level: "info", message: entry }) > 0;
  if (!isFields(entry) || !isText(entry.message)) return false;
  const { message, level = "info" } = entry;
  const known = level === "warning" ? "warn" : levels.find((one) => one === level);
  if (known === undefined)
    notes.push(`the level of a log line is ${kindOf(level)}, which is none of ${levels.join(", ")}`);
  return logs.push({ level: known ?? "info", message }) > 0;
}

function readAbility(entry: Json, into: Reading): boolean {
  const written = isText(entry) ? { id: entry } : entry;
  if (!isFields(written) || !isText(written.id) || written.id.trim() === "") return false;
  const { id, reason, confidence } = written;
  const suggestion: Suggestion = { id, ...(isText(reason) ? { reason } : {}) };
  if (typeof confidence === "number" && confidence >= 0 && confidence <= 1) suggestion.confidence = confidence;
  else if (confidence !== undefined)
    into.notes.push(`the confidence of "${oneLine(id)}" is no number from 0 to 1: left out`);
  add(into, { suggestions: [suggestion] });
  return true;
}

function readDocument(entry: Json, into: Reading): boolean {
  const written = isText(entry) ? { path: entry } : entry;
  if (!isFields(written) || !isText(written.path) || written.path.trim() === "") return false;
  const { path, reason, stage } = written;
  const document: SuggestedDocument = { path, ...(isText(reason) ? { reason } : {}) };
  if (stage !== undefined && isText(stage) && stageFits(stage, `the document ${oneLine(path)}`, into))
    document.stage = stage;
  add(into, { documents: [document] });
  return true;
}

function stageFits(stage: Json, of: string, { notes }: Reading): boolean {
  if (isStage(stage)) return true;
  notes.push(`the stage of ${of} is ${kindOf(stage)}, which is none of ${stages.join(", ")}: left out`);
  return false;
}

const kinds: readonly string[] = ["open_file", "run_command", "create_task"];

/** The text of the specification shows both forms: what stands beside the kind is the payload where there is none (R31). */
function readFollowUp(entry: Json, into: Reading): boolean {
  if (!isFields(entry) || !isText(entry.kind) || entry.kind.trim() === "") return false;
  const { kind, payload, ...beside } = entry;
  if (payload !== undefined && !isFields(payload)) return false;
  if (!kinds.includes(kind))
    into.notes.push(
      `the follow-up "${oneLine(kind)}" is none of ${kinds.join(", ")}: it is kept, and may be unknown to its reader`,
    );
  add(into, { followUps: [{ kind, payload: { ...beside, ...payload } }] });
  return true;
}

const keptInCharacters = 64 * 1024;

/** What the run keeps of the whole result. */
function keepable(result: Fields, notes: string[]): Fields {
  if (JSON.stringify(result).length <= keptInCharacters) return result;
  const kept: Fields = {};
  const lost: string[] = [];
  let size = 0;
  for (const [field, value] of Object.entries(result)) {
    const own = JSON.stringify([field, value]).length;
    if (size + own > keptInCharacters) lost.push(cutText(field, 80));
    else {
      size += own;
      kept[field] = value;
    }
  }
  notes.push(`the result is too large to be kept whole; not in this run: ${cutText(lost.join(", "), 400)}`);
  return kept;
}
