/**
 * YAML as the tree of positions that JSON files have, within limits, reading on after faults (R33, R43, SAFETY D14).
 * Loads the YAML library: whoever may never see YAML imports this late.
 */
import type { Node } from "./json-tree.ts";
import { hookLists, type Item, type ItemList } from "./yaml-items.ts";
import { nodeOf, type Reading, type RuleReport } from "./yaml-nodes.ts";
import { type Fault, type Parsed, parseYaml } from "./yaml-parse.ts";

export type { RuleFinding, RuleReport } from "./yaml-nodes.ts";

/** What a file of rules may hold; settings are far smaller. */
export const largestRulesFileInBytes: number = 4 * 1024 * 1024;

export interface YamlTree {
  /** Absent: the file is empty, or nothing of it can be read. */
  root?: Node;
  /** Whether an error stands in this node, which was told of: what it holds may not be what its author meant. */
  isFaulty(node: Node): boolean;
}

/** With more faults than this, nothing that was read can be what its author meant. */
const mostFaults = 50;

/**
 * Hook lists are read entry by entry, which also costs a third less than all at once. Where that finds a fault, the whole
 * text has the last word: if that is sound, the cutting was at fault. Never throws.
 *
 * @param ending what becomes of the rest where there is a fault, which is told with it
 */
export function readYaml(text: string, report: RuleReport, ending: Ending = "read on"): YamlTree {
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

function readWhole({ contents, faults, offsets, refused }: Parsed, report: RuleReport, ending: Ending): YamlTree {
  const reading = startReading(report, refused ? "not read" : ending);
  for (const fault of faults) tell(fault, 0, reading);
  const root = contents ? nodeOf(contents, 0, reading) : undefined;
  if (root) markFaults(root, offsets, reading);
  return offsets.length > mostFaults && root ? { root, isFaulty: () => true } : treeOf(root, reading);
}

interface Telling extends Reading {
  ending: Ending;
}

const startReading = (report: RuleReport, ending: Ending): Telling => ({
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

const endings = { "read on": "; what can still be read is in force", "not read": "" } as const;
export type Ending = keyof typeof endings;

const tell = ({ offset, message, suggestion }: Fault, base: number, { report, ending }: Telling): void =>
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
  tell(report: RuleReport): YamlTree;
}

/** undefined: there are no lists, or they are none after all. A broken entry is a faulty node that reaches to its end. */
function readByItem(text: string, ending: Ending): ByItem | undefined {
  const lists = hookLists(text);
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  if (count === 0 || count > mostItems) return undefined;
  const around = parseYaml(withoutItems(text, lists));
  if (around.refused || !around.contents) return undefined;
  const found: Parameters<RuleReport>[] = [];
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
  message: "this entry stands less far in than those before it",
  suggestion: "indent it like its neighbours",
};

function itemAt({ start, end, isMisplaced }: Item, text: string, reading: Telling): { node: Node; isBroken: boolean } {
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
