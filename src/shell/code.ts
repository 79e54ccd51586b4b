/** Code of other languages in a line: the programs that it names literally are read as commands, and of the rest it is told that nobody knows it. */
import { baseName } from "../engine/pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { awkRuns, editorRuns, importsHarmless, runsPrograms, sedRuns } from "./languages.ts";
import { programsInCode } from "./literal-programs.ts";
import { type Code, nameOf } from "./programs.ts";
import { textOfFile } from "./script-files.ts";
import { type Call, cannotTell, noteDoes, noteRuns, readLine, shortened } from "./shell.ts";

const cannotTellCode = (program: string): string => `cannot tell what the code given to \`${program}\` does`;

/** @param program as the table calls it */
export function readCode(code: string, program: string, call: Call, runs: RegExp = runsPrograms): void {
  const { reading } = call;
  if (isUnknown(code) || code.length > longestCode) {
    noteDoes(reading, program, cannotTellCode(program));
    return;
  }
  const { lines, fed, commands, rest } = programsInCode(code, program);
  const inner: Call = { ...call, direct: false, input: "inherited", from: [] };
  for (const line of lines) readLine(line, inner);
  for (const line of fed) readLine(line, { ...inner, input: "fed" });
  for (const words of commands) reading.command(words, inner);
  if (runsItsInput[program.replace(/^[gmn](?=awk$)|^g(?=sed$)/, "")]?.test(rest))
    noteRuns(reading, cannotTell(`${program} ${code}`));
  if (runs.test(rest.replace(importsHarmless, ""))) noteDoes(reading, program, cannotTellCode(program));
}

/** What runs the text that is worked on: `system($0)` of awk, the flag e of sed. */
const runsItsInput: { readonly [program: string]: RegExp } = {
  awk: /\bsystem\s*\(\s*[^\s")]|\|&?\s*[$a-z]/i,
  sed: /(?:^|[;{}\n\d$/])\s*s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIiMm\d]*e|^\s*(?:\d+|\$|\/[^/]*\/)?\s*e\s*$/,
};

/** The expressions that look through it take time by its length. */
const longestCode = 50_000;

export function runInterpreter(words: readonly string[], row: Code, call: Call): void {
  const program = nameOf(words[0] ?? "");
  const unknown = (): void => noteDoes(call.reading, program, cannotTellCode(program));
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    const long = row.long?.find((one) => word === one || word.startsWith(`${one}=`));
    const code = long === undefined ? undefined : word === long ? words[at + 1] : word.slice(long.length + 1);
    if (code !== undefined) {
      readCode(code, program, call);
      return;
    }
    if (mayVanish(word)) {
      unknown();
      return;
    }
    if (word === "-") break;
    if (!word.startsWith("-")) {
      if (words[at - 1]?.startsWith("--") && !words[at - 1]?.includes("=")) continue; // may be that option's value
      readScript(word, program, call);
      return;
    }
    if (word.startsWith("--")) continue;
    const letter = [...word.slice(1)].find((one) => row.letters.includes(one) || row.valued?.includes(one));
    if (letter === undefined) continue;
    const rest = word.slice(word.indexOf(letter, 1) + 1);
    if (row.letters.includes(letter)) {
      readCode(rest || (words[at + 1] ?? ""), program, call);
      return;
    }
    if (letter === "m" && /^(python|pypy)$/.test(program)) return;
    if (letter === "r" && /^(node|nodejs|bun|ruby)$/.test(program))
      readScript(rest || (words[at + 1] ?? ""), program, call);
    if (rest === "") at++;
  }
  if (call.input === "fed") {
    unknown();
    return;
  }
  if (typeof call.input === "object") readCode(call.input.text, program, call);
}

function readScript(path: string, program: string, call: Call): void {
  const text = textOfFile(path, call);
  if (text === "unknown") noteDoes(call.reading, program, `cannot tell what \`${program} ${shortened(path)}\` does`);
  else if (text !== "elsewhere") {
    noteCode(text.text, call);
    readCode(text.text, program, call);
  }
}

/** What it does to files is for the reading of effects. */
export function noteCode(code: string, { reading, by }: Call): void {
  const command = by === undefined ? undefined : reading.found[by];
  if (command) command.code = command.code === undefined ? code : `${command.code}\n${code}`;
}

interface ScriptOptions {
  runs: RegExp;
  /** Letters whose value is code, and those that have another value. */
  code: string;
  valued: string;
}

/** The first operand is code, unless an option gives it. */
const script =
  ({ runs, code, valued }: ScriptOptions) =>
  (words: readonly string[], call: Call): void => {
    const program = baseName(words[0] ?? "");
    let isGiven = false;
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? "";
      const letter = /^-[A-Za-z]/.test(word)
        ? [...word.slice(1)].find((one) => code.includes(one) || valued.includes(one) || one === "f")
        : undefined;
      const long = /^--(expression|source|file)(=|$)/.exec(word);
      if (letter === undefined && !long) {
        if (word.startsWith("-") && word !== "-") continue;
        if (!isGiven) readCode(word, program, call, runs);
        return;
      }
      const rest = long ? word.slice(long[0].length) : word.slice(word.indexOf(letter ?? "", 1) + 1);
      const value = rest || words[++at] || "";
      const isFile = letter === "f" || long?.[1] === "file";
      const isCode = long !== null || code.includes(letter ?? "");
      if (isFile) readScript(value, program, call);
      else if (isCode) readCode(value, program, call, runs);
      isGiven ||= isFile || isCode;
    }
  };

const awk = script({ runs: awkRuns, code: "e", valued: "FvilE" });
const sed = script({ runs: sedRuns, code: "e", valued: "l" });

export const codePrograms: { readonly [program: string]: (words: readonly string[], call: Call) => void } = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
};

/** `:!command` is a shell line; of other commands it is not known what they run. */
export function runEditor(words: readonly string[], call: Call): void {
  const program = baseName(words[0] ?? "");
  const unknown = (): void =>
    noteDoes(call.reading, program, `cannot tell what the commands given to \`${program}\` do`);
  for (const [index, word] of words.entries()) {
    const isCommand = word.startsWith("+") || /^(-c|--cmd)$/.test(words[index - 1] ?? "") || /^-c./.test(word);
    const line = /^(?:\+|-c)?[\s:]*(?:silent!?\s+)?!(.*)$/s.exec(word)?.[1];
    if (isCommand && line !== undefined && !isUnknown(word)) readLine(line, call);
    else if (isCommand && isUnknown(word)) unknown();
    else if (isCommand) readCode(word, program, call, editorRuns);
    if (/^-(S|s)$/.test(word)) unknown();
  }
}
