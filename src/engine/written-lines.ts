/**
 * What a file of words for a model will hold after a call of a tool: a dangerous line may be put together of what lies there and what
 * an edit, an insertion, an addition or a patch brings. Apart from skill-lines.ts, which finds the lines in a text.
 */
import type { Fields, Json } from "./event.ts";
import { isRecord } from "./schema.ts";
import { formsAt, isOfWords, type LineFolder, type LinesWritten, linesBetween } from "./skill-lines.ts";
import { patchIn, pathsOfInput, recordsOf } from "./tool-input.ts";
import { pathFields } from "./tools.ts";

const wholeFields = ["content", "file_text", "contents"];
const oldFields = ["old_string", "old_str", "oldText", "oldString", "old_text"];
const lineFields = ["insert_line", "insertLine", "line_number", "lineNumber", "line"];
const patchFields = ["patch", "input", "patchText", "diff"];
/** Texts that are none of the file's. */
const besides: ReadonlySet<string> = new Set([
  ...[...pathFields, ...oldFields, ...wholeFields, ...patchFields],
  ..."command mode regex pattern search description explanation instruction encoding language id cell_id cell_type edit_mode".split(
    " ",
  ),
]);

const textOf = (input: Fields, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const value: Json | undefined = Object.hasOwn(input, name) ? input[name] : undefined;
    return typeof value === "string" ? [value] : [];
  });

/** Whether a tool's input names a file that may be one: most name none. */
export const mayHoldLines = (input: Fields): boolean => pathsOfInput(input).some(isOfWords) || isPatch(patchIn(input));

const isPatch = (text: string): boolean => text.includes("*** ") || text.includes("+++ ");

export interface PlacesOfFiles {
  absolute(path: string): string;
  /** Where a path leads: through links, it may lie there as well. */
  real(path: string): string;
  /** What lies there now; undefined: nothing, or nothing that can be read. */
  read(path: string): string | undefined;
}

/** What a tool for files would put into such files. */
export function linesWritten(
  { tool, input }: { tool: string; input: Fields },
  folders: readonly LineFolder[],
  places: PlacesOfFiles,
): LinesWritten[] {
  const named = recordsOf(input).flatMap(({ paths, fields }) =>
    paths.map((written) => ({ written, change: changeOf(tool, { ...input, ...fields }) })),
  );
  const patch = patchIn(input);
  const ofPatches = isPatch(patch) ? changesOfPatch(patch) : [];
  return [...named, ...ofPatches].flatMap(({ written, change }) => {
    const path = places.absolute(written);
    const forms = isOfWords(path) ? (formsAt(path, folders) ?? formsAt(places.real(path), folders)) : undefined;
    if (forms === undefined) return [];
    const now = places.read(path);
    const { before, after, isUntold } = change(now);
    const found = linesBetween(path, before, after, forms);
    return found.length === 0 && isUntold ? [{ path, lines: [], hooks: false, isUntold }] : found;
  });
}

interface Changed {
  before: string;
  /** More than one where nobody can tell which it will be. */
  after: string[];
  isUntold?: true;
}
type Change = (now: string | undefined) => Changed;

function changeOf(tool: string, input: Fields): Change {
  const whole = textOf(input, wholeFields);
  if (whole.length > 0) {
    const text = whole.join("\n");
    if (tool === "Write" || input.command === "create") return () => ({ before: "", after: [text] });
    return (now = "") => ({ before: now, after: [text, now + text] });
  }
  const edits = Array.isArray(input.edits) ? input.edits.filter(isRecord).map((one) => one as Fields) : [input]; // it is JSON
  return edited(
    edits.map((edit) => ({
      old: textOf(edit, oldFields)[0] ?? "",
      parts: Object.entries(edit).flatMap(([name, value]) =>
        typeof value === "string" && !besides.has(name) ? [value] : [],
      ),
      line: lineFields.map((name) => edit[name]).find((value) => typeof value === "number"),
      isAll: edit.replace_all === true,
    })),
  );
}

interface Edit {
  old: string;
  parts: string[];
  line?: Json | undefined;
  isAll?: boolean;
}

/** What holds a line, or the beginning of one. */
const begun = /!`|!\{|```!|\\[ux]/i;

const edited =
  (edits: readonly Edit[]): Change =>
  (lies) => {
    const before = lies ?? "";
    let now = before;
    let isUntold = false;
    const after: string[] = [];
    for (const { old, parts, line, isAll } of edits) {
      const [part = ""] = parts;
      if (old !== "" && now.includes(old)) now = isAll ? now.replaceAll(old, () => part) : now.replace(old, () => part);
      else if (typeof line === "number") for (const at of [line, line - 1]) after.push(inserted(now, at, part));
      else isUntold ||= parts.length > 0 && (begun.test(now) || (lies === undefined && old !== ""));
      for (const one of parts) after.push(now + one, `${now}\n${one}`, now.trimEnd() + one);
    }
    return { before, after: [now, ...after], ...(isUntold ? { isUntold: true } : {}) };
  };

/** Behind this line, counted from one. With the break that a tool may leave out, and without it. */
function inserted(text: string, at: number, part: string): string {
  const lines = text.split("\n");
  const start = lines.slice(0, Math.max(at, 0)).join("\n");
  return [
    start,
    start === "" || part.startsWith("\n") ? "" : "\n",
    part,
    "\n",
    lines.slice(Math.max(at, 0)).join("\n"),
  ].join("");
}

const heading = /^\s*(?:\*\*\* (?:Add|Update) File:|\*\*\* Move to:|\+\+\+)\s*(?:b\/)?(\S.*?)\s*$/;

/** The files of a patch, of either form, each with what is done to it. */
function changesOfPatch(patch: string): { written: string; change: Change }[] {
  const files: { written: string; hunks: { old: string[]; fresh: string[] }[] }[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, written] = heading.exec(line) ?? [];
    const last = files.at(-1);
    if (written !== undefined) files.push({ written, hunks: line.includes("Move to") ? (last?.hunks ?? []) : [] });
    else if (line.startsWith("@@")) last?.hunks.push({ old: [], fresh: [] });
    else if (last && /^[-+ ]/.test(line) && !line.startsWith("--- ")) {
      if (last.hunks.length === 0) last.hunks.push({ old: [], fresh: [] });
      const hunk = last.hunks.at(-1);
      if (!line.startsWith("+")) hunk?.old.push(line.slice(1));
      if (!line.startsWith("-")) hunk?.fresh.push(line.slice(1));
    }
  }
  return files.map(({ written, hunks }) => ({
    written,
    change: edited(hunks.map(({ old, fresh }) => ({ old: old.join("\n"), parts: [fresh.join("\n")] }))),
  }));
}
