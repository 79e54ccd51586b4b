/** The functions and methods that an expression may call, and nothing else that is called by name. */
import { find } from "../text-search.ts";
import { addValues, checkKey, equals, negative, order, whole } from "./operators.ts";
import { checkLength, type Frame, fault, spend, spendText } from "./tree.ts";
import {
  allOf,
  countIn,
  float,
  isBlank,
  isDictionary,
  isTuple,
  itemsOf,
  keysOf,
  lengthOf,
  numberOf,
  placeOf,
  printText,
  replaceIn,
  splitAt,
  splitAtBlanks,
  strip,
  truth,
  type Value,
  valueAt,
  wholeOf,
  wordsOf,
} from "./values.ts";

export interface PythonFunction {
  /** How many values it takes. */
  least: number;
  most: number;
  /** A generator may stand in it. */
  takesEach?: true;
  call(frame: Frame, given: readonly Value[]): Value;
}

const many = Number.POSITIVE_INFINITY;

const one =
  (read: (frame: Frame, value: Value) => Value): PythonFunction["call"] =>
  (frame, [value = null]) =>
    read(frame, value);

function lengthOfValue(frame: Frame, value: Value): number {
  if (typeof value === "string") {
    spendText(frame, value.length);
    return lengthOf(value);
  }
  if (isDictionary(value)) return keysOf(frame, value).length;
  return itemsOf(value)?.length ?? fault(frame, `len() does not take ${wordsOf(value)}`);
}

/** The one that comes before or after all others; of equals the first. */
const extreme =
  (name: "min" | "max"): PythonFunction["call"] =>
  (frame, given) => {
    const [first, ...others] = given.length === 1 ? allOf(frame, given[0] ?? null) : given;
    if (first === undefined) return fault(frame, `${name}() of nothing`);
    const by = name === "min" ? "<" : ">";
    return others.reduce((best, next) => {
      spend(frame, 1);
      const rank = order(frame, by, next, best);
      return rank !== undefined && (name === "min" ? rank < 0 : rank > 0) ? next : best;
    }, first);
  };

function sort(frame: Frame, value: Value): Value {
  const items = [...allOf(frame, value)];
  spend(frame, items.length);
  return items.sort((left, right) => {
    spend(frame, 1);
    return order(frame, "<", left, right) ?? 0;
  });
}

function add(frame: Frame, value: Value): Value {
  return allOf(frame, value).reduce<Value>((sum, item) => {
    spend(frame, 1);
    return addValues(frame, sum, item);
  }, 0);
}

function absolute(frame: Frame, value: Value): Value {
  const number = numberOf(value);
  if (number === undefined) return fault(frame, `abs() does not take ${wordsOf(value)}`);
  const exact = wholeOf(value);
  return exact === undefined ? float(Math.abs(number)) : exact < 0 ? negative(frame, exact) : exact;
}

const longestNumber = 1000;

function toWhole(frame: Frame, value: Value): Value {
  if (typeof value === "string") {
    const text = textOfNumber(frame, value);
    return /^[+-]?\d+(_\d+)*$/.test(text)
      ? whole(frame, Number(text.replaceAll("_", "")))
      : fault(frame, "int() takes a text of digits");
  }
  const number = numberOf(value);
  return number === undefined
    ? fault(frame, `int() does not take ${wordsOf(value)}`)
    : whole(frame, Math.trunc(number));
}

const namedFloats: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};
const floatText = /^(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;

function toFloat(frame: Frame, value: Value): Value {
  if (typeof value === "string") {
    const text = textOfNumber(frame, value);
    const bare = text.replace(/^[+-]/, "");
    const name = bare.toLowerCase();
    const named = Object.hasOwn(namedFloats, name) ? namedFloats[name] : undefined;
    if (named === undefined && !floatText.test(bare)) return fault(frame, "float() takes a text that is a number");
    const number = named ?? Number(bare.replaceAll("_", ""));
    return float(text.startsWith("-") ? -number : number);
  }
  const number = numberOf(value);
  return number === undefined ? fault(frame, `float() does not take ${wordsOf(value)}`) : float(number);
}

function textOfNumber(frame: Frame, text: string): string {
  if (text.length > longestNumber) return fault(frame, `a number has at most ${longestNumber} digits`);
  return strip(text, isBlank);
}

/** Halves go to the even neighbour. With digits, a float stays one; without, it becomes whole. */
function round(frame: Frame, [value = null, digits = null]: readonly Value[]): Value {
  const number = numberOf(value);
  if (number === undefined) return fault(frame, `round() does not take ${wordsOf(value)}`);
  const places = digits === null ? 0 : wholeOf(digits);
  if (places === undefined || places < 0 || places > 15) return fault(frame, "round() takes 0 to 15 digits");
  const exact = wholeOf(value);
  if (exact !== undefined) return exact;
  const rounded = roundFloat(number, places);
  return digits === null ? whole(frame, rounded) : float(rounded);
}

/** toFixed is exact, but takes the larger neighbour of a tie; a tie ends in a 5 and nothing but zeros. */
function roundFloat(number: number, places: number): number {
  if (!Number.isFinite(number) || Math.abs(number) >= 2 ** 53) return number;
  const size = Math.abs(number);
  const text = size.toFixed(100);
  const cut = text.length - 100 + places;
  const isTie = /^50*$/.test(text.slice(cut));
  const below = Number(text.slice(0, cut).replace(/\.$/, ""));
  const last = Number(text.slice(0, cut).replace(".", "").at(-1));
  const result = isTie && last % 2 === 0 ? below : Number(size.toFixed(places));
  return number < 0 || Object.is(number, -0) ? -result : result;
}

/** any and all end at the first that decides; with a generator, evaluate.ts sees to that. */
export const functions: { readonly [name: string]: PythonFunction } = {
  len: { least: 1, most: 1, call: one(lengthOfValue) },
  any: { least: 1, most: 1, takesEach: true, call: one((frame, value) => spendEach(frame, value).some(truth)) },
  all: { least: 1, most: 1, takesEach: true, call: one((frame, value) => spendEach(frame, value).every(truth)) },
  min: { least: 1, most: many, takesEach: true, call: extreme("min") },
  max: { least: 1, most: many, takesEach: true, call: extreme("max") },
  sum: { least: 1, most: 1, takesEach: true, call: one(add) },
  sorted: { least: 1, most: 1, takesEach: true, call: one(sort) },
  abs: { least: 1, most: 1, call: one(absolute) },
  round: { least: 1, most: 2, call: round },
  str: { least: 1, most: 1, call: one(printText) },
  int: { least: 1, most: 1, call: one(toWhole) },
  float: { least: 1, most: 1, call: one(toFloat) },
  bool: { least: 1, most: 1, call: one((_frame, value) => truth(value)) },
};

function spendEach(frame: Frame, value: Value): readonly Value[] {
  const items = allOf(frame, value);
  spend(frame, items.length);
  return items;
}

/** Of a list or tuple: how many items are equal to this. */
export function countEqual(frame: Frame, list: readonly Value[], wanted: Value): number {
  spend(frame, list.length);
  return list.filter((item) => equals(frame, item, wanted)).length;
}

interface PythonMethod {
  least: number;
  most: number;
  call(frame: Frame, of: Value, given: readonly Value[]): Value;
}

type OnText = (frame: Frame, text: string, given: readonly Value[], name: string) => Value;

const onText =
  (name: string, read: OnText): PythonMethod["call"] =>
  (frame, of, given) => {
    if (typeof of !== "string") return fault(frame, `${wordsOf(of)} has no method ${name}`);
    spendText(frame, of.length);
    return read(frame, of, given, name);
  };

function textGiven(frame: Frame, value: Value, name: string): string {
  return typeof value === "string" ? value : fault(frame, `${name}() does not take ${wordsOf(value)}`);
}

/** How often at most; left out or below 0: always. */
function mostGiven(frame: Frame, value: Value, name: string): number {
  const most = wholeOf(value) ?? fault(frame, `${name}() does not take ${wordsOf(value)}`);
  return most < 0 ? Number.POSITIVE_INFINITY : most;
}

const begins =
  (fits: (text: string, part: string) => boolean): OnText =>
  (frame, text, [part = null], name) => {
    const parts = isTuple(part) ? part.items : [part];
    spend(frame, parts.length);
    return parts.some((one) => fits(text, textGiven(frame, one, name)));
  };

const split: OnText = (frame, text, [separator = null, limit = -1], name) => {
  const most = mostGiven(frame, limit, name);
  if (separator === "") return fault(frame, "split() does not take an empty text");
  const parts = separator === null ? splitAtBlanks(text, most) : splitAt(text, textGiven(frame, separator, name), most);
  spend(frame, parts.length);
  return parts;
};

const replace: OnText = (frame, text, [old = null, by = null, limit = -1], name) => {
  const [gone, come] = [textGiven(frame, old, name), textGiven(frame, by, name)];
  const most = mostGiven(frame, limit, name);
  const times = Math.min(most, countIn(text, gone));
  const length = text.length + times * (come.length - gone.length);
  if (length > text.length) checkLength(frame, length);
  spendText(frame, length);
  return replaceIn(text, gone, come, most);
};

const stripText: OnText = (frame, text, [signs = null], name) => {
  if (signs === null) return strip(text, isBlank);
  const goes = new Set(textGiven(frame, signs, name));
  return strip(text, (sign) => goes.has(sign));
};

function count(frame: Frame, of: Value, [wanted = null]: readonly Value[]): Value {
  const items = itemsOf(of);
  if (items) return countEqual(frame, items, wanted);
  return onText("count", (_frame, text) => countIn(text, textGiven(frame, wanted, "count")))(frame, of, [wanted]);
}

function get(frame: Frame, of: Value, [key = null, otherwise = null]: readonly Value[]): Value {
  if (!isDictionary(of)) return fault(frame, `${wordsOf(of)} has no method get`);
  checkKey(frame, key);
  return typeof key === "string" && Object.hasOwn(of, key) ? valueAt(of, key) : otherwise;
}

const findText: OnText = (frame, text, [part = null], name) => placeOf(text, find(text, textGiven(frame, part, name)));

const textMethods: { readonly [name: string]: { least: number; most: number; read: OnText } } = {
  lower: { least: 0, most: 0, read: (_frame, text) => text.toLowerCase() },
  upper: { least: 0, most: 0, read: (_frame, text) => text.toUpperCase() },
  strip: { least: 0, most: 1, read: stripText },
  startswith: { least: 1, most: 1, read: begins((text, part) => text.startsWith(part)) },
  endswith: { least: 1, most: 1, read: begins((text, part) => text.endsWith(part)) },
  split: { least: 0, most: 2, read: split },
  replace: { least: 2, most: 3, read: replace },
  find: { least: 1, most: 1, read: findText },
};

export const methods: { readonly [name: string]: PythonMethod } = {
  ...Object.fromEntries(
    Object.entries(textMethods).map(([name, { least, most, read }]) => [
      name,
      { least, most, call: onText(name, read) },
    ]),
  ),
  count: { least: 1, most: 1, call: count },
  get: { least: 1, most: 2, call: get },
};
