/**
 * Reads the commands of a shell line that holds placeholders: simple commands, pipes, groups, if, while, for, case, [[ ]].
 * Whatever else a shell knows is refused, since only a small language can be known to run no value.
 */
import { judgeCommand } from "./shell-judging.ts";
import {
  type Found,
  lastPart,
  marksIn,
  type Quote,
  type Reader,
  refuse,
  type ShellCommand,
  type ShellWord,
  show,
} from "./shell-reading.ts";
import { judgeName, setVariable } from "./shell-variables.ts";
import { deepest, readWord, skipBlanks, skipLines } from "./shell-words.ts";

export interface Places {
  quotes: ReadonlyMap<number, Quote>;
  /** Placeholders that an argument begins with, where a value that begins with "-" would be an option. */
  begins: readonly (readonly number[])[];
}

const longest = 100_000;

/** Throws a refusal. The line is read twice: what it sets anywhere is known everywhere. */
export function readShellLine(source: string): Places {
  if (source.length > longest) refuse(`in a line longer than ${longest} characters`);
  const { assigned } = readOnce(source, new Set());
  return conclude(readOnce(source, new Set(assigned.keys())));
}

function readOnce(source: string, own: ReadonlySet<string>): Found & { leads: ReadonlySet<string> } {
  const found: Found = {
    quotes: new Map(),
    begins: [],
    assigned: new Map(),
    runs: [],
    mentioned: new Set(),
    writesAnywhere: false,
    movesAnywhere: false,
  };
  const leads = readAll(source, { found, own, hasArguments: false, depth: 0 });
  return { ...found, leads };
}

function readAll(source: string, given: Pick<Reader, "found" | "own" | "hasArguments" | "depth">): ReadonlySet<string> {
  const leads = new Set<string>();
  readList(
    {
      ...given,
      source,
      leads,
      at: 0,
      nested: (inner) => void readList(inner, [")"]),
      script: (text, { found, own, depth }) => {
        if (depth >= deepest) refuse("in a line that is nested too deeply");
        return readAll(text, { found, own, hasArguments: true, depth: depth + 1 });
      },
      command: judgeCommand,
    },
    [""],
  );
  return leads;
}

function conclude(found: Found & { leads: ReadonlySet<string> }): Places {
  for (const { path, word } of found.runs) {
    const isMentioned = found.mentioned.has(path.slice(path.lastIndexOf("/") + 1));
    if (isMentioned || found.writesAnywhere) refuse(`in a line that runs ${show(word.raw)} and may write it`);
    if (found.movesAnywhere && !/^[/~$]/.test(path))
      refuse(`in a line that runs ${show(word.raw)} in a folder that a value names`);
  }
  const begins = [...found.begins];
  const seen = new Set<string>();
  const follow = [...found.leads];
  for (let name = follow.pop(); name !== undefined; name = follow.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const leading of found.assigned.get(name) ?? []) {
      begins.push(leading.filter((one) => typeof one === "number"));
      for (const one of leading) if (typeof one === "string") follow.push(one);
    }
  }
  return { quotes: found.quotes, begins };
}

const closing = /(?:then|do|done|fi|esac|elif|else|\})(?=[\s;&|()<>]|$)/y;
const opening = /(?:if|while|until|for|case|\[\[|\{)(?=[\s;&|()<>]|$)/y;
const prefix = /(?:!|time(?:[ \t]+-p)?)(?=\s)/y;

function take(reader: Reader, expression: RegExp): string | undefined {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.source)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

const unreadable = (why: string): never => refuse(`in a line that cannot be read: ${why}`);

/** Commands up to one of these ends; answers which. "" is the end of the line. */
function readList(reader: Reader, ends: readonly string[]): string {
  for (;;) {
    skipLines(reader);
    const end = takeEnd(reader);
    if (end !== undefined)
      return ends.includes(end) ? end : unreadable(end === "" ? "it is not closed" : `"${end}" stands alone`);
    if (take(reader, /&&|\|\||\|&|[;&|]/y) === undefined) readCommand(reader);
  }
}

function takeEnd(reader: Reader): string | undefined {
  if (reader.at >= reader.source.length) return "";
  if (take(reader, /;;/y) !== undefined) return ";;";
  return take(reader, /\)/y) ?? take(reader, closing);
}

function readCommand(reader: Reader): void {
  while (take(reader, prefix) !== undefined) skipBlanks(reader);
  const start = reader.at;
  if (++reader.depth > deepest) refuse("in a line that is nested too deeply");
  const word = take(reader, opening);
  if (word !== undefined) compounds[word]?.(reader);
  else if (reader.source.startsWith("((", start)) refuse("in a line with arithmetic, (( … ))");
  else if (take(reader, /\(/y) !== undefined) readList(reader, [")"]);
  else readSimple(reader);
  reader.depth -= 1;
  for (skipBlanks(reader); atRedirect(reader); skipBlanks(reader)) readRedirect(reader);
}

const compounds: { readonly [word: string]: (reader: Reader) => void } = {
  "{": (reader) => void readList(reader, ["}"]),
  "[[": readTest,
  if: readIf,
  while: readLoop,
  until: readLoop,
  for: readFor,
  case: readCase,
};

function nextWord(reader: Reader): ShellWord {
  skipBlanks(reader);
  const start = reader.at;
  const word = readWord(reader);
  return reader.at > start ? word : unreadable("a word is missing");
}

/** A value is one word only between quotes. */
function solid(word: ShellWord): ShellWord {
  if (word.isOwn && word.isLoose)
    refuse(`at ${show(word.raw)}: write it in quotes, or it may become several words`, word.marks);
  return word;
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
  const name = nextWord(reader);
  judgeName(name.text ?? "", name);
  skipLines(reader);
  if (take(reader, /in(?=[\s;])/y) === undefined) refuse("in a line with a for without in");
  for (skipBlanks(reader); !atEnd(reader); skipBlanks(reader))
    setVariable(reader, name.raw, solid(nextWord(reader)).leading);
  setVariable(reader, name.raw, []);
  take(reader, /;/y);
  skipLines(reader);
  if (take(reader, /do(?=\s)/y) === undefined) unreadable("a for has no do");
  readList(reader, ["done"]);
}

const atEnd = (reader: Reader): boolean =>
  reader.at >= reader.source.length || (/[\n;&|()]/.test(reader.source[reader.at] ?? "") && !atRedirect(reader));

function readCase(reader: Reader): void {
  nextWord(reader);
  skipLines(reader);
  if (take(reader, /in(?=\s)/y) === undefined) unreadable("a case has no in");
  for (skipLines(reader); take(reader, /esac(?=[\s;&|()<>]|$)/y) === undefined; skipLines(reader)) {
    take(reader, /\(/y);
    readCasePattern(reader);
    if (readList(reader, [";;", "esac"]) === "esac") return;
  }
}

function readCasePattern(reader: Reader): void {
  for (;;) {
    const { isOwn, marks } = nextWord(reader);
    if (isOwn) refuse("in a pattern of a case (compare with [ … = … ] instead)", marks);
    skipBlanks(reader);
    const next = take(reader, /[|)]/y) ?? unreadable("a pattern of a case is not closed");
    if (next === ")") return;
  }
}

/** `[[ … ]]`: comparisons of text, and questions about files. */
function readTest(reader: Reader): void {
  for (let isFirst = true; ; isFirst = false) {
    skipLines(reader);
    while (take(reader, /[!](?=\s)|\((?!\()/y) !== undefined) skipLines(reader);
    readQuestion(reader, isFirst);
    for (skipLines(reader); take(reader, /\)/y) !== undefined; ) skipLines(reader);
    if (take(reader, /\]\](?=[\s;&|()<>]|$)/y) !== undefined) return;
    if (take(reader, /&&|\|\|/y) === undefined) refuseTest(reader);
  }
}

const refuseTest = (reader: Reader): never => {
  const raw = reader.source.slice(reader.at).split(/[\n;]/, 1)[0] ?? "";
  return refuse(`in a [[ ]] with more than comparisons of text and questions about files: ${show(raw)}`, marksIn(reader, reader.at, reader.at + raw.length)); // biome-ignore format: one sentence
};

function readQuestion(reader: Reader, isFirst: boolean): void {
  const left = nextWord(reader);
  // A shell that does not know [[ would run what stands behind && as a program.
  if (left.isOwn && !isFirst) refuse("behind && or || inside of [[ ]] (write [[ … ]] && [[ … ]])", left.marks);
  skipBlanks(reader);
  if (/^-[A-Za-z]+$/.test(left.raw)) {
    if (!/^-[znfedrwxsLh]$/.test(left.raw)) refuse(`in a line with [[ ${left.raw} … ]]`);
    nextWord(reader);
  } else if (take(reader, /(?:==?|!=|-nt|-ot|-ef)(?=\s)/y) !== undefined) {
    skipBlanks(reader);
    const start = reader.at;
    const right = readWord(reader, "pattern");
    if (reader.at === start) unreadable("a [[ ]] lacks a word");
    solid(right);
  }
}

function readSimple(reader: Reader): void {
  const start = reader.at;
  const command: ShellCommand = { assignments: [], words: [], hasRedirect: false };
  for (skipBlanks(reader); !atEnd(reader); skipBlanks(reader)) {
    if (atRedirect(reader)) {
      readRedirect(reader);
      command.hasRedirect = true;
    } else {
      const word = nextWord(reader);
      const isAssignment = command.words.length === 0 && /^[A-Za-z_]\w*=/.test(word.raw);
      (isAssignment ? command.assignments : command.words).push(word);
    }
  }
  if (reader.source[reader.at] === "(")
    refuse("in a line with a function, a list or a pattern: a ( stands inside a command");
  if (reader.at === start) unreadable(`"${reader.source[start]}" cannot stand here`);
  reader.command(command, reader);
}

const redirect = /(?:\d+|\{[A-Za-z_]\w*\})?(?:&>>?|<<<|<<-?|<>|<&|>&|>>|>\||<(?!\()|>(?!\())/y;

function atRedirect(reader: Reader): boolean {
  redirect.lastIndex = reader.at;
  return redirect.test(reader.source);
}

function readRedirect(reader: Reader): void {
  const raw = take(reader, redirect) ?? "";
  const operator = raw.replace(/^[012]/, "");
  if (/^(?:<<-?|<>|[\d{].*)$/.test(operator))
    refuse(
      operator.startsWith("<<") ? "in a line with a here-document (write <<< instead)" : `in a line with "${raw}"`,
    );
  const target = nextWord(reader);
  if (/^[<>]&$/.test(operator) && !/^(?:\d|-)$/.test(target.raw))
    refuse(`behind ${operator}, where bash reads it twice (write &> instead)`, target.marks);
  solid(target);
  if (!operator.includes(">") || operator.includes(">&")) return;
  if (target.text === undefined && !target.isRooted) reader.found.writesAnywhere = true;
  else reader.found.mentioned.add(lastPart(target));
}
