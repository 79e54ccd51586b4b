/** Judges where the placeholders of a shell line stand: each value has to stay one argument, and to be read as nothing else. */
import { judgeCode, judgeOptions, optionOf, special } from "./shell-arguments.ts";
import { assign, type Judging, nameOf, refuse, refuseAll } from "./shell-judging.ts";
import { programRow, runsNothing, type Wrapper } from "./shell-programs.ts";
import type { Judge, Quote, ShellCommand, ShellWord } from "./shell-reading.ts";
import { judgeAssignment, judgeExpansion, judgeVariables, noteName } from "./shell-variables.ts";

export interface Places {
  quotes: ReadonlyMap<number, Quote>;
  /** Why the value of a placeholder may not stand where it does. */
  refused: ReadonlyMap<number, string>;
  /** Placeholders that a word begins with, where a value that begins with "-" would be an option. */
  begins: readonly (readonly number[])[];
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

function judgeCommand(judging: Judging, { assignments, words }: ShellCommand, at: number): void {
  for (const word of assignments) judgeAssignment(judging, word);
  const [program] = words;
  if (!program) return;
  if (program.marks.length > 0) refuse(judging, program.marks, "as the command itself");
  judgeProgram(judging, words, at);
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
    if (name === "let") judging.sums.push(word.raw);
    else noteName(judging, word.raw);
  }
  if (/^(?:read|mapfile|readarray|getopts)$/.test(name))
    judging.filled.push(...rest.flatMap(({ text }) => text ?? []), "REPLY", "MAPFILE", "OPTARG");
  // What is declared may be an integer or a list, and such values are evaluated.
  if (/^(?:declare|typeset|local)$/.test(name) && /^-\w*[aAin]/.test(rest[0]?.head ?? ""))
    for (const { raw } of rest) judging.sums.push(`${raw} `);
}

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

/** Up to a literal `--`, a value that begins with "-" would be an option. */
function noteBegins({ begins }: Judging, rest: readonly ShellWord[], afterCode: boolean): void {
  const code = afterCode ? rest.findIndex(({ head }) => /^-\w*c/.test(head)) : -1;
  for (const [index, word] of rest.entries()) {
    if (word.text === "--" || (code >= 0 && index > code + 1)) return;
    if (word.leading.length > 0) begins.push(word.leading);
  }
}
