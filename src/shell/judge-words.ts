/** The words of a shell line that holds placeholders: what of them is literal, and how each placeholder is quoted. */
import type { Assignment, DoubleQuotedChild, ParsedScript, Word, WordPart } from "unbash";
import { mark, marksIn, type Quote, type Reader, refuse, type ShellWord, type Span, show } from "./judge-reading.ts";
import { isOwnVariable } from "./languages.ts";

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

/** Where a span is read into: the word, and the quotes around the span. */
interface Place {
  reader: Reader;
  making: Making;
  quote: Quote;
}

export function readWord(word: Word | Assignment, reader: Reader): ShellWord {
  const { source } = reader;
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
  const place: Place = { reader, making, quote: "plain" };
  const raw = source.slice(word.pos, word.end);
  if (raw !== word.text) refuse(`in a line that cannot be read: ${show(word.text)}`);
  if (word.type === "Word") readParts(word, word.parts, place);
  else {
    const { value } = word;
    if (word.append || word.index || value.type === "ArrayValue")
      return refuse(`at ${show(raw)}, which is no plain NAME=…`, marksIn(reader, word.pos, word.end));
    readText({ pos: word.pos, end: value.pos }, place);
    readParts(value, value.parts, place);
  }
  const { text, head, tail, leading, value, isOwn, isLoose, unknown } = making;
  const isRooted = head === "" && unknown.length === 1 && unknown[0] === "rooted";
  const marks = marksIn(reader, word.pos, word.end);
  return { raw, text, head, tail, isRooted, marks, leading, value, isOwn, isLoose };
}

/** What stands between the parts, and the parts that are text only, is read from the line itself. */
function readParts({ pos, end }: Span, parts: readonly WordPart[] | undefined, place: Place): void {
  let at = pos;
  for (const part of parts ?? []) {
    if (part.type === "Literal") continue;
    readText({ pos: at, end: part.pos }, place);
    at = part.end;
    if (part.type === "Glob" || part.type === "BraceExpansion") readParts(part, part.parts, place);
    else readPart(part, place);
  }
  readText({ pos: at, end }, place);
}

type Quoted = Exclude<WordPart, { type: "Literal" | "Glob" | "BraceExpansion" }>;

const kinds: { readonly [T in Quoted["type"]]: (part: Quoted & { type: T }, place: Place) => void } = {
  SingleQuoted: ({ pos, end }, place) => readText({ pos: pos + 1, end: end - 1 }, { ...place, quote: "single" }),
  DoubleQuoted: readDouble,
  AnsiCQuoted: readAnsi,
  SimpleExpansion: readVariable,
  ParameterExpansion: readBraces,
  CommandExpansion: readSubstitution,
  LocaleString: () => refuse('in a line with $"…"'),
  ArithmeticExpansion: () => refuse("in a line with arithmetic"),
  ProcessSubstitution: ({ operator }) => refuse(`in a line with ${operator}( … )`),
  ExtendedGlob: () => refuse("in a line with a function, a list or a pattern: a ( stands inside a command"),
};

function readPart(part: Quoted | DoubleQuotedChild, place: Place): void {
  // Each row takes the parts of its own type: the mapped type says so, the index cannot.
  const read = kinds[part.type as keyof typeof kinds] as (part: Quoted | DoubleQuotedChild, place: Place) => void;
  read(part, place);
}

function readDouble({ pos, end, parts }: Span & { parts: readonly DoubleQuotedChild[] }, place: Place): void {
  const within: Place = { ...place, quote: "double" };
  let at = pos + 1;
  for (const part of parts) {
    if (part.type === "Literal") continue;
    readText({ pos: at, end: part.pos }, within);
    at = part.end;
    readPart(part, within);
  }
  readText({ pos: at, end: end - 1 }, within);
}

/** Not all shells know $'…', and to those that do not a backslash in it means nothing. */
function readAnsi({ pos, end }: Span, { reader, making }: Place): void {
  const { source } = reader;
  addUnknown(making);
  for (let at = pos + 2; at < end - 1; at++) {
    const next = source[at + 1] ?? "";
    if (source[at] === mark) addMark(at, { reader, making, quote: "ansi" });
    else if (source[at] === "\\") {
      if (next === mark) refuse("behind a backslash", [at + 1]);
      if (next === "'") refuse("in a line that cannot be read: a $'…' holds a '");
      at += 1;
    }
  }
}

function addMark(at: number, { reader, making, quote }: Place): void {
  addValue(making, at);
  reader.found.quotes.set(at, quote);
}

/** Text without expansions, sign by sign. */
function readText({ pos, end }: Span, place: Place): void {
  for (let at = pos; at < end; ) at = signs[place.quote](at, place);
}

type ReadSign = (at: number, place: Place) => number;

/** Each answers where the next sign stands. */
const signs: { readonly [Q in Exclude<Quote, "ansi">]: ReadSign } & { readonly ansi: ReadSign } = {
  single: (at, place) => readSign(at, place, addText),
  ansi: (at, place) => readSign(at, place, addText),
  double(at, place) {
    const { source } = place.reader;
    const [sign, next = ""] = source.slice(at, at + 2);
    if (sign !== "\\") return readOpen(at, place, addText);
    if (next === mark || next === "\n") return readEscape(at, place);
    addText(place.making, /[$`"\\]/.test(next) ? next : `\\${next}`);
    return at + 2;
  },
  plain(at, place) {
    if (place.reader.source[at] === "\\") return readEscape(at, place);
    return readOpen(at, place, (making, sign) => addPlain(making, sign, place.reader.source.slice(at, at + 3)));
  },
};

function readSign(at: number, place: Place, add: (making: Making, sign: string) => void): number {
  const sign = place.reader.source[at] ?? "";
  if (sign === mark) addMark(at, place);
  else add(place.making, sign);
  return at + 1;
}

/** Where the shell looks for expansions: what the tree holds no part for has to be text to any shell. */
function readOpen(at: number, place: Place, add: (making: Making, sign: string) => void): number {
  const [sign = "", next = ""] = place.reader.source.slice(at, at + 2);
  if (sign === "$") {
    if (next === mark) refuse("directly behind a $", [at + 1]);
    if (next === "\\") refuse('in a line with a backslash behind a "$"');
    if (/[\w({['"@*#?$!-]/.test(next) && !(next === '"' && place.quote === "double"))
      refuse(`in a line that cannot be read: $${next}`);
  } else if (/["'`]/.test(sign) && !(sign === "'" && place.quote === "double"))
    refuse(`in a line that cannot be read: a ${sign} stands alone`);
  return readSign(at, place, add);
}

function readEscape(at: number, { reader, making }: Place): number {
  const next = reader.source[at + 1] ?? "";
  if (next === mark) refuse("behind a backslash", [at + 1]);
  if (next === "\n") refuse("in a line with a line break inside a word");
  addText(making, next);
  return at + 2;
}

/** Globs and braces become what only the shell knows. @param ahead this sign and the two behind it */
function addPlain(making: Making, sign: string, ahead: string): void {
  if (/[\s;&|()<>]/.test(sign)) refuse(`in a line that cannot be read: "${sign}" stands inside a word`);
  const isWhole = making.text === "" && /^[[\]{}]{1,2}(?=[\s;&|<>()]|$)/.test(ahead);
  if (/[*?[\]{}]/.test(sign) && !isWhole && !(sign === "]" && making.text === "]")) addUnknown(making);
  else addText(making, sign);
  if (sign === "=" && /^[A-Za-z_]\w*=$/.test(making.text ?? "")) making.valueBegins = true;
}

function readVariable({ text }: { text: string }, place: Place): void {
  if (/^\$[@*-]$/.test(text)) refuse(`in a line with ${text}`);
  const name = /^\$([A-Za-z_]\w*|\d)$/.exec(text)?.[1];
  if (name !== undefined) addVariable({ name, isWhole: true }, place);
  else if (/^\$[?$!#]$/.test(text))
    addUnknown(place.making); // a number
  else refuse(`in a line that cannot be read: ${show(text)}`);
}

/** `${NAME}`, and the forms whose word is plain text: nothing of them runs, and no number is worked out. */
const braces =
  /^\$\{(?:(#?)([A-Za-z_]\w*|\d+)|([A-Za-z_]\w*|\d+)(?:(?::?[-+?]|##?|%%?|\/[/#%]?)[\w \t.,:;@%+*?/=~^-]*|,,?|\^\^?))\}$/;

function readBraces({ text, pos, end }: Span & { text: string }, place: Place): void {
  const [found = "", size = "", plain, changed] = braces.exec(text) ?? [];
  if (found === "")
    refuse(`at ${show(text)}, which is more than a variable and plain text`, marksIn(place.reader, pos, end));
  addVariable({ name: plain ?? changed ?? "", isWhole: plain !== undefined && size === "" }, place);
}

function addVariable({ name, isWhole }: { name: string; isWhole: boolean }, { reader, making, quote }: Place): void {
  if (name === "_") refuse("in a line with $_");
  const isArgument = /^\d/.test(name);
  if (isArgument && !reader.hasArguments) refuse(`in a line with $${name}`);
  if (isArgument || isOwnVariable(name, reader.own)) addValue(making, name);
  else addUnknown(making, isWhole ? "rooted" : "other");
  making.isLoose ||= quote === "plain";
}

function readSubstitution(part: { text: string; script: ParsedScript | undefined }, place: Place): void {
  const { reader, making, quote } = place;
  if (!/^(?:\$\(|`)/.test(part.text)) refuse(`in a line that cannot be read: ${show(part.text)}`); // bash 5.3: ${ …; }
  if (part.text.startsWith("`")) refuse("in a line with backticks (write $( … ) instead)");
  if (part.text.startsWith("$((")) refuse("in a line with arithmetic");
  if (!part.script) throw refuse(`in a line that cannot be read: ${show(part.text)}`);
  addUnknown(making);
  making.isOwn = true;
  making.isLoose ||= quote === "plain";
  reader.nested(part.script, reader);
}
