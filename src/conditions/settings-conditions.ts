/** The conditions that settings hooks compile to, match and tool, and with the built-in guard's all that most events load. The table of all is index.ts. */
import { homedir } from "node:os";
import { HooklineError } from "../engine/error.ts";
import { rowOf } from "../engine/events.ts";
import { compileExempt, compileToolTest } from "../engine/exception.ts";
import {
  compileMatcher,
  isNameList,
  isToolPattern,
  type Matcher,
  matchesAll,
  type NameKind,
  namesIn,
  type ToolCall,
} from "../engine/pattern.ts";
import type { ConditionKind, Patterns, Scope } from "../engine/ports.ts";
import type { Found } from "../engine/record.ts";
import { either, isRecord, listOf, object, type Schema, text } from "../engine/schema.ts";
import { bringsLines } from "./brings-lines.ts";
import { loosens } from "./loosens.ts";
import { reroutes } from "./reroutes.ts";
import { writesTo } from "./writes-to.ts";

/**
 * A tool pattern, or several of which one has to match; the exceptions to them; and the folder of the hook file that `/x` in
 * them starts from (the project's folder, if not given).
 */
type ToolParams = string | { pattern: string | string[]; not?: string[]; root?: string };

const params: Schema<ToolParams> = either(
  text("a tool pattern such as Bash(git *)"),
  object({ pattern: either(text(), listOf(text())) }, { not: listOf(text()), root: text() }),
);

/** What a condition on a tool says of a tool event without a tool_name. */
export const namesNoTool = "the event names no tool";

const partsOf = (written: ToolParams): { any: string[]; not: string[] } =>
  typeof written === "string" ? { any: [written], not: [] } : { any: [written.pattern].flat(), not: written.not ?? [] };

const inWords = (written: ToolParams): string => {
  const { any, not } = partsOf(written);
  return `${any.join(" or ")}${not.length > 0 ? ` except ${not.join(" or ")}` : ""}`;
};

/** The call as a pattern sees it. */
function callOf({ event, names }: Scope, written: ToolParams, { workspace }: Patterns): ToolCall {
  const input = event.data.tool_input;
  const { root = workspace } = typeof written === "string" ? {} : written; // a user's own file is about each project
  return {
    names,
    input: isRecord(input) ? input : input === undefined || input === null ? {} : undefined,
    cwd: event.cwd,
    home: homedir(),
    ...(root !== undefined && { root }),
  };
}

/** An answer that stands on what nobody knows holds as well, and finds why (R87). */
function foundBy(answer: boolean | "unknown", whys: readonly string[]): Found | boolean {
  return answer === "unknown" ? { unknown: whys[0] ?? "cannot read the call" } : answer;
}

/**
 * Holds on events about a tool, nowhere else. A line that does not tell which programs it runs counts as matching: the hook
 * then runs and judges for itself, because not asking it would be an allow. What it finds then says why.
 */
const tool: ConditionKind<ToolParams> = {
  params,
  compile(written, patterns) {
    const holds = compileToolTest(partsOf(written), patterns);
    return (scope: Scope) => {
      if (!rowOf(scope.event.name).matchTool) return false;
      if (scope.names.length === 0) {
        scope.faults?.push(namesNoTool);
        return false;
      }
      const whys: string[] = [];
      return foundBy(holds(callOf(scope, written, patterns), whys), whys);
    };
  },
  describe: (written) => `the call matches ${inWords(written)}`,
  explain(written, scope, patterns) {
    const { any, not } = partsOf(written);
    const isAboutTool = rowOf(scope.event.name).matchTool === true;
    const call = callOf(scope, written, patterns);
    const whys: string[] = [];
    const answer = isAboutTool && compileToolTest({ any, not }, patterns)(call, whys);
    const isExcepted = not.length > 0 && isAboutTool && compileToolTest({ any, not: [] }, patterns)(call) !== false;
    return {
      holds:
        answer === "unknown"
          ? `${whys[0]}, so the call may match ${inWords(written)}`
          : `the call matches ${inWords(written)}`,
      fails: isExcepted
        ? `the call matches ${any.join(" or ")}, and all that matches is excepted by ${not.join(" or ")}`
        : isAboutTool
          ? `the call does not match ${any.join(" or ")}`
          : `${scope.event.name} is about no tool, and the pattern is ${inWords(written)}`,
    };
  },
};

/** The call is surely one of these, in all that it does: what the exceptions of a rule ask. */
const exempt: ConditionKind<string[]> = {
  params: listOf(text("a tool pattern")),
  compile(written, patterns) {
    const isExempt = compileExempt(written, patterns);
    const home = homedir();
    return ({ event, names }: Scope) => {
      const input = event.data.tool_input;
      if (!rowOf(event.name).matchTool || !isRecord(input)) return false;
      return isExempt({ names, input, cwd: event.cwd, home });
    };
  },
  describe: (written) => `the call is ${written.join(" or ")}`,
};

/** The event's match value against a matcher as written (R9). Apart from `tool`, because its answers are remembered per value. */
const match: ConditionKind<string> = {
  params: text("a matcher such as Write|Edit"),
  reads: "match",
  compile(source, patterns) {
    if (isToolPattern(source)) {
      throw new HooklineError("pattern_invalid", {
        pattern: source,
        reason: "a tool pattern looks at the input, which a match value does not hold",
        where: "the condition match",
        advice: "use the condition tool",
      });
    }
    const made = new Map<NameKind, Matcher>();
    const of = (names: NameKind): Matcher => {
      const known = made.get(names);
      if (known) return known;
      const matcher = compileMatcher(source, patterns, { names });
      made.set(names, matcher);
      return matcher;
    };
    // A list of file names is also a valid expression, whose engine is loaded only where an event needs it.
    of(isNameList(source.trim(), "file") ? "file" : "plain");
    return ({ event, names, faults }) => {
      const row = rowOf(event.name);
      if (names.length === 0) {
        if (row.matchTool && !matchesAll(source)) faults?.push(namesNoTool);
        return matchesAll(source);
      }
      return of(row.matchTool ? "tool" : row.matchFile ? "file" : "plain").holds(names);
    };
  },
  describe: (source) =>
    matchesAll(source)
      ? "the matcher takes everything"
      : isList(source)
        ? `the match value is ${listed(source)}`
        : `the match value fits ${source.trim()}`,
  explain: (source, { event, names: [name] }) => {
    if (matchesAll(source)) return { holds: "the matcher takes everything", fails: "the matcher takes nothing" };
    const matcher = source.trim();
    if (name === undefined) {
      const unmatched = `this ${event.name} has nothing to match, and the matcher is ${matcher}`;
      return { holds: unmatched, fails: unmatched };
    }
    const row = rowOf(event.name);
    const value = `the ${row.matchTool ? "tool" : (row.matchOn ?? "value").replaceAll("_", " ")} is ${name}`;
    return isList(source)
      ? { holds: `${value}, which the matcher names`, fails: `${value}, and the matcher names ${listed(source)}` }
      : { holds: `${value}, which fits ${matcher}`, fails: `${value}, which does not fit ${matcher}` };
  },
};

const isList = (source: string): boolean => isNameList(source.trim(), "plain");
const listed = (source: string): string => namesIn(source).join(" or ");

/** Each kind takes only parameters that its own schema has passed, which is what compileCondition sees to. */
export const settingsConditions: ReadonlyMap<string, ConditionKind> = new Map(
  Object.entries({ match, tool, exempt }),
) as ReadonlyMap<string, ConditionKind>;

/** With that of the built-in guard. */
export const commonConditions: ReadonlyMap<string, ConditionKind> = new Map(
  Object.entries({ match, tool, exempt, writes_to: writesTo, brings_lines: bringsLines, loosens, reroutes }),
) as ReadonlyMap<string, ConditionKind>;
