/** Placeholders in an automation that can never be filled: told when it is read, because at run time they are only empty. */
import type { Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { strangePlaceholders } from "../placeholder-names.ts";
import type { Findings, Path } from "./findings.ts";

interface Place {
  findings: Findings;
  path: Path;
  /** How many steps have run by then. */
  steps: number;
}

const stepResult = /\{\{\s*step_(\d{1,6})(?:\.[^{}]*)?\s*\}\}/g;

/** Every text below the value. */
export function warnOfPlaceholders(value: Json, place: Place): void {
  const { path } = place;
  if (typeof value === "string") warnOfText(value, place);
  else if (Array.isArray(value))
    for (const [index, one] of value.entries()) warnOfPlaceholders(one, { ...place, path: [...path, index] });
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) warnOfPlaceholders(one, { ...place, path: [...path, key] });
}

function warnOfText(text: string, { findings, path, steps }: Place): void {
  for (const [whole, step] of text.matchAll(stepResult)) {
    if (Number(step) < steps) continue;
    const message = `${whole} is always empty: ${told(steps)} before it`;
    findings.warn(path, { code: "placeholder", message, suggestion: "steps are counted from 0" });
  }
  for (const { message, suggestion } of strangePlaceholders(text))
    findings.warn(path, { code: "placeholder", message, suggestion });
}

const told = (steps: number): string =>
  steps === 0 ? "no step runs" : steps === 1 ? "only step_0 runs" : `only step_0 to step_${steps - 1} run`;
