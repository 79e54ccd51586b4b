/** Values written as text, on a command line or in an address, as the JSON that a schema asks for. */
import type { Json } from "../engine/event.ts";
import { isRecord } from "../engine/schema.ts";
import { durationPattern, secondsIn } from "../formats/reading/durations.ts";

/** What JSON Schema calls the kinds of values. */
export type Kind = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object";

const everyKind: readonly Kind[] = ["string", "integer", "number", "boolean", "null", "array", "object"];

/** The kinds of values that a schema takes. */
export function kindsOf(schema: unknown): ReadonlySet<Kind> {
  if (!isRecord(schema)) return new Set(everyKind);
  const { anyOf, oneOf, type } = schema;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return new Set(choices.flatMap((one) => [...kindsOf(one)]));
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(kindOfValue));
  const named = Array.isArray(type) ? type : [type];
  const known = everyKind.filter((kind) => named.includes(kind));
  return new Set(known.length > 0 ? known : everyKind);
}

function kindOfValue(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "object";
}

/** A flag that is there or not. */
export function isSwitch(schema: unknown): boolean {
  const kinds = kindsOf(schema);
  return kinds.has("boolean") && [...kinds].every((kind) => kind === "boolean" || kind === "null");
}

export const takesList = (schema: unknown): boolean => kindsOf(schema).has("array");

const readers: readonly { kinds: readonly Kind[]; looksLike: RegExp; overText: boolean }[] = [
  { kinds: ["null"], looksLike: /^null$/, overText: true },
  { kinds: ["object"], looksLike: /^\s*\{/, overText: true },
  { kinds: ["array"], looksLike: /^\s*\[/, overText: true },
  { kinds: ["boolean"], looksLike: /^(true|false)$/, overText: false },
  { kinds: ["integer", "number"], looksLike: /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, overText: false },
];

/**
 * What the text means where this schema holds; text stays text wherever text is taken, but for JSON objects and lists.
 * Nothing is checked: what fits no kind is given as it is, for the schema to say so.
 *
 * @throws SyntaxError for what has to be JSON and is not
 */
export function readValue(text: string, schema: unknown): Json {
  const kinds = kindsOf(schema);
  const takesText = takesThis(schema, text);
  for (const { kinds: read, looksLike, overText } of readers)
    if (read.some((kind) => kinds.has(kind)) && looksLike.test(text) && (overText || !takesText || isAnything(schema)))
      return takesText ? jsonOr(text) : JSON.parse(text);
  if (kinds.has("array") && !takesText) return [readValue(text, itemsOf(schema))];
  return text;
}

/** Whether this text itself fits: any text does, or it is one of those that may be chosen. */
function takesThis(schema: unknown, text: string): boolean {
  if (!isRecord(schema)) return true;
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.some((one) => takesThis(one, text));
  if (Array.isArray(schema.enum)) return schema.enum.includes(text);
  return kindsOf(schema).has("string") && (schema.pattern !== durationPattern || secondsIn(text) !== undefined);
}

const isAnything = (schema: unknown): boolean => kindsOf(schema).size === everyKind.length;

/** What the schema says of a list's items; undefined: nothing. */
export function itemsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  if (schema.items !== undefined) return schema.items;
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) ? choices.flatMap((one) => (isRecord(one) ? (one.items ?? []) : []))[0] : undefined;
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text; // it only looks like JSON, and text is taken too
  }
}
