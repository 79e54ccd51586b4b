/** What `matcher` means: everything, a list of exact names, a tool pattern, or a regular expression (R9). */
import { type Answer, type CommandTest, compileCommandPattern } from "./command-pattern.ts";
import type { ShellReading } from "./effects.ts";
import { HooklineError } from "./error.ts";
import type { Fields, Json } from "./event.ts";
import { compileFilePattern, type Places } from "./file-pattern.ts";
import { compilePlainExpression, compileWildcard } from "./glob.ts";
import type { Patterns } from "./ports.ts";
import {
  type Comparison,
  classOf,
  isToolClass,
  otherTool,
  type ToolRow,
  toolClassNames,
  toolRow,
  tools,
} from "./tools.ts";

/** A tool call as patterns see it. */
export interface ToolCall extends Places {
  /** The canonical name first, then the sender's own. */
  names: readonly string[];
  /** Undefined: it has a form that no tool has. */
  input: Fields | undefined;
}
/**
 * deny: true if any simple command of a line matches, "unknown" if one may, or if it is not known which programs the line
 * runs. allow: true only if all of them surely do, and all that the line does is known (R87). Never throws.
 *
 * @param whys takes the reasons of "unknown", for a person
 */
export type ToolPattern = (call: ToolCall, mode: "deny" | "allow", whys?: string[]) => Answer;

/** Whether a matcher is read as a tool pattern. `mcp__server__(a|b)` is an expression: no tool's name ends so. */
export const isToolPattern = (source: string): boolean => /^[A-Za-z_][\w*-]*(?<!_)\([\s\S]*\)$/.test(source.trim());

export { baseName, unknownText } from "./command-pattern.ts";

interface ToolPatternParts {
  name: string;
  /** What stands in the brackets; undefined if any call of the tool matches. */
  content?: string;
}

/** Throws pattern_invalid. */
export function readToolPattern(source: string): ToolPatternParts {
  refuseJoined(source);
  const [, name, content] = /^([A-Za-z_][\w*-]*)(?:\(([\s\S]*)\))?$/.exec(source.trim()) ?? [];
  if (name === undefined) {
    throw new HooklineError("pattern_invalid", {
      pattern: source,
      reason: "it is no tool pattern",
      where: "a tool pattern",
      advice: "write one such as Bash(git *), Edit(*.ts) or mcp__server__*",
    });
  }
  const text = content?.trim();
  return text === undefined || text === "" || text === "*" ? { name } : { name, content: text };
}

/** `A(…)|B(…)` would be one pattern with a strange content, or an expression that fits neither tool. */
function refuseJoined(source: string): void {
  const parts = partsBetweenBrackets(source);
  if (parts.length < 2 || !parts.some(isPatternOfTool)) return;
  throw new HooklineError("pattern_invalid", {
    pattern: source.trim(),
    reason: "a tool pattern stands alone, and here are several",
    where: "a tool pattern",
    advice: `write one hook for each: ${parts.join(", then ")}`,
  });
}

function isPatternOfTool(text: string): boolean {
  const name = text.slice(0, Math.max(0, text.indexOf("(")));
  return isToolPattern(text) && (toolRow(name) !== undefined || isToolClass(name) || name.startsWith("mcp__"));
}

/** What bars, commas and blanks separate, but for those in brackets and quotes. */
function partsBetweenBrackets(source: string): string[] {
  const plain = source.replace(/"[^"]*"|'[^']*'/g, (quoted) => "_".repeat(quoted.length));
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at <= plain.length; at++) {
    const sign = plain[at] ?? "|";
    if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (depth === 0 && /[|,\s]/.test(sign)) {
      parts.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== "");
}

/** Throws pattern_invalid if it is no tool pattern or its glob is none. */
export function compileToolPattern(source: string, patterns: Patterns): ToolPattern {
  const { name, content } = readToolPattern(source);
  const named = compileToolName(name);
  if (content === undefined) return ({ names }) => named(names);
  const comparisons = new Map(comparisonsOf(name).map((one) => [one, compare[one](content, patterns)]));
  return (call, mode, whys = []) => {
    if (!named(call.names)) return false;
    if (call.input === undefined) return unknownInput(whys);
    const row = rowOf(call.names);
    const found = comparedOf(row, call.input);
    if (!found) return row.class !== undefined && namesItsObject.has(row.class) ? unknownInput(whys) : false;
    const comparison = found.field === "pattern" ? "text" : row.compares;
    return comparisons.get(comparison)?.(found.value, { ...call, mode, whys }) ?? unknownInput(whys);
  };
}

/** Tools of these classes always say what they work on. A call that does not is none that a pattern could let pass as seen. */
const namesItsObject: ReadonlySet<string> = new Set(["shell", "write", "read"]);

/** The ways in which the brackets may have to be compared: what they need is loaded, and checked, before the first call. */
export function comparisonsOf(name: string): readonly Comparison[] {
  const rows = isToolClass(name)
    ? Object.values(tools).filter((row) => row.class === name)
    : [toolRow(name) ?? otherTool];
  const known = rows.length > 0 ? rows : [otherTool];
  const all = known.flatMap((row) =>
    row.fields.includes("pattern") ? [row.compares, "text" as const] : [row.compares],
  );
  return [...new Set(all)];
}

/** A tool, a class, a whole MCP server, or a wildcard. */
function compileToolName(name: string): (names: readonly string[]) => boolean {
  if (toolClassNames.some((one) => one === name))
    return (names) => names.some((one) => one === name || classOf(one) === name);
  if (name.includes("*")) {
    const holds = compileWildcard(name);
    return (names) => names.some(holds);
  }
  if (/^mcp__[^_]+(_[^_]+)*$/.test(name))
    return (names) => names.some((one) => one === name || one.startsWith(`${name}__`));
  return (names) => names.includes(name);
}

function rowOf(names: readonly string[]): ToolRow {
  for (const name of names) {
    const row = toolRow(name);
    if (row) return row;
  }
  return otherTool;
}

function comparedOf(row: ToolRow, input: Fields): { field: string; value: Json } | undefined {
  for (const field of row.fields) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    if (value !== undefined && value !== null) return { field, value };
  }
  return undefined;
}

function unknownInput(whys: string[]): "unknown" {
  whys.push("cannot read what the tool is called with");
  return "unknown";
}

interface Asked extends ToolCall {
  mode: "deny" | "allow";
  whys: string[];
}
type Compare = (value: Json, asked: Asked) => Answer;

/** Input that is not text cannot be read, so a guard has to look at it. */
const ofText =
  (holds: (value: string, asked: Asked) => Answer): Compare =>
  (value, asked) =>
    typeof value === "string" ? holds(value, asked) : unknownInput(asked.whys);

const compare: { [C in Comparison]: (content: string, patterns: Patterns) => Compare } = {
  command: (content, patterns) => {
    const patternAt = remembered((home) => compileCommandPattern(withHome(content, home), patterns.spell));
    patternAt(noHome);
    patterns.commands("", { cwd: "/", home: "/" }); // a missing library shows at load, not in a test, which never throws
    return ofText((line, asked) => {
      const { cwd, home = noHome, mode } = asked;
      const { byLetter, byMeaning } = patternAt(home);
      return judge(patterns.commands(line, { cwd, home }), mode === "allow" ? byLetter : byMeaning, asked);
    });
  },
  foreign:
    () =>
    (_value, { names: [tool = "this shell"], whys }) => {
      whys.push(`cannot tell what a line for ${tool} runs`);
      return "unknown";
    },
  file: (content, patterns) => {
    const holds = compileFilePattern(content, patterns);
    return ofText((path, asked) => holds(path, asked, asked.mode));
  },
  text: (content) => ofText(compileWildcard(content.replace(/:\*$/, "*"))),
  host: (content) => {
    const host = /^domain:(.+)$/.exec(content)?.[1]?.toLowerCase();
    const holds = compileWildcard(host ?? content);
    return ofText((url, { whys }) => {
      if (host === undefined) return holds(url);
      const answer = ofHost(url, holds);
      if (answer === "unknown") whys.push("cannot read the address");
      return answer;
    });
  },
};

function remembered<T>(make: (key: string) => T): (key: string) => T {
  let last: { key: string; made: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, made: make(key) };
    return last.made;
  };
}

/** The reader fills the home folder in, wherever a line names it. */
const withHome = (content: string, home: string): string =>
  home === noHome || /[\s*\\"']/.test(home)
    ? content
    : content.replaceAll(/(?<=^|[\s"'])(?:~|\$HOME|\$\{HOME\})(?=\/|[\s"']|$)/g, () => home);

/** The reader then knows of no home, and a path in it is not known. */
const noHome = "";

function judge({ commands, unknown }: ShellReading, pattern: CommandTest, { mode, whys }: Asked): Answer {
  if (mode === "allow") return judgeAllow(commands, unknown, { pattern, whys });
  const found = unknown.flatMap(({ what, why }) => (what === "runs" ? why : []));
  for (const { words } of commands) {
    const one = pattern(words);
    if (one === true) return true;
    if (one === "unknown") found.push(`cannot tell what \`${words[0]?.replaceAll(/\0+/g, "…") || "…"}\` is given`);
  }
  whys.push(...found);
  return found.length > 0 ? "unknown" : false;
}

function judgeAllow(
  commands: ShellReading["commands"],
  unknown: ShellReading["unknown"],
  { pattern, whys }: { pattern: CommandTest; whys: string[] },
): Answer {
  if (unknown.length > 0) {
    whys.push(...unknown.map(({ why }) => why));
    return "unknown";
  }
  const all = commands.filter(({ isPerhaps }) => !isPerhaps);
  return all.length > 0 && all.every(({ words }) => pattern(words) === true);
}

function ofHost(url: string, holds: (host: string) => boolean): Answer {
  if (!URL.canParse(url)) return "unknown";
  return holds(new URL(url).hostname.toLowerCase().replace(/\.$/, ""));
}

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
  refuseJoined(text);
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
