/** What a simple command runs besides itself: wrappers, shells, builtins that evaluate text, interpreters. A table by program. */
import { baseName, unknownText } from "../engine/pattern.ts";
import {
  type Call,
  checkFile,
  checkVariable,
  git,
  isWritten,
  linesIn,
  noteWritten,
  readLine,
  readOptions,
  runEditor,
  runInterpreter,
  runScript,
  setVariable,
} from "./call.ts";
import { awkRuns, sedRuns } from "./languages.ts";
import { bashOptions, nameOf, programOf, type Wrapper } from "./programs.ts";
import { giveUp, isUnknown, mayVanish } from "./tree.ts";

const deepest = 24;

/** Records the command, and whatever it runs in turn. May give up. */
export function run(words: readonly string[], call: Call): void {
  const [program] = words;
  if (program === undefined) return;
  if (call.depth > deepest) giveUp();
  const base = baseName(program);
  // A folder may be unknown, a name may not; and a pattern could mean any program.
  if (base === "" || isUnknown(base) || mayVanish(program) || /[*?]|\[.*\]/.test(program)) giveUp();
  if (program.includes("/") && isWritten(program, call.reading)) giveUp();
  call.reading.found.push([...words]);
  const row = programOf(base);
  const code = row.code ?? programOf(nameOf(base)).code;
  if (row.isOpaque || /^ld(-linux.*|-musl.*)?\.so/.test(base)) giveUp();
  const deeper = { ...call, depth: call.depth + 1 };
  const own = Object.hasOwn(ways, base) ? ways[base] : undefined;
  if (own) own(words, deeper);
  else if (row.isShell) runShell(words, deeper);
  else if (row.wraps) runWrapped(words, row.wraps, deeper);
  else if (code) runInterpreter(words, code, deeper);
  else if (row.isEditor) runEditor(words);
  for (const line of linesIn(words, row.lines)) readLine(line, deeper);
}

function runWrapped(words: readonly string[], row: Wrapper, call: Call): void {
  let options = readOptions(words, row.options, row.permutes);
  for (const line of options.lines) readLine(line, call);
  if (options.stops || row.permutes) return;
  if (row.after) {
    const [command] = options.rest;
    if (command === undefined) return;
    if (isUnknown(command)) giveUp();
    if (!row.after.includes(command)) return;
    options = readOptions(options.rest, row.options);
    for (const line of options.lines) readLine(line, call);
    if (options.stops) return;
  }
  let rest = options.rest;
  for (let count = row.operands ?? 0; count > 0; count--) {
    const [operand = "", ...others] = rest;
    if (mayVanish(operand)) giveUp();
    rest = others;
  }
  if (row.operands && /^(-c|--command)/.test(rest[0] ?? "")) rest = ["sh", "-c", ...rest.slice(1)];
  while (row.assignments && /^\w+=/.test(rest[0] ?? "")) {
    const [assignment = "", ...others] = rest;
    const equals = assignment.indexOf("=");
    if (mayVanish(assignment)) giveUp();
    checkVariable(assignment.slice(0, equals), assignment.slice(equals + 1), call.reading);
    rest = others;
  }
  if (row.line && rest.length > 0) readLine(rest.join(" "), call);
  else run(rest, { ...call, direct: false });
}

function runShell(words: readonly string[], call: Call): void {
  const { given, stops, rest } = readOptions(words, bashOptions);
  if (stops) return;
  const [operand, ...others] = rest;
  if (given.some(({ name }) => name === "c")) {
    if (operand !== undefined) readLine(operand, call);
    return;
  }
  if (operand !== undefined && !given.some(({ name }) => name === "s")) {
    if (mayVanish(operand) || (isUnknown(operand.slice(0, 1)) && others.length > 0)) giveUp();
    checkFile(operand, call.reading);
    return;
  }
  if (call.input === "fed") giveUp();
  if (typeof call.input === "object") readLine(call.input.text, { ...call, input: "inherited" });
}

const identifier = /^[A-Za-z_]\w*/;

/** These may set any variable that they name. */
function forget(words: readonly string[], { shell }: Call): void {
  for (const word of words.slice(1)) {
    if (isUnknown(word)) shell.variables.clear();
    const name = identifier.exec(word)?.[0];
    if (name !== undefined) shell.variables.delete(name);
  }
}

function declare(words: readonly string[], call: Call): void {
  const [program = "", ...operands] = words;
  const letters = operands.filter((word) => /^[-+]/.test(word)).join("");
  if (/n/.test(letters) && baseName(program) !== "export") giveUp();
  const isPlain = call.direct && !/[aAilu]/.test(letters);
  for (const word of operands.filter((one) => !/^[-+]/.test(one))) {
    const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
    if (isUnknown(word.slice(0, 1))) call.shell.variables.clear();
    if (name === undefined || value === undefined) {
      if (baseName(program) !== "export" && baseName(program) !== "readonly") call.shell.variables.delete(word);
      continue;
    }
    checkVariable(name, value, call.reading);
    setVariable(name, isPlain ? value : undefined, call);
  }
}

function evaluate(words: readonly string[], { shell, reading }: Call): void {
  const text = words.slice(words[1] === "--" ? 2 : 1).join(" ");
  if (isUnknown(text)) giveUp();
  reading.line(text, shell);
}

function trap(words: readonly string[], call: Call): void {
  const { reading, shell } = call;
  const operands = words.slice(1).filter((word, index) => !(index === 0 && word === "--"));
  const [action = "-"] = operands;
  if (operands.length < 2 || /^(-.*|\d+)$/.test(action) || action === "") return;
  if (isUnknown(action)) giveUp();
  for (const name of reading.assignedBy(action)) {
    reading.unsteady.add(name);
    shell.variables.delete(name);
  }
  readLine(action, { ...call, input: "fed" });
}

function source(words: readonly string[], { reading, shell }: Call): void {
  const [operand] = words.slice(words[1] === "--" ? 2 : 1);
  if (operand === undefined) return;
  if (mayVanish(operand)) giveUp();
  checkFile(operand, reading);
  shell.variables.clear();
}

function xargs(words: readonly string[], call: Call): void {
  const { given, rest, stops } = readOptions(words, programOf("xargs").wraps?.options ?? "");
  if (stops || rest.length === 0) return;
  const replaced = given.findLast(({ name }) => ["I", "i", "--replace"].includes(name));
  const sign = replaced && (replaced.value || "{}");
  const operands = sign ? rest.map((word) => word.replaceAll(sign, unknownText)) : [...rest, unknownText + unknownText];
  // Its program reads nothing, unless the operands come from a file and leave standard input alone.
  const isFile = given.some(({ name }) => name === "a" || name === "--arg-file");
  run(operands, { ...call, input: isFile ? call.input : "inherited", direct: false });
}

/** find -exec PROGRAM … ; and the like; fd -x PROGRAM … */
const commandsAfter =
  (options: readonly string[]) =>
  (words: readonly string[], call: Call): void => {
    for (let at = 1; at < words.length; at++) {
      if (!options.includes(words[at] ?? "")) continue;
      const end = words.findIndex((word, index) => index > at && (word === ";" || word === "+"));
      const command = words.slice(at + 1, end < 0 ? undefined : end).map((word) => word.replaceAll("{}", unknownText));
      run(command, { ...call, direct: false });
    }
  };

function make(words: readonly string[], call: Call): void {
  for (const word of words.slice(1)) {
    const [, name, value] = /^(\w+)[:+?]?=([\s\S]*)$/.exec(word) ?? [];
    if (/\$\(|`/.test(word) || (name === "SHELL" && isUnknown(value ?? ""))) giveUp();
    if (name === "SHELL") readLine(value ?? "", call);
    if (/^-f?-?$/.test(word) && call.input !== "inherited") giveUp();
    if (/^(-f)?\/dev\//.test(word)) giveUp();
  }
}

const never =
  (option: RegExp) =>
  (words: readonly string[]): void => {
    if (words.slice(1).some((word) => option.test(word) || isUnknown(word.slice(0, 1)))) giveUp();
  };

type Own = (words: readonly string[], call: Call) => void;
const awk: Own = runScript(awkRuns, "e", "FvilE");

/** Programs with rules of their own. */
const ways: { readonly [program: string]: Own } = {
  eval: evaluate,
  trap,
  source,
  ".": source,
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  read: forget,
  mapfile: forget,
  readarray: forget,
  getopts: forget,
  unset: forget,
  let: (_words, { shell }) => shell.variables.clear(),
  printf: (words, call) => (words[1]?.startsWith("-v") ? forget(words, call) : undefined),
  wait: (words, call) => (words.includes("-p") ? forget(words, call) : undefined),
  exec: (words, call) => {
    if (call.input !== "inherited" && call.input !== "file") giveUp(); // the rest of the line would read it
    const row = programOf("exec").wraps;
    if (row) runWrapped(words, row, call);
  },
  hash: never(/^-[a-z]*p/),
  enable: never(/^-[a-z]*f/),
  xargs,
  gxargs: xargs,
  find: commandsAfter(["-exec", "-execdir", "-ok", "-okdir"]),
  gfind: commandsAfter(["-exec", "-execdir", "-ok", "-okdir"]),
  fd: commandsAfter(["-x", "-X", "--exec", "--exec-batch"]),
  fdfind: commandsAfter(["-x", "-X", "--exec", "--exec-batch"]),
  git,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed: runScript(sedRuns, "e", "l"),
  gsed: runScript(sedRuns, "e", "l"),
  make,
  gmake: make,
  tee: (words, { reading }) => {
    for (const word of words.slice(1)) noteWritten(word, reading);
  },
};
