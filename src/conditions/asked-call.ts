/** The call that the rules of an event ask about: read once, and divided into its commands with the effects of each. */
import { homedir, tmpdir } from "node:os";
import { baseName } from "../engine/command-pattern.ts";
import { type CallEffects, type Effect, effectNames, type SimpleCommand } from "../engine/effects.ts";
import { type HookEvent, type Json, textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { resolvePath } from "../engine/file-pattern.ts";
import type { Patterns, Scope } from "../engine/ports.ts";
import { inputOfCall, isUntoldWrite, lineOfCall } from "../engine/tool-input.ts";
import { classOf } from "../engine/tools.ts";
import { namesNoTool } from "./settings-conditions.ts";

export interface Where {
  workspace: string;
  home: string;
  cwd: string;
  /** Temporary folders and files of the session: its own, and what the call itself makes (R101). */
  own: readonly string[];
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
  /** Of the line as it is written; see codeOf. */
  line: string;
  code: string | undefined;
}

export const bitOf = (is: Effect["is"]): number => 1 << effectNames.indexOf(is);

function divide(reading: CallEffects, where: Where, line: string): Divided {
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
  return { reading, commands, kinds, isClear: reading.unknown.length === 0, where, line, code: undefined };
}

/** Options whose value is text for people, by program: what stands there runs nothing, whatever it looks like. */
const textOptions: ReadonlyMap<string, RegExp> = new Map([
  ["git", /^(?:-[a-z]*m|--message|--trailer)$/],
  ["gh", /^(?:-[btn]|--(?:body|title|notes|subject|description|comment))$/],
  ["glab", /^(?:-[dtm]|--(?:description|title|message|notes))$/],
  ["jj", /^(?:-m|--message)$/],
]);

/** The line without messages to people: `git commit -m "fix: while true; do x & done"` runs no loop. */
export function codeOf(asked: Divided): string {
  if (asked.code !== undefined) return asked.code;
  let { line } = asked;
  for (const { program, words, index } of asked.commands) {
    const option = textOptions.get(program);
    const given = option && index !== undefined ? asked.reading.commands[index]?.text : undefined;
    if (given) line = line.replaceAll(given, "…\n");
    if (option)
      for (const [at, word] of words.entries()) {
        const [name, joined] = /^(--[\w-]+)=([\s\S]*)$/.exec(word)?.slice(1) ??
          /^(-[a-z]*m)([\s\S]+)$/.exec(word)?.slice(1) ?? [word, words[at + 1] ?? ""];
        if (name === undefined || joined === undefined || !option.test(name)) continue;
        for (const part of joined.split(/\0+/)) if (part.length > 1) line = line.replaceAll(part, "…");
      }
  }
  asked.code = line;
  return line;
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
  input: Json | undefined;
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
  const ask: Ask = ({ event, names, faults }, onlyShell) => {
    const { name, cwd } = event;
    const tool = names[0];
    const input = event.data.tool_input;
    if (!last || last.input !== input || last.tool !== tool || last.cwd !== cwd || last.name !== name)
      last = { name, tool, input, cwd, isShell: isShellCall(tool, input), divided: undefined };
    if (!last.divided && isUnreadable(event, tool)) {
      faults?.push(tool === undefined ? namesNoTool : `cannot read what ${tool} is called with`);
      return undefined;
    }
    if (onlyShell && !last.isShell) return undefined;
    last.divided ??= readCall(event, tool, patterns, home);
    return last.divided;
  };
  askers.set(patterns, ask);
  return ask;
}

/** Of a tool that is not known, a field may hold a line. A write whose target is unknown also meets a rule about unknown programs. */
function isShellCall(tool: string | undefined, input: Json | undefined): boolean {
  if (tool === undefined) return false;
  if (classOf(tool) === "shell" || isUntoldWrite(tool, input)) return true;
  const fields = inputOfCall(tool, input);
  return fields !== undefined && lineOfCall(tool, fields) !== undefined;
}

/** A call that no rule can judge is none that a guard lets pass. */
const isUnreadable = ({ name, data }: HookEvent, tool: string | undefined): boolean =>
  rowOf(name).matchTool === true && (tool === undefined || inputOfCall(tool, data.tool_input) === undefined);

function readCall(event: HookEvent, tool: string | undefined, patterns: Patterns, home: string): Divided | undefined {
  const { tool_input: input } = event.data;
  const fields = tool === undefined ? undefined : inputOfCall(tool, input);
  if (!rowOf(event.name).matchTool || tool === undefined || fields === undefined) return undefined;
  const place = { workspace: patterns.workspace ?? event.cwd, home };
  const reading = patterns.effects?.({ tool, input: fields, cwd: event.cwd, home }, place);
  const line = lineOfCall(tool, fields)?.line ?? textField(fields, "command") ?? "";
  const where = { ...place, cwd: event.cwd, own: reading ? ownTemporary(event, reading, place.workspace) : [] };
  return reading && divide(reading, where, line);
}

/** `yarn prisma`, `python -m alembic`: the tool that they start, by its own name. */
function toolIn(words: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = words;
  const program = baseName(first);
  if (/^(?:yarn|pnpm|bun)$/.test(program)) return /^[a-z@]/.test(second) ? words.slice(1) : undefined;
  return second === "-m" && /^(?:python|pypy)[\d.]*$/.test(program) && words.length > 2 ? words.slice(2) : undefined;
}

/** Line by line: of a tool the files that it names; of a command its words, the files that it is given, a here-document, and the commands whose output it reads. */
export function textOf(one: OneCommand, reading: CallEffects): string {
  one.text ??= readText(one, reading);
  return one.text;
}

function readText({ words, index, effects }: OneCommand, { commands }: CallEffects): string {
  if (index === undefined) return effects.flatMap(({ path }) => path ?? []).join("\n");
  const command = commands[index];
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

/** Temporary folders and files that are a session's own: its folder, and what the call itself makes (R101). */
export function ownTemporary({ session }: HookEvent, { commands, effects }: CallEffects, workspace: string): string[] {
  const folder = tmpdir();
  const own = workspace === folder || workspace.startsWith(`${folder}/`) ? [] : [folder];
  const made = commands.flatMap(({ words, redirects, cwd = "" }, index) => {
    const isNew = words[0] === "mkdir" && !words.some((word) => /^-[a-z]*p|^--parents/.test(word));
    const folders = isNew
      ? effects.flatMap((one) => (one.command === index && one.is === "writes" ? (one.path ?? []) : []))
      : [];
    return [
      ...folders,
      ...redirects.flatMap(({ how, path }) => (how === "writes" && cwd !== "" ? resolvePath(path, cwd) : [])),
    ];
  });
  return [...own, ...made, ...(session === undefined ? [] : foldersOf(session, effects))];
}

/** Agents keep what a session writes below a folder with its id. */
const foldersOf = (session: string, effects: CallEffects["effects"]): string[] =>
  effects.flatMap(({ path = "" }) => {
    const at = path.indexOf(`/${session}/`);
    return at < 0 ? [] : path.slice(0, at + session.length + 1);
  });
