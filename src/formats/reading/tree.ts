/** The tree that every file of hooks is read into, JSON or YAML: nodes with their places, and findings about them. */
import type { Node } from "jsonc-parser";
import type { Fields, Json } from "../../engine/event.ts";
import type { Problem } from "../../engine/hook.ts";

export type { Node };
/** A problem that is not placed in its file yet. */
export type Finding = Omit<Problem, "file" | "line" | "column">;
export type Report = (offset: number, finding: Finding) => void;
/** Undefined, so that a reader reports an error and has no result in one statement. */
export const reportError = (report: Report, at: number, finding: Omit<Finding, "severity">): undefined =>
  void report(at, { severity: "error", ...finding });

export interface Member {
  key: string;
  /** Offset of the key. */
  at: number;
  value: Node;
}

export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export const keyOf = (property: Node): string => String(property.children?.[0]?.value);

/** The members of an object in the order written, without refused keys; keys that stand twice come twice. */
export function membersOf(node: Node | undefined): Member[] {
  const members: Member[] = [];
  if (node?.type !== "object") return members;
  for (const property of node.children ?? []) {
    const value = property.children?.[1];
    const key = keyOf(property);
    if (value && !forbiddenKeys.has(key)) members.push({ key, at: property.offset, value });
  }
  return members;
}

export function jsonOf(node: Node): Json {
  if (node.type === "array") return (node.children ?? []).map(jsonOf);
  if (node.type !== "object") return (node.value ?? null) as Json; // the parsers give text, numbers, booleans and null
  const fields: Fields = {};
  for (const { key, value } of membersOf(node)) fields[key] = jsonOf(value);
  return fields;
}

/** Both count from 1; columns count UTF-16 units, as editors do. */
export interface Place {
  line: number;
  column: number;
}

/** Turns offsets in this text into places. The lines are counted at the first question: most files have no problem. */
export function createLocator(text: string): (offset: number) => Place {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    const line = countUpTo(starts, offset);
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** How many of the sorted numbers are not above the limit. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
