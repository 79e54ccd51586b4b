/** Placeholders in an automation that can never be filled: told when it is read, because at run time they are only empty. */
import type { Json } from "../core/event.ts";
import { nearest } from "../core/nearest.ts";
import { isRecord } from "../core/schema.ts";
import { placeholders } from "../core/template.ts";
import type { Findings, Path } from "./automation-findings.ts";

interface Place {
  findings: Findings;
  path: Path;
  /** How many steps have run by then. */
  steps: number;
}

const roots: readonly string[] = [...new Set(placeholders.map(({ name }) => name.split(".")[0] ?? ""))];
const written = /\{\{\s*([^{}.\s]{1,60})(?:\.[^{}]*)?\s*\}\}/g;

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
  for (const [whole, root = ""] of text.matchAll(written)) {
    const step = /^step_(\d{1,6})$/.exec(root)?.[1];
    if (step !== undefined && Number(step) >= steps) {
      const message = `${whole} is always empty: ${told(steps)} before it`;
      findings.warn(path, { code: "placeholder", message, suggestion: "steps are counted from 0" });
    }
    const near = step === undefined && !roots.includes(root) ? nearest(root, roots) : undefined;
    if (near === undefined || near.includes("_N")) continue;
    const message = `${whole} stands for nothing and stays as it is written`;
    findings.warn(path, { code: "placeholder", message, suggestion: `did you mean {{${near}}}?` });
  }
}

const told = (steps: number): string =>
  steps === 0 ? "no step runs" : steps === 1 ? "only step_0 runs" : `only step_0 to step_${steps - 1} run`;
