/** The methods that an expression may call: of texts, and what lists and dictionaries share with them. */

import { find } from "../text-search.ts";
import { checkLength, type Frame, fault, spend, spendText } from "./frame.ts";
import { checkKey } from "./python-compare.ts";
import { countEqual } from "./python-functions.ts";
import { countIn, isBlank, placeOf, replaceIn, splitAt, splitAtBlanks, strip } from "./python-text.ts";
import { isDictionary, isTuple, itemsOf, type Value, valueAt, wholeOf, wordsOf } from "./python-value.ts";

export interface PythonMethod {
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
