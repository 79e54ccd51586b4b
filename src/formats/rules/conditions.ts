/** Conditions of rules (specification 003): a tree of types becomes a Condition, and every mistake in it is told of at load (R13). */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, Json } from "../../engine/event.ts";
import type { Condition } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import type { ConditionKind, Patterns, Registry } from "../../engine/ports.ts";
import type { Mismatch } from "../../engine/schema.ts";
import type { Node } from "../reading/json-tree.ts";
import type { RuleFinding, RuleReport } from "../reading/yaml-nodes.ts";
import { paramsOf, readTyped, spreadParams, type Typed, takes, tellError, tellMismatches } from "./parameters.ts";
import { warnOfUnknownTools } from "./tools.ts";

export interface ConditionContext {
  registry: Registry;
  patterns: Patterns;
  /** Modules that the project has; absent: unknown. */
  modules?: ReadonlySet<string>;
  /** The file's text. */
  text: string;
  report: RuleReport;
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
    summary: "all of its conditions hold; none is asked after one that does not",
    holds: "conditions",
    description: "a list of conditions; an empty one holds",
    make: (all) => ({ all }),
  },
  any_of: {
    summary: "one of its conditions holds; none is asked after it",
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
  "ability agent match min_duration of_project operation_key skip_flags tool".split(" "),
);

/** The kinds that a rule's author may name, beside the composites. */
export const authorsConditions = ({ conditions }: Pick<Registry, "conditions">): [string, ConditionKind][] =>
  [...conditions].filter(([name]) => !internal.has(name) && !Object.hasOwn(composites, name));

/** undefined: it is invalid, which was told. */
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
  return tellError(report, typeAt, {
    code: "unknown-condition",
    message: `no condition is called "${type}"`,
    suggestion: didYouMean(type, known) ?? `known: ${known.join(", ")}`,
  });
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
  tellMismatches(wrong, typed, "condition", report);
  if (!hasInner) return undefined;
  const inner = (isList ? (member.value.children ?? []) : [member.value]).map((one) => readCondition(one, context));
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
    tellMismatches(wrong, typed, "condition", report);
    return undefined;
  }
  const { type } = typed;
  try {
    const prepared = kind.prepare?.(params, patterns) ?? params;
    kind.compile(prepared, patterns);
    if (type === "tool_name") warnOfUnknownTools(typed, context);
    const strange = kind.strangeName?.(prepared);
    if (strange) {
      const { reason, advice, column } = strange;
      throw new HooklineError("pattern_invalid", { pattern: String(params.expr), reason, advice, column, where: type });
    }
    return takesNothing(kind, prepared) ? { is: type } : { is: type, with: prepared };
  } catch (error) {
    const code = type === "expression" ? "expression-invalid" : "matcher-invalid";
    return tellError(report, placeOfThrown(error, typed, params, context.text), { code, ...thrown(error, type) });
  }
}

/** Some kinds whose parameters may all be left out take nothing at all; others want their object, empty or not. */
const takesNothing = ({ params: { check } }: ConditionKind, params: Json): boolean =>
  params === null || (Object.keys(params).length === 0 && check(null).length === 0);

function thrown(error: unknown, type: string): Pick<RuleFinding, "message" | "suggestion"> {
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
