/**
 * Shell lines in words for a model: skills, slash commands and agents' descriptions hold lines that the agent runs itself when they are
 * called, often without telling a hook. What a call would put there, and which lines stand in a text. The folders are the agents' own.
 */
import type { Fields, Json } from "./event.ts";
import { isRecord } from "./schema.ts";
import { pathFields } from "./tools.ts";

/**
 * quoted: !`line` · anywhere: the same, whatever stands before it · fenced: a block of lines that begins with three backquotes and ! ·
 * braced: !{line}
 */
export type LineForm = "quoted" | "anywhere" | "fenced" | "braced";

export type LineFolder = {
  /** Below a project or a home, or absolute. */
  folder: string;
  forms: LineForm[];
};

/** What a file of such a folder would hold that it did not hold before. */
export interface LinesWritten {
  path: string;
  lines: readonly string[];
  /** It brings hooks along, in its first lines. */
  hooks: boolean;
}

const mostLines = 20;
const wordsForModels = /\.(?:md|mdc|mdx|markdown|toml|txt|ya?ml|json)$/i;

/** Whether a tool's input names a file that may be one: most name none. */
export const mayHoldLines = (input: Fields): boolean =>
  textsOf(input, pathFields).some((path) => wordsForModels.test(path));

const below = (path: string, folders: readonly LineFolder[]): LineFolder | undefined => {
  const plain = `${path.replaceAll("\\", "/")}/`.toLowerCase();
  return folders.find(({ folder }) => plain.includes(`${folder.startsWith("/") ? "" : "/"}${folder}/`.toLowerCase()));
};

/** Whether it is such a folder or lies in one. */
export const liesThere = (path: string, folders: readonly LineFolder[]): boolean => below(path, folders) !== undefined;

export const isOfWords = (path: string): boolean => wordsForModels.test(path);

/** @param path absolute, or with unknown parts. Undefined: no words for a model lie there */
export const formsAt = (path: string, folders: readonly LineFolder[]): readonly LineForm[] | undefined =>
  isOfWords(path) ? below(path, folders)?.forms : undefined;

/** The folders that a line could mean, by its text and by where it runs. */
export function foldersIn(line: string, cwd: string, folders: readonly LineFolder[]): LineFolder[] {
  const places = `${cwd}/\n${line.replaceAll(/['"\\]/g, "")}`.toLowerCase();
  return folders.filter(({ folder }) =>
    folder
      .toLowerCase()
      .split("/")
      .every((name) => places.includes(name)),
  );
}

export function linesIn(text: string, forms: readonly LineForm[]): string[] {
  const found: string[] = [];
  if (!text.includes("!")) return found;
  if (forms.includes("fenced")) for (const [, block = ""] of text.matchAll(/```!([\s\S]*?)```/g)) found.push(block);
  const isLoose = forms.includes("anywhere");
  if (isLoose || forms.includes("quoted"))
    for (const { 1: line = "", index } of text.matchAll(/!`([^`]+)`/g))
      if (isLoose || text[index - 1] !== "`" || /^[^\s.,;:)]/.test(line)) found.push(line);
  if (forms.includes("braced")) for (const line of braced(text)) found.push(line);
  const lines = [...new Set(found.map((line) => line.replaceAll(/\{\{\s*args\s*\}\}/g, "$ARGUMENTS").trim()))].filter(
    (line) => line !== "",
  );
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), lines.slice(mostLines).join("\n")];
}

/** To the brace that closes it. One that nothing closes goes to the end. */
function braced(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (let at = text.indexOf("!{"); at >= 0; at = text.indexOf("!{", end)) {
    let depth = 1;
    end = at + 2;
    for (; end < text.length && depth > 0; end++) {
      if (text[end] === "{") depth += 1;
      else if (text[end] === "}") depth -= 1;
    }
    found.push(text.slice(at + 2, depth === 0 ? end - 1 : end));
  }
  return found;
}

export const bringsHooks = (text: string): boolean => /^\s*---\r?\n(?:(?!---)[^\n]*\n)*?hooks\s*:/.test(text);

const wholeFields = ["content", "file_text", "contents"];
const oldFields = ["old_string", "old_str", "oldText", "oldString"];
const partFields = ["new_string", "new_str", "insert_text", "text", "new_source", "insertText", "newText", "newString"];

const textsOf = (input: Fields, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const value: Json | undefined = Object.hasOwn(input, name) ? input[name] : undefined;
    return typeof value === "string" ? [value] : [];
  });

interface PlacesOfFiles {
  absolute(path: string): string;
  real(path: string): string;
  read(path: string): string | undefined;
}

/**
 * What a tool for files would put into such a file.
 *
 * @param absolute makes a path of one that is written
 * @param real where a path leads: through links, it may lie there as well
 * @param read what lies there now; undefined: nothing, or nothing that can be read
 */
export function linesWritten(
  input: Fields,
  folders: readonly LineFolder[],
  { absolute, real, read }: PlacesOfFiles,
): LinesWritten[] {
  return textsOf(input, pathFields).flatMap((written) => {
    const path = absolute(written);
    const forms = isOfWords(path) ? (formsAt(path, folders) ?? formsAt(real(path), folders)) : undefined;
    if (forms === undefined) return [];
    const whole = textsOf(input, wholeFields);
    const edits = Array.isArray(input.edits) ? input.edits.filter(isRecord).map((one) => one as Fields) : [input]; // it is JSON
    const parts = edits.flatMap((edit) => textsOf(edit, partFields));
    if (whole.length + parts.length === 0) return [];
    const before = whole.length > 0 ? "" : (read(path) ?? "");
    const after = whole.length > 0 ? whole.join("\n") : `${edited(before, edits)}\n${parts.join("\n")}`;
    const known = new Set(linesIn(before, forms));
    const lines = linesIn(after, forms).filter((line) => !known.has(line));
    const hooks = bringsHooks(after) && !bringsHooks(before);
    return lines.length > 0 || hooks ? [{ path, lines, hooks }] : [];
  });
}

/** A line may be put together of what is there and what is new. */
function edited(text: string, edits: readonly Fields[]): string {
  let now = text;
  for (const edit of edits) {
    const [old = ""] = textsOf(edit, oldFields);
    const [replacement = ""] = textsOf(edit, partFields);
    if (old === "" || !now.includes(old)) continue;
    now = edit.replace_all === true ? now.replaceAll(old, () => replacement) : now.replace(old, () => replacement);
  }
  return now;
}

/** The same of a shell line that names such a folder, by its text alone: here-documents hold such lines as they are. */
export function linesInShellLine(line: string, cwd: string, folders: readonly LineFolder[]): LinesWritten | undefined {
  const named = foldersIn(line, cwd, folders);
  const [first] = named;
  if (first === undefined) return undefined;
  const forms = [...new Set(named.flatMap((one) => one.forms))];
  const plain = line.replaceAll("\\`", "`").replaceAll("'!'", "!").replaceAll("\\!", "!");
  const lines = linesIn(plain, forms);
  const hooks = /^hooks\s*:/m.test(plain) && /^---/m.test(plain);
  return lines.length > 0 || hooks ? { path: first.folder, lines, hooks } : undefined;
}
