/** Reading a stored tree field by field: it is data, which may be damaged or of another version. */
import { HooklineError } from "../engine/error.ts";
import { kindOf } from "../engine/schema.ts";
import type { Frame } from "./expressions/frame.ts";
import type { Value } from "./expressions/python-value.ts";

export type Node = Readonly<Record<string, unknown>>;
export type Evaluate = (frame: Frame) => Value;

/** Where a node stands: the comprehensions around it, innermost last, and how many there are in all. */
export interface Place {
  variables: readonly { name: string; slot: number }[];
  slots: { count: number };
  depth: number;
}
export type Compile = (node: unknown, place: Place) => Evaluate;

export const damaged = (what: string): HooklineError =>
  new HooklineError("pattern_invalid", {
    pattern: "of the condition expression",
    reason: `its stored tree is damaged: ${what}`,
    where: "the condition expression",
    advice: "read the hook file again",
  });

export function rowFor<T>(table: Readonly<Record<string, T>>, key: unknown, what: string): T {
  const row = typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;
  if (row === undefined) throw damaged(`${what} is called ${kindOf(key)}`);
  return row;
}

export function listIn(node: Node, key: string): readonly unknown[] {
  const list = node[key];
  if (!Array.isArray(list)) throw damaged(`${key} is no list`);
  return list;
}
export function textIn(node: Node, key: string): string {
  const text = node[key];
  if (typeof text !== "string") throw damaged(`${key} is no text`);
  return text;
}
export const columnOf = (node: Node): number => (typeof node.at === "number" ? node.at : 0);
