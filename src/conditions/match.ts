/** match: the event's match value against a matcher. Apart from `tool`, because its answers are remembered per value. */
import { HooklineError } from "../engine/error.ts";
import { rowOf } from "../engine/events.ts";
import {
  compileMatcher,
  isNameList,
  isToolPattern,
  type Matcher,
  matchesAll,
  type NameKind,
  namesIn,
} from "../engine/pattern.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { text } from "../engine/schema.ts";
import { namesNoTool } from "./tool.ts";

/** Parameters: the matcher as written (R9). */
export const match: ConditionKind<string> = {
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
