/** Calls and comprehensions of an expression. Apart, because only what is in the tables can be called. */
import { didYouMean } from "../../engine/nearest.ts";
import type { Expression, Loop } from "./expression-tree.ts";
import { functions } from "./python-functions.ts";
import { methods } from "./python-methods.ts";
import { columnAt, partsOf, type Read, type Reader, refuse, type Syntax, textOf } from "./python-syntax.ts";

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
  const advice = didYouMean(word, known) ?? `known: ${known.join(", ")}`;
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
