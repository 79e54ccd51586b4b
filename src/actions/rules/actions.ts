/** The plain actions of rules but gate: inject_message, compact_context, log and notify. */

import type { Fields, Json } from "../../engine/event.ts";
import type { OutcomeField } from "../../engine/outcome.ts";
import type { ActionUse, Handler, StepResult } from "../../engine/ports.ts";
import {
  anything,
  fieldsIn,
  integer,
  isFields,
  isRecord,
  type Mismatch,
  mapOf,
  object,
  oneOf,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { failed, handler, noted } from "../step.ts";
import { eventsTaking } from "./gate.ts";

export type MessageRole = "user" | "system" | "assistant";
export const messageRole: Schema<MessageRole> = say(
  oneOf("user", "system", "assistant"),
  "who says it to the model",
  "user",
);

export type ErrorPolicy = "log" | "ignore" | "raise";
export const errorPolicy: Schema<ErrorPolicy> = say(
  oneOf("log", "ignore", "raise"),
  "what a failure is: logged, ignored, or a failed run",
  "log",
);

export const injectMessage: Handler = handler({
  params: object(
    { content: text("what the model reads") },
    {
      role: messageRole,
      placeholder: text("the named part of the prompt that it goes into, for a host that has such parts"),
    },
  ),
  action: {
    summary: "Adds a message to the conversation. Several messages on one event all arrive, in order.",
    role: () => "observe",
  },
  run({ content, role = "user", placeholder }) {
    if (content.trim() === "") return { ok: true, output: {}, notes: ["the message is empty: nothing was injected"] };
    const message = { to: "model" as const, role, text: content, ...(placeholder ? { placeholder } : {}) };
    return { ok: true, output: { role, content }, outcome: { messages: [message] } };
  },
});

export const compactContext: Handler = handler({
  params: object(
    {},
    {
      strategy: say(
        oneOf("truncate", "summarize"),
        "drop the older messages, or put a summary in their place",
        "truncate",
      ),
      keep_last: integer("messages at the end that stay as they are (default: the host's own number)", 0),
    },
  ),
  action: {
    summary: "Asks the agent to compact the conversation. If the agent takes no such request, asks the person.",
    role: () => "observe",
  },
  run({ strategy = "truncate", keep_last: keepLast }) {
    const compact = { strategy, ...(keepLast === undefined ? {} : { keepLast }) };
    return { ok: true, output: { ...compact }, outcome: { compact } };
  },
});

type Level = "debug" | "info" | "warn" | "error";
const level: Schema<Level | "warning"> = say(
  oneOf("debug", "info", "warn", "warning", "error"),
  "how urgent it is; warning is warn",
  "info",
);
/** One word for each level. */
const levelOf = (written: Level | "warning" = "info"): Level => (written === "warning" ? "warn" : written);

export const log: Handler = handler({
  params: object({ message: text("the line") }, { level }),
  action: { summary: "Writes a line to the log.", role: () => "observe" },
  run({ message, level: written }, { ports, hook, run }) {
    const entry = { level: levelOf(written), message };
    ports.observe?.({ is: "log", ...entry, hook: hook.id, run });
    return { ok: true, output: entry };
  },
});

export const notify: Handler = handler({
  params: object(
    { message: text("the text for the person") },
    {
      title: text("its title"),
      level,
      tag: text("the kind of notice; a newer notice may replace an older one of the same kind"),
    },
  ),
  action: { summary: "Shows the person a message.", role: () => "observe" },
  run({ message, title, level: written, tag }, { ports, hook, run }) {
    const about = { ...(title ? { title } : {}), level: levelOf(written), ...(tag ? { tag } : {}) };
    const notice = { ...about, message };
    ports.observe?.({ is: "notice", notice, hook: hook.id, run });
    return { ok: true, output: notice, outcome: { messages: [{ to: "person", text: message, ...about }] } };
  },
});

// Rewrites a tool's input before it runs, and its result before the agent sees it (specification 003, D56 and D57;
// R20).

interface Change {
  set: Fields;
  remove: readonly string[];
}

/** A map whose only keys are `set` and `remove` is that; any other map is what to set (R20). */
function changeOf(transformation: Fields): Change {
  if (!isLong(transformation)) return { set: transformation, remove: [] };
  const { set, remove } = transformation;
  const names = Array.isArray(remove) ? remove : remove === undefined ? [] : [remove];
  return { set: fieldsIn(set), remove: names.map(String) };
}

function faultsOfChange(transformation: Fields): Mismatch[] {
  const path = ["transformation"];
  if (Object.keys(transformation).length === 0)
    return [{ path, expected: "set, remove, or a key to set", found: "an empty object" }];
  if (!isLong(transformation)) return [];
  const { set, remove } = transformation;
  const names = Array.isArray(remove) ? remove : [remove];
  return [
    ...(set === undefined || isRecord(set)
      ? []
      : [{ path: [...path, "set"], expected: "an object", found: JSON.stringify(set) }]),
    ...(remove === undefined || names.every((name) => typeof name === "string")
      ? []
      : [{ path: [...path, "remove"], expected: "a list of keys", found: JSON.stringify(remove) }]),
  ];
}

const isLong = (transformation: Fields): boolean => {
  const keys = Object.keys(transformation);
  return keys.length > 0 && keys.every((key) => key === "set" || key === "remove");
};

/**
 * Paths walk into objects and lists; a key that holds the dots itself is tried first, as templates do (R41). Notes say what
 * could not be set, and why.
 */
export function applyChange(before: Json, { set, remove }: Change): { value: Json; notes: string[] } {
  const notes: string[] = [];
  let value = before;
  for (const path of remove) value = removeAt(value, path.split("."));
  for (const [path, wanted] of Object.entries(set)) {
    const changed = setAt(value, path.split("."), wanted);
    if (typeof changed === "string") notes.push(`"${path}" was not set: ${changed}`);
    else value = changed.value;
  }
  return { value, notes };
}

/** How many parts of the path are one key here: as many as there is a key for. */
function keyLength(value: Json, path: readonly string[]): number {
  if (!isFields(value)) return 1;
  for (let length = path.length; length > 1; length--)
    if (Object.hasOwn(value, path.slice(0, length).join("."))) return length;
  return 1;
}

/** The value with the change, or why it cannot be made. Missing objects on the way are made. */
function setAt(value: Json, path: readonly string[], wanted: Json): { value: Json } | string {
  if (path.length === 0) return { value: wanted };
  const length = keyLength(value, path);
  const key = path.slice(0, length).join(".");
  const rest = path.slice(length);
  if (Array.isArray(value)) return setItem(value, key, { rest, wanted });
  if (!isFields(value)) return `there is ${describe(value)} where "${key}" would go`;
  const inner = setAt(Object.hasOwn(value, key) ? (value[key] ?? {}) : {}, rest, wanted);
  return typeof inner === "string" ? inner : { value: withKey(value, key, inner.value) };
}

function setItem(
  list: readonly Json[],
  key: string,
  { rest, wanted }: { rest: readonly string[]; wanted: Json },
): { value: Json } | string {
  const index = Number(key);
  if (!/^\d+$/.test(key) || index > list.length) return `the list has ${list.length} items and no place "${key}"`;
  const inner = setAt(list[index] ?? {}, rest, wanted);
  return typeof inner === "string" ? inner : { value: list.toSpliced(index, 1, inner.value) };
}

/** A key that is not there is removed already. */
function removeAt(value: Json, path: readonly string[]): Json {
  const length = keyLength(value, path);
  const key = path.slice(0, length).join(".");
  const rest = path.slice(length);
  if (Array.isArray(value)) {
    const item = /^\d+$/.test(key) ? value[Number(key)] : undefined;
    if (item === undefined) return value;
    return rest.length === 0 ? value.toSpliced(Number(key), 1) : value.toSpliced(Number(key), 1, removeAt(item, rest));
  }
  if (!isFields(value) || !Object.hasOwn(value, key)) return value;
  if (rest.length > 0) return withKey(value, key, removeAt(value[key] ?? null, rest));
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Made of entries, so that "__proto__" is a key like any other. */
const withKey = (value: Fields, key: string, inner: Json): Fields =>
  Object.hasOwn(value, key)
    ? Object.fromEntries(Object.entries(value).map(([name, own]) => [name, name === key ? inner : own]))
    : Object.fromEntries([...Object.entries(value), [key, inner]]);

const describe = (value: Json): string =>
  value === null ? "null" : typeof value === "string" ? "text" : `a ${typeof value}`;

const params: Schema<{ transformation: Fields }> = object({
  transformation: say(
    mapOf(anything),
    "keys to set, or {set: {…}, remove: […]}; a dotted key walks into objects and lists",
  ),
});

const rewriting = (summary: string, field: OutcomeField): ActionUse => ({
  summary,
  role: () => "transform",
  events: eventsTaking(field),
});

const inspect = ({ transformation }: Fields) => (isFields(transformation) ? faultsOfChange(transformation) : []);

export const transformParams: Handler = handler({
  params,
  inspect,
  action: rewriting("Changes a tool's parameters before it runs.", "updatedInput"),
  run({ transformation }, { event }) {
    const { value, ...result } = change(event.data.tool_input, transformation, "tool input");
    return isFields(value) ? { ...result, outcome: { updatedInput: value } } : result;
  },
});

export const transformResult: Handler = handler({
  params,
  inspect,
  action: rewriting("Changes a tool's result before the agent sees it.", "updatedOutput"),
  run({ transformation }, { event }) {
    const { value, ...result } = change(event.data.tool_response, transformation, "tool result");
    return value === undefined ? result : { ...result, outcome: { updatedOutput: value } };
  },
});

/** The new value, where there is one; a change that changes nothing says so. */
function change(before: Json | undefined, transformation: Fields, what: string): StepResult & { value?: Json } {
  if (before === undefined) return { ok: true, output: {}, notes: [`this event has no ${what}: nothing was changed`] };
  if (typeof before !== "object" || before === null) {
    return failed("error", `the ${what} is no object, so its keys cannot be changed`);
  }
  const { value, notes } = applyChange(before, changeOf(transformation));
  if (JSON.stringify(value) === JSON.stringify(before))
    return { ok: true, output: {}, notes: [...notes, `the ${what} was like this already: nothing was changed`] };
  return { ok: true, output: fieldsIn(value), value, ...noted(notes) };
}
