/**
 * `hookline automation create` and its like: the steps that they are given run shell lines later, so these lines are read as if the line
 * itself ran them. Every rule about commands then judges them.
 */
import { isUnknown } from "./expand.ts";
import { pathIn } from "./made.ts";
import { textOfFile } from "./script-files.ts";
import { type Call, folderOf, noteRuns, readLine, shortened } from "./shell.ts";

const making = /^(?:create|edit|apply)$/;
/** What steps of automations call a line. */
const lineFields: ReadonlySet<string> = new Set(["command", "script", "cmd", "line"]);
const deepest = 20;

function linesIn(value: unknown, depth = 0): string[] {
  if (typeof value !== "object" || value === null || depth > deepest) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === "string" ? (lineFields.has(name) ? one : []) : linesIn(one, depth + 1),
  );
}

function parsed(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return undefined;
  }
}

/** As YAML writes them, in blocks and in braces: a text, a block of lines, or a list of words. */
const inYaml =
  /^([ \t]*)(?:-[ \t]+)?["']?(command|script|cmd|line)["']?[ \t]*:[ \t]*([|>])?[^\S\n]*(.*)$|[{,][ \t]*["']?(?:command|script|cmd|line)["']?[ \t]*:[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|[^,}\n]+)/gm;

/** The lines of a file of automations; undefined: something in it stands elsewhere, so nobody can tell. */
function linesOfFile(text: string): string[] | undefined {
  if (/^\s*[[{]/.test(text) && parsed(text) !== undefined) return linesIn(parsed(text));
  const rows = text.split("\n");
  const lines: string[] = [];
  for (const { 1: indent = "", 2: named, 3: block, 4: rest = "", 5: inBraces, index } of text.matchAll(inYaml)) {
    const start = text.slice(0, index).split("\n").length;
    const below =
      named === undefined || (block === undefined && rest !== "") ? [] : blockBelow(rows, start, indent.length);
    const isWords = block === undefined && below.length > 0;
    if (isWords) lines.push(below.map((row) => plain(row.replace(/^\s*-\s*/, ""))).join(" "));
    else if (block !== undefined) lines.push(below.map((row) => row.trim()).join(block === ">" ? " " : "\n"));
    else lines.push(plain(inBraces ?? rest));
  }
  return lines.some((line) => /^[*&!]/.test(line)) ? undefined : lines;
}

function blockBelow(rows: readonly string[], start: number, indent: number): string[] {
  const end = rows.findIndex(
    (row, index) =>
      index >= start && row.trim() !== "" && (/^\s*/.exec(row)?.[0].length ?? 0) <= indent && !/^\s*-\s/.test(row),
  );
  return rows.slice(start, end < 0 ? undefined : end);
}

/** Without its quotes, its comment, or the brackets of a list of words. */
function plain(written: string): string {
  const text = written.trim();
  const double = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0];
  if (double !== undefined) return String(parsed(double) ?? double.slice(1, -1));
  const single = /^'((?:[^']|'')*)'/.exec(text)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  const words = /^\[(.*)\]/s.exec(text)?.[1];
  if (words !== undefined) return words.split(",").map(plain).join(" ");
  return text.replace(/\s#.*$/, "");
}

/** The files of `apply`: what the line has written there, or what lies there. */
function readFiles(words: readonly string[], call: Call): void {
  const at = words.indexOf("apply");
  const files =
    at < 0
      ? []
      : words
          .slice(at + 1)
          .filter((word, index, all) => !/^-./.test(word) && !/^--(?:project|cwd|store)$/.test(all[index - 1] ?? ""));
  for (const file of files) {
    const told = file === "-" ? call.input : textOfFile(file, call);
    const path = pathIn(folderOf(call), file);
    const text =
      typeof told === "object"
        ? told.text
        : told === "elsewhere" && path.startsWith("/")
          ? call.reading.textAt(path)
          : undefined;
    const lines = text === undefined ? undefined : linesOfFile(text);
    if (lines === undefined) noteRuns(call.reading, `cannot tell what the automations in ${shortened(file)} run`);
    for (const line of lines ?? []) readLine(line, { ...call, input: "inherited", from: [] });
  }
}

export function readAutomation(words: readonly string[], call: Call): void {
  const at = words.indexOf("automation");
  if (at < 0 || !words.slice(at + 1).some((word) => making.test(word))) return;
  readFiles(words.slice(at), call);
  const texts = typeof call.input === "object" ? [...words, call.input.text] : words;
  for (const word of texts) {
    const value = word.replace(/^--[\w-]+=/, "");
    if (!/^\s*[[{]/.test(value)) continue;
    if (isUnknown(value)) noteRuns(call.reading, "cannot tell what the automation runs");
    else for (const line of linesIn(parsed(value))) readLine(line, { ...call, input: "inherited", from: [] });
  }
}
