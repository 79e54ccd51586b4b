/** Judges arguments of programs to which they are more than data. Apart because each kind of program has its own way. */

import { type Reader, refuse, type ShellWord, show } from "./judge-reading.ts";
import { commandOption, harmlessVariables, type Language, specialVariables } from "./languages.ts";

type Judge = (reader: Reader, rest: readonly ShellWord[]) => void;

/** Options that take a command are not taken at all: it may run what the line exports. */
export function codeArguments(rest: readonly ShellWord[], name: string): void {
  for (const { head, marks } of rest)
    if (commandOption.test(head)) refuse(`in a line with ${name} ${head}, which takes a command`, marks);
}

/** Options, then code, then files. */
export function judgeLanguage(
  rest: readonly ShellWord[],
  { name, language }: { name: string; language: Language },
): void {
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

const unary = /^-[znfedrwxsLh]$/;
const binary = /^(?:==?|!=|-nt|-ot|-ef)$/;

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
export const special: { readonly [name: string]: Judge } = {
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
export function judgeAssignment(reader: Reader, word: ShellWord): void {
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
