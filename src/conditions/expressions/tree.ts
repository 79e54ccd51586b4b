/** What an expression is once it has been read, a JSON tree kept in the hook, so that no event needs the parser (R64); how it is read again and answered. */
import { HooklineError } from "../../engine/error.ts";
import type { Scope } from "../../engine/ports.ts";
import { kindOf } from "../../engine/schema.ts";
import type { Value } from "./values.ts";

export const comparisons = ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"] as const;
export type Comparison = (typeof comparisons)[number];
export const operators = ["+", "-", "*", "/", "//", "%", "**"] as const;
export type Operator = (typeof operators)[number];

/** `at` is the column, counted from 1, for messages: of the operator where there is one. */
export type Expression =
  | { is: "constant"; at: number; value: null | boolean | number | string }
  /** 1.0 and 1 are one number in JSON and two in Python. */
  | { is: "float"; at: number; value: number }
  | { is: "name"; at: number; name: string }
  | { is: "list" | "tuple"; at: number; items: Expression[] }
  | { is: "dictionary"; at: number; keys: string[]; values: Expression[] }
  | { is: "attribute"; at: number; of: Expression; name: string }
  | { is: "item"; at: number; of: Expression; index: Expression }
  /** start, stop and step; null where one is left out. */
  | { is: "slice"; at: number; of: Expression; bounds: (Expression | null)[] }
  | { is: "not" | "minus" | "plus"; at: number; value: Expression }
  | { is: "and" | "or"; at: number; values: Expression[] }
  /** a < b < c: each value once, from left to right, until one comparison fails. */
  | { is: "compare"; at: number; first: Expression; rest: { by: Comparison; at: number; value: Expression }[] }
  | { is: "arithmetic"; at: number; by: Operator; left: Expression; right: Expression }
  | { is: "choice"; at: number; test: Expression; value: Expression; otherwise: Expression }
  | { is: "call"; at: number; name: string; given: Expression[] }
  | { is: "method"; at: number; of: Expression; name: string; given: Expression[] }
  /** A list made by a comprehension; a generator is one whose end any and all need not reach. */
  | { is: "each" | "generator"; at: number; gives: Expression; loops: Loop[] };

export type Loop = { variable: string; over: Expression; when: Expression[] };

/** People write no deeper ones; reading and answering are recursive. */
export const deepest = 100;
/** Text of an expression. */
export const longestExpression = 2000;

/** A part of a stored tree, which is data: it may be damaged or of another version. */
export type Node = Readonly<Record<string, unknown>>;
export type Evaluate = (frame: Frame) => Value;

/** Where a node stands: the comprehensions around it, innermost last, and how many there are in all. */
export interface Place {
  variables: readonly { name: string; slot: number }[];
  slots: { count: number };
  depth: number;
}

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

/** One answering of an expression: what it may look at, and how much it may still do. */
export interface Frame {
  readonly scope: Scope;
  /** Column of the operation that is being done. */
  at: number;
  /** Left of `mostSteps`. */
  steps: number;
  /** Of comprehensions, by slot. */
  readonly variables: Value[];
}

const mostSteps = 10_000;
/** Of a text that the expression itself makes. */
const longestText = 100_000;
/** Looking through this much text is one step. */
const textPerStep = 1024;

export const newFrame = (scope: Scope): Frame => ({ scope, at: 0, steps: mostSteps, variables: [] });

/** Marks a fault that comes of a value that is not there. */
const missing = "missing";

/** Ends the expression, or the part of it that asks for what is missing; expression.ts catches it. */
export function fault(frame: Frame, reason: string): never {
  throw new Error(`column ${frame.at}: ${reason}`, /\bNone\b/.test(reason) ? { cause: missing } : undefined);
}

export const isMissing = (error: unknown): boolean => error instanceof Error && error.cause === missing;

/**
 * One operand of and, or, not, of a choice or of a comprehension. What it asks of a value that is missing makes it None,
 * and so false, but not the rest of the expression: else one entry without the field would hide all others from a guard.
 */
export const operand =
  (evaluate: (frame: Frame) => Value): ((frame: Frame) => Value) =>
  (frame) => {
    try {
      return evaluate(frame);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

export function spend(frame: Frame, steps: number): void {
  frame.steps -= steps;
  if (frame.steps < 0) fault(frame, `it takes more than ${mostSteps} steps`);
}

/** Every operation is a step. */
export function begin(frame: Frame, at: number): void {
  frame.at = at;
  if (--frame.steps < 0) spend(frame, 0);
}

export function spendText(frame: Frame, length: number): void {
  spend(frame, 1 + Math.floor(length / textPerStep));
}

/** Asked before the text is made. */
export function checkLength(frame: Frame, length: number): void {
  if (length > longestText) fault(frame, `it makes a text of more than ${longestText} characters`);
}
