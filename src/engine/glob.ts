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

/**
 * Regular expressions of literals, `.*`, `.+`, anchors and alternation need no engine, whose loading a command without a daemon
 * feels (R65). Each alternative becomes one text; these signs stand in it for what is no literal, as no literal holds the end of a line.
 */
const [gap, oneMore, start, end] = ["\n", "\r", "\u2028", "\u2029"] as const;
/** What `.` does not match. */
const lineEnd = /[\n\r\u2028\u2029]/;
const signs: ReadonlyMap<string, string> = new Map([
  ...[".*", ".*?"].map((written) => [written, gap] as const),
  ...[".+", ".+?"].map((written) => [written, gap + oneMore] as const),
  ["^", start],
  ["$", end],
]);
const token = /\.[*+]\??|\(\?:|\\?[\s\S]/g;
const literal = /^(?:[\w\- \t:,/@#%&=~'"!;<>]|\\[.\\/\-+*?()[\]{}|^$:])$/;
const [longest, mostAlternatives] = [1000, 64];

/** The same answer as `new RegExp(source).test`, or undefined if this takes an engine. */
export function compilePlainExpression(source: string): ((text: string) => boolean) | undefined {
  if (source.length > longest) return undefined;
  const tokens = source.match(token) ?? [];
  const read = readAlternatives(tokens);
  if (!read || tokens.length > 0) return undefined;
  const alternatives = read.map((written) => {
    const [isStart, isEnd] = [written.startsWith(start), written.endsWith(end)];
    return { isStart, isEnd, inner: written.slice(isStart ? 1 : 0, isEnd ? -1 : undefined) };
  });
  if (alternatives.some(({ inner }) => inner.includes(start) || inner.includes(end))) return undefined;
  const tests = alternatives.map(({ isStart, isEnd, inner }) => ({ isStart, isEnd, texts: inner.split(gap) }));
  // Neither a literal nor a gap holds the end of a line: a match lies in one.
  return (text) =>
    text
      .split(lineEnd)
      .some((line, index, { length }) =>
        tests.some((one) => (index === 0 || !one.isStart) && (index === length - 1 || !one.isEnd) && isIn(line, one)),
      );
}

/** Takes its tokens away. A group multiplies what it stands in. */
function readAlternatives(tokens: string[]): string[] | undefined {
  const all: string[] = [];
  let sequences = [""];
  while (tokens.length > 0 && tokens[0] !== ")") {
    const one = tokens.shift() ?? "";
    if (one === "|") {
      all.push(...sequences);
      sequences = [""];
      continue;
    }
    const parts = one.startsWith("(") ? readGroup(tokens) : readPart(one);
    const isQuantified = /^[*+?{]/.test(tokens[0] ?? "");
    if (!parts || isQuantified || all.length + sequences.length * parts.length > mostAlternatives) return undefined;
    sequences = sequences.flatMap((before) => parts.map((part) => before + part));
  }
  return [...all, ...sequences];
}

function readGroup(tokens: string[]): string[] | undefined {
  const inside = readAlternatives(tokens);
  return tokens.shift() === ")" ? inside : undefined;
}

function readPart(one: string): [string] | undefined {
  const sign = signs.get(one);
  if (sign !== undefined) return [sign];
  return literal.test(one) ? [one.slice(-1)] : undefined;
}

/** Leftmost finds suffice, because gaps have no upper bound. */
function isIn(
  line: string,
  { isStart, isEnd, texts }: { isStart: boolean; isEnd: boolean; texts: readonly string[] },
): boolean {
  let from = 0;
  return texts.every((part, index) => {
    const text = part.replaceAll(oneMore, "");
    const least = from + part.length - text.length;
    const found =
      isStart && index === 0
        ? 0
        : isEnd && index === texts.length - 1
          ? line.length - text.length
          : line.indexOf(text, least);
    from = found + text.length;
    return (
      found >= least && line.startsWith(text, found) && (!isEnd || index < texts.length - 1 || from === line.length)
    );
  });
}
