/**
 * The simple commands of a shell line, as bash would run them (R10): through lists, pipes, subshells, substitutions,
 * functions, wrappers and quotes. What another program gets only as text (an argument, a here-document, a comment)
 * is no command. Apart because the parser costs a start 15 ms.
 */

import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { baseName } from "../engine/pattern.ts";
import {
  checkVariable,
  everyName,
  type Input,
  newShell,
  noteWritten,
  type Reading,
  type Shell,
  setVariable,
} from "./call.ts";
import { run } from "./runs.ts";
import {
  type Budget,
  createVisit,
  eachInside,
  expandValue,
  expandWord,
  giveUp,
  isUnknown,
  reserved,
  type Visits,
} from "./tree.ts";
import { writtenBy } from "./writes.ts";

const longestLine = 200_000;
const deepestLine = 8;
/** A loop over constants is read once per word, up to so many. */
const mostRounds = 16;

/**
 * Words of every command, the program first and as written. A word that only the shell will know holds `unknownText`.
 *
 * @returns undefined if the line cannot be analysed. Never throws
 * @example commands("cd x && sudo git push") // [["cd", "x"], ["sudo", "git", "push"], ["git", "push"]]
 */
export const commands = (line: string): string[][] | undefined => read(line)?.found;

function read(line: string): Reading | undefined {
  if (line.length > longestLine || line.includes("\0")) return undefined;
  try {
    const walk = createWalk();
    walk.reading.line(line, newShell(false));
    return walk.reading;
  } catch {
    return undefined; // given up, or nested deeper than the stack is: either way what would run is not known
  }
}

/** The files that a line writes or removes, as written, as far as its words tell; undefined: it cannot be analysed. Never throws. */
export function writes(line: string): string[] | undefined {
  const reading = read(line);
  if (!reading) return undefined;
  const folders = reading.found.flatMap(([program = "", to]) => (/^(cd|pushd)$/.test(program) && to ? to : []));
  const paths = [...reading.written, ...reading.found.flatMap(writtenBy)];
  return paths.flatMap((path) => [path, ...(/^[/~]/.test(path) ? [] : folders.map((folder) => `${folder}/${path}`))]);
}

interface Walk extends Budget {
  reading: Reading;
  depth: number;
}

function createWalk(): Walk {
  const walk: Walk = {
    depth: 0,
    nodes: 0,
    reading: {
      found: [],
      unsteady: new Set(),
      written: new Set(),
      line(text, shell) {
        if (++walk.depth > deepestLine) giveUp();
        visit(parse(text), shell, walk);
        walk.depth--;
      },
      command: run,
      assignedBy: (text) => assignedIn(parse(text), walk),
    },
  };
  return walk;
}

const copy = (shell: Shell, fed = shell.fed): Shell => ({ variables: new Map(shell.variables), fed });

type Visit = (node: SyntaxNode, shell: Shell, walk: Walk) => void;

const visitInside: Visit = (node, shell, walk) => forEachChild(node, (child) => visit(child, shell, walk));

const visitScript = (script: SyntaxNode | undefined, shell: Shell, walk: Walk): void => {
  if (!script) giveUp();
  else visit(script, shell, walk);
};

/** Nodes that start a shell, branch, or run something. All others are walked through. */
const visits: Visits<Shell, Walk> = {
  Script(node, shell, walk) {
    if (node.errors && node.errors.length > 0) giveUp();
    visitInside(node, shell, walk);
  },
  Statement: (node, shell, walk) => visitInside(node, node.background ? copy(shell) : shell, walk),
  Command: (node, shell, walk) => visitCommand(node, shell, walk),
  AndOr: (node, shell, walk) => visitList(node, shell, walk),
  Pipeline(node, shell, walk) {
    if (node.commands.length === 1) return visitInside(node, shell, walk);
    for (const [index, command] of node.commands.entries()) visit(command, copy(shell, shell.fed || index > 0), walk);
    forgetAssigned(node, shell, walk);
  },
  If: perhaps,
  Case: perhaps,
  While: perhaps,
  ArithmeticFor: perhaps,
  Select: perhaps,
  For: (node, shell, walk) => visitFor(node, shell, walk),
  Redirected(node, shell, walk) {
    for (const redirect of node.redirects) visitRedirect(redirect, shell, walk);
    visit(node.command, { variables: shell.variables, fed: shell.fed || node.redirects.some(isInput) }, walk);
  },
  Subshell: (node, shell, walk) => visitInside(node, copy(shell), walk),
  Coproc(node, shell, walk) {
    forgetAssigned(node, shell, walk);
    visitInside(node, copy(shell, true), walk);
  },
  CommandExpansion: (node, shell, walk) => visitScript(node.script, copy(shell), walk),
  ArithmeticCommandExpansion: (node, shell, walk) => visitScript(node.script, copy(shell), walk),
  ProcessSubstitution: (node, shell, walk) =>
    visitScript(node.script, copy(shell, shell.fed || node.operator === ">"), walk),
  Function(node, shell, walk) {
    for (const name of assignedIn(node, walk)) walk.reading.unsteady.add(name);
    forgetAssigned(node, shell, walk);
    // Its body runs whenever it is called, with whatever input and variables there are then.
    visit(node.body, { variables: new Map(), fed: true }, walk);
  },
  ParameterExpansion(node, shell, walk) {
    if (node.operation?.type === "Transform" && /P/.test(node.operation.operand.text)) giveUp();
    if (node.operation?.type === "Default" && node.operation.operator.includes("="))
      shell.variables.delete(node.parameter);
    visitInside(node, shell, walk);
  },
  ArithmeticWord(node, shell, walk) {
    shell.variables.delete(node.value);
    visitInside(node, shell, walk);
  },
};

/** Walks one node in the shell that runs it. */
const visit: Visit = createVisit(visits, visitInside);

/** What comes after && runs only if what stands before it ran; after || nothing is sure. */
function visitList(node: SyntaxNode & { type: "AndOr" }, shell: Shell, walk: Walk): void {
  const [first, ...rest] = node.commands;
  if (first) visit(first, shell, walk);
  const within = copy(shell);
  for (const [index, command] of rest.entries()) {
    if (node.operators[index] === "||")
      for (const earlier of rest.slice(0, index)) forgetAssigned(earlier, within, walk);
    visit(command, within, walk);
  }
  for (const command of rest) forgetAssigned(command, shell, walk);
}

/** Parts of it may not run, or run again: nothing that it sets is known. */
function perhaps(node: SyntaxNode, shell: Shell, walk: Walk): void {
  forgetAssigned(node, shell, walk);
  forEachChild(node, (child) => visit(child, copy(shell), walk));
}

function visitFor(node: SyntaxNode & { type: "For" }, shell: Shell, walk: Walk): void {
  for (const word of node.wordlist ?? []) visit(word, shell, walk);
  const values = node.wordlist?.flatMap((word) => expandWord(word, shell.variables)) ?? [];
  forgetAssigned(node, shell, walk);
  const isKnown = values.length > 0 && values.length <= mostRounds && !values.some((value) => /[\0*?[]/.test(value));
  for (const value of isKnown ? values : [undefined]) {
    const round = copy(shell);
    setVariable(node.name.value, value, { shell: round, reading: walk.reading });
    visit(node.body, round, walk);
  }
}

function visitCommand(node: Command, shell: Shell, walk: Walk): void {
  const { reading } = walk;
  const redirects = node.redirects;
  for (const redirect of redirects) visitRedirect(redirect, shell, walk);
  const assignments = node.prefix.filter((one): one is Assignment => one.type === "Assignment");
  for (const assignment of assignments) {
    forEachChild(assignment, (child) => visit(child, shell, walk));
    const value = expandValue(assignment, shell.variables);
    checkVariable(assignment.name, value, reading);
    if (!node.name) setVariable(assignment.name, assignment.index ? undefined : value, { shell, reading });
  }
  if (!node.name) return;
  if (reserved.has(node.name.text)) giveUp(); // bash and the parser may differ on whether it is one here
  for (const word of [node.name, ...node.args]) visit(word, shell, walk);
  const words = [node.name, ...node.args].flatMap((one) => wordsOf(one, shell));
  const program = baseName(words[0] ?? "");
  // What a part of the line may set was looked up by the names as written.
  if (program !== node.name.value && (setters.has(program) || setsAny.has(program))) giveUp();
  const within: Shell = assignments.length > 0 ? { variables: new Map(shell.variables), fed: shell.fed } : shell;
  for (const { name } of assignments) within.variables.delete(name);
  reading.command(words, { reading, shell: within, input: inputOf(redirects, shell), direct: true, depth: 0 });
  if (within !== shell) forgetAssigned(node, shell, walk);
}

/** `export NAME=value` is one word to the program. */
function wordsOf(one: Word | Assignment, { variables }: Shell): string[] {
  if (one.type === "Word") return expandWord(one, variables);
  return [`${one.name}=${one.index ? "\0" : expandValue(one, variables)}`];
}

function visitRedirect(redirect: Redirection, shell: Shell, walk: Walk): void {
  forEachChild(redirect, (child) => visit(child, shell, walk));
  if (redirect.type !== "Redirect" || !redirect.target || isInput(redirect)) return;
  for (const path of expandWord(redirect.target, shell.variables)) noteWritten(path, walk.reading);
}

const isInput = (redirect: Redirection): boolean =>
  redirect.type !== "Redirect" || ["<", "<>", "<&"].includes(redirect.operator);

/** What the last redirection of standard input gives. */
function inputOf(redirects: readonly Redirection[], shell: Shell): Input {
  const last = redirects.filter(isInput).at(-1);
  if (!last) return shell.fed ? "fed" : "inherited";
  if (last.descriptor && !(last.descriptor.type === "FileDescriptor" && last.descriptor.value === 0)) return "fed";
  if (last.type === "HereString") {
    const [text] = last.target ? [expandWord(last.target, shell.variables).join(" ")] : [];
    return text === undefined || isUnknown(text) ? "fed" : { text };
  }
  if (last.type === "HereDoc") {
    const text = last.operator === "<<-" ? last.body.text.replace(/^\t+/gm, "") : last.body.text;
    return last.delimiter?.quoted || !/[$`\\]/.test(text) ? { text } : "fed";
  }
  const [path] = last.operator === "<" && last.target ? expandWord(last.target, shell.variables) : [];
  return path === undefined || isUnknown(path) || /^\/(dev|proc)\//.test(path) ? "fed" : "file";
}

function forgetAssigned(node: SyntaxNode, shell: Shell, walk: Walk): void {
  for (const name of assignedIn(node, walk)) {
    if (name === everyName) shell.variables.clear();
    else shell.variables.delete(name);
  }
}

/** Builtins that set the variables they name, and those that may set any. */
const setters: ReadonlySet<string> = new Set(
  "read mapfile readarray printf getopts unset declare typeset local export readonly wait".split(" "),
);
const setsAny: ReadonlySet<string> = new Set(["eval", "source", ".", "let", "trap", "command", "builtin"]);

/** Names that a part of the line may set, whatever the way. */
function assignedIn(node: SyntaxNode, walk: Walk): Set<string> {
  const names = new Set<string>();
  eachInside(node, walk, (one) => {
    if (one.type === "Assignment") names.add(one.name);
    else if (one.type === "For" || one.type === "Select") names.add(one.name.value);
    else if (one.type === "ParameterExpansion") names.add(one.operation?.type === "Default" ? one.parameter : "");
    else if (one.type === "ArithmeticWord") names.add(one.value);
    else if (one.type === "Command" && one.name) addSet(one, names);
  });
  return names;
}

function addSet(command: Command, names: Set<string>): void {
  const program = command.name?.value ?? "";
  if (setsAny.has(program)) names.add(everyName);
  if (!setters.has(program) || (program === "printf" && !command.args[0]?.text.startsWith("-v"))) return;
  for (const one of command.args) {
    if (one.type === "Word") names.add(one.parts ? everyName : (/^\w+/.exec(one.value)?.[0] ?? ""));
  }
}
