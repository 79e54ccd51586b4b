/**
 * The words of code, of any of the languages that scripts are written in: names, texts, marks and the ends of statements. Apart
 * because what stands in a text is no code, and what stands in code is no text.
 */

export interface Word {
  is: "name" | "text" | "mark" | "end";
  word: string;
  /** A name with the sign of a variable before it: `$x`. */
  isVariable?: true;
  /** Of a text: its constant parts, and the words of what is put in between. */
  parts?: readonly (string | readonly Word[])[];
}

const space = /(?:[ \t\r]|\\\n)+/y;
const text =
  /([rbuRBU]{0,2}f?[rR]?|F)("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`)/y;
const list = /(?:qw|%w)\s*[([{/<]([^)\]}>/]*)[)\]}>/]/y;
const name = /[$@%&]?\$?[A-Za-z_][\w$]*/y;
const number = /\d[\w.]*/y;
const mark = /=>|->|\?\.|\?->|::|\*\*|:=|\+=|\/=|\.=|===?|!==?|=~|<=|>=|&&|\|\|=?|\?\?=?|\/\/(?=\s*["'$])|[^\s\w]/y;
const pattern = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Behind one of them no division can stand. */
const beforePattern = /^(?:[(,=:!&|?{};~[]|&&|\|\||=>|=~|return|split|grep|if|unless|and|or|not|when)$/;

const mostParts = 4;

export function wordsOf(code: string, depth = 0): Word[] {
  const words: Word[] = [];
  /** The brackets that are open: inside of round and square ones a line may go on. */
  const open: string[] = [];
  let at = 0;
  const next = (shape: RegExp): RegExpExecArray | null => {
    shape.lastIndex = at;
    const found = shape.exec(code);
    if (found) at += found[0].length;
    return found;
  };
  while (at < code.length) {
    if (next(space)) continue;
    const before = words.at(-1);
    if (code[at] === "\n" || code[at] === ";") {
      if (code[at] === ";" || !/^[([]$/.test(open.at(-1) ?? "")) words.push({ is: "end", word: code[at] ?? "" });
      at++;
      continue;
    }
    const listed = next(list);
    if (listed) {
      const all = (listed[1] ?? "").split(/\s+/).filter(Boolean);
      words.push({ is: "mark", word: "[" });
      for (const one of all) words.push({ is: "text", word: one, parts: [one] }, { is: "mark", word: "," });
      words.push({ is: "mark", word: "]" });
      continue;
    }
    const found = next(text);
    if (found) {
      words.push(textOf(found[1] ?? "", found[2] ?? "", depth));
      continue;
    }
    const isPattern =
      code[at] === "/" && (before === undefined || before.is === "end" || beforePattern.test(before.word));
    if (isPattern && next(pattern)) {
      words.push({ is: "name", word: "0" });
      continue;
    }
    const named = next(name);
    if (named) {
      const plain = named[0].replace(/^[$@%&]+/, "");
      words.push({ is: "name", word: plain, ...(plain === named[0] ? {} : { isVariable: true as const }) });
      continue;
    }
    const [word = ""] = next(number) ?? next(mark) ?? [code.charAt(at++)];
    if (/^[([{]$/.test(word)) open.push(word);
    else if (/^[)\]}]$/.test(word)) open.pop();
    words.push({ is: /^\d/.test(word) ? "name" : "mark", word });
  }
  return words;
}

/** `f"{x}/a"`, `${x}/a` between backticks, `"#{x}/a"`, `"$x/a"` */
function textOf(prefix: string, quoted: string, depth: number): Word {
  const quote = quoted.charAt(0);
  const length = /^(?:"""|''')/.test(quoted) ? 3 : 1;
  const inner = quoted.slice(length, -length);
  const shape = /f/i.test(prefix)
    ? /\{([^{}!:]+)[^{}]*\}/g
    : quote === "`"
      ? /\$\{([^{}]*)\}/g
      : quote === '"'
        ? /#\{([^{}]*)\}|\{\$(\w+)\}|\$\{?(?:\w+::)?([A-Za-z_]\w*)\}?/g
        : undefined;
  const parts: (string | readonly Word[])[] = [];
  let from = 0;
  if (shape && depth < 2)
    for (const { 0: all, 1: one, 2: two, 3: three, index } of inner.matchAll(shape)) {
      if (parts.length > 2 * mostParts) break;
      parts.push(inner.slice(from, index), wordsOf(one ?? `$${two ?? three}`, depth + 1));
      from = index + all.length;
    }
  parts.push(inner.slice(from));
  const plain = parts.map((part) => (typeof part === "string" ? part.replace(/\\(.)/gs, "$1") : part));
  return { is: "text", word: inner, parts: plain };
}
