/**
 * {{placeholders}} in a shell line (R18): a value never becomes text of the line. It becomes an environment variable,
 * quoted for the place where it stands; where that cannot be done safely, the line has a fault that says why.
 */

import { type Command, forEachChild, parse, type Redirect, type SyntaxNode, type TestExpression } from "unbash";
import type { ShellTemplate, TemplateFault } from "../engine/ports.ts";
import { compileTemplateParts } from "../engine/template.ts";
import { binary, judgeCommand, judgeName, setVariable, unary } from "./judge-commands.ts";
import {
  type Found,
  lastPart,
  mark,
  marksIn,
  type Quote,
  type Reader,
  readWord,
  refusalOf,
  refuse,
  type ShellWord,
  type Span,
  show,
} from "./judged-words.ts";
import { type Budget, createVisit, reserved, type Visits } from "./tree.ts";
import { checkBeginning, nameValues, type Placeholder, readValues } from "./values.ts";

/** How a variable is written where it stands: the quotes around it go on behind it. */
const written: { readonly [Q in Quote]: (name: string) => string } = {
  plain: (name) => `"$${name}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
  ansi: (name) => `'"\${${name}}"$'`,
};

/**
 * Reads a line for bash or sh once, for all its runs. Never throws.
 *
 * @returns undefined if it holds no placeholders; its fault where a value could become more than an argument, or where that is not certain
 * @example compileShellTemplate("cat {{tool.params.path}}") // { line: 'cat "$HOOKLINE_VALUE_1"', values }
 */
export function compileShellTemplate(text: string): ShellTemplate | TemplateFault[] | undefined {
  const parts = compileTemplateParts(text);
  const placeholders = parts.filter((part): part is Placeholder => part.is === "value");
  const [first] = placeholders;
  if (!first) return undefined;
  const source = parts.map((part) => (part.is === "text" ? part.text : mark)).join("");
  if (text.includes(mark)) return [{ placeholder: first.written, where: "in a line that holds a NUL character" }];
  const offsets = offsetsOf(source);
  try {
    const places = judgeLine(source);
    const lost = offsets.filter((at) => !places.quotes.has(at));
    if (lost.length > 0) refuse("in a comment, or where no value can stand", lost);
    return templateOf(source, placeholders, { offsets, places });
  } catch (error) {
    const { why, at } = refusalOf(error);
    const { written: placeholder } = placeholders[offsets.indexOf(at ?? -1)] ?? first;
    const advice = why.endsWith(")") ? "" : ` (a script of its own takes any value: ./script.sh ${placeholder})`;
    return [{ placeholder, where: why + advice }];
  }
}

function offsetsOf(source: string): number[] {
  const offsets: number[] = [];
  for (let at = source.indexOf(mark); at >= 0; at = source.indexOf(mark, at + 1)) offsets.push(at);
  return offsets;
}

function templateOf(
  source: string,
  placeholders: readonly Placeholder[],
  { offsets, places }: { offsets: readonly number[]; places: Places },
): ShellTemplate {
  const { variables, nameOf } = nameValues(placeholders);
  const names = new Map(offsets.map((at, index) => [at, nameOf(placeholders[index]?.written ?? "")]));
  const pieces = source.split(mark);
  const line = pieces.map((piece, index) => {
    const at = offsets[index];
    if (at === undefined) return piece;
    return piece + written[places.quotes.get(at) ?? "plain"](names.get(at) ?? "");
  });
  const begins = places.begins.map((marks) => marks.map((at) => names.get(at) ?? ""));
  return {
    line: line.join(""),
    values(scope) {
      const values = readValues(variables, scope);
      for (const word of begins) checkBeginning(word, values, variables);
      return values;
    },
  };
}

// The judge: simple commands, pipes, groups, if, while, for, case, [[ ]]. Whatever else a shell knows is refused, since only
// a small language can be known to run no value.

interface Places {
  quotes: ReadonlyMap<number, Quote>;
  /** Placeholders that an argument begins with, where a value that begins with "-" would be an option. */
  begins: readonly (readonly number[])[];
}

const longest = 100_000;
const deepest = 60;

/** Throws a refusal. The line is judged twice: what it sets anywhere is known everywhere. */
function judgeLine(source: string): Places {
  if (source.length > longest) refuse(`in a line longer than ${longest} characters`);
  const { assigned } = judgeOnce(source, new Set());
  return conclude(judgeOnce(source, new Set(assigned.keys())));
}

function judgeOnce(source: string, own: ReadonlySet<string>): Found & { leads: ReadonlySet<string> } {
  const found: Found = {
    quotes: new Map(),
    begins: [],
    assigned: new Map(),
    runs: [],
    mentioned: new Set(),
    writesAnywhere: false,
    movesAnywhere: false,
  };
  const leads = judgeAll(source, { found, own, hasArguments: false, depth: 0, budget: { nodes: 0 } });
  return { ...found, leads };
}

type Given = Pick<Reader, "found" | "own" | "hasArguments" | "depth" | "budget">;

function judgeAll(source: string, given: Given): ReadonlySet<string> {
  const leads = new Set<string>();
  const reader: Reader = {
    ...given,
    source,
    leads,
    nested: judge,
    script: (text, inner) => judgeAll(text, { ...inner, hasArguments: true, depth: inner.depth + 1 }),
  };
  judge(parse(source), reader);
  return leads;
}

function conclude(found: Found & { leads: ReadonlySet<string> }): Places {
  for (const { path, word } of found.runs) {
    const isMentioned = found.mentioned.has(path.slice(path.lastIndexOf("/") + 1));
    if (isMentioned || found.writesAnywhere) refuse(`in a line that runs ${show(word.raw)} and may write it`);
    if (found.movesAnywhere && !/^[/~$]/.test(path))
      refuse(`in a line that runs ${show(word.raw)} in a folder that a value names`);
  }
  const begins = [...found.begins];
  const seen = new Set<string>();
  const follow = [...found.leads];
  for (let name = follow.pop(); name !== undefined; name = follow.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const leading of found.assigned.get(name) ?? []) {
      begins.push(leading.filter((one) => typeof one === "number"));
      for (const one of leading) if (typeof one === "string") follow.push(one);
    }
  }
  return { quotes: found.quotes, begins };
}

const judge = (node: SyntaxNode, reader: Reader): void => visit(node, reader, reader.budget);
const inside = (node: SyntaxNode, reader: Reader): void => forEachChild(node, (child) => judge(child, reader));

/** The kinds of nodes that a line with values may hold. */
const allowed: Visits<Reader, Budget> = {
  Script(node, reader) {
    const [error] = node.errors ?? [];
    if (error) refuse(`in a line that cannot be read: ${error.message}`);
    inside(node, reader);
  },
  Statement(node, reader) {
    countDepth(reader);
    inside(node, reader);
    reader.depth -= 1;
  },
  CompoundList: inside,
  AndOr: inside,
  Pipeline(node, reader) {
    if (node.commands.length === 0) refuse("in a line that cannot be read: a command is missing");
    inside(node, reader);
  },
  Negation: ({ end }, { source }) =>
    /\s/.test(source[end] ?? "") ? undefined : refuse("in a line with ! and no blank behind it"),
  Time: ({ endOfOptions }) => (endOfOptions ? refuse("in a line with time --") : undefined),
  Command: judgeSimple,
  Redirected: inside,
  Redirect: judgeRedirect,
  HereString({ descriptor, target }, reader) {
    if (descriptor) refuse('in a line with a number before "<<<"');
    if (target) solid(readWord(target, reader));
  },
  BraceGroup: inside,
  Subshell(node, reader) {
    if (reader.source.startsWith("((", node.pos)) refuse("in a line with arithmetic, (( … ))");
    inside(node, reader);
  },
  If: inside,
  Elif: inside,
  While: inside,
  For({ name, wordlist, body }, reader) {
    const named = readWord(name, reader);
    judgeName(named.text ?? "", named);
    if (!wordlist) return refuse("in a line with a for without in");
    for (const word of wordlist) setVariable(reader, name.text, solid(readWord(word, reader)).leading);
    setVariable(reader, name.text, []);
    judge(body, reader);
  },
  Case({ word, items }, reader) {
    readWord(word, reader);
    for (const item of items) judge(item, reader);
  },
  CaseItem({ pattern, body, terminator = ";;" }, reader) {
    if (terminator !== ";;") refuse(`in a line with ${terminator}`);
    for (const { isOwn, marks } of pattern.map((one) => readWord(one, reader)))
      if (isOwn) refuse("in a pattern of a case (compare with [ … = … ] instead)", marks);
    judge(body, reader);
  },
  TestCommand(node, reader) {
    const isOwn = judgeTest(node.expression, reader, "first");
    // A shell that does not know [[ runs what stands on the next line.
    if (isOwn && reader.source.slice(node.pos, node.end).includes("\n")) refuse("in a [[ ]] of several lines");
  },
};

/** How a message names what is not allowed. */
const names: { readonly [T in SyntaxNode["type"]]?: string } = {
  HereDoc: "a here-document (write <<< instead)",
  Function: "a function, a list or a pattern: a ( stands inside a command",
  ArithmeticCommand: "arithmetic, (( … ))",
  ArithmeticFor: "arithmetic, (( … ))",
  Coproc: "coproc, which reads what it is given as code or runs it",
  Select: "select, which reads what it is given as code or runs it",
};

const visit = createVisit(allowed, ({ type, pos, end }, reader) =>
  refuse(`in a line with ${names[type] ?? type}`, marksIn(reader, pos, end)),
);

/** A value is one word only between quotes. */
function solid(word: ShellWord): ShellWord {
  if (word.isOwn && word.isLoose)
    refuse(`at ${show(word.raw)}: write it in quotes, or it may become several words`, word.marks);
  return word;
}

function judgeSimple(node: Command, reader: Reader): void {
  const assignments = node.prefix.flatMap((one) => (one.type === "Assignment" ? [readWord(one, reader)] : []));
  for (const redirect of node.redirects) judge(redirect, reader);
  // bash and the parser may differ on whether it is one here
  if (node.name && reserved.has(node.name.text)) refuse(`in a line that cannot be read: ${show(node.name.text)}`);
  checkGaps(node, reader);
  const words = [...(node.name ? [node.name] : []), ...node.args].map((one) => readWord(one, reader));
  judgeCommand({ assignments, words, hasRedirect: node.redirects.length > 0 }, reader);
}

/** The parser forgives a bracket inside of a command; no shell does. */
function checkGaps(node: Command, { source }: Reader): void {
  let at = node.pos;
  const children: Span[] = [];
  forEachChild(node, (child) => children.push(child));
  for (const { pos, end } of children) {
    if (/[^\s\\]/.test(source.slice(at, pos))) refuseBracket();
    at = Math.max(at, end);
  }
  if (/^(?:[ \t]|\\\n)*\(/.test(source.slice(at, at + 100))) refuseBracket();
}

const refuseBracket = (): never =>
  refuse("in a line with a function, a list or a pattern: a ( stands inside a command");

function judgeRedirect({ operator, descriptor, target, pos, end }: Redirect, reader: Reader): void {
  const raw = reader.source.slice(pos, target?.pos ?? end).trim();
  if (operator === "<>" || !/^[012]?[<>&]/.test(raw)) refuse(`in a line with "${raw}"`);
  if (descriptor?.type === "FileDescriptorVariable" || !target) throw refuse(`in a line with "${raw}"`);
  const word = readWord(target, reader);
  if (/^[<>]&$/.test(operator) && !/^(?:\d|-)$/.test(word.raw))
    refuse(`behind ${operator}, where bash reads it twice (write &> instead)`, word.marks);
  solid(word);
  if (!operator.includes(">") || operator === ">&") return;
  if (word.text === undefined && !word.isRooted) reader.found.writesAnywhere = true;
  else reader.found.mentioned.add(lastPart(word));
}

/**
 * `[[ … ]]`: comparisons of text, and questions about files. A shell that does not know [[ runs what stands behind &&.
 *
 * @returns whether a value stands in it
 */
function judgeTest(node: TestExpression, reader: Reader, place: "first" | "later"): boolean {
  countDepth(reader);
  const isOwn = testKinds[node.type](node as never, reader, place); // each row takes the nodes of its own type
  reader.depth -= 1;
  return isOwn;
}

type JudgeTest<T> = (node: T, reader: Reader, place: "first" | "later") => boolean;

const testKinds: { readonly [T in TestExpression["type"]]: JudgeTest<TestExpression & { type: T }> } = {
  TestNot: ({ operand }, reader, place) => judgeTest(operand, reader, place),
  TestGroup: ({ expression }, reader, place) => judgeTest(expression, reader, place),
  TestLogical: ({ operands }, reader, place) =>
    operands.map((one, index) => judgeTest(one, reader, index === 0 ? place : "later")).some(Boolean),
  TestUnary(node, reader, place) {
    const word = readWord(node.operand, reader);
    if (!unary.test(node.operator)) refuseTest(node, reader);
    if (node.operand.pos === node.pos) checkBegin(word, place);
    return word.isOwn;
  },
  TestBinary(node, reader, place) {
    const left = readWord(node.left, reader);
    if (!binary.test(node.operator)) refuseTest(node, reader);
    checkBegin(left, place);
    return [left, solid(readWord(node.right, reader))].some((word) => word.isOwn);
  },
};

function checkBegin({ isOwn, marks }: ShellWord, place: "first" | "later"): void {
  if (isOwn && place === "later") refuse("behind && or || inside of [[ ]] (write [[ … ]] && [[ … ]])", marks);
}

function refuseTest({ pos, end }: Span, reader: Reader): never {
  const raw = show(reader.source.slice(pos, end));
  const why = `in a [[ ]] with more than comparisons of text and questions about files: ${raw}`;
  return refuse(why, marksIn(reader, pos, end));
}

function countDepth(reader: Reader): void {
  if (++reader.depth > deepest) refuse("in a line that is nested too deeply");
}
