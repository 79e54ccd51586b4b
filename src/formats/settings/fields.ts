/** The fields of entries with their places, and what is said of a wrong shape: for every list of a settings file. */
import type { Json } from "../../engine/event.ts";
import { jsonOf, type Member, type Report } from "../reading/tree.ts";

export interface Field {
  value: Json;
  /** Offset of its key. */
  at: number;
  /** Written around the handler, for all handlers of its group. */
  ofGroup: boolean;
}

export const isComment = (key: string): boolean => /^(\/\/|[_$#])/.test(key) || key === "comment" || key === "comments";

/** These belong to the list around the handlers. */
const structure: ReadonlySet<string> = new Set(["hooks", "event"]);

export function fieldsOf(members: readonly Member[], ofGroup: boolean): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const { key, at, value } of members) {
    if (!structure.has(key) && !isComment(key)) fields.set(key, { value: jsonOf(value), at, ofGroup });
  }
  return fields;
}

export const shape = (report: Report, at: number, message: string, example: string): void =>
  report(at, { severity: "error", code: "shape", message, suggestion: `write ${example}` });
