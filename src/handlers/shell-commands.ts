/** Reads the commands of a shell line that holds placeholders, and tells a judge of each. What is unclear is given up. */
import { skipBlanks, skipLines } from "./shell-blanks.ts";
import { giveUp, type Judge, marksIn, type Reader, type ShellCommand, type ShellWord } from "./shell-reading.ts";
import { deepest, newMaking, readSum, readWord } from "./shell-words.ts";

const longest = 100_000;

/** Throws Unreadable. */
export function readShellLine(source: string, judge: Judge): void {
  if (source.length > longest) giveUp(`it is longer than ${longest} characters`);
  const nested = (inner: Reader): void => void readList(inner, [")"]);
  readList({ source, judge, at: 0, depth: 0, documents: [], inputs: [], nested }, [""]);
}

const closing = /(?:then|do|done|fi|esac|elif|else|\})(?=[\s;&|()<>]|$)/y;
const opening = /(?:if|while|until|for|select|case|function|coproc|\[\[|\{)(?=[\s;&|()<>]|$)/y;
const prefix = /(?:!|time(?:[ \t]+-p)?)(?=\s)/y;

function take(reader: Reader, expression: RegExp): string | undefined {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.source)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

/** Commands up to one of these ends; answers which. "" is the end of the line. */
function readList(reader: Reader, ends: readonly string[]): string {
  for (;;) {
    skipLines(reader);
    const end = takeEnd(reader);
    if (end !== undefined)
      return ends.includes(end) ? end : giveUp(end === "" ? "it is not closed" : `"${end}" stands alone`);
    if (take(reader, /&&|\|\||;|&/y) === undefined) readPipeline(reader);
  }
}

function takeEnd(reader: Reader): string | undefined {
  if (reader.at >= reader.source.length) return "";
  if (take(reader, /;;&|;&|;;/y) !== undefined) return ";;";
  return take(reader, /\)/y) ?? take(reader, closing);
}

/** What is written to a program that reads its input as code is code. */
function readPipeline(reader: Reader): void {
  const start = reader.at;
  for (;;) {
    skipLines(reader);
    while (take(reader, prefix) !== undefined) skipBlanks(reader);
    const own = reader.at;
    readCommand(reader);
    if (reader.judge.runsInput(own, reader.at)) {
      reader.judge.refuse(marksIn(reader, start, own), "before a pipe to a program that reads it as code");
      reader.judge.code(reader.source.slice(start, own));
    }
    skipBlanks(reader);
    if (reader.source.startsWith("||", reader.at) || take(reader, /\|&?/y) === undefined) return;
  }
}

function readCommand(reader: Reader): void {
  const start = reader.at;
  const outer = reader.inputs;
  reader.inputs = [];
  if (++reader.depth > deepest) giveUp("it is nested too deeply");
  const word = take(reader, opening);
  if (word !== undefined) compounds[word]?.(reader);
  else if (reader.source.startsWith("((", start)) readSum(reader, newMaking(), "((");
  else if (take(reader, /\(/y) !== undefined) readList(reader, [")"]);
  else readSimple(reader);
  reader.depth -= 1;
  const compound = word !== undefined || reader.source[start] === "(";
  for (skipBlanks(reader); compound && atRedirect(reader); skipBlanks(reader)) readRedirect(reader);
  for (const { marks, raw } of reader.judge.runsInput(start, reader.at) ? reader.inputs : []) {
    reader.judge.refuse(marks, "in the input of a program that reads it as code");
    reader.judge.code(raw);
  }
  reader.inputs = outer;
}

const compounds: { readonly [word: string]: (reader: Reader) => void } = {
  "{": (reader) => void readList(reader, ["}"]),
  "[[": readTest,
  if: readIf,
  while: readLoop,
  until: readLoop,
  for: readFor,
  select: readFor,
  case: readCase,
  function: (reader) => readFunction(reader, nextWord(reader)),
  coproc: () => giveUp("it has a coproc"),
};

function nextWord(reader: Reader): ShellWord {
  skipBlanks(reader);
  const word = readWord(reader);
  return word.end > word.start ? word : giveUp("a word is missing");
}

function readIf(reader: Reader): void {
  do readList(reader, ["then"]);
  while (readBranch(reader) === "elif");
}

function readBranch(reader: Reader): string {
  const end = readList(reader, ["elif", "else", "fi"]);
  return end === "else" ? readList(reader, ["fi"]) : end;
}

function readLoop(reader: Reader): void {
  readList(reader, ["do"]);
  readList(reader, ["done"]);
}

function readFor(reader: Reader): void {
  skipBlanks(reader);
  if (reader.source.startsWith("((", reader.at)) readSum(reader, newMaking(), "((");
  else {
    const name = nextWord(reader);
    reader.judge.refuse(name.marks, "as a variable's name");
    skipLines(reader);
    if (take(reader, /in(?=[\s;])/y) !== undefined) reader.judge.assigned([name.raw], readWords(reader));
  }
  skipBlanks(reader);
  take(reader, /;/y);
  skipLines(reader);
  const brace = take(reader, /do(?=\s)|\{(?=\s)/y) ?? giveUp("a for has no do");
  readList(reader, [brace === "{" ? "}" : "done"]);
}

function readWords(reader: Reader): ShellWord[] {
  const words: ShellWord[] = [];
  for (skipBlanks(reader); !atEnd(reader); skipBlanks(reader)) words.push(nextWord(reader));
  return words;
}

const atEnd = (reader: Reader): boolean =>
  reader.at >= reader.source.length || (/[\n;&|()]/.test(reader.source[reader.at] ?? "") && !atRedirect(reader));

function readCase(reader: Reader): void {
  nextWord(reader);
  skipLines(reader);
  if (take(reader, /in(?=\s)/y) === undefined) giveUp("a case has no in");
  for (skipLines(reader); take(reader, /esac(?=[\s;&|()<>]|$)/y) === undefined; skipLines(reader)) {
    take(reader, /\(/y);
    readCasePattern(reader);
    if (readList(reader, [";;", "esac"]) === "esac") return;
  }
}

function readCasePattern(reader: Reader): void {
  for (;;) {
    const pattern = nextWord(reader);
    reader.judge.refuse(pattern.marks, "in a pattern of a case (compare with [ … = … ] instead)");
    skipBlanks(reader);
    const next = take(reader, /[|)]/y) ?? giveUp("a pattern of a case is not closed");
    if (next === ")") return;
  }
}

function readFunction(reader: Reader, name: ShellWord): void {
  reader.judge.refuse(name.marks, "as a function's name");
  skipBlanks(reader);
  take(reader, /\([ \t]*\)/y);
  skipLines(reader);
  const start = reader.at;
  readCommand(reader);
  reader.judge.defined(name.raw, start, reader.at);
}

const arithmetic = /^-(?:eq|ne|lt|le|gt|ge)$/;
/** They take a variable's name, and a subscript in it is run. */
const named = /^-[vR]$/;

/** [[ … ]]: words that come out of a value are compared as they are, as long as they are quoted. */
function readTest(reader: Reader): void {
  const words: ShellWord[] = [];
  for (;;) {
    skipLines(reader);
    if (take(reader, /\]\](?=[\s;&|()<>]|$)/y) !== undefined) break;
    if (reader.at >= reader.source.length) giveUp("a [[ is not closed");
    if (take(reader, /&&|\|\||[()<>](?!\()|!(?=\s)/y) !== undefined) continue;
    const word = readWord(reader, /^(=~|==?|!=)$/.test(words.at(-1)?.text ?? "") ? "pattern" : "word");
    if (word.end === word.start) giveUp("a [[ cannot be read");
    words.push(word);
  }
  for (const [index, word] of words.entries()) judgeOperand(word, words[index - 1], words[index + 1], reader.judge);
}

function judgeOperand(
  word: ShellWord,
  before: ShellWord | undefined,
  after: ShellWord | undefined,
  judge: Judge,
): void {
  const [left = "", right = ""] = [before?.text, after?.text];
  if (left === "=~") judge.refuse(word.marks, "in a regular expression of the shell");
  if (!arithmetic.test(left) && !arithmetic.test(right) && !named.test(left)) return;
  judge.refuse(
    word.marks,
    `beside ${[left, right].find((one) => arithmetic.test(one) || named.test(one))} in [[ ]], which is arithmetic`,
  );
  judge.sum(word.raw);
}

/** Also what a function's definition begins with. */
function readSimple(reader: Reader): void {
  const start = reader.at;
  const command: ShellCommand = { assignments: [], words: [] };
  for (skipBlanks(reader); !atEnd(reader); skipBlanks(reader)) {
    if (atRedirect(reader)) readRedirect(reader);
    else if (command.words.length > 0) command.words.push(nextWord(reader));
    else readHead(reader, command);
  }
  if (reader.source[reader.at] === "(") readDefinition(reader, command);
  else if (reader.at === start) giveUp(`"${reader.source[start]}" cannot be read here`);
  else reader.judge.command(command, start);
}

function readDefinition(reader: Reader, { words }: ShellCommand): void {
  const [name] = words;
  const isDefinition = /^\([ \t]*\)/.test(reader.source.slice(reader.at, reader.at + 80));
  if (name && words.length === 1 && isDefinition) readFunction(reader, name);
  else giveUp("a ( stands inside a command");
}

function readHead(reader: Reader, { assignments, words }: ShellCommand): void {
  const word = nextWord(reader);
  const isAssignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word.raw);
  if (!isAssignment && /^[A-Za-z_]\w*\[/.test(word.raw)) giveUp("a subscript cannot be read");
  (isAssignment ? assignments : words).push(word);
}

const redirect = /(?:\d+|\{[A-Za-z_]\w*\})?(?:&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())/y;

function atRedirect(reader: Reader): boolean {
  redirect.lastIndex = reader.at;
  return redirect.test(reader.source);
}

function readRedirect(reader: Reader): void {
  const operator = take(reader, redirect)?.replace(/^(?:\d+|\{\w+\})/, "") ?? "";
  const target = nextWord(reader);
  if (operator.startsWith("<<") && operator !== "<<<") {
    reader.judge.refuse(target.marks, "in a here-document");
    const delimiter =
      target.text ?? (target.marks.length > 0 ? target.raw : giveUp("a here-document has no plain end"));
    reader.documents.push({ delimiter, tabs: operator === "<<-", isFilled: target.raw === delimiter });
  } else if (operator === ">&" || operator === "<&") {
    // Bash expands the word, and if that is no number, expands what came out of it once more.
    reader.judge.refuse(target.marks, `behind ${operator}, where bash reads it twice (write &> instead)`);
    reader.judge.code(target.raw);
  } else if (operator.startsWith("<")) reader.inputs.push(target);
}
