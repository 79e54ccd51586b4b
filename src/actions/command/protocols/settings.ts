/** What a settings hook's program reads and answers (specification 002): Claude Code's JSON, and its exit codes. */
import { type EventName, type Fields, type HookEvent, type HookId, type Json, present } from "../../../engine/event.ts";
import { rowOf } from "../../../engine/events.ts";
import { merge, type Outcome } from "../../../engine/outcome.ts";
import type { Protocol, StepResult } from "../../../engine/ports.ts";
import type { Ended } from "../../../engine/program.ts";
import { isFields } from "../../../engine/schema.ts";
import { quote } from "../../../engine/words.ts";
import { failed, noted } from "../../step.ts";
import { unfinished } from "./endings.ts";
import { otherReadings, readFailed, refusalIn, rightForm } from "./failed-programs.ts";
import { type Candidate, findObjects, parseJson } from "./find-answer.ts";
import { type Asked, type Key, specificKeys, topKeys } from "./settings-keys.ts";

export const settings: Protocol = { write, read, detaches };

/** The base fields come first and cannot be replaced; whatever else the agent sent passes through (C55). */
function write(event: HookEvent, as: string): string {
  const base = {
    ...(event.session === undefined ? {} : { session_id: event.session }),
    cwd: event.cwd,
    hook_event_name: as,
  };
  const agent = event.agent && {
    agent_id: event.agent.id,
    ...(event.agent.type === undefined ? {} : { agent_type: event.agent.type }),
  };
  return JSON.stringify({ ...base, ...agent, ...event.data, ...base });
}

function read(ended: Ended, event: HookEvent, hook: HookId): StepResult {
  if (ended.how === "exit" && ended.code !== 0)
    return readFailed(ended, readJson(textOn(ended.stdout), event, hook), hook);
  return unfinished(ended) ?? readAnswer(ended.stdout, event, hook);
}

/** The first line is `{"async": true}`: the program goes on by itself (C37). */
function detaches(line: string): boolean {
  const first = parseJson(line.replace(/^\uFEFF/, ""));
  return isFields(first) && first.async === true;
}

// Reads an answer in Claude Code's form: stdout of a command that exited 0, or the body of an HTTP reply.

/** What plain text means, where it means anything (R16). */
const plainText: { readonly [N in EventName]?: (said: string) => Outcome } = {
  SessionStart: (said) => ({ context: [said] }),
  UserPromptSubmit: (said) => ({ context: [said] }),
  PreCompact: (said) => ({ context: [said] }),
  WorktreeCreate: (said) => ({ worktreePath: said.slice(said.lastIndexOf("\n") + 1).trim() }),
};

/**
 * The outcome that a text asks for. No text is no opinion. JSON may stand among other output: then all complete answers
 * count together, and a note quotes the rest. Never throws; what cannot be read is a failure, never an allow.
 */
export function readAnswer(text: string, event: HookEvent, hook: HookId): StepResult {
  const said = textOn(text);
  if (said === "") return { ok: true, output: {} };
  return readJson(said, event, hook) ?? readPlain(said, event);
}

const textOn = (stdout: string): string => stdout.replace(/^\uFEFF/, "").trim();

/** Undefined: the text holds no JSON, whole or broken. */
function readJson(said: string, event: HookEvent, hook: HookId): StepResult | undefined {
  const { objects } = findObjects(said);
  const isWhole = objects.length === 1 && objects[0]?.start === 0 && objects[0].end === said.length;
  const found = isWhole ? objects : objects.filter(({ value }) => isAnswer(value));
  const answers = found.filter(({ value }) => !isEcho(value, event) && !isMarker(value));
  const fault = faultIn(said, { objects, found, event });
  if (answers.length > 0) return readAll(answers, { said, event, hook, notes: [] }, fault);
  if (fault !== undefined) return unreadable(fault);
  const last = found.at(-1);
  if (!last) return undefined;
  const notes = isWhole ? [] : noiseNotes(said, [last]);
  if (isEcho(last.value, event)) return { ok: true, output: {}, notes: [...notes, "the handler echoed its input"] };
  return readOne(last, { event, hook, notes }, said);
}

/** What begins like an answer, or holds a key of one, and is none that can be read; quoted. Broken is broken, whatever it begins with. */
function faultIn(
  said: string,
  { objects, found, event }: { objects: readonly Candidate[]; found: readonly Candidate[]; event: HookEvent },
): string | undefined {
  const left = outside(said, objects).find((part) => answerKey.test(part));
  if (left !== undefined) return quote(left.trim());
  if (found.length > 0 || objects.length > 0) return undefined;
  if (isNoAnswer(said, plainText[event.name] !== undefined)) return quote(said);
  const isText =
    !plainText[event.name] && said.startsWith('"') && (parseJson(said) !== undefined || !said.includes('"', 1));
  const isList = isText || /^\[\s*["{[]/.test(said);
  const isWhole = isList && parseJson(said) !== undefined; // where a text means something, such a list is one
  return said.startsWith("{") || (isList && !(isWhole && plainText[event.name])) ? quote(said) : undefined;
}

/** Whole JSON that is no object decides nothing, and was meant to. Where a text means something, a number or a list may be one. */
const isNoAnswer = (said: string, mayBeText: boolean): boolean =>
  mayBeText ? /^(?:null|true|false|"")$/.test(said) : /^(?:[-\d["]|null|true|false)/.test(said) && isWholeJson(said);

const isWholeJson = (said: string): boolean => parseJson(said) !== undefined;

/** The text between the objects. */
function outside(said: string, objects: readonly Candidate[]): string[] {
  const ends = [0, ...objects.map(({ end }) => end)];
  return ends.map((end, index) => said.slice(end, objects[index]?.start));
}

interface Output extends Context {
  said: string;
}

/** Answers are merged as those of several hooks are: a deny stands, whatever is printed before or behind it. */
function readAll(answers: readonly Candidate[], { said, ...context }: Output, fault: string | undefined): StepResult {
  const read = answers.map((answer) => readOne(answer, context, said));
  const output = read.reduce<Fields>((all, one) => Object.assign(all, one.output), {});
  const outcome = mergeAll(read.map((one) => one.outcome ?? {}));
  const faults = [
    ...read.flatMap((one) => (one.ok ? [] : [one.reason])),
    ...(fault === undefined ? [] : [unreadableReason(fault)]),
  ];
  const notes = [
    ...noiseNotes(said, answers),
    ...context.notes,
    ...(answers.length > 1 ? [`stdout holds ${answers.length} answers: they count together`] : []),
  ];
  const refuses = outcome.verdict?.is === "deny" || outcome.verdict?.is === "ask";
  if (faults.length > 0 && !refuses)
    return { ...failed("output", faults.join("; "), output), ...noted(notes), outcome: saidIn(outcome) };
  return { ok: true, output, ...noted([...notes, ...faults]), outcome };
}

/** Of an answer that refuses in no form that counts, what it says beside that. */
const saidIn = ({ context, messages }: Outcome): Outcome => present({ context, messages });

/** By halves: one after the other would copy what was gathered for each of thousands. */
function mergeAll(outcomes: readonly Outcome[]): Outcome {
  const half = outcomes.length >> 1;
  return half === 0 ? (outcomes[0] ?? {}) : merge(mergeAll(outcomes.slice(0, half)), mergeAll(outcomes.slice(half)));
}

/** Of a verdict that is written twice the more severe counts, whichever a parser would take. */
function readOne({ value, start, end }: Candidate, context: Context, said: string): StepResult {
  if (!isFields(value)) return unreadable(quote(JSON.stringify(value)));
  const others = otherReadings(said.slice(start, end)).filter(isFields);
  if (others.length === 0) return readObject(value, context);
  context.notes.push(repeated);
  const read = readObject(value, context);
  const each = others.map((other) => readObject(other, { ...context, notes: [] }));
  const verdicts = each.map(({ outcome: { verdict, stop } = {} }) => present({ verdict, stop }));
  const outcome = merge(mergeAll(verdicts), read.outcome ?? {});
  const failure = [read, ...each].find(({ ok }) => !ok);
  const refuses = outcome.verdict?.is === "deny" || outcome.verdict?.is === "ask";
  if (failure && !refuses) return failure;
  return { ok: true, output: read.output ?? {}, outcome, ...noted(context.notes) };
}
const repeated = "a key stands twice in the answer: of verdicts the more severe counts";

const unreadableReason = (what: string): string => `invalid_output: it looks like JSON and cannot be read: ${what}`;
const unreadable = (what: string): StepResult => failed("output", unreadableReason(what));

const isAnswer = (value: Record<string, unknown>): boolean =>
  "hook_event_name" in value || Object.keys(value).some((key) => key === specific || saysMore(key, value[key]));
/** Other objects that a program prints have some of these keys as well: there the value tells. */
const saysMore = (key: string, value: unknown): boolean =>
  Object.hasOwn(topKeys, key) && (!ofLogs.includes(key) || value === "deny" || value === "ask" || value === "allow");
const ofLogs: readonly string[] = ["message", "interrupt", "behavior", "permission"];
const specific = "hookSpecificOutput";
const answerKey = /"(?:continue|decision|hookSpecificOutput|permission|permissionDecision|systemMessage)"\s*:/;

/** It only says that the program goes on by itself. */
const isMarker = (value: Record<string, unknown>): boolean =>
  Object.keys(value).length > 0 && Object.keys(value).every((key) => key === "async" || key === "asyncTimeout");

/** The event printed back, with nothing added that would be an answer. */
function isEcho(value: Record<string, unknown>, { data }: HookEvent): boolean {
  if (typeof value.hook_event_name !== "string") return false;
  const added = Object.keys(value).filter((key) => Object.hasOwn(topKeys, key) || key === specific);
  return added.every((key) => JSON.stringify(value[key]) === JSON.stringify(data[key]));
}

function readPlain(said: string, event: HookEvent): StepResult {
  const read = plainText[event.name];
  if (read) return { ok: true, output: { text: said }, outcome: read(said) };
  return { ok: true, output: {}, notes: [`plain text on stdout is ignored on ${event.name}: ${quote(said)}`] };
}

/** Quotes what stands around and between the answers. */
function noiseNotes(said: string, answers: readonly Candidate[]): string[] {
  const starts = [0, ...answers.map(({ end }) => end)];
  const parts = starts.map((start, index) => said.slice(start, answers[index]?.start));
  const noise = parts.map((part) => part.replace(asyncLine, "").trim()).filter((part) => part !== "");
  return noise.length === 0 ? [] : [`stdout holds more than the answer: ${quote(noise.join(" … "))}`];
}
/** It has been obeyed by the time that the rest is read. */
const asyncLine = /^\{\s*"async"\s*:\s*true[^\n]*\n/;

type Context = Pick<Asked, "event" | "hook" | "notes">;

function readObject(answer: Fields, context: Context): StepResult {
  const { notes } = context;
  const faults: string[] = [];
  const { [specific]: inner, ...top } = answer;
  let outcome = readKeys(top, topKeys, { ...context, answer, beside: top }, faults);
  if (isFields(inner)) {
    outcome = merge(outcome, readKeys(inner, specificKeys, { ...context, answer, beside: inner }, faults));
  } else if (inner !== undefined && inner !== null) faults.push(`${specific} is not an object`);
  const isDecided = faults.length > 0 || outcome.verdict?.is === "deny" || outcome.verdict?.is === "ask";
  const near = isDecided || !rowOf(context.event.name).accepts.includes("verdict") ? undefined : refusalIn(answer);
  if (near) {
    const { key, value } = near;
    const fault = `${key}: ${JSON.stringify(value)} is no refusal on ${context.event.name}: write ${rightForm(value)}`;
    return { ...failed("output", `invalid_output: ${fault}`, answer), ...noted(notes), outcome: saidIn(outcome) };
  }
  if (faults.length > 0)
    return { ...failed("output", `invalid_output: ${faults.join("; ")}`, answer), ...noted(notes) };
  return { ok: true, output: answer, ...noted(notes), outcome };
}

function readKeys(fields: Fields, keys: Readonly<Record<string, Key>>, asked: Asked, faults: string[]): Outcome {
  let outcome: Outcome = {};
  for (const [name, value] of Object.entries(fields)) {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (!key) asked.notes.push(`the key "${name}" means nothing to Hookline`);
    else if (value === null)
      continue; // as if it were not there
    else if (!isHonoured(key, asked.event)) asked.notes.push(`${name} is not honoured on ${asked.event.name}: dropped`);
    else outcome = merge(outcome, readKey(name, value, key, asked, faults));
  }
  return outcome;
}

function readKey(name: string, value: Json, key: Key, asked: Asked, faults: string[]): Outcome {
  const read = key.read(value, asked);
  if (typeof read !== "string") return read;
  const fault = `${name} must be ${read}, not ${quote(JSON.stringify(value))}`;
  if (key.decides) faults.push(fault);
  else asked.notes.push(`${fault}: dropped`);
  return {};
}

const isHonoured = ({ field, on }: Key, { name }: HookEvent): boolean =>
  on ? on.includes(name) : field === undefined || rowOf(name).accepts.includes(field);
