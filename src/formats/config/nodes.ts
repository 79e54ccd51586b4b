/** How values of hookline.yaml are read from its tree: lists of texts, and maps whose entries stand or fall alone (R33). */
import { kindOf, type Schema } from "../../engine/schema.ts";
import type { Member, Node } from "../reading/json-tree.ts";
import type { YamlFile } from "../reading/yaml-file.ts";
import { jsonOf, membersOf } from "../reading/yaml-values.ts";
import { tellError, tellWrong } from "../rules/parameters.ts";

export interface Reader {
  file: YamlFile;
  /** Somebody else may have written it. */
  ofProject: boolean;
}

/** Where people say what a project's file may not. */
export const ownFile = "say it in your own ~/.config/hookline/config.yaml";

/** The texts of a list; what is none is told of and left out. */
export function textsOf(node: Node, name: string, { report }: YamlFile): string[] {
  if (node.type === "null") return [];
  if (node.type !== "array") {
    const message = `"${name}" needs a list but is ${kindOf(jsonOf(node))}`;
    const suggestion = node.type === "string" ? `write [${String(node.value)}]` : "begin each entry with -";
    tellError(report, node.offset, { code: "wrong-type", message, suggestion });
    return [];
  }
  return (node.children ?? []).flatMap((item) => {
    if (typeof item.value === "string" && item.value.trim() !== "") return [item.value.trim()];
    const message = `an entry of "${name}" needs text but is ${kindOf(jsonOf(item))}`;
    tellError(report, item.offset, { code: "wrong-type", message });
    return [];
  });
}

/** The entries of a map that are valid; what is wrong with the others is told (R33). */
export function entriesOf<T>(
  node: Node,
  name: string,
  subject: string,
  schema: Schema<T>,
  file: YamlFile,
): { [name: string]: T } {
  const entries: { [name: string]: T } = {};
  for (const { key, value } of mapOf(node, name, file)) {
    const json = jsonOf(value);
    const wrong = schema.check(json);
    const members = new Map(membersOf(value).map((member) => [member.key, member]));
    tellWrong(wrong, { subject: `${subject} ${key}`, node: value, members }, file.report);
    if (wrong.length === 0 && !file.isFaulty(value)) entries[key] = json as T; // its schema has passed it
  }
  return entries;
}

/** The members of a map that are valid by themselves: what is wrong with one leaves the others in force. */
export function membersThatHold<T extends object>(
  node: Node,
  name: string,
  schema: Schema<T>,
  file: YamlFile,
): Partial<T> {
  const members = mapOf(node, name, file);
  const wrong = node.type === "object" ? schema.check(jsonOf(node)) : [];
  const known = new Map(members.map((member) => [member.key, member]));
  tellWrong(wrong, { subject: name, node, members: known }, file.report);
  const isWrong = (key: string): boolean => wrong.some(({ path }) => path[0] === key);
  const holding = members.filter(({ key, value }) => !isWrong(key) && !file.isFaulty(value));
  return Object.fromEntries(holding.map(({ key, value }) => [key, jsonOf(value)])) as Partial<T>; // its schema has passed each
}

export function mapOf(node: Node, name: string, { report }: YamlFile): Member[] {
  if (node.type === "object" || node.type === "null") return membersOf(node);
  const message = `"${name}" needs a map but is ${kindOf(jsonOf(node))}`;
  return tellError(report, node.offset, { code: "wrong-type", message, suggestion: "write name: below it" }) ?? [];
}
