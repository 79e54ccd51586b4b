/** Code inside of commands: of other languages, harmless if nothing in it could run a program, and git's aliases and settings. */
import { type Call, checkFile, linesIn, readLine, readOptions } from "./call.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { editorRuns, importsHarmless, runsPrograms } from "./languages.ts";
import { type Code, gitLineOptions, gitOptions, gitPlainSettings, nameOf } from "./programs.ts";
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

/** Also records the command without the options before its sub-command. */
export function git(words: readonly string[], call: Call): void {
  const { given, rest, stops } = readOptions(words, gitOptions);
  if (stops) return;
  if (given.some(({ name }) => name === "--config-env")) giveUp();
  const aliases = new Map<string, string>();
  for (const { name, value } of given) if (name === "c") gitSetting(value, aliases, call);
  const [command = "", ...operands] = rest;
  if (given.length > 0 && rest.length > 0) call.reading.found.push(["git", ...rest]);
  const alias = aliases.get(`alias.${command}`.toLowerCase());
  if (alias !== undefined)
    readLine(`git ${alias} ${operands.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`, call);
  if (command === "config")
    gitSetting(
      operands
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join("="),
      new Map(),
      call,
    );
  if (command === "bisect" && operands[0] === "run")
    call.reading.command(operands.slice(1), { ...call, direct: false });
  if (command === "submodule" && operands.includes("foreach")) {
    const script = operands.slice(operands.indexOf("foreach") + 1).filter((word) => !word.startsWith("-"));
    readLine(script.join(" "), call);
  }
  if (
    operands.some((word) => /^ext::|^--config(=|$)|^-c$/.test(word)) &&
    ["clone", "fetch", "pull", "push", "ls-remote"].includes(command)
  )
    giveUp();
  const options = Object.hasOwn(gitLineOptions, command) ? gitLineOptions[command] : undefined;
  for (const line of linesIn([command, ...operands], options)) readLine(line, call);
}

/** `-c alias.x=!program`, `-c core.pager=program`. */
function gitSetting(setting: string, aliases: Map<string, string>, call: Call): void {
  const equals = setting.indexOf("=");
  const name = equals < 0 ? setting : setting.slice(0, equals);
  const value = equals < 0 ? "" : setting.slice(equals + 1);
  if (isUnknown(name)) giveUp();
  if (value === "" || gitPlainSettings.test(name)) return;
  if (isUnknown(value) || /^include/i.test(name)) giveUp();
  if (/^alias\./i.test(name) && !value.startsWith("!")) {
    aliases.set(name.toLowerCase(), value);
    if (call.reading.found.length < 10_000) readLine(`git ${value}`, call);
  } else readLine(value.replace(/^!/, ""), call);
}
