/** Reads typed fields of one entry: a value of the wrong type is a finding and makes the entry invalid (R33). */

import type { Json } from "../../engine/event.ts";
import type { ProblemCode } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { kindOf } from "../../engine/schema.ts";
import type { Report } from "../reading/tree.ts";
import type { Entry, Field, Flavour } from "./entries.ts";

export interface EntryReader {
  entry: Entry;
  report: Report;
  /** Why the entry cannot become a hook; empty while it can. */
  readonly faults: readonly string[];
  /** Tells of a fault at a field, or at the entry if it has no such field. */
  fault(key: string, code: ProblemCode, message: string, suggestion?: string): void;
  text(key: string): string | undefined;
  flag(key: string): boolean | undefined;
  number(key: string): number | undefined;
  texts(key: string): string[] | undefined;
  textMap(key: string): { [key: string]: string } | undefined;
  choice<const T extends string>(key: string, choices: readonly T[]): T | undefined;
  /** Text that only a person reads: the wrong type costs the text, not the hook. */
  caption(key: string): string | undefined;
}

const isText = (value: Json): value is string => typeof value === "string";
const isFlag = (value: Json): value is boolean => typeof value === "boolean";
const isNumber = (value: Json): value is number => typeof value === "number" && Number.isFinite(value);
const isTexts = (value: Json): value is string[] => Array.isArray(value) && value.every(isText);
const isTextMap = (value: Json): value is { [key: string]: string } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText);

/** Keys of ours that say nothing of safety: in a file of another tool's they may well mean something else. */
const onlyOurs: ReadonlySet<string> = new Set(["environment", "priority", "tags", "resident", "enabled"]);

export function createReader(entry: Entry, tell: Report, flavour: Flavour): EntryReader {
  const faults = entry.fault === undefined ? [] : [entry.fault];
  const report: Report = entry.fault === undefined ? tell : () => {}; // it was told, and nothing else matters
  const fault: EntryReader["fault"] = (key, code, message, suggestion) => {
    const field = entry.fields.get(key);
    if (field && !flavour.isOurs && onlyOurs.has(key) && code === "wrong-type") {
      const ours = { severity: "note", code: "ignored-field", message: `"${key}" is ignored: ${message}` } as const;
      report(field.at, { ...ours, suggestion: "it means something to Hookline only in this form" });
      return;
    }
    faults.push(message);
    report(entry.fields.get(key)?.at ?? entry.at, {
      severity: "error",
      code,
      message,
      ...(suggestion ? { suggestion } : {}),
    });
  };
  const read = <T extends Json>(key: string, expected: string, fits: (value: Json) => value is T): T | undefined => {
    const field = entry.fields.get(key);
    if (!field || field.value === null) return undefined;
    if (fits(field.value)) return field.value;
    fault(key, "wrong-type", wrongType(key, expected, field));
    return undefined;
  };
  return {
    entry,
    report,
    faults,
    fault,
    text: (key) => read(key, "text", isText),
    flag: (key) => read(key, "true or false", isFlag),
    number: (key) => read(key, "a number", isNumber),
    texts: (key) => read(key, "a list of texts", isTexts),
    textMap: (key) => read(key, "an object of texts", isTextMap),
    choice: (key, choices) => {
      const value = read(key, "text", isText);
      const chosen = choices.find((one) => one === value);
      if (value !== undefined && chosen === undefined) {
        fault(
          key,
          "wrong-type",
          `"${key}" is ${kindOf(value)}, which is none of ${choices.join(", ")}`,
          didYouMean(value, choices),
        );
      }
      return chosen;
    },
    caption: (key) => {
      const field = entry.fields.get(key);
      if (!field || field.value === null) return undefined;
      if (isText(field.value)) return field.value;
      report(field.at, {
        severity: "warning",
        code: "wrong-type",
        message: wrongType(key, "text", field),
        suggestion: "it is left out",
      });
      return undefined;
    },
  };
}

const wrongType = (key: string, expected: string, field: Field): string =>
  `"${key}" needs ${expected} but is ${kindOf(field.value)}`;
