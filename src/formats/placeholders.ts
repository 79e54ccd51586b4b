/** Placeholders whose names mean nothing, reported when a file is read: at run time they are only empty, or stay as they are written. */
import type { Json } from "../engine/event.ts";
import { meantOrKnown, nearest } from "../engine/nearest.ts";
import { isPlainPath, namesAroundGap, namesOfRoot, plainPathIn } from "../engine/placeholder-form.ts";
import { isRecord } from "../engine/schema.ts";
import { placeholderParts, placeholders, placeholdersWithoutParts } from "../engine/template.ts";
import type { Findings } from "./automations/findings.ts";
import type { Path } from "./reading/mismatches.ts";

export interface StrangePlaceholder {
  severity: "error" | "warning";
  /** What holds it never does what it says. */
  isEmpty: boolean;
  message: string;
  suggestion: string;
}

const roots: readonly string[] = [...new Set(placeholders.map(({ name }) => name.split(".")[0] ?? ""))];

const isRoot = (name: string): boolean => roots.includes(name) || /^step_\d+$/.test(name);

/** Other template languages have filters, indexes and calls, and so have programs' own templates: those without a known name are theirs. */
const otherLanguage = /^(?:[A-Za-z_]\w*)(?:\.\w+)*(?:\s*\||\[|\()/;

/** Nothing fills these: a placeholder is a plain path. */
function unplainPlaceholders(text: string): StrangePlaceholder[] {
  return [...text.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([whole, inside = ""]): StrangePlaceholder[] => {
    const written = inside.trim();
    const names = namesAroundGap(written);
    if (names) return [gapIn(whole, names)];
    if (isPlainPath(written)) return [];
    const meant = plainPathIn(written, isRoot);
    if (meant === undefined && !otherLanguage.test(written)) return [];
    const path = meant ?? plainPathIn(written, () => true);
    return [
      {
        severity: "error",
        isEmpty: meant !== undefined,
        message: `${whole} is no placeholder: between the braces stands a plain path, without filters, brackets, calls and operators`,
        suggestion: `write ${path === undefined ? "a path such as {{event.title}}" : `{{${path}}}`}`,
      },
    ];
  });
}

const gapIn = (whole: string, names: readonly string[]): StrangePlaceholder => ({
  severity: "error",
  isEmpty: isRoot(names[0] ?? ""),
  message: `${whole} is no placeholder: a dot in it has no name behind it`,
  suggestion: `write {{${names.join(".")}}}`,
});

export function strangePlaceholders(text: string): StrangePlaceholder[] {
  return [...unplainPlaceholders(text), ...misnamedPlaceholders(text)];
}

function misnamedPlaceholders(text: string): StrangePlaceholder[] {
  return [...text.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([whole, inside = ""]): StrangePlaceholder[] => {
    const written = inside.trim();
    if (!isPlainPath(written) || namesAroundGap(written)) return [];
    const [root = "", ...path] = written.split(".").map((name) => name.trim());
    if (isRoot(root)) return withoutSuchPart(whole, root, path);
    const meant = meantPath(written, root);
    if (meant === undefined) return [];
    const message = `${whole} stands for nothing and stays as it is written`;
    return [{ severity: "warning", isEmpty: false, message, suggestion: `did you mean {{${meant}}}?` }];
  });
}

/** Nothing is said of names in free fields: only an event knows them. */
function withoutSuchPart(whole: string, root: string, path: readonly string[]): StrangePlaceholder[] {
  const [part] = path;
  const empty = { severity: "error", isEmpty: true } as const;
  const known = placeholderParts.get(root);
  if (known && part !== undefined && !known.includes(part)) {
    const suggestion = meantOrKnown(part, known);
    return [{ ...empty, message: `${whole} is always empty: "${root}" has no "${part}"`, suggestion }];
  }
  const all = [root, ...path];
  const plain = placeholdersWithoutParts.find((one) => all.join(".").startsWith(`${one}.`));
  if (plain === undefined) return [];
  const below = all.slice(plain.split(".").length).join(".");
  const message = `${whole} is always empty: "${plain}" is a plain value and has no "${below}"`;
  return [{ ...empty, message, suggestion: `write {{${plain}}}` }];
}

/** The path that an unknown first name most likely stands for. */
function meantPath(written: string, root: string): string | undefined {
  const step = /^steps?\W{0,3}(\d{1,6})((?:\.[\w.]+)?)$/i.exec(written);
  if (step) return `step_${step[1]}${step[2]}`;
  const near = /\s/.test(root) || root.length > 60 ? undefined : nearest(root, roots);
  if (near !== undefined && !near.includes("_N")) return written.replace(root, near);
  const names = namesOfRoot(written, isRoot);
  if (names) return names.join(".");
  // The fields of a payload have names that begin so: tool_name, session_id.
  const [, first = "", rest = ""] = /^([a-z]+)[_-](\w+(?:\.[\w.]+)?)$/.exec(written) ?? [];
  if (!isRoot(first)) return undefined;
  return first === "event" ? `event.${rest}` : `event.${written}`;
}

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
    const message = `${whole} is always empty: ${stepsBefore(steps)} before it`;
    findings.warn(path, { code: "placeholder", message, suggestion: "steps are counted from 0" });
  }
  for (const { message, suggestion } of misnamedPlaceholders(text))
    findings.warn(path, { code: "placeholder", message, suggestion });
  for (const { message, suggestion } of unplainPlaceholders(text))
    findings.error(path, { code: "placeholder", message, suggestion });
}

const stepsBefore = (steps: number): string =>
  steps === 0 ? "no step runs" : steps === 1 ? "only step_0 runs" : `only step_0 to step_${steps - 1} run`;
