/** The Python subset of expressions (R64), read by a real parser into a JSON tree. Apart, because the parser is loaded only for it. */

import { parser } from "@lezer/python";
import type { Json } from "../../engine/event.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import { functions } from "./functions.ts";
import { rootNames } from "./names.ts";
import {
  columnAt,
  isLogical,
  partsOf,
  type Read,
  type Reader,
  readCall,
  readEach,
  readLogical,
  refuse,
  type Syntax,
  textOf,
} from "./read-parts.ts";
import { deepest, type Expression, longestExpression, operators } from "./tree.ts";

/** Throws HooklineError pattern_invalid, whose reason begins with the column. */
export function readExpression(source: string): Json {
  const text = source.trim();
  const reader: Reader = { source, offset: source.indexOf(text), variables: [], depth: 0 };
  if (text === "") return refuse(reader, 0, "the expression is empty");
  if (source.length > longestExpression) {
    return refuse(reader, longestExpression, `it is longer than ${longestExpression} characters`);
  }
  // Line breaks mean nothing in an expression, and to the parser they end it.
  const tree = parser.parse(text.replace(/[\r\n]/g, " ")).topNode;
  checkSyntax(tree, reader);
  return read(onlyExpression(tree, reader), reader) satisfies Json;
}

/** The parser reads on after mistakes; we do not. A comment would swallow the lines below it. */
function checkSyntax(tree: Syntax, reader: Reader): void {
  const cursor = tree.cursor();
  do {
    if (cursor.type.isError) refuseSyntax(cursor.from, reader);
    if (cursor.name === "Comment") refuse(reader, cursor.from, "a comment is not supported");
  } while (cursor.next());
}

const habits: readonly { written: RegExp; advice: string }[] = [
  { written: /^&&?/, advice: "write and" },
  { written: /^\|\|?/, advice: "write or" },
  { written: /^===/, advice: "write ==" },
  { written: /^!==?/, advice: "write !=" },
  { written: /^!/, advice: "write not" },
  { written: /^\?/, advice: "write VALUE if TEST else OTHER" },
  { written: /^=(?!=)/, advice: "write == to compare" },
];

function refuseSyntax(from: number, reader: Reader): never {
  const text = reader.source.slice(reader.offset);
  // An operator of another language is seen after its first sign.
  let start = from;
  while (/[&|=!]/.test(text.charAt(start - 1))) start--;
  for (const { written, advice } of habits) {
    const sign = written.exec(text.slice(start))?.[0];
    if (sign) return refuse(reader, start, `"${sign}" is not Python`, advice);
  }
  const blanks = /^\s*/.exec(text.slice(from))?.[0].length ?? 0;
  const rest = text.slice(from + blanks).trimEnd();
  if (rest === "") return refuse(reader, from, "the expression ends too early");
  return refuse(reader, from + blanks, `"${/^(\w+|.)/su.exec(rest)?.[0]}" does not fit here`);
}

function onlyExpression(tree: Syntax, reader: Reader): Syntax {
  const [statement, another] = partsOf(tree);
  if (!statement) return refuse(reader, 0, "the expression is empty");
  if (statement.name === "AssignStatement") {
    const sign = partsOf(statement).find(({ name }) => name === "AssignOp") ?? statement;
    return refuse(reader, sign.from, '"=" sets a name', "write == to compare");
  }
  const [expression, more] = partsOf(statement);
  if (statement.name !== "ExpressionStatement" || !expression)
    return refuse(reader, statement.from, "this is a statement and no expression");
  const extra = more ?? another;
  return extra ? refuse(reader, extra.from, "one expression is enough") : expression;
}

/** Everything else that Python has is refused by name. */
const readers: { readonly [name: string]: Read } = {
  BinaryExpression: readArithmetic,
  UnaryExpression: readSign,
  ConditionalExpression: readChoice,
  ParenthesizedExpression: (node, reader) => read(inner(node, reader), reader),
  TupleExpression: (node, reader) => ({ is: "tuple", at: columnAt(reader, node.from), items: readItems(node, reader) }),
  ArrayExpression: (node, reader) => ({ is: "list", at: columnAt(reader, node.from), items: readItems(node, reader) }),
  ArrayComprehensionExpression: (node, reader) => readEach(partsOf(node).slice(1, -1), reader, read),
  DictionaryExpression: readDictionary,
  CallExpression: (node, reader) => readCall(node, reader, read),
  MemberExpression: readMember,
  VariableName: readName,
  Number: readConstantNumber,
  String: (node, reader) => constant(readString(node, reader), node, reader),
  ContinuedString: (node, reader) =>
    constant(
      partsOf(node)
        .map((part) => readString(part, reader))
        .join(""),
      node,
      reader,
    ),
  None: (node, reader) => constant(null, node, reader),
  Boolean: (node, reader) => constant(textOf(reader, node) === "True", node, reader),
};

const unsupported: { readonly [name: string]: string } = {
  LambdaExpression: "lambda is not supported",
  NamedExpression: ":= is not supported",
  FormatString: "a text with f is not supported: join with +",
  SetExpression: "a set is not supported: write a list",
  SetComprehensionExpression: "a set is not supported: write a list",
  DictionaryComprehensionExpression: "a dictionary made by for is not supported",
  ComprehensionExpression: "a generator stands only in any, all, sum, min, max and sorted: write [ ] around it",
};

function read(node: Syntax, outer: Reader): Expression {
  const reader = { ...outer, depth: outer.depth + 1 };
  if (reader.depth > deepest) return refuse(reader, node.from, `it is nested more than ${deepest} deep`);
  if (isLogical(node)) return readLogical(node, reader, read);
  const reads = Object.hasOwn(readers, node.name) ? readers[node.name] : undefined;
  if (reads) return reads(node, reader);
  const reason = Object.hasOwn(unsupported, node.name) ? unsupported[node.name] : undefined;
  return refuse(reader, node.from, reason ?? `"${textOf(reader, node).slice(0, 40)}" is not supported`);
}

const constant = (value: null | boolean | number | string, node: Syntax, reader: Reader): Expression => ({
  is: "constant",
  at: columnAt(reader, node.from),
  value,
});

function readConstantNumber(node: Syntax, reader: Reader): Expression {
  const literal = readNumber(textOf(reader, node));
  if ("fault" in literal) return refuse(reader, node.from, literal.fault);
  return literal.float
    ? { is: "float", at: columnAt(reader, node.from), value: literal.value }
    : constant(literal.value, node, reader);
}

function readString(node: Syntax, reader: Reader): string {
  const written = textOf(reader, node);
  if (/[\r\n]/.test(written)) return refuse(reader, node.from, "a text ends on the line where it begins");
  return readText(written, (at, reason) => refuse(reader, node.from + at, reason));
}

function readName(node: Syntax, reader: Reader): Expression {
  const name = textOf(reader, node);
  if (!reader.variables.includes(name) && !Object.hasOwn(rootNames, name)) return refuseName(name, node, reader);
  return { is: "name", at: columnAt(reader, node.from), name };
}

function refuseName(name: string, node: Syntax, reader: Reader): never {
  if (Object.hasOwn(functions, name)) return refuse(reader, node.from, `${name} is a function`, `write ${name}(…)`);
  const known = [...reader.variables, ...Object.keys(rootNames), "True", "False", "None"];
  const advice = name === "null" ? "write None" : meantOrKnown(name, known);
  return refuse(reader, node.from, `no name is called "${name}"`, advice);
}

/** What stands between the brackets. */
function inner(node: Syntax, reader: Reader): Syntax {
  const [, value] = partsOf(node);
  return value ?? refuse(reader, node.from, "the brackets are empty");
}

/** Between brackets, without the commas. */
function readItems(node: Syntax, reader: Reader): Expression[] {
  return partsOf(node)
    .slice(1, -1)
    .filter(({ name }) => name !== ",")
    .map((item) => read(item, reader));
}

function readArithmetic(node: Syntax, reader: Reader): Expression {
  const [left, sign, right] = partsOf(node);
  if (!left || !sign || !right) return refuse(reader, node.from, "a value is missing");
  const written = textOf(reader, sign);
  const by = operators.find((one) => one === written);
  if (!by) return refuseSign(written, sign, reader);
  return {
    is: "arithmetic",
    at: columnAt(reader, sign.from),
    by,
    left: read(left, reader),
    right: read(right, reader),
  };
}

function refuseSign(written: string, sign: Syntax, reader: Reader): never {
  const advice = written === "&" ? "write and" : written === "|" ? "write or" : undefined;
  return refuse(reader, sign.from, `${written} is not supported`, advice);
}

function readSign(node: Syntax, reader: Reader): Expression {
  const [sign, value] = partsOf(node);
  if (!sign || !value) return refuse(reader, node.from, "a value is missing");
  const written = textOf(reader, sign);
  if (written !== "-" && written !== "+") return refuse(reader, sign.from, `${written} is not supported`);
  return { is: written === "-" ? "minus" : "plus", at: columnAt(reader, sign.from), value: read(value, reader) };
}

function readChoice(node: Syntax, reader: Reader): Expression {
  const [value, word, test, , otherwise] = partsOf(node);
  if (!value || !word || !test || !otherwise) return refuse(reader, node.to, "the else is missing");
  return {
    is: "choice",
    at: columnAt(reader, word.from),
    test: read(test, reader),
    value: read(value, reader),
    otherwise: read(otherwise, reader),
  };
}

function readDictionary(node: Syntax, reader: Reader): Expression {
  const keys: string[] = [];
  const values: Expression[] = [];
  const parts = partsOf(node)
    .slice(1, -1)
    .filter(({ name }) => name !== "," && name !== ":");
  for (let at = 0; at < parts.length; at += 2) {
    const [key, value] = [parts[at], parts[at + 1]];
    if (!key || !value || textOf(reader, key) === "**") return refuse(reader, node.from, "** is not supported here");
    const read_ = read(key, reader);
    if (read_.is !== "constant" || typeof read_.value !== "string")
      return refuse(reader, key.from, "a key of a dictionary is a text in quotes");
    keys.push(read_.value);
    values.push(read(value, reader));
  }
  return { is: "dictionary", at: columnAt(reader, node.from), keys, values };
}

function readMember(node: Syntax, reader: Reader): Expression {
  const [of, mark, ...rest] = partsOf(node);
  if (!of || !mark) return refuse(reader, node.from, "a value is missing");
  const at = columnAt(reader, mark.from);
  if (mark.name === ".") {
    const [name] = rest;
    if (!name) return refuse(reader, node.to, "a name is missing");
    return { is: "attribute", at, of: read(of, reader), name: textOf(reader, name) };
  }
  const inside = rest.slice(0, -1);
  const comma = inside.find(({ name }) => name === ",");
  if (comma) return refuse(reader, comma.from, "one index is enough");
  if (inside.some(({ name }) => name === ":"))
    return { is: "slice", at, of: read(of, reader), bounds: readBounds(inside, reader) };
  const [index] = inside;
  if (!index) return refuse(reader, mark.from, "an index is missing");
  return { is: "item", at, of: read(of, reader), index: read(index, reader) };
}

function readBounds(inside: readonly Syntax[], reader: Reader): (Expression | null)[] {
  const bounds: (Expression | null)[] = [null, null, null];
  let place = 0;
  for (const part of inside) {
    if (part.name === ":") place++;
    else bounds[place] = read(part, reader);
  }
  return bounds;
}

/** Numbers and texts as Python writes them. Apart because both have small grammars of their own. */

type Literal = { value: number; float: boolean } | { fault: string };

const whole = /^(?:0(?:_?0)*|[1-9](?:_?\d)*)$/;
const based = /^0(?:[xX](?:_?[\da-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)$/;
const pointed = /^(?:\d(?:_?\d)*)?\.?(?:\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?$/;

function readNumber(written: string): Literal {
  const bare = written.replaceAll("_", "");
  if (whole.test(written) || based.test(written)) {
    const value = Number(bare);
    return Number.isSafeInteger(value)
      ? { value, float: false }
      : { fault: "a whole number beyond 2**53 is too large" };
  }
  if (/^[\d_]+$/.test(written) || !/^[\d.]/.test(written) || !pointed.test(written))
    return { fault: `${written} is no number` };
  const value = Number(bare);
  return Number.isFinite(value) ? { value, float: true } : { fault: `${written} is too large` };
}

const simple: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const digitsAfter: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** What a text with its quotes holds. */
function readText(written: string, fault: (offset: number, reason: string) => never): string {
  const prefix = /^[A-Za-z]*/.exec(written)?.[0].toLowerCase() ?? "";
  if (prefix.includes("f")) return fault(0, "a text with f is not supported: join with +");
  if (prefix.includes("b")) return fault(0, "a text with b is not supported");
  const quote = /^('''|"""|'|")/.exec(written.slice(prefix.length))?.[0] ?? "";
  const start = prefix.length + quote.length;
  const inner = written.slice(start, written.length - quote.length);
  if (prefix.includes("r") || !inner.includes("\\")) return inner;
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const next = inner.indexOf("\\", at);
    if (next < 0) return text + inner.slice(at);
    const { value, length } = readEscape(inner, next, (reason) => fault(start + next, reason));
    text += inner.slice(at, next) + value;
    at = next + length;
  }
  return text;
}

/** An escape that means nothing stays as it is written. */
function readEscape(inner: string, at: number, fault: (reason: string) => never): { value: string; length: number } {
  const sign = inner[at + 1] ?? "";
  const known = Object.hasOwn(simple, sign) ? simple[sign] : undefined;
  if (known !== undefined) return { value: known, length: 2 };
  if (sign === "\n") return { value: "", length: 2 };
  if (sign === "N") return fault("a character by name is not supported");
  const octal = /^[0-7]{1,3}/.exec(inner.slice(at + 1, at + 4))?.[0];
  if (octal) return { value: String.fromCodePoint(Number.parseInt(octal, 8)), length: 1 + octal.length };
  const count = Object.hasOwn(digitsAfter, sign) ? digitsAfter[sign] : undefined;
  if (count === undefined) return { value: `\\${sign}`, length: 1 + sign.length };
  const digits = inner.slice(at + 2, at + 2 + count);
  const code = /^[\da-fA-F]+$/.test(digits) && digits.length === count ? Number.parseInt(digits, 16) : Number.NaN;
  if (!(code <= 0x10ffff)) return fault(`\\${sign} needs ${count} digits of a character`);
  return { value: String.fromCodePoint(code), length: 2 + count };
}
