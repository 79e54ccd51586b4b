/**
 * brings_lines: whether a call changes what an agent runs by itself: it writes shell lines, hooks, or a text that cannot be seen beforehand, into words for a
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
import {
  foldersIn,
  isOfWords,
  type LineFolder,
  type LinesWritten,
  liesThere,
  linesInShellLine,
  linesWritten,
} from "../engine/skill-lines.ts";
import { textAt } from "../files/regular-file.ts";
import { buildsWords, lineOf } from "./writes-to.ts";

type Params = { folders: LineFolder[] };

const longest = 80;

/** What they write stands in no line. */
const opaque =
  /^(?:curl|wget|aria2c|base64|basenc|openssl|xxd|uudecode|gunzip|zcat|tar|unzip|python[\d.]*|perl|ruby|node|deno|bun|php|dd|nc|ssh|scp|gpg|patch)$/;
/** They bring files from elsewhere. */
const bringing = /^(?:cp|mv|ln|rsync|install)$/;
const escaped = /\\(?:x|u|[0-7])/;

const couldMean = (line: string, cwd: string, folders: readonly LineFolder[]): boolean =>
  foldersIn(line, cwd, folders).length > 0 || (buildsWords.test(line) && /!|\\x|\\[0-7]|\.md\b|\.toml\b/.test(line));

/** Whether this event takes the reader of shell lines. */
export const needsShellForLines =
  ({ folders }: Params) =>
  (event: HookEvent): boolean => {
    const line = lineOf(event);
    return line !== undefined && changes.test(line) && couldMean(line, event.cwd, folders);
  };
/** What only shows such a folder writes nothing there. */
const changes =
  />|\b(?:tee|sed|cp|mv|ln|rsync|install|clone|sponge)\b|\b(?:curl|wget|aria2c|tar|unzip|python[\d.]*|perl|ruby|node|deno|bun|php|dd|scp|patch)\b/;

function compile({ folders }: Params, patterns: Patterns): (event: HookEvent) => Found | boolean {
  const home = homedir();
  const real = patterns.real ?? ((path: string) => path);
  return (event) => {
    const { name, data, cwd } = event;
    const input = data.tool_input;
    if (!rowOf(name).matchTool || !isRecord(input)) return false;
    const fields = input as Fields; // a payload is JSON
    const tool = textField(data, "tool_name") ?? "";
    const line = lineOf(event);
    if (line !== undefined)
      return changes.test(line) && couldMean(line, cwd, folders) && byLine(tool, fields, line, cwd);
    const absolute = (path: string): string => resolve(cwd, path.replace(/^~(?=\/)/, home));
    const patch = textField(fields, "patch") ?? textField(fields, "input");
    return said(
      linesWritten(fields, folders, { absolute, real, read: textAt })[0] ??
        (patch === undefined ? undefined : linesInShellLine(patch, cwd, folders)),
    );
  };

  function byLine(tool: string, input: Fields, line: string, cwd: string): Found | boolean {
    const { effects, commands } = patterns.effects?.({ tool, input, cwd, home }, { workspace: cwd, home }) ?? nothing;
    const isThere = (path: string): boolean => liesThere(path, folders) || liesThere(real(path), folders);
    const written = effects.filter(({ is, path }) => is === "writes" && path !== undefined && isThere(path));
    const cloned = commands.find((command) => isThere(cloneIn(command) ?? ""));
    if (written.length === 0 && !cloned) return false;
    const told = linesInShellLine(`${written.map(({ path }) => path).join("\n")}\n${line}`, cwd, folders);
    if (told) return said(told);
    const from =
      written.find(({ path = "", command }) => {
        const by = commands[command ?? -1];
        return by !== undefined && isUntold(by, { path, isThere, commands });
      })?.path ??
      (cloned && cloneIn(cloned));
    return (
      from !== undefined && {
        does: `change what an agent runs, by a file whose content cannot be seen beforehand (${oneLine(from, longest)})`,
      }
    );
  }
}
const nothing: CallEffects = { effects: [], commands: [], unknown: [] };

/** The folder that a `git clone` makes. */
function cloneIn({ words, cwd = "/" }: SimpleCommand): string | undefined {
  if (baseName(words[0] ?? "") !== "git" || !words.includes("clone")) return undefined;
  const operands = words.slice(words.indexOf("clone") + 1).filter((word) => !word.startsWith("-"));
  const [address = "", folder = baseName(address.replace(/\/+$/, ""))] = operands.slice(-2);
  return resolve(cwd, folder);
}

function said(written: LinesWritten | undefined): Found | boolean {
  if (written === undefined) return false;
  const [line] = written.lines;
  return {
    does: `change what an agent runs by itself: ${line === undefined ? "hooks of a skill" : `\`${oneLine(line, longest)}\``}`,
  };
}

interface Written {
  path: string;
  isThere(path: string): boolean;
  commands: readonly SimpleCommand[];
}

/** Whether the line itself does not hold what this command writes there. */
function isUntold(command: SimpleCommand, { path, isThere, commands }: Written): boolean {
  const { words, redirects, cwd = "/" } = command;
  const name = baseName(words[0] ?? "");
  if (opaque.test(name)) return true;
  const isForeign = (from: string): boolean =>
    !isThere(resolve(cwd, from)) && (isOfWords(from) || !/\.\w+$/.test(baseName(from)));
  if (bringing.test(name)) return operandsOf(words).slice(0, -1).some(isForeign);
  if (name === "git")
    return operandsOf(words.slice(words.indexOf("mv")))
      .slice(0, -1)
      .some(isForeign);
  // What an edit makes of a line that is there stands in no word.
  if (name === "sed" && words.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word)))
    return words.some((word) => /[!`]/.test(word)) || /!`|!\{|```!/.test(textAt(path) ?? "");
  const isRedirected = redirects.some(({ how }) => how !== "reads");
  return (
    (isRedirected || name === "tee" || name === "sponge") && isOfWords(path) && !isTold(command, commands, isForeign)
  );
}

const operandsOf = (words: readonly string[]): string[] => words.slice(1).filter((word) => !/^-./.test(word));

/** What it prints stands in the line, or in words that lie there already. */
function isTold(
  { words, text: given, input }: SimpleCommand,
  commands: readonly SimpleCommand[],
  isForeign: (from: string) => boolean,
  depth = 0,
): boolean {
  const name = baseName(words[0] ?? "");
  const isFed = (): boolean =>
    depth < mostPipes &&
    input.every((index) => {
      const from = commands[index];
      return from !== undefined && isTold(from, commands, isForeign, depth + 1);
    });
  if (name === "echo" || name === "printf") return !words.some((word) => escaped.test(word));
  if (name === "tee" || name === "sponge") return given !== undefined || isFed();
  if (name === "cat") return given !== undefined || (operandsOf(words).every((one) => !isForeign(one)) && isFed());
  return (
    name === "sed" &&
    operandsOf(words)
      .slice(1)
      .every((one) => !isForeign(one)) &&
    isFed()
  );
}
const mostPipes = 5;

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
