/** Which words are the operands of a call, in brackets or without, that may be a path. */
import type { Range } from "./tree.ts";
import type { Code } from "./values.ts";

export const isMark = ({ words }: Code, at: number, ...marks: string[]): boolean => {
  const one = words[at];
  return one?.is === "mark" && marks.includes(one.word);
};

/** `unlink for glob "*.o"` */
export const endsAlone = ({ words }: Code, at: number): boolean =>
  words[at] === undefined || words[at].is === "end" || /^(?:for|foreach|if|unless|\})$/.test(words[at].word);
export const isDefined = ({ words }: Code, at: number): boolean =>
  words[at - 1]?.is === "name" && /^(?:def|function|sub|import|as|class)$/.test(words[at - 1]?.word ?? "");

/** Without options, functions, and what is given by another name than a path's. */
export function operands({ words }: Code, parts: readonly Range[]): Range[] {
  return parts.flatMap(([from, to]): Range[] => {
    const isNamed =
      words[from]?.is === "name" && words[from + 1]?.is === "mark" && /^[=:]$/.test(words[from + 1]?.word ?? "");
    if (isNamed)
      return /^(?:path|src|dst|file|top|target|filename|name)$/.test(words[from]?.word ?? "") ? [[from + 2, to]] : [];
    const isFunction =
      words.slice(from, Math.min(to, from + 40)).some(({ is, word }) => is === "mark" && word === "=>") ||
      /^(?:function|lambda|async)$/.test(words[from]?.word ?? "");
    const isOption = words[from]?.is === "mark" && words[from]?.word === "{";
    const isPlain =
      to - from === 1 &&
      words[from]?.is === "name" &&
      /^(?:\d.*|true|false|True|False|TRUE|FALSE|null|None|nil|undefined|cb|callback|done|err|resolve|reject)$/.test(
        words[from]?.word ?? "",
      );
    return isFunction || isOption || isPlain ? [] : [[from, to]];
  });
}

/** `unlink "a", "b" if x;`, `rmtree $d`, `FileUtils.rm_rf Dir.home` */
export function withoutBrackets(code: Code, from: number): Range[] {
  const { words } = code;
  const first = words[from];
  if (first === undefined || (first.is === "mark" && !/^[<[@]$/.test(first.word)) || first.is === "end") return [];
  if (first.is === "name" && /^(?:for|foreach|if|unless|or|and|as|from|import|in|of)$/.test(first.word)) return [];
  const ranges: Range[] = [];
  let begin = from;
  let at = from;
  for (; at < words.length; at++) {
    const one = words[at];
    if (one?.is === "end" || isMark(code, at, "}", ")", "]", "||", "&&")) break;
    if (one?.is === "name" && !one.isVariable && /^(?:for|foreach|if|unless|or|and)$/.test(one.word)) break;
    if (isMark(code, at, "(", "[", "{")) at = code.closeOf(at);
    else if (isMark(code, at, ",")) {
      ranges.push([begin, at]);
      begin = at + 1;
    }
  }
  if (at > begin) ranges.push([begin, Math.min(at, words.length)]);
  return operands(code, ranges);
}
