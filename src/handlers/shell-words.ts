/** Reads the words of a shell line that holds placeholders: quotes, expansions, and how each placeholder is quoted. */
import { skipLines } from "./shell-blanks.ts";
import { giveUp, mark, marksIn, type Quote, type Reader, type ShellWord } from "./shell-reading.ts";

/** A word in the making. */
export interface Making {
  text: string | undefined;
  head: string;
  leading: number[];
  /** Nothing but placeholders so far. */
  begins: boolean;
}
export const newMaking = (): Making => ({ text: "", head: "", leading: [], begins: true });

function addText(making: Making, text: string): void {
  making.begins = false;
  if (making.text === undefined) return;
  making.text += text;
  making.head = making.text;
}

function addUnknown(making: Making): void {
  making.begins = false;
  making.text = undefined;
}

function addMark(reader: Reader, making: Making, quote: Quote): void {
  if (making.begins) making.leading.push(reader.at);
  making.text = undefined;
  reader.judge.place(reader.at, quote);
  reader.at += 1;
}

const blank = /[ \t\n]/;
const meta = /[ \t\n;&|<>()]/;

/**
 * One word. In `pattern` mode (the right side of a comparison in [[ ]]) brackets and bars belong to it.
 */
export function readWord(reader: Reader, mode: "word" | "pattern" = "word"): ShellWord {
  const { source } = reader;
  const start = reader.at;
  const making = newMaking();
  let open = 0;
  let loose = false;
  let solid = false;
  while (reader.at < source.length) {
    const sign = source[reader.at] ?? "";
    const read = parts[sign];
    const isLoose = atLoose(reader);
    const before = reader.at;
    if (read) read(reader, making);
    else if (/[<>]/.test(sign) && source[reader.at + 1] === "(") readSubstitution(reader, making, 2);
    else if (mode === "pattern" && !endsPattern(reader, open)) {
      open += sign === "(" ? 1 : sign === ")" ? -1 : 0;
      addText(making, sign);
      reader.at += 1;
    } else if (sign === "(" && /^[A-Za-z_]\w*\+?=$/.test(source.slice(start, reader.at))) readArray(reader, making);
    else if (meta.test(sign)) break;
    else {
      addText(making, sign);
      reader.at += 1;
    }
    loose ||= isLoose;
    solid ||= !isLoose && source.slice(before, reader.at) !== "\\\n";
  }
  const end = reader.at;
  const { text, head, leading } = making;
  const raw = source.slice(start, end);
  return { start, end, raw, text, head, leading, marks: marksIn(reader, start, end), loose, vanishes: !solid };
}

/** An expansion that is not quoted, or one of all the arguments. */
function atLoose({ source, at }: Reader): boolean {
  const allOf = /"\$(?:@|\{@|\{\w+\[@\])/y;
  allOf.lastIndex = at;
  return source[at] === "`" || (source[at] === "$" && !/['"]/.test(source[at + 1] ?? "")) || allOf.test(source);
}

function endsPattern({ source, at }: Reader, open: number): boolean {
  const sign = source[at] ?? "";
  if (open > 0) return false;
  return blank.test(sign) || sign === ")" || sign === ";" || /^(&&|\|\|)/.test(source.slice(at, at + 2));
}

type ReadPart = (reader: Reader, making: Making) => void;

/** What is not text, by its first sign. */
const parts: { readonly [sign: string]: ReadPart } = {
  "\\": readEscape,
  "'": readSingle,
  '"': readDouble,
  $: (reader, making) => readDollar(reader, making, "plain"),
  "`": readBackticks,
  [mark]: (reader, making) => addMark(reader, making, "plain"),
};

function readEscape(reader: Reader, making: Making): void {
  const next = reader.source[reader.at + 1] ?? "";
  if (next === mark) reader.judge.refuse([reader.at + 1], "behind a backslash");
  if (next !== "\n" && next !== mark) addText(making, next);
  if (next === mark) addUnknown(making);
  reader.at += 2;
}

function readSingle(reader: Reader, making: Making): void {
  const end = reader.source.indexOf("'", reader.at + 1);
  if (end < 0) giveUp("a ' is not closed");
  reader.at += 1;
  while (reader.at < end) {
    if (reader.source[reader.at] === mark) addMark(reader, making, "single");
    else addText(making, reader.source[reader.at++] ?? "");
  }
  reader.at = end + 1;
}

function readDouble(reader: Reader, making: Making): void {
  const { source } = reader;
  reader.at += 1;
  for (let sign = source[reader.at]; sign !== '"'; sign = source[reader.at]) {
    if (sign === undefined) giveUp('a " is not closed');
    else if (sign === "\\") readDoubleEscape(reader, making);
    else if (sign === "$") readDollar(reader, making, "double");
    else if (sign === "`") readBackticks(reader, making);
    else if (sign === mark) addMark(reader, making, "double");
    else addText(making, source[reader.at++] ?? "");
  }
  reader.at += 1;
}

function readDoubleEscape(reader: Reader, making: Making): void {
  const next = reader.source[reader.at + 1] ?? "";
  if (next === mark) readEscape(reader, making);
  else {
    addText(making, /[$`"\\]/.test(next) ? next : next === "\n" ? "" : `\\${next}`);
    reader.at += 2;
  }
}

/** Not all shells know $'…', and to those that do not a backslash in it means nothing. */
function readAnsi(reader: Reader, making: Making): void {
  reader.at += 2;
  addUnknown(making);
  for (let sign = reader.source[reader.at]; sign !== "'"; sign = reader.source[reader.at]) {
    if (sign === undefined || reader.source.startsWith("\\'", reader.at)) giveUp("a $'…' holds a ' or is not closed");
    if (sign === "\\") readEscape(reader, making);
    else if (sign === mark) addMark(reader, making, "ansi");
    else reader.at += 1;
  }
  reader.at += 1;
}

/** What a $ begins, by how the rest looks; `$'` means something outside of quotes only. */
const dollars: readonly [string, (reader: Reader, making: Making, quote: "plain" | "double") => void][] = [
  ["$((", (reader, making) => readSum(reader, making, "$((")],
  ["$(", (reader, making) => readSubstitution(reader, making, 2)],
  ["${", readExpansion],
  ["$[", (reader, making) => readSum(reader, making, "$[")],
];

function readDollar(reader: Reader, making: Making, quote: "plain" | "double"): void {
  const { source, at } = reader;
  const read = dollars.find(([begin]) => source.startsWith(begin, at))?.[1];
  if (read) read(reader, making, quote);
  else if (quote === "plain" && source.startsWith("$'", at)) readAnsi(reader, making);
  else readVariable(reader, making, quote);
}

function readVariable(reader: Reader, making: Making, quote: "plain" | "double"): void {
  const { source, at } = reader;
  const named = /\$(?:[A-Za-z_]\w*|[@*#?$!\-\d])/y;
  named.lastIndex = at;
  const found = named.exec(source)?.[0];
  if (source[at + 1] === mark) reader.judge.refuse([at + 1], "directly behind a $");
  if (found === undefined && !(quote === "plain" && source[at + 1] === '"')) addText(making, "$");
  else addUnknown(making);
  reader.at += found?.length ?? 1;
}

export const deepest: number = 60;

/** $(…), <(…), >(…) */
function readSubstitution(reader: Reader, making: Making, opening: number): void {
  addUnknown(making);
  reader.at += opening;
  within(reader, () => reader.nested(reader));
}

function within(reader: Reader, read: () => void): void {
  const { documents: waiting, inputs } = reader;
  if (++reader.depth > deepest) giveUp("it is nested too deeply");
  reader.documents = [];
  const start = reader.at;
  read();
  const hasLines = reader.source.slice(start, reader.at).includes("\n");
  if (reader.documents.length > 0 || (waiting.length > 0 && hasLines))
    giveUp("a here-document begins beside a substitution");
  reader.documents = waiting;
  reader.inputs = inputs;
  reader.depth -= 1;
}

/** Bash takes "((" for arithmetic if "))" ends it; whatever else it may be is written with a blank. */
export function readSum(reader: Reader, making: Making, opening: "((" | "$((" | "$["): void {
  const { source } = reader;
  const start = reader.at;
  addUnknown(making);
  reader.at += opening.length;
  const [up, down] = opening === "$[" ? ["[", "]"] : ["(", ")"];
  for (let open = opening === "$[" ? 1 : 2; open > 0; ) {
    const sign = source[reader.at];
    if (sign === undefined || /['\\`]/.test(sign)) giveUp("arithmetic holds quotes or is not closed");
    if (sign === down && open === 2 && opening !== "$[" && source[reader.at + 1] !== down)
      giveUp('"((" begins two subshells: write a blank between them');
    if (sign === "$") within(reader, () => readDollar(reader, newMaking(), "double"));
    else {
      open += sign === up ? 1 : sign === down ? -1 : 0;
      reader.at += 1;
    }
  }
  reader.judge.refuse(marksIn(reader, start, reader.at), "in arithmetic");
  reader.judge.sum(source.slice(start, reader.at));
}

function readExpansion(reader: Reader, making: Making, quote: "plain" | "double"): void {
  const { source } = reader;
  const start = reader.at;
  const inner = newMaking();
  addUnknown(making);
  reader.at += 2;
  for (let sign = source[reader.at]; sign !== "}"; sign = source[reader.at]) {
    if (sign === undefined || (sign === "'" && quote === "double")) giveUp("a ${…} holds a ' or is not closed");
    if (sign === "\\") reader.at += 2;
    else if (sign === "'") readSingle(reader, inner);
    else if (sign === '"') within(reader, () => readDouble(reader, inner));
    else if (sign === "$") within(reader, () => readDollar(reader, inner, quote));
    else if (sign === "`") readBackticks(reader, inner);
    else reader.at += 1;
  }
  reader.at += 1;
  reader.judge.refuse(marksIn(reader, start, reader.at), "inside ${…}");
  reader.judge.expansion(source.slice(start, reader.at));
}

function readBackticks(reader: Reader, making: Making): void {
  const { source } = reader;
  const start = reader.at;
  addUnknown(making);
  for (reader.at += 1; source[reader.at] !== "`"; reader.at += source[reader.at] === "\\" ? 2 : 1)
    if (reader.at >= source.length) giveUp("a ` is not closed");
  reader.at += 1;
  reader.judge.refuse(marksIn(reader, start, reader.at), "between backticks (write $( … ) instead)");
}

/** NAME=(…) */
function readArray(reader: Reader, making: Making): void {
  addUnknown(making);
  reader.at += 1;
  within(reader, () => {
    for (skipLines(reader); reader.source[reader.at] !== ")"; skipLines(reader)) readItem(reader);
  });
  reader.at += 1;
}

function readItem(reader: Reader): void {
  const item = readWord(reader);
  if (item.start === item.end) giveUp("a list of values is not closed");
  if (item.raw.startsWith("[")) reader.judge.refuse(item.marks, "in an array's subscript");
}
