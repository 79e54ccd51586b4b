/**
 * What a name or an expression of code may be, as far as the code itself tells: constants, folders that every program knows, what
 * the names are set to, and what is put together of these. The rest is `unknownText`.
 */
import { unknownText } from "../../../engine/pattern.ts";
import {
  combined,
  isTold,
  join,
  known,
  mapped,
  most,
  unknown,
  type Value,
  valueOfCall,
  valueOfProperty,
} from "./calls.ts";
import { type Setting, settingsIn } from "./settings.ts";
import { type Range, type Tree, treeOf } from "./tree.ts";
import type { Word } from "./words.ts";

export interface Code extends Tree {
  valueOf(from: number, to: number): Value;
  valueOfName(name: string): Value;
}

const deepest = 12;
/** Of a whole code: the call waits for the reading. */
const mostSteps = 20_000;
const nothing: Value = { texts: [] };

/** Folders that every program knows, as names that the reader of words keeps whole. */
const folders: readonly (readonly [RegExp, string])[] = [
  [
    /\bos\.path\.expanduser\(\s*["']~["']\s*\)|\b(?:\w+\.)?homedir\(\)|\bDir\.home\b(?:\(\))?|\b(?:pathlib\.)?(?:\w\.)?Path\.home\(\)|\bprocess\.env\.(?:HOME|USERPROFILE)\b|\bos\.(?:getenv|environ\.get)\(["']HOME["']\)|\b(?:ENV|os\.environ|process\.env)\[["']HOME["']\]|\bENV\.fetch\(["']HOME["']\)|\$_(?:SERVER|ENV)\[["']HOME["']\]|\bgetenv\(["']HOME["']\)/g,
    "folder_home",
  ],
  [/\$ENV\{\s*["']?HOME["']?\s*\}|\$HOME\b/g, "$folder_home"],
  [
    /\bprocess\.cwd\(\)|\bos\.getcwd\(\)|\b(?:pathlib\.)?(?:\w\.)?Path\.cwd\(\)|\bDir\.pwd\b|\bgetcwd\(\)/g,
    "folder_here",
  ],
  [/\b__dirname\b|\b__DIR__\b|\bimport\.meta\.dirname\b/g, "folder_of_script"],
  [/\b__file__\b|\b__FILE__\b|\b__filename\b|\bimport\.meta\.(?:filename|url)\b/g, "folder_script"],
  [/\b(?:tempfile\.gettempdir|(?:os\.)?tmpdir|Dir\.tmpdir|sys_get_temp_dir)\b(?:\(\))?/g, "folder_temp"],
];
const named: ReadonlyMap<string, string> = new Map([
  ["folder_home", "~"],
  ["folder_here", "."],
  // A script of the project lies somewhere below its top.
  ["folder_of_script", `./${unknownText}`],
  ["folder_script", `./${unknownText}/${unknownText}`],
  ["folder_temp", `/tmp/${unknownText}`],
]);
/** What is read of one code. */
interface Reading extends Tree {
  settings: ReadonlyMap<string, readonly Setting[]>;
  /** What names were found to be. */
  settled: Map<string, Value>;
  steps: number;
}

export function readValues(text: string): Code {
  let plain = text;
  for (const [shape, word] of folders) plain = plain.replace(shape, word);
  const tree = treeOf(plain);
  const reading: Reading = { ...tree, settings: settingsIn(tree), settled: new Map(), steps: 0 };
  return {
    ...tree,
    valueOf: (from, to) => evaluate(reading, [from, to], 0),
    valueOfName: (name) => lookUp(reading, name, 0),
  };
}

function lookUp(reading: Reading, name: string, depth: number): Value {
  const { settings, settled } = reading;
  const folder = named.get(name);
  if (folder !== undefined) return known([folder]);
  const all = settings.get(name);
  if (all === undefined || depth > deepest) return unknown;
  const before = settled.get(name);
  if (before) return before;
  settled.set(name, unknown); // it is set by what it is
  let value: Value = nothing;
  for (const one of all.slice(0, 2 * most)) {
    const own = one.isName ? known([one.isChosen ? "(some)" : "*"]) : evaluate(reading, [one.from, one.to], depth + 1);
    const chosen = one.isChosen ? mapped(own, (text) => text.replace(/\*$/, "(some)")) : own;
    const added = one.adds;
    // To a list others are added, and nothing is put behind its texts.
    if (added === undefined || own.items !== undefined || one.isOther)
      value = { ...known([...value.texts, ...chosen.texts]), ...(own.items ? { items: own.items } : {}) };
    else value = combined(value, chosen, (left, right) => (added === "/" ? join(left, right) : left + right));
  }
  const found = value.texts.length > 0 ? value : unknown;
  settled.set(name, found);
  return found;
}

function textValue(reading: Reading, { parts = [] }: Word, depth: number): Value {
  let value = known([""]);
  for (const part of parts) {
    const own: Value = typeof part === "string" ? known([part]) : inText(reading, part, depth);
    value = combined(value, own, (left, right) => left + right);
  }
  return value;
}

/** Inside of a text: a name, or a call that the code itself does not tell. */
function inText(reading: Reading, part: readonly Word[], depth: number): Value {
  const [first, ...rest] = part;
  if (first === undefined || first.is !== "name") return unknown;
  if (rest.length === 0) return lookUp(reading, first.word, depth + 1);
  const last = part.at(-1);
  return rest.every(({ is: kind, word }) => kind === "name" || word === ".") && last && reading.settings.has(last.word)
    ? lookUp(reading, last.word, depth + 1)
    : unknown;
}

/** A part of an expression, and where it ends. */
function operand(reading: Reading, [from, to]: Range, depth: number): [Value, number] {
  const { words, is, closeOf, partsOf } = reading;
  if (++reading.steps > mostSteps) return [unknown, to];
  let at = from;
  while (at < to && is(at, "await", "new", "yield", "*", "**", "...", ".", "&", "@", "\\", "return", "my", "our", "u"))
    at++;
  const first = words[at];
  if (first === undefined || at >= to || depth > deepest) return [unknown, to];
  let value: Value = unknown;
  if (first.is === "text") {
    value = textValue(reading, first, depth);
    at++;
  } else if (is(at, "(", "[")) {
    const close = closeOf(at);
    if (is(close + 1, "=>")) return [nothing, to];
    const parts = partsOf(at);
    const items = parts.map(([begin, end]) => evaluate(reading, [begin, end], depth + 1));
    const [only] = items;
    value = is(at, "(") && items.length === 1 && only ? only : { ...known(items.flatMap(({ texts }) => texts)), items };
    at = close + 1;
  } else if (is(at, "{")) {
    value = nothing;
    at = closeOf(at) + 1;
  } else if (first.is === "name") {
    if (/^(?:lambda|function|async|def|sub|proc)$/.test(first.word) || is(at + 1, "=>")) return [nothing, to];
    if (/^(?:\d.*|true|false|True|False|null|None|nil|undefined)$/.test(first.word)) return [nothing, at + 1];
    const second = words[at + 1];
    if (is(at + 1, "(")) {
      value = called(reading, { name: first.word, parts: partsOf(at + 1), on: undefined }, depth);
      at = closeOf(at + 1) + 1;
    } else if (!first.isVariable && is(at + 1, "[") && first.word === "Dir") {
      value = evaluate(reading, [at + 2, closeOf(at + 1)], depth + 1);
      at = closeOf(at + 1) + 1;
    } else if (/^(?:glob|bsd_glob|glob_list)$/.test(first.word) && (second?.is === "text" || second?.is === "name"))
      return [evaluate(reading, [at + 1, to], depth + 1), to];
    else {
      value = lookUp(reading, first.word, depth + 1);
      at++;
    }
  } else return [unknown, to];
  return behind(reading, { start: value, from: at, to }, depth);
}

/** `.parent`, `.join(…)`, `[0]` */
function behind(
  reading: Reading,
  { start, from, to }: { start: Value; from: number; to: number },
  depth: number,
): [Value, number] {
  const { words, is, closeOf, divide, partsOf } = reading;
  let value = start;
  let at = from;
  for (; at < to; ) {
    if (is(at, "[")) at = closeOf(at) + 1;
    else if (is(at, "!") && !is(at + 1, "=")) at++;
    else if (is(at, "(")) {
      value = unknown;
      at = closeOf(at) + 1;
    } else if (is(at, ".", "->", "?.", "::", "?->") && words[at + 1]?.is === "name" && !words[at + 1]?.isVariable) {
      const name = words[at + 1]?.word ?? "";
      const open = is(at + 2, "!") ? at + 3 : at + 2;
      const second = words[open];
      if (is(open, "(")) {
        value = called(reading, { name, parts: partsOf(open), on: value }, depth);
        at = closeOf(open) + 1;
      } else if (second !== undefined && open < to && /^(?:glob|join|expand_path)$/.test(name) && second.is === "text")
        return [called(reading, { name, parts: divide(open, to), on: value }, depth), to];
      else {
        value = called(reading, { name, parts: undefined, on: value }, depth);
        at = open;
      }
    } else break;
  }
  return [value, at];
}

interface Call {
  name: string;
  /** Undefined: no brackets stand behind the name. */
  parts: readonly Range[] | undefined;
  on: Value | undefined;
}

function called(reading: Reading, { name, parts, on }: Call, depth: number): Value {
  const { words, is } = reading;
  if (parts === undefined || parts.length === 0) {
    if (named.has(name)) return lookUp(reading, name, depth);
    const own = valueOfProperty(name, on);
    if (own) return own;
    return parts === undefined && !(on && isTold(on)) ? lookUp(reading, name, depth) : unknown;
  }
  const [begin = 0, end = 0] = parts[0] ?? [];
  const arrow = name === "map" || name === "flatMap" ? arrowIn(reading, begin, end) : undefined;
  if (arrow !== undefined) return evaluate(reading, [arrow, end], depth + 1);
  const positional = parts.filter(
    ([from, to]) => !(to - from > 2 && words[from]?.is === "name" && is(from + 1, "=", ":")),
  );
  const args = positional.map((one) => evaluate(reading, one, depth + 1)).filter(({ texts }) => texts.length > 0);
  return valueOfCall(name, on, args);
}

function arrowIn({ is }: Tree, from: number, to: number): number | undefined {
  for (let at = from; at < Math.min(to, from + 8); at++) if (is(at, "=>")) return at + 1;
  return undefined;
}

function evaluate(reading: Reading, [from, to]: Range, depth: number): Value {
  const { is, closeOf } = reading;
  let [value, at] = operand(reading, [from, to], depth);
  while (at < to) {
    const isQuestion = is(at, "?");
    if (is(at, "+", ".", "/")) {
      const isPath = is(at, "/");
      const [right, end] = operand(reading, [at + 1, to], depth + 1);
      value = combined(value, right, isPath ? join : (one, two) => one + two);
      at = end;
    } else if (is(at, "%")) {
      const [right, end] = operand(reading, [at + 1, to], depth + 1);
      value = combined(value, right.items ? unknown : right, (shape, one) => shape.replace(/%[sdr]/g, () => one));
      at = end;
    } else if (is(at, "||", "??", "or", "&&", "and", "//") || (isQuestion && at > from)) {
      const right = evaluate(reading, [at + 1, to], depth + 1);
      return isQuestion ? right : known([...value.texts, ...right.texts]);
    } else if (is(at, ":") && is(at + 1, ":") === false) {
      const right = evaluate(reading, [at + 1, to], depth + 1);
      return known([...value.texts, ...right.texts]);
    } else if (is(at, "if")) {
      let other = at + 1;
      while (other < to && !is(other, "else")) other = is(other, "(", "[", "{") ? closeOf(other) + 1 : other + 1;
      return other < to ? known([...value.texts, ...evaluate(reading, [other + 1, to], depth + 1).texts]) : value;
    } else if (is(at, "==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "=~")) return unknown;
    else break;
  }
  return value;
}
