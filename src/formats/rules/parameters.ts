/** What stands beside `type` in a condition or an action: read, checked against a schema, and reported where it stands. */

import type { Fields } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import { isRecord, type Mismatch } from "../../engine/schema.ts";
import { reportWrong } from "../reading/mismatches.ts";
import { type Finding, jsonOf, type Member, membersOf, type Node, type Report, reportError } from "../reading/tree.ts";
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

/** The type and what stands beside it; undefined: it is wrong, which is reported. */
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

/** Reports every mismatch where it stands. */
export function reportMismatches(
  mismatches: readonly Mismatch[],
  { type, node, members }: Typed,
  part: Part,
  report: Report,
): void {
  const belongs = (key: string): string | undefined =>
    isRuleField(key) ? 'it belongs to the rule: indent it like "action"' : undefined;
  reportWrong(mismatches, { name: `the ${part} ${type}`, node, members, belongs }, report);
}

/** Whether a schema knows this parameter. */
export const takes = (json: Fields, name: string): boolean =>
  isRecord(json.properties) && Object.hasOwn(json.properties, name);
