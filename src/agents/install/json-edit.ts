/** Edits of JSON text that touch nothing else: comments, blanks, line ends and order stay. Apart, because it knows no hooks. */
import {
  applyEdits as applyAll,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { HooklineError } from "../../engine/error.ts";
import type { Json } from "../../engine/event.ts";

export interface Edit {
  /** In the text before any edit of the same list. */
  offset: number;
  removed: string;
  inserted: string;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let done = "";
  let read = 0;
  for (const edit of inOrder(edits)) {
    done += text.slice(read, edit.offset) + edit.inserted;
    read = edit.offset + edit.removed.length;
  }
  return done + text.slice(read);
}

const inOrder = (edits: readonly Edit[]): Edit[] => edits.toSorted((left, right) => left.offset - right.offset);

/** The edits that lead back. */
export function inverse(edits: readonly Edit[]): Edit[] {
  let moved = 0;
  return inOrder(edits).map(({ offset, removed, inserted }) => {
    const back = { offset: offset + moved, removed: inserted, inserted: removed };
    moved += inserted.length - removed.length;
    return back;
  });
}

export const endOf = (node: Node): number => node.offset + node.length;
export const cut = (text: string, from: number, to: number): Edit => ({
  offset: from,
  removed: text.slice(from, to),
  inserted: "",
});

/** "line:column" of an offset, both from 1. */
export function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}

export function unusable(text: string, offset: number, file: string, reason: string): HooklineError {
  const where = `${file}:${placeOf(text, offset)}`;
  return new HooklineError("settings_unusable", { reason, where, advice: "correct it there; nothing was written" });
}

/** The document's object, or nothing for a blank text. Throws settings_unusable with line and column. */
export function parseObject(text: string, file: string): Node | undefined {
  if (text.replace(/^\uFEFF/, "").trim() === "") return undefined;
  const errors: ParseError[] = [];
  const root = parseOrThrow(text, file, errors);
  const first = errors[0];
  if (first || !root) {
    const reason = first ? inWords(printParseErrorCode(first.error)) : "it holds no value";
    throw unusable(text, first?.offset ?? 0, file, `its JSON is broken (${reason})`);
  }
  if (root.type !== "object") throw unusable(text, root.offset, file, `it holds ${root.type} where an object belongs`);
  return root;
}

/** ValueExpected: value expected. */
const inWords = (code: string): string => code.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

function parseOrThrow(text: string, file: string, errors: ParseError[]): Node | undefined {
  try {
    // A byte order mark is no JSON; a blank in its place keeps all offsets.
    return parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
  } catch {
    throw unusable(text, 0, file, "it is nested too deeply"); // the parser recurses
  }
}

/** The text with this value at this place; containers that are missing on the way are made. Throws settings_unusable. */
export function withValue(text: string, file: string, path: readonly (string | number)[], value: Json): string {
  parseObject(text, file);
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyAll(text, modify(text, [...path], value, { formattingOptions }));
}

/** The last property of that name, which is the one that JSON readers obey. */
export const propertyOf = (object: Node | undefined, key: string): Node | undefined =>
  propertiesOf(object).findLast((property) => keyOf(property) === key);
export const propertiesOf = (object: Node | undefined): Node[] =>
  object?.type === "object" ? (object.children ?? []) : [];
export const elementsOf = (list: Node | undefined): Node[] => (list?.type === "array" ? (list.children ?? []) : []);
export const keyOf = (property: Node): string => String(property.children?.[0]?.value);
export const valueUnder = (property: Node | undefined): Node | undefined => property?.children?.[1];

export interface Style {
  unit: string;
  lineEnd: string;
}
export function styleOf(text: string): Style {
  const unit = /\n([ \t]+)["[{/]/.exec(text)?.[1] ?? "  ";
  return { unit, lineEnd: /\r?\n/.exec(text)?.[0] ?? "\n" };
}

/** Prints at this indentation, or on one line if there is none. */
export type Printer = (indent: string | undefined, style: Style) => string;

export const printJson =
  (value: Json): Printer =>
  (indent, { unit, lineEnd }) =>
    indent === undefined ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll("\n", lineEnd + indent);
export const printText =
  (text: string): Printer =>
  () =>
    text;
export const printProperty =
  (key: string, value: Printer): Printer =>
  (indent, style) =>
    `${JSON.stringify(key)}:${indent === undefined ? "" : " "}${value(indent, style)}`;
export const printList = (items: readonly Printer[]): Printer => printContainer("[", items, "]");
export const printObject = (items: readonly Printer[]): Printer => printContainer("{", items, "}");

const printContainer =
  (open: string, items: readonly Printer[], close: string): Printer =>
  (indent, style) => {
    if (indent === undefined) return open + items.map((item) => item(undefined, style)).join(",") + close;
    const inner = indent + style.unit;
    const lines = items.map((item) => style.lineEnd + inner + item(inner, style));
    return open + lines.join(",") + style.lineEnd + indent + close;
  };

/** Whether the container's last item stands on a line of its own; an empty one is as its surroundings are. */
function isSpread(text: string, container: Node): boolean {
  const last = container.children?.at(-1);
  if (!last) return container.parent ? isSpread(text, container.parent.parent ?? container.parent) : true;
  const before = container.children?.at(-2);
  return text.slice(before ? endOf(before) : container.offset, last.offset).includes("\n");
}

const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";

/** Adds items at the end of a container, so that `removeFrom` leads back to the same bytes. */
export function appendTo(text: string, container: Node, items: readonly Printer[], style: Style): Edit[] {
  if (items.length === 0) return [];
  const last = container.children?.at(-1);
  const spread = isSpread(text, container);
  if (last)
    return appendAfter(text, container, last, {
      items,
      style,
      indent: spread ? indentAt(text, last.offset) : undefined,
    });
  const outer = indentAt(text, container.offset);
  const inner = outer + style.unit;
  const inserted = spread
    ? `${items.map((item) => style.lineEnd + inner + item(inner, style)).join(",")}${style.lineEnd}${outer}`
    : items.map((item) => item(undefined, style)).join(",");
  return [{ offset: container.offset + 1, removed: "", inserted }];
}

interface Addition {
  items: readonly Printer[];
  style: Style;
  /** Absent: everything on one line. */
  indent: string | undefined;
}

function appendAfter(text: string, container: Node, last: Node, { items, style, indent }: Addition): Edit[] {
  const end = endOf(last);
  const rest = triviaIn(text, end, endOf(container) - 1);
  const remark = rest.remarksOnLine;
  const commaIsBehind = rest.comma !== undefined && (remark === undefined || rest.comma > remark);
  const separator = indent === undefined ? (remark === undefined ? "" : style.lineEnd) : style.lineEnd + indent;
  const printed = items.map((item) => separator + item(indent, style));
  if (remark === undefined || commaIsBehind) {
    return [{ offset: end, removed: "", inserted: printed.map((item) => `,${item}`).join("") }];
  }
  // A remark on the last item's line stays with that item.
  if (rest.comma !== undefined)
    return [{ offset: remark, removed: "", inserted: printed.map((item) => `${item},`).join("") }];
  return [
    { offset: end, removed: "", inserted: "," },
    { offset: remark, removed: "", inserted: printed.join(",") },
  ];
}

interface Trivia {
  comma?: number;
  /** Where the last remark ends that begins on the first line. */
  remarksOnLine?: number;
  /** Where the last remark ends, and whether it is one that needs its line end. */
  remarks?: number;
  endsWithLine?: boolean;
}

/** What stands between two items: blanks, at most one comma, remarks. */
function triviaIn(text: string, from: number, to: number): Trivia {
  const found: Trivia = {};
  const token = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|[,\r\n]/y;
  let onFirstLine = true;
  for (let at = from; at < to; at++) {
    token.lastIndex = at;
    const match = token.exec(text)?.[0];
    if (match === undefined) continue;
    if (match === ",") found.comma ??= at;
    else if (match.startsWith("/")) {
      found.remarks = at + match.length;
      found.endsWithLine = match.startsWith("//");
      if (onFirstLine) found.remarksOnLine = found.remarks;
      at = found.remarks - 1;
    } else onFirstLine = false;
  }
  return found;
}

/** Takes items out of a container, with the comma and the blanks that came with them; remarks of others stay. */
export function removeFrom(text: string, container: Node, doomed: ReadonlySet<Node>): Edit[] {
  const children = container.children ?? [];
  const edits: Edit[] = [];
  for (let index = 0; index < children.length; index++) {
    const first = children[index];
    if (!first || !doomed.has(first)) continue;
    const before = children[index - 1];
    while (index + 1 < children.length && doomed.has(children[index + 1] ?? first)) index++;
    const run = { container, before, first, last: children[index] ?? first, after: children[index + 1] };
    edits.push(
      ...(before
        ? removeBehind(text, before, run)
        : run.after
          ? removeAhead(text, run.after, run)
          : removeAll(text, run)),
    );
  }
  return edits;
}

interface ItemRun {
  container: Node;
  first: Node;
  last: Node;
  after: Node | undefined;
}

function removeBehind(text: string, before: Node, { container, first, last, after }: ItemRun): Edit[] {
  const gap = triviaIn(text, endOf(before), first.offset);
  if (gap.remarks === undefined) return [cut(text, endOf(before), endOf(last))];
  const comma = triviaIn(text, endOf(last), after?.offset ?? endOf(container) - 1).comma ?? gap.comma;
  return withComma(text, comma, startBehind(text, gap, first, endOf(last)), endOf(last));
}

function removeAhead(text: string, after: Node, { first, last }: ItemRun): Edit[] {
  const gap = triviaIn(text, endOf(last), after.offset);
  if (gap.remarks === undefined) return [cut(text, first.offset, after.offset)];
  return withComma(text, gap.comma, first.offset, endOf(last));
}

function removeAll(text: string, { container, first, last }: ItemRun): Edit[] {
  const open = container.offset + 1;
  const lead = triviaIn(text, open, first.offset);
  const lineEnd = /\r?\n/.exec(text.slice(open, first.offset))?.[0];
  const closing = lineEnd === undefined ? "" : lineEnd + indentAt(text, container.offset);
  const end = endOf(last) + (text.startsWith(closing, endOf(last)) ? closing.length : 0);
  const from = lead.remarks === undefined ? open : startBehind(text, lead, first, end);
  return withComma(text, triviaIn(text, endOf(last), endOf(container) - 1).comma, from, end);
}

/** Where a cut behind a remark may start: a line remark must not swallow what comes next. */
function startBehind(text: string, gap: Trivia, first: Node, end: number): number {
  const start = gap.remarks ?? first.offset;
  return gap.endsWithLine && !/^,?[ \t]*(\r?\n|$)/.test(text.slice(end)) ? first.offset : start;
}

function withComma(text: string, comma: number | undefined, from: number, to: number): Edit[] {
  const removal = cut(text, from, to);
  return comma === undefined || (comma >= from && comma < to) ? [removal] : [removal, cut(text, comma, comma + 1)];
}
