/**
 * The simple commands of a shell line, as bash would run them (R10): through lists, pipes, subshells, substitutions,
 * functions, wrappers and quotes. What another program gets only as text (an argument, a here-document, a comment)
 * is no command. What the line does not tell becomes an entry of `unknown`, and the reading goes on. Apart because the
 * parser costs a start 15 ms.
 */
import {
  type Assignment,
  type Command as CommandNode,
  type Function as FunctionNode,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import type { Redirect, ShellPlace, ShellReading, SimpleCommand } from "../engine/effects.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import { assignedIn, setsNames } from "./assigned.ts";
import { blanks, expandValue, expandWord, hidesSubstitution, isUnknown, type Known, textOf } from "./expand.ts";
import { madeAt, noteMade, noteRedirects, pathIn, printed } from "./made.ts";
import { run } from "./runs.ts";
import { printsInSubstitution } from "./settings-programs.ts";
import {
  type Call,
  cannotTell,
  checkText,
  forget,
  type Input,
  noteRuns,
  type Reading,
  type Shell,
  setFolder,
  setVariable,
} from "./shell.ts";
import { countWork, createVisit, giveUp, reserved, type Visits } from "./tree.ts";
import { checkVariable } from "./wrappers.ts";
import { gitHooks, writtenBy } from "./writes.ts";

const longestLine = 200_000;
const mostHereDocuments = 2000;
/** The parser looks at what is in brackets once for each bracket around it: characters times brackets. */
const mostNested = 3_000_000;
const deepestLine = 8;
/** A loop over constants is read once per word, up to so many. */
const mostRounds = 16;
const tooLong = "the line is too long or too deep to read";

/**
 * Words of every command, the program first. A word that only the shell will know holds `unknownText`.
 *
 * @returns what could be read; the rest is in `unknown`. Never throws
 * @example readShell("cd x && sudo git push", { cwd: "/a", home: "/home/ada" }).commands.map(({ words }) => words)
 * // [["cd", "x"], ["sudo", "git", "push"], ["git", "push"]]
 */
export function readShell(line: string, place: ShellPlace): ShellReading {
  const walk = createWalk(place);
  try {
    if (line.length > longestLine || line.split("<<").length > mostHereDocuments) giveUp();
    if (line.length * deepestBracket(line) > mostNested) giveUp();
    walk.line(line, firstShell(place));
    readUncalled(walk);
  } catch {
    noteRuns(walk, tooLong); // it has been given up, or is nested deeper than the stack is
  }
  return {
    commands: walk.found,
    unknown: [...walk.unknown.values()],
    ...(walk.forks ? { forks: true } : {}),
  };
}

/** How many brackets are open at once, quoted or not. */
function deepestBracket(line: string): number {
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === opens) depth++;
    else if (code === closes && depth > 0) depth--;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}
const opens = 40;
const closes = 41;

/** The files that a line writes or removes, absolute where it tells; undefined: it does not tell all that it does. Never throws. */
export function writes(line: string, place: ShellPlace): string[] | undefined {
  const { commands, unknown } = readShell(line, place);
  if (unknown.length > 0) return undefined;
  return commands.flatMap(({ words, redirects, cwd }) => {
    const written = redirects.flatMap(({ path, how }) => (how === "reads" ? [] : path));
    return [...written, ...writtenBy(words)].map((path) => (path === gitHooks ? path : pathIn(cwd, path)));
  });
}

interface Walk extends Reading {
  depth: number;
  /** Functions whose body no call of this line has shown. */
  uncalled: Map<FunctionNode, Shell>;
  /** The command that an alias's caller adds words to. */
  ending?: { node: CommandNode; rest: readonly string[] } | undefined;
}

function createWalk({ home }: ShellPlace): Walk {
  const walk: Walk = {
    depth: 0,
    nodes: 0,
    home,
    found: [],
    unknown: new Map(),
    unsteady: new Set(),
    aliases: new Map(),
    made: new Map(),
    hashed: new Map(),
    prints: new Map(),
    uncalled: new Map(),
    changesPath: false,
    forks: false,
    line(text, shell, rest = []) {
      if (++walk.depth > deepestLine || text.includes(unknownText)) giveUp();
      countWork(walk, text.length >> 4);
      const script = parse(text);
      const before = walk.ending;
      const node = rest.length > 0 ? lastCommand(script) : undefined;
      walk.ending = node ? { node, rest } : undefined;
      visit(script, shell, walk);
      walk.ending = before;
      walk.depth--;
    },
    command: run,
    body(node, shell) {
      walk.uncalled.delete(node);
      if (++walk.depth > deepestLine * 2) giveUp();
      visit(node.body, shell, walk);
      walk.depth--;
    },
    assignedBy: (text) => assignedIn(parse(text), walk),
  };
  return walk;
}

/** The last command of a text: that which words behind the text become arguments of. */
function lastCommand(node: SyntaxNode): CommandNode | undefined {
  if (node.type === "Command") return node;
  if (node.type === "Statement") return lastCommand(node.command);
  if (node.type !== "Script" && node.type !== "AndOr" && node.type !== "Pipeline" && node.type !== "CompoundList")
    return undefined;
  const last = node.commands.at(-1);
  return last ? lastCommand(last) : undefined;
}

function firstShell({ cwd, home }: ShellPlace): Shell {
  return {
    variables: new Map([["IFS", blanks], ["PWD", cwd], ...(home === "" ? [] : [["HOME", home] as const])]),
    functions: new Map(),
    isBash: true,
    input: "inherited",
    from: [],
    output: [],
    given: [],
    readers: [],
    redirects: [],
    calls: [],
    forkedAt: 0,
  };
}

const knownIn = ({ variables, isBash }: Shell, { prints }: Walk): Known => ({ variables, isBash, prints });

/** Somebody else may call them, with whatever input and variables there are then. */
function readUncalled(walk: Walk): void {
  for (const [node, shell] of walk.uncalled)
    walk.body(node, { ...shell, variables: new Map(), input: "fed", calls: [node.name.value] });
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
    visit(node.then, copy(shell, walk), walk);
    for (const branch of node.elif) {
      forget(assignedIn(branch.clause, walk), shell);
      const within = copy(shell, walk);
      visit(branch.clause, within, walk);
      visit(branch.then, within, walk);
    }
    if (node.else) visit(node.else, copy(shell, walk), walk);
    for (const branch of [node.then, ...node.elif, ...(node.else ? [node.else] : [])])
      forget(assignedIn(branch, walk), shell);
  },
  Case(node, shell, walk) {
    visit(node.word, shell, walk);
    const names = assignedIn(node, walk);
    if (node.items.some(({ terminator }) => terminator !== undefined && terminator !== ";;")) forget(names, shell);
    for (const item of node.items) visitInside(item, copy(shell, walk), walk);
    forget(names, shell);
  },
  While: again,
  ArithmeticFor: again,
  Select: again,
  For: (node, shell, walk) => visitFor(node, shell, walk),
  Redirected(node, shell, walk) {
    const { redirects, input, from, isElsewhere } = readRedirects(node.redirects, shell, walk);
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
    const before = walk.found.length;
    const output: number[] = [];
    visitScript(node.script, { ...copy(shell, walk), output }, walk);
    for (const index of output) shell.given.push(index);
    const text = printsInSubstitution(walk.found.slice(before), node.script, shell);
    if (text === undefined) walk.prints.delete(node);
    else walk.prints.set(node, text);
  },
  ArithmeticCommandExpansion: (node, shell, walk) =>
    visitScript(node.script, { ...copy(shell, walk), output: shell.given }, walk),
  ProcessSubstitution(node, shell, walk) {
    const within = copy(shell, walk, true);
    if (node.operator === "<") visitScript(node.script, { ...within, output: shell.given }, walk);
    else {
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
  const start = textOf(shell.variables, "PWD");
  if (first) visit(first, shell, walk);
  const within = copy(shell, walk);
  const moves = (one: SyntaxNode): boolean => assignedIn(one, walk).has("PWD");
  for (const [index, command] of rest.entries()) {
    if (node.operators[index] === "||") {
      for (const earlier of rest.slice(0, index)) forget(assignedIn(earlier, walk), within);
      if (first && moves(first)) setFolder(index === 0 ? start : undefined, { shell: within, reading: walk });
    }
    visit(command, within, walk);
  }
  // A script goes on in the folder that its own `cd x && y` chose: where cd failed, nearly all of them end.
  const folder = node.operators.includes("||") ? undefined : textOf(within.variables, "PWD");
  const hasMoved = rest.some(moves) || (first && moves(first) && !node.commands.some(leaves) && folder === undefined);
  for (const command of rest) forget(assignedIn(command, walk), shell);
  if (hasMoved) setFolder(folder, { shell, reading: walk });
}

/** `cd x || exit`: where cd failed, nothing comes behind. */
function leaves(node: SyntaxNode): boolean {
  const last = lastCommand(node.type === "BraceGroup" ? node.body : node);
  return /^(exit|return|die|break|continue|fail|abort)$/.test(last?.name?.value ?? "");
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
    const text = command.type === "Command" && only && walk.found.length === before + 1 ? printed(only) : undefined;
    input = text === undefined ? "fed" : { text };
    from = output;
  }
}

/** Parts of it may not run, or run again: nothing that it sets is known. */
function again(node: SyntaxNode, shell: Shell, walk: Walk): void {
  forget(assignedIn(node, walk), shell);
  forEachChild(node, (child) => visit(child, copy(shell, walk), walk));
}

function visitFor(node: SyntaxNode & { type: "For" }, shell: Shell, walk: Walk): void {
  for (const word of node.wordlist ?? []) visit(word, shell, walk);
  const known = knownIn(shell, walk);
  const values = node.wordlist?.flatMap((word) => expandWord(word, known)) ?? [];
  for (const value of values) checkText(value, walk);
  forget(assignedIn(node, walk), shell);
  const isKnown = values.length > 0 && values.length <= mostRounds && !values.some((value) => /[\0*?[]/.test(value));
  for (const value of isKnown ? values : [undefined]) {
    const round = copy(shell, walk);
    setVariable(node.name.value, value, { shell: round, reading: walk });
    visit(node.body, round, walk);
  }
}

function visitCommand(node: CommandNode, outer: Shell, walk: Walk): void {
  const given: number[] = [];
  const shell: Shell = { ...outer, given, readers: [] };
  const own = readRedirects(node.redirects, shell, walk);
  const assignments = node.prefix.filter((one): one is Assignment => one.type === "Assignment");
  for (const assignment of assignments) assign(assignment, { shell, walk, isForAll: !node.name });
  const rest = walk.ending?.node === node ? walk.ending.rest : [];
  const redirects = own.redirects.length === 0 ? shell.redirects : [...shell.redirects, ...own.redirects];
  if (!node.name) {
    if (own.redirects.length > 0) addRedirects(redirects, shell, walk);
    for (const index of given) outer.output.push(index);
    return;
  }
  if (reserved.has(node.name.text)) noteRuns(walk, "cannot parse the line as bash");
  const words = [...[node.name, ...node.args].flatMap((one) => visitWord(one, shell, walk)), ...rest];
  const program = baseName(words[0] ?? "");
  // What a part of the line may set was looked up by the names as written.
  if (program !== node.name.value && setsNames(program)) noteRuns(walk, cannotTell(node.name.text));
  const within: Shell = assignments.length > 0 ? { ...shell, variables: new Map(shell.variables) } : shell;
  for (const { name } of assignments) within.variables.delete(name);
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
  const command = walk.found[index];
  if (command) {
    for (const from of shell.readers) from.push(index);
    if (own.redirects.length > 0) noteRedirects(own.redirects, printed(command), call);
  }
  if (within !== shell) forget(assignedIn(node, walk), shell);
}

/** `export NAME=value` is one word to the program. */
function visitWord(one: Word | Assignment, shell: Shell, walk: Walk): string[] {
  visit(one, shell, walk);
  const known = knownIn(shell, walk);
  if (one.type === "Word") return expandWord(one, known);
  const value = one.index ? unknownText : expandValue(one, known);
  return [`${one.name}=${typeof value === "string" ? value : unknownText}`];
}

function assign(
  assignment: Assignment,
  { shell, walk, isForAll }: { shell: Shell; walk: Walk; isForAll: boolean },
): void {
  forEachChild(assignment, (child) => visit(child, shell, walk));
  const value = expandValue(assignment, knownIn(shell, walk));
  const text = typeof value === "string" ? value : unknownText;
  checkVariable(assignment.name, text, { reading: walk, shell });
  if (assignment.index && hidesSubstitution(assignment.text)) noteRuns(walk, cannotTell(assignment.text));
  if (isForAll) setVariable(assignment.name, assignment.index ? undefined : value, { shell, reading: walk });
  else checkText(text, walk);
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

interface Redirects {
  redirects: Redirect[];
  input: Input;
  from: readonly number[];
  /** Standard output goes to a file. */
  isElsewhere: boolean;
}

const hows: { readonly [operator: string]: readonly Redirect["how"][] } = {
  ">": ["writes"],
  ">|": ["writes"],
  "&>": ["writes"],
  ">&": ["writes"],
  ">>": ["appends"],
  "&>>": ["appends"],
  "<": ["reads"],
  "<>": ["reads", "writes"],
};

function readRedirects(nodes: readonly Redirection[], shell: Shell, walk: Walk): Redirects {
  const redirects: Redirect[] = [];
  let isElsewhere = false;
  for (const node of nodes) {
    forEachChild(node, (child) => visit(child, shell, walk));
    if (node.type !== "Redirect" || !node.target) continue;
    const path = expandWord(node.target, knownIn(shell, walk)).join(" ");
    const isStandard = node.descriptor === undefined || descriptorOf(node) === 1;
    if (/>/.test(node.operator) && node.operator !== "<>" && isStandard) isElsewhere = !/^&?[12]$/.test(path);
    if (/&$/.test(node.operator) && /^(\d+-?|-)$/.test(path)) continue; // another descriptor
    for (const how of hows[node.operator] ?? []) redirects.push({ path, how });
  }
  return { redirects, isElsewhere, ...inputOf(nodes, shell, walk) };
}

const isInput = (redirect: Redirection): boolean =>
  redirect.type !== "Redirect" || ["<", "<>", "<&"].includes(redirect.operator);

const descriptorOf = ({ descriptor }: Redirection): number | undefined =>
  descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;

/** What the last redirection of standard input gives. */
function inputOf(nodes: readonly Redirection[], shell: Shell, walk: Walk): Pick<Redirects, "input" | "from"> {
  const last = nodes.filter(isInput).at(-1);
  if (!last) return { input: shell.input, from: shell.from };
  const from = last.type === "Redirect" ? shell.given : [];
  if (last.descriptor && descriptorOf(last) !== 0) return { input: "fed", from: shell.from };
  const known = knownIn(shell, walk);
  if (last.type === "HereString") {
    const text = last.target ? expandWord(last.target, known).join(" ") : undefined;
    return { input: text === undefined || isUnknown(text) ? "fed" : { text: `${text}\n` }, from };
  }
  if (last.type === "HereDoc") {
    const text = last.operator === "<<-" ? last.body.text.replace(/^\t+/gm, "") : last.body.text;
    return { input: last.delimiter?.quoted || !/[$`\\]/.test(text) ? { text } : "fed", from };
  }
  const [path] = last.operator === "<" && last.target ? expandWord(last.target, known) : [];
  const isFile = path !== undefined && !isUnknown(path) && !/^\/(dev|proc)\//.test(path);
  if (!isFile) return { input: "fed", from };
  const holds = madeAt(walk, path, { shell })?.holds;
  if (holds?.is === "text") return { input: { text: holds.text }, from: [] };
  return { input: holds?.is === "unknown" ? "fed" : "file", from: [] };
}
