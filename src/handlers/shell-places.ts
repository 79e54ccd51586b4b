/** Judges where the placeholders of a shell line stand: each value has to stay one argument, and to be read as nothing else. */
import {
  commandOption,
  dangerousVariable,
  isInterpreter,
  type ProgramRow,
  programRow,
  runsNothing,
  type Wrapper,
} from "./shell-programs.ts";
import { type Judge, mark, type Quote, type ShellCommand, type ShellWord } from "./shell-words.ts";

export interface Places {
  quotes: ReadonlyMap<number, Quote>;
  /** Why the value of a placeholder may not stand where it does. */
  refused: ReadonlyMap<number, string>;
  /** Placeholders that a word begins with, where a value that begins with "-" would be an option. */
  begins: readonly (readonly number[])[];
}

interface Judging {
  quotes: Map<number, Quote>;
  refused: Map<number, string>;
  begins: number[][];
  /** What is known of variables that get values: by name, the text that they get and its placeholders. */
  assigned: { names: readonly string[]; raw: string; marks: readonly number[] }[];
  /** Names that get what the line reads, wherever that comes from. */
  filled: string[];
  /** Texts that are run, and texts that are evaluated as arithmetic. */
  codes: string[];
  /** Here-documents: run if something in the line runs its input. */
  documents: string[];
  sums: string[];
  /** Commands that read their standard input as code. */
  inputs: number[];
  functions: { name: string; readsInput: boolean }[];
}

export interface PlaceJudge extends Judge {
  /** Once the line has been read. */
  conclude(): Places;
}

export function createPlaceJudge(): PlaceJudge {
  const judging: Judging = {
    quotes: new Map(),
    refused: new Map(),
    begins: [],
    assigned: [],
    filled: [],
    codes: [],
    documents: [],
    sums: [],
    inputs: [],
    functions: [],
  };
  const runsInput = (from: number, to: number): boolean => judging.inputs.some((at) => at >= from && at < to);
  return {
    place: (at, quote) => void judging.quotes.set(at, quote),
    refuse: (marks, why) => refuse(judging, marks, why),
    command: (command, at) => judgeCommand(judging, command, at),
    code: (raw) => void judging.codes.push(raw),
    document: (raw) => void judging.documents.push(raw),
    sum: (raw) => void judging.sums.push(raw),
    expansion: (raw) => judgeExpansion(judging, raw),
    assigned: (names, from) => assign(judging, names, from),
    defined: (name, from, to) => void judging.functions.push({ name, readsInput: runsInput(from, to) }),
    runsInput,
    conclude() {
      judgeVariables(judging);
      return judging;
    },
  };
}

function refuse({ refused }: Judging, marks: readonly number[], why: string): void {
  for (const at of marks) if (!refused.has(at)) refused.set(at, why);
}

function assign({ assigned }: Judging, names: readonly string[], from: readonly ShellWord[]): void {
  for (const { raw, marks } of from) assigned.push({ names, raw, marks });
}

/** Of ${…} only these run something: an indirect name, a prompt, a subscript, an offset. */
function judgeExpansion({ sums }: Judging, raw: string): void {
  if (/^\$\{!|@[A-Za-z]\}$/.test(raw)) sums.push(raw);
  const subscript = /^\$\{[#!]?\w+(\[.*?\])/.exec(raw)?.[1];
  const offset = /^\$\{\w+(?:\[[^\]]*\])?:(?![-=?+])(.*)\}$/s.exec(raw)?.[1];
  for (const text of [subscript, offset]) if (text !== undefined) sums.push(text);
}

function judgeCommand(judging: Judging, { assignments, words }: ShellCommand, at: number): void {
  for (const word of assignments) judgeAssignment(judging, word);
  const [program] = words;
  if (!program) return;
  if (program.marks.length > 0) refuse(judging, program.marks, "as the command itself");
  judgeProgram(judging, words, at);
}

function judgeAssignment(judging: Judging, { raw, marks, ...word }: ShellWord): void {
  const [, name = "", subscript = ""] = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(raw) ?? [];
  if (subscript.includes(mark)) refuse(judging, marks, "in an array's subscript");
  if (subscript !== "") judging.sums.push(subscript);
  if (dangerousVariable.test(name)) refuse(judging, marks, `as the value of ${name}`);
  assign(judging, [name], [{ ...word, raw, marks }]);
}

/** The name by which tables know it, as far as the line tells. */
function nameOf({ text, raw }: ShellWord): string {
  const written = text ?? raw.replaceAll(/["']/g, "");
  const name = written.slice(written.lastIndexOf("/") + 1);
  return /[$`()]/.test(name) ? "" : name;
}

/** @param words the program and its arguments */
function judgeProgram(judging: Judging, words: readonly ShellWord[], at: number): void {
  const [program, ...rest] = words;
  if (!program) return;
  judging.codes.push(program.raw);
  const name = nameOf(program);
  if (program.vanishes || (name === "" && !/^"\$[^"]*"$/.test(program.raw))) {
    refuseAll(judging, rest, `behind ${program.raw}, which may be anything (write it in quotes)`);
    judging.inputs.push(at);
  }
  const row = programRow(name);
  if (readsInput(judging, name, rest)) judging.inputs.push(at);
  if (row?.never !== undefined) judgeNever(judging, rest, name, row.never);
  else if (row?.runs) judgeWrapper(judging, rest, { name, wrapper: row.runs, at });
  else {
    special[name]?.(judging, rest);
    const judged = judgeCode(judging, words);
    const hasOptions = !runsNothing(row) && judgeOptions(judging, rest);
    if (special[name] || judged || hasOptions) judgeLoose(judging, rest);
    if (!row?.plain) noteBegins(judging, rest, row?.positional === true);
  }
}

/** Where it matters which argument a value is, no other may come or go. */
function judgeLoose(judging: Judging, rest: readonly ShellWord[]): void {
  const index = rest.findIndex(({ loose }) => loose);
  const why = `behind ${rest[index]?.raw}, which may be several arguments or none (write it in quotes)`;
  if (index >= 0) refuseAll(judging, rest.slice(index + 1), why);
}

function readsInput({ functions }: Judging, name: string, rest: readonly ShellWord[]): boolean {
  const own = functions.find((one) => one.name === name);
  const input = programRow(name)?.input;
  if (own || input === "always") return own?.readsInput ?? true;
  if (name === "exec") return true; // whatever comes after it in the line may read this
  // A word that only the shell knows may be none.
  return input !== undefined && !rest.some(({ head, vanishes }) => !head.startsWith("-") && !vanishes);
}

function judgeNever(judging: Judging, rest: readonly ShellWord[], name: string, why: string): void {
  for (const word of rest) {
    refuse(judging, word.marks, why === "as code" ? `as an argument of ${name}, which reads it as code` : why);
    if (why === "as code") judging.codes.push(word.raw);
    else judging.sums.push(word.raw);
  }
  if (/^(?:read|mapfile|readarray|getopts)$/.test(name))
    judging.filled.push(...rest.flatMap(({ text }) => text ?? []), "REPLY", "MAPFILE", "OPTARG");
  // What is declared may be an integer or a list, and such values are evaluated.
  if (/^(?:declare|typeset|local)$/.test(name) && /^-\w*[aAin]/.test(rest[0]?.head ?? ""))
    for (const { raw } of rest) judging.sums.push(`${raw} `);
}

/** What a value is to a program of this name, beside what the table says. */
const special: { readonly [name: string]: (judging: Judging, rest: readonly ShellWord[]) => void } = {
  printf: judgePrintf,
  test: judgeTest,
  "[": judgeTest,
  export: judgeExport,
  readonly: judgeExport,
  set: judgeSet,
};

function judgePrintf(judging: Judging, rest: readonly ShellWord[]): void {
  const [first, second, ...others] = rest;
  const format = first?.text === "--" ? second : first;
  if (first?.text === "-v") {
    refuse(judging, second?.marks ?? [], "where the shell takes a variable's name");
    judging.sums.push(second?.raw ?? "");
    assign(judging, [second?.text ?? ""], others);
  }
  refuse(judging, format?.marks ?? [], "in printf's format (write printf '%s\\n' in front of it)");
}

/** `-v` and `-R` take a variable's name, and run what stands in its subscript. */
function judgeTest(judging: Judging, rest: readonly ShellWord[]): void {
  for (const [index, word] of rest.entries()) {
    const before = rest[index - 1];
    if (before?.text === "-v" || before?.text === "-R") {
      refuse(judging, word.marks, "where the shell takes a variable's name");
      judging.sums.push(word.raw);
    }
    if (before && before.marks.length > 0) refuse(judging, word.marks, "directly behind another value in a test");
  }
}

function judgeExport(judging: Judging, rest: readonly ShellWord[]): void {
  const hasOptions = rest.some(({ head }) => head.startsWith("-"));
  for (const word of rest) {
    if (hasOptions || !/^[A-Za-z_]\w*=/.test(word.raw))
      refuse(judging, word.marks, "where the shell takes a variable's name");
    else judgeAssignment(judging, word);
  }
}

function judgeSet(judging: Judging, rest: readonly ShellWord[]): void {
  if (rest[0]?.text === "--") assign(judging, positional, rest);
  else for (const { marks } of rest) refuse(judging, marks, "as an option of set (write set -- in front of it)");
}
const positional = "123456789@*".split("");

/** Finds the program that a wrapper runs. */
function judgeWrapper(
  judging: Judging,
  rest: readonly ShellWord[],
  { name, wrapper, at }: { name: string; wrapper: Wrapper; at: number },
): void {
  let operands = wrapper.operands ?? 0;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index];
    const option = word && /^-./.test(word.head) ? optionOf(word.head, wrapper) : undefined;
    if (!word || option === "shows") return;
    if (word.loose) refuseAll(judging, rest, `behind ${word.raw}: it is not clear what ${name} runs`);
    if (wrapper.assignments && /^[A-Za-z_]\w*=/.test(word.raw)) judgeAssignment(judging, word);
    else if (word.marks.length > 0) refuse(judging, word.marks, `as the command that ${name} runs`);
    else if (option === "unknown") {
      refuseAll(judging, rest, `behind "${word.raw}": it is not clear what ${name} runs`);
      return;
    } else if (option === "valued") index += 1;
    else if (option === undefined && operands-- <= 0) {
      judgeProgram(judging, rest.slice(index), at);
      return;
    }
  }
}

function refuseAll(judging: Judging, words: readonly ShellWord[], why: string): void {
  for (const { marks } of words) refuse(judging, marks, why);
}

/** valued: the next word is its value. */
function optionOf(
  head: string,
  { flags, valued, long = [], shows = "" }: Pick<Wrapper, "flags" | "valued" | "long" | "shows">,
): "flag" | "valued" | "unknown" | "shows" {
  if (head === "--") return "flag";
  if (head.startsWith("--")) return head.includes("=") || long.includes(head) ? "flag" : "unknown";
  for (const [index, letter] of [...head.slice(1)].entries()) {
    if (shows.includes(letter)) return "shows";
    if (valued.includes(letter)) return index + 2 === head.length ? "valued" : "flag";
    if (!flags.includes(letter)) return "unknown";
  }
  return "flag";
}

/** Code in arguments, of the program itself and of interpreters that it may run. Says whether there are such. */
function judgeCode(judging: Judging, words: readonly ShellWord[]): boolean {
  const [first] = words;
  let found = false;
  const isLooked = !first || !runsNothing(programRow(nameOf(first)));
  for (const [index, word] of words.entries()) {
    if (index > 0 && (!isLooked || word.marks.length > 0)) continue;
    const row = programRow(nameOf(word));
    if (!row || (index > 0 && !isInterpreter(row))) continue;
    const rest = words.slice(index + 1);
    found = true;
    if (row.code !== undefined || row.codeWords) judgeCodeOptions(judging, rest, nameOf(word));
    if (row.script) judgeScript(judging, rest, nameOf(word));
  }
  return found;
}

function judgeCodeOptions(judging: Judging, rest: readonly ShellWord[], name: string): void {
  const { code = "", codeWords = [] } = programRow(name) ?? {};
  const isCode = ({ head }: ShellWord): boolean =>
    codeWords.some((one) => head === one || head.startsWith(`${one}=`)) ||
    (/^-[A-Za-z]/.test(head) && [...head.slice(1)].some((letter) => code.includes(letter)));
  for (const [index, word] of rest.entries()) {
    if (!isCode(word)) continue;
    const end = rest.findIndex((one, at) => at > index && !/^-./.test(one.head) && !one.vanishes);
    for (const one of rest.slice(index, end < 0 ? rest.length : end + 1)) {
      refuse(judging, one.marks, `in what ${name} reads as code`);
      judging.codes.push(one.raw);
    }
  }
}

function judgeScript(judging: Judging, rest: readonly ShellWord[], name: string): void {
  const script = programRow(name)?.script;
  for (let index = 0; script && index < rest.length; index++) {
    const word = rest[index];
    const { head = "", marks = [] } = word ?? {};
    const option = /^-./.test(head) ? scriptOption(head, script) : undefined;
    if (option === "given") return;
    if (option === "unknown") {
      refuseAll(judging, rest, `behind "${head}": it is not clear what ${name} reads as code`);
      return;
    }
    if (option === undefined) {
      refuse(judging, marks, `in what ${name} reads as code`);
      return;
    }
    index += option;
  }
}

/** How many values the option has; "given": with it no operand is code. */
function scriptOption(head: string, script: NonNullable<ProgramRow["script"]>): number | "given" | "unknown" {
  const values = script.longValued?.[head];
  if (values !== undefined) return values;
  if (!head.startsWith("--") && [...head.slice(1)].some((letter) => script.given.includes(letter))) return "given";
  const option = head.startsWith("-i") ? "flag" : optionOf(head, script); // sed's -i may hold any ending
  return option === "valued" ? 1 : option === "flag" ? 0 : "unknown";
}

/** Options of any program that take a command. Says whether there are such. */
function judgeOptions(judging: Judging, rest: readonly ShellWord[]): boolean {
  let found = false;
  for (const [index, { head, marks }] of rest.entries()) {
    if (!commandOption.test(head)) continue;
    refuse(judging, marks, `as the command of ${head}`);
    if (!head.includes("=")) refuse(judging, rest[index + 1]?.marks ?? [], `as the command of ${head}`);
    found = true;
  }
  return found;
}

/** Up to a literal `--`, a value that begins with "-" would be an option. */
function noteBegins({ begins }: Judging, rest: readonly ShellWord[], afterCode: boolean): void {
  const code = afterCode ? rest.findIndex(({ head }) => /^-\w*c/.test(head)) : -1;
  for (const [index, word] of rest.entries()) {
    if (word.text === "--" || (code >= 0 && index > code + 1)) return;
    if (word.leading.length > 0) begins.push(word.leading);
  }
}

/** A variable that holds a value is no code and no number either. */
function judgeVariables(judging: Judging): void {
  const tainted = new Map<string, readonly number[]>();
  const marks = [...judging.quotes.keys()];
  const given = judging.functions.length > 0 ? positional : [];
  for (const name of [...given, ...judging.filled]) if (/^(?:\w+|[@*])$/.test(name)) tainted.set(name, marks);
  for (let size = -1; size !== tainted.size; ) {
    size = tainted.size;
    for (const { names, raw, marks: own } of judging.assigned) {
      const from = own.length > 0 ? own : [...tainted].find(([name]) => mentions(raw, name))?.[1];
      if (from) for (const name of names) if (!tainted.has(name)) tainted.set(name, from);
    }
  }
  const codes = [...judging.codes, ...(judging.inputs.length > 0 ? judging.documents : [])];
  for (const [name, from] of tainted) {
    if (codes.some((raw) => mentions(raw, name))) refuse(judging, from, `in $${name}, which the line runs`);
    if (judging.sums.some((raw) => isNamed(raw, name))) refuse(judging, from, `in $${name}, which the line evaluates`);
  }
}

const escaped = (name: string): string => name.replace(/[*@]/g, "\\$&");
/** Not between single quotes: what stands there is not filled in now. */
const mentions = (raw: string, name: string): boolean =>
  new RegExp(`\\$\\{?[#!]?${escaped(name)}(?!\\w)`).test(raw.replace(/^'[^']*'$/, ""));
const isNamed = (raw: string, name: string): boolean =>
  mentions(raw, name) || (/^[A-Za-z_]/.test(name) && new RegExp(`(?<!\\w)${name}(?!\\w)`).test(raw));
