/** Findings about an automation, placed by the way down to the value: it may lie in a file, in the store or in a request. */
import type { Json } from "../../engine/event.ts";
import type { Problem } from "../../engine/hook.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import { isRecord, type Mismatch } from "../../engine/schema.ts";

export type Path = readonly (string | number)[];
export interface AutomationFinding extends Pick<Problem, "severity" | "code" | "message" | "suggestion"> {
  path: Path;
  /** It is about the key, not about what stands behind it. */
  ofKey?: true;
  /** Although it is an error, the automation runs: what is wrong stands in its runs. */
  isBearable?: true;
}
type Told = Omit<AutomationFinding, "severity" | "path">;

export interface Findings {
  readonly all: AutomationFinding[];
  error(path: Path, told: Told): void;
  warn(path: Path, told: Told): void;
  /** Whether something was told that keeps it from running. */
  readonly isBroken: boolean;
}

export function collectFindings(): Findings {
  const all: AutomationFinding[] = [];
  return {
    all,
    error: (path, told) => void all.push({ severity: "error", path, ...told }),
    warn: (path, told) => void all.push({ severity: "warning", path, ...told }),
    get isBroken() {
      return all.some(({ severity, isBearable }) => severity === "error" && !isBearable);
    },
  };
}

export interface Subject {
  /** In a person's words, such as: the trigger. */
  name: string;
  path: Path;
  value: Json | undefined;
  /** Words of other formats for its fields. */
  elsewhere?: { readonly [word: string]: string };
}

/** Tells of what a schema has found. Where a name is misspelt, what was meant is not missing. */
export function reportMismatches(mismatches: readonly Mismatch[], subject: Subject, findings: Findings): void {
  const meant = new Set(mismatches.flatMap((one) => (one.unknown ? (meantBy(one, subject) ?? []) : [])));
  for (const mismatch of mismatches) {
    const path = [...subject.path, ...mismatch.path];
    if (mismatch.unknown) findings.error(path, { ...unknownField(mismatch, subject), ofKey: true });
    else if (mismatch.path.length > 0 && valueAt(subject.value, mismatch.path) === undefined) {
      if (meant.has(mismatch.path.join("."))) continue;
      const message = `${subject.name} needs "${mismatch.path.join(".")}"`;
      findings.error(path, { code: "missing-field", message, suggestion: `it is: ${mismatch.expected}` });
    } else findings.error(path, wrongType(mismatch, subject));
  }
}

const meantBy = ({ path, known = [] }: Mismatch, { elsewhere = {} }: Subject): string | undefined => {
  const key = String(path.at(-1));
  const name = Object.hasOwn(elsewhere, key) ? elsewhere[key] : nearest(key, known);
  return name && [...path.slice(0, -1), name].join(".");
};

function unknownField({ path, known = [] }: Mismatch, { name, elsewhere = {} }: Subject): Told {
  const key = String(path.at(-1));
  const other = Object.hasOwn(elsewhere, key) ? `write "${elsewhere[key]}"` : undefined;
  const suggestion =
    other ?? didYouMean(key, known) ?? (known.length === 0 ? "it takes none" : `known: ${known.join(", ")}`);
  return { code: "unknown-field", message: `${name} has no "${path.join(".")}"`, suggestion };
}

function wrongType({ path, expected, found }: Mismatch, { name }: Subject): Told {
  const what = path.length === 0 ? name : `"${path.join(".")}" of ${name}`;
  const advice = adviceOn(expected, found);
  return {
    code: "wrong-type",
    message: `${what} needs ${expected} but is ${found}`,
    ...(advice ? { suggestion: advice } : {}),
  };
}

function adviceOn(expected: string, found: string): string | undefined {
  if (/^(text|a name)$/.test(expected) && /^(-?\d[\d.e+-]*|true|false)$/.test(found)) return `write "${found}"`;
  if (expected === "a list" && /^"/.test(found)) return `write [${found}]`;
  if (/number|seconds/.test(expected) && /^"\d+(\.\d+)?"$/.test(found)) return `write ${found.slice(1, -1)}`;
  const word = expected === "true or false" ? /^"(?:(yes|on|true)|no|off|false)"$/.exec(found) : null;
  return word ? `write ${word[1] !== undefined}` : undefined;
}

export function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path)
    at = Array.isArray(at) ? at[Number(key)] : isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}
