/** Reads the fields of one entry by their schemas: a wrong value is a finding and makes the entry invalid (R33). */
import type { ProblemCode } from "../../engine/hook.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import { kindOf, type Schema } from "../../engine/schema.ts";
import { adviceOn } from "../reading/mismatches.ts";
import type { Report } from "../reading/tree.ts";
import type { Entry, SettingsFormat } from "./entries.ts";
import { type CommonKey, type CommonValue, commonFields } from "./fields.ts";

export interface EntryReader {
  entry: Entry;
  report: Report;
  /** Why the entry cannot become a hook; empty while it can. */
  readonly faults: readonly string[];
  /** Reports a fault at a field, or at the entry if it has no such field. */
  fault(key: string, code: ProblemCode, message: string, suggestion?: string): void;
  /** By the table of what every entry may say. Undefined: the field is absent or empty, or it is wrong, which is reported. */
  read<K extends CommonKey>(key: K): CommonValue<K> | undefined;
  /** The same of a field that the type of its handler has. */
  readBy<T>(key: string, schema: Schema<T>): T | undefined;
  /** Text that only a person reads: the wrong type costs the text, not the hook. */
  caption(key: string): string | undefined;
  /** Offset of a field, or of the entry if it has no such field. */
  placeOf(key: string): number;
}

/** Keys of ours that say nothing of safety: in a file of another tool's they may well mean something else. */
const onlyOurs: ReadonlySet<string> = new Set([
  "environment",
  "priority",
  "tags",
  "resident",
  "enabled",
  "not",
  "report",
]);

export function createReader(entry: Entry, tell: Report, format: SettingsFormat): EntryReader {
  const faults = entry.fault === undefined ? [] : [entry.fault];
  const report: Report = entry.fault === undefined ? tell : () => {}; // it was reported, and nothing else matters
  const placeOf = (key: string): number => entry.fields.get(key)?.at ?? entry.at;
  const fault: EntryReader["fault"] = (key, code, message, suggestion) => {
    if (entry.fields.has(key) && !format.isOurs && onlyOurs.has(key)) {
      const ours = { severity: "note", code: "ignored-field", message: `"${key}" is ignored: ${message}` } as const;
      report(placeOf(key), { ...ours, suggestion: "it means something to Hookline only in this form" });
      return;
    }
    faults.push(message);
    report(placeOf(key), { severity: "error", code, message, ...(suggestion ? { suggestion } : {}) });
  };
  function readBy<T>(key: string, schema: Schema<T>): T | undefined {
    const value = entry.fields.get(key)?.value ?? undefined;
    if (value === undefined) return undefined;
    const [wrong] = schema.check(value);
    if (!wrong) return value as T; // its schema has passed it
    const { path, expected, found, unknown, known = [] } = wrong;
    const choices = Array.isArray(schema.json.enum) ? schema.json.enum.map(String) : [];
    const word = typeof value === "string" ? value : "";
    if (unknown) fault(key, "unknown-field", `nothing reads "${found}" in "${key}"`, meantOrKnown(found, known));
    else
      fault(
        key,
        "wrong-type",
        `"${[key, ...path].join(".")}" needs ${expected} but is ${found}`,
        choices.length > 0 ? meantOrKnown(word, choices) : adviceOn(expected, found, key),
      );
    return undefined;
  }
  return {
    ...{ entry, report, faults, fault, placeOf, readBy },
    read: <K extends CommonKey>(key: K) => readBy(key, commonFields[key] as Schema<CommonValue<K>>), // the value of its own row
    caption(key) {
      const value = entry.fields.get(key)?.value ?? undefined;
      if (value === undefined || typeof value === "string") return value;
      const message = `"${key}" needs text but is ${kindOf(value)}`;
      report(placeOf(key), { severity: "warning", code: "wrong-type", message, suggestion: "it is left out" });
      return undefined;
    },
  };
}
