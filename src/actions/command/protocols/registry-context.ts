/**
 * What handlers of repository hooks read (specification 001, 4.1): the base fields, those of the event, and whatever
 * else its payload says. Summaries stand for payloads, which can be large.
 */

import { relative, resolve, sep } from "node:path";
import { abilityOf } from "../../../engine/ability.ts";
import {
  type Changes,
  type EventName,
  type Fields,
  type HookEvent,
  type Json,
  textField,
} from "../../../engine/event.ts";
import { hasFailed } from "../../../engine/events.ts";
import type { Hook } from "../../../engine/hook.ts";

export const stages = ["understand", "plan", "act", "review"] as const;
export const isStage = (value: unknown): boolean => stages.some((stage) => stage === value);

/** @param as the event's name as the hook's author wrote it (R62) */
export function contextOf(event: HookEvent, as: string, hook: Pick<Hook, "origin">): Fields {
  const own = Object.hasOwn(contexts, event.name) ? contexts[event.name] : undefined;
  const context = { ...baseOf(event, as, hook), ...defined((own ?? otherContext)(event, rootOf(event, hook))) };
  if (own === baseAlone) return context;
  return { ...context, ...extension(event.data, own ? said : new Set(), context) };
}

type Context = { [field: string]: Json | undefined };

const rootOf = ({ cwd }: HookEvent, { origin }: Pick<Hook, "origin">): string => origin.root ?? cwd;

const baseOf = (event: HookEvent, as: string, hook: Pick<Hook, "origin">): Fields => ({
  event_type: as,
  session_id: event.session ?? "",
  timestamp: timeOf(event),
  repository_root: rootOf(event, hook),
  ...(isStage(event.data.stage) ? { stage: event.data.stage ?? "" } : {}),
});

/** A host may report what happened a while ago. Of its words only a plain time is handed on: others may say anything beside it. */
function timeOf({ data, at }: HookEvent): string {
  const given = textField(data, "timestamp") ?? "";
  const time = Date.parse(given);
  if (Number.isNaN(time)) return new Date(at).toISOString();
  return plainTime.test(given) ? given : new Date(time).toISOString();
}
const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

const defined = (context: Context): Fields =>
  Object.fromEntries(Object.entries(context).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

const baseAlone = (): Context => ({});

/** By event; those of specification 001 are all here. */
const contexts: { readonly [N in EventName]?: (event: HookEvent, root: string) => Context } = {
  SessionStart: baseAlone,
  SessionEnd: baseAlone,
  SessionStop: (event, root) => ({
    changed_files: changedFiles(event, root, ({ files, earlier }) => [...new Set([...files, ...earlier])]),
  }),
  UserPromptSubmit: ({ data }) => ({
    user_message: textField(data, "user_message") ?? textField(data, "prompt") ?? "",
    files_touched: textsIn(data.files_touched),
  }),
  PreToolUse: beforeCall,
  PreSkillShellCommand: beforeCall,
  PostToolUse: afterCall,
  PostToolUseFailure: afterCall,
};

const otherContext = (event: HookEvent, root: string): Context => ({
  ...called(event),
  changed_files: changedFiles(event, root, ({ files }) => files),
});

function beforeCall(event: HookEvent): Context {
  return { ...called(event), planned_input_summary: inputSummary(event.data) };
}

function called(event: HookEvent): Context {
  const ability = abilityOf(event);
  return ability ? { ability_id: ability.id, operation_key: ability.operation } : {};
}

function afterCall(event: HookEvent): Context {
  const { data } = event;
  const { duration_ms: took } = data;
  return {
    ...called(event),
    status: statusOf(event),
    duration_ms: typeof took === "number" && took >= 0 ? took : undefined,
    input_summary: inputSummary(data),
    output_summary: outputSummary(data),
    tool_call_path: textField(data, "tool_call_path"),
  };
}

/** A host may know of a call that was skipped; agents report none. */
const statusOf = ({ name, data }: HookEvent): Json => {
  if (data.status === "success" || data.status === "failure" || data.status === "skipped") return data.status;
  return name === "PostToolUseFailure" || hasFailed(data) ? "failure" : "success";
};

const mostFiles = 1_000;

/** As the event says, else as the workspace shows; relative to the root, with forward slashes. */
function changedFiles(
  { data, changes }: HookEvent,
  root: string,
  choose: (changes: Changes) => readonly string[],
): string[] | undefined {
  const given = textsIn(data.changed_files);
  if (given || !changes || "unknown" in changes) return given;
  const chosen = choose(changes).slice(0, mostFiles);
  if (changes.base === root) return chosen;
  return chosen.map((file) => relative(root, resolve(changes.base, file)).split(sep).join("/"));
}

const textsIn = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, mostFiles) : undefined;

/** Of these the context says the same in its own words. */
const said: ReadonlySet<string> = new Set(
  (
    "prompt tool_input tool_response tool_output error user_message input_summary planned_input_summary output_summary " +
    "changed_files files_touched status stage duration_ms ability_id operation_key tool_call_path"
  ).split(" "),
);

/** The rest of the payload: short values as they are, others in a few words. What the context says cannot be replaced. */
function extension(data: Fields, without: ReadonlySet<string>, context: Fields): Fields {
  const rest: Fields = {};
  for (const [key, value] of Object.entries(data)) {
    if (without.has(key) || Object.hasOwn(context, key) || value === null) continue;
    rest[key] = typeof value === "number" || typeof value === "boolean" ? value : summaryOf(value);
  }
  return rest;
}

// Payloads in a few words: what an ability was given, and what came of it. Hosts may say it themselves.

const longestSummary = 500;
/** Of one value among several, so that each gets its turn. */
const longestValue = 200;
/** What lies deeper says little in one line. */
const deepest = 3;

/** Cut between words where there are any; says that it was cut. */
export function cutText(text: string, longest: number = longestSummary): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1);
  const space = kept.search(/\s\S*$/);
  const end = space > longest / 2 ? space : kept.length;
  return `${withoutHalf(kept.slice(0, end))}…`;
}

/** A character of two halves is kept whole or not at all. */
const withoutHalf = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, "");

/** A text as it is; one value of a map by itself, several with their names. */
const summaryOf = (value: Json): string => cutText(wordsOf(value, 0));

/** Undefined: nothing is known of it. */
function inputSummary(data: Fields): string | undefined {
  const given = textField(data, "planned_input_summary") ?? textField(data, "input_summary");
  if (given !== undefined) return cutText(given);
  return meaningful(data.tool_input);
}

function outputSummary(data: Fields): string | undefined {
  const given = textField(data, "output_summary") ?? textField(data, "error");
  return given === undefined ? meaningful(withoutFigures(data.tool_response)) : cutText(given);
}

/** Of what a tool answers these say what came of it; the rest are figures. */
const meaningfulKeys = ["stdout", "stderr", "text", "content", "result", "error", "message"];

function withoutFigures(response: Json | undefined): Json | undefined {
  if (typeof response !== "object" || response === null || Array.isArray(response)) return response;
  const given = meaningfulKeys.flatMap((key) => (response[key] ? [[key, response[key]] as const] : []));
  return given.length > 0 ? Object.fromEntries(given) : response;
}

const meaningful = (value: Json | undefined): string | undefined => {
  const words = value === undefined ? "" : summaryOf(value);
  return words === "" ? undefined : words;
};

function wordsOf(value: Json, depth: number): string {
  if (typeof value !== "object" || value === null) return value === null ? "" : String(value);
  if (depth > deepest) return "…";
  if (Array.isArray(value)) {
    return value
      .map((one) => wordsOf(one, depth + 1))
      .filter((one) => one !== "")
      .join(", ");
  }
  if (value.type === "text" && typeof value.text === "string") return value.text; // a block of an answer
  const parts = Object.entries(value)
    .map(([key, one]) => ({ key, words: wordsOf(one, depth + 1) }))
    .filter(({ words }) => words !== "" && words !== "false");
  const [only, ...others] = parts;
  if (only && others.length === 0) return only.words;
  return parts.map(({ key, words }) => `${key}: ${cutText(words, longestValue)}`).join("; ");
}
