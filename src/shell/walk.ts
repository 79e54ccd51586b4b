/** The walk over the tree of a line: what each kind of node does to the shell that runs it. */
import {
  type Assignment,
  type Command as CommandNode,
  type CompoundList,
  type Function as FunctionNode,
  forEachChild,
  type Statement,
  type SyntaxNode,
  type While,
  type Word,
} from "unbash";
import type { Redirect, SimpleCommand } from "../engine/effects.ts";
import { resolvePath } from "../engine/file-pattern.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import { assignedIn, setsNames } from "./assigned.ts";
import { expandValue, expandWord, hidesSubstitution, isUnknown, textOf } from "./expand.ts";
import { listed } from "./listers.ts";
import { noteMade, noteRedirects, printed } from "./made.ts";
import { notePossible, openIn, takesDefaults } from "./possible.ts";
import { type Redirects, readRedirects } from "./redirects.ts";
import { printsInSubstitution } from "./settings-programs.ts";
import {
  type Call,
  cannotTell,
  checkText,
  forget,
  join,
  knownIn,
  noteRuns,
  quietly,
  type Reading,
  type Shell,
  setFolder,
  setVariable,
} from "./shell.ts";
import { countWork, createVisit, reserved, type Visits } from "./tree.ts";
import { checkVariable } from "./wrappers.ts";

/** A loop over constants is read once per word, up to so many. */
const mostRounds = 16;

export interface Walk extends Reading {
  depth: number;
  /** Functions whose body no call of this line has shown. */
  uncalled: Map<FunctionNode, Shell>;
  /** The command that an alias's caller adds words to. */
  ending?: { node: CommandNode; rest: readonly string[] } | undefined;
}

/** The last command of a text: that which words behind the text become arguments of. */
export function lastCommand(node: SyntaxNode): CommandNode | undefined {
  if (node.type === "Command") return node;
  if (node.type === "Statement") return lastCommand(node.command);
  if (node.type !== "Script" && node.type !== "AndOr" && node.type !== "Pipeline" && node.type !== "CompoundList")
    return undefined;
  const last = node.commands.at(-1);
  return last ? lastCommand(last) : undefined;
}

/** @param isBeside another process of the line runs at the same time */
function copy(shell: Shell, walk: Walk, isBeside = false): Shell {
  countWork(walk, (shell.variables.size + shell.functions.size) >> 2);
  return {
    ...shell,
    variables: new Map(shell.variables),
    functions: new Map(shell.functions),
    ...(isBeside ? { forkedAt: shell.calls.length } : {}),
  };
}

type Visit = (node: SyntaxNode, shell: Shell, walk: Walk) => void;

const visitInside: Visit = (node, shell, walk) => forEachChild(node, (child) => visit(child, shell, walk));

const visitScript = (script: SyntaxNode | undefined, shell: Shell, walk: Walk): void => {
  if (!script) noteRuns(walk, "cannot parse a substitution of the line");
  else visit(script, shell, walk);
};

/** Nodes that start a shell, branch, or run something. All others are walked through. */
const visits: Visits<Shell, Walk> = {
  Script(node, shell, walk) {
    if (node.errors && node.errors.length > 0) noteRuns(walk, "cannot parse the line as bash");
    visitInside(node, shell, walk);
  },
  Statement: (node, shell, walk) => visitInside(node, node.background ? copy(shell, walk, true) : shell, walk),
  Command: (node, shell, walk) => visitCommand(node, shell, walk),
  AndOr: (node, shell, walk) => visitList(node, shell, walk),
  Pipeline: (node, shell, walk) => visitPipeline(node, shell, walk),
  If(node, shell, walk) {
    visit(node.clause, shell, walk);
    const then = copy(shell, walk);
    visit(node.then, then, walk);
    const branches = [then];
    for (const branch of node.elif) {
      forget(assignedIn(branch.clause, walk), shell);
      const within = copy(shell, walk);
      visit(branch.clause, within, walk);
      visit(branch.then, within, walk);
      branches.push(within);
    }
    const last = copy(shell, walk);
    if (node.else) visit(node.else, last, walk);
    const parts = [node.then, ...node.elif, ...(node.else ? [node.else] : [])];
    join(namesIn(parts, walk), [...branches, last], shell);
  },
  Case(node, shell, walk) {
    visit(node.word, shell, walk);
    const names = assignedIn(node, walk);
    if (node.items.some(({ terminator }) => terminator !== undefined && terminator !== ";;")) forget(names, shell);
    const branches = node.items.map((item) => {
      const within = copy(shell, walk);
      visitInside(item, within, walk);
      return within;
    });
    const isSure = node.items.some(({ pattern }) => pattern.some(({ text }) => text === "*"));
    join(names, isSure ? branches : [...branches, copy(shell, walk)], shell);
  },
  While: (node, shell, walk) => visitWhile(node, shell, walk),
  ArithmeticFor(node, shell, walk) {
    const isAlways = node.test === undefined || (node.test.type === "ArithmeticWord" && node.test.value === "1");
    if (isAlways && startsBeside(node.body)) walk.forks = true;
    again(node, shell, walk);
  },
  Select: again,
  For: (node, shell, walk) => visitFor(node, shell, walk),
  Redirected(node, shell, walk) {
    const { redirects, input, from, isElsewhere } = redirectsOf(node.redirects, shell, walk);
    const within = {
      ...shell,
      redirects: [...shell.redirects, ...redirects],
      input,
      from,
      ...(isElsewhere ? { output: [] } : {}),
    };
    const before = walk.found.length;
    visit(node.command, within, walk);
    for (const { path, how } of redirects) if (how !== "reads") noteMade(walk, path, { is: "unknown" }, { shell });
    if (walk.found.length === before && redirects.length > 0) addRedirects(within.redirects, within, walk);
  },
  Subshell: (node, shell, walk) => visitInside(node, copy(shell, walk), walk),
  Coproc(node, shell, walk) {
    visit(node.body, { ...copy(shell, walk, true), input: "fed", from: [], output: [] }, walk);
    forget(assignedIn(node, walk), shell);
  },
  CommandExpansion(node, shell, walk) {
    // In double quotes bash takes a quote between backticks for the end of its own, and expands braces behind it.
    if (/^`.*".*\{.*(?:,|\.\.)/s.test(node.text)) noteRuns(walk, cannotTell(node.text));
    const before = walk.found.length;
    const output: number[] = [];
    visitScript(node.script, { ...copy(shell, walk), output }, walk);
    for (const index of output) shell.given.push(index);
    const text = printsInSubstitution(walk.found.slice(before), node.script, { shell, reading: walk });
    if (text === undefined) walk.prints.delete(node);
    else walk.prints.set(node, text);
  },
  ArithmeticCommandExpansion: (node, shell, walk) =>
    visitScript(node.script, { ...copy(shell, walk), output: shell.given }, walk),
  ProcessSubstitution(node, shell, walk) {
    const within = copy(shell, walk, true);
    if (node.operator === "<") {
      const before = walk.found.length;
      visitScript(node.script, { ...within, output: shell.given }, walk);
      const [only, ...others] = walk.found.slice(before);
      const text = only && others.length === 0 ? printed(only, walk) : undefined;
      if (text === undefined) walk.prints.delete(node);
      else walk.prints.set(node, text);
    } else {
      const from: number[] = [];
      shell.readers.push(from);
      visitScript(node.script, { ...within, input: "fed", from }, walk);
    }
  },
  Function(node, shell, walk) {
    const names = assignedIn(node.body, walk);
    for (const name of names) walk.unsteady.add(name);
    forget(names, shell);
    shell.functions.set(node.name.value, node);
    walk.uncalled.set(node, shell);
  },
  ParameterExpansion(node, shell, walk) {
    if (node.operation?.type === "Transform" && /P/.test(node.operation.operand.text))
      noteRuns(walk, cannotTell(node.text));
    // The parser ends the pattern at the first slash, also at one inside of a substitution.
    if (node.operation?.type === "Replace" && !isSimplePattern(node.operation.pattern.text))
      noteRuns(walk, cannotTell(node.text));
    if (node.operation?.type === "Default" && node.operation.operator.includes("=")) {
      const takes = shell.variables.has(takesDefaults) && !shell.variables.has(node.parameter);
      const value = takes ? expandWord(node.operation.operand, knownIn(shell, walk)).join(" ") : undefined;
      setVariable(node.parameter, value, { shell, reading: walk });
    }
    visitInside(node, shell, walk);
  },
  TestUnary(node, shell, walk) {
    visitInside(node, shell, walk);
    if (node.operator === "-v") checkArithmetic(node.operand, shell, walk);
  },
  TestBinary(node, shell, walk) {
    visitInside(node, shell, walk);
    if (!/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
    checkArithmetic(node.left, shell, walk);
    checkArithmetic(node.right, shell, walk);
  },
  AnsiCQuoted(node, shell, walk) {
    // Shells that do not know it end the text at the first quote.
    if (!shell.isBash && node.text.includes("\\'")) noteRuns(walk, cannotTell(node.text));
    checkText(node.value, walk);
  },
  ArithmeticWord(node, shell, walk) {
    shell.variables.delete(node.value);
    visitInside(node, shell, walk);
  },
};

const isSimplePattern = (text: string): boolean => !/[`(]/.test(text) || /^[^$`(]*\$\([^()'"`\\]*\)[^$`(]*$/.test(text);

/** Its text is arithmetic, in which subscripts are expanded. */
function checkArithmetic(word: Word, shell: Shell, walk: Walk): void {
  for (const text of expandWord(word, knownIn(shell, walk))) checkText(text, walk);
}

/** Walks one node in the shell that runs it. */
export const visit: Visit = createVisit(visits, visitInside);

/** What comes after && runs only if what stands before it ran; after || nothing is sure. */
function visitList(node: SyntaxNode & { type: "AndOr" }, shell: Shell, walk: Walk): void {
  const [first, ...rest] = node.commands;
  const start = textOf(shell.variables, "PWD");
  if (first) visit(first, shell, walk);
  const within = copy(shell, walk);
  const moves = (one: SyntaxNode): boolean => assignedIn(one, walk).has("PWD");
  const firstMoves = first !== undefined && (moves(first) || textOf(shell.variables, "PWD") !== start);
  for (const [index, command] of rest.entries()) {
    if (node.operators[index] === "||") {
      for (const earlier of rest.slice(0, index)) forget(assignedIn(earlier, walk), within);
      if (firstMoves) setFolder(index === 0 ? start : undefined, { shell: within, reading: walk });
    }
    visit(command, within, walk);
  }
  // A script goes on in the folder that its own `cd x && y` chose: where cd failed, nearly all of them end.
  const folder =
    node.operators.includes("||") || node.commands.slice(0, -1).some(asks)
      ? undefined
      : textOf(within.variables, "PWD");
  const names = namesIn(rest, walk);
  const hasMoved =
    names.has("PWD") || (firstMoves && !node.commands.some((one) => leaves(one, shell)) && folder === undefined);
  join(names, [copy(shell, walk), within], shell);
  if (hasMoved) setFolder(folder, { shell, reading: walk });
}

/** `[ -d x ] && cd x`: it is as likely that nothing happens. */
function asks(node: SyntaxNode): boolean {
  if (node.type === "TestCommand" || node.type === "ArithmeticCommand") return true;
  if (node.type === "Pipeline")
    return node.prefixes.some(({ type }) => type === "Negation") || node.commands.some(asks);
  if (node.type !== "Command") return false;
  const names = [node.name, ...node.args].map((word) => (word?.type === "Word" ? word.value : ""));
  return (
    /^(?:test|grep|which|command|type|hash)$/.test(names[0] ?? "") || names.includes("[") || names.includes("false")
  );
}

/** `cd x || exit`: where cd failed, nothing comes behind. */
function leaves(node: SyntaxNode, { calls }: Shell): boolean {
  const last = lastCommand(node.type === "BraceGroup" ? node.body : node);
  const name = last?.name?.value ?? "";
  // Outside of a function bash says that it cannot return, and goes on.
  return name === "return" ? calls.length > 0 : /^(exit|die|break|continue|fail|abort)$/.test(name);
}

function visitPipeline(node: SyntaxNode & { type: "Pipeline" }, shell: Shell, walk: Walk): void {
  if (node.commands.length === 1) {
    visitInside(node, shell, walk);
    return;
  }
  let { input, from } = shell;
  const last = node.commands.length - 1;
  for (const [index, command] of node.commands.entries()) {
    const output = index === last ? shell.output : [];
    const before = walk.found.length;
    visit(command, { ...copy(shell, walk, true), input, from, output }, walk);
    const only = walk.found[before];
    const text =
      command.type === "Command" && only && walk.found.length === before + 1 ? printed(only, walk) : undefined;
    input = text === undefined ? "fed" : { text };
    from = output;
  }
}

/** `while read x; do …; done`: each line of a text that is known is read once. */
function visitWhile(node: While, shell: Shell, walk: Walk): void {
  const { input } = shell;
  const lines = typeof input === "object" ? input.text.replace(/\n$/, "").split("\n") : [];
  const names = assignedIn(node, walk);
  const reads = lines.length > 0 && lines.length <= mostRounds && readsFirst(node.clause);
  if (node.kind !== "while" || !reads) {
    if (isEndless(node) && startsBeside(node.body)) walk.forks = true;
    forget(names, shell);
    visit(node.clause, copy(shell, walk), walk);
    const round = copy(shell, walk);
    noteListed(node, round, walk);
    visit(node.body, round, walk);
    join(names, [copy(shell, walk), round], shell);
    return;
  }
  forget(names, shell);
  for (const line of lines) {
    const round = { ...copy(shell, walk), input: { text: `${line}\n` } };
    visit(node.clause, round, walk);
    visit(node.body, round, walk);
  }
}

const commandIn = (statement: Statement | undefined): CommandNode | undefined =>
  statement?.command.type === "Command" ? statement.command : undefined;

/** Its first command is `read`. */
const readsFirst = ({ commands: [first] }: CompoundList): boolean => commandIn(first)?.name?.value === "read";

/** A loop without an end. */
function isEndless({ clause: { commands }, kind }: While): boolean {
  const only = commands.length === 1 ? commandIn(commands[0]) : undefined;
  const text = only ? [only.name, ...only.args].map((one) => (one?.type === "Word" ? one.value : "")).join(" ") : "";
  return kind === "until" ? text === "false" : /^(?:true|:|1|\[ 1 \])$/.test(text);
}

/** The last of its commands goes on beside the next round, and nothing waits for any. */
function startsBeside(body: CompoundList): boolean {
  let waits = false;
  const look = (node: SyntaxNode): void => {
    if (node.type === "Command" && /^(?:wait|sleep|break|exit|return|read|inotifywait)$/.test(node.name?.value ?? ""))
      waits = true;
    forEachChild(node, look);
  };
  if (body.commands.at(-1)?.background !== true) return false;
  look(body);
  return !waits;
}

const namesIn = (nodes: readonly SyntaxNode[], walk: Walk): ReadonlySet<string> =>
  new Set(nodes.flatMap((one) => [...assignedIn(one, walk)]));

/** Parts of it may not run, or run again: nothing that it sets is sure. */
function again(node: SyntaxNode, shell: Shell, walk: Walk): void {
  const names = assignedIn(node, walk);
  forget(names, shell);
  const parts: Shell[] = [copy(shell, walk)];
  forEachChild(node, (child) => {
    const part = copy(shell, walk);
    visit(child, part, walk);
    parts.push(part);
  });
  join(names, parts, shell);
}

/** `find … | while read f`: what a program before it lists, the variable may be. */
function noteListed(node: While, { from, variables }: Shell, walk: Walk): void {
  if (!readsFirst(node.clause)) return;
  const values = from.flatMap((index) => pathsListed(walk.found[index]));
  for (const name of assignedIn(node.clause, walk)) notePossible(name, { values, isAll: false }, variables);
}

/** As patterns, from where the line began to look. */
function pathsListed(command: SimpleCommand | undefined): string[] {
  const found = command ? listed(command) : [];
  const at = (path: string): string => (command?.cwd === undefined ? path : resolvePath(path, command.cwd));
  return found.map(({ path, from }) => at(from ? `${from[0] ?? "."}/${path}` : path));
}

function visitFor(node: SyntaxNode & { type: "For" }, shell: Shell, walk: Walk): void {
  const before = walk.found.length;
  for (const word of node.wordlist ?? []) visit(word, shell, walk);
  const paths = walk.found.slice(before).flatMap(pathsListed);
  const known = knownIn(shell, walk);
  // Without a list it goes through the arguments.
  const args = shell.variables.get("@");
  const values = node.wordlist?.flatMap((word) => expandWord(word, known)) ?? (typeof args === "object" ? args : []);
  for (const value of values) checkText(value, walk);
  const names = assignedIn(node, walk);
  forget(names, shell);
  const shells = [copy(shell, walk)];
  const rounds =
    values.length > 0 && values.length <= mostRounds
      ? values.map((one) => (isUnknown(one) ? undefined : one))
      : [undefined];
  for (const value of rounds.includes(undefined) ? [undefined] : rounds) {
    const round = copy(shell, walk);
    setVariable(node.name.value, value, { shell: round, reading: walk });
    if (value === undefined) notePossible(node.name.value, { values: paths, isAll: false }, round.variables);
    visit(node.body, round, walk);
    shells.push(round);
  }
  join(names, shells, shell);
}

/** Variables that may have several values: for each, up to so many of them in one command. */
const mostOpen = 2;

const visitCommand = (node: CommandNode, shell: Shell, walk: Walk): void => visitOpen(node, { shell, walk, count: 0 });

/** Once for each value that a variable among its words may have. What may be none of them is read as unknown as well. */
function visitOpen(node: CommandNode, { shell, walk, count }: { shell: Shell; walk: Walk; count: number }): void {
  const open = count < mostOpen ? openIn(node, shell.variables) : undefined;
  if (!open) {
    visitOne(node, shell, walk);
    return;
  }
  const rounds: Shell[] = [];
  const before = copy(shell, walk);
  const read = (): void => {
    for (const value of open.values) {
      const round = copy(before, walk);
      round.variables.set(open.name ?? takesDefaults, open.name === undefined ? value : [value]);
      visitOpen(node, { shell: round, walk, count: count + 1 });
      round.variables.delete(takesDefaults);
      rounds.push(round);
    }
  };
  const names = assignedIn(node, walk);
  if (open.isAll) {
    read();
    join(names, rounds, shell);
    return;
  }
  visitOne(node, shell, walk);
  const folder = textOf(shell.variables, "PWD");
  quietly(walk, read);
  if (names.size === 0) return;
  join(names, [copy(shell, walk), ...rounds], shell);
  if (names.has("PWD")) setFolder(folder, { shell, reading: walk });
}

function visitOne(node: CommandNode, outer: Shell, walk: Walk): void {
  const given: number[] = [];
  const shell: Shell = { ...outer, given, readers: [] };
  const own = redirectsOf(node.redirects, shell, walk);
  const assignments = node.prefix.length === 0 ? [] : node.prefix.filter((one) => one.type === "Assignment");
  for (const assignment of assignments) assign(assignment, { shell, walk, isForAll: !node.name });
  const rest = walk.ending?.node === node ? walk.ending.rest : [];
  const redirects = own.redirects.length === 0 ? shell.redirects : [...shell.redirects, ...own.redirects];
  if (!node.name) {
    if (own.redirects.length > 0) addRedirects(redirects, shell, walk);
    for (const index of given) outer.output.push(index);
    return;
  }
  if (reserved.has(node.name.text)) noteRuns(walk, "cannot parse the line as bash");
  const words = visitWord(node.name, shell, walk);
  for (const one of node.args) for (const word of visitWord(one, shell, walk)) words.push(word);
  for (const word of rest) words.push(word);
  const program = baseName(words[0] ?? "");
  // What a part of the line may set was looked up by the names as written.
  if (program !== node.name.value && setsNames(program)) noteRuns(walk, cannotTell(node.name.text));
  const within: Shell = assignments.length > 0 ? { ...shell, variables: new Map(shell.variables) } : shell;
  for (const one of assignments) {
    within.variables.delete(one.name);
    if (one.name === "CDPATH")
      setVariable(one.name, expandValue(one, knownIn(shell, walk)), { shell: within, reading: walk });
  }
  const index = walk.found.length;
  const call: Call = {
    reading: walk,
    shell: within,
    input: own.input,
    from: own.from,
    given,
    redirects,
    prints: !own.isElsewhere,
    by: shell.by,
    direct: true,
    depth: 0,
    source: node.name.text,
  };
  walk.command(words, call);
  if (program === "mapfile" || program === "readarray")
    notePossible(
      words.at(-1) ?? "",
      { values: own.from.flatMap((from) => pathsListed(walk.found[from])), isAll: false },
      shell.variables,
    );
  for (const one of node.args)
    if (one.type === "Assignment" && /^(?:declare|typeset|local|export|readonly)$/.test(program))
      setElements(one, { shell: within, walk });
  const command = walk.found[index];
  if (command) {
    for (const from of shell.readers) from.push(index);
    if (own.redirects.length > 0) noteRedirects(own.redirects, printed(command, walk), call);
  }
  if (within === shell) return;
  forget(assignedIn(node, walk), shell);
  if (program === "cd") setFolder(textOf(within.variables, "PWD"), { shell, reading: walk });
}

/** `export NAME=value` is one word to the program. */
function visitWord(one: Word | Assignment, shell: Shell, walk: Walk): string[] {
  // Most words are plain text: there is nothing to walk through.
  if (one.type === "Word" && !one.parts) countWork(walk, 1);
  else visit(one, shell, walk);
  const known = knownIn(shell, walk);
  if (one.type === "Word") return expandWord(one, known);
  const value = one.index ? unknownText : expandValue(one, known);
  return [`${one.name}=${typeof value === "string" ? value : unknownText}`];
}

function assign(
  assignment: Assignment,
  { shell, walk, isForAll }: { shell: Shell; walk: Walk; isForAll: boolean },
): void {
  const before = walk.found.length;
  forEachChild(assignment, (child) => visit(child, shell, walk));
  const paths = walk.found.length === before ? [] : walk.found.slice(before).flatMap(pathsListed);
  const value = expandValue(assignment, knownIn(shell, walk));
  const text = typeof value === "string" ? value : unknownText;
  checkVariable(assignment.name, text, { reading: walk, shell });
  if (assignment.index && hidesSubstitution(assignment.text)) noteRuns(walk, cannotTell(assignment.text));
  if (isForAll && assignment.name === "PWD") noteRuns(walk, cannotTell(assignment.text));
  if (isForAll) setVariable(assignment.name, assignment.index ? undefined : value, { shell, reading: walk });
  else checkText(text, walk);
  if (isForAll && paths.length > 0 && !shell.variables.has(assignment.name))
    notePossible(assignment.name, { values: paths, isAll: false }, shell.variables);
  if (isForAll) setElements(assignment, { shell, walk });
}

/** `m[k]=x` and `m=([k]=x)`: one element each. */
function setElements(assignment: Assignment, { shell, walk }: { shell: Shell; walk: Walk }): void {
  const { name, index, value } = assignment;
  const known = knownIn(shell, walk);
  const set = (key: string, text: string | undefined): void => {
    if (!/^\w+$/.test(key) || walk.unsteady.has(name)) return;
    if (text === undefined || isUnknown(text)) shell.variables.delete(`${name}[${key}]`);
    else {
      shell.variables.set(`${name}[`, ""); // that it has elements
      shell.variables.set(`${name}[${key}]`, text);
    }
  };
  if (index !== undefined) {
    const text = expandValue(assignment, known);
    set(index.text.replace(/^(["'])(.*)\1$/, "$2"), typeof text === "string" ? text : undefined);
  } else if (value.type === "ArrayValue")
    for (const { text } of value.elements) {
      const [, key = "", own] = /^\[["']?(\w+)["']?\]=([\s\S]*)$/.exec(text) ?? [];
      if (own === undefined) continue;
      const plain = own.replace(/^"([^"]*)"$|^'([^'$`]*)'$/, "$1$2");
      const home = textOf(shell.variables, "HOME");
      const filled = home === undefined ? plain : plain.replace(/^~(?=\/|$)|\$HOME\b|\$\{HOME\}/, home);
      set(key, /^[\w./~ -]*$/.test(filled) ? filled : undefined);
    }
}

function redirectsOf(nodes: CommandNode["redirects"], shell: Shell, walk: Walk): Redirects {
  for (const node of nodes) forEachChild(node, (child) => visit(child, shell, walk));
  return readRedirects(nodes, shell, walk);
}

/** A redirection alone makes or empties its file, as `:` with it does. */
function addRedirects(redirects: readonly Redirect[], shell: Shell, walk: Walk): void {
  const cwd = textOf(shell.variables, "PWD");
  const command: SimpleCommand = {
    words: [":"],
    input: [],
    given: shell.given,
    redirects,
    ...(cwd === undefined ? {} : { cwd }),
    ...(shell.by === undefined ? {} : { by: shell.by }),
  };
  walk.found.push(command);
  for (const { path, how } of redirects) if (how !== "reads") noteMade(walk, path, { is: "unknown" }, { shell });
}
