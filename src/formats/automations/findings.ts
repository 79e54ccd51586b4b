/** Findings about an automation, placed by the path of the value: the automation may lie in a file, in the store or in a request. */
import type { Problem } from "../../engine/hook.ts";
import type { Mismatch } from "../../engine/schema.ts";
import { findingsOf, type Path, type Subject } from "../reading/mismatches.ts";

export interface AutomationFinding extends Pick<Problem, "severity" | "code" | "message" | "suggestion"> {
  path: Path;
  /** It is about the key, not about what stands behind it. */
  ofKey?: true;
  /** Although it is an error, the automation runs: what is wrong stands in its runs. */
  isBearable?: true;
}
type Said = Omit<AutomationFinding, "severity" | "path">;

export interface Findings {
  readonly all: AutomationFinding[];
  error(path: Path, said: Said): void;
  warn(path: Path, said: Said): void;
  /** Whether one of them keeps it from running. */
  readonly isBroken: boolean;
}

export function collectFindings(): Findings {
  const all: AutomationFinding[] = [];
  return {
    all,
    error: (path, said) => void all.push({ severity: "error", path, ...said }),
    warn: (path, said) => void all.push({ severity: "warning", path, ...said }),
    get isBroken() {
      return all.some(({ severity, isBearable }) => severity === "error" && !isBearable);
    },
  };
}

/** Reports what a schema has found, at a path inside the automation. */
export function reportMismatches(
  mismatches: readonly Mismatch[],
  { at, ...subject }: Subject & { at: Path },
  findings: Findings,
): void {
  for (const { path, ...finding } of findingsOf(mismatches, subject)) findings.error([...at, ...path], finding);
}
