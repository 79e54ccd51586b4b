/** Matchers of settings hooks, with their `if`, become conditions; what they can never match becomes a finding (R9, R38). */
import type { EventName } from "../../engine/event.ts";
import { type EventRow, rowOf } from "../../engine/events.ts";
import type { Condition } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import {
  compileMatcher,
  compileToolPattern,
  isNameList,
  isToolPattern,
  matchesAll,
  namesIn,
} from "../../engine/pattern.ts";
import { isRecord, kindOf } from "../../engine/schema.ts";
import type { EntryReader } from "./entry-reader.ts";
import type { Field } from "./fields.ts";
import { type Fault, type MatcherContext, thrownBy, toolCondition, toolsFor, toolTest } from "./tool-patterns.ts";

/** The test that the entry's matchers and `if` ask for; undefined if it runs for every such event. */
export function conditionOf(reader: EntryReader, context: MatcherContext): Condition | undefined {
  const event = reader.entry.events[0];
  if (event === undefined) return undefined;
  const matchers = reader.entry.matchers.flatMap((field) => matcherCondition(field, event, reader, context) ?? []);
  const test = toolTest(event, reader, context);
  const all = [...matchers, ...(test ? [test] : [])];
  return all.length > 1 ? { all } : all[0];
}

function matcherCondition(
  field: Field,
  event: EventName,
  reader: EntryReader,
  context: MatcherContext,
): Condition | undefined {
  const row = rowOf(event);
  const source = matcherText(field, row, reader);
  if (source === undefined || runsOnAll(source)) return undefined;
  if (!row.matchOn) {
    reader.report(field.at, {
      severity: "warning",
      code: "matcher-ignored",
      message: `${event} has nothing to match, so "${source}" is ignored and the hook runs on every ${event}`,
      suggestion: "remove the matcher",
    });
    return undefined;
  }
  const invalid = faultOf(source, row, context);
  if (invalid) {
    reader.fault("matcher", "matcher-invalid", invalid.message, invalid.suggestion);
    return undefined;
  }
  warnOfNever(source, field, event, reader, context);
  return isToolPattern(source) ? toolCondition([source], [], context.origin) : { is: "match", with: source };
}

const runsOnAll = (source: string): boolean => matchesAll(source) || source.trim() === ".*";
const isList = (source: string): boolean => isNameList(source, "plain");
/** `tools:Write AND file_paths:**\/*.py`, which an older tool could read. */
const expression = /(^|\bAND\s+|\bOR\s+)(tools?|file_paths?|commands?):\S/;

function matcherText(field: Field, row: EventRow, reader: EntryReader): string | undefined {
  const { value } = field;
  if (typeof value === "string" || value === null) return value ?? undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === "string" && isList(one))) return value.join("|");
  const named = isRecord(value) ? (value[row.matchOn ?? ""] ?? value.tool_name) : undefined;
  if (isRecord(value) && typeof named === "string" && Object.keys(value).length === 1) return named;
  reader.fault(
    "matcher",
    "wrong-type",
    `"matcher" needs text but is ${kindOf(value)}`,
    'write "matcher": "Write|Edit"',
  );
  return undefined;
}

function faultOf(source: string, row: EventRow, { patterns }: MatcherContext): Fault {
  if (expression.test(source)) {
    const tools = /\btools?:(\S+)/.exec(source)?.[1] ?? "Write";
    const paths = /\bfile_paths?:(\S+)/.exec(source)?.[1];
    const rule = paths ? `, "if": "${tools.split(/[|,]/)[0]}(${paths})"` : "";
    return {
      message: `the matcher "${source}" is an expression, which no agent reads any more`,
      suggestion: `write "matcher": "${tools}"${rule}`,
    };
  }
  if (!patterns) return undefined;
  const names = row.matchTool ? "tool" : row.matchFile ? "file" : "plain";
  return thrownBy(() =>
    isToolPattern(source) ? compileToolPattern(source, patterns) : compileMatcher(source, patterns, { names }),
  );
}

/** A matcher that fits none of the values that are ever sent is a mistake in most cases, and silent in all. */
function warnOfNever(
  source: string,
  field: Field,
  event: EventName,
  reader: EntryReader,
  context: MatcherContext,
): void {
  const row = rowOf(event);
  const known = row.matchTool ? toolsFor(context.format) : row.values;
  if (!known || row.matchFile) return;
  const message = isToolPattern(source)
    ? toolPatternNever(source, row, event, known)
    : isList(source)
      ? listNever(namesIn(source), event, known)
      : expressionNever(source, event, known, context);
  if (message) reader.report(field.at, { severity: "warning", code: "matcher-never", ...message });
}

type Never = { message: string; suggestion?: string } | undefined;

function toolPatternNever(source: string, row: EventRow, event: EventName, known: readonly string[]): Never {
  if (!row.matchTool)
    return {
      message: `${event} is about no tool, so "${source}" never matches`,
      suggestion: `its values: ${known.join(", ")}`,
    };
  return listNever([source.slice(0, source.indexOf("("))], event, known);
}

function listNever(names: readonly string[], event: EventName, known: readonly string[]): Never {
  const unknown = names.filter((name) => !known.includes(name) && !/^mcp__.+__/.test(name));
  const [first] = unknown;
  if (first === undefined) return undefined;
  if (/^mcp__/.test(first))
    return { message: `"${first}" is a server, not a tool, and matches nothing`, suggestion: `write "${first}__.*"` };
  const near = didYouMean(first, known);
  if (unknown.length < names.length && !near) return undefined;
  const every = unknown.length === names.length ? "so the hook may never run" : "so this part matches nothing";
  return { message: `no value of ${event} is known as "${first}", ${every}`, ...(near ? { suggestion: near } : {}) };
}

function expressionNever(
  source: string,
  event: EventName,
  known: readonly string[],
  { patterns }: MatcherContext,
): Never {
  if (!patterns || /mcp/.test(source)) return undefined;
  const holds = patterns.regex(source); // its matcher compiled a moment ago
  return known.some(holds)
    ? undefined
    : { message: `"${source}" matches no known value of ${event}, so the hook may never run` };
}
