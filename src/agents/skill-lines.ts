/**
 * The calls that stand in words for a model: for lines that an agent runs itself out of skills and slash commands no event may come, so they
 * are judged when such a file is written, and when a prompt or a call names it.
 */
import { readdirSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { ShellPlace, ShellReading } from "../engine/effects.ts";
import { depthField, type Fields, type HookEvent, textField } from "../engine/event.ts";
import { rowOf, verdictsOf } from "../engine/events.ts";
import {
  foldersIn as foldersOfLine,
  type LineFolder,
  type LineForm,
  linesIn,
  linesInShellLine,
  linesMade,
} from "../engine/skill-lines.ts";
import { inputOfCall, lineOfCall } from "../engine/tool-input.ts";
import { linesWritten, mayHoldLines } from "../engine/written-lines.ts";
import { realOf } from "../files/paths.ts";
import { textAt } from "../files/regular-file.ts";
import type { Places } from "./adapter.ts";
import { agentNamed, hookFiles } from "./index.ts";
import { otherCode } from "./other-code.ts";

type Home = Pick<Places, "home" | "environment">;

/** Of all agents: one reads the files of others. */
export const lineFolders = (home: Home): LineFolder[] =>
  [...hookFiles().flatMap(({ loads }) => loads ?? []), ...otherCode].flatMap(({ lines }) => {
    if (lines === undefined) return [];
    const forms = [...lines.forms];
    return [...lines.folders, ...(lines.moved?.(home) ?? [])].map((folder) => ({ folder, forms }));
  });

/** One that is judged beside an event: what it comes to is an answer to that. */
export interface MeantLine {
  event: HookEvent;
  line: string;
  /** The file that holds it. */
  file: string;
}

/** The reader of shell lines, for what a line makes of such a file. */
export type ReadLine = (line: string, place: ShellPlace) => Pick<ShellReading, "made">;

/** Whether `meantLines` has to have the reader: most lines name no such folder. */
export function takesReader({ name, data, cwd }: HookEvent, home: Home): boolean {
  const tool = textField(data, "tool_name") ?? "";
  const input = inputOfCall(tool, data.tool_input);
  if (name !== "PreToolUse" || input === undefined) return false;
  const line = lineOfCall(tool, input)?.line;
  return line !== undefined && makes.test(line) && foldersOfLine(line, cwd, lineFolders(home)).length > 0;
}
const makes = /[>`]|\b(?:tee|dd|sponge)\b/;

/**
 * What this event means beside itself. None for most: only a call that writes such a file, and what names one, is looked at.
 *
 * @param readLine where `takesReader` says so
 */
export function meantLines(event: HookEvent, home: Home, readLine?: ReadLine): MeantLine[] {
  const { name, data } = event;
  const row = rowOf(name);
  const accepts = event.accepts ?? row.accepts;
  if (!accepts.includes("verdict")) return [];
  if (name === "UserPromptSubmit") {
    // Where the agent asks before it opens a command, that is the better moment.
    if (agentNamed(event.sender)?.capabilities.UserPromptExpansion?.includes("verdict")) return [];
    const [, called] = /^\s*\/(\S+)/.exec(textField(data, "prompt") ?? "") ?? [];
    return called === undefined ? [] : namedBy(called, event, home);
  }
  if (name === "UserPromptExpansion") return namedBy(textField(data, "command_name") ?? "", event, home);
  const tool = textField(data, "tool_name") ?? "";
  const input = inputOfCall(tool, data.tool_input);
  if (name !== "PreToolUse" || input === undefined) return [];
  return ofCall(tool, input, { event, home, readLine });
}

/** Tools by which a model calls words for a model, and the fields that name these. */
const callsSkill = /^(?:Skill|SlashCommand|slash_command|activate_skill|use_skill|load_skill|run_command_file)$/i;
const nameFields = ["skill", "name", "command", "skill_name", "skillName", "command_name"];

interface Asked {
  event: HookEvent;
  home: Home;
  readLine: ReadLine | undefined;
}

function ofCall(tool: string, input: Fields, { event, home, readLine }: Asked): MeantLine[] {
  const { cwd } = event;
  if (callsSkill.test(tool)) {
    const called = nameFields.flatMap((field) => textField(input, field)?.trim().split(/\s/)[0] ?? []);
    return called.flatMap((one) => namedBy(one.replace(/^\//, ""), event, home));
  }
  const { line } = lineOfCall(tool, input) ?? {};
  if (!/!|\\[uUx]/.test(line ?? "") && !mayHoldLines(input) && !readLine) return [];
  const folders = lineFolders(home);
  const absolute = (path: string): string =>
    path.startsWith("~/") ? join(home.home, path.slice(2)) : resolve(isAbsolute(cwd) ? cwd : "/", path);
  const places = { absolute, real: realOf, read: textAt };
  const { made = [] } = (line !== undefined && readLine?.(line, { cwd, home: home.home })) || {};
  const whole = linesMade(made, folders, places);
  const found = [
    ...linesWritten({ tool, input }, folders, places),
    ...whole,
    // What the reader cannot tell is looked for in the text of the line.
    ...[whole.length === 0 && line !== undefined ? linesInShellLine(line, cwd, folders) : undefined].flatMap(
      (one) => one ?? [],
    ),
  ];
  return found.flatMap(({ path, lines }) => lines.map((line) => meant(event, "PreSkillShellCommand", line, path)));
}

/** `review`, `git:commit` of a folder, `plugin:skill`: wherever a file or a folder of that name lies, or a skill says that it is called so. */
function namedBy(called: string, event: HookEvent, home: Home): MeantLine[] {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_:./-]{0,200}$/u.test(called) || called.includes("..")) return [];
  const parts = called.replaceAll(":", "/");
  const last = called.split(":").at(-1) ?? called;
  const tops = [...new Set([...above(event.cwd), home.home])];
  const places = lineFolders(home).flatMap(({ folder, forms }) =>
    (folder.startsWith("/") ? [folder] : tops.map((top) => join(top, folder))).map((place) => ({ place, forms })),
  );
  const files = [...places, ...inExtensions(tops)].flatMap(({ place, forms }) => {
    const byPath = [parts, last].flatMap((name) => endings.map((end) => `${join(place, name)}${end}`));
    const byName = foldersIn(place).filter((skill) => saysName(join(skill, "SKILL.md"), last));
    return [...byPath, ...byName.map((skill) => join(skill, "SKILL.md"))].map((file) => ({ file, forms }));
  });
  const found = new Map<string, MeantLine>();
  for (const { file, forms } of files)
    for (const line of linesIn(textAt(file) ?? "", forms))
      found.set(JSON.stringify([file, line]), meant(event, "PreToolUse", line, file));
  return [...found.values()];
}
const endings = [".md", ".toml", "/SKILL.md"];

/** Extensions bring folders of commands and of skills of their own. */
const inExtensions = (tops: readonly string[]): { place: string; forms: readonly LineForm[] }[] =>
  hookFiles().flatMap(({ loads }) =>
    (loads?.lines?.extensions ?? []).flatMap((folder) =>
      tops
        .flatMap((top) => foldersIn(join(top, folder)))
        .flatMap((one) =>
          ["commands", "skills"].map((name) => ({ place: join(one, name), forms: loads?.lines?.forms ?? [] })),
        ),
    ),
  );

const mostFolders = 200;
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() || one.isSymbolicLink())
      .slice(0, mostFolders)
      .map(({ name }) => join(folder, name));
  } catch {
    return []; // there is none
  }
}

/** In its first lines. */
const saysName = (file: string, called: string): boolean =>
  /^---\r?\n(?:(?!---)[^\n]*\n){0,50}?name\s*:\s*["']?([^"'\n]+?)["']?\s*$/m.exec(textAt(file) ?? "")?.[1] === called;

const mostAbove = 12;
function above(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folders.length < mostAbove; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}

function meant(event: HookEvent, name: "PreToolUse" | "PreSkillShellCommand", line: string, file: string): MeantLine {
  const { delivery, nativeTool: _ofTheCall, ...rest } = event;
  const depth = event.data[depthField];
  const can = event.verdicts ?? verdictsOf(rowOf(event.name));
  return {
    ...{ line, file },
    event: {
      ...rest,
      name,
      data: {
        tool_name: "Bash",
        tool_input: { command: line },
        command_source: file,
        ...(depth !== undefined && { [depthField]: depth }),
      },
      accepts: ["verdict", "messages"],
      verdicts: can.filter((is) => is === "deny" || is === "ask"),
      ...(delivery && { delivery: { ...delivery, id: JSON.stringify([delivery.id, file, line]) } }),
    },
  };
}
