/** Python's operators: arithmetic, where whole numbers stay whole and exact or are refused, and comparisons. */
import { holdsText } from "../text-search.ts";
import { type Comparison, checkLength, type Frame, fault, type Operator, spend, spendText } from "./tree.ts";
import {
  float,
  isDictionary,
  isTuple,
  itemsOf,
  kindOfValue,
  numberOf,
  tuple,
  type Value,
  valueAt,
  wholeOf,
  wordsOf,
} from "./values.ts";

type Calculate = (frame: Frame, left: Value, right: Value) => Value;
type OnNumbers = (frame: Frame, left: number, right: number) => number;

/** Beyond 2^53 a whole number would no longer be exact. The sum turns -0 into 0, which whole numbers do not have. */
export function whole(frame: Frame, value: number): number {
  return Number.isSafeInteger(value) ? value + 0 : fault(frame, "a whole number beyond 2**53 is too large");
}

const refuse = (frame: Frame, by: Operator, left: Value, right: Value): never =>
  fault(frame, `${by} does not take ${wordsOf(left)} and ${wordsOf(right)}`);

/** One function for whole numbers, one for floats. */
function onNumbers(by: Operator, onWhole: OnNumbers, onFloats: OnNumbers): Calculate {
  return (frame, left, right) => {
    const [one, other] = [wholeOf(left), wholeOf(right)];
    if (one !== undefined && other !== undefined) return whole(frame, onWhole(frame, one, other));
    const [number, second] = [numberOf(left), numberOf(right)];
    if (number === undefined || second === undefined) return refuse(frame, by, left, right);
    return float(onFloats(frame, number, second));
  };
}

const sum: OnNumbers = (_frame, left, right) => left + right;
const product: OnNumbers = (_frame, left, right) => left * right;
const difference: OnNumbers = (_frame, left, right) => left - right;
const addNumbers = onNumbers("+", sum, sum);
const multiplyNumbers = onNumbers("*", product, product);

function add(frame: Frame, left: Value, right: Value): Value {
  if (typeof left === "string" && typeof right === "string") {
    checkLength(frame, left.length + right.length);
    spendText(frame, left.length + right.length);
    return left + right;
  }
  const [items, others] = [itemsOf(left), itemsOf(right)];
  if (items && others && isTuple(left) === isTuple(right)) {
    spend(frame, items.length + others.length);
    return rebuilt(left, [...items, ...others]);
  }
  return addNumbers(frame, left, right);
}

const rebuilt = (like: Value, items: readonly Value[]): Value => (isTuple(like) ? tuple(items) : items);

function multiply(frame: Frame, left: Value, right: Value): Value {
  if (isRepeatable(left)) return repeat(frame, left, wholeOf(right) ?? refuse(frame, "*", left, right));
  if (isRepeatable(right)) return repeat(frame, right, wholeOf(left) ?? refuse(frame, "*", left, right));
  return multiplyNumbers(frame, left, right);
}

const isRepeatable = (value: Value): boolean => typeof value === "string" || itemsOf(value) !== undefined;

function repeat(frame: Frame, value: Value, times: number): Value {
  const count = Math.max(0, times);
  if (typeof value === "string") {
    checkLength(frame, value.length * count);
    spendText(frame, value.length * count);
    return value === "" ? "" : value.repeat(count);
  }
  const items = itemsOf(value) ?? [];
  spend(frame, items.length * count);
  return rebuilt(value, items.length === 0 ? [] : Array.from({ length: count }, () => items).flat());
}

function divide(frame: Frame, left: Value, right: Value): Value {
  const [number, by] = [numberOf(left), numberOf(right)];
  if (number === undefined || by === undefined) return refuse(frame, "/", left, right);
  return float(number / nonZero(frame, by));
}

const nonZero = (frame: Frame, value: number): number => (value === 0 ? fault(frame, "division by zero") : value);

/** Towards minus infinity; the rest has the sign of the divisor. */
function floorWhole(frame: Frame, left: number, right: number): number {
  const rest = left % nonZero(frame, right);
  const quotient = (left - rest) / right;
  return rest !== 0 && rest < 0 !== right < 0 ? quotient - 1 : quotient;
}

function restWhole(frame: Frame, left: number, right: number): number {
  const rest = left % nonZero(frame, right);
  return rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest;
}

/** What C's fmod gives, with the sign of the divisor. */
function restFloat(frame: Frame, left: number, right: number): number {
  const rest = left % nonZero(frame, right);
  if (rest === 0) return right < 0 ? -0 : 0;
  return rest < 0 !== right < 0 ? rest + right : rest;
}

function floorFloat(frame: Frame, left: number, right: number): number {
  const rest = left % nonZero(frame, right);
  const quotient = (left - rest) / right - (rest !== 0 && rest < 0 !== right < 0 ? 1 : 0);
  if (quotient === 0) return left / right < 0 || Object.is(left / right, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

/** A whole power of a whole number is exact; a negative one makes it a float. */
function power(frame: Frame, left: Value, right: Value): Value {
  const [base, exponent] = [wholeOf(left), wholeOf(right)];
  if (base !== undefined && exponent !== undefined && exponent >= 0) return wholePower(frame, base, exponent);
  const [number, by] = [numberOf(left), numberOf(right)];
  if (number === undefined || by === undefined) return refuse(frame, "**", left, right);
  if (number === 1 || by === 0) return float(1);
  if (number === 0 && by < 0) return fault(frame, "division by zero");
  if (number < 0 && Number.isFinite(number) && Number.isFinite(by) && !Number.isInteger(by))
    return fault(frame, "the root of a negative number is no number");
  if (number === -1 && !Number.isFinite(by)) return float(Number.isNaN(by) ? by : 1);
  const result = number ** by;
  if (!Number.isFinite(result) && Number.isFinite(number) && Number.isFinite(by))
    return fault(frame, "the result is too large");
  return float(result);
}

function wholePower(frame: Frame, base: number, exponent: number): number {
  if (Math.abs(base) < 2) return exponent === 0 ? 1 : base === -1 && exponent % 2 === 0 ? 1 : base;
  return exponent > 53
    ? whole(frame, Number.POSITIVE_INFINITY)
    : whole(frame, Number(BigInt(base) ** BigInt(exponent)));
}

const rest = onNumbers("%", restWhole, restFloat);

export const calculateBy: Readonly<Record<Operator, Calculate>> = {
  "+": add,
  "-": onNumbers("-", difference, difference),
  "*": multiply,
  "/": divide,
  "//": onNumbers("//", floorWhole, floorFloat),
  "%": (frame, left, right) =>
    typeof left === "string"
      ? fault(frame, "filling a text with % is not supported: join with +")
      : rest(frame, left, right),
  "**": power,
};
export const addValues: Calculate = addNumbers;

export function negative(frame: Frame, value: Value): Value {
  const exact = wholeOf(value);
  if (exact !== undefined) return whole(frame, -exact);
  const number = numberOf(value);
  return number === undefined ? fault(frame, `- does not take ${wordsOf(value)}`) : float(-number);
}

export function positive(frame: Frame, value: Value): Value {
  const exact = wholeOf(value);
  if (exact !== undefined) return exact;
  return numberOf(value) === undefined ? fault(frame, `+ does not take ${wordsOf(value)}`) : value;
}

const deepest = 100;

/** 1 == 1.0 == True; a text is never a number, a list never a tuple. */
export function equals(frame: Frame, left: Value, right: Value, depth = 0): boolean {
  if (typeof left === "string" && typeof right === "string") {
    if (left.length !== right.length) return false;
    spendText(frame, left.length);
    return left === right;
  }
  if (left === right) return true;
  const number = numberOf(left);
  if (number !== undefined) return number === numberOf(right);
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (depth > deepest) return fault(frame, "it is nested too deep to be compared");
  spend(frame, 1);
  const [items, others] = [itemsOf(left), itemsOf(right)];
  if (items && others) {
    if (isTuple(left) !== isTuple(right) || items.length !== others.length) return false;
    spend(frame, items.length);
    return items.every((item, index) => equals(frame, item, others[index] ?? null, depth + 1));
  }
  if (!isDictionary(left) || !isDictionary(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  spend(frame, keys.length);
  return keys.every(
    (key) => Object.hasOwn(right, key) && equals(frame, valueAt(left, key), valueAt(right, key), depth + 1),
  );
}

/** Below 0: left comes first. NaN has no place: undefined. */
export function order(frame: Frame, by: string, left: Value, right: Value, depth = 0): number | undefined {
  const [number, other] = [numberOf(left), numberOf(right)];
  if (number !== undefined && other !== undefined) {
    return number < other ? -1 : number > other ? 1 : number === other ? 0 : undefined;
  }
  if (typeof left === "string" && typeof right === "string") {
    spendText(frame, Math.min(left.length, right.length));
    return orderTexts(left, right);
  }
  const [items, others] = [itemsOf(left), itemsOf(right)];
  if (!items || !others || isTuple(left) !== isTuple(right)) {
    return fault(frame, `${wordsOf(left)} and ${wordsOf(right)} cannot be compared with ${by}`);
  }
  if (depth > deepest) return fault(frame, "it is nested too deep to be compared");
  for (const [index, item] of items.entries()) {
    spend(frame, 1);
    const against = others[index];
    if (against === undefined) return 1;
    if (!equals(frame, item, against)) return order(frame, by, item, against, depth + 1);
  }
  return items.length === others.length ? 0 : -1;
}

/** By code points, as Python: surrogates come after everything else of one unit. */
function orderTexts(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  for (let at = 0; at < most; at++) {
    const [one, other] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (one !== other) return rank(left, at) < rank(right, at) ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}

/** A unit that differs may be the second half of a character; its first half then is the same in both. */
function rank(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const isSecond = unit >= 0xdc00 && unit < 0xe000 && at > 0 && isFirst(text.charCodeAt(at - 1));
  return isSecond ? 0x10000 + unit : (text.codePointAt(at) ?? 0);
}

const isFirst = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function contains(frame: Frame, item: Value, container: Value): boolean {
  if (typeof container === "string") {
    if (typeof item !== "string") return fault(frame, `${wordsOf(item)} cannot be in a text`);
    spendText(frame, container.length);
    return holdsText(container, item);
  }
  const items = itemsOf(container);
  if (items) {
    return items.some((one) => {
      spend(frame, 1);
      return equals(frame, item, one);
    });
  }
  if (!isDictionary(container)) return fault(frame, `nothing can be in ${wordsOf(container)}`);
  return typeof item === "string" ? Object.hasOwn(container, item) : !checkKey(frame, item);
}

/** A dictionary can be asked for whatever could be a key. Always true. */
export function checkKey(frame: Frame, key: Value): boolean {
  const kind = kindOfValue(key);
  if (kind === "list" || kind === "dict") return fault(frame, `${wordsOf(key)} cannot be a key`);
  return !isTuple(key) || key.items.every((item) => checkKey(frame, item));
}

type Compare = (frame: Frame, left: Value, right: Value) => boolean;
type Ranked = (rank: number) => boolean;

const ordered =
  (by: Comparison, fits: Ranked): Compare =>
  (frame, left, right) => {
    const rank = order(frame, by, left, right);
    return rank !== undefined && fits(rank);
  };

export const compareBy: Readonly<Record<Comparison, Compare>> = {
  "==": equals,
  "!=": (frame, left, right) => !equals(frame, left, right),
  "<": ordered("<", (rank) => rank < 0),
  "<=": ordered("<=", (rank) => rank <= 0),
  ">": ordered(">", (rank) => rank > 0),
  ">=": ordered(">=", (rank) => rank >= 0),
  in: contains,
  "not in": (frame, left, right) => !contains(frame, left, right),
  is: (_frame, left, right) => left === right,
  "is not": (_frame, left, right) => left !== right,
};
