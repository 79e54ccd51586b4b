/**
 * The calls that stand in words for a model: for lines that an agent runs itself out of skills and slash commands no event may come, so they
 * are judged when such a file is written, and when a prompt or a call names it.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { depthField, type Fields, type HookEvent, textField } from "../engine/event.ts";
import { rowOf, verdictsOf } from "../engine/events.ts";
import { isRecord } from "../engine/schema.ts";
import { type LineFolder, linesIn, linesInShellLine, linesWritten, mayHoldLines } from "../engine/skill-lines.ts";
import { lineOfCall } from "../engine/tools.ts";
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

/** What this event means beside itself. None for most: only a call that writes such a file, and what names one, is looked at. */
export function meantLines(event: HookEvent, home: Home): MeantLine[] {
  const { name, data } = event;
  const row = rowOf(name);
  const accepts = event.accepts ?? row.accepts;
  if (!accepts.includes("verdict")) return [];
  if (name === "UserPromptSubmit") {
    // Where the agent asks before it opens a command, that is the better moment.
    if (agentNamed(event.sender)?.capabilities.UserPromptExpansion?.includes("verdict")) return [];
    const [, called] = /^\/([\w:.-]+)/.exec(textField(data, "prompt") ?? "") ?? [];
    return called === undefined ? [] : namedBy(called, event, home);
  }
  if (name === "UserPromptExpansion") return namedBy(textField(data, "command_name") ?? "", event, home);
  const { tool_input: input } = data;
  if (name !== "PreToolUse" || !isRecord(input)) return [];
  return ofCall(textField(data, "tool_name") ?? "", input as Fields, event, home); // a payload is JSON
}

function ofCall(tool: string, input: Fields, event: HookEvent, home: Home): MeantLine[] {
  const { cwd } = event;
  if (tool === "Skill" || tool === "SlashCommand") {
    const [called = ""] = (textField(input, "skill") ?? textField(input, "command") ?? "").split(/\s/);
    return namedBy(called.replace(/^\//, ""), event, home);
  }
  // A patch names its files in its own text, as a line does.
  const texts = [lineOfCall(tool, input)?.line, textField(input, "patch"), textField(input, "input")].filter((text) =>
    text?.includes("!"),
  );
  if (texts.length === 0 && !mayHoldLines(input)) return [];
  const folders = lineFolders(home);
  const absolute = (path: string): string =>
    path.startsWith("~/") ? join(home.home, path.slice(2)) : resolve(isAbsolute(cwd) ? cwd : "/", path);
  const found = [
    ...linesWritten(input, folders, { absolute, real: realOf, read: textAt }),
    ...texts.flatMap((text) => linesInShellLine(text ?? "", cwd, folders) ?? []),
  ];
  return found.flatMap(({ path, lines }) => lines.map((line) => meant(event, "PreSkillShellCommand", line, path)));
}

/** `review`, `git:commit` of a folder, `plugin:skill`: wherever a file or a folder of that name lies. */
function namedBy(called: string, event: HookEvent, home: Home): MeantLine[] {
  if (!/^[\w][\w:.-]*$/.test(called) || called.includes("..")) return [];
  const parts = called.replaceAll(":", "/");
  const tops = new Set([...above(event.cwd), home.home]);
  const found: MeantLine[] = [];
  for (const { folder, forms } of lineFolders(home))
    for (const place of folder.startsWith("/") ? [folder] : [...tops].map((top) => join(top, folder)))
      for (const end of [".md", ".toml", "/SKILL.md"]) {
        const file = `${join(place, parts)}${end}`;
        const text = textAt(file);
        for (const line of text === undefined ? [] : linesIn(text, forms))
          found.push(meant(event, "PreToolUse", line, file));
      }
  return found;
}

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
