/** What the YAML library read becomes the tree that JSON files have, keys checked and aliases followed (SAFETY D14). */

import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type Scalar, type YAMLMap } from "yaml";
import type { Problem } from "../../engine/hook.ts";
import { forbiddenKeys, type Node, type Report } from "./tree.ts";

/** What the parts of one file share. */
export interface Reading {
  report: Report;
  anchors: Map<string, Node>;
  /** What holds an error, and all that is around it. */
  faulty: Set<Node>;
  /** What aliases have added so far, and what each node would add. */
  added: number;
  extents: Map<Node, Extent>;
}

/** With the aliases in it followed: in characters, and in levels. */
interface Extent {
  size: number;
  depth: number;
}

/** In characters: what aliases may repeat in one file. */
export const mostRepeated = 1_000_000;
const nodeSize = 8;
/** Levels that an alias may stand for; those around it come on top. */
const deepestAlias = 100;

const plainTags: ReadonlySet<string> = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

/** @param base where the text that was read begins in its file */
export function nodeOf(yaml: ParsedNode, base: number, reading: Reading): Node {
  if (isAlias(yaml)) return follow(yaml.source, yaml.range[0] + base, reading);
  const node = isMap<ParsedNode, ParsedNode | null>(yaml)
    ? objectOf(yaml, base, reading)
    : isSeq<ParsedNode>(yaml)
      ? arrayOf(yaml.items, yaml.range, base, reading)
      : scalarOf(yaml as Scalar.Parsed, base, reading); // it is neither alias, map nor list
  if (yaml.tag !== undefined && !plainTags.has(yaml.tag)) {
    reading.faulty.add(node);
    reading.report(node.offset, {
      severity: "error",
      code: "shape",
      message: `the tag ${yaml.tag.replace("tag:yaml.org,2002:", "!!")} is refused: a file holds text, numbers, lists and maps`,
      suggestion: "remove it",
    });
  }
  if (yaml.anchor !== undefined) reading.anchors.set(yaml.anchor, node);
  return node;
}

type Range = readonly [number, number, number];

function arrayOf(items: readonly ParsedNode[], [from, to]: Range, base: number, reading: Reading): Node {
  const children: Node[] = [];
  const node: Node = { type: "array", offset: from + base, length: to - from, children };
  for (const item of items) children.push(inside(node, nodeOf(item, base, reading), reading));
  return node;
}

/** A fault reaches what is around it. */
function inside(around: Node, node: Node, { faulty }: Reading): Node {
  if (faulty.size > 0 && faulty.has(node)) faulty.add(around);
  return node;
}

function scalarOf({ value, range: [from, to], source }: Scalar.Parsed, base: number, reading: Reading): Node {
  const place = { offset: from + base, length: to - from };
  if (typeof value === "string") return { type: "string", value, ...place };
  if (typeof value === "boolean") return { type: "boolean", value, ...place };
  if (value === null || value === undefined) return { type: "null", value: null, ...place };
  if (typeof value !== "number" || !Number.isFinite(value)) return { type: "string", value: source, ...place };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) warnOfDigits(source, place.offset, reading);
  return { type: "number", value, ...place };
}

const warnOfDigits = (source: string, offset: number, { report }: Reading): void =>
  report(offset, {
    severity: "warning",
    code: "wrong-type",
    message: `${source} has more digits than a number keeps`,
    suggestion: `write "${source}"`,
  });

function objectOf(map: YAMLMap.Parsed<ParsedNode, ParsedNode | null>, base: number, reading: Reading): Node {
  const [from, to] = map.range;
  const children: Node[] = [];
  const node: Node = { type: "object", offset: from + base, length: to - from, children };
  const keys = new Set<string>();
  let merged: Node[] | undefined;
  for (const pair of map.items) {
    const value = pair.value
      ? inside(node, nodeOf(pair.value, base, reading), reading)
      : emptyAt(pair.key.range[1] + base);
    if (isMerge(pair)) {
      merged ??= [];
      merged.push(...sourcesOf(value, node, reading));
      continue;
    }
    const key = keyOf(pair.key, base, node, reading);
    if (!key) continue;
    const name = String(key.value);
    if (keys.has(name)) refuse(node, key, duplicate(name), reading);
    keys.add(name);
    children.push({ type: "property", offset: key.offset, length: key.length, children: [key, value] });
  }
  if (merged) merge(node, keys, merged, reading);
  return node;
}

const emptyAt = (offset: number): Node => ({ type: "null", value: null, offset, length: 0 });

const isMerge = ({ key }: Pair<ParsedNode, unknown>): boolean =>
  isScalar(key) && key.type === "PLAIN" && key.source === "<<";

/** Absent: the key is refused, and what it holds with it. */
function keyOf(key: ParsedNode, base: number, around: Node, reading: Reading): Node | undefined {
  const offset = key.range[0] + base;
  const place = { offset, length: key.range[1] - key.range[0] };
  const written = isScalar(key) ? key.value : undefined;
  if (typeof written === "string") {
    const node: Node = { type: "string", value: written, ...place };
    if (!forbiddenKeys.has(written)) return node;
    refuse(around, node, { message: `the key "${written}" is refused`, suggestion: "remove it" }, reading);
    return undefined;
  }
  if (written === true) {
    refuse(around, place, trueKey(isScalar(key) ? String(key.source) : ""), reading);
    return { type: "string", value: "on", ...place };
  }
  const source = isScalar(key) ? String(key.source ?? "") : "";
  const advice = source === "" ? "write a name before the colon" : `write "${source}":`;
  refuse(around, place, { message: "a key must be text", suggestion: advice }, reading);
  return undefined;
}

/** R43: a file that a tool of YAML 1.1 wrote, or one that asks to be read as such. */
const trueKey = (source: string): Said => ({
  message: `the key ${source} is the boolean true: YAML 1.1 reads an unquoted on so, and ${source === "true" ? "a tool has written it" : "this file asks to be read as YAML 1.1"}`,
  suggestion: 'write "on":, in quotes',
});

const duplicate = (key: string): Said => ({
  code: "duplicate-key",
  message: `"${key}" is written twice here, and only one can count`,
  suggestion: "make them one",
});

interface Said {
  code?: Problem["code"];
  message: string;
  suggestion: string;
}

function refuse(around: Node, { offset }: Pick<Node, "offset">, said: Said, { faulty, report }: Reading): void {
  faulty.add(around);
  report(offset, { severity: "error", code: "shape", ...said });
}

/** What stands under `<<`: a map, or a list of maps of which the first counts most. */
function sourcesOf(value: Node, around: Node, reading: Reading): Node[] {
  const sources = value.type === "array" ? (value.children ?? []) : [value];
  if (sources.every(({ type }) => type === "object")) return sources;
  refuse(around, value, { message: "<< takes a map, or a list of maps", suggestion: "write <<: *name" }, reading);
  return [];
}

function merge(node: Node, keys: Set<string>, sources: readonly Node[], { faulty }: Reading): void {
  for (const source of sources) {
    for (const property of source.children ?? []) {
      const name = String(property.children?.[0]?.value);
      if (keys.has(name)) continue;
      keys.add(name);
      node.children?.push(property);
    }
    if (faulty.has(source)) faulty.add(node);
  }
}

/** The node that the alias names, itself: nothing is copied, but each reader walks it again. */
function follow(name: string, offset: number, reading: Reading): Node {
  const node = reading.anchors.get(name);
  if (!node) {
    const message = `*${name} names an anchor that stands nowhere before it`;
    return refused(offset, { message, suggestion: `write "*${name}" in quotes, if it is text` }, reading);
  }
  const { size, depth } = extentOf(node, reading.extents);
  if (depth > deepestAlias) {
    const message = `*${name} stands for more than ${deepestAlias} levels`;
    return refused(offset, { message, suggestion: "write fewer levels" }, reading);
  }
  const before = reading.added;
  reading.added += size;
  if (reading.added <= mostRepeated) return node;
  const message = `with *${name} the aliases of this file repeat more than ${mostRepeated} characters: none is followed from here on`;
  if (before <= mostRepeated) return refused(offset, { message, suggestion: "use fewer aliases" }, reading);
  const empty = emptyAt(offset);
  reading.faulty.add(empty); // reported at the first
  return empty;
}

function refused(offset: number, said: Said, reading: Reading): Node {
  const node = emptyAt(offset);
  refuse(node, node, said, reading);
  return node;
}

/** Aliases in it are counted as often as they stand there. */
function extentOf(node: Node, extents: Map<Node, Extent>): Extent {
  const known = extents.get(node);
  if (known) return known;
  const extent = { size: nodeSize + (typeof node.value === "string" ? node.value.length : 0), depth: 0 };
  for (const child of node.children ?? []) {
    const inner = extentOf(child, extents);
    extent.size += inner.size;
    extent.depth = Math.max(extent.depth, inner.depth + (child.type === "property" ? 0 : 1));
  }
  extents.set(node, extent);
  return extent;
}
