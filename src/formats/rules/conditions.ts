/**
 * Conditions of rules (specification 003): a tree of types becomes a Condition, and every mistake in it is reported at load
 * (R13). A tool's name that no known tool has is a warning: servers and modules may have tools that are not known here (D39).
 */

import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, Json } from "../../engine/event.ts";
import { resolveEvent, rowOf } from "../../engine/events.ts";
import { compileWildcard } from "../../engine/glob.ts";
import type { Condition } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import type { ConditionKind, Patterns, Registry } from "../../engine/ports.ts";
import type { Mismatch } from "../../engine/schema.ts";
import { allModuleNames, tools as canonical, toolClassNames } from "../../engine/tools.ts";
import { plural } from "../../engine/words.ts";
import { unnamed } from "../reading/mismatches.ts";
import { type Finding, type Node, type Report, reportError } from "../reading/tree.ts";
import { paramsOf, readTyped, reportMismatches, spreadParams, type Typed, takes } from "./parameters.ts";

export interface ConditionContext {
  registry: Registry;
  patterns: Patterns;
  /** Modules that the project has; absent: unknown. */
  modules?: ReadonlySet<string>;
  /** The rule's events, as they were written; absent below "not" and "any_of", where what never holds may be no mistake. */
  events?: readonly string[];
  /** The file's text. */
  text: string;
  report: Report;
}

/** A type that holds conditions itself. */
interface Composite {
  summary: string;
  /** The parameter that holds them, and whether it is a list. */
  holds: "conditions" | "condition";
  description: string;
  make(inner: Condition[]): Condition;
}

export const composites: { readonly [type: string]: Composite } = {
  all_of: {
    summary: "all of its conditions hold; those after one that does not hold are not tested",
    holds: "conditions",
    description: "a list of conditions; an empty one holds",
    make: (all) => ({ all }),
  },
  any_of: {
    summary: "one of its conditions holds; those after it are not tested",
    holds: "conditions",
    description: "a list of conditions; an empty one does not hold",
    make: (any) => ({ any }),
  },
  not: {
    summary: "its condition does not hold",
    holds: "condition",
    description: "a condition",
    make: ([not = { all: [] }]) => ({ not }),
  },
};

/** The engine's own: other formats, and `agents` of an app file, compile to them. */
const internal: ReadonlySet<string> = new Set(
  "ability agent brings_lines exempt loosens match min_duration of_project operation_key reroutes skip_flags tool".split(
    " ",
  ),
);

/** The kinds that a rule's author may name, beside the composites. */
export const authorsConditions = ({ conditions }: Pick<Registry, "conditions">): [string, ConditionKind][] =>
  [...conditions].filter(([name]) => !internal.has(name) && !Object.hasOwn(composites, name));

/** undefined: it is invalid, which is reported. */
export function readCondition(node: Node, context: ConditionContext): Condition | undefined {
  const written = readTyped(node, "condition", context.report);
  if (!written) return undefined;
  const { type } = written;
  const composite = Object.hasOwn(composites, type) ? composites[type] : undefined;
  if (composite) return readComposite(composite, written, context);
  const kind = internal.has(type) ? undefined : context.registry.conditions.get(type);
  return kind ? readKind(kind, written, context) : unknownType(written, context);
}

function unknownType({ type, typeAt }: Typed, { registry, report }: ConditionContext): undefined {
  const known = [...authorsConditions(registry).map(([name]) => name), ...Object.keys(composites)];
  return reportError(report, typeAt, { ...unnamed("no condition is called", type, known), code: "unknown-condition" });
}

function readComposite(composite: Composite, written: Typed, context: ConditionContext): Condition | undefined {
  const { report } = context;
  const { holds, description, make } = composite;
  const typed = spreadParams(written, false, report);
  if (!typed) return undefined;
  const isList = holds === "conditions";
  const member = typed.members.get(holds);
  const hasInner = member !== undefined && (!isList || member.value.type === "array");
  const unknown = [...typed.members.keys()].filter((key) => key !== holds);
  const wrong: Mismatch[] = [
    ...unknown.map((key): Mismatch => ({ path: [key], expected: "", found: key, unknown: true, known: [holds] })),
    ...(hasInner ? [] : [{ path: [holds], expected: description, found: member ? "no list" : "nothing" }]),
  ];
  reportMismatches(wrong, typed, "condition", report);
  if (!hasInner) return undefined;
  const { events: _events, ...alone } = context;
  const around = written.type === "all_of" ? context : alone;
  const inner = (isList ? (member.value.children ?? []) : [member.value]).map((one) => readCondition(one, around));
  const valid = inner.filter((one) => one !== undefined);
  return valid.length === inner.length && wrong.length === 0 ? make(valid) : undefined;
}

function readKind(kind: ConditionKind, written: Typed, context: ConditionContext): Condition | undefined {
  const { report, patterns } = context;
  const typed = spreadParams(written, takes(kind.params.json, "params"), report);
  if (!typed) return undefined;
  const params = paramsOf(typed);
  const wrong = kind.params.check(params);
  if (wrong.length > 0) {
    reportMismatches(wrong, typed, "condition", report);
    return undefined;
  }
  const { type } = typed;
  try {
    const prepared = kind.prepare?.(params, patterns) ?? params;
    kind.compile(prepared, patterns);
    if (kind.ofCalls) warnOfNoCall(typed, context);
    if (type === "tool_name") warnOfUnknownTools(typed, context);
    const strange = kind.strangeName?.(prepared);
    if (strange) {
      const { reason, advice, column } = strange;
      throw new HooklineError("pattern_invalid", { pattern: String(params.expr), reason, advice, column, where: type });
    }
    return takesNothing(kind, prepared) ? { is: type } : { is: type, with: prepared };
  } catch (error) {
    const code = type === "expression" ? "expression-invalid" : "matcher-invalid";
    return reportError(report, placeOfThrown(error, typed, params, context.text), { code, ...thrown(error, type) });
  }
}

/** No event of the rule has a tool, so what asks about a call never holds. */
function warnOfNoCall({ type, typeAt }: Typed, { events = [], report }: ConditionContext): void {
  const known = events.flatMap((name) => resolveEvent(name) ?? []);
  if (known.length === 0 || known.some((event) => event.includes(".") || rowOf(event).matchTool)) return;
  report(typeAt, {
    severity: "warning",
    code: "if-never",
    message: `${type} needs a tool and ${events.join(" and ")} ${plural(events.length, "has", "have")} none, so it never holds`,
    suggestion: "write on: tool_start, or tool_end",
  });
}

/** Some kinds whose parameters may all be left out take nothing at all; others want their object, empty or not. */
const takesNothing = ({ params: { check } }: ConditionKind, params: Json): boolean =>
  params === null || (Object.keys(params).length === 0 && check(null).length === 0);

function thrown(error: unknown, type: string): Pick<Finding, "message" | "suggestion"> {
  if (!(error instanceof HooklineError) || error.code !== "pattern_invalid")
    return { message: `the condition ${type} cannot be used: ${messageOf(error)}` };
  const { pattern, reason, advice } = error.facts;
  const message = `the ${type === "expression" ? "expression" : "pattern"} ${pattern} cannot be used: ${reason}`;
  return { message, ...(advice === undefined ? {} : { suggestion: String(advice) }) };
}

/** In the text that it complains of: at its column, where that text stands in one line. */
function placeOfThrown(error: unknown, typed: Typed, params: Fields, text: string): number {
  const facts = error instanceof HooklineError ? error.facts : {};
  const entries = [...typed.members.values()];
  const member = entries.find(({ key }) => params[key] === facts.pattern) ?? entries[0];
  if (!member) return typed.node.offset;
  const { offset } = member.value;
  const quoted = /["']/.test(text.charAt(offset)) ? 1 : 0;
  const column = typeof facts.column === "number" ? facts.column - 1 : 0;
  const isOneLine = text.startsWith(String(facts.pattern), offset + quoted);
  return isOneLine && column > 0 ? offset + quoted + column : offset;
}

const knownModules: ReadonlySet<string> = new Set(allModuleNames.map((name) => name.slice(0, name.indexOf("."))));

interface ToolContext {
  modules?: ReadonlySet<string>;
  /** The tools of agents. Absent: the canonical ones. */
  tools?: readonly string[];
  report: Report;
}

function warnOfUnknownTools({ members }: Typed, context: ToolContext): void {
  const match = members.get("match")?.value;
  if (!match) return;
  const known = new Set([...(context.tools ?? Object.keys(canonical)), ...allModuleNames, ...toolClassNames]);
  for (const node of match.type === "array" ? (match.children ?? []) : [match]) warnAt(node, known, context);
}

function warnAt(node: Node, known: ReadonlySet<string>, { modules, report }: ToolContext): void {
  for (const pattern of String(node.value).split("|")) {
    const name = pattern.trim();
    if (name === "" || mayExist(name, known, modules)) continue;
    const suggestion = didYouMean(name, known);
    report(node.offset, {
      severity: "warning",
      code: "unknown-tool",
      message: `no known tool is called "${name}", so it may match nothing`,
      ...(suggestion ? { suggestion } : {}),
    });
  }
}

/** The parameter that names the tool that an action calls; a module may stand beside it. */
const calls: { readonly [type: string]: string } = {
  pipe: "to",
  module_action: "action",
  module_action_inject: "action",
};

/** A server that is not configured may be forgotten or misspelt; the project's modules may still bring it. */
export function warnOfUnknownServer({ type, members }: Typed, { modules, report }: ToolContext): void {
  if (!modules || !Object.hasOwn(calls, type)) return;
  const tool = members.get(calls[type] ?? "")?.value;
  const module = type === "pipe" ? undefined : members.get("module")?.value;
  const name = module?.value ? String(module.value) : serverIn(String(tool?.value ?? ""));
  const place = module?.value ? module : tool;
  if (!place || name === undefined || name.includes("{{") || modules.has(name)) return;
  report(place.offset, {
    severity: "warning",
    code: "unknown-tool",
    message: `no server is called "${name}", so this action can call nothing`,
    suggestion: didYouMean(name, modules) ?? "name it under mcp_servers in hookline.yaml",
  });
}

const serverIn = (tool: string): string | undefined =>
  /^mcp__(.+?)__/.exec(tool)?.[1] ?? (tool.includes(".") ? tool.slice(0, tool.indexOf(".")) : undefined);

function mayExist(name: string, known: ReadonlySet<string>, modules: ReadonlySet<string> | undefined): boolean {
  if (known.has(name) || name.startsWith("mcp__")) return true;
  const pattern = name.replace(/\[!?\]?[^\]]*\]/g, "?"); // any letter will do: whether it is one of the set is not asked
  const dot = pattern.indexOf(".");
  const module = dot === -1 ? undefined : pattern.slice(0, dot);
  if (module !== undefined && modules && [...modules].some(compileWildcard(module))) return true;
  if (/[*?]/.test(pattern) && [...known].some(compileWildcard(pattern))) return true;
  return module !== undefined && modules === undefined && !knownModules.has(module);
}
