/** One entry of a file, read by its format's table of fields: what it holds, and findings about the rest in the same words for every format. */
import type { Fields } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import { kindOf, type Mismatch, type Schema } from "../../engine/schema.ts";
import { readDurations } from "./durations.ts";
import { offsetAt, reportWrong, type Subject, unread } from "./mismatches.ts";
import { type Finding, jsonOf, type Member, membersOf, type Node, type Report } from "./tree.ts";
import type { YamlFile } from "./yaml-tree.ts";

export interface EntryFormat extends Pick<Subject, "name" | "elsewhere" | "examples"> {
  schema: Schema<unknown>;
  /** Where something else than a map stands: what an entry is a map of, and how it begins. */
  holds: string;
  begins: string;
  /** Other names of fields, which count where the field itself is not written. */
  aliases?: { readonly [alias: string]: string };
  /** Fields that are maps in which seconds are counted, too. */
  durationsIn?: readonly string[];
  /** What stands empty counts as left out, and a word that is near to no field is a remark of its author's. */
  isLoose?: true;
}
export interface ReadEntry {
  node: Node;
  members: ReadonlyMap<string, Member>;
  values: Fields;
  /** The fields that are not as they should be, which is reported. */
  wrong: ReadonlySet<string>;
  /** Its schema has passed it. */
  isSound: boolean;
}

export function readEntry(node: Node, format: EntryFormat, report: Report): ReadEntry {
  const { name, holds, begins, schema, aliases = {}, durationsIn = [], isLoose = false } = format;
  if (node.type !== "object") {
    const message = `${name} is a map with ${holds}, not ${kindOf(jsonOf(node))}`;
    report(node.offset, { severity: "error", code: "wrong-type", message, suggestion: `write ${begins}` });
    return { node, members: new Map(), values: {}, wrong: new Set(), isSound: false };
  }
  const members = new Map(membersOf(node).flatMap((one) => (isLoose && isEmpty(one) ? [] : [[one.key, one] as const])));
  for (const [alias, meant] of Object.entries(aliases)) {
    const member = members.get(alias);
    if (member && !members.has(meant) && members.delete(alias)) members.set(meant, member);
  }
  readDurations([...members.values(), ...durationsIn.flatMap((key) => membersOf(members.get(key)?.value))]);
  const values: Fields = {};
  for (const [key, { value }] of members) values[key] = isLoose ? withoutEmpty(value) : jsonOf(value);
  const mismatches = schema.check(values);
  const remarks = isLoose ? mismatches.filter(isRemark) : [];
  for (const { path, known = [] } of remarks)
    if (!isFree(path))
      report(offsetAt({ node, members }, path, "key"), { severity: "warning", ...unread(path.join("."), known) });
  const others = mismatches.filter((one) => !remarks.includes(one));
  reportWrong(others, { ...format, node, members }, report);
  return {
    node,
    members,
    values,
    wrong: new Set(others.map(({ path }) => String(path[0]))),
    isSound: others.length === 0,
  };
}

const isEmpty = ({ value }: Member): boolean => value.type === "null";

/** Of a map, what stands empty in it. */
const withoutEmpty = (node: Node): Fields[string] =>
  node.type === "object"
    ? Object.fromEntries(membersOf(node).flatMap((one) => (isEmpty(one) ? [] : [[one.key, jsonOf(one.value)]])))
    : jsonOf(node);

const isFree = ([key]: Mismatch["path"]): boolean => String(key).startsWith("x-");

/** A word that may be a misspelt field changes what the entry does. */
const isRemark = ({ path, unknown, known = [] }: Mismatch): boolean =>
  unknown === true && (isFree(path) || nearest(String(path.at(-1)), known) === undefined);

/** Why nothing can be made of an entry, while it is read. What a refused part leaves behind is no mistake of its own. */
export function collectFaults(node: Node, file: YamlFile): { faults: string[]; report: Report } {
  if (file.isFaulty(node)) return { faults: ["a part of it is refused"], report: () => {} };
  const faults: string[] = [];
  return {
    faults,
    report: (offset, finding) => {
      if (finding.severity === "error") faults.push(finding.message);
      file.report(offset, finding);
    },
  };
}

/** Commented out on purpose is not empty by mistake: that takes the file's guards out of force. */
export const isOnlyRemarks = (text: string): boolean => /^\s*#/m.test(text);
export const emptyFile = (instead: string): Finding => ({
  severity: "error",
  code: "syntax",
  message: "the file is empty",
  suggestion: `write ${instead}, or remove the file`,
});
