/** What an expression is once it has been read: a JSON tree, kept in the hook, so that no event needs the parser (R64). */

export const comparisons = ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"] as const;
export type Comparison = (typeof comparisons)[number];
export const operators = ["+", "-", "*", "/", "//", "%", "**"] as const;
export type Operator = (typeof operators)[number];

/** `at` is the column, counted from 1, that a fault is told with: of the operator where there is one. */
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

/** Nobody writes deeper ones, and reading and answering are recursive. */
export const deepest = 100;
/** Text of an expression. */
export const longestExpression = 2000;
