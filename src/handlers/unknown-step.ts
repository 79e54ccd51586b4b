/** Stands where an automation names a step that there is not: that step fails, and those behind it run (AT15). */
import type { Fields } from "../core/event.ts";
import type { Handler } from "../core/ports.ts";
import { anything, mapOf } from "../core/schema.ts";
import { printValue } from "../core/template.ts";
import { asStep } from "./context-step.ts";

/** `type` is the name that was written; the other parameters are those of a step that nobody knows. */
export const unknownStep: Handler<Fields> = asStep(5, {
  params: mapOf(anything),
  run({ type = "" }) {
    throw new Error(`Unknown step type: ${printValue(type)}`);
  },
});
