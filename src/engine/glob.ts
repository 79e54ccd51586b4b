/**
 * Globs that need no library, by one way of matching: of names as Python's fnmatch reads them (R13), and of paths whose
 * segments are plain, for which the library behind Patterns is not loaded: it costs a start 5 ms.
 */
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
