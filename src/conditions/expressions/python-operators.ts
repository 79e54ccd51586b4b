/**
 * and, or, not and comparisons. Apart because the parser gives `not` the wrong reach (`not a and b` as `not (a and b)`):
 * its tree is taken for a row of operands and operators, and read again by Python's own precedence.
 */
import { type Comparison, comparisons, deepest, type Expression } from "./expression-tree.ts";
import { columnAt, partsOf, type Read, type Reader, refuse, type Syntax, textOf } from "./python-syntax.ts";

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
