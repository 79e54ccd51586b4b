/** Globs of names as Python's fnmatch reads them (R13): `*`, `?`, `[a-z]`, `[!a-z]`, and nothing else. Takes pattern × text at most. */
import { HooklineError } from "./error.ts";

type Sign = "*" | "?" | { one: string } | { not: boolean; ranges: readonly (readonly [string, string])[] };

export const hasWildcard = (pattern: string): boolean => /[*?[]/.test(pattern);

/** Compares the whole text, capitals as they are. Never throws: a `[` that nothing closes is a `[`. */
export function compileNameGlob(pattern: string): (text: string) => boolean {
  if (!hasWildcard(pattern)) return (text) => text === pattern;
  if (/^[^*?[]*\*$/.test(pattern)) {
    const start = pattern.slice(0, -1);
    return (text) => text.startsWith(start);
  }
  const signs = readSigns(Array.from(pattern));
  return (text) => matches(signs, Array.from(text));
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
    else if (sign === "*" || sign === "?") signs.push(sign);
    else signs.push({ one: sign });
    at = end > 0 ? end + 1 : at + 1;
  }
  return signs;
}

/** A `]` that comes first stands for itself. */
function endOfSet(pattern: readonly string[], start: number): number {
  const first = pattern[start + 1] === "!" ? start + 2 : start + 1;
  return pattern.indexOf("]", first + 1);
}

/** A range whose ends are the wrong way round holds nothing. */
function readSet(written: readonly string[]): Sign {
  const not = written[0] === "!";
  const ranges: [string, string][] = [];
  for (let at = not ? 1 : 0; at < written.length; ) {
    const from = written[at] ?? "";
    const until = written[at + 1] === "-" ? written[at + 2] : undefined;
    ranges.push([from, until ?? from]);
    at += until === undefined ? 1 : 3;
  }
  return { not, ranges };
}

function fits(sign: Exclude<Sign, "*"> | undefined, letter: string): boolean {
  if (sign === undefined || sign === "?") return sign === "?";
  if ("one" in sign) return sign.one === letter;
  const code = letter.codePointAt(0) ?? 0;
  const within = sign.ranges.some(
    ([from, until]) => (from.codePointAt(0) ?? 0) <= code && code <= (until.codePointAt(0) ?? 0),
  );
  return within !== sign.not;
}

/** Goes back to the last star alone: what an earlier one took, it need not give back. */
function matches(signs: readonly Sign[], text: readonly string[]): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < text.length) {
    const sign = signs[at];
    if (sign === "*") {
      star = at++;
      resume = position;
    } else if (fits(sign, text[position] ?? "")) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  while (signs[at] === "*") at++;
  return at === signs.length;
}
