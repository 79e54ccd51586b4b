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
  return (text) => alternatives.some((alternative) => matches(alternative, text));
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

function matches(alternative: Alternative, text: string): boolean {
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
