/**
 * brings_lines: whether a call changes what an agent runs by itself: it writes shell lines, hooks, or what nobody can tell, into words for a
 * model such as skills and slash commands. Words without such lines are free.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { CallEffects, SimpleCommand } from "../engine/effects.ts";
import type { Fields, HookEvent } from "../engine/event.ts";
import { textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { oneLine } from "../engine/one-line.ts";
import { baseName } from "../engine/pattern.ts";
import type { ConditionKind, Patterns } from "../engine/ports.ts";
import type { Found } from "../engine/record.ts";
import { isRecord, listOf, object, oneOf, say, text } from "../engine/schema.ts";
import { formsAt, type LineFolder, type LinesWritten, linesInShellLine, linesWritten } from "../engine/skill-lines.ts";
import { readRegularFileSync } from "../files/regular-file.ts";
import { lineOf } from "./writes-to.ts";

type Params = { folders: LineFolder[] };

const largest = 500_000;
const longest = 80;

/** What they write stands in no line. */
const opaque =
  /^(?:curl|wget|aria2c|base64|basenc|openssl|xxd|uudecode|gunzip|zcat|tar|unzip|python[\d.]*|perl|ruby|node|deno|bun|php|dd|nc|ssh|scp|gpg|awk|gawk|patch|git)$/;
/** They bring a file from elsewhere. */
const bringing = /^(?:cp|mv|ln|rsync|install|cat|tee|sponge)$/;

const namesFolder = (line: string, cwd: string, folders: readonly LineFolder[]): boolean =>
  folders.some(({ folder }) => line.includes(folder) || `${cwd}/`.includes(`${folder}/`));

/** Whether this event takes the reader of shell lines. */
export const needsShellForLines =
  ({ folders }: Params) =>
  (event: HookEvent): boolean => {
    const line = lineOf(event);
    return line !== undefined && namesFolder(line, event.cwd, folders) && mayBeOpaque.test(line);
  };
const mayBeOpaque =
  /\b(?:curl|wget|aria2c|base64|basenc|openssl|xxd|uudecode|gunzip|zcat|tar|unzip|python[\d.]*|perl|ruby|node|deno|bun|php|dd|nc|ssh|scp|gpg|g?awk|patch|clone|cp|mv|ln|rsync|install|cat|tee|sponge|printf)\b/;

function compile({ folders }: Params, patterns: Patterns): (event: HookEvent) => Found | boolean {
  const home = homedir();
  return (event) => {
    const { name, data, cwd } = event;
    const input = data.tool_input;
    if (!rowOf(name).matchTool || !isRecord(input)) return false;
    const fields = input as Fields; // a payload is JSON
    const tool = textField(data, "tool_name") ?? "";
    const line = lineOf(event);
    if (line === undefined) {
      const absolute = (path: string): string => resolve(cwd, path.replace(/^~(?=\/)/, home));
      return said(linesWritten(fields, folders, { absolute, read })[0]);
    }
    if (!namesFolder(line, cwd, folders)) return false;
    const effects = mayBeOpaque.test(line)
      ? patterns.effects?.({ tool, input: fields, cwd, home }, { workspace: cwd, home })
      : undefined;
    const told = linesInShellLine(line, cwd, folders);
    if (told && writesThere(effects, line)) return said(told);
    const from = effects && broughtIn(effects, folders);
    return from === undefined
      ? false
      : { does: `change what an agent runs, by a file that nobody can read here (${oneLine(from, longest)})` };
  };
}

/** A commit's message and a search may hold such a line, too. */
const writesThere = (effects: CallEffects | undefined, line: string): boolean =>
  effects?.effects.some(({ is, path }) => is === "writes" && path !== undefined) ??
  /[>]|\b(?:tee|sed|printf)\b/.test(line);

function read(path: string): string | undefined {
  try {
    const found = readRegularFileSync(path, largest);
    return "text" in found ? found.text : undefined;
  } catch {
    return undefined; // nothing lies there
  }
}

function said(written: LinesWritten | undefined): Found | boolean {
  if (written === undefined) return false;
  const [line] = written.lines;
  return {
    does: `change what an agent runs by itself: ${line === undefined ? "hooks of a skill" : `\`${oneLine(line, longest)}\``}`,
  };
}

function broughtIn({ effects, commands }: CallEffects, folders: readonly LineFolder[]): string | undefined {
  const isThere = (path: string): boolean => formsAt(path, folders) !== undefined;
  for (const { is, path = "", command } of effects) {
    if (is !== "writes" || !isThere(path)) continue;
    const by = command === undefined ? undefined : commands[command];
    if (by && isUntold(by, isThere)) return path;
  }
  return undefined;
}

function isUntold(
  { words, text: given, input, cwd = "/" }: SimpleCommand,
  isThere: (path: string) => boolean,
): boolean {
  const name = baseName(words[0] ?? "");
  const rest = words.slice(1).filter((word) => !/^-./.test(word));
  if (name === "printf") return words.some((word) => /\\(?:x|u|[0-7])/.test(word));
  if (name === "git") return words.includes("clone");
  if (opaque.test(name)) return true;
  if (!bringing.test(name)) return false;
  if (name === "cat" || name === "tee" || name === "sponge")
    return name === "cat" ? rest.length > 0 && given === undefined : input.length > 0 && given === undefined;
  return rest.slice(0, -1).some((from) => !isThere(resolve(cwd, from)) && /\.\w+$/.test(from));
}

export const bringsLines: ConditionKind<Params> = {
  summary: "the call writes shell lines or hooks into a skill, a slash command or an agent's description",
  params: object({
    folders: say(
      listOf(object({ folder: text(), forms: listOf(oneOf("quoted", "anywhere", "fenced", "braced")) })),
      "folders of such files, and how lines stand in them",
    ),
  }),
  ofCalls: true,
  compile(params, patterns) {
    const find = compile(params, patterns);
    return ({ event }) => find(event);
  },
  describe: () => "the call would change what an agent runs by itself",
};
