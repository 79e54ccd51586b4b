/** A condition tree becomes one closure; what depends on the match value alone is separated from the rest (R13). */
import { HooklineError } from "./error.ts";
import type { Json } from "./event.ts";
import type { Condition } from "./hook.ts";
import { nearest } from "./nearest.ts";
import type { ConditionKind, Patterns, Registry, Scope, Test } from "./ports.ts";
import type { Found } from "./record.ts";
import { isRecord } from "./schema.ts";

export interface CompiledCondition {
  test: Test;
  /** The clause that decided, in a person's words. */
  explain(scope: Scope): { holds: boolean; because: string };
  /** The answer depends on the event's name and match value alone, so it may be remembered. */
  isStatic: boolean;
  /** Fetches what parts of it need from another process to answer for this scope. Absent: they need nothing. Never rejects. */
  ask?: (scope: Scope) => Promise<void>;
  /** What enrich has to add to the event before. */
  needs: ReadonlySet<string>;
  /** Of an all: its members. */
  all?: readonly CompiledCondition[];
}
type Kinds = Pick<Registry, "conditions">;

/** Deeper trees than a person writes would overflow the stack, and a test never throws. */
const deepest = 100;

/** Throws condition_unknown, parameters_invalid, and what a kind's own compile throws. */
export const compileCondition = (condition: Condition, registry: Kinds, patterns: Patterns): CompiledCondition =>
  compileNode(condition, { registry, patterns, where: "when", depth: 0 });

/**
 * The same condition in two parts, of which both must hold: `fixed` depends on the match value alone. A part that would
 * be empty is left out; a condition that asks for nothing leaves both out.
 */
export function splitCondition(whole: CompiledCondition): { fixed?: CompiledCondition; open?: CompiledCondition } {
  const parts = flatten(whole);
  const fixed = parts.filter((part) => part.isStatic);
  const open = parts.filter((part) => !part.isStatic);
  return {
    ...(fixed.length > 0 ? { fixed: joinAll(fixed) } : {}),
    ...(open.length > 0 ? { open: joinAll(open) } : {}),
  };
}

const flatten = (whole: CompiledCondition): readonly CompiledCondition[] => whole.all?.flatMap(flatten) ?? [whole];

interface Place {
  registry: Kinds;
  patterns: Patterns;
  where: string;
  depth: number;
}

function compileNode(condition: Condition, place: Place): CompiledCondition {
  if (place.depth > deepest) throw invalid("the condition", `at most ${deepest} levels`, "more", place);
  if (!isRecord(condition)) throw invalid("a condition", "an object", JSON.stringify(condition) ?? "nothing", place);
  const inside = (key: string): Place => ({ ...place, where: `${place.where}.${key}`, depth: place.depth + 1 });
  if ("all" in condition) return joinAll(compileList(condition.all, inside("all")));
  if ("any" in condition) return joinAny(compileList(condition.any, inside("any")));
  if ("not" in condition) return negate(compileNode(condition.not, inside("not")));
  return compileLeaf(condition, place);
}

function compileList(conditions: readonly Condition[], place: Place): CompiledCondition[] {
  if (!Array.isArray(conditions))
    throw invalid("a condition", "a list of conditions", JSON.stringify(conditions), place);
  return conditions.map((one, index) => compileNode(one, { ...place, where: `${place.where}[${index}]` }));
}

function compileLeaf(condition: { is: string; with?: Json }, place: Place): CompiledCondition {
  const name = condition.is ?? Object.keys(condition)[0] ?? "";
  const kind = place.registry.conditions.get(name);
  if (!kind || condition.is === undefined) {
    const near = nearest(name, ["all", "any", "not", ...place.registry.conditions.keys()]);
    throw new HooklineError("condition_unknown", { name, where: place.where, near });
  }
  const params = condition.with ?? null;
  const [wrong] = kind.params.check(params);
  if (wrong) throw invalid([name, ...wrong.path].join("."), wrong.expected, wrong.found, place);
  const test = kind.compile(params, place.patterns);
  const clause = describe(name, kind, params);
  return {
    test,
    explain: (scope) => {
      const holds = test(scope) !== false;
      const said = kind.explain?.(params, scope, place.patterns) ?? { holds: clause, fails: `not: ${clause}` };
      return { holds, because: holds ? said.holds : said.fails };
    },
    ...(kind.ask ? { ask: async (scope) => kind.ask?.(params, scope) } : {}),
    isStatic: kind.reads === "match",
    needs: new Set([...(kind.needs === undefined ? [] : [kind.needs]), ...(kind.needsOf?.(params) ?? [])]),
  };
}

const describe = (name: string, kind: ConditionKind, params: Json): string =>
  kind.describe?.(params) ?? (params === null ? name : `${name} ${JSON.stringify(params)}`);

const invalid = (name: string, expected: string, found: string, { where }: Place): HooklineError =>
  new HooklineError("parameters_invalid", { name, expected, found, where });

const joinAll = (parts: readonly CompiledCondition[]): CompiledCondition =>
  join(parts, { test: testAll(parts.map((part) => part.test)), decides: false, empty: "it asks for nothing" });

const joinAny = (parts: readonly CompiledCondition[]): CompiledCondition =>
  join(parts, { test: testAny(parts.map((part) => part.test)), decides: true, empty: "it offers no choice" });

interface Joint {
  test: Test;
  /** The answer of one part that is the answer of all. */
  decides: boolean;
  /** What is said where there is no part. */
  empty: string;
}

function join(parts: readonly CompiledCondition[], { test, decides, empty }: Joint): CompiledCondition {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return {
    test,
    explain(scope) {
      const reasons: string[] = [];
      for (const part of parts) {
        const { holds, because } = part.explain(scope);
        if (holds === decides) return { holds, because };
        reasons.push(because);
      }
      return { holds: !decides, because: reasons.join(" and ") || empty };
    },
    ...(decides ? {} : { all: parts }),
    ...(parts.some(({ ask }) => ask) ? { ask: askInTurn(parts, decides) } : {}),
    isStatic: parts.every((part) => part.isStatic),
    needs: new Set(parts.flatMap((part) => [...part.needs])),
  };
}

/** What a part before decides is not asked. */
const askInTurn =
  (parts: readonly CompiledCondition[], decides: boolean): NonNullable<CompiledCondition["ask"]> =>
  async (scope) => {
    const own = { ...scope, faults: [] }; // the test itself will find them
    for (const part of parts) {
      await part.ask?.(own);
      if ((part.test(own) !== false) === decides) return;
    }
  };

function negate(part: CompiledCondition): CompiledCondition {
  const { test } = part;
  return {
    test(scope) {
      const found = test(scope);
      return found === false || (isUnsure(found) ? found : false);
    },
    explain(scope) {
      const { holds, because } = part.explain(scope);
      return { holds: !holds || isUnsure(test(scope)), because };
    },
    ...(part.ask ? { ask: part.ask } : {}),
    isStatic: part.isStatic,
    needs: part.needs,
  };
}

/** Nobody can tell whether it holds: `unknown` says why (R87). The opposite is as unsure. */
const isUnsure = (found: Found | boolean): found is Found => typeof found === "object" && found.unknown !== undefined;

const both = (left: Found | true, right: Found | true): Found | true =>
  left === true ? right : right === true ? left : { ...left, ...right };

/** What all of them found is one finding. */
const testAll =
  (tests: readonly Test[]): Test =>
  (scope) => {
    let found: Found | true = true;
    for (const test of tests) {
      const one = test(scope);
      if (one === false) return false;
      found = both(found, one);
    }
    return found;
  };

/** A sure answer goes before one that only may hold: its reason is the better one. */
const testAny =
  (tests: readonly Test[]): Test =>
  (scope) => {
    let unsure: Found | false = false;
    for (const test of tests) {
      const one = test(scope);
      if (isUnsure(one)) unsure ||= one;
      else if (one !== false) return one;
    }
    return unsure;
  };
