/** The words of a line with placeholders: what in them is literal, how each placeholder is quoted, and how a line is refused. */
import type { DoubleQuotedChild, ParsedScript, Word, WordPart } from "unbash";
import type { Budget } from "./tree.ts";

/** Stands in the line for a placeholder; no command line can hold it otherwise. */
export const mark = "\0";

/** How the place of a placeholder is quoted. */
export type Quote = "plain" | "double" | "single";

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
  /** Of a variable with a path behind it: that path. */
  tail: string | undefined;
  /** Where the placeholders in it stand, those of substitutions too. */
  marks: number[];
  /** The placeholders that it begins with. */
  leading: number[];
  /** It holds a value, or what a command prints, which may have come out of one. */
  isOwn: boolean;
}

/** What is remembered of a whole line. */
export interface Found {
  quotes: Map<number, Quote>;
  /** Placeholders that an argument begins with, where a value that begins with "-" would be an option. */
  begins: number[][];
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
  readonly budget: Budget;
  /** Judges the commands of a substitution. */
  nested(script: ParsedScript): void;
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

/** A piece of a word: literal text, a placeholder, or what only the shell knows. */
type Piece =
  | { is: "text"; text: string }
  | { is: "value"; at: number }
  | { is: "unknown"; isVariable?: true; isOwn?: true };

/** Where a span is read into: the pieces of the word, and the quotes around the span. */
interface Place {
  reader: Reader;
  pieces: Piece[];
  quote: Quote;
}

export function readWord(word: Word, reader: Reader): ShellWord {
  const raw = reader.source.slice(word.pos, word.end);
  if (raw !== word.text) refuse(`in a line that cannot be read: ${show(word.text)}`);
  if (raw.startsWith("#")) refuse(`in a line that cannot be read: ${show(raw)} may be a comment`);
  const pieces: Piece[] = [];
  const place: Place = { reader, pieces, quote: "plain" };
  if (/^(?:[[{}]|\]\]?)$/.test(raw)) addText(raw, place);
  else readParts(word, word.parts, place);
  const first = pieces.findIndex(({ is }) => is !== "text");
  const valuesEnd = pieces.findIndex(({ is }) => is !== "value");
  const head = textIn(pieces.slice(0, first < 0 ? pieces.length : first));
  const [root, ...rest] = pieces;
  return {
    raw,
    text: first < 0 ? head : undefined,
    head,
    tail: root?.is === "unknown" && root.isVariable && rest.every(({ is }) => is === "text") ? textIn(rest) : undefined,
    marks: marksIn(reader, word.pos, word.end),
    leading: pieces
      .slice(0, valuesEnd < 0 ? pieces.length : valuesEnd)
      .flatMap((piece) => (piece.is === "value" ? piece.at : [])),
    isOwn: pieces.some((piece) => piece.is === "value" || (piece.is === "unknown" && piece.isOwn)),
  };
}

const textIn = (pieces: readonly Piece[]): string => pieces.map((one) => (one.is === "text" ? one.text : "")).join("");

function addText(text: string, { pieces }: Place): void {
  const last = pieces.at(-1);
  if (last?.is === "text") last.text += text;
  else pieces.push({ is: "text", text });
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
  SimpleExpansion: readVariable,
  ParameterExpansion: readVariable,
  CommandExpansion: readSubstitution,
  AnsiCQuoted: () => refuse("in a line with $'…'"),
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

/** Text without expansions, sign by sign. Globs and braces become what only the shell knows. */
function readText({ pos, end }: Span, place: Place): void {
  const { reader, pieces, quote } = place;
  for (let at = pos; at < end; at++) {
    const sign = reader.source[at] ?? "";
    if (sign === mark) {
      pieces.push({ is: "value", at });
      reader.found.quotes.set(at, quote);
    } else if (quote === "single") addText(sign, place);
    else if (sign === "\\") addText(escaped(at++, place), place);
    else {
      checkSign(at, place);
      if (quote === "plain" && /[*?[\]{}]/.test(sign)) pieces.push({ is: "unknown" });
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

/** `$NAME` and `${NAME}`, and the forms whose word is plain text: nothing of them runs, and no number is worked out. */
const plainVariable =
  /^\$(?:[A-Za-z_]\w*|\{#?[A-Za-z_]\w*\}|\{[A-Za-z_]\w*(?:(?::?[-+?]|##?|%%?|\/[/#%]?)[\w \t.,:;@%+*?/=~^-]*|,,?|\^\^?)\})$/;

function readVariable({ text, pos, end }: Span & { text: string }, { reader, pieces, quote }: Place): void {
  if (/^\$[?$!#]$/.test(text))
    pieces.push({ is: "unknown" }); // a number
  else if (/^\$\{?(?:\d|[@*_-]\}?$)/.test(text)) refuse(`in a line with ${text}`);
  else if (!plainVariable.test(text))
    refuse(`at ${show(text)}, which is more than a variable and plain text`, marksIn(reader, pos, end));
  else if (quote === "plain") refuse(`at ${show(text)}: write it in quotes, or it may become several words`);
  else pieces.push({ is: "unknown", ...(setByShell.test(text) ? {} : { isVariable: true }) });
}

/** The line may have set it to a value. */
const setByShell = /\b(?:PWD|OLDPWD|HOOKLINE_VALUE_\w+)\b|[^\w${}]/;

function readSubstitution(part: Span & { text: string; script: ParsedScript | undefined }, place: Place): void {
  const { reader, pieces, quote } = place;
  if (part.text.startsWith("`")) refuse("in a line with backticks (write $( … ) instead)");
  if (part.text.startsWith("$((")) refuse("in a line with arithmetic");
  // bash 5.3 runs what stands in ${ …; }
  if (!part.text.startsWith("$(") || !part.script) throw refuse(`in a line that cannot be read: ${show(part.text)}`);
  if (quote === "plain")
    refuse(
      `at ${show(part.text)}: write it in quotes, or it may become several words`,
      marksIn(reader, part.pos, part.end),
    );
  pieces.push({ is: "unknown", isOwn: true });
  reader.nested(part.script);
}
