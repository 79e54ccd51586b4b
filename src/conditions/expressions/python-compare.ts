/** Python's comparisons: equality between all kinds, order within one, membership. */

import { holdsText } from "../text-search.ts";
import type { Comparison } from "./expression-tree.ts";
import { type Frame, fault, spend, spendText } from "./frame.ts";
import { isDictionary, isTuple, itemsOf, kindOfValue, numberOf, type Value, valueAt, wordsOf } from "./python-value.ts";

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
