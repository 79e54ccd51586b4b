/** The values of expressions: JSON as it is, and what JSON lacks: numbers that are whole and yet floats, and tuples. */

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
export const kindWords: Readonly<Record<KindName, string>> = {
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
export const isFloatBox = (value: Value): value is Float => markOf(value) === "float";
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
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
