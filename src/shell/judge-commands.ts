/** Judges a simple command of a line with placeholders: which program it runs, and whether values may be its arguments. */
import { lastPart, type Reader, refuse, type ShellCommand, type ShellWord, show } from "./judged-words.ts";
import {
  checks,
  commandOption,
  harmlessVariables,
  type Language,
  languages,
  pythonModules,
  specialVariables,
} from "./languages.ts";
import { nameOf, type Program, programOf, type Wrapper } from "./programs.ts";

export function judgeCommand({ assignments, words, hasRedirect }: ShellCommand, reader: Reader): void {
  const isRead = words[0]?.text === "read";
  for (const word of assignments) if (!(isRead && word.raw === "IFS=")) judgeAssignment(reader, word);
  if (words[0]?.text === "exec" && (hasRedirect || words.length === 1))
    refuse("in a line with exec and no program alone");
  judgeProgram(reader, words);
}

/** @param words the program and its arguments */
function judgeProgram(reader: Reader, words: readonly ShellWord[]): void {
  const [program, ...rest] = words;
  if (!program) return;
  const path = pathOf(program);
  if (path === undefined)
    refuse(`in a line that runs ${show(program.raw)}: the program has to be named`, program.marks);
  const name = nameOf(path);
  const row = rowFor(path);
  const { values, wraps, subcommands } = row;
  if (path.includes("/")) reader.found.runs.push({ path, word: program });
  for (const word of rest)
    if (word.isOwn && word.isLoose)
      refuse(`at ${show(word.raw)}: write it in quotes, or it may become several arguments`, word.marks);
  noteArguments(reader, rest, { name, row });
  const judge = rowOf(special, name);
  const language = rowOf(languages, name);
  if (values === "tasks") judgeTasks(name, rest);
  else if (name === "set" && rest.length > 0 && rest.every(isHarmlessSetting)) return;
  else if (values === "refused") refuseProgram(name, rest);
  else if (wraps) judgeWrapper(reader, rest, { name, wraps });
  else if (values === "script") judgeInterpreter(reader, rest, name);
  else if (subcommands) judgeSubcommand(rest, { name, subcommands });
  else if (language) judgeLanguage(rest, { name, language });
  else if (judge) judge(reader, rest);
  else codeArguments(rest, name);
  if (values !== "data" && !wraps && !subcommands) noteBegins(reader, rest);
}

/** `set -euo pipefail`: how the shell goes on after a failure, and nothing that reads what it is given. */
const isHarmlessSetting = ({ text, marks }: ShellWord): boolean =>
  marks.length === 0 && text !== undefined && /^(?:-[eufo]+|pipefail|errexit|nounset|noglob)$/.test(text);

function refuseProgram(name: string, rest: readonly ShellWord[]): never {
  const marks = marksOf(rest);
  if (marks.length > 0) refuse(`as an argument of ${name}, which reads it as code or runs it`, marks);
  return refuse(`in a line with ${name}, which reads what it is given as code or runs it`);
}

const marksOf = (words: readonly ShellWord[]): number[] => words.flatMap(({ marks }) => marks);

/** As written, with "$" for a variable that the line does not set; undefined where only the shell knows what it is. */
function pathOf({ text, isRooted, tail }: ShellWord): string | undefined {
  if (text !== undefined) return /^(?:-|$)/.test(text) ? undefined : text;
  return isRooted && /^\/.*[^/]$/s.test(tail) ? `$${tail}` : undefined;
}

/** A version is a part of some names: linux32. */
function rowFor(path: string): Program {
  const exact = programOf(path.slice(path.lastIndexOf("/") + 1));
  return Object.keys(exact).length > 0 ? exact : programOf(nameOf(path));
}

/** What may be written, or brought to where it is run. */
function noteArguments(
  { found }: Reader,
  rest: readonly ShellWord[],
  { name, row }: { name: string; row: Program },
): void {
  if (/^(?:test|\[|cd|type|which)$/.test(name) || row.values === "script" || row.wraps) return;
  for (const word of rest) {
    found.mentioned.add(lastPart(word));
    if (/^-\w/.test(word.head)) found.mentioned.add(lastPart({ ...word, raw: word.raw.slice(2) })); // -oFILE
  }
  if (/^(?:tee|tar|unzip|cp|mv|ln|install|dd|patch|wget)$/.test(name) && rest.some(({ isOwn }) => isOwn))
    found.writesAnywhere = true;
}

function judgeTasks(name: string, rest: readonly ShellWord[]): void {
  const isMake = /make$|^just$/.test(name);
  for (const { text = "\0", raw, marks } of rest) {
    const isTaken = isMake ? /^[\w./:]+$/.test(text) : /^(?!-c$|--script-shell)[\w@./:-]*\w[\w./:]*$|^--$/.test(text);
    if (!isTaken || /(?:^|\/)(?:dev|proc)\//.test(text))
      refuse(
        `at ${show(raw)}: ${name} may make a line for a shell of its arguments (run the tool itself, as npx does)`,
        marks,
      );
    if (/^(?:exec|x|dlx|explore|config|set)$/.test(text)) refuse(`in a line with ${name} ${text}`);
  }
  codeArguments(rest, name);
}

/** Finds the program that a wrapper runs. */
function judgeWrapper(
  reader: Reader,
  rest: readonly ShellWord[],
  { name, wraps }: { name: string; wraps: Wrapper },
): void {
  if (name === "command" && /^-[vV]$/.test(rest[0]?.raw ?? "")) return;
  let operands = wraps.operands ?? 0;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index];
    if (!word) return;
    const { text } = word;
    const option = text === undefined ? undefined : optionOf(text, wraps.values ?? "");
    if (wraps.assignments && /^[A-Za-z_]\w*=/.test(word.raw)) judgeAssignment(reader, word);
    else if (option === "alone") continue;
    else if (option === "valued" && rest[index + 1]?.text !== undefined) index += 1;
    else if (operands > 0 && text !== undefined && !text.startsWith("-")) operands -= 1;
    else if (/^-/.test(word.head) || operands > 0)
      refuse(`behind ${name} ${show(word.raw)}, where it is not clear what it runs`, marksOf(rest));
    else {
      judgeProgram(reader, rest.slice(index));
      return;
    }
  }
  if (name !== "env") refuse(`in a line with ${name} and no program`);
}

/** @param taken as Wrapper.values. @returns whether its value is the next word; undefined: it is no option that is taken */
function optionOf(text: string, taken: string): "alone" | "valued" | undefined {
  for (const entry of taken.split(" ")) {
    const letter = entry.slice(0, 1);
    if (text === entry && entry.startsWith("--")) return "alone";
    if (entry === "0" && /^-\d+$/.test(text)) return "alone";
    if (entry.length > 2 || !text.startsWith(`-${letter}`) || letter === "") continue;
    if (text.length === 2) return entry.endsWith(":") ? "valued" : "alone";
    if (entry.endsWith(":") && /^\w+$/.test(text.slice(2))) return "alone";
  }
  return undefined;
}

/** INTERPRETER FILE arguments, or a script of `-c` that is read as this line is. */
function judgeInterpreter(reader: Reader, rest: readonly ShellWord[], name: string): void {
  const [first, second, ...others] = rest;
  if (first?.text === "-c" && second && programOf(name).isShell) {
    if (second.text === undefined) refuse(`in what ${name} reads as code`, second.marks);
    judgeScript(reader, second.text, others);
    return;
  }
  if (name === "python" && first?.text === "-m" && pythonModules.has(second?.text ?? "")) return;
  if (first?.text !== undefined && first.text === rowOf(checks, name)) return;
  const path = first && pathOf(first);
  if (!first || path === undefined || !isScript(path))
    refuse(
      `in a line with ${name} that does more than run a script: ${show([name, ...rest.map(({ raw }) => raw)].join(" "))}`,
      marksOf(rest),
    );
  reader.found.runs.push({ path: path.includes("/") ? path : `./${path}`, word: first });
}

/** A file by its looks, and not what the program is fed. */
const isScript = (path: string): boolean =>
  /[./]/.test(path) && !/^-|\/(?:dev|proc|fd)(?:\/|$)|^(?:dev|proc)\/|(?:^|\/)(?:stdin|\d+|\.{1,2})?$/.test(path);

/** Its arguments are values in it. */
function judgeScript(reader: Reader, text: string, values: readonly ShellWord[]): void {
  for (const name of reader.script(text, reader)) {
    if (!/^\d/.test(name)) reader.leads.add(name);
    else noteBegin(reader, values[Number(name)]);
  }
}

/** Values stand behind a literal `--`, and as the message of a commit. */
function judgeSubcommand(
  rest: readonly ShellWord[],
  { name, subcommands }: { name: string; subcommands: ReadonlySet<string> },
): void {
  const start = rest[0]?.text === "-C" && !rest[1]?.isOwn ? 2 : 0;
  const command = rest[start]?.text ?? "";
  if (!subcommands.has(command)) refuse(`in a line with ${name} ${rest[start]?.raw ?? ""}`, marksOf(rest));
  const end = rest.findIndex(({ text }) => text === "--");
  const options = rest.slice(start + 1, end < 0 ? rest.length : end);
  for (const [index, word] of options.entries()) {
    const before = options[index - 1]?.text ?? "";
    const isMessage = command === "commit" && (/^-a?m$/.test(before) || word.head === "--message=");
    if (word.isOwn && !isMessage && !(name !== "git" && /^(?:-f|--filter)$/.test(before)))
      refuse(`as an option or operand of ${name} ${command} (write -- before it)`, word.marks);
  }
  codeArguments(options, name);
}

/** Up to a literal `--`, a value that begins with "-" would be an option. */
function noteBegins(reader: Reader, rest: readonly ShellWord[]): void {
  const isScript = rest[0]?.text === "-c";
  const end = isScript ? 1 : rest.findIndex(({ text }) => text === "--");
  for (const word of rest.slice(0, end < 0 ? rest.length : end)) noteBegin(reader, word);
}

function noteBegin({ found, leads }: Reader, word: ShellWord | undefined): void {
  const { leading = [] } = word ?? {};
  const marks = leading.filter((one) => typeof one === "number");
  if (marks.length > 0) found.begins.push(marks);
  for (const one of leading) if (typeof one === "string") leads.add(one);
}

/** A program may have the name of something that every object has. */
const rowOf = <Row>(table: { readonly [name: string]: Row }, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

type Judge = (reader: Reader, rest: readonly ShellWord[]) => void;

/** Options that take a command are not taken at all: it may run what the line exports. */
function codeArguments(rest: readonly ShellWord[], name: string): void {
  for (const { head, marks } of rest)
    if (commandOption.test(head)) refuse(`in a line with ${name} ${head}, which takes a command`, marks);
}

/** Options, then code, then files. */
function judgeLanguage(rest: readonly ShellWord[], { name, language }: { name: string; language: Language }): void {
  let hasCode = false;
  let isOver = false;
  for (let index = 0; index < rest.length; index++) {
    const { text, head, raw, marks } = rest[index] ?? {};
    if (text === "--" && !isOver) isOver = true;
    else if (!isOver && text !== undefined && language.named?.test(text)) index += 2;
    else if (!isOver && text !== undefined && language.valued?.test(text)) {
      index += 1;
      if (rest[index]?.text === undefined) refuse(`as the value of ${name} ${text}`, rest[index]?.marks);
    } else if (!isOver && head?.startsWith("-") && text !== "-") {
      if (text === undefined || !language.flags.test(text)) refuse(`in a line with ${name} ${show(raw ?? "")}`, marks);
    } else if (!hasCode && hasLanguage(name)) {
      hasCode = true;
      if (text === undefined) refuse(`in what ${name} reads as code`, marks);
      if (!language.code(text)) refuse(`in a line where ${name} may run or write something: ${show(text)}`);
    }
  }
}

const hasLanguage = (name: string): boolean => !/^(?:sort|split|tar)$/.test(name);

/** Questions about one text or file, and comparisons of two: all that tests may ask. */
export const unary: RegExp = /^-[znfedrwxsLh]$/;
export const binary: RegExp = /^(?:==?|!=|-nt|-ot|-ef)$/;

/** `[ … ]`: how many words there are says what each of them is. */
function judgeTest(_reader: Reader, rest: readonly ShellWord[]): void {
  const words = rest[0]?.text === "!" ? rest.slice(1) : rest;
  for (const { raw, isLoose, marks } of words)
    if (isLoose) refuse(`beside ${show(raw)}, which may be several words (write it in quotes)`, marks);
  const [first, second] = words.map(({ text }) => text);
  const isKnown = [
    words.length < 2,
    words.length === 2 && unary.test(first ?? ""),
    words.length === 3 && binary.test(second ?? ""),
  ].some(Boolean);
  if (!isKnown)
    refuse(
      "in a test with more than one comparison of text or question about a file (join them with && and ||)",
      words.flatMap(({ marks }) => marks),
    );
}

/** Words of the line itself, none of them a value. */
const literalOnly =
  (name: string): Judge =>
  (_reader, rest) => {
    for (const { text, marks } of rest) if (text === undefined) refuse(`as an argument of ${name}`, marks);
  };

function judgeExport(reader: Reader, rest: readonly ShellWord[]): void {
  for (const word of rest)
    if (word.raw.includes("=")) judgeAssignment(reader, word);
    else judgeName(word.text ?? "", word);
}

function judgeRead(reader: Reader, rest: readonly ShellWord[]): void {
  if (rest.length === 0) refuse("in a line with read that names no variable");
  for (const [index, word] of rest.entries()) {
    if (index === 0 && word.text === "-r") continue;
    judgeName(word.text ?? "", word);
    setVariable(reader, word.raw, []);
  }
}

function judgePrintf(_reader: Reader, rest: readonly ShellWord[]): void {
  const format = rest[0]?.text === "--" ? rest[1] : rest[0];
  if (format?.text === undefined || format.text.startsWith("-"))
    refuse(`as printf's format (write printf '%s\\n' {{…}})`, format?.marks);
}

function judgeFind(_reader: Reader, rest: readonly ShellWord[]): void {
  codeArguments(rest, "find");
  const loose = rest.find(({ isLoose }) => isLoose);
  if (loose) refuse(`behind find ${show(loose.raw)}, which may be several words (write it in quotes)`);
}

function judgeFd(_reader: Reader, rest: readonly ShellWord[]): void {
  codeArguments(rest, "fd");
  const found = rest.find(({ head }) => /^-[A-Za-z]*[xX]/.test(head));
  if (found) refuse(`in a line with fd ${found.raw}, which takes a command`);
}

function judgeFolder({ found }: Reader, rest: readonly ShellWord[]): void {
  if (rest.some(({ isOwn }) => isOwn)) found.movesAnywhere = true;
}

/** What is not judged by a table alone. */
const special: { readonly [name: string]: Judge } = {
  test: judgeTest,
  "[": (reader, rest) => {
    if (rest.at(-1)?.text !== "]") refuse("in a [ that is not closed");
    judgeTest(reader, rest.slice(0, -1));
  },
  export: judgeExport,
  read: judgeRead,
  printf: judgePrintf,
  find: judgeFind,
  fd: judgeFd,
  fdfind: judgeFd,
  cd: judgeFolder,
  pushd: judgeFolder,
  exit: literalOnly("exit"),
  return: literalOnly("return"),
  break: literalOnly("break"),
  continue: literalOnly("continue"),
};

/** NAME=value in front of a command, alone, or behind `env` and `export`. */
function judgeAssignment(reader: Reader, word: ShellWord): void {
  const [, name = ""] = /^([A-Za-z_]\w*)=/.exec(word.raw) ?? [];
  if (name === "") refuse(`at ${show(word.raw)}, which is no plain NAME=…`, word.marks);
  judgeName(name, word);
  if (word.isOwn && /[A-Z]/.test(name) && !harmlessVariables.test(name))
    refuse(`as the value of ${name}, which a program may read (name your own in small letters)`, word.marks);
  setVariable(reader, name, word.value);
}

/** A name that the line sets, whatever to. */
export function judgeName(name: string, { raw, marks }: ShellWord): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) refuse(`at ${show(raw)}, where the shell takes a variable's name`, marks);
  if (specialVariables.test(name)) refuse(`in a line that sets ${name}, which changes what programs do`, marks);
}

export function setVariable({ found }: Reader, name: string, leading: ShellWord["leading"]): void {
  const known = found.assigned.get(name);
  if (known) known.push(leading);
  else found.assigned.set(name, [leading]);
}
