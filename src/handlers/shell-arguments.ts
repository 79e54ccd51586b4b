/** Judges arguments of programs to which they are more than data. Apart because each kind of program has its own way. */
import { assign, type Judging, nameOf, refuse, refuseAll } from "./shell-judging.ts";
import {
  commandOption,
  isInterpreter,
  type ProgramRow,
  programRow,
  runsNothing,
  type Wrapper,
} from "./shell-programs.ts";
import type { ShellWord } from "./shell-reading.ts";
import { judgeAssignment, noteName, positional } from "./shell-variables.ts";

/** What a value is to a program of this name, beside what the table says. */
export const special: { readonly [name: string]: (judging: Judging, rest: readonly ShellWord[]) => void } = {
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
    noteName(judging, second?.raw ?? "");
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
      noteName(judging, word.raw);
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

/** valued: the next word is its value. */
export function optionOf(
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
export function judgeCode(judging: Judging, words: readonly ShellWord[]): boolean {
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
export function judgeOptions(judging: Judging, rest: readonly ShellWord[]): boolean {
  let found = false;
  for (const [index, { head, marks }] of rest.entries()) {
    if (!commandOption.test(head)) continue;
    refuse(judging, marks, `as the command of ${head}`);
    if (!head.includes("=")) refuse(judging, rest[index + 1]?.marks ?? [], `as the command of ${head}`);
    found = true;
  }
  return found;
}
