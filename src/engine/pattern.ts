/** What `matcher` means: everything, a list of exact names, a tool pattern, or a regular expression (R9). */
import { HooklineError } from "./error.ts";
import { compilePlainExpression } from "./plain-expression.ts";
import type { Patterns } from "./ports.ts";
import { compileToolPattern, isToolPattern, readToolPattern, type ToolPattern } from "./tool-pattern.ts";
import { classOf, isToolClass } from "./tools.ts";

export { compileToolPattern, isToolPattern, type ToolPattern } from "./tool-pattern.ts";

/** tool: names are tools and may be classes of tools. file: names are base name and path. plain: any other match value. */
export type NameKind = "tool" | "file" | "plain";

export interface Matcher {
  kind: "all" | "list" | "regex" | "tool";
  /** Whether one of the names fits; for a tool pattern, whether the tool does. Never throws. */
  holds(names: readonly string[]): boolean;
  /** Asks about the call's input, too. */
  tool?: ToolPattern;
}

const all: Matcher = { kind: "all", holds: () => true };

/**
 * Throws pattern_invalid.
 *
 * @example compileMatcher("Write|Edit", patterns, { names: "tool" }).holds(["Edit"]) // true
 */
export function compileMatcher(source: string, patterns: Patterns, options: { names: NameKind }): Matcher {
  const text = source.trim();
  if (matchesAll(text)) return all;
  if (isNameList(text, options.names)) return listMatcher(text, options.names);
  if (options.names === "tool" && isToolPattern(text)) return toolMatcher(text, patterns);
  const holds = compilePlainExpression(source) ?? patterns.regex(source);
  return { kind: "regex", holds: (names) => names.some(holds) };
}

export const matchesAll = (source: string): boolean => source.trim() === "" || source.trim() === "*";

/** Whether these are exact names. Names of files hold dots and slashes, too (`.envrc|.env`). */
export const isNameList = (source: string, names: NameKind): boolean =>
  names === "file" ? /^[\w\- ,|./]+$/.test(source) : /^[\w\- ,|]+$/.test(source);

/** The names in a list. */
export const namesIn = (source: string): string[] =>
  source
    .split(/[,|]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Whether the regular expression engine has to be there for this matcher. */
export const needsEngine = (source: string): boolean =>
  !matchesAll(source) &&
  !isNameList(source.trim(), "plain") &&
  !isToolPattern(source) &&
  !compilePlainExpression(source);

function listMatcher(source: string, kind: NameKind): Matcher {
  const wanted = namesIn(source);
  if (wanted.length === 0) {
    throw new HooklineError("pattern_invalid", {
      pattern: `"${source}"`,
      reason: "it names nothing",
      where: "a matcher",
    });
  }
  const set: ReadonlySet<string> = new Set(wanted);
  // Classes are known by exact lists alone: an expression such as "w.*" must not mean "write" (R11).
  const fits =
    kind === "tool" && wanted.some(isToolClass)
      ? (name: string) => set.has(name) || set.has(classOf(name) ?? name)
      : (name: string) => set.has(name);
  return { kind: "list", holds: (names) => names.some(fits) };
}

function toolMatcher(source: string, patterns: Patterns): Matcher {
  const tool = compileToolPattern(source, patterns);
  const named = compileToolPattern(readToolPattern(source).name, patterns);
  return { kind: "tool", holds: (names) => named({ names, input: {}, cwd: "/" }, "deny") === true, tool };
}
