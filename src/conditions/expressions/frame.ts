/** One answering of an expression: what it may look at, how much it may still do, and how it is given up. */
import type { Scope } from "../../engine/ports.ts";
import type { Value } from "./python-value.ts";

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

/** Ends the expression, or the part of it that asks for what is missing; whoever asked for the answer catches it. */
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
