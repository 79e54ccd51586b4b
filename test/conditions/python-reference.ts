/** What an expression means, said once more and plainly: the sample itself is interpreted, whole numbers are bigints. */
import type { Json } from "../../src/engine/event.ts";
import type { Sample } from "./python-sample.ts";

type Row = { row: "list" | "tuple"; of: Known[] };
type Known = null | boolean | bigint | number | string | Row | Map<string, Known>;
type Names = { readonly [name: string]: Known };

class Refused extends Error {}
const refuse = (): never => {
  throw new Refused();
};

/** repr() of the answer, or FAULT. */
export function interpret(sample: Sample, world: { readonly [name: string]: Json }): string {
  const names = Object.fromEntries(
    Object.entries(world).map(([name, value]) => [
      name,
      name === "pressure" && typeof value === "number" ? value : fromJson(value),
    ]),
  );
  try {
    return show(answer(sample, names));
  } catch (error) {
    if (error instanceof Refused) return "FAULT";
    throw error;
  }
}

function fromJson(value: Json): Known {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return { row: "list", of: value.map(fromJson) };
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([key, one]) => [key, fromJson(one)]));
  return value;
}

const list = (of: Known[]): Row => ({ row: "list", of });
const isRow = (value: Known): value is Row => typeof value === "object" && value !== null && "row" in value;
const limit = 2n ** 53n;
const exact = (value: bigint): bigint => (value > -limit && value < limit ? value : refuse());
const number = (value: Known): bigint | number | undefined =>
  typeof value === "boolean"
    ? BigInt(value)
    : typeof value === "bigint" || typeof value === "number"
      ? value
      : undefined;
const needNumber = (value: Known): bigint | number => number(value) ?? refuse();
const needText = (value: Known): string => (typeof value === "string" ? value : refuse());
const needWhole = (value: Known): number => {
  const found = number(value);
  return typeof found === "bigint" ? Number(found) : refuse();
};

function isTrue(value: Known): boolean {
  if (isRow(value)) return value.of.length > 0;
  return value instanceof Map ? value.size > 0 : Number.isNaN(value) || Boolean(value);
}

function same(left: Known, right: Known): boolean {
  const [one, other] = [number(left), number(right)];
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number that are equal
  if (one !== undefined || other !== undefined) return one !== undefined && other !== undefined && one == other;
  if (isRow(left) && isRow(right))
    return (
      left.row === right.row &&
      left.of.length === right.of.length &&
      left.of.every((item, at) => same(item, right.of[at] ?? null))
    );
  if (left instanceof Map && right instanceof Map)
    return (
      left.size === right.size &&
      [...left].every(([key, value]) => right.has(key) && same(value, right.get(key) ?? null))
    );
  return left === right;
}

function isLess(left: Known, right: Known): boolean {
  const [one, other] = [number(left), number(right)];
  if (one !== undefined && other !== undefined) return one < other;
  if (typeof left === "string" && typeof right === "string") {
    const [letters, others] = [[...left], [...right]];
    const at = letters.findIndex((letter, index) => letter !== others[index]);
    if (at < 0) return letters.length < others.length;
    return at < others.length && (letters[at]?.codePointAt(0) ?? 0) < (others[at]?.codePointAt(0) ?? 0);
  }
  if (!isRow(left) || !isRow(right) || left.row !== right.row) return refuse();
  const at = left.of.findIndex((item, index) => index >= right.of.length || !same(item, right.of[index] ?? null));
  if (at < 0) return left.of.length < right.of.length;
  return at < right.of.length && isLess(left.of[at] ?? null, right.of[at] ?? null);
}

const isOrdered = (by: string, left: Known, right: Known): boolean => {
  if (by === "<") return isLess(left, right);
  if (by === ">") return isLess(right, left);
  const isNaNAmong = Number.isNaN(left) || Number.isNaN(right);
  return by === "<=" ? !isLess(right, left) && !isNaNAmong : !isLess(left, right) && !isNaNAmong;
};

function isIn(item: Known, holder: Known): boolean {
  if (typeof holder === "string") return holder.includes(needText(item));
  if (isRow(holder)) return holder.of.some((one) => same(one, item));
  if (!(holder instanceof Map)) return refuse();
  return typeof item === "string" ? holder.has(item) : hashed(item) && false;
}

const hashed = (key: Known): true => {
  if (key instanceof Map || (isRow(key) && key.row === "list")) return refuse();
  return isRow(key) ? key.of.every(hashed) || true : true;
};

function compare(by: string, left: Known, right: Known): boolean {
  if (by === "==") return same(left, right);
  if (by === "!=") return !same(left, right);
  if (by === "in") return isIn(left, right);
  if (by === "not in") return !isIn(left, right);
  if (by === "is") return left === right;
  return by === "is not" ? left !== right : isOrdered(by, left, right);
}

function calculate(by: string, left: Known, right: Known): Known {
  if (by === "+" && typeof left === "string" && typeof right === "string") return left + right;
  if (by === "+" && isRow(left) && isRow(right))
    return left.row === right.row ? { row: left.row, of: [...left.of, ...right.of] } : refuse();
  if (by === "*" && (typeof left === "string" || isRow(left))) return times(left, needWhole(right));
  if (by === "*" && (typeof right === "string" || isRow(right))) return times(right, needWhole(left));
  const [one, other] = [needNumber(left), needNumber(right)];
  if (typeof one === "bigint" && typeof other === "bigint") {
    const whole = calculateWhole(by, one, other);
    if (whole !== undefined) return exact(whole);
  }
  return calculateFloat(by, Number(one), Number(other));
}

const times = (value: string | Row, count: number): Known => {
  const most = Math.max(0, count);
  if (typeof value === "string") return value.length * most > 100_000 ? refuse() : value.repeat(most);
  return value.of.length * most > 9000
    ? refuse()
    : { row: value.row, of: Array.from({ length: value.of.length ? most : 0 }, () => value.of).flat() };
};

function calculateWhole(by: string, left: bigint, right: bigint): bigint | undefined {
  if (by === "+") return left + right;
  if (by === "-") return left - right;
  if (by === "*") return left * right;
  if (by === "**") return right < 0n ? undefined : right > 60n ? refuse() : left ** right;
  if (by === "/") return undefined;
  if (right === 0n) return refuse();
  const rest = ((left % right) + right) % right;
  return by === "%" ? rest : (left - rest) / right;
}

function calculateFloat(by: string, left: number, right: number): number {
  if (by === "+") return left + right;
  if (by === "-") return left - right;
  if (by === "*") return left * right;
  if (by === "**") return powerOf(left, right);
  if (right === 0) return refuse();
  if (by === "/") return left / right;
  let rest = left % right;
  let quotient = (left - rest) / right;
  if (rest !== 0 && rest < 0 !== right < 0) {
    rest += right;
    quotient -= 1;
  }
  if (by === "%") return rest === 0 ? (right < 0 ? -0 : 0) : rest;
  if (quotient === 0) return Math.sign(left) * Math.sign(right) < 0 || Object.is(left / right, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function powerOf(left: number, right: number): number {
  if (right !== 0 && left === 0 && right < 0) return refuse();
  if (left < 0 && !Number.isInteger(right)) return refuse();
  const result = left ** right;
  return Number.isFinite(result) ? result : refuse();
}

const through = (value: Known): Known[] => {
  if (typeof value === "string") return [...value];
  if (isRow(value)) return value.of;
  return value instanceof Map ? [...value.keys()] : refuse();
};

function at(of: Known, index: Known): Known {
  if (of === null) return null;
  if (of instanceof Map) return hashed(index) && typeof index === "string" ? (of.get(index) ?? null) : null;
  const items = typeof of === "string" || isRow(of) ? through(of) : refuse();
  return items.at(needWhole(index)) ?? null;
}

/** One item after the other, by the definition in Python's own documentation. */
function cut(of: Known, bounds: readonly Known[]): Known {
  const items = typeof of === "string" || isRow(of) ? through(of) : refuse();
  const [start, stop, step] = [0, 1, 2].map((place) => {
    const bound = bounds[place] ?? null;
    return bound === null ? undefined : needWhole(bound);
  });
  const by = step ?? 1;
  if (by === 0) return refuse();
  const inside = (bound: number): number =>
    Math.min(
      Math.max(bound < 0 ? bound + items.length : bound, by > 0 ? 0 : -1),
      by > 0 ? items.length : items.length - 1,
    );
  const from = start === undefined ? (by > 0 ? 0 : items.length - 1) : inside(start);
  const until = stop === undefined ? (by > 0 ? items.length : -1) : inside(stop);
  const found = items.filter(
    (_item, place) =>
      (by > 0 ? place >= from && place < until : place <= from && place > until) && (place - from) % by === 0,
  );
  if (by < 0) found.reverse();
  return typeof of === "string" ? found.join("") : { row: isRow(of) ? of.row : "list", of: found };
}

/** A tuple of texts is any of them; each is looked at only if those before it did not fit. */
const partsOf = (part: Known): { some(fits: (text: string) => boolean): boolean } => {
  const parts = isRow(part) && part.row === "tuple" ? part.of : [part];
  return { some: (fits) => parts.some((one) => fits(needText(one))) };
};

const blank = /^[\t-\r\x20\x85\xa0\u2003]$/;

const methodsOfText: Readonly<Record<string, (text: string, given: readonly Known[]) => Known>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  strip: (text, [signs]) => {
    const gone = signs === undefined || signs === null ? undefined : needText(signs);
    const letters = [...text];
    const goes = (letter = ""): boolean => (gone === undefined ? blank.test(letter) : [...gone].includes(letter));
    while (letters.length > 0 && goes(letters[0])) letters.shift();
    while (letters.length > 0 && goes(letters.at(-1))) letters.pop();
    return letters.join("");
  },
  startswith: (text, [part = null]) => partsOf(part).some((one) => text.startsWith(one)),
  endswith: (text, [part = null]) => partsOf(part).some((one) => text.endsWith(one)),
  count: (text, [part]) => {
    const wanted = needText(part ?? null);
    return BigInt(wanted === "" ? [...text].length + 1 : text.split(wanted).length - 1);
  },
  find: (text, [part]) => {
    const place = text.indexOf(needText(part ?? null));
    return BigInt(place < 0 ? -1 : [...text.slice(0, place)].length);
  },
  split: (text, [separator, most]) => {
    const times = most === undefined ? -1 : needWhole(most);
    if (separator === undefined || separator === null) return list(wordsOf(text, times));
    const parts = needText(separator) === "" ? refuse() : text.split(needText(separator));
    if (times < 0 || parts.length <= times + 1) return list(parts);
    return list([...parts.slice(0, times), parts.slice(times).join(needText(separator))]);
  },
  replace: (text, [old, by, most]) => {
    const [gone, come] = [needText(old ?? null), needText(by ?? null)];
    let times = most === undefined ? -1 : needWhole(most);
    if (times < 0) times = 1_000_000;
    let [before, after] = ["", text];
    if (gone === "") {
      const letters = [...text];
      return (
        letters.map((letter, place) => (place < times ? come + letter : letter)).join("") +
        (letters.length < times ? come : "")
      );
    }
    for (let place = after.indexOf(gone); place >= 0 && times > 0; place = after.indexOf(gone), times--) {
      before += after.slice(0, place) + come;
      after = after.slice(place + gone.length);
    }
    return before + after;
  },
};

function wordsOf(text: string, most: number): string[] {
  const words: string[] = [];
  let rest = text.replace(/^[\t-\r\x20\x85\xa0]+/, "");
  while (rest !== "") {
    const word = words.length === most ? rest : (/^[^\t-\r\x20\x85\xa0]+/.exec(rest)?.[0] ?? "");
    words.push(word);
    rest = words.length > most && most >= 0 ? "" : rest.slice(word.length).replace(/^[\t-\r\x20\x85\xa0]+/, "");
  }
  return words;
}

function callMethod(of: Known, name: string, given: readonly Known[]): Known {
  if (typeof of === "string") return methodsOfText[name]?.(of, given) ?? refuse();
  if (name === "count" && isRow(of)) return BigInt(of.of.filter((item) => same(item, given[0] ?? null)).length);
  if (name === "get" && of instanceof Map) return hashed(given[0] ?? null) && at(of, given[0] ?? null);
  return refuse();
}

const extremeOf = (given: readonly Known[], isBetter: (one: Known, best: Known) => boolean): Known => {
  const items = given.length === 1 ? through(given[0] ?? null) : given;
  const [first = refuse(), ...others] = items;
  return others.reduce((best, one) => (isBetter(one, best) ? one : best), first);
};

const functionsByName: Readonly<Record<string, (given: readonly Known[]) => Known>> = {
  len: ([value = null]) => (number(value) === undefined ? BigInt(through(value).length) : refuse()),
  any: ([value = null]) => through(value).some(isTrue),
  all: ([value = null]) => through(value).every(isTrue),
  bool: ([value = null]) => isTrue(value),
  min: (given) => extremeOf(given, (one, best) => isLess(one, best)),
  max: (given) => extremeOf(given, (one, best) => isLess(best, one)),
  sum: ([value = null]) =>
    through(value).reduce((sum, one) => (number(one) === undefined ? refuse() : calculate("+", sum, one)), 0n),
  sorted: ([value = null]) => {
    const sorted: Known[] = [];
    for (const item of through(value)) {
      const place = sorted.findIndex((one) => isLess(item, one));
      sorted.splice(place < 0 ? sorted.length : place, 0, item);
    }
    return list(sorted);
  },
  abs: ([value = null]) => {
    const found = needNumber(value);
    return typeof found === "bigint" ? (found < 0n ? -found : found) : Math.abs(found);
  },
  str: ([value = null]) => (typeof value === "string" ? value : show(value)),
  int: ([value = null]) => {
    if (typeof value === "string")
      return /^\s*[+-]?\d+(_\d+)*\s*$/.test(value)
        ? exact(BigInt(value.replaceAll("_", "").trim().replace(/^\+/, "")))
        : refuse();
    const found = needNumber(value);
    return typeof found === "bigint" ? found : Number.isFinite(found) ? exact(BigInt(Math.trunc(found))) : refuse();
  },
  float: ([value = null]) => {
    if (typeof value !== "string") return Number(needNumber(value));
    return /^\s*[+-]?(\d+(_\d+)*)(\.\d*)?\s*$/.test(value) ? Number(value.replaceAll("_", "")) : refuse();
  },
  round: ([value = null, digits]) => {
    const found = needNumber(value);
    if (typeof found === "bigint") return found;
    const rounded = roundHalfEven(found, digits === undefined ? 0 : needWhole(digits));
    return digits === undefined ? (Number.isFinite(rounded) ? exact(BigInt(rounded)) : refuse()) : rounded;
  },
};

function callFunction(name: string, given: readonly Known[]): Known {
  const called = functionsByName[name];
  return called ? called(given) : refuse();
}

/** By the exact value of the float, as a fraction of whole numbers. */
function roundHalfEven(value: number, digits: number): number {
  if (!Number.isFinite(value) || Math.abs(value) > 2 ** 52) return value;
  let [above, below] = [Math.abs(value), 1n];
  while (!Number.isInteger(above)) [above, below] = [above * 2, below * 2n];
  const scaled = BigInt(above) * 10n ** BigInt(digits);
  const [floor, rest] = [scaled / below, (scaled % below) * 2n];
  const rounded = rest > below || (rest === below && floor % 2n === 1n) ? floor + 1n : floor;
  const text = String(rounded).padStart(digits + 1, "0");
  const size = Number(`${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`);
  return value < 0 || Object.is(value, -0) ? -size : size;
}

function* loop(sample: Sample & { is: "each" }, names: Names): Generator<Known> {
  for (const item of through(answer(sample.over, names))) {
    const inside = { ...names, [sample.variable]: item };
    if (sample.when.every((test) => isTrue(answer(test, inside)))) yield answer(sample.gives, inside);
  }
}

function each(sample: Sample & { is: "each" }, names: Names): Known {
  const { call } = sample;
  if (call !== "any" && call !== "all") {
    const items = list([...loop(sample, names)]);
    return call === undefined ? items : callFunction(call, [items]);
  }
  for (const item of loop(sample, names)) if (isTrue(item) === (call === "any")) return call === "any";
  return call === "all";
}

function answer(sample: Sample, names: Names): Known {
  switch (sample.is) {
    case "int":
      return BigInt(sample.value);
    case "float":
    case "str":
    case "constant":
      return sample.value;
    case "name": {
      const [root = "", ...path] = sample.value.split(/\.|(?=\[)/);
      return path.reduce<Known>((of, step) => stepInto(of, step), names[root] ?? null);
    }
    case "list":
    case "tuple":
      return { row: sample.is, of: sample.items.map((item) => answer(item, names)) };
    case "dict":
      return new Map(sample.entries.map(([key, value]) => [key, answer(value, names)]));
    case "attribute": {
      const of = answer(sample.of, names);
      return of instanceof Map ? (of.get(sample.name) ?? null) : null;
    }
    case "item": {
      const of = answer(sample.of, names);
      return at(of, answer(sample.index, names));
    }
    case "slice": {
      const of = answer(sample.of, names);
      return cut(
        of,
        sample.bounds.map((bound) => (bound ? answer(bound, names) : null)),
      );
    }
    case "brackets":
      return answer(sample.value, names);
    case "unary": {
      const value = answer(sample.value, names);
      if (sample.by === "not") return !isTrue(value);
      const found = needNumber(value);
      return sample.by === "+" ? found : -found;
    }
    case "binary": {
      const left = answer(sample.left, names);
      if (sample.by === "and" || sample.by === "or")
        return isTrue(left) === (sample.by === "or") ? left : answer(sample.right, names);
      return calculate(sample.by, left, answer(sample.right, names));
    }
    case "chain": {
      let left = answer(sample.first, names);
      for (const { by, value } of sample.rest) {
        const right = answer(value, names);
        if (!compare(by, left, right)) return false;
        left = right;
      }
      return true;
    }
    case "choice":
      return answer(isTrue(answer(sample.test, names)) ? sample.value : sample.otherwise, names);
    case "call": {
      const given = sample.given.map((one) => answer(one, names));
      return callFunction(sample.name, given);
    }
    case "method": {
      const of = answer(sample.of, names);
      return callMethod(
        of,
        sample.name,
        sample.given.map((one) => answer(one, names)),
      );
    }
    case "each":
      return each(sample, names);
  }
}

/** `path`, `["class"]` or `[0]`. */
function stepInto(of: Known, step: string): Known {
  if (!step.startsWith("[")) return of instanceof Map ? (of.get(step) ?? null) : null;
  return at(of, fromJson(JSON.parse(step)[0]));
}

/** repr(). */
function show(value: Known): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return showFloat(value);
  if (typeof value === "string") return showText(value);
  if (isRow(value)) {
    const items = value.of.map(show).join(", ");
    return value.row === "list" ? `[${items}]` : `(${items}${value.of.length === 1 ? "," : ""})`;
  }
  return `{${[...value].map(([key, one]) => `${showText(key)}: ${show(one)}`).join(", ")}}`;
}

function showFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

const showText = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(quote, `\\${quote}`) + quote;
};
