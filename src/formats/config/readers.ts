/** How values of hookline.yaml are read from its tree, so that what is wrong takes nothing else with it (R33): lists of texts, maps whose entries stand alone, and parts. */
import type { Fields } from "../../engine/event.ts";
import { kindOf, listOf, type Schema, text } from "../../engine/schema.ts";
import { reportWrong } from "../reading/mismatches.ts";
import { jsonOf, type Member, membersOf, type Node, reportError } from "../reading/tree.ts";
import type { YamlFile } from "../reading/yaml-tree.ts";

export interface Reader {
  file: YamlFile;
  /** Another person may have written it. */
  ofProject: boolean;
}

/** A kind of value. @param name as a person calls it, such as: "default" of "models" */
export interface Kind<T> {
  json: Fields;
  read(node: Node, name: string, reader: Reader): T;
}

/** A list of texts; what is none is reported and left out. */
export const texts = (description: string): Kind<string[]> => ({
  json: listOf(text(description)).json,
  read(node, name, { file: { report } }) {
    if (node.type === "null") return [];
    if (node.type !== "array") {
      const message = `${name} needs a list but is ${kindOf(jsonOf(node))}`;
      const suggestion = node.type === "string" ? `write [${String(node.value)}]` : "begin each entry with -";
      reportError(report, node.offset, { code: "wrong-type", message, suggestion });
      return [];
    }
    return (node.children ?? []).flatMap((item) => {
      if (typeof item.value === "string" && item.value.trim() !== "") return [item.value.trim()];
      const message = `an entry of ${name} needs text but is ${kindOf(jsonOf(item))}`;
      reportError(report, item.offset, { code: "wrong-type", message });
      return [];
    });
  },
});

/** The entries of a map that are valid. @param subject what one of them is */
export const entries = <T>(subject: string, item: Schema<T>, description?: string): Kind<{ [name: string]: T }> => ({
  json: { type: "object", ...(description ? { description } : {}), additionalProperties: item.json },
  read: (node, name, reader) =>
    Object.fromEntries(
      mapOf(node, name, reader).flatMap(({ key, value }) => {
        const one = single(item).read(value, `the ${subject} ${key}`, reader);
        return one === undefined ? [] : [[key, one]];
      }),
    ),
});

/** One value; undefined: it is wrong, which is reported. */
export const single = <T>(schema: Schema<T>): Kind<T | undefined> => ({
  json: schema.json,
  read(node, name, { file }) {
    const json = jsonOf(node);
    const wrong = schema.check(json);
    const members = new Map(membersOf(node).map((member) => [member.key, member]));
    reportWrong(wrong, { name, node, members }, file.report);
    return wrong.length === 0 && !file.isFaulty(node) ? (json as T) : undefined; // its schema has passed it
  },
});

type Parts<T> = { readonly [K in keyof T]-?: Kind<T[K] | undefined> };

/** A map with known keys, whose values are valid by themselves. */
export const parts = <T extends object>(kinds: Parts<T>, description?: string): Kind<T> => ({
  json: {
    type: "object",
    ...(description ? { description } : {}),
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries<Kind<unknown>>(kinds).map(([key, { json }]) => [key, json])),
  },
  read(node, name, reader) {
    const read: Partial<T> = {};
    const members = mapOf(node, name, reader);
    for (const { key, value } of members) {
      if (!isKeyOf(key, kinds)) continue;
      const part = kinds[key].read(value, `"${key}" of ${name}`, reader);
      if (part !== undefined) read[key] = part;
    }
    const known = Object.keys(kinds);
    const strange = members.flatMap(({ key }) => (known.includes(key) ? [] : key));
    reportWrong(
      strange.map((key) => ({ path: [key], expected: "", found: key, unknown: true, known })),
      { name, node, members: new Map(members.map((member) => [member.key, member])) },
      reader.file.report,
    );
    return read as T; // all of its keys are optional
  },
});

const isKeyOf = <T extends object>(key: PropertyKey, table: T): key is keyof T => Object.hasOwn(table, key);

export function mapOf(node: Node, name: string, { file: { report } }: Reader): Member[] {
  if (node.type === "object" || node.type === "null") return membersOf(node);
  const message = `${name} needs a map but is ${kindOf(jsonOf(node))}`;
  return reportError(report, node.offset, { code: "wrong-type", message, suggestion: "write name: below it" }) ?? [];
}
