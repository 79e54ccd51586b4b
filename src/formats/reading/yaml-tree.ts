/**
 * YAML as the tree of positions that JSON files have, within limits, reading on after faults (R33, R43, SAFETY D14): files
 * as a whole, and their lists of hooks entry by entry. Loads the YAML library: what may never see YAML imports this late.
 */
import type { Origin, Problem } from "../../engine/hook.ts";
import { createLocator, type Node, type Place, type Report } from "./tree.ts";
import { nodeOf, type Reading } from "./yaml-nodes.ts";
import { type Fault, type Parsed, parseYaml } from "./yaml-parse.ts";

/** What a file of rules may hold; settings are far smaller. */
export const largestRulesFileInBytes: number = 4 * 1024 * 1024;

export interface YamlTree {
  /** Absent: the file is empty, or nothing of it can be read. */
  root?: Node;
  /** Whether an error stands in this node, which is reported of: what it holds may not be what its author meant. */
  isFaulty(node: Node): boolean;
}

/** With more faults than this, nothing that was read can be what its author meant. */
const mostFaults = 50;

/**
 * Hook lists are read entry by entry, which also costs a third less than all at once. Where that finds a fault, the whole
 * text has the last word: if that is sound, the cutting was at fault. Never throws.
 *
 * @param ending what becomes of the rest where there is a fault, for the message
 */
export function readYaml(text: string, report: Report, ending: Ending = "read on"): YamlTree {
  if (text.length > largestRulesFileInBytes || Buffer.byteLength(text) > largestRulesFileInBytes) {
    const message = `the file is larger than ${largestRulesFileInBytes / 1024 / 1024} MB and is not read`;
    report(0, { severity: "error", code: "shape", message, suggestion: "split it", loses: true });
    return { isFaulty: () => false };
  }
  const byItem = reachesAcross.test(text) ? undefined : readByItem(text, ending);
  if (byItem && !byItem.hasFaults) return byItem.tell(report);
  const whole = parseYaml(text);
  if (whole.faults.length === 0) return readWhole(whole, report, ending);
  return (byItem ?? readByItem(text, ending))?.tell(report) ?? readWhole(whole, report, ending);
}

/** Directives hold for all of a file, and anchors from one entry to another. */
const reachesAcross = /^%|(?:^|[\s,[{])&[^\s&]/m;

function readWhole({ contents, faults, offsets, refused }: Parsed, report: Report, ending: Ending): YamlTree {
  const reading = startReading(report, refused ? "not read" : ending);
  for (const fault of faults) tell(fault, 0, reading);
  const root = contents ? nodeOf(contents, 0, reading) : undefined;
  if (root) markFaults(root, offsets, reading);
  return offsets.length > mostFaults && root ? { root, isFaulty: () => true } : treeOf(root, reading);
}

interface FileReading extends Reading {
  ending: Ending;
}

const startReading = (report: Report, ending: Ending): FileReading => ({
  report,
  ending,
  anchors: new Map(),
  faulty: new Set(),
  added: 0,
  extents: new Map(),
});

const treeOf = (root: Node | undefined, { faulty }: Reading): YamlTree => ({
  ...(root ? { root } : {}),
  isFaulty: (node) => faulty.size > 0 && faulty.has(node),
});

const endings = { "read on": "; the entries that can still be read are active", "not read": "" } as const;
export type Ending = keyof typeof endings;

const tell = ({ offset, message, suggestion }: Fault, base: number, { report, ending }: FileReading): void =>
  report(offset + base, {
    severity: "error",
    code: "syntax",
    message,
    suggestion: `${suggestion}${endings[ending]}`,
  });

function markFaults(root: Node, offsets: readonly number[], reading: Reading): void {
  for (const offset of offsets.slice(0, mostFaults)) markPath(root, offset, reading);
}

/** Whatever had begun last when the fault came may have lost something to it. */
function markPath(root: Node, offset: number, { faulty }: Reading): void {
  for (let node: Node | undefined = root; node; ) {
    faulty.add(node);
    node = node.children?.findLast((child) => child.offset <= offset);
  }
}

/** As many as the shortest rules that fill a file. */
const mostItems = 100_000;

interface ByItem {
  /** In the text of an entry, or around them. */
  hasFaults: boolean;
  /** Tells what was found, and gives the tree. */
  tell(report: Report): YamlTree;
}

/** undefined: there are no lists, or they are none after all. A broken entry is a faulty node that reaches to its end. */
function readByItem(text: string, ending: Ending): ByItem | undefined {
  const lists = hookLists(text);
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  if (count === 0 || count > mostItems) return undefined;
  const around = parseYaml(withoutItems(text, lists));
  if (around.refused || !around.contents) return undefined;
  const found: Parameters<Report>[] = [];
  const reading = startReading((...one) => void found.push(one), ending);
  for (const fault of around.faults) tell(fault, 0, reading);
  const root = nodeOf(around.contents, 0, reading);
  const properties = new Map(propertiesOf(root).map((property) => [property.offset, property]));
  if (!lists.every(({ key }) => properties.get(key)?.children?.[1]?.type === "null")) return undefined;
  markFaults(root, around.offsets, reading);
  let hasFaults = around.faults.length > 0;
  for (const { key, items } of lists) {
    const children = items.map((span) => {
      const { node, isBroken } = itemAt(span, text, reading);
      hasFaults ||= isBroken;
      return node;
    });
    const [first, last] = [items[0], items.at(-1)];
    const place = { offset: first?.start ?? 0, length: (last?.end ?? 0) - (first?.start ?? 0) };
    properties.get(key)?.children?.splice(1, 1, { type: "array", ...place, children });
  }
  return {
    hasFaults,
    tell(report) {
      for (const one of found) report(...one);
      return treeOf(root, reading);
    },
  };
}

/** The same length, so that places stay. */
function withoutItems(text: string, lists: readonly ItemList[]): string {
  let around = "";
  let done = 0;
  for (const { items } of lists) {
    for (const { start, end } of items) {
      around += `${text.slice(done, start)}${" ".repeat(end - start - 1)}\n`;
      done = end;
    }
  }
  return around + text.slice(done);
}

function propertiesOf(node: Node): Node[] {
  const own = node.children ?? [];
  return [...own.filter(({ type }) => type === "property"), ...own.flatMap(propertiesOf)];
}

const noEntry: Fault = { offset: 0, message: "this is no entry of a list", suggestion: "begin it with - " };

const misplaced: Fault = {
  offset: 0,
  message: "this entry is indented less than those before it",
  suggestion: "indent it like its neighbours",
};

function itemAt(
  { start, end, isMisplaced }: Item,
  text: string,
  reading: FileReading,
): { node: Node; isBroken: boolean } {
  const { contents, faults } = parseYaml(text.slice(start, end));
  const list = contents ? nodeOf(contents, start, reading) : undefined;
  const [only, ...others] = list?.type === "array" ? (list.children ?? []) : [];
  const fault = isMisplaced ? misplaced : (faults[0] ?? (only && others.length === 0 ? undefined : noEntry));
  if (only && !fault) return { node: only, isBroken: false };
  tell(fault ?? noEntry, start, reading);
  const offset = only?.offset ?? start;
  const node: Node = { ...(only ?? { type: "null", value: null }), offset, length: end - offset };
  reading.faulty.add(node);
  return { node, isBroken: true };
}

/**
 * Where the entries of `hooks:` lists stand in a text, found by its lines alone: so that a file can be read entry by entry,
 * and one broken rule takes no other with it (R33). What looks like a list inside of a text is found as well.
 */

interface Span {
  start: number;
  end: number;
}
interface Item extends Span {
  /** It stands less far in than the entries before it, which no list allows. */
  isMisplaced?: true;
}
interface ItemList {
  /** Offset of the key. */
  key: number;
  items: Item[];
}

const listKey = /^( *(?:- +)*)["']?hooks["']?[ \t]*:[ \t]*(?:#.*)?$/;
const item = /^( *)-(?:[ \t]|$)/;
const nothing = /^[ \t]*(?:#|$)/;

interface Line extends Span {
  text: string;
}

function hookLists(text: string): ItemList[] {
  const lines = linesOf(text);
  const lists: ItemList[] = [];
  for (let at = 0; at < lines.length; at++) {
    const { text: line, start } = lines[at] ?? lineAfter(text);
    const before = listKey.exec(line)?.[1];
    if (before === undefined) continue;
    const { items, next } = itemsFrom(lines, at + 1, before.length);
    if (items.length === 0) continue;
    lists.push({ key: start + before.length, items });
    at = next - 1;
  }
  return lists;
}

const lineAfter = (text: string): Line => ({ text: "", start: text.length, end: text.length });

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found + 1;
    lines.push({ text: text.slice(start, end).replace(/\r?\n$/, ""), start, end });
    start = end;
  }
  return lines;
}

/** The entries of a list whose key stands in this column; a line that fits nowhere belongs to the entry before it. */
function itemsFrom(lines: readonly Line[], from: number, column: number): { items: Item[]; next: number } {
  const items: Item[] = [];
  let indent: number | undefined;
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at];
    if (!line) break;
    const last = items.at(-1);
    const own = item.exec(line.text)?.[1]?.length;
    if (own !== undefined && own === (indent ?? (own >= column ? own : undefined))) {
      indent = own;
      items.push({ start: line.start, end: line.end });
    } else if (own !== undefined && own >= column && indent !== undefined && own < indent) {
      items.push({ start: line.start, end: line.end, isMisplaced: true });
    } else if (nothing.test(line.text) || (last && belongs(line.text, column))) {
      if (last) last.end = line.end; // a remark may be a line of a text block
    } else break;
  }
  return { items, next: at };
}

const belongs = (line: string, column: number): boolean =>
  /^ *\t/.test(line) || line.length - line.trimStart().length > column;

export interface YamlFile {
  text: string;
  origin: Origin;
  root: Node | undefined;
  isFaulty: YamlTree["isFaulty"];
  /** The text itself is broken there: what is left of it may be anything. */
  isBroken(node: Node): boolean;
  locate(offset: number): Place;
  report: Report;
  /** All findings so far in the order of the file, each once: what an alias repeats is one mistake. */
  problems(): Problem[];
}

/** Never throws. */
export function openYaml(text: string, origin: Origin): YamlFile {
  const locate = createLocator(text);
  const problems = new Map<string, Problem>();
  const report: Report = (offset, finding) => {
    const problem: Problem = { ...finding, file: origin.file ?? "", ...locate(offset) };
    const key = `${offset} ${finding.code} ${finding.message}`;
    if (!problems.has(key)) problems.set(key, problem);
  };
  const { root, isFaulty } = readYaml(text, report);
  return {
    text,
    origin,
    root: root?.type === "null" ? undefined : root,
    isFaulty,
    isBroken: (node) => isFaulty(node) && [...problems.values()].some(({ code }) => code === "syntax"),
    locate,
    report,
    problems: () => [...problems.values()].sort((left, right) => left.line - right.line || left.column - right.column),
  };
}
