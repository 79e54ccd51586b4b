/**
 * A script's front matter (specification 004): the lines between two equal delimiters without their remark signs, and the
 * fields that they hold. The YAML library reads each field by itself, so that one that is no YAML takes no other with it;
 * such a one is read as it stands, because the specification takes it (`pattern: *.go`).
 */

import { isMap, isScalar, isSeq, type Scalar } from "yaml";
import { parseYaml } from "../reading/yaml-parse.ts";

/** One line between the delimiters. */
export interface Line {
  /** What is left without the sign that makes it a remark of the script's language. */
  text: string;
  /** Where that begins in the file. */
  offset: number;
}
export interface FrontMatter {
  /** Of the line that opens it. */
  offset: number;
  lines: Line[];
  fault?: Fault;
}
interface Fault {
  offset: number;
  message: string;
  suggestion: string;
}
export interface Head {
  /** "hidden": behind a byte order mark, where no system sees it. */
  shebang: "there" | "hidden" | "absent";
  /** Its line ends as on Windows, and other systems take that for a part of the program's name. */
  hasCarriageReturn: boolean;
  /** Absent: there is none; `fault` then says what looks like one. */
  frontMatter?: FrontMatter;
  fault?: Fault;
}

const delimiters = ["---", "#---", "//---"];
const isDelimiter = (line: string): boolean => delimiters.includes(line.trimEnd());
/** What people write for one. */
const nearDelimiter = /^[ \t]*(#|\/\/|;|--|<!--)?[ \t]*-{2,}[ \t]*(-->)?[ \t]*$/;
/** A field as the front matter has them, at the beginning of a line. */
export const fieldStart: RegExp = /^([ \t]*)(["']?)([A-Za-z_][\w-]*)\2[ \t]*:(?=[ \t]|$)/;
const sign = /^[ \t]*(?:#|\/\/)/;
/** A front matter that begins a few lines late is a mistake; further down it is text of the script. */
const linesSearched = 20;
/** A front matter has ten fields; each is read by itself. */
const mostLines = 500;

/** @param source the script, or as much of its beginning as was read. Never throws */
export function readHead(source: string): Head {
  const isMarked = source.startsWith("\uFEFF");
  const text = isMarked ? ` ${source.slice(1)}` : source;
  const lines = linesOf(text);
  const begins = /^ ?#!/.test(text) && (isMarked || !text.startsWith(" "));
  const common = {
    shebang: begins ? (isMarked ? "hidden" : "there") : "absent",
    hasCarriageReturn: begins && /^.*\r(\n|$)/.test(text),
  } as const;
  const opening = begins ? 1 : 0;
  const [first, second] = lines;
  const opens = begins ? second : first;
  const isOpened = opens && isDelimiter(isMarked && !begins ? opens.text.slice(1) : opens.text);
  if (isOpened) return { ...common, frontMatter: readFrom(lines, opening) };
  const fault = faultIn(lines, opening);
  return { ...common, ...(fault ? { fault } : {}) };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let offset = 0; offset <= text.length; ) {
    const found = text.indexOf("\n", offset);
    const end = found === -1 ? text.length : found;
    lines.push({ text: text.slice(offset, end).replace(/\r$/, ""), offset });
    offset = end + 1;
  }
  return lines;
}

function readFrom(lines: readonly Line[], opening: number): FrontMatter {
  const [opens = { text: "", offset: 0 }] = lines.slice(opening);
  const delimiter = opens.text.trim(); // a byte order mark has become a blank
  const closing = lines.findIndex(({ text }, at) => at > opening && text.trimEnd() === delimiter);
  const inside = lines.slice(opening + 1, closing === -1 ? undefined : closing).slice(0, mostLines);
  const strange = delimiter === "---" ? undefined : inside.find(({ text }) => !belongs(text));
  if (closing !== -1 && closing - opening <= mostLines && !strange)
    return { offset: opens.offset, lines: withoutSigns(inside, delimiter) };
  // Where a front matter is not closed, only its beginning differs from the script behind it.
  const end = inside.findIndex(({ text }) => !belongs(text) || isDelimiter(text));
  const own = end === -1 ? inside : inside.slice(0, end);
  const other = inside.slice(own.length).find(({ text }) => isDelimiter(text));
  const fault = closing !== -1 && strange ? noField(strange, delimiter) : notClosed(opens, other);
  return { offset: opens.offset, lines: withoutSigns(own, delimiter), fault };
}

/** Remarks, blank lines and fields are no text of a script. */
const belongs = (text: string): boolean => sign.test(text) || text.trim() === "" || fieldStart.test(text);

const noField = ({ text, offset }: Line, delimiter: string): Fault => ({
  offset,
  message: `"${text.trim().slice(0, 40)}" is in the front matter and is no field`,
  suggestion: `write "name: value", or ${delimiter} above it, which ends the front matter`,
});

function notClosed({ text, offset }: Line, other: Line | undefined): Fault {
  const delimiter = text.trimEnd();
  return {
    offset: other?.offset ?? offset,
    message: other
      ? `the front matter begins with ${delimiter} and does not end with ${other.text.trimEnd()}`
      : `the front matter that begins with ${delimiter} is not closed`,
    suggestion: `write ${delimiter} on a line of its own after the last field`,
  };
}

/** Between plain --- lines # begins a remark of the YAML, unless every line has one. */
function withoutSigns(lines: readonly Line[], delimiter: string): Line[] {
  const written = lines.filter(({ text }) => text.trim() !== "");
  const hasSigns = delimiter !== "---" || (written.length > 0 && written.every(({ text }) => sign.test(text)));
  if (!hasSigns) return [...lines];
  return lines.map(({ text, offset }) => {
    const { length } = sign.exec(text)?.[0] ?? "";
    return { text: text.slice(length), offset: offset + length };
  });
}

/** What looks like a front matter and is none, for where it stands or how it is written. */
function faultIn(all: readonly Line[], opening: number): Fault | undefined {
  const lines = all.slice(0, linesSearched);
  const typeAt = lines.findIndex(({ text }) => typeLine.test(text));
  const at = lines.findIndex(({ text }, index) => nearDelimiter.test(text) && index < typeAt);
  const [found, type] = [lines[at], lines[typeAt]];
  if (!type) return undefined;
  if (!found) return knownType.test(type.text) ? outside(type, opening) : undefined;
  const written = found.text.trim();
  if (!isDelimiter(found.text)) {
    const message = `the front matter begins with "${written}", which is no delimiter`;
    return { offset: found.offset, message, suggestion: "write ---, #--- or //---, with nothing before or between" };
  }
  const message = `the front matter begins on line ${at + 1}, where nothing reads it`;
  return { offset: found.offset, message, suggestion: `begin it on line ${opening + 1}` };
}

const typeLine = /^[ \t]*(?:#|\/\/)?[ \t]*type[ \t]*:/;
const knownType = /:[ \t]*["']?(?:session|file|pre-commit)["']?[ \t]*$/;

const outside = ({ text, offset }: Line, opening: number): Fault => ({
  offset,
  message: `"${text.trim()}" is outside a front matter, where nothing reads it`,
  suggestion: `write ${text.trim().startsWith("//") ? "//---" : "#---"} on line ${opening + 1}, and again behind the last field`,
});

export interface Field {
  key: string;
  /** Where the key stands in the file. */
  at: number;
  /** Never a number or a boolean; "" where nothing is written. */
  value: string;
  valueAt: number;
  /** A list or a map stands here. */
  isList?: true;
  /** The text is no YAML and was read as it stands. */
  isLiteral?: true;
}
interface Fields {
  fields: Field[];
  /** Lines that are no field. */
  strange: Line[];
}

/** Never throws. @param known names of fields: where such a line stands too deep, it is one all the same */
export function readFieldLines(lines: readonly Line[], known: readonly string[]): Fields {
  const read: Fields = { fields: [], strange: [] };
  for (const entry of entriesOf(lines, read.strange)) readEntry(entry, known, read);
  return read;
}

/** A field and the lines below it that may belong to it. */
interface Entry {
  first: Line;
  indent: number;
  key: string;
  /** Offset of the value in the first line. */
  from: number;
  more: Line[];
}

function entriesOf(lines: readonly Line[], strange: Line[]): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    const indent = indentOf(line.text);
    const isBlank = line.text.trim() === "";
    if (last && (isBlank || indent > last.indent || isItemOf(last, line))) last.more.push(line);
    else if (isBlank || line.text.trimStart().startsWith("#")) continue;
    else {
      const entry = entryAt(line);
      if (entry) entries.push(entry);
      else strange.push(line);
    }
  }
  return entries;
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

/** An item of a list may stand as far to the left as the key that it belongs to. */
const isItemOf = ({ first, from, indent }: Entry, { text }: Line): boolean =>
  first.text.slice(from).trim() === "" && indentOf(text) === indent && /^\s*-(\s|$)/.test(text);

function entryAt(line: Line): Entry | undefined {
  const found = fieldStart.exec(line.text);
  if (!found) return undefined;
  return { first: line, indent: found[1]?.length ?? 0, key: found[3] ?? "", from: found[0].length, more: [] };
}

function readEntry({ more, ...entry }: Entry, known: readonly string[], read: Fields): void {
  const lines = more.filter(({ text }) => text.trim() !== "");
  const field = lines.length === 0 ? undefined : blockOf({ ...entry, more });
  const nested = lines.flatMap((line) => entryAt(line) ?? []);
  if (field && !(field.isList && nested.some(({ key }) => known.includes(key)))) {
    read.fields.push(field);
    return;
  }
  read.fields.push(lineOf(entry));
  for (const one of lines) {
    const inner = entryAt(one);
    if (inner) read.fields.push(lineOf(inner));
    else if (!one.text.trimStart().startsWith("#")) read.strange.push(one);
  }
}

const placeOf = ({ first, key, from, indent }: Omit<Entry, "more">): Pick<Field, "key" | "at" | "valueAt"> => ({
  key,
  at: first.offset + indent,
  valueAt: first.offset + from + indentOf(first.text.slice(from)),
});

/** All of its lines as YAML; undefined: they are none. */
function blockOf(entry: Entry): Field | undefined {
  const { first, indent, more } = entry;
  const cut = ({ text }: Line): string => text.slice(Math.min(indent, indentOf(text)));
  const found = valueIn([first, ...more].map(cut).join("\n"));
  return found && { ...placeOf(entry), ...found };
}

/** Its first line alone. */
function lineOf(entry: Omit<Entry, "more">): Field {
  const { first, indent, from } = entry;
  const place = placeOf(entry);
  const found = valueIn(first.text.slice(indent));
  if (found && !found.isList) return { ...place, ...found };
  const written = withoutRemark(first.text.slice(from)).trim();
  const quoted = /^(["'])(.*)\1$/.exec(written)?.[2];
  return { ...place, value: quoted ?? written, ...(found?.isList ? { isList: true } : { isLiteral: true }) };
}

/** The value of the one key in this text; undefined: YAML refuses it. */
function valueIn(text: string): Pick<Field, "value" | "isList"> | undefined {
  const { contents, faults } = parseYaml(text);
  const [pair, ...others] = isMap(contents) ? contents.items : [];
  if (faults.length > 0 || !pair || others.length > 0) return undefined;
  const value: unknown = pair.value;
  if (value === null) return { value: "" };
  if (isMap(value) || isSeq(value)) return { value: "", isList: true };
  if (!isScalar(value) || value.tag !== undefined || value.anchor !== undefined) return undefined;
  return { value: textOf(value) };
}

/** As it was written: true, 1.0 and null are words here. */
const textOf = ({ value, source }: Scalar): string =>
  (typeof value === "string" ? value : (source ?? "")).replace(/\n+$/, "");

const withoutRemark = (text: string): string => text.replace(/[ \t]#.*$/, "");
