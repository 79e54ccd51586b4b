/** What `hookline`, `hookline help` and `--help` say: the table of commands, in lines that fit the terminal. */
import { sentence } from "../../operations/serve.ts";
import { type Command, type ExitCode, type Flag, globalFlags, seeHelp } from "./command.ts";
import { groups, headings, internalCommands, records } from "./commands.ts";
import { actionsOf, everyCommand, firstNames } from "./find.ts";
import type { Terminal } from "./terminal.ts";
import { padded, widthOf, wrapped } from "./width.ts";

/** A name, and what it is or does. */
type HelpRow = readonly [name: string, text: string];

const about = "Hookline: one hook engine for coding agents.";

/** For who types nothing but the name: it fits a screen of 24 lines. */
export async function overview(terminal: Terminal): Promise<ExitCode> {
  const all = firstNames(await everyCommand());
  const [[title, names], ...others] = headed(all);
  print(terminal, [
    `${about} Usage: hookline COMMAND [--help]`,
    "",
    terminal.paint("bold", title),
    ...rowsOf(summaries(all, names), terminal.width),
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
export async function allCommands(terminal: Terminal): Promise<ExitCode> {
  const all = firstNames(await everyCommand());
  print(terminal, [
    `${about} Usage: hookline COMMAND [--help]`,
    ...headed(all).flatMap(([title, names]) => [
      "",
      terminal.paint("bold", title),
      ...rowsOf(
        summaries(
          all,
          names.filter((name) => !records.includes(name)),
        ),
        terminal.width,
      ),
      ...(names.includes(records[0] ?? "") ? [`  ${records.join(", ")}: what automations act on`] : []),
    ]),
    "",
    terminal.paint("bold", "Flags of all commands"),
    ...rowsOf(flagRows(globalFlags), terminal.width),
  ]);
  return 0;
}

/** The headings with the commands that there are; commands without a heading come last. */
function headed(all: ReadonlyMap<string, string>): [[string, readonly string[]], ...[string, readonly string[]][]] {
  const known = headings.map(([title, names]): [string, string[]] => [title, names.filter((name) => all.has(name))]);
  const grouped = new Set(known.flatMap(([, names]) => names));
  const others = [...all.keys()].filter((name) => !grouped.has(name) && !internalCommands.has(name));
  const [first = ["", []], ...rest] = known;
  return [first, ...rest, ...(others.length > 0 ? [["Others", others] satisfies [string, string[]]] : [])];
}

const summaries = (all: ReadonlyMap<string, string>, names: readonly string[]): HelpRow[] =>
  names.map((name) => [name, all.get(name) ?? ""]);

/** `hookline COMMAND --help`, and `hookline COMMAND ACTION --help`. Undefined: nothing is called so. */
export async function helpOf(
  name: string,
  words: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const all = await everyCommand();
  const actions = actionsOf(all, name);
  const [, action] = actions.find(([one]) => words.includes(one)) ?? [];
  const command = action ?? all.get(name);
  if (!command && actions.length === 0) return undefined;
  if (command) printHelp(command, action ? [] : actions, terminal);
  else printGroup(name, actions, terminal);
  return 0;
}

function printGroup(name: string, actions: readonly [string, Command][], terminal: Terminal): void {
  const rows = actionRows(actions);
  const [, first] = actions[0] ?? [];
  printParts(
    { summary: sentence(groups[name] ?? ""), usage: `${name} ACTION …`, example: first?.example ?? `hookline ${name}` },
    [rows, `What an action takes: hookline ${name} ACTION --help`],
    terminal,
  );
}

const actionRows = (actions: readonly [string, Command][]): HelpRow[] =>
  actions.map(([name, { summary }]) => [name, sentence(summary)]);

/** A flag as help writes it. */
const writtenAs = ([name, { title, isOnOrOff }]: [string, Flag]): string =>
  `--${isOnOrOff ? "[no-]" : ""}${name}${title === undefined ? "" : ` ${title}`}`;

const flagRows = (flags: Command["flags"]): HelpRow[] =>
  Object.entries(flags)
    .filter(([, { isInternal }]) => !isInternal)
    .map((flag) => [writtenAs(flag), flag[1].does.replaceAll("`", "")]);

function printHelp(command: Command, actions: readonly [string, Command][], terminal: Terminal): void {
  const { arguments: words = [], flags, more } = command;
  const given = new Set(words.map(({ title }) => title.toLowerCase().replaceAll("-", "_")));
  const own = Object.entries(flags).filter(([name]) => !given.has(name.replaceAll("-", "_")));
  const rows = [
    ...words.map(({ title, does }): HelpRow => [title, does.replaceAll("`", "")]),
    ...flagRows(Object.fromEntries(own)),
  ];
  printParts(command, [actionRows(actions), rows, more], terminal);
}

function printParts(
  { summary, usage, example }: Pick<Command, "summary" | "usage" | "example">,
  parts: readonly (readonly HelpRow[] | string | undefined)[],
  terminal: Terminal,
): void {
  const { width } = terminal;
  print(terminal, [
    ...wrapped(summary, width),
    "",
    ...hanging("usage:   ", `hookline ${usage.replace(seeHelp, "[flags]")}`, width, labelColumn),
    ...hanging("example: ", example, width, labelColumn),
    ...parts.flatMap((part) => {
      if (part === undefined || part.length === 0) return [];
      return ["", ...(typeof part === "string" ? wrapped(part, width) : rowsOf(part, width))];
    }),
  ]);
}
const labelColumn = 9;

const print = (terminal: Terminal, lines: readonly string[]): void => terminal.exact(lines.join("\n"));

/** Above this a name has a line of its own. */
const widestName = 24;

function rowsOf(rows: readonly HelpRow[], width: number): string[] {
  const column = Math.min(Math.max(0, ...rows.map(([name]) => name.length)), widestName) + 4;
  return rows.flatMap(([name, text]) => {
    const start = `  ${name}`;
    if (widthOf(start) + 2 <= column) return hanging(padded(start, column), text, width, column);
    return [start, ...(text === "" ? [] : hanging(" ".repeat(column), text, width, column))];
  });
}

const hanging = (start: string, text: string, width: number, hang: number): string[] =>
  wrapped(start + text, width, { hang }).map((line) => line.trimEnd());
