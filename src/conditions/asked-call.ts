/** The call that the rules of an event ask about: read once, and divided into its commands with the effects of each. */
import { homedir } from "node:os";
import { baseName } from "../engine/command-pattern.ts";
import { type CallEffects, type Effect, effectNames, type SimpleCommand } from "../engine/effects.ts";
import type { HookEvent } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import type { Patterns, Scope } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";
import { classOf } from "../engine/tools.ts";

export interface Where {
  workspace: string;
  home: string;
  cwd: string;
}

/** What one command does by itself. Without an index: the tool. */
export interface OneCommand {
  words: readonly string[];
  /** Without folders. */
  program: string;
  effects: Effect[];
  /** Their bits. */
  kinds: number;
  index: number | undefined;
  /** What `words` looks at, made when a rule first asks. */
  text: string | undefined;
}

/** One reading as rules ask for it. */
export interface Divided {
  reading: CallEffects;
  commands: readonly OneCommand[];
  /** The bits of the effects that there are at all: most rules ask for others. */
  kinds: number;
  /** Nothing of the call is unknown. */
  isClear: boolean;
  where: Where;
}

export const bitOf = (is: Effect["is"]): number => 1 << effectNames.indexOf(is);

function divide(reading: CallEffects, where: Where): Divided {
  const tool = withoutEffects([], undefined);
  const each = reading.commands.map(({ words }, index) => withoutEffects(words, index));
  const inner = reading.commands.flatMap(({ words }, index) => {
    const tool = toolIn(words);
    return tool ? [withoutEffects(tool, index)] : [];
  });
  let kinds = 0;
  for (const effect of reading.effects) {
    const bit = bitOf(effect.is);
    const one = effect.command === undefined ? tool : each[effect.command];
    kinds |= bit;
    if (!one) continue;
    one.kinds |= bit;
    one.effects.push(effect);
  }
  const commands = [...(tool.effects.length > 0 ? [tool] : []), ...each, ...inner];
  return { reading, commands, kinds, isClear: reading.unknown.length === 0, where };
}

const withoutEffects = (words: readonly string[], index: number | undefined): OneCommand => ({
  words,
  program: baseName(words[0] ?? ""),
  effects: [],
  kinds: 0,
  index,
  text: undefined,
});

/** The call that the rules of an event ask about, one rule after another. */
interface Asked {
  name: HookEvent["name"];
  tool: string | undefined;
  input: unknown;
  cwd: string;
  isShell: boolean;
  /** Made when a rule first needs it. */
  divided: Divided | undefined;
}

type Ask = (scope: Scope, onlyShell: boolean) => Divided | undefined;
const askers = new WeakMap<Patterns, Ask>();

/** One reading for all rules that are compiled with these patterns: thousands of them may ask about one call. */
export function askOf(patterns: Patterns): Ask {
  const known = askers.get(patterns);
  if (known) return known;
  const home = homedir();
  let last: Asked | undefined;
  const ask: Ask = ({ event, names }, onlyShell) => {
    const { name, cwd } = event;
    const tool = names[0];
    const input = event.data.tool_input;
    if (!last || last.input !== input || last.tool !== tool || last.cwd !== cwd || last.name !== name)
      last = { name, tool, input, cwd, isShell: tool !== undefined && classOf(tool) === "shell", divided: undefined };
    if (onlyShell && !last.isShell) return undefined;
    last.divided ??= readCall(event, tool, patterns, home);
    return last.divided;
  };
  askers.set(patterns, ask);
  return ask;
}

function readCall(event: HookEvent, tool: string | undefined, patterns: Patterns, home: string): Divided | undefined {
  const { tool_input: input } = event.data;
  if (!rowOf(event.name).matchTool || tool === undefined || !isRecord(input)) return undefined;
  const where = { workspace: patterns.workspace ?? event.cwd, home, cwd: event.cwd };
  const reading = patterns.effects?.({ tool, input: input as HookEvent["data"], cwd: event.cwd, home }, where);
  return reading && divide(reading, where);
}

/** `yarn prisma`, `python -m alembic`: the tool that they start, by its own name. */
function toolIn(words: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = words;
  const program = baseName(first);
  if (/^(?:yarn|pnpm|bun)$/.test(program)) return /^[a-z@]/.test(second) ? words.slice(1) : undefined;
  return second === "-m" && /^(?:python|pypy)[\d.]*$/.test(program) && words.length > 2 ? words.slice(2) : undefined;
}

/** Line by line: the words of the command, the files that it is given, a here-document, and the commands whose output it reads. */
export function textOf(one: OneCommand, reading: CallEffects): string {
  one.text ??= readText(one, reading);
  return one.text;
}

function readText({ words, index }: OneCommand, { commands }: CallEffects): string {
  const command = index === undefined ? undefined : commands[index];
  const files = command?.redirects.map(({ path }) => `< ${path}`) ?? [];
  const before = command ? sourcesOf(command, commands) : [];
  return [words.slice(1).join("\n"), ...files, command?.text ?? "", ...before.map((one) => `| ${one}`)].join("\n");
}

const mostSources = 8;

/** The commands whose output reaches it, through pipes and substitutions. */
function sourcesOf(command: SimpleCommand, commands: readonly SimpleCommand[]): string[] {
  const found = new Set<number>();
  const open = [...command.input, ...command.given];
  while (open.length > 0 && found.size < mostSources) {
    const index = open.shift();
    const one = index === undefined ? undefined : commands[index];
    if (index === undefined || one === undefined || found.has(index)) continue;
    found.add(index);
    open.push(...one.input, ...one.given);
  }
  return [...found].map((index) => commands[index]?.words.join(" ") ?? "");
}
