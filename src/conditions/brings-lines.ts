/**
 * brings_lines: whether a call changes what an agent runs by itself: it writes shell lines, hooks, or a text that cannot be seen beforehand, into words for a
 * model such as skills and slash commands. Words without such lines are free.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { CallEffects, SimpleCommand, Written } from "../engine/effects.ts";
import type { Fields, HookEvent } from "../engine/event.ts";
import { textField } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { oneLine } from "../engine/one-line.ts";
import { baseName } from "../engine/pattern.ts";
import type { ConditionKind, Patterns } from "../engine/ports.ts";
import type { Found } from "../engine/record.ts";
import { listOf, object, oneOf, say, text } from "../engine/schema.ts";
import {
  foldersIn,
  isOfWords,
  type LineFolder,
  type LinesWritten,
  liesThere,
  linesInShellLine,
  linesMade,
} from "../engine/skill-lines.ts";
import { inputOfCall } from "../engine/tool-input.ts";
import { classOf } from "../engine/tools.ts";
import { linesWritten } from "../engine/written-lines.ts";
import { textAt } from "../files/regular-file.ts";
import { buildsWords, patches } from "./could-mean.ts";
import { lineOf } from "./writes-to.ts";

type Params = { folders: LineFolder[] };

const longest = 80;

/** They take away, make empty ones or say who may read them: no line comes there. Or they only lay it out anew. */
const harmless =
  /^(?:rm|rmdir|unlink|shred|trash|trash-put|rimraf|touch|mkdir|mkfifo|truncate|chmod|chown|chgrp|prettier|mdformat|dprint|biome|oxfmt)$/;
/** Of git: what it takes away, or hides. */
const harmlessOfGit = /^(?:rm|clean|stash)$/;
/** What they were given to run writes it or not: they name scripts there all day. */
const scripts = /^(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|tsx|uv|uvx|npx|npm|pnpm|yarn)$/;
/** They bring files from elsewhere. */
const bringing = /^(?:cp|mv|ln|rsync|install)$/;
const escaped = /\\(?:x|u|[0-7])/;

const couldMean = (line: string, cwd: string, folders: readonly LineFolder[]): boolean =>
  foldersIn(line, cwd, folders).length > 0 ||
  patches.test(line) ||
  (buildsWords.test(line) && /!|\\x|\\[0-7]|\.md\b|\.toml\b/.test(line));

/** Whether this event takes the reader of shell lines. */
export const needsShellForLines =
  ({ folders }: Params) =>
  (event: HookEvent): boolean => {
    const line = lineOf(event);
    return line !== undefined && couldMean(line, event.cwd, folders);
  };

function compile({ folders }: Params, patterns: Patterns): (event: HookEvent) => Found | boolean {
  const home = homedir();
  const real = patterns.real ?? ((path: string) => path);
  return (event) => {
    const { name, data, cwd } = event;
    const tool = textField(data, "tool_name") ?? "";
    const fields = inputOfCall(tool, data.tool_input);
    if (!rowOf(name).matchTool || fields === undefined) return false;
    const line = lineOf(event);
    const byTheLine = line !== undefined && couldMean(line, cwd, folders) && byLine(tool, fields, line, cwd);
    if (byTheLine || classOf(tool) === "shell") return byTheLine;
    const absolute = (path: string): string => resolve(cwd, path.replace(/^~(?=\/)/, home));
    return said(linesWritten({ tool, input: fields }, folders, { absolute, real, read: textAt })[0]);
  };

  function byLine(tool: string, input: Fields, line: string, cwd: string): Found | boolean {
    const { effects, commands } = patterns.effects?.({ tool, input, cwd, home }, { workspace: cwd, home }) ?? nothing;
    const isThere = (path: string): boolean => liesThere(path, folders) || liesThere(real(path), folders);
    const reading = patterns.commands(line, { cwd, home });
    const all = patterns.writes?.(reading, true) ?? [];
    const written: Written[] = [
      ...effects.flatMap(({ is, path, command }) =>
        is === "writes" && path !== undefined ? { path, ...(command === undefined ? {} : { command }) } : [],
      ),
      ...all.filter(({ patch, isName, trees, unpacked }) => !patch && !isName && !trees && !unpacked),
    ].filter(({ path }) => isThere(path));
    const ofPatch = all.flatMap(({ path, patch }) => (patch ? byPatch(path, patch) : []));
    if (written.length + ofPatch.length === 0) return false;
    const made = linesMade(reading.made ?? [], folders, { real, read: textAt });
    const told =
      ofPatch[0] ??
      made[0] ??
      (written.length > 0
        ? linesInShellLine(`${written.map(({ path }) => path).join("\n")}\n${line}`, cwd, folders)
        : undefined);
    if (told) return said(told);
    const untold = written.find(({ path, command }) => {
      const by = commands[command ?? -1];
      return by !== undefined && isUntold(by, { path, isThere, commands });
    });
    return untold !== undefined && said({ path: untold.path, lines: [], hooks: false, isUntold: true });
  }

  function byPatch(folder: string, { text, file }: NonNullable<Written["patch"]>): LinesWritten[] {
    const patch = text ?? (file === undefined ? undefined : textAt(file));
    const absolute = (path: string): string => resolve(folder, path);
    return patch === undefined
      ? [] // whoever guards files asks about it
      : linesWritten({ tool: "patch", input: { patch } }, folders, { absolute, real, read: textAt });
  }
}
const nothing: CallEffects = { effects: [], commands: [], unknown: [] };

function said(written: LinesWritten | undefined): Found | boolean {
  if (written === undefined) return false;
  const { lines, path, isUntold } = written;
  const [line] = lines;
  if (line === undefined && isUntold)
    return {
      does: `change what an agent runs, by a file whose content cannot be seen beforehand (${oneLine(path, longest)})`,
    };
  return {
    does: `change what an agent runs by itself: ${line === undefined ? "hooks of a skill" : `\`${oneLine(line, longest)}\``}`,
  };
}

interface Around {
  path: string;
  isThere(path: string): boolean;
  commands: readonly SimpleCommand[];
}

/** Whether the line itself does not hold what this command writes there. */
function isUntold(command: SimpleCommand, { path, isThere, commands }: Around): boolean {
  const { words, redirects, cwd = "/" } = command;
  const name = baseName(words[0] ?? "");
  if (harmless.test(name)) return false;
  const isForeign = (from: string): boolean =>
    !isThere(resolve(cwd, from)) && (isOfWords(from) || !/\.\w+$/.test(baseName(from)));
  if (bringing.test(name)) return operandsOf(words).slice(0, -1).some(isForeign);
  if (name === "git") {
    if (words.some((word) => harmlessOfGit.test(word))) return false;
    return (
      !words.includes("mv") ||
      operandsOf(words.slice(words.indexOf("mv")))
        .slice(0, -1)
        .some(isForeign)
    );
  }
  // What an edit makes of a line that is there stands in no word.
  if (name === "sed" && words.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word)))
    return words.some((word) => /[!`]/.test(word)) || /!`|!\{|```!/.test(textAt(path) ?? "");
  const isRedirected = redirects.some(({ how }) => how !== "reads");
  if (isRedirected || tellers.test(name)) return isOfWords(path) && !isTold(command, commands, isForeign);
  return !(scripts.test(name) && isScript(words));
}

/** What these write stands in the line, or in words that lie there already. */
const tellers = /^(?:echo|printf|cat|tee|sponge|sed)$/;

/** A file that runs, and no code in the words. */
const isScript = (words: readonly string[]): boolean =>
  !words.some((word) => /^-(?:[a-zA-Z]*[ceEi]|-eval|-print)$/.test(word) || /^-[pn]?i/.test(word));

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
