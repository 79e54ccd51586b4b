/** What a YAML tree holds: members and plain JSON. As json-tree's, for trees whose keys were checked when they were made. */
import type { Fields, Json } from "../../engine/event.ts";
import type { Member, Node } from "./json-tree.ts";

/** The members of a map in the order written; of anything else, none. */
export function membersOf(node: Node | undefined): Member[] {
  const members: Member[] = [];
  if (node?.type !== "object" || !node.children) return members;
  for (const property of node.children) {
    const [key, value] = property.children ?? [];
    if (key && value) members.push({ key: String(key.value), at: property.offset, value });
  }
  return members;
}

export function jsonOf(node: Node): Json {
  if (node.type === "array") return (node.children ?? []).map(jsonOf);
  if (node.type !== "object") return (node.value ?? null) as Json; // the tree holds text, numbers, booleans and null
  const fields: Fields = {};
  for (const { key, value } of membersOf(node)) fields[key] = jsonOf(value);
  return fields;
}
