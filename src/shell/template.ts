/**
 * {{placeholders}} in a shell line (R18): a value never becomes text of the line. It becomes an environment variable,
 * quoted for the place where it stands. Values are taken in simple commands and pipes whose programs are named; any other line has a
 * fault that says why.
 */

import { type Command, forEachChild, parse, type Redirect, type SyntaxNode } from "unbash";
import type { ShellTemplate, TemplateFault } from "../engine/ports.ts";
import { compileTemplateParts } from "../engine/template.ts";
import { judgeCommand } from "./judge-commands.ts";
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

// The judge: simple commands with their redirections, pipes, lists, and `$( … )` of these. Whatever else a shell knows is refused,
// since only a small language can be known to run no value.

interface Places {
  quotes: ReadonlyMap<number, Quote>;
  /** Placeholders that an argument begins with, where a value that begins with "-" would be an option. */
  begins: readonly (readonly number[])[];
}

const longest = 100_000;
const deepest = 20;

/** Throws a refusal. */
function judgeLine(source: string): Places {
  if (source.length > longest) refuse(`in a line longer than ${longest} characters`);
  const found: Found = {
    quotes: new Map(),
    begins: [],
    runs: [],
    mentioned: new Set(),
    writesAnywhere: false,
    movesAnywhere: false,
  };
  let depth = 0;
  const reader: Reader = {
    source,
    found,
    budget: { nodes: 0 },
    nested(script) {
      if (++depth > deepest) refuse("in a line that is nested too deeply");
      judge(script, reader);
      depth -= 1;
    },
  };
  judge(parse(source), reader);
  for (const { path, word } of found.runs) {
    const isMentioned = found.mentioned.has(path.slice(path.lastIndexOf("/") + 1));
    if (isMentioned || found.writesAnywhere) refuse(`in a line that runs ${show(word.raw)} and may write it`);
    if (found.movesAnywhere && !/^[/~$]/.test(path))
      refuse(`in a line that runs ${show(word.raw)} in a folder that a value names`);
  }
  return found;
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
  Statement: inside,
  AndOr: inside,
  Pipeline(node, reader) {
    if (node.commands.length === 0) refuse("in a line that cannot be read: a command is missing");
    inside(node, reader);
  },
  Negation: ({ end }, { source }) =>
    /\s/.test(source[end] ?? "") ? undefined : refuse("in a line with ! and no blank behind it"),
  Command: judgeSimple,
  Redirect: judgeRedirect,
  HereString({ descriptor, target }, reader) {
    if (descriptor) refuse('in a line with a number before "<<<"');
    if (target) readWord(target, reader);
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
  TestCommand: "[[ … ]] (write [ … ] instead)",
  If: "if",
  While: "while or until",
  For: "for",
  Case: "case",
  Subshell: "commands in brackets",
  BraceGroup: "commands in braces",
  Time: "time",
};

const visit = createVisit(allowed, (node, reader) => {
  // What stands around its redirections says more than they do.
  const { type, pos, end } = node.type === "Redirected" ? node.command : node;
  refuse(`in a line with ${names[type] ?? type}`, marksIn(reader, pos, end));
});

function judgeSimple(node: Command, reader: Reader): void {
  const [set] = node.prefix.filter(({ type }) => type === "Assignment");
  if (set)
    refuse(
      `at ${show(reader.source.slice(set.pos, set.end))}, which sets a variable`,
      marksIn(reader, set.pos, set.end),
    );
  for (const redirect of node.redirects) judge(redirect, reader);
  // bash and the parser may differ on whether it is one here
  if (node.name && reserved.has(node.name.text)) refuse(`in a line that cannot be read: ${show(node.name.text)}`);
  checkGaps(node, reader);
  const words = [...(node.name ? [node.name] : []), ...node.args].map((one) =>
    one.type === "Word"
      ? readWord(one, reader)
      : refuse(`at ${show(one.text)}, which sets a variable`, marksIn(reader, one.pos, one.end)),
  );
  judgeCommand(words, reader);
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
  if (!operator.includes(">") || operator === ">&") return;
  if (word.text === undefined && word.tail === undefined) reader.found.writesAnywhere = true;
  else reader.found.mentioned.add(lastPart(word));
}
