/** What `hookline`, `hookline help` and `--help` say: the table of commands, in lines that fit the terminal. */
import { type Command, type ExitCode, globalFlags } from "./command.ts";
import { commands, headings, internalCommands, records } from "./commands.ts";
import { flagTexts } from "./flag-texts.ts";
import type { Terminal } from "./terminal.ts";
import { padded, widthOf, wrapped } from "./width.ts";

/** How a command is used, for people. */
export interface Help {
  summary: string;
  usage: string;
  example: string;
  /** Its actions, arguments or flags: each with what it does. */
  rows: readonly (readonly [name: string, text: string])[];
  more?: string;
}

const about = "Hookline: one hook engine for coding agents.";

/** For who types nothing but the name: it fits a screen of 24 lines. */
export function overview(terminal: Terminal): ExitCode {
  const [[title, names], ...others] = shown();
  print(terminal, [
    `${about} Usage: hookline COMMAND [--help]`,
    "",
    terminal.paint("bold", title),
    ...rowsOf(summaries(names), terminal.width),
    ...others.flatMap(([of, own]) =>
      hanging(terminal.paint("bold", padded(of, listColumn)), own.join(", "), terminal.width, listColumn),
    ),
    "",
    "All commands: hookline help     One of them: hookline COMMAND --help",
    "Hooks at work, in a minute: hookline demo --once",
  ]);
  return 0;
}
const listColumn = 14;

/** `hookline help`. */
export function allCommands(terminal: Terminal): ExitCode {
  print(terminal, [
    `${about} Usage: hookline COMMAND [--help]`,
    ...shown().flatMap(([title, names]) => [
      "",
      terminal.paint("bold", title),
      ...rowsOf(summaries(names.filter((name) => !records.includes(name))), terminal.width),
      ...(names.includes(records[0] ?? "") ? [`  ${records.join(", ")}: what automations act on`] : []),
    ]),
    "",
    terminal.paint("bold", "Flags of all commands"),
    ...rowsOf(flagRows(Object.keys(globalFlags), ""), terminal.width),
  ]);
  return 0;
}

/** The headings with the commands that there are; commands without a heading come last. */
function shown(): [[string, readonly string[]], ...[string, readonly string[]][]] {
  const known = headings.map(([title, names]): [string, string[]] => [
    title,
    names.filter((name) => Object.hasOwn(commands, name)),
  ]);
  const grouped = new Set(known.flatMap(([, names]) => names));
  const others = Object.keys(commands).filter((name) => !grouped.has(name) && !internalCommands.has(name));
  const [first = ["", []], ...rest] = known;
  return [first, ...rest, ...(others.length > 0 ? [["Others", others] satisfies [string, string[]]] : [])];
}

const summaries = (names: readonly string[]): [string, string][] =>
  names.map((name) => [name, commands[name]?.summary ?? ""]);

/** `hookline COMMAND --help`, and of a command with actions `hookline COMMAND ACTION --help`. */
export async function helpOf(name: string, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const command = commands[name];
  if (command?.choose) {
    const own = (await command.ownActions?.()) ?? {};
    const action = words.find((word) => Object.hasOwn(own, word));
    if (action !== undefined && own[action]) return printHelp(ofCommand(`${name} ${action}`, own[action]), terminal);
    const operations = await import("./operations/actions.ts");
    return printHelp(operations.helpOf({ name, summary: command.summary, own }, words), terminal);
  }
  if (command) printHelp(ofCommand(name, command), terminal);
  return 0;
}

const ofCommand = (name: string, { summary, usage, example, flags }: Command): Help => ({
  ...{ summary, usage, example },
  rows: flagRows(Object.keys(flags), name),
});

/** Of `""` the flags that all commands have. */
const flagRows = (flags: readonly string[], command: string): [string, string][] =>
  flags
    .map((flag): [string, string] => [`--${flag}`, flagTexts[`${command} --${flag}`.trim()] ?? ""])
    .filter(([, text]) => !text.startsWith("internal:"))
    .map(([flag, text]) => [flag, text.replaceAll("`", "")]);

function printHelp({ summary, usage, example, rows, more }: Help, terminal: Terminal): ExitCode {
  const { width } = terminal;
  print(terminal, [
    ...wrapped(summary, width),
    "",
    ...hanging("usage:   ", `hookline ${usage}`, width, labelColumn),
    ...hanging("example: ", example, width, labelColumn),
    ...(rows.length > 0 ? ["", ...rowsOf(rows, width)] : []),
    ...(more === undefined ? [] : ["", ...wrapped(more, width)]),
  ]);
  return 0;
}
const labelColumn = 9;

const print = (terminal: Terminal, lines: readonly string[]): void => terminal.exact(lines.join("\n"));

/** Above this a name has a line of its own. */
const widestName = 24;

function rowsOf(rows: Help["rows"], width: number): string[] {
  const column = Math.min(Math.max(0, ...rows.map(([name]) => name.length)), widestName) + 4;
  return rows.flatMap(([name, text]) => {
    const start = `  ${name}`;
    if (widthOf(start) + 2 <= column) return hanging(padded(start, column), text, width, column);
    return [start, ...(text === "" ? [] : hanging(" ".repeat(column), text, width, column))];
  });
}

const hanging = (start: string, text: string, width: number, hang: number): string[] =>
  wrapped(start + text, width, { hang }).map((line) => line.trimEnd());
