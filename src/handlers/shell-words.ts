/** Reads the words of a shell line that holds placeholders: quotes, expansions, and how each placeholder is quoted. */
import { mark, marksIn, type Quote, type Reader, refuse, type ShellWord, show } from "./shell-reading.ts";
import { isOwnVariable } from "./shell-variables.ts";

/** A word in the making. */
interface Making {
  text: string | undefined;
  head: string;
  tail: string;
  unknown: ("rooted" | "other")[];
  leading: (number | string)[];
  /** What follows NAME= begins with. */
  value: (number | string)[];
  /** Nothing but values so far; and so behind NAME=. */
  begins: boolean;
  valueBegins: boolean;
  isOwn: boolean;
  isLoose: boolean;
}

function addText(making: Making, text: string): void {
  if (text === "") return;
  making.begins = making.valueBegins = false;
  making.tail += text;
  if (making.text !== undefined) making.head = making.text += text;
}

function addUnknown(making: Making, what: "rooted" | "other" = "other"): void {
  making.begins = making.valueBegins = false;
  making.text = undefined;
  making.tail = "";
  making.unknown.push(what);
}

/** Does not end the beginning: it may be empty. */
function addValue(making: Making, value: number | string): void {
  const { begins, valueBegins } = making;
  if (begins) making.leading.push(value);
  if (valueBegins) making.value.push(value);
  addUnknown(making);
  Object.assign(making, { begins, valueBegins, isOwn: true });
}

function addMark(reader: Reader, making: Making, quote: Quote): void {
  addValue(making, reader.at);
  reader.found.quotes.set(reader.at, quote);
  reader.at += 1;
}

const blank = /[ \t\n]/;
const meta = /[ \t\n;&|<>()]/;

/** One word, which may be empty. In `pattern` mode (the right side of a comparison in [[ ]]) `<` and `>` belong to it. */
export function readWord(reader: Reader, mode: "word" | "pattern" = "word"): ShellWord {
  const { source } = reader;
  const start = reader.at;
  const making: Making = {
    text: "",
    head: "",
    tail: "",
    unknown: [],
    leading: [],
    value: [],
    begins: true,
    valueBegins: false,
    isOwn: false,
    isLoose: false,
  };
  while (reader.at < source.length) {
    const sign = source[reader.at] ?? "";
    const read = parts[sign];
    if (read) read(reader, making);
    else if (/^[<>]\(/.test(source.slice(reader.at, reader.at + 2))) refuse(`in a line with ${sign}( … )`);
    else if (mode === "pattern" ? blank.test(sign) || /[;&|()]/.test(sign) : meta.test(sign)) break;
    else readPlain(reader, making, sign);
  }
  const { text, head, tail, leading, value, isOwn, isLoose, unknown } = making;
  const isRooted = head === "" && unknown.length === 1 && unknown[0] === "rooted";
  const marks = marksIn(reader, start, reader.at);
  return { raw: source.slice(start, reader.at), text, head, tail, isRooted, marks, leading, value, isOwn, isLoose };
}

/** Globs and braces become what only the shell knows. */
function readPlain(reader: Reader, making: Making, sign: string): void {
  if (/[*?[\]{}]/.test(sign)) {
    const isWhole =
      making.text === "" && /^[[\]{}]{1,2}(?=[\s;&|<>()]|$)/.test(reader.source.slice(reader.at, reader.at + 3));
    if (!isWhole && !(sign === "]" && making.text === "]")) addUnknown(making);
    else addText(making, sign);
  } else addText(making, sign);
  if (sign === "=" && /^[A-Za-z_]\w*=$/.test(making.text ?? "")) making.valueBegins = true;
  reader.at += 1;
}

type ReadPart = (reader: Reader, making: Making) => void;

/** What is not text, by its first sign. */
const parts: { readonly [sign: string]: ReadPart } = {
  "\\": readEscape,
  "'": readSingle,
  '"': readDouble,
  $: (reader, making) => readDollar(reader, making, "plain"),
  "`": () => refuse("in a line with backticks (write $( … ) instead)"),
  [mark]: (reader, making) => addMark(reader, making, "plain"),
};

function readEscape(reader: Reader, making: Making): void {
  const next = reader.source[reader.at + 1] ?? "";
  if (next === mark) refuse("behind a backslash", [reader.at + 1]);
  if (next === "\n") refuse("in a line with a line break inside a word");
  addText(making, next);
  reader.at += 2;
}

function readSingle(reader: Reader, making: Making): void {
  const end = reader.source.indexOf("'", reader.at + 1);
  if (end < 0) refuse("in a line that cannot be read: a ' is not closed");
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
    if (sign === undefined) refuse('in a line that cannot be read: a " is not closed');
    else if (sign === "\\") readDoubleEscape(reader, making);
    else if (sign === "$") readDollar(reader, making, "double");
    else if (sign === "`") parts["`"]?.(reader, making);
    else if (sign === mark) addMark(reader, making, "double");
    else addText(making, source[reader.at++] ?? "");
  }
  reader.at += 1;
}

function readDoubleEscape(reader: Reader, making: Making): void {
  const next = reader.source[reader.at + 1] ?? "";
  if (next === mark || next === "\n") readEscape(reader, making);
  else {
    addText(making, /[$`"\\]/.test(next) ? next : `\\${next}`);
    reader.at += 2;
  }
}

/** Not all shells know $'…', and to those that do not a backslash in it means nothing. */
function readAnsi(reader: Reader, making: Making): void {
  reader.at += 2;
  addUnknown(making);
  for (let sign = reader.source[reader.at]; sign !== "'"; sign = reader.source[reader.at]) {
    if (sign === undefined || reader.source.startsWith("\\'", reader.at))
      refuse("in a line that cannot be read: a $'…' holds a ' or is not closed");
    if (sign === "\\" && reader.source[reader.at + 1] === mark) refuse("behind a backslash", [reader.at + 1]);
    if (sign === mark) addMark(reader, making, "ansi");
    else reader.at += sign === "\\" ? 2 : 1;
  }
  reader.at += 1;
}

function readDollar(reader: Reader, making: Making, quote: "plain" | "double"): void {
  const { source, at } = reader;
  const [next = "", third = ""] = source.slice(at + 1, at + 3);
  if (next === mark) refuse("directly behind a $", [at + 1]);
  if (next === "\\") refuse('in a line with a backslash behind a "$"');
  if ((next === "(" && third === "(") || next === "[") refuse("in a line with arithmetic");
  if (next === "(") readSubstitution(reader, making, quote);
  else if (next === "{") readBraces(reader, making, quote);
  else if (quote === "plain" && next === "'") readAnsi(reader, making);
  else if (quote === "plain" && next === '"') refuse('in a line with $"…"');
  else readVariable(reader, making, quote);
}

const variable = /\$(?:([A-Za-z_]\w*|\d)|[?$!#]|[@*-])/y;

function readVariable(reader: Reader, making: Making, quote: "plain" | "double"): void {
  variable.lastIndex = reader.at;
  const [found, name] = variable.exec(reader.source) ?? [];
  if (found !== undefined && /^\$[@*-]$/.test(found)) refuse(`in a line with ${found}`);
  reader.at += found?.length ?? 1;
  if (name !== undefined) addVariable(reader, making, { name, quote, isWhole: true });
  else if (found === undefined) addText(making, "$");
  else addUnknown(making); // a number
}

/** `${NAME}`, and the forms whose word is plain text: nothing of them runs, and no number is worked out. */
const braces =
  /\$\{(?:(#?)([A-Za-z_]\w*|\d+)|([A-Za-z_]\w*|\d+)(?:(?::?[-+?]|##?|%%?|\/[/#%]?)[\w \t.,:;@%+*?/=~^-]*|,,?|\^\^?))\}/y;

function readBraces(reader: Reader, making: Making, quote: "plain" | "double"): void {
  const { source, at } = reader;
  braces.lastIndex = at;
  const [found = "", size = "", plain, changed] = braces.exec(source) ?? [];
  if (found === "") {
    const end = source.indexOf("}", at) + 1 || source.length;
    const raw = show(source.slice(at, end));
    refuse(`at ${raw}, which is more than a variable and plain text`, marksIn(reader, at, end));
  }
  reader.at += found.length;
  addVariable(reader, making, { name: plain ?? changed ?? "", quote, isWhole: plain !== undefined && size === "" });
}

function addVariable(
  reader: Reader,
  making: Making,
  { name, quote, isWhole }: { name: string; quote: "plain" | "double"; isWhole: boolean },
): void {
  if (name === "_") refuse("in a line with $_");
  const isArgument = /^\d/.test(name);
  if (isArgument && !reader.hasArguments) refuse(`in a line with $${name}`);
  const isOwn = isArgument || isOwnVariable(name, reader.own);
  if (isOwn) addValue(making, name);
  else addUnknown(making, isWhole ? "rooted" : "other");
  making.isLoose ||= quote === "plain";
}

export const deepest: number = 60;

function readSubstitution(reader: Reader, making: Making, quote: "plain" | "double"): void {
  addUnknown(making);
  making.isOwn = true;
  making.isLoose ||= quote === "plain";
  reader.at += 2;
  if (++reader.depth > deepest) refuse("in a line that is nested too deeply");
  reader.nested(reader);
  reader.depth -= 1;
}

/** Blanks, comments and line breaks that are escaped. */
export function skipBlanks(reader: Reader): void {
  const { source } = reader;
  for (;;) {
    const sign = source[reader.at];
    if (sign === " " || sign === "\t") reader.at += 1;
    else if (sign === "\\" && source[reader.at + 1] === "\n") {
      if (!blank.test(source[reader.at - 1] ?? "")) refuse("in a line with a line break inside a word");
      reader.at += 2;
    } else if (sign !== "#") return;
    else {
      const end = source.indexOf("\n", reader.at);
      const stop = end < 0 ? source.length : end;
      const marks = marksIn(reader, reader.at, stop);
      if (marks.length > 0) refuse("in a comment", marks);
      reader.at = stop;
    }
  }
}

export function skipLines(reader: Reader): void {
  for (skipBlanks(reader); reader.source[reader.at] === "\n"; skipBlanks(reader)) reader.at += 1;
}
