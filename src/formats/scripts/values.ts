/**
 * The fields of a script's front matter as texts. The YAML library reads each field by itself, so that one that is no YAML
 * takes no other with it; such a one is read as it stands, because specification 004 takes it (`pattern: *.go`).
 */
import { isMap, isScalar, isSeq, type Scalar } from "yaml";
import { parseYaml } from "../reading/yaml-parse.ts";
import { fieldStart, type Line } from "./front-matter.ts";

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
export interface Fields {
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
