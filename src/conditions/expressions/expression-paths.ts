/** Which names an expression looks at: for what has to be known before, and for telling a person why it was true or false. */
import { didYouMean } from "../../engine/nearest.ts";
import type { StrangeName } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import { rootNames } from "./expression-names.ts";

/** `tool.params.path` as a node of the tree, and as it is written. */
export interface Path {
  written: string;
  node: unknown;
}

/** In the order in which they stand, each once. A tree that is damaged has fewer. */
export function pathsIn(tree: unknown): Path[] {
  const found = new Map<string, Path>();
  collect(tree, [], found);
  return [...found.values()];
}

/** What enrich has to look up first. Of an expression that has no tree yet, for each name that it may hold. */
export function needsOf(expr: string, tree: unknown): string[] {
  const roots =
    tree === undefined ? (expr.match(/\w+/g) ?? []) : pathsIn(tree).map(({ written }) => written.split(".")[0] ?? "");
  const needs = roots.map((root) => (Object.hasOwn(rootNames, root) ? rootNames[root]?.needs : undefined));
  return [...new Set(needs.filter((need) => need !== undefined))];
}

/** `tool.parms`, of which nothing is called so and which is None for ever. */
export function strangeNameIn(expr: string, tree: unknown): StrangeName | undefined {
  for (const { written } of pathsIn(tree)) {
    const [root = "", part] = written.split(".");
    const parts = Object.hasOwn(rootNames, root) ? rootNames[root]?.parts : undefined;
    if (!parts || part === undefined || parts.includes(part)) continue;
    const reason = `${root} has no "${part}"`;
    const advice = didYouMean(part, parts) ?? `known: ${parts.join(", ")}`;
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
