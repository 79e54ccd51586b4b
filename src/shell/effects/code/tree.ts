/** The words of code with its brackets: what stands between two of them, where an expression begins and a statement ends. */
import { type Word, wordsOf } from "./words.ts";

export type Range = readonly [from: number, to: number];

export interface Tree {
  words: readonly Word[];
  /** Whether this word is one of these marks or names, and no text. */
  is(at: number, ...marks: string[]): boolean;
  closeOf(open: number): number;
  /** Undefined: no bracket closes here. */
  openOf(close: number): number | undefined;
  /** By its commas. */
  divide(from: number, to: number): Range[];
  /** What stands between the brackets that open at this word, divided by its commas. */
  partsOf(open: number): Range[];
  /** Where the expression begins whose method is called by the name at this word. */
  beginOf(name: number): number;
  /** Up to the end of the statement. */
  endOf(from: number): number;
}

const longestStatement = 400;

export function treeOf(code: string): Tree {
  const words = wordsOf(code);
  const closes = bracketsOf(words);
  const opens = new Map([...closes].map(([open, close]) => [close, open]));
  const is = (at: number, ...marks: string[]): boolean => {
    const one = words[at];
    return one !== undefined && one.is !== "text" && marks.includes(one.word);
  };
  const closeOf = (open: number): number => closes.get(open) ?? words.length;
  const openOf = (close: number): number | undefined => opens.get(close);

  function divide(from: number, to: number): Range[] {
    const parts: Range[] = [];
    let begin = from;
    for (let at = from; at < to; at++) {
      if (is(at, "(", "[", "{")) at = closeOf(at);
      else if (is(at, ",")) {
        if (at > begin) parts.push([begin, at]);
        begin = at + 1;
      }
    }
    if (to > begin) parts.push([begin, Math.min(to, words.length)]);
    return parts;
  }
  const partsOf = (open: number): Range[] => divide(open + 1, closeOf(open));

  function beginOf(name: number): number {
    let at = name;
    while (at > name - longestStatement && is(at - 1, ".", "->", "?.", "::", "?->")) {
      at -= 2;
      while (is(at, ")", "]") && openOf(at) !== undefined) {
        const open = openOf(at) ?? at;
        const isCall = words[open - 1]?.is === "name" && !is(open - 1, "return", "in", "of", "if", "await", "new");
        if (!isCall && !is(open - 1, ")", "]")) return open;
        at = open - 1;
      }
    }
    return is(at - 1, "new") ? at - 1 : at;
  }
  function endOf(from: number): number {
    const last = Math.min(words.length, from + longestStatement);
    for (let at = from; at < last; at++) {
      if (words[at]?.is === "end" || is(at, ")", "]", "}")) return at;
      if (is(at, "(", "[", "{")) at = closeOf(at);
    }
    return last;
  }

  return { words, is, closeOf, openOf, divide, partsOf, beginOf, endOf };
}

/** From each bracket to the one that closes it. */
function bracketsOf(words: readonly Word[]): Map<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (const [at, { is, word }] of words.entries()) {
    if (is !== "mark") continue;
    if (/^[([{]$/.test(word)) open.push(at);
    else if (/^[)\]}]$/.test(word)) {
      const from = open.pop();
      if (from !== undefined) closes.set(from, at);
    }
  }
  return closes;
}
