/** Patterns that need no library: globs of names as Python's fnmatch reads them (R13), globs of plain paths, and plain regular expressions. */
import { HooklineError } from "./error.ts";

/** A star takes any items; what is no star takes the one item that it holds for. */
type Sign = "*" | ((item: string) => boolean);

const any = (): boolean => true;

/**
 * Goes back to the last star alone: what an earlier one took, it need not give back. Takes signs × items at most.
 *
 * @param mayTake what a star may take
 */
function matches(signs: readonly Sign[], items: ArrayLike<string>, mayTake: (item: string) => boolean): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < items.length) {
    const sign = signs[at];
    if (sign === "*") {
      star = at++;
      resume = position;
    } else if (sign?.(items[position] ?? "")) {
      at++;
      position++;
    } else if (star >= 0 && mayTake(items[resume] ?? "")) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  while (signs[at] === "*") at++;
  return at === signs.length;
}

/** Compares the whole text: `*` is any text and `?` any one sign, and nothing else means anything. */
export function compileWildcard(source: string): (text: string) => boolean {
  if (!/[*?]/.test(source)) return (text) => text === source;
  const signs = source.split("").map(signOf);
  return (text) => matches(signs, text, any);
}

/** As fnmatch: `*`, `?`, `[a-z]`, `[!a-z]`. Compares the whole text, capitals as they are. Never throws: a `[` that nothing closes is a `[`. */
export function compileNameGlob(pattern: string): (text: string) => boolean {
  if (!/[*?[]/.test(pattern)) return (text) => text === pattern;
  if (/^[^*?[]*\*$/.test(pattern)) {
    const start = pattern.slice(0, -1);
    return (text) => text.startsWith(start);
  }
  const signs = readSigns(Array.from(pattern));
  return (text) => matches(signs, Array.from(text), any);
}

/**
 * Whether one of several fits. Blanks around them, and empty ones among others, say nothing.
 *
 * @param what they name, such as "ability"
 * @param where who has written them, for messages
 * @throws HooklineError pattern_invalid where none of them says anything
 */
export function compileNameGlobs(
  written: readonly string[],
  what: string,
  where: string,
): (names: readonly string[]) => boolean {
  const tests = written.flatMap((glob) => (glob.trim() === "" ? [] : [compileNameGlob(glob.trim())]));
  if (tests.length === 0) {
    throw new HooklineError("pattern_invalid", {
      pattern: JSON.stringify(written),
      reason: `it names no ${what}`,
      where,
      advice: "leave it out to match every one",
    });
  }
  return (names) => tests.some((holds) => names.some(holds));
}

function readSigns(pattern: readonly string[]): Sign[] {
  const signs: Sign[] = [];
  for (let at = 0; at < pattern.length; ) {
    const sign = pattern[at] ?? "";
    const end = sign === "[" ? endOfSet(pattern, at) : -1;
    if (end > 0) signs.push(readSet(pattern.slice(at + 1, end)));
    else signs.push(signOf(sign));
    at = end > 0 ? end + 1 : at + 1;
  }
  return signs;
}

const signOf = (sign: string): Sign => (sign === "*" ? sign : sign === "?" ? any : (item) => item === sign);

/** A `]` that comes first stands for itself. */
function endOfSet(pattern: readonly string[], start: number): number {
  const first = pattern[start + 1] === "!" ? start + 2 : start + 1;
  return pattern.indexOf("]", first + 1);
}

/** A range whose ends are the wrong way round holds nothing. */
function readSet(written: readonly string[]): Sign {
  const isNegated = written[0] === "!";
  const ranges: [number, number][] = [];
  for (let at = isNegated ? 1 : 0; at < written.length; ) {
    const from = written[at] ?? "";
    const until = written[at + 1] === "-" ? written[at + 2] : undefined;
    ranges.push([codeOf(from), codeOf(until ?? from)]);
    at += until === undefined ? 1 : 3;
  }
  return (item) => ranges.some(([from, until]) => from <= codeOf(item) && codeOf(item) <= until) !== isNegated;
}

const codeOf = (letter: string): number => letter.codePointAt(0) ?? 0;

/**
 * A path glob of plain segments, or undefined if it needs the library (braces, brackets, extended globs, escapes,
 * `**` inside a segment). As there, `*` and `**` match no name that begins with a dot (R12).
 */
export function compilePlainGlob(source: string): ((path: string) => boolean) | undefined {
  if (/[[\]{}()!+@\\]/.test(source) || source === "") return undefined;
  const parts = source.split("/");
  if (parts.some((part, index) => (part === "" && index > 0) || (part.includes("**") && part !== "**")))
    return undefined;
  if (parts.some((part) => part === "." || part === "..")) return undefined;
  if (/[*?][^/]*(\/\*\*)+$|\*\.\*$/.test(source)) return undefined; // the library reads these in ways of its own
  if (!/[*?]/.test(source)) return (path) => path === source;
  const segments = parts.map((part) => (part === "**" ? "*" : compileSegment(part)));
  return (path) => matches(segments, path.split("/"), isPlainName);
}

function compileSegment(part: string): (name: string) => boolean {
  const holds = compileWildcard(part);
  if (!/^[*?]/.test(part)) return holds;
  return (name) => isPlainName(name) && holds(name);
}

const isPlainName = (name: string): boolean => name !== "" && !name.startsWith(".");

/** Regular expressions that are only literals, `.*`, `.+`, anchors and alternation become string searches: no engine to load (R65). */

type Sequence = readonly Part[];
type Part = { is: "text"; text: string } | { is: "gap"; least: 0 | 1 } | { is: "start" } | { is: "end" };

interface Alternative {
  start: boolean;
  end: boolean;
  /** Texts in order; the gap before the text at `index` is at least gaps[index]. */
  texts: readonly string[];
  gaps: readonly number[];
}

const most = 64;
const literal = /[\w\-\s:,/@#%&=~'"!;<>]/;
const escaped = /[.\\/\-+*?()[\]{}|^$:]/;
/** What `.` does not match. */
const lineEnd = /[\n\r\u2028\u2029]/;

/** The same answer as `new RegExp(source).test`, or undefined if this takes an engine. */
export function compilePlainExpression(source: string): ((text: string) => boolean) | undefined {
  const reader = { source, at: 0 };
  const sequences = readAlternatives(reader);
  if (!sequences || reader.at < source.length) return undefined;
  const alternatives: Alternative[] = [];
  for (const sequence of sequences) {
    const alternative = toAlternative(sequence);
    if (!alternative) return undefined;
    alternatives.push(alternative);
  }
  return (text) => alternatives.some((alternative) => expressionMatches(alternative, text));
}

interface Reader {
  source: string;
  at: number;
}

function readAlternatives(reader: Reader): Sequence[] | undefined {
  const all: Sequence[] = [];
  for (;;) {
    const sequences = readSequence(reader);
    if (!sequences) return undefined;
    all.push(...sequences);
    if (all.length > most) return undefined;
    if (reader.source[reader.at] !== "|") return all;
    reader.at++;
  }
}

/** One alternative; a group in it multiplies it. */
function readSequence(reader: Reader): Sequence[] | undefined {
  let sequences: Sequence[] = [[]];
  for (;;) {
    const sign = reader.source[reader.at];
    if (sign === undefined || sign === "|" || sign === ")") return sequences;
    const parts = sign === "(" ? readGroup(reader) : readPart(reader);
    if (!parts || sequences.length * parts.length > most) return undefined;
    sequences = sequences.flatMap((before) => parts.map((part) => [...before, ...part]));
  }
}

function readGroup(reader: Reader): Sequence[] | undefined {
  reader.at += reader.source.startsWith("(?:", reader.at) ? 3 : 1;
  const inside = readAlternatives(reader);
  if (!inside || reader.source[reader.at] !== ")") return undefined;
  reader.at++;
  return isQuantified(reader) ? undefined : inside;
}

const isQuantified = ({ source, at }: Reader): boolean => /[*+?{]/.test(source[at] ?? "");

function readPart(reader: Reader): Sequence[] | undefined {
  const sign = reader.source[reader.at++] ?? "";
  if (sign === "^") return isQuantified(reader) ? undefined : [[{ is: "start" }]];
  if (sign === "$") return isQuantified(reader) ? undefined : [[{ is: "end" }]];
  if (sign === ".") return readGap(reader);
  const text = sign === "\\" ? reader.source[reader.at++] : sign;
  if (text === undefined || !(sign === "\\" ? escaped : literal).test(text) || isQuantified(reader)) return undefined;
  if (lineEnd.test(text)) return undefined;
  return [[{ is: "text", text }]];
}

function readGap(reader: Reader): Sequence[] | undefined {
  const sign = reader.source[reader.at];
  if (sign !== "*" && sign !== "+") return undefined;
  reader.at++;
  if (reader.source[reader.at] === "?") reader.at++;
  return isQuantified(reader) ? undefined : [[{ is: "gap", least: sign === "*" ? 0 : 1 }]];
}

/** Joins neighbours; anchors elsewhere than at the ends take an engine. */
function toAlternative(sequence: Sequence): Alternative | undefined {
  const start = sequence[0]?.is === "start";
  const end = sequence.length > (start ? 1 : 0) && sequence.at(-1)?.is === "end";
  const inner = sequence.slice(start ? 1 : 0, end ? -1 : undefined);
  const texts = [""];
  const gaps = [0];
  for (const part of inner) {
    if (part.is === "start" || part.is === "end") return undefined;
    if (part.is === "text") texts[texts.length - 1] += part.text;
    else if (texts.at(-1) === "" && texts.length > 1) gaps[gaps.length - 1] = (gaps.at(-1) ?? 0) + part.least;
    else {
      texts.push("");
      gaps.push(part.least);
    }
  }
  return { start, end, texts, gaps };
}

function expressionMatches(alternative: Alternative, text: string): boolean {
  const { start, end, texts } = alternative;
  const [only = ""] = texts;
  if (texts.length === 1) {
    if (start) return end ? text === only : text.startsWith(only);
    return end ? text.endsWith(only) : text.includes(only);
  }
  if (!lineEnd.test(text)) return matchesLine(alternative, text);
  // A gap stays within its line, so the whole match does.
  const lines = text.split(lineEnd);
  if (start && end) return false;
  if (start) return matchesLine(alternative, lines[0] ?? "");
  return end ? matchesLine(alternative, lines.at(-1) ?? "") : lines.some((line) => matchesLine(alternative, line));
}

/** Leftmost finds suffice, because gaps have no upper bound. */
function matchesLine({ start, end, texts, gaps }: Alternative, line: string): boolean {
  const [first = ""] = texts;
  let at = start ? (line.startsWith(first) ? 0 : -1) : line.indexOf(first);
  if (at < 0) return false;
  at += first.length;
  const last = texts.length - 1;
  for (let index = 1; index < last; index++) {
    at = line.indexOf(texts[index] ?? "", at + (gaps[index] ?? 0));
    if (at < 0) return false;
    at += texts[index]?.length ?? 0;
  }
  const tail = texts[last] ?? "";
  const from = at + (gaps[last] ?? 0);
  if (end) return line.length - tail.length >= from && line.endsWith(tail);
  return from <= line.length && line.indexOf(tail, from) >= from;
}
