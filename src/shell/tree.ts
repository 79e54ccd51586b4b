/** Shell lines as unbash reads them: the one walk over its trees, and what words are as far as the line tells. Apart because the parser costs a start 15 ms. */
import {
  type Assignment,
  type DoubleQuotedChild,
  forEachChild,
  type ParameterExpansionPart,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { unknownText } from "../engine/pattern.ts";

/** What one reading may still look at, all lines inside the line together. */
export interface Budget {
  nodes: number;
}

export type Visit<State, Own extends Budget> = (node: SyntaxNode, state: State, own: Own) => void;

/** What a reading does at each kind of node. */
export type Visits<State, Own extends Budget> = {
  readonly [T in SyntaxNode["type"]]?: (node: SyntaxNode & { type: T }, state: State, own: Own) => void;
};

const mostNodes = 500_000;

/**
 * The walk: a row of the table looks at its nodes and decides how to go on inside of them.
 *
 * @param otherwise for the kinds that have no row
 */
export function createVisit<State, Own extends Budget>(
  visits: Visits<State, Own>,
  otherwise: Visit<State, Own>,
): Visit<State, Own> {
  return (node, state, own) => {
    countNode(own);
    // Each row takes the nodes of its own type: the mapped type says so, the index cannot.
    const visit = visits[node.type as keyof typeof visits] as Visit<State, Own> | undefined;
    (visit ?? otherwise)(node, state, own);
  };
}

function countNode(budget: Budget): void {
  if (++budget.nodes > mostNodes) giveUp();
}

/** Every node inside of this one, this one first. */
export function eachInside(node: SyntaxNode, budget: Budget, look: (inner: SyntaxNode) => void): void {
  countNode(budget);
  look(node);
  forEachChild(node, (child) => eachInside(child, budget, look));
}

const unanalysable: Error = new Error("this shell line cannot be analysed");

/** Throws where a line cannot be analysed. Caught by the two doors, commands.ts and template.ts, and nowhere else. */
export const giveUp = (): never => {
  throw unanalysable;
};

/** Words that the shell takes for its own where a command begins. */
export const reserved: ReadonlySet<string> = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc { } ! [[ ]]".split(" "),
);

/** Variables whose value the line itself has set, and surely so. */
export type Variables = Map<string, string>;

/** Text that the shell will put there, within one word. */
const within = unknownText;
/** Text that may also be several words, or none. */
const across = unknownText + unknownText;
export const blanks = " \t\n";
const mostAlternatives = 64;

export const isUnknown = (word: string): boolean => word.includes(unknownText);
/** May be several words, or none. */
export const mayVanish = (word: string): boolean => word.includes(across);

/** Arithmetic evaluates the text of a variable: a substitution in a subscript runs wherever the text ends up. */
const hiddenSubstitution = /\w\[[^\]]*(\$\(|`)/;

interface Field {
  done: string[];
  current: string | undefined;
}

/** The words that a word becomes. */
export function expandWord(word: Word, variables: Variables): string[] {
  let fields: Field[] = [{ done: [], current: undefined }];
  const parts = word.parts;
  if (!parts) add(fields, word.value);
  else {
    for (const [index, part] of parts.entries()) {
      if (part.type === "BraceExpansion") fields = branch(fields, alternativesOf(part.text));
      else addPart(fields, part, parts[index + 1], variables);
    }
  }
  const words = fields.flatMap(({ done, current }) => (current === undefined ? done : [...done, current]));
  // An empty word stays only where quotes made it.
  const kept = /["']/.test(word.text) ? words : words.filter((one) => one !== "");
  if (kept.some((one) => hiddenSubstitution.test(one))) giveUp();
  return kept;
}

/** The value of an assignment, where nothing is split. */
export function expandValue({ value, append, name }: Assignment, variables: Variables): string {
  if (value.type === "ArrayValue") return within;
  const fields: Field[] = [{ done: [], current: "" }];
  if (!value.parts) add(fields, value.value);
  else for (const part of value.parts) addUnsplit(fields, part, variables);
  const text = fields[0]?.current ?? "";
  if (hiddenSubstitution.test(text)) giveUp();
  return append ? `${variables.get(name) ?? within}${text}` : text;
}

function add(fields: readonly Field[], text: string): void {
  for (const field of fields) field.current = (field.current ?? "") + text;
}

function branch(fields: readonly Field[], alternatives: readonly string[]): Field[] {
  if (fields.length * alternatives.length > mostAlternatives) return giveUp();
  return fields.flatMap(({ done, current }) =>
    alternatives.map((text) => ({ done: [...done], current: (current ?? "") + text })),
  );
}

function alternativesOf(text: string): readonly string[] {
  const inside = text.slice(1, -1);
  if (/^[\w./,@%+:=-]*,[\w./,@%+:=-]*$/.test(inside)) return inside.split(",");
  return [across];
}

function addPart(fields: readonly Field[], part: WordPart, next: WordPart | undefined, variables: Variables): void {
  switch (part.type) {
    case "Glob":
      add(fields, isPlainStar(part.text, fields, next) ? part.text : across);
      return;
    case "SimpleExpansion":
    case "ParameterExpansion":
      addSplit(fields, knownValue(part, variables), nameIn(part.text), variables);
      return;
    case "CommandExpansion":
    case "ExtendedGlob":
    case "BraceExpansion":
      add(fields, across);
      return;
    default:
      addUnsplit(fields, part, variables);
      return;
  }
}

/** `*`, `*.ts`, `*\/x`: files, by far most often; no option or sub-command is meant. */
const isPlainStar = (text: string, fields: readonly Field[], next: WordPart | undefined): boolean =>
  text === "*" &&
  fields.every(({ current }) => !current) &&
  (!next || (next.type === "Literal" && /^[./]/.test(next.value)));

function addUnsplit(fields: readonly Field[], part: WordPart, variables: Variables): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      add(fields, part.value);
      return;
    case "DoubleQuoted":
    case "LocaleString":
      add(fields, "");
      for (const child of part.parts) addQuoted(fields, child, variables);
      return;
    case "SimpleExpansion":
    case "ParameterExpansion":
      add(fields, knownValue(part, variables) ?? within);
      return;
    case "ProcessSubstitution":
      add(fields, `/dev/fd/${within}`);
      return;
    case "Glob":
      add(fields, part.text);
      return;
    default:
      add(fields, within);
      return;
  }
}

function addQuoted(fields: readonly Field[], part: DoubleQuotedChild, variables: Variables): void {
  if (part.type === "Literal") {
    add(fields, part.value);
    return;
  }
  if (part.type !== "SimpleExpansion" && part.type !== "ParameterExpansion") {
    add(fields, within);
    return;
  }
  const isList = part.text === "$@" || /^\$\{(@|\w+\[@\])/.test(part.text);
  add(fields, knownValue(part, variables) ?? (isList ? across : within));
}

/** Variables that hold one word by convention. */
const oneWord = /^(HOME|PWD|OLDPWD|TMPDIR|[A-Z]+_PROJECT_DIR|VIRTUAL_ENV|[?#$!])$/;

function addSplit(fields: readonly Field[], value: string | undefined, name: string, variables: Variables): void {
  if (value === undefined) {
    add(fields, oneWord.test(name) ? within : across);
    return;
  }
  if (variables.get("IFS") !== blanks || /[*?[]/.test(value)) {
    add(fields, value === "" ? "" : across);
    return;
  }
  for (const field of fields) {
    for (const [index, text] of value.split(/[ \t\n]+/).entries()) {
      if (index > 0) {
        if (field.current !== undefined && field.current !== "") field.done.push(field.current);
        field.current = undefined;
      }
      if (text !== "") field.current = (field.current ?? "") + text;
    }
  }
}

const nameIn = (text: string): string => text.replace(/^\$\{?/, "").replace(/\W.*$/s, "") || text.slice(1);

/** undefined: only the shell will know. */
function knownValue(
  part: { type: "SimpleExpansion"; text: string } | ParameterExpansionPart,
  variables: Variables,
): string | undefined {
  if (part.type === "SimpleExpansion") return variables.get(part.text.slice(1));
  if (part.prefix || part.index) return undefined;
  const value = variables.get(part.parameter);
  if (!part.operation) return value;
  if (part.operation.type !== "Default" || value === undefined) return undefined;
  const isUsed = part.operation.operator.startsWith(":") ? value !== "" : true;
  return isUsed && /^:?[-=?]$/.test(part.operation.operator) ? value : undefined;
}
