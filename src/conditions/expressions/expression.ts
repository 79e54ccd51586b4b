/** expression: a test written as in Python, read when its file is and answered without a parser (D43, R13, R64). */

import { messageOf } from "../../engine/error.ts";
import type { Json } from "../../engine/event.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import { shortened } from "../../engine/one-line.ts";
import type { ConditionKind, Patterns, Scope, StrangeName } from "../../engine/ports.ts";
import { isRecord, object, type Schema, text } from "../../engine/schema.ts";
import { joined } from "../../engine/words.ts";
import { compileExpression } from "./evaluate.ts";
import { rootNames } from "./names.ts";
import { isMissing, newFrame } from "./tree.ts";
import { represent, truth } from "./values.ts";

/** The tree is what `prepare` makes of the text; authors do not write it. */
type Params = { expr: string; tree?: Json };

const authored = object({ expr: text("a Python-like expression over the turn and the event") });
const params: Schema<Params> = {
  json: authored.json,
  check(value, path) {
    if (!isRecord(value)) return authored.check(value, path);
    const { tree: _tree, ...rest } = value;
    return authored.check(rest, path);
  },
};

const treeOf = ({ expr, tree }: Params, patterns: Patterns): Json => tree ?? patterns.expression(expr);

/** The answer, or why there is none. */
type Answer = { holds: boolean } | { holds: false; lacks: string } | { fault: string };

function answer(evaluate: ReturnType<typeof compileExpression>, scope: Scope): Answer {
  try {
    return { holds: truth(evaluate(scope)) };
  } catch (error) {
    return isMissing(error) ? { holds: false, lacks: messageOf(error) } : { fault: messageOf(error) };
  }
}

const unanswered = ({ expr }: Params, fault: string): string => `the expression ${expr} has no answer: ${fault}`;

/** By the parameters that they were compiled from, for explain. */
const compiled = new WeakMap<Params, ReturnType<typeof compileExpression>>();

export const expression: ConditionKind<Params> = {
  summary: "an expression is true",
  params,
  prepare: ({ expr }, patterns) => ({ expr, tree: patterns.expression(expr) }),
  needsOf: ({ expr, tree }) => needsOf(expr, tree),
  strangeName: ({ expr, tree }) => strangeNameIn(expr, tree),
  compile(given, patterns) {
    const evaluate = compileExpression(treeOf(given, patterns));
    compiled.set(given, evaluate);
    return (scope) => {
      const found = answer(evaluate, scope);
      if ("holds" in found) return found.holds;
      const sentence = unanswered(given, found.fault);
      if (!scope.faults?.includes(sentence)) scope.faults?.push(sentence);
      return false;
    };
  },
  describe: ({ expr }) => `the expression ${expr} is true`,
  explain(given, scope) {
    const values = valuesIn(given.tree, scope);
    const where = values === "" ? "" : `, where ${values}`;
    const evaluate = compiled.get(given);
    const found = evaluate ? answer(evaluate, scope) : { holds: false };
    const why = "lacks" in found ? ` (${found.lacks})` : "";
    return {
      holds: `the expression ${given.expr} is true${where}`,
      fails: `${"fault" in found ? unanswered(given, found.fault) : `the expression ${given.expr} is false`}${why}${where}`,
    };
  },
};

/** A person reads a few of them. */
const most = 6;
const longest = 60;

/** What the names in it stood for. */
function valuesIn(tree: Json | undefined, scope: Scope): string {
  const paths = pathsIn(tree).slice(0, most);
  return joined(paths.map(({ written, node }) => `${written} is ${printed(node, scope)}`));
}

function printed(node: unknown, scope: Scope): string {
  try {
    return shortened(represent(newFrame(scope), compileExpression(node)(scope)), longest);
  } catch {
    return "too long to be shown"; // the limits of an expression hold for what is shown of it
  }
}

/** `tool.params.path` as a node of the tree, and as it is written. */
interface Path {
  written: string;
  node: unknown;
}

/** In the order in which they stand, each once. A tree that is damaged has fewer. */
function pathsIn(tree: unknown): Path[] {
  const found = new Map<string, Path>();
  collect(tree, [], found);
  return [...found.values()];
}

/** What enrich has to look up first. Of an expression that has no tree yet, for each name that it may hold. */
function needsOf(expr: string, tree: unknown): string[] {
  const roots =
    tree === undefined ? (expr.match(/\w+/g) ?? []) : pathsIn(tree).map(({ written }) => written.split(".")[0] ?? "");
  const needs = roots.map((root) => (Object.hasOwn(rootNames, root) ? rootNames[root]?.needs : undefined));
  return [...new Set(needs.filter((need) => need !== undefined))];
}

/** `tool.parms`, of which nothing is called so and which is None for ever. */
function strangeNameIn(expr: string, tree: unknown): StrangeName | undefined {
  for (const { written } of pathsIn(tree)) {
    const [root = "", part] = written.split(".");
    const parts = Object.hasOwn(rootNames, root) ? rootNames[root]?.parts : undefined;
    if (!parts || part === undefined || parts.includes(part)) continue;
    const reason = `${root} has no "${part}"`;
    const advice = meantOrKnown(part, parts);
    return { reason, advice, column: Math.max(0, expr.indexOf(`${root}.${part}`)) + 1 };
  }
  return undefined;
}

function collect(node: unknown, variables: readonly string[], found: Map<string, Path>): void {
  if (Array.isArray(node)) {
    for (const one of node) collect(one, variables, found);
    return;
  }
  if (!isRecord(node)) return;
  const written = writtenOf(node, variables);
  if (written !== undefined) {
    found.set(written, { written, node });
    return;
  }
  const inside = Array.isArray(node.loops) ? [...variables, ...node.loops.flatMap(variableOf)] : variables;
  for (const part of Object.values(node)) if (typeof part === "object") collect(part, inside, found);
}

const variableOf = (loop: unknown): string[] =>
  isRecord(loop) && typeof loop.variable === "string" ? [loop.variable] : [];

function writtenOf(node: Record<string, unknown>, variables: readonly string[]): string | undefined {
  if (typeof node.name !== "string") return undefined;
  if (node.is === "name") return variables.includes(node.name) ? undefined : node.name;
  if (node.is !== "attribute" || !isRecord(node.of)) return undefined;
  const before = writtenOf(node.of, variables);
  return before === undefined ? undefined : `${before}.${node.name}`;
}
