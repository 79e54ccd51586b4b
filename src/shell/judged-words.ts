/** What the reading of a line with placeholders knows and finds, how it refuses, and its words: what is literal, how each placeholder is quoted. */
import type { Assignment, DoubleQuotedChild, ParsedScript, Word, WordPart } from "unbash";
import { isOwnVariable } from "./languages.ts";
import type { Budget } from "./tree.ts";

/** Stands in the line for a placeholder; no command line can hold it otherwise. */
export const mark = "\0";

/** How the place of a placeholder is quoted. ansi: in $'…'. */
export type Quote = "plain" | "double" | "single" | "ansi";

/** Where something stands in the line. */
export interface Span {
  pos: number;
  end: number;
}

export interface ShellWord {
  /** As it stands in the line. */
  raw: string;
  /** Quotes taken off; undefined unless all of it is literal. */
  text: string | undefined;
  /** The literal text that it begins with. */
  head: string;
  /** The literal text behind all else. */
  tail: string;
  /** It is a variable that the line does not set, and text behind it. */
  isRooted: boolean;
  /** Where the placeholders in it stand, those of substitutions too. */
  marks: number[];
  /** The placeholders, and the line's own variables, that it begins with. */
  leading: (number | string)[];
  /** The same of what follows NAME=. */
  value: (number | string)[];
  /** It holds a value, or what may have come out of one: a variable that the line sets, or the output of a command. */
  isOwn: boolean;
  /** Without quotes: the shell may make several words of it, or none. */
  isLoose: boolean;
}

export interface ShellCommand {
  assignments: ShellWord[];
  words: ShellWord[];
  hasRedirect: boolean;
}

/** What is remembered of a whole line, with the scripts inside it. */
export interface Found {
  quotes: Map<number, Quote>;
  /** Placeholders that an argument begins with, where a value that begins with "-" would be an option. */
  begins: number[][];
  /** By variable: what the words that it is set to begin with. */
  assigned: Map<string, ShellWord["leading"][]>;
  /** Files that are run. */
  runs: { path: string; word: ShellWord }[];
  /** Last parts of the paths that other commands are given or write. */
  mentioned: Set<string>;
  /** A value names a file that is written. */
  writesAnywhere: boolean;
  /** A value names the folder where the rest runs. */
  movesAnywhere: boolean;
}

export interface Reader {
  readonly source: string;
  readonly found: Found;
  /** Variables that the line sets somewhere. */
  readonly own: ReadonlySet<string>;
  /** $1 and the like are values: this is the script of `bash -c`. */
  readonly hasArguments: boolean;
  /** Variables that an argument begins with, where "-" would make it an option. */
  readonly leads: Set<string>;
  readonly budget: Budget;
  depth: number;
  /** Judges the commands of a substitution. */
  nested(script: ParsedScript, reader: Reader): void;
  /** Judges the script of a shell that this line starts. */
  script(text: string, reader: Reader): ReadonlySet<string>;
}

interface Refusal {
  why: string;
  /** The placeholder that it is about, if it is about one. */
  at?: number | undefined;
}

/** Throws: nothing of the line is taken. Caught in template.ts. */
export function refuse(why: string, marks: readonly number[] = []): never {
  throw new Error(why, { cause: { why, at: marks[0] } satisfies Refusal });
}

/** A line that is too long for the reader, or nested deeper than the stack is, is refused as well. */
export const refusalOf = (thrown: unknown): Refusal =>
  thrown instanceof Error && thrown.cause !== undefined
    ? (thrown.cause as Refusal) // only refuse() gives its errors a cause
    : { why: "in a line that cannot be read: it is nested too deeply" };

/** As a message quotes a part of the line. */
export function show(raw: string): string {
  const text = raw.replaceAll(mark, "{{…}}").replaceAll(/\s+/g, " ").trim();
  return `"${text.length > 50 ? `${text.slice(0, 50)}…` : text}"`;
}

/** Of a path, as far as it is written out. */
export const lastPart = ({ raw }: ShellWord): string => raw.replaceAll(/["'\\]/g, "").replace(/^.*[/=](?=[^/])/s, "");

export function marksIn({ source }: Reader, start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(mark, start); at >= 0 && at < end; at = source.indexOf(mark, at + 1)) found.push(at);
  return found;
}

/** A piece of a word: literal text, a placeholder or a variable of the line's own, or what only the shell knows. */
type Piece =
  | { is: "text"; text: string }
  | { is: "value"; value: number | string; isLoose?: boolean }
  | { is: "unknown"; isVariable?: boolean; isOwn?: boolean; isLoose?: boolean };

/** Where a span is read into: the pieces of the word, and the quotes around the span. */
interface Place {
  reader: Reader;
  pieces: Piece[];
  quote: Quote;
}

export function readWord(word: Word | Assignment, reader: Reader): ShellWord {
  const raw = reader.source.slice(word.pos, word.end);
  if (raw !== word.text) refuse(`in a line that cannot be read: ${show(word.text)}`);
  if (raw.startsWith("#")) refuse(`in a line that cannot be read: ${show(raw)} may be a comment`);
  const pieces: Piece[] = [];
  const place: Place = { reader, pieces, quote: "plain" };
  if (/^(?:[[{}]|\]\]?)$/.test(raw)) addText(raw, place);
  else if (word.type === "Word") readParts(word, word.parts, place);
  else readAssignment(word, place);
  return wordOf(pieces, { raw, marks: marksIn(reader, word.pos, word.end) });
}

function wordOf(pieces: readonly Piece[], written: Pick<ShellWord, "raw" | "marks">): ShellWord {
  const isText = ({ is }: Piece): boolean => is === "text";
  const first = pieces.findIndex((piece) => !isText(piece));
  const end = first < 0 ? pieces.length : first;
  const head = textIn(pieces.slice(0, end));
  const others = pieces.filter((piece) => !isText(piece));
  const [only, second] = others;
  return {
    ...written,
    text: first < 0 ? head : undefined,
    head,
    tail: textIn(pieces.slice(pieces.findLastIndex((piece) => !isText(piece)) + 1)),
    isRooted: head === "" && second === undefined && only?.is === "unknown" && only.isVariable === true,
    leading: valuesAt(pieces, 0),
    value: /^[A-Za-z_]\w*=$/.test(head) ? valuesAt(pieces, end) : [],
    isOwn: others.some((piece) => piece.is === "value" || (piece.is === "unknown" && piece.isOwn)),
    isLoose: others.some((piece) => piece.is !== "text" && piece.isLoose),
  };
}

const textIn = (pieces: readonly Piece[]): string => pieces.map((one) => (one.is === "text" ? one.text : "")).join("");

/** The values from there on, up to what is no value: each of them may be empty. */
function valuesAt(pieces: readonly Piece[], start: number): (number | string)[] {
  const values: (number | string)[] = [];
  for (const piece of pieces.slice(start)) {
    if (piece.is !== "value") break;
    values.push(piece.value);
  }
  return values;
}

function addText(text: string, { pieces }: Place): void {
  const last = pieces.at(-1);
  if (last?.is === "text") last.text += text;
  else pieces.push({ is: "text", text });
}

function addMark(at: number, { reader, pieces, quote }: Place): void {
  pieces.push({ is: "value", value: at });
  reader.found.quotes.set(at, quote);
}

function readAssignment({ pos, end, append, index, value }: Assignment, place: Place): void {
  if (append || index || value.type === "ArrayValue")
    refuse(
      `at ${show(place.reader.source.slice(pos, end))}, which is no plain NAME=…`,
      marksIn(place.reader, pos, end),
    );
  readText({ pos, end: value.pos }, place);
  if (value.type === "Word") readParts(value, value.parts, place);
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
  DoubleQuoted: ({ pos, end, parts }, place) =>
    readParts({ pos: pos + 1, end: end - 1 }, parts, { ...place, quote: "double" }),
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

/** Not all shells know $'…', and to those that do not a backslash in it means nothing. */
function readAnsi({ pos, end }: Span, { reader, pieces }: Place): void {
  const { source } = reader;
  pieces.push({ is: "unknown" });
  for (let at = pos + 2; at < end - 1; at++) {
    const next = source[at + 1] ?? "";
    if (source[at] === mark) addMark(at, { reader, pieces, quote: "ansi" });
    else if (source[at] === "\\") {
      if (next === mark) refuse("behind a backslash", [at + 1]);
      if (next === "'") refuse("in a line that cannot be read: a $'…' holds a '");
      at += 1;
    }
  }
}

/** Text without expansions, sign by sign. Globs and braces become what only the shell knows. */
function readText({ pos, end }: Span, place: Place): void {
  const { source } = place.reader;
  for (let at = pos; at < end; at++) {
    const sign = source[at] ?? "";
    if (sign === mark) addMark(at, place);
    else if (place.quote === "single") addText(sign, place);
    else if (sign === "\\") addText(escaped(at++, place), place);
    else {
      checkSign(at, place);
      if (place.quote === "plain" && /[*?[\]{}]/.test(sign)) place.pieces.push({ is: "unknown" });
      else addText(sign, place);
    }
  }
}

function escaped(at: number, { reader, quote }: Place): string {
  const next = reader.source[at + 1] ?? "";
  if (next === mark) refuse("behind a backslash", [at + 1]);
  if (next === "\n") refuse("in a line with a line break inside a word");
  return quote === "double" && !/[$`"\\]/.test(next) ? `\\${next}` : next;
}

/** Where the shell looks for expansions: what the tree holds no part for has to be text to any shell. */
function checkSign(at: number, { reader, quote }: Place): void {
  const [sign = "", next = ""] = reader.source.slice(at, at + 2);
  if (sign === "$") {
    if (next === mark) refuse("directly behind a $", [at + 1]);
    if (next === "\\") refuse('in a line with a backslash behind a "$"');
    if (/[\w({['"@*#?$!-]/.test(next) && !(next === '"' && quote === "double"))
      refuse(`in a line that cannot be read: $${next}`);
  } else if (quote === "double" ? /["`]/.test(sign) : /["'`\s;&|()<>]/.test(sign))
    refuse(`in a line that cannot be read: "${sign}" stands inside a word`);
}

function readVariable({ text }: { text: string }, place: Place): void {
  if (/^\$[@*-]$/.test(text)) refuse(`in a line with ${text}`);
  const name = /^\$([A-Za-z_]\w*|\d)$/.exec(text)?.[1];
  if (name !== undefined) addVariable({ name, isVariable: true }, place);
  else if (/^\$[?$!#]$/.test(text))
    place.pieces.push({ is: "unknown" }); // a number
  else refuse(`in a line that cannot be read: ${show(text)}`);
}

/** `${NAME}`, and the forms whose word is plain text: nothing of them runs, and no number is worked out. */
const braces =
  /^\$\{(?:(#?)([A-Za-z_]\w*|\d+)|([A-Za-z_]\w*|\d+)(?:(?::?[-+?]|##?|%%?|\/[/#%]?)[\w \t.,:;@%+*?/=~^-]*|,,?|\^\^?))\}$/;

function readBraces({ text, pos, end }: Span & { text: string }, place: Place): void {
  const [found = "", size = "", plain, changed] = braces.exec(text) ?? [];
  if (found === "")
    refuse(`at ${show(text)}, which is more than a variable and plain text`, marksIn(place.reader, pos, end));
  addVariable({ name: plain ?? changed ?? "", isVariable: plain !== undefined && size === "" }, place);
}

function addVariable({ name, isVariable }: { name: string; isVariable: boolean }, place: Place): void {
  const { reader, pieces, quote } = place;
  if (name === "_") refuse("in a line with $_");
  const isArgument = /^\d/.test(name);
  if (isArgument && !reader.hasArguments) refuse(`in a line with $${name}`);
  const isLoose = quote === "plain";
  if (isArgument || isOwnVariable(name, reader.own)) pieces.push({ is: "value", value: name, isLoose });
  else pieces.push({ is: "unknown", isVariable, isLoose });
}

function readSubstitution(part: { text: string; script: ParsedScript | undefined }, place: Place): void {
  const { reader, pieces, quote } = place;
  if (part.text.startsWith("`")) refuse("in a line with backticks (write $( … ) instead)");
  if (part.text.startsWith("$((")) refuse("in a line with arithmetic");
  // bash 5.3 runs what stands in ${ …; }
  if (!part.text.startsWith("$(") || !part.script) throw refuse(`in a line that cannot be read: ${show(part.text)}`);
  pieces.push({ is: "unknown", isOwn: true, isLoose: quote === "plain" });
  reader.nested(part.script, reader);
}
