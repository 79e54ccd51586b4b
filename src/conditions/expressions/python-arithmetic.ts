/** Python's arithmetic: whole numbers stay whole and exact or are refused, floats follow Python's signs and rounding. */
import type { Operator } from "./expression-tree.ts";
import { checkLength, type Frame, fault, spend, spendText } from "./frame.ts";
import { float, isTuple, itemsOf, numberOf, tuple, type Value, wholeOf, wordsOf } from "./python-value.ts";

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
