/** The patches of Codex and of OpenCode's GPT models: one text that adds, changes, moves and removes files, read as one call of a tool for each file it touches (R11). */
import { isAbsolute, join } from "node:path";
import type { Fields, HookEvent, Json } from "../engine/event.ts";
import { isRecord } from "../engine/schema.ts";

/** A call as hooks see it. */
export interface Call {
  tool_name: string;
  tool_input: Json;
  nativeTool?: string;
}

interface Hunk {
  /** What stands behind @@. */
  context: string;
  before: string[];
  after: string[];
}
interface Section {
  does: "add" | "update" | "delete";
  path: string;
  movedTo?: string;
  added: string[];
  hunks: Hunk[];
}

/** Codex takes headings that are indented, OpenCode takes them without a blank before the path. What both take for a blank is more than \s. */
const headings: readonly [RegExp, Section["does"] | "move"][] = (
  [
    ["Add File", "add"],
    ["Update File", "update"],
    ["Delete File", "delete"],
    ["Move to", "move"],
  ] as const
).map(([words, does]) => [new RegExp(`^[\\s\\u0085]*\\*\\*\\* ${words}:[\\s\\u0085]*(.+?)[\\s\\u0085]*$`), does]);

/** Lines that are no part of a patch are passed over: Codex does not run what it cannot read, and hooks see what it might. */
function sectionsOf(patch: string): Section[] {
  const sections: Section[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const heading = headingIn(line);
    const last = sections.at(-1);
    if (!heading) readInto(last, line);
    else if (heading.does !== "move") sections.push({ ...heading, does: heading.does, added: [], hunks: [] });
    else if (last) last.movedTo = heading.path;
  }
  return sections;
}

function headingIn(line: string): { does: Section["does"] | "move"; path: string } | undefined {
  if (!line.includes("***")) return undefined;
  for (const [heading, does] of headings) {
    const [, path] = heading.exec(line) ?? [];
    if (path !== undefined) return { does, path };
  }
  return undefined;
}

function readInto(section: Section | undefined, line: string): void {
  if (!section || /^\s*\*\*\* /.test(line)) return;
  if (section.does === "add") {
    if (line.startsWith("+")) section.added.push(line.slice(1));
  } else if (line.startsWith("@@"))
    section.hunks.push({ context: line.slice(2).replace(/^ /, ""), before: [], after: [] });
  else readChange(section, line);
}

function readChange({ does, hunks }: Section, line: string): void {
  if (does !== "update" || !/^[-+ ]/.test(line)) return;
  const hunk = hunks.at(-1) ?? { context: "", before: [], after: [] };
  if (hunks.length === 0) hunks.push(hunk); // the first may stand without @@
  if (!line.startsWith("+")) hunk.before.push(line.slice(1));
  if (!line.startsWith("-")) hunk.after.push(line.slice(1));
}

const linesAsText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

interface Where {
  cwd: string;
  /** Of a command that goes elsewhere first. */
  folder?: string;
}
const pathIn = (path: string, { cwd, folder = "" }: Where): string =>
  isAbsolute(path) ? path : isAbsolute(folder) ? join(folder, path) : join(cwd, folder, path);

const own = "apply_patch";

/** A file that goes is written too: what was in it is lost (R11). */
function callsOf(section: Section, where: Where): Call[] {
  const { does, path, movedTo, added, hunks } = section;
  const file_path = pathIn(path, where);
  if (does === "add")
    return [{ tool_name: "Write", tool_input: { file_path, content: linesAsText(added) }, nativeTool: own }];
  if (does === "delete") {
    const patch = `*** Delete File: ${file_path}\n`; // by it rules about what is removed know it
    return [{ tool_name: "Write", tool_input: { file_path, content: "", patch }, nativeTool: own }];
  }
  const edits = hunks.map(({ before, after }) => ({ old_string: before.join("\n"), new_string: after.join("\n") }));
  const [only, ...more] = edits;
  const change: Fields = {
    old_string: edits.map((one) => one.old_string).join("\n"),
    new_string: edits.map((one) => one.new_string).join("\n"),
    ...(only && more.length > 0 && { edits }),
  };
  return [path, ...(movedTo === undefined ? [] : [movedTo])].map((one) => ({
    tool_name: "Edit",
    tool_input: { file_path: pathIn(one, where), ...change },
    nativeTool: own,
  }));
}

/** It writes, and nothing tells what: a call that names no file is not known to guards. */
const unknownCall: Call = { tool_name: "Edit", tool_input: {}, nativeTool: own };

/** The calls that a patch means, in its order. */
export function patchCalls(patch: string, cwd: string): Call[] {
  const calls = sectionsOf(patch).flatMap((section) => callsOf(section, { cwd }));
  return calls.length > 0 ? calls : [unknownCall];
}

/** What may stand before the program of a command: words of the shell, programs that start others, assignments, options, redirections, numbers. */
const before =
  /^(?:then|do|else|elif|if|while|until|!|time|timeout|nohup|nice|ionice|env|command|builtin|exec|eval|sudo|doas|stdbuf|setsid|xargs|busybox|(?:ba|z|da|k)?sh|\w+\+?=.*|-.*|\d*[<>].*|\d[\d.]*[smhd]?)$/;
const patchProgram = /^(?:[\w./~-]*\/)?apply_?patch$/;

/**
 * Whether the line may start the program, by the words of its commands without their quotes. What stands behind an option or a
 * redirection may be its value. A name in a variable may be started later.
 */
function mayPatch(line: string): boolean {
  const text = line.replaceAll(wholePatch, "").replaceAll(/\$?['"]|\\\n?/g, "");
  if (!/apply_?patch/.test(text)) return false;
  return text.split(/[;&|(){}`\n]+/).some((command) => {
    const words = command.trim().split(/\s+/);
    const at = words.findIndex((word) => patchProgram.test(word.replace(/^\w+\+?=/, "")));
    if (at === -1 || /^(?:command|builtin) -[vV]$/.test(words.slice(0, 2).join(" "))) return false;
    return words
      .slice(0, at)
      .every((word, index) => before.test(word) || /^(?:-.*|\d*[<>]+)$/.test(words[index - 1] ?? ""));
  });
}

const wholePatch = /\*\*\* Begin Patch[\s\S]*?(?:\*\*\* End Patch|$)/g;
/** The one form in which Codex itself goes elsewhere before it patches. */
const goesFirst = /^\s*cd\s+(?:"([^"$`\\]+)"|'([^']+)'|([^\s'"$`\\;&|*?~]+))\s*&&\s*apply_?patch\b/;

/** The calls that a shell line means beside itself: it may hold a patch as a here-document, which Codex applies by itself. */
export function patchCallsInLine(line: string, cwd: string): Call[] {
  if (!mayPatch(line)) return [];
  const [, double, single, plain] = goesFirst.exec(line) ?? [];
  const folder = double ?? single ?? plain;
  const where: Where = { cwd, ...(folder !== undefined && { folder }) };
  const patches = (line.match(wholePatch) ?? []).map((patch) =>
    patch.includes("\n") ? patch : patch.replaceAll("\\n", "\n"),
  );
  const calls = patches.flatMap(sectionsOf).flatMap((section) => callsOf(section, where));
  const isClear = calls.length > 0 && (folder !== undefined || !/\b(?:cd|pushd|popd|chdir)\b/.test(firstPart(line)));
  return isClear ? calls : [...calls, unknownCall];
}

/** What runs before the first patch. */
const firstPart = (line: string): string => line.slice(0, line.indexOf("*** Begin Patch"));

/** Whether a rewritten call can be put back into this patch: it does one thing to one file, in one place. */
export function isOneChange(patch: string): boolean {
  const [only, ...more] = sectionsOf(patch);
  if (!only || more.length > 0 || only.movedTo !== undefined) return false;
  return only.does === "add" || (only.does === "update" && only.hunks.length === 1);
}

const signed = (sign: string, text: string): string[] => text.split("\n").map((line) => `${sign}${line}`);

/** The patch that does what the rewritten call says; undefined: it says nothing that a patch can do. */
export function patchFor(patch: string, input: Fields, { cwd }: Pick<HookEvent, "cwd">): string | undefined {
  const [section] = sectionsOf(patch);
  const [before] = section ? callsOf(section, { cwd }) : [];
  if (!section || !before || !isRecord(before.tool_input)) return undefined;
  const { file_path, content, old_string, new_string } = { ...before.tool_input, ...input };
  const isSame = Object.entries(before.tool_input).every(([key, value]) => (input[key] ?? value) === value);
  if (isSame) return patch;
  const path = file_path === before.tool_input.file_path ? section.path : file_path;
  const body =
    section.does === "add"
      ? typeof content === "string" && signed("+", content.replace(/\n$/, ""))
      : typeof old_string === "string" &&
        typeof new_string === "string" && [
          `@@${section.hunks[0]?.context ? ` ${section.hunks[0].context}` : ""}`,
          ...(old_string === "" ? [] : signed("-", old_string)),
          ...(new_string === "" ? [] : signed("+", new_string)),
        ];
  if (typeof path !== "string" || /[\n\r]/.test(path) || !body) return undefined;
  const heading = section.does === "add" ? "Add" : "Update";
  return `${["*** Begin Patch", `*** ${heading} File: ${path}`, ...body, "*** End Patch"].join("\n")}\n`;
}
