/** Code of other languages in a shell line: harmless if it holds nothing that could run a program, else unreadable. */
import { type Call, checkFile } from "./call.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { editorRuns, importsHarmless, runsPrograms } from "./languages.ts";
import { type Code, nameOf } from "./programs.ts";
import { giveUp } from "./tree.ts";

export function runInterpreter(words: readonly string[], row: Code, call: Call): void {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    const long = row.long?.find((one) => word === one || word.startsWith(`${one}=`));
    if (long !== undefined) {
      checkCode(word === long ? words[at + 1] : word.slice(long.length + 1));
      return;
    }
    if (mayVanish(word)) giveUp();
    if (word === "-") break;
    if (!word.startsWith("-")) {
      if (words[at - 1]?.startsWith("--") && !words[at - 1]?.includes("=")) continue; // may be that option's value
      checkFile(word, call.reading);
      return;
    }
    if (word.startsWith("--")) continue;
    const letter = [...word.slice(1)].find((one) => row.letters.includes(one) || row.valued?.includes(one));
    if (letter === undefined) continue;
    const rest = word.slice(word.indexOf(letter, 1) + 1);
    if (row.letters.includes(letter)) {
      checkCode(rest || words[at + 1]);
      return;
    }
    if (letter === "m" && /^(python|pypy)$/.test(nameOf(words[0] ?? ""))) return;
    if (rest === "") at++;
  }
  if (call.input === "fed") giveUp();
  if (typeof call.input === "object") checkCode(call.input.text);
}

function checkCode(code: string | undefined): void {
  if (code !== undefined && (isUnknown(code) || runsPrograms.test(code.replace(importsHarmless, "")))) giveUp();
}

/** The first operand is code, unless an option gives it. */
export const runScript =
  (runs: RegExp, code: string, valued: string) =>
  (words: readonly string[], { reading }: Call): void => {
    const scripts: string[] = [];
    let isGiven = false;
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? "";
      const letter = /^-[A-Za-z]/.test(word)
        ? [...word.slice(1)].find((one) => code.includes(one) || valued.includes(one) || one === "f")
        : undefined;
      const long = /^--(expression|source|file)(=|$)/.exec(word);
      if (letter === undefined && !long) {
        if (word.startsWith("-") && word !== "-") continue;
        if (!isGiven) scripts.push(word);
        break;
      }
      const rest = long ? word.slice(long[0].length) : word.slice(word.indexOf(letter ?? "", 1) + 1);
      const value = rest || words[++at] || "";
      if (letter === "f" || long?.[1] === "file") checkFile(value, reading);
      else if (long || code.includes(letter ?? "")) scripts.push(value);
      isGiven ||= letter === "f" || long !== null || code.includes(letter ?? "");
    }
    if (scripts.some((script) => isUnknown(script) || runs.test(script.replaceAll("||", "")))) giveUp();
  };

export function runEditor(words: readonly string[]): void {
  for (const [index, word] of words.entries()) {
    const isCommand = word.startsWith("+") || /^(-c|--cmd)$/.test(words[index - 1] ?? "");
    if (isCommand && (isUnknown(word) || editorRuns.test(word))) giveUp();
    if (/^-(S|s)$|^-c./.test(word)) giveUp();
  }
}
