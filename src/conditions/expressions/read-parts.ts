/** What the readers of an expression share, and its operators, calls and comprehensions. */
import type { parser } from "@lezer/python";
import { HooklineError } from "../../engine/error.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import { functions, methods } from "./functions.ts";
import { type Comparison, comparisons, deepest, type Expression, type Loop } from "./tree.ts";

export type Syntax = ReturnType<typeof parser.parse>["topNode"];

export interface Reader {
  /** As it was written; what the parser got begins at `offset` of it. */
  source: string;
  offset: number;
  /** Of the comprehensions around. */
  variables: readonly string[];
  depth: number;
}

export type Read = (node: Syntax, reader: Reader) => Expression;

const usualAdvice = "write it as in Python; docs/conditions.md lists what an expression may hold";

/** `from` counts in what the parser got; columns count from 1 in what was written. */
export function refuse(reader: Reader, from: number, reason: string, advice: string = usualAdvice): never {
  const column = columnAt(reader, from);
  throw new HooklineError("pattern_invalid", {
    pattern: reader.source,
    reason: `column ${column}: ${reason}`,
    where: "the condition expression",
    advice,
    column,
  });
}

export const columnAt = ({ offset }: Reader, from: number): number => offset + from + 1;

export const textOf = ({ source, offset }: Reader, { from, to }: Syntax): string =>
  source.slice(offset + from, offset + to);

/** Brackets, commas and words among them. */
export function partsOf(node: Syntax): Syntax[] {
  const parts: Syntax[] = [];
  for (let part = node.firstChild; part; part = part.nextSibling) parts.push(part);
  return parts;
}

// The parser gives `not` the wrong reach (`not a and b` as `not (a and b)`): its tree is taken for a row of operands and
// operators, and read again by Python's own precedence.

type Item = { operator: string; from: number } | { operand: Syntax };

const words: ReadonlySet<string> = new Set(["and", "or", "not", "in", "is", "CompareOp"]);

/** Whether the node joins or denies truths, rather than being a value of its own. */
export const isLogical = (node: Syntax): boolean =>
  (node.name === "BinaryExpression" || node.name === "UnaryExpression") &&
  partsOf(node).some(({ name }) => words.has(name));

export function readLogical(node: Syntax, reader: Reader, readOperand: Read): Expression {
  const row = rowOf(node, reader);
  let at = 0;
  const next = (): string | undefined => {
    const item = row[at];
    return item && "operator" in item ? item.operator : undefined;
  };
  const columnHere = (): number => {
    const item = row[at];
    return columnAt(reader, item ? ("operator" in item ? item.from : item.operand.from) : node.to);
  };

  function join(is: "and" | "or", readOne: () => Expression): Expression {
    const first = readOne();
    if (next() !== is) return first;
    const column = columnHere();
    const values = [first];
    while (next() === is) {
      at++;
      values.push(readOne());
    }
    return { is, at: column, values };
  }
  const either = (): Expression => join("or", both);
  const both = (): Expression => join("and", denied);

  function denied(): Expression {
    const columns: number[] = [];
    for (; next() === "not"; at++) columns.push(columnHere());
    if (reader.depth + columns.length > deepest) return refuse(reader, node.from, "it is nested too deep");
    return columns.reduceRight<Expression>((value, column) => ({ is: "not", at: column, value }), compared());
  }

  function compared(): Expression {
    const column = columnHere();
    const first = operand();
    const rest: { by: Comparison; at: number; value: Expression }[] = [];
    for (let by = comparisonOf(next()); by; by = comparisonOf(next())) {
      const place = columnHere();
      at++;
      const value = operand();
      if (by.startsWith("is")) checkIdentity(value);
      rest.push({ by, at: place, value });
    }
    return rest.length === 0 ? first : { is: "compare", at: column, first, rest };
  }

  /** What two equal texts or numbers are to each other but equal, only Python knows. */
  function checkIdentity(value: Expression): void {
    if (value.is === "constant" && (value.value === null || typeof value.value === "boolean")) return;
    refuse(reader, value.at - 1 - reader.offset, "is asks for None, True or False alone", "write ==");
  }

  function operand(): Expression {
    const item = row[at];
    if (!item) return refuse(reader, node.to, "a value is missing");
    if ("operator" in item)
      return refuse(reader, item.from, `"${item.operator}" does not fit here`, "write brackets around it");
    at++;
    return readOperand(item.operand, reader);
  }

  const expression = either();
  return at === row.length ? expression : refuse(reader, columnHere() - 1 - reader.offset, "this does not fit here");
}

const comparisonOf = (operator: string | undefined): Comparison | undefined =>
  comparisons.find((one) => one === operator);

/** From left to right, without recursion: a thousand `and` are a tree a thousand deep. */
function rowOf(node: Syntax, reader: Reader): Item[] {
  const row: Item[] = [];
  const waiting: Syntax[] = [node];
  for (let top = waiting.pop(); top; top = waiting.pop()) {
    if (words.has(top.name)) addOperator(row, textOf(reader, top), top.from, reader);
    else if (isLogical(top)) waiting.push(...partsOf(top).reverse());
    else row.push({ operand: top });
  }
  return row;
}

/** `is not` and `not in` are two words each. */
function addOperator(row: Item[], written: string, from: number, reader: Reader): void {
  const last = row.at(-1);
  const before = last && "operator" in last ? last.operator : undefined;
  const afterOperand = row.length > 1 && "operand" in (row.at(-2) ?? {});
  const isPair = (before === "is" && written === "not") || (before === "not" && written === "in" && afterOperand);
  if (isPair)
    row[row.length - 1] = { operator: `${before} ${written}`, from: last && "operator" in last ? last.from : from };
  else if (written === "<>") refuse(reader, from, '"<>" is old Python', "write !=");
  else row.push({ operator: written, from });
}

export function readCall(node: Syntax, reader: Reader, read: Read): Expression {
  const [called, list] = partsOf(node);
  if (!called || !list) return refuse(reader, node.from, "a call needs brackets");
  const [of, dot, name] = partsOf(called);
  if (called.name === "MemberExpression" && of && name && dot?.name === ".") {
    const { word, given } = readMethodCall(name, list, reader, read);
    return { is: "method", at: columnAt(reader, name.from), of: read(of, reader), name: word, given };
  }
  const word = textOf(reader, called);
  const known = called.name === "VariableName" && Object.hasOwn(functions, word) ? functions[word] : undefined;
  if (!known) return refuseCall(word, called, Object.keys(functions), reader);
  const parts = partsOf(list).slice(1, -1);
  const generator = known.takesEach ? generatorIn(parts) : undefined;
  const given: Expression[] = generator
    ? [{ ...readEach(generator, reader, read), is: "generator" }]
    : readGiven(parts, reader, read);
  checkCount(word, known, given.length, list, reader);
  return { is: "call", at: columnAt(reader, called.from), name: word, given };
}

function refuseCall(word: string, at: Syntax, known: readonly string[], reader: Reader): never {
  const advice = meantOrKnown(word, known);
  return refuse(reader, at.from, `"${word.slice(0, 40)}" cannot be called`, advice);
}

function readMethodCall(name: Syntax, list: Syntax, reader: Reader, read: Read): { word: string; given: Expression[] } {
  const word = textOf(reader, name);
  const known = Object.hasOwn(methods, word) ? methods[word] : undefined;
  if (!known) return refuseCall(word, name, Object.keys(methods), reader);
  const given = readGiven(partsOf(list).slice(1, -1), reader, read);
  checkCount(word, known, given.length, list, reader);
  return { word, given };
}

function checkCount(
  name: string,
  { least, most }: { least: number; most: number },
  given: number,
  list: Syntax,
  reader: Reader,
): void {
  if (given >= least && given <= most) return;
  const wanted =
    least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
  refuse(reader, list.from, `${name}() takes ${wanted} ${wanted === "1" ? "value" : "values"} and has ${given}`);
}

/** `any(x for x in y)` and `any((x for x in y))` are the same. */
function generatorIn(parts: readonly Syntax[]): readonly Syntax[] | undefined {
  if (parts.some(({ name }) => name === "for")) return parts;
  const [only] = parts;
  return parts.length === 1 && only?.name === "ComprehensionExpression" ? partsOf(only).slice(1, -1) : undefined;
}

function readGiven(parts: readonly Syntax[], reader: Reader, read: Read): Expression[] {
  for (const { name, from } of parts) {
    if (name === "AssignOp") refuse(reader, from, "a value given by name is not supported");
    if (name === "*" || name === "**") refuse(reader, from, `${name} is not supported here`);
    if (name === "for") refuse(reader, from, "this takes no generator", "write [ ] around it");
  }
  return parts.filter(({ name }) => name !== ",").map((value) => read(value, reader));
}

/** GIVES for NAME in OVER if TEST for … — the first OVER does not see its own name. */
export function readEach(parts: readonly Syntax[], outer: Reader, read: Read): Expression & { is: "each" } {
  const [gives, ...rest] = parts;
  if (!gives) return refuse(outer, 0, "a value is missing");
  const loops: Loop[] = [];
  let reader = outer;
  for (let at = 0; at < rest.length; ) {
    const [word, first, second] = [rest[at], rest[at + 1], rest[at + 2]];
    const last = loops.at(-1);
    if (word?.name === "if" && first && last) {
      last.when.push(read(first, reader));
      at += 2;
      continue;
    }
    const over = rest[at + 3];
    if (word?.name !== "for" || first?.name !== "VariableName" || second?.name !== "in" || !over)
      return refuse(outer, (second ?? word ?? gives).from, "a loop is written: for NAME in VALUES");
    const variable = textOf(reader, first);
    loops.push({ variable, over: read(over, reader), when: [] });
    reader = { ...reader, variables: [...reader.variables, variable], depth: reader.depth + 1 };
    at += 4;
  }
  return { is: "each", at: columnAt(outer, gives.from), gives: read(gives, reader), loops };
}
