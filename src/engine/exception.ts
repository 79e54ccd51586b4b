/**
 * Tool patterns with exceptions: what `if` and the `not` beside it mean. Apart from the patterns, because an exception lets
 * something through, and is read more strictly: by the letter, command by command, and never where anything is unknown.
 */
import { type Answer, escapedStar, matches, splitWords, star, unknownText } from "./command-pattern.ts";
import { compileToolPattern, readToolPattern, type ToolCall } from "./pattern.ts";
import type { Patterns } from "./ports.ts";
import { type ToolRow, toolRow } from "./tools.ts";

interface ToolTestParts {
  /** It is about what one of these matches. */
  any: readonly string[];
  /** But not about what one of these surely is. */
  not: readonly string[];
}

interface Exception {
  names(call: ToolCall): boolean;
  /** Undefined: every call of the tool. */
  command?: (command: readonly string[]) => boolean;
  /** Of tools that run no shell line. */
  call(call: ToolCall): boolean;
}

/**
 * Whether a call is matched by one of the patterns, and what is matched is no exception: in `rm -rf build && rm -rf ~` an
 * exception for the first command leaves the second. "unknown": nobody can tell, and the whys say why. Never throws.
 *
 * @throws HooklineError pattern_invalid, when it compiles
 */
export function compileToolTest({ any, not }: ToolTestParts, patterns: Patterns): ToolTest {
  const exceptions = not.map((source) => compileException(source, patterns));
  const plain = any.map((source) => compileToolPattern(source, patterns));
  const matched: ToolTest = (call, whys) => strongest(plain.map((holds) => holds(call, "deny", whys)));
  if (exceptions.length === 0) return matched;
  const lines = any.map((source) => compileInLine(source, patterns));
  return (call, whys) => {
    const answer = matched(call, whys);
    const own = exceptions.filter(({ names }) => names(call));
    if (answer === false || own.length === 0) return answer;
    const line = lineOf(call);
    if (line === undefined) return own.some((one) => one.call(call)) ? false : answer;
    if (own.some(({ command }) => command === undefined)) return false;
    const isExcepted = (command: readonly string[]): boolean => own.some((one) => one.command?.(command) === true);
    return lines.some((holds) => holds(call, line, isExcepted)) && answer;
  };
}

/** @param whys takes the reasons of "unknown" */
type ToolTest = (call: ToolCall, whys?: string[]) => Answer;

const strongest = (answers: readonly Answer[]): Answer =>
  answers.includes(true) ? true : answers.includes("unknown") ? "unknown" : false;

type InLine = (call: ToolCall, line: string, isExcepted: (command: readonly string[]) => boolean) => boolean;

/** The pattern sees a line without the commands that are excepted; which those are depends on the tool that is called. */
function compileInLine(source: string, patterns: Patterns): InLine {
  let spared: (command: readonly string[]) => boolean = () => false;
  const holds = compileToolPattern(source, {
    ...patterns,
    commands(line, place) {
      const { commands, ...reading } = patterns.commands(line, place);
      return { ...reading, commands: commands.filter(({ words }) => !spared(words)) };
    },
  });
  const isAnyCommand = readToolPattern(source).content === undefined;
  return (call, line, isExcepted) => {
    if (isAnyCommand) {
      const { commands, unknown } = patterns.commands(line, { cwd: call.cwd, home: call.home ?? "" });
      const isWhole = commands.length > 0 && unknown.length === 0 && commands.every(({ words }) => isExcepted(words));
      return holds(call, "deny") !== false && !isWhole;
    }
    spared = isExcepted;
    return holds(call, "deny") !== false;
  };
}

/** Whether a call is surely one of the exceptions, in all that it does, and each command of its line by the letter. */
export function compileExempt(sources: readonly string[], patterns: Patterns): (call: ToolCall) => boolean {
  const exceptions = sources.map((source) => compileException(source, patterns));
  return (call) => {
    const line = lineOf(call);
    return exceptions.some((one) => {
      if (!one.call(call)) return false;
      if (line === undefined || one.command === undefined) return true;
      const { commands } = patterns.commands(line, { cwd: call.cwd, home: call.home ?? "" });
      return commands.every(({ words }) => one.command?.(words) === true);
    });
  };
}

/** The line that a call hands to a shell which Hookline can read. */
function lineOf({ names, input }: ToolCall): string | undefined {
  const row = names.map(toolRow).find((one): one is ToolRow => one !== undefined);
  if (row?.compares !== "command") return undefined;
  const field = row.fields.find((name) => input?.[name] !== undefined && input[name] !== null);
  const line = field === undefined ? undefined : input?.[field];
  return typeof line === "string" ? line : undefined;
}

function compileException(source: string, patterns: Patterns): Exception {
  const { name, content } = readToolPattern(source);
  const named = compileToolPattern(name, patterns);
  const holds = compileToolPattern(source, patterns);
  return {
    names: (call) => named(call, "allow") === true,
    ...(content === undefined ? {} : { command: compileLetters(content) }),
    call: (call) => holds(call, "allow") === true,
  };
}

/**
 * A command by the letter, word by word. `*` as a word of its own is any words, at the end also none; in a word it is any text of
 * that word, but no way up (`..`): an exception for `build*` is none for `build ~` and `build/../..`.
 */
function compileLetters(content: string): (command: readonly string[]) => boolean {
  const open = /(:\*|\s\*)$/.test(content);
  const words = splitWords(open ? content.slice(0, -2) : content).map(compileWord);
  return (command) => {
    if (command[0]?.includes(unknownText)) return false; // any program could stand there
    let ends = new Set([0]);
    for (const word of words) ends = after(word, ends, command);
    return open ? ends.size > 0 : ends.has(command.length);
  };
}

type Word = "any" | ((word: string) => boolean);

function compileWord(word: string): Word {
  if (word === star) return "any";
  const pieces = word.split(star).map((text) => text.replaceAll(escapedStar, "*"));
  if (pieces.length === 1) return (found) => found === pieces[0];
  return (found) => !found.includes(unknownText) && !/(^|\/)\.\.(\/|$)/.test(found) && matches(pieces, found);
}

/** Where the words may end that began at one of these places. */
function after(word: Word, starts: ReadonlySet<number>, command: readonly string[]): Set<number> {
  if (word !== "any")
    return new Set([...starts].filter((at) => at < command.length && word(command[at] ?? "")).map((at) => at + 1));
  const first = Math.min(...starts);
  return new Set(command.flatMap((_word, index) => (index >= first ? [index + 1] : [])));
}
