/** What stands beside `type` in a condition or an action: read, checked against a schema, and told of where it stands. */

import type { Fields } from "../../engine/event.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import { isRecord, type Mismatch } from "../../engine/schema.ts";
import { type Finding, jsonOf, type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import { isRuleField } from "./fields.ts";

export interface Typed {
  type: string;
  node: Node;
  /** Offset of the type's value. */
  typeAt: number;
  /** All but the type. */
  members: ReadonlyMap<string, Member>;
}
export type Part = "condition" | "action";

/** Nothing may hide a mistake: whoever reports an error also says that there is one. */
export const reportError = (report: Report, at: number, finding: Omit<Finding, "severity">): undefined =>
  void report(at, { severity: "error", ...finding });

/** The type and what stands beside it; undefined: it was told what is wrong. */
export function readTyped(node: Node, part: Part, report: Report): Typed | undefined {
  if (node.type !== "object") return reportError(report, node.offset, noMap(node, part));
  const members = new Map<string, Member>();
  for (const member of membersOf(node)) members.set(member.key, member);
  const type = members.get("type");
  members.delete("type");
  if (!type) {
    const near = [...members.values()].find(({ key }) => nearest(key, ["type"]) !== undefined);
    return reportError(report, near?.at ?? node.offset, {
      code: "missing-field",
      message: `${article[part]} ${part} needs a "type"${near ? `; "${near.key}" is none` : ""}`,
      suggestion: near ? 'did you mean "type"?' : "write { type: …, and its parameters }",
    });
  }
  if (typeof type.value.value === "string") return { type: type.value.value, node, typeAt: type.value.offset, members };
  const message = `the type of ${article[part]} ${part} is a name`;
  return reportError(report, type.value.offset, { code: "wrong-type", message, suggestion: "write type: name" });
}

const article: { readonly [P in Part]: string } = { condition: "a", action: "an" };
const lists: { readonly [P in Part]: string } = {
  condition: "{ type: all_of, conditions: [ … ] }",
  action: "{ type: chain, actions: [ … ] }",
};

function noMap(node: Node, part: Part): Omit<Finding, "severity"> {
  if (node.type === "null") {
    return {
      code: "missing-field",
      message: `${article[part]} ${part} is missing here`,
      suggestion: "write { type: … }",
    };
  }
  const instead = node.type === "array" ? lists[part] : `{ type: ${String(node.value)} }`;
  const message = `${article[part]} ${part} is a map with a type`;
  return { code: "wrong-type", message, suggestion: `write ${part}: ${instead}` };
}

/**
 * The parameters, wherever they stand: beside the type, or under `params` (D58).
 *
 * @param ownParams the type has a parameter of this name itself
 */
export function spreadParams(typed: Typed, ownParams: boolean, report: Report): Typed | undefined {
  const under = ownParams ? undefined : typed.members.get("params");
  if (!under) return typed;
  const members = new Map(typed.members);
  members.delete("params");
  if (under.value.type !== "object" && under.value.type !== "null") {
    const message = `"params" of ${typed.type} is a map of parameters`;
    return reportError(report, under.value.offset, { code: "wrong-type", message });
  }
  for (const member of membersOf(under.value)) {
    if (members.has(member.key)) {
      const message = `"${member.key}" stands beside type and under params`;
      return reportError(report, member.at, { code: "duplicate-key", message, suggestion: "remove one" });
    }
    members.set(member.key, member);
  }
  return { ...typed, members };
}

export function paramsOf({ members }: Typed): Fields {
  const params: Fields = {};
  for (const [key, { value }] of members) params[key] = jsonOf(value);
  return params;
}

/** Tells of every mismatch where it stands. */
export function reportMismatches(mismatches: readonly Mismatch[], typed: Typed, part: Part, report: Report): void {
  reportWrong(mismatches, { subject: `${part} ${typed.type}`, node: typed.node, members: typed.members }, report);
}

const meantBy = (path: Mismatch["path"], known: readonly string[]): string | undefined => {
  const near = nearest(String(path.at(-1)), known);
  return near && [...path.slice(0, -1), near].join(".");
};

/** What was checked, and what a person calls it. */
interface Checked extends Pick<Typed, "node" | "members"> {
  subject: string;
}

export function reportWrong(mismatches: readonly Mismatch[], checked: Checked, report: Report): void {
  const meant = mismatches.flatMap(({ unknown, path, known = [] }) => (unknown ? (meantBy(path, known) ?? []) : []));
  for (const mismatch of mismatches) {
    const place = placeOf(mismatch.path, checked);
    if (!place.found && meant.includes(mismatch.path.join("."))) continue; // misspelt, which is told of
    reportError(report, mismatch.unknown ? place.key : place.value, findingOf(mismatch, place.found, checked.subject));
  }
}

function findingOf(
  { path, expected, found, unknown, known = [] }: Mismatch,
  isThere: boolean,
  subject: string,
): Omit<Finding, "severity"> {
  const name = path.join(".");
  if (unknown) {
    const message = `the ${subject} has no "${name}"`;
    return { code: "unknown-field", message, suggestion: adviceFor(String(path.at(-1)), known, path.length === 1) };
  }
  if (!isThere)
    return { code: "missing-field", message: `the ${subject} needs "${name}"`, suggestion: `it is: ${expected}` };
  const message = `${name === "" ? `the ${subject}` : `"${name}" of the ${subject}`} needs ${expected} but is ${found}`;
  const suggestion = adviceOn(expected, found);
  return { code: "wrong-type", message, ...(suggestion ? { suggestion } : {}) };
}

function adviceOn(expected: string, found: string): string | undefined {
  if (expected === "text" && /^(-?\d[\d.e+-]*|true|false)$/.test(found)) return `put quotes around it: "${found}"`;
  if (/^"[-+]?\.(inf|nan)"$/i.test(found)) return "write a finite number";
  // What a handler finds inside a text says itself what to write instead.
  const isWhole = /^"?\{\{[^{}]*\}\}"?$/.test(found);
  return isWhole ? "write the value itself: no placeholder can stand here" : undefined;
}

function adviceFor(key: string, known: readonly string[], isOuter: boolean): string {
  const near = didYouMean(key, known);
  if (near) return near;
  if (isOuter && isRuleField(key)) return `it belongs to the rule: indent it like "action"`;
  return known.length === 0 ? "it takes no parameters" : `known: ${known.join(", ")}`;
}

interface Place {
  key: number;
  value: number;
  /** The last key of the path stands there. */
  found: boolean;
}

function placeOf(path: readonly (string | number)[], { node, members }: Pick<Typed, "node" | "members">): Place {
  let place: Place = { key: node.offset, value: node.offset, found: true };
  let at: Node | undefined;
  for (const [index, part] of path.entries()) {
    const member = index === 0 ? members.get(String(part)) : memberOf(at, part);
    if (!member) return { ...place, found: false };
    at = member.value;
    place = { key: member.at, value: at.offset, found: true };
  }
  return place;
}

function memberOf(node: Node | undefined, part: string | number): Pick<Member, "at" | "value"> | undefined {
  if (node?.type === "object") return membersOf(node).findLast(({ key }) => key === part);
  const item = node?.type === "array" && typeof part === "number" ? node.children?.[part] : undefined;
  return item && { at: item.offset, value: item };
}

/** Whether a schema knows this parameter. */
export const takes = (json: Fields, name: string): boolean =>
  isRecord(json.properties) && Object.hasOwn(json.properties, name);
