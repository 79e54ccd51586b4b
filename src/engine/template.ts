/** {{placeholders}} in texts: read once at load, filled per run. Fills values only; quoting is the command handler's (R18). */
import { type Fields, type Json, turnParts } from "./event.ts";
import { hasFailed } from "./events.ts";
import { isPlainPath } from "./placeholder-form.ts";
import type { Scope } from "./ports.ts";
import type { StepRecord } from "./record.ts";
import { fieldsIn, isFields, isRecord } from "./schema.ts";
import { pathOfCall } from "./tools.ts";

export type TemplatePart =
  | { is: "text"; text: string }
  | { is: "value" /** As it stands in the text, braces included. */; written: string; read: (scope: Scope) => Json };

/** The text and placeholders of one string, in order. Unknown placeholders are text. Linear, never throws. */
export function compileTemplateParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let done = 0;
  const keep = (until: number): void => {
    if (until > done) parts.push({ is: "text", text: text.slice(done, until) });
    done = until;
  };
  for (let open = text.indexOf("{{"); open >= 0; ) {
    const close = text.indexOf("}}", open + 2);
    if (close < 0) break;
    // The innermost braces count: in {{{event}}} the first brace is text.
    const start = open + text.slice(open, close).lastIndexOf("{{");
    const read = compilePlaceholder(text.slice(start + 2, close).trim());
    if (read) {
      keep(start);
      parts.push({ is: "value", written: text.slice(start, close + 2), read });
      done = close + 2;
    }
    open = text.indexOf("{{", close + 2);
  }
  keep(text.length);
  return parts;
}

/**
 * Every string of a tree, filled. A placeholder that is the whole string keeps its value's type (R20); in longer text
 * lists and objects print as JSON. A missing path is "", an unknown root stays as written. Never throws.
 *
 * @example compileTemplate({ title: "{{event.name}}" })(scope) // { title: "…" }
 */
export function compileTemplate(value: Json): (scope: Scope) => Json {
  const fill = compileValue(value);
  return fill ?? (() => value);
}

/** undefined: holds no placeholder and is returned as it is. */
function compileValue(value: Json): ((scope: Scope) => Json) | undefined {
  if (typeof value === "string") return compileText(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => ({ item, fill: compileValue(item) }));
    return items.some(({ fill }) => fill)
      ? (scope) => items.map(({ item, fill }) => (fill ? fill(scope) : item))
      : undefined;
  }
  const entries = Object.entries(value).map(([key, item]) => ({ key, item, fill: compileValue(item) }));
  if (!entries.some(({ fill }) => fill)) return undefined;
  return (scope) => Object.fromEntries(entries.map(({ key, item, fill }) => [key, fill ? fill(scope) : item]));
}

function compileText(text: string): ((scope: Scope) => Json) | undefined {
  if (!text.includes("{{")) return undefined;
  const parts = compileTemplateParts(text);
  const [first] = parts;
  if (first?.is === "value" && parts.length === 1) return first.read;
  if (parts.every((part) => part.is === "text")) return undefined;
  return (scope) => {
    let filled = "";
    for (const part of parts) {
      filled += part.is === "text" ? part.text : printValue(part.read(scope));
      if (filled.length > longestText) return `${filled.slice(0, longestText)} … (cut at ${longestText} characters)`;
    }
    return filled;
  };
}

/** Texts that actions make of each other would else grow without bound. */
const longestText = 1_000_000;

/** How a value looks inside longer text: text as it is, everything else as JSON, null as nothing. */
export function printValue(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  try {
    return JSON.stringify(value);
  } catch {
    return ""; // nested deeper than JSON can be written
  }
}

/** A placeholder as authors write it: X stands for a name, or for names and numbers between dots. */
export interface Placeholder {
  name: string;
  meaning: string;
}
interface Root {
  read(scope: Scope): Json | undefined;
  shown: readonly Placeholder[];
  /** All that it has, where `shown` only gives examples. */
  parts?: readonly string[];
  /** What stands for a part that the value itself does not have. */
  otherwise?: { readonly [part: string]: (scope: Scope) => Json | undefined };
}
type Read = (scope: Scope) => Json;

/** What stands before the first dot. Steps have numbers, so they are found by their form. */
const roots: { readonly [name: string]: Root } = {
  tool: {
    read: toolOf,
    otherwise: { "params.path": ({ event: { data } }) => pathOfCall(own(data, toolFields.params)) },
    shown: [
      { name: "tool.name", meaning: "the tool's name; if the event has no tool, the name of the tool that runs" },
      { name: "tool.params.X", meaning: "a field of the tool's parameters; X.0.y reaches into lists and objects" },
      { name: "tool.params.path", meaning: "the file that the call is about, whatever its tool calls it" },
      { name: "tool.result.X", meaning: "a field of the tool's result" },
      { name: "tool.result", meaning: "the whole result" },
      { name: "tool.error", meaning: "why the tool failed" },
    ],
  },
  event: {
    read: ({ event }) => event.data,
    shown: [
      { name: "event.X", meaning: "a field of the event's payload, by the name that agents send" },
      { name: "event", meaning: "the whole payload" },
    ],
  },
  previous: {
    read: ({ results }) => results.at(-1)?.output,
    shown: [
      { name: "previous", meaning: "the main output of the action before this one" },
      { name: "previous.X", meaning: "a field of that output" },
    ],
  },
  match: {
    read: ({ match }) => match,
    shown: [{ name: "match.X", meaning: "what the condition found" }],
  },
  turn: {
    read: ({ turn }) => ({ ...turn }),
    parts: turnParts,
    shown: [
      { name: "turn.X", meaning: "the state of the conversation: number, toolCalls, messages, tokens, window, …" },
    ],
  },
  prompt: { read: ({ turn }) => turn.prompt, shown: [{ name: "prompt", meaning: "the person's last prompt" }] },
  answer: { read: ({ turn }) => turn.answer, shown: [{ name: "answer", meaning: "the model's last answer" }] },
  error: {
    read: ({ event, turn }) => own(event.data, "error") ?? turn.error,
    shown: [{ name: "error", meaning: "the error of this event, else the last of this turn" }],
  },
  agent: {
    read: ({ event, turn }) => agentOf(event.agent ?? turn.agent),
    shown: [
      { name: "agent.id", meaning: "the id of the agent that works" },
      { name: "agent.type", meaning: "its type, where it has one" },
    ],
  },
  session: { read: ({ event }) => event.session, shown: [{ name: "session", meaning: "the session's id" }] },
};

/** Every placeholder there is, for documentation and messages. */
export const placeholders: readonly Placeholder[] = [
  ...Object.values(roots).flatMap(({ shown }) => shown),
  { name: "step_N", meaning: "the main output of action N of this hook, counted from 0" },
  { name: "step_N.X", meaning: "a field of that output" },
];

/** The names that may stand behind a root, where they are all known. */
export const placeholderParts: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(roots).flatMap(([root, { shown, parts = partsOf(shown) }]) =>
    parts.length === 0 || parts.includes("X") ? [] : [[root, parts] as const],
  ),
);

/** Texts and numbers: nothing stands below them. */
export const placeholdersWithoutParts: readonly string[] = [
  ...["tool.name", "prompt", "answer", "session", "agent.id", "agent.type"],
  ...turnParts.filter((part) => part !== "spent" && part !== "agent").map((part) => `turn.${part}`),
];

function partsOf(shown: readonly Placeholder[]): string[] {
  return [...new Set(shown.flatMap(({ name }) => name.split(".")[1] ?? []))];
}

const agentOf = (agent: { id: string; type?: string } | undefined): Json | undefined => agent && { ...agent };

/** The names that specification 003 has for the fields of a tool event. */
const toolFields = { name: "tool_name", params: "tool_input", result: "tool_response", error: "error" } as const;

/** An event without a tool has no parameters, no result and no error of one. */
function toolOf({ event: { data }, turn }: Scope): Fields {
  if (own(data, toolFields.name) === undefined) return turn.tool === undefined ? {} : { name: turn.tool };
  const found: Fields = {};
  for (const [name, field] of Object.entries(toolFields)) {
    const value = own(data, field);
    if (value !== undefined) found[name] = value;
  }
  const response = found.result;
  // A tool may fail by what it answers, and then says there why.
  if (found.error === undefined && isRecord(response) && hasFailed(data)) {
    const error = own(response as Fields, "error"); // a payload is JSON
    if (error !== undefined) found.error = error;
  }
  return found;
}

/** Longer paths lead nowhere; without a bound, looking for keys with dots would not be linear. */
const deepest = 64;

/** undefined: not a placeholder that means anything. */
function compilePlaceholder(written: string): Read | undefined {
  if (!isPlainPath(written)) return undefined;
  const dot = written.indexOf(".");
  const name = (dot < 0 ? written : written.slice(0, dot)).trimEnd();
  const path =
    dot < 0
      ? undefined
      : written
          .slice(dot + 1)
          .trim()
          .split(".");
  if (path && path.length > deepest) return () => "";
  const step = /^step_(\d{1,6})$/.exec(name)?.[1];
  if (step !== undefined) return readResult(({ results }) => results[Number(step)], path);
  if (name === "previous") return readResult(({ results }) => results.at(-1), path);
  const root = Object.hasOwn(roots, name) ? roots[name] : undefined;
  const part = path?.join(".") ?? "";
  const other = root?.otherwise && Object.hasOwn(root.otherwise, part) ? root.otherwise[part] : undefined;
  if (!root) return undefined;
  const read: Read = (scope) => orEmpty(find(root.read(scope), path ?? [], 0));
  return other ? (scope) => find(root.read(scope), path ?? [], 0) ?? orEmpty(other(scope)) : read;
}

function readResult(resultOf: (scope: Scope) => StepRecord | undefined, path: readonly string[] | undefined): Read {
  if (path) return (scope) => orEmpty(find(resultOf(scope)?.output, path, 0));
  return (scope) => {
    const output = resultOf(scope)?.output;
    return output === undefined ? "" : mainOutput(output);
  };
}

/** Null is a value; only what is missing is empty. */
const orEmpty = (value: Json | undefined): Json => (value === undefined ? "" : value);

/** What a step is about, of all its output: the first of these that is not empty, else everything (A40). */
export function mainOutput(output: Fields): Json {
  for (const field of ["stdout", "content", "body", "diff"]) {
    const value = own(output, field);
    if (value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0))
      return value;
  }
  return output;
}

/** Walks down; at each level a key that holds the dots itself is tried before the path is cut shorter (R41). */
function find(value: Json | undefined, path: readonly string[], from: number): Json | undefined {
  if (from === path.length) return value;
  if (typeof value !== "object" || value === null) return undefined;
  for (let end = Array.isArray(value) ? from + 1 : path.length; end > from; end--) {
    const next = own(value, path.slice(from, end).join("."));
    const found = next === undefined ? undefined : find(next, path, end);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Own properties only, and only the items of a list. */
function own(value: Json[] | Fields, key: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

export type Print = (value: Json) => Json;

/** By the JSON Schema of the parameters; undefined: nothing in them has to be text. What may also be another thing stays as it is. */
export function printerOf(schema: Fields): Print | undefined {
  if (schema.type === "string") return printValue;
  if (schema.type === "array") return ofList(schema);
  return schema.type === "object" ? ofObject(schema) : undefined;
}

const within = (schema: unknown): Print | undefined => (isFields(schema) ? printerOf(schema) : undefined);

function ofList({ items }: Fields): Print | undefined {
  const print = within(items);
  return print && ((value) => (Array.isArray(value) ? value.map(print) : value));
}

function ofObject({ properties, additionalProperties }: Fields): Print | undefined {
  const named = new Map<string, Print>();
  for (const [key, one] of Object.entries(fieldsIn(properties))) {
    const print = within(one);
    if (print) named.set(key, print);
  }
  const other = within(additionalProperties);
  if (named.size === 0 && !other) return undefined;
  const printed = (key: string, value: Json): Json => (named.get(key) ?? other)?.(value) ?? value;
  return (value) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value as Fields).map(([key, one]) => [key, printed(key, one)])) // it is JSON
      : value;
}
