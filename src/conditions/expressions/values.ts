/** The values of expressions: JSON as it is, and what it lacks (floats that are whole, tuples); their texts, items and printed forms. */
import { find } from "../text-search.ts";
import { checkLength, type Frame, fault, spend, spendText } from "./tree.ts";

/** A key that no payload can hold. */
const kind: unique symbol = Symbol("kind");

/** 2.0: any other float is a plain number, which cannot be taken for a whole one. */
export interface Float {
  readonly [kind]: "float";
  readonly value: number;
}
export interface Tuple {
  readonly [kind]: "tuple";
  readonly items: readonly Value[];
}
export interface Dictionary {
  readonly [key: string]: Value;
}
export type Value = null | boolean | number | string | readonly Value[] | Dictionary | Float | Tuple;

export type KindName = "None" | "bool" | "int" | "float" | "str" | "list" | "tuple" | "dict";

/** In a person's words. */
const kindWords: Readonly<Record<KindName, string>> = {
  None: "None",
  bool: "a truth value",
  int: "a whole number",
  float: "a number",
  str: "a text",
  list: "a list",
  tuple: "a tuple",
  dict: "a dictionary",
};

export const isTuple = (value: Value): value is Tuple => markOf(value) === "tuple";
const isFloatBox = (value: Value): value is Float => markOf(value) === "float";
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
export const isDictionary = (value: Value): value is Dictionary =>
  typeof value === "object" && value !== null && !Array.isArray(value) && markOf(value) === undefined;

function markOf(value: Value): unknown {
  return typeof value === "object" && value !== null && kind in value ? value[kind] : undefined;
}

export const tuple = (items: readonly Value[]): Tuple => ({ [kind]: "tuple", items });
/** A float, which prints as 2.0 where it is whole. */
export const float = (value: number): Value => (Number.isSafeInteger(value) ? { [kind]: "float", value } : value);

/** What an embedder's payload holds beside JSON counts as None. */
export function kindOfValue(value: Value): KindName {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return Number.isSafeInteger(value) ? "int" : "float";
    case "string":
      return "str";
    case "object":
      if (value === null) return "None";
      return isList(value) ? "list" : isTuple(value) ? "tuple" : isFloatBox(value) ? "float" : "dict";
    default:
      return "None";
  }
}

export const wordsOf = (value: Value): string => kindWords[kindOfValue(value)];

/** The number of anything that counts as one: True is 1. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return isFloatBox(value) ? value.value : undefined;
}

/** The whole number, where it is no float. */
export function wholeOf(value: Value): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

/** Of a list or a tuple. */
export const itemsOf = (value: Value): readonly Value[] | undefined =>
  isList(value) ? value : isTuple(value) ? value.items : undefined;

export function truth(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  if (typeof value === "string") return value !== "";
  const items = itemsOf(value);
  if (items) return items.length > 0;
  if (isFloatBox(value)) return value.value !== 0;
  if (!isDictionary(value)) return false;
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

/** Own keys only: `__proto__` and `constructor` are keys like any other. */
export function valueAt(of: Value, key: string): Value {
  return isDictionary(of) && Object.hasOwn(of, key) ? (of[key] ?? null) : null;
}

const deepest = 100;

/** str(): a text as it is. */
export function printText(frame: Frame, value: Value): string {
  return typeof value === "string" ? value : represent(frame, value);
}

/** repr(): a text in quotes. */
export function represent(frame: Frame, value: Value): string {
  let length = 0;
  const text = print(value, 0, (part) => {
    spend(frame, 1);
    spendText(frame, part.length);
    length += part.length;
    checkLength(frame, length);
    return part;
  });
  return text ?? fault(frame, "it is nested too deep to be printed");
}

type Keep = (part: string) => string;

function print(value: Value, depth: number, keep: Keep): string | undefined {
  if (depth > deepest) return undefined;
  const items = itemsOf(value);
  if (items) {
    const printed = printAll(items, depth, keep);
    if (printed === undefined) return undefined;
    return isTuple(value) ? `(${printed}${items.length === 1 ? "," : ""})` : `[${printed}]`;
  }
  if (typeof value === "string") return keep(quoted(value));
  if (typeof value === "boolean") return keep(value ? "True" : "False");
  if (typeof value === "number") return keep(Number.isSafeInteger(value) ? String(value + 0) : printFloat(value));
  if (typeof value !== "object" || value === null) return keep("None");
  if (isFloatBox(value)) return keep(printFloat(value.value));
  const entries: string[] = [];
  for (const [key, one] of Object.entries(value)) {
    const printed = print(one, depth + 1, keep);
    if (printed === undefined) return undefined;
    entries.push(`${keep(quoted(key))}: ${printed}`);
  }
  return `{${entries.join(", ")}}`;
}

function printAll(items: readonly Value[], depth: number, keep: Keep): string | undefined {
  const parts: string[] = [];
  for (const item of items) {
    const printed = print(item, depth + 1, keep);
    if (printed === undefined) return undefined;
    parts.push(printed);
  }
  return parts.join(", ");
}

/** The shortest digits that read back as the same number; an exponent below 1e-4 and from 1e16 on. */
function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const digits = mantissa.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Single quotes, unless the text holds these alone. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\'\p{C}\p{Z}]/gu, (sign) => {
    if (sign === " ") return sign;
    if (sign === "'") return quote === "'" ? "\\'" : sign;
    return escapes[sign] ?? escapeCode(sign.codePointAt(0) ?? 0);
  });
  return `${quote}${inner}${quote}`;
}

function escapeCode(code: number): string {
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

const halves = /[\ud800-\udfff]/;

export const charactersOf = (text: string): string[] => (halves.test(text) ? Array.from(text) : text.split(""));
export const lengthOf = (text: string): number => (halves.test(text) ? Array.from(text).length : text.length);
/** Where this unit of the text stands, counted in characters. */
export const placeOf = (text: string, unit: number): number => (unit <= 0 ? unit : lengthOf(text.slice(0, unit)));

const blanks =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
/** One character. */
export const isBlank = (sign: string): boolean => blanks.includes(sign);

/** One character; undefined: there are not so many. */
export function characterAt(text: string, place: number): string | undefined {
  const signs = halves.test(text) ? Array.from(text) : text;
  return signs[place < 0 ? signs.length + place : place];
}

/** Without the signs at both ends that are to go. */
export function strip(text: string, goes: (sign: string) => boolean): string {
  let [start, end] = [0, text.length];
  for (let sign = text.codePointAt(start); sign !== undefined && start < end; sign = text.codePointAt(start)) {
    const written = String.fromCodePoint(sign);
    if (!goes(written)) break;
    start += written.length;
  }
  while (end > start) {
    const width = isPair(text, end - 2) && end - 2 >= start ? 2 : 1;
    if (!goes(text.slice(end - width, end))) break;
    end -= width;
  }
  return text.slice(start, end);
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** At each run of blanks; the last part keeps those at its end if there may be no more. */
export function splitAtBlanks(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    while (at < text.length && isBlank(text[at] ?? "")) at++;
    if (at === text.length) return parts;
    if (parts.length === most) return [...parts, text.slice(at)];
    const start = at;
    while (at < text.length && !isBlank(text[at] ?? "")) at++;
    parts.push(text.slice(start, at));
  }
}

export function splitAt(text: string, separator: string, most: number): string[] {
  const parts: string[] = [];
  let start = 0;
  while (parts.length < most) {
    const end = find(text, separator, start);
    if (end < 0) break;
    parts.push(text.slice(start, end));
    start = end + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** An empty text stands before each character and at the end. */
export const countIn = (text: string, part: string): number =>
  part === "" ? lengthOf(text) + 1 : splitAt(text, part, Number.POSITIVE_INFINITY).length - 1;

export function replaceIn(text: string, old: string, by: string, most: number): string {
  if (old !== "") return splitAt(text, old, most).join(by);
  const signs = charactersOf(text);
  const places = Math.min(most, signs.length + 1);
  return `${signs.map((sign, index) => (index < places ? by + sign : sign)).join("")}${places > signs.length ? by : ""}`;
}

/** What a value holds, one after the other. */
export function allOf(frame: Frame, value: Value): readonly Value[] {
  if (typeof value === "string") {
    spendText(frame, value.length);
    return charactersOf(value);
  }
  const items = itemsOf(value);
  if (items) return items;
  return isDictionary(value) ? keysOf(frame, value) : fault(frame, `${wordsOf(value)} holds nothing to go through`);
}

/** Taking keys together is quicker than going through them, and yet takes their number. */
const keysPerStep = 16;

export function keysOf(frame: Frame, value: Dictionary): string[] {
  const keys = Object.keys(value);
  spend(frame, Math.floor(keys.length / keysPerStep));
  return keys;
}

/** `value[index]`: what is not there is None (R64). */
export function itemAt(frame: Frame, value: Value, index: Value): Value {
  const items = itemsOf(value);
  if (!items && typeof value !== "string") return fault(frame, `${wordsOf(value)} has no items`);
  const place = wholeOf(index);
  if (place === undefined) return fault(frame, `${wordsOf(index)} is no index of ${wordsOf(value)}`);
  if (typeof value === "string") {
    spendText(frame, value.length);
    return characterAt(value, place) ?? null;
  }
  return items?.at(place) ?? null;
}

/** `value[start:stop:step]`, each null where it was left out. */
export function sliceOf(frame: Frame, value: Value, bounds: readonly Value[]): readonly Value[] {
  const items = typeof value === "string" ? allOf(frame, value) : itemsOf(value);
  if (!items) return fault(frame, `${wordsOf(value)} has no slices`);
  const [start, stop, step] = bounds.map((bound) =>
    bound === null ? undefined : (wholeOf(bound) ?? fault(frame, `${wordsOf(bound)} is no bound of a slice`)),
  );
  if (step === 0) return fault(frame, "a slice cannot go in steps of 0");
  const by = step ?? 1;
  const [least, most] = by > 0 ? [0, items.length] : [-1, items.length - 1];
  const clamp = (bound: number): number => Math.min(most, Math.max(least, bound < 0 ? items.length + bound : bound));
  const from = start === undefined ? (by > 0 ? least : most) : clamp(start);
  const until = stop === undefined ? (by > 0 ? most : least) : clamp(stop);
  const found: Value[] = [];
  for (let at = from; by > 0 ? at < until : at > until; at += by) found.push(items[at] ?? null);
  spend(frame, found.length);
  return found;
}
