/** `if` and `not` of settings hooks, each a tool pattern or a list of them: the condition, and what in them can never hold (R10). */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { EventName } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { compileWildcard } from "../../engine/glob.ts";
import type { Condition, Origin } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import {
  comparisonsOf,
  compileToolPattern,
  isNameList,
  isToolPattern,
  matchesAll,
  namesIn,
  readToolPattern,
} from "../../engine/pattern.ts";
import type { Patterns } from "../../engine/ports.ts";
import { classOf, isToolClass, toolClassNames, toolRow, tools } from "../../engine/tools.ts";
import type { SettingsFormat } from "./entries.ts";
import type { EntryReader } from "./entry-reader.ts";
import type { Field } from "./fields.ts";

export interface MatcherContext {
  format: SettingsFormat;
  origin: Origin;
  patterns?: Patterns;
}

/** Undefined: it asks for no test, or for one that cannot be, which is reported. */
export function toolTest(event: EventName, reader: EntryReader, context: MatcherContext): Condition | undefined {
  const any = patternsAt("if", reader, context);
  const not = patternsAt("not", reader, context);
  if (any.length === 0) {
    if (not.length > 0 && !isWritten("if", reader)) lacksIf(reader, context.format);
    return undefined;
  }
  if (!context.format.isOurs) noteOfAgents(reader);
  if (rowOf(event).matchTool) warnOfNever(any, not, reader, context.format);
  else
    reader.report(reader.placeOf("if"), {
      severity: "warning",
      code: "if-never",
      message: `"if" needs a tool and ${event} has none, so this hook never runs`,
      suggestion: "remove the if",
    });
  return toolCondition(any, not, context.origin);
}

type Key = "if" | "not";

export function isWritten(key: Key, { entry }: EntryReader): boolean {
  const value = entry.fields.get(key)?.value ?? null;
  return value !== null && !(typeof value === "string" && value.trim() === "");
}

/** None: nothing is written there, or one of them is no pattern, which is a fault. */
function patternsAt(key: Key, reader: EntryReader, context: MatcherContext): string[] {
  const written = reader.read(key);
  if (written === undefined) return [];
  const isList = Array.isArray(written);
  const sources = [written].flat().map((one) => one.trim());
  if (!isList && sources[0] === "") return [];
  if (sources.length === 0 || sources.includes("")) {
    const what = sources.length === 0 ? "an empty list" : "a list with an empty pattern in it";
    reader.fault(key, "missing-field", `"${key}" is ${what}`, `write "${key}": ["Bash(git push *)"], or remove it`);
    return [];
  }
  const faults = sources.map((source) => faultOf(source, context)).filter((one) => one !== undefined);
  for (const { message, suggestion } of faults) reader.fault(key, "matcher-invalid", message, suggestion);
  return faults.length > 0 ? [] : sources;
}

const faultOf = (source: string, { patterns }: MatcherContext): Fault =>
  thrownBy(() => (patterns ? compileToolPattern(source, patterns) : readToolPattern(source)));

export type Fault = { message: string; suggestion: string } | undefined;

export function thrownBy(compile: () => unknown): Fault {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (!(error instanceof HooklineError)) return { message: messageOf(error), suggestion: matcherForms };
    const { pattern, reason, advice = matcherForms } = error.facts;
    return { message: `the pattern ${pattern} cannot be used: ${reason}`, suggestion: String(advice) };
  }
}

const matcherForms = "write a list of names (Write|Edit), Tool(pattern) or a linear regular expression";

/** In a file of another tool the word may mean something else, and without exceptions the hook only runs more often. */
function lacksIf(reader: EntryReader, { isOurs }: SettingsFormat): void {
  const message = '"not" is an exception to "if", and there is no "if"';
  const suggestion = 'write "if": "Bash", or another pattern, beside it';
  if (isOurs) reader.fault("not", "missing-field", message, suggestion);
  else reader.report(reader.placeOf("not"), { severity: "note", code: "ignored-field", message, suggestion });
}

/** Agents that run the hooks of the file themselves know one pattern, and no exceptions. */
function noteOfAgents({ entry, report, placeOf }: EntryReader): void {
  const note = { severity: "note", code: "ignored-field" } as const;
  const agents = "an agent that reads the file itself";
  if (Array.isArray(entry.fields.get("if")?.value)) {
    const message = `"if" is a list, which Hookline reads; ${agents} may ignore it, or the hook`;
    report(placeOf("if"), { ...note, message, suggestion: "write one hook for each pattern" });
  }
  if (entry.fields.has("not")) {
    const message = `"not" is read by Hookline; ${agents} ignores it, and runs the hook there too`;
    report(placeOf("not"), { ...note, message, suggestion: "move the hook to .hookline/hooks.json" });
  }
}

export const toolsFor = (format: SettingsFormat): readonly string[] => [
  ...(format.tools ?? Object.keys(tools)),
  ...toolClassNames,
];

/** A pattern for a tool that nothing is called like, one that its own exceptions take away, and an exception to nothing. */
function warnOfNever(
  any: readonly string[],
  not: readonly string[],
  reader: EntryReader,
  format: SettingsFormat,
): void {
  const known = toolsFor(format);
  const warn = (key: Key, message: string, suggestion: string | undefined): void =>
    reader.report(reader.placeOf(key), {
      severity: "warning",
      code: "matcher-never",
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  for (const [key, sources] of [
    ["if", any],
    ["not", not],
  ] as const)
    for (const name of new Set(sources.map(nameIn)))
      if (!mayExist(name, known))
        warn(key, `no tool is known as "${name}", so its pattern in "${key}" may never match`, didYouMean(name, known));
  for (const names of reader.entry.matchers.flatMap(namesOfMatcher))
    for (const source of any)
      if (!names.some((name) => meet(name, nameIn(source), known)))
        warn("if", `the matcher takes only ${names.join(" or ")}, so ${source} never matches`, undefined);
  for (const source of any) {
    const taker = not.find((one) => one === source || (!one.includes("(") && covers(one, nameIn(source))));
    if (taker) warn("not", `the exception ${taker} takes all of ${source}, which then never matches`, undefined);
  }
  for (const source of not)
    if (!any.some((one) => meet(nameIn(one), nameIn(source), known)))
      warn("not", `${source} is an exception to none of the patterns in "if", which are about other tools`, undefined);
}

/** Of a list of names or a tool pattern; of an expression nothing is known. */
function namesOfMatcher({ value }: Field): string[][] {
  const names = typeof value === "string" && !matchesAll(value) && isNameList(value, "plain") ? namesIn(value) : [];
  const pattern = typeof value === "string" && isToolPattern(value) ? [nameIn(value)] : [];
  return [names, pattern].filter((one) => one.length > 0);
}

const nameIn = (source: string): string => readToolPattern(source).name;

/** Tools of servers are known to their servers. */
const mayExist = (name: string, known: readonly string[]): boolean =>
  /^mcp__/.test(name) ||
  known.some((one) => covers(name, one)) ||
  (name.includes("*") && compileWildcard(name)("mcp__"));

/** Whether a name in a pattern means this tool or this class, too. */
const covers = (name: string, tool: string): boolean =>
  name === tool || classOf(tool) === name || (name.includes("*") && compileWildcard(name)(tool));

/** Whether both may mean one tool. Agents have names of their own for tools, which may be any. */
const meet = (one: string, other: string, known: readonly string[]): boolean =>
  ![one, other].every((name) => toolRow(name) !== undefined || isToolClass(name)) ||
  known.some((tool) => covers(one, tool) && covers(other, tool));

/** `Edit(/src/**)` starts from the folder of the hook file, `Edit(src/**)` from there too; patterns of other things need none. */
export function toolCondition(any: readonly string[], not: readonly string[], { root }: Origin): Condition {
  const [only] = any;
  const isOne = only !== undefined && any.length === 1;
  const fromRoot = root !== undefined && [...any, ...not].some(startsFromRoot);
  if (isOne && not.length === 0 && !fromRoot) return { is: "tool", with: only };
  const pattern = isOne ? only : [...any];
  return {
    is: "tool",
    with: { pattern, ...(not.length > 0 ? { not: [...not] } : {}), ...(fromRoot ? { root } : {}) },
  };
}

/** A file by more than its name, and by no absolute path. */
function startsFromRoot(pattern: string): boolean {
  const [, name = "", content = ""] = /^([A-Za-z_][\w*-]*)\(\s*([\s\S]*)\)$/.exec(pattern.trim()) ?? [];
  return content.includes("/") && !/^(?:\/\/|~\/)/.test(content) && comparisonsOf(name).includes("file");
}
