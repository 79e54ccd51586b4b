/**
 * Where the entries of `hooks:` lists stand in a text, found by its lines alone: so that a file can be read entry by entry,
 * and one broken rule takes no other with it (R33). What looks like a list inside of a text is found as well.
 */

interface Span {
  start: number;
  end: number;
}
export interface Item extends Span {
  /** It stands less far in than the entries before it, which no list allows. */
  isMisplaced?: true;
}
export interface ItemList {
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

export function hookLists(text: string): ItemList[] {
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
