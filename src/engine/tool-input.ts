/**
 * What the input of a tool call means, whatever its fields are called and however deep they stand: the files that it names, the lines and the
 * code that it runs, the patch that it applies. The one place that decides it; which tools there are is in tools.ts.
 */
import type { Fields, Json } from "./event.ts";
import { isFields, isRecord } from "./schema.ts";
import { classOf, toolRow } from "./tools.ts";

const deepest = 6;
const mostLines = 50;
const mostPaths = 1_000;
const longestPath = 4096;

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
/** As names of fields are compared: `filePath`, `file_path` and `file-path` are one. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

const isPatch = (text: string): boolean => /\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|\+\+\+ /.test(text);

/**
 * The input as fields: an agent may send a text or a list alone. Undefined: its meaning is unknown, and a guard answers by its
 * policy. A call without any input has no fields.
 */
export function inputOfCall(tool: string, raw: Json | undefined): Fields | undefined {
  if (raw === undefined || raw === null) return {};
  if (isFields(raw)) return raw;
  const patch = patchIn(raw);
  if (isPatch(patch)) return { patch };
  const read = typeof raw === "string" ? parsed(raw) : undefined;
  if (isFields(read)) return read;
  if (typeof raw !== "string" || read !== undefined) return undefined;
  if (classOf(tool) === "shell") return { command: raw };
  return toolRow(tool) === undefined ? { code: raw } : undefined;
}

/** A tool that writes, and a call that tells neither a file nor a patch. */
export function isUntoldWrite(tool: string, raw: Json | undefined): boolean {
  if (classOf(tool) !== "write") return false;
  const input = inputOfCall(tool, raw);
  return input !== undefined && !isPatch(patchIn(raw)) && pathsOfInput(input).length === 0;
}

/** The patch in an input of any form: the text itself, a field, an entry of a list, JSON in a text. Empty: there is none. */
export function patchIn(raw: Json | undefined): string {
  const texts = textsIn(raw);
  const patches = texts.filter(isPatch);
  return (patches.length > 0 ? patches : texts.slice(0, 1)).join("\n");
}

function textsIn(value: Json | undefined, depth = 0): string[] {
  if (depth > deepest) return [];
  if (typeof value === "string") {
    const read = parsed(value);
    return read === undefined ? [value] : textsIn(read, depth + 1);
  }
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  return isFields(value) ? Object.values(value).flatMap((one) => textsIn(one, depth + 1)) : [];
}

function parsed(text: string): Json | undefined {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is a text like others
  }
}

/** What a patch begins the change of a file with. */
const patched = /^\s*(?:\*\*\* (?:Add|Update|Delete) File:\s*|\*\*\* Move to:\s*|\+\+\+ (?:b\/)?|--- a\/)(\S.*?)\s*$/gm;
const removed = /^\s*\*\*\* Delete File:\s*(\S.*?)\s*$/gm;

/** The files of a patch that stands anywhere in an input; gone: those that it removes. */
export function filesOfPatch(input: Fields): { files: string[]; gone: string[] } {
  const text = patchIn(input);
  const all = (form: RegExp): string[] => [...text.matchAll(form)].flatMap(([, path]) => path ?? []);
  return isPatch(text) ? { files: all(patched), gone: all(removed) } : { files: [], gone: [] };
}

/** Fields that name one file or folder, or a list of them. */
const pathNames = set(
  "path paths pathname file files filename filenames filepath filepaths notebookpath absolutepath absolutepaths relativepath relativepaths fullpath " +
    "target targetfile targetfiles targetpath source sourcefile sourcepath sources src dst dest destination destinationpath destinationfile destpath " +
    "oldpath newpath oldfile newfile oldname newname from to frompath topath outputpath outputfile output inputpath inputfile " +
    "folder folders foldername folderpath directory directories dir dirs dirpath directorypath document documentpath filesystempath localpath",
);
/** Of these the names of the fields themselves are files: `{files: {"a.md": "…"}}`. */
const mapNames = set("files filecontents filemap");
const address = /^file:\/{1,3}(?!\/)/i;

/** Of one that is spelt as an address, the file that it means. */
export function fileOf(text: string): string {
  if (!address.test(text)) return text;
  try {
    return decodeURIComponent(new URL(text.replace(/^file:\/(?!\/)/i, "file:///")).pathname);
  } catch {
    return text.replace(/^file:\/\/(?:localhost(?=\/))?/i, ""); // what a tool makes of it is unknown: the rest of it is the likeliest
  }
}

const mayBePath = (text: string): boolean => text !== "" && text.length <= longestPath && !/[\n\r]/.test(text);

/** A part of an input, with the files that its own fields name. */
export interface InputRecord {
  paths: string[];
  fields: Fields;
}

/** The parts of an input that name files, at any depth: the whole of it, entries of a list, JSON in a text. */
export function recordsOf(input: Fields): InputRecord[] {
  const found: InputRecord[] = [];
  let left = mostPaths;
  const take = (into: InputRecord, text: string): void => {
    if (mayBePath(text) && left-- > 0) into.paths.push(fileOf(text));
  };
  const look = (
    value: Json | undefined,
    { name, into, depth }: { name: string; into: InputRecord; depth: number },
  ): void => {
    if (depth > deepest) return;
    if (typeof value === "string") {
      const read = /^\s*[[{]/.test(value) ? parsed(value) : undefined;
      if (read !== undefined) look(read, { name, into, depth: depth + 1 });
      else if (pathNames.has(name) || address.test(value)) take(into, value);
    } else if (Array.isArray(value)) for (const one of value) look(one, { name, into, depth: depth + 1 });
    else if (isFields(value)) lookIn(value, name, depth);
  };
  const lookIn = (fields: Fields, name: string, depth: number): void => {
    const own: InputRecord = { paths: [], fields };
    found.push(own);
    for (const [field, one] of Object.entries(fields)) {
      if (mapNames.has(name)) {
        const ofName: InputRecord = { paths: [], fields: typeof one === "string" ? { content: one } : {} };
        take(ofName, field);
        found.push(ofName);
      }
      look(one, { name: plainName(field), into: own, depth: depth + 1 });
    }
  };
  lookIn(input, "", 0);
  return found.filter(({ paths }) => paths.length > 0);
}

/** The files and folders that a call is about, as written, but for addresses of files. */
export const pathsOfInput = (input: Fields): string[] => [...new Set(recordsOf(input).flatMap(({ paths }) => paths))];

/** Which of the files in the folder are looked through. */
const globFields = [
  "glob",
  "include",
  "include_pattern",
  "includePattern",
  "file_pattern",
  "filePattern",
  "globs",
  "includes",
];
/** One text, or a list of them. */
function textsField(input: Fields, name: string): string[] {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return [value].flat().filter((one) => typeof one === "string");
}

/** Patterns of the files that a call looks through, each without braces. */
export const globsOfInput = (input: Fields): string[] =>
  globFields
    .flatMap((name) => textsField(input, name))
    .filter((glob) => !glob.startsWith("!"))
    .flatMap(alternatives);

/** `*.{env,pem}` */
function alternatives(glob: string): string[] {
  const [whole, before = "", inside = "", behind = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
  return whole === undefined
    ? [glob]
    : inside
        .split(",")
        .slice(0, 16)
        .map((one) => `${before}${one}${behind}`);
}

/** Fields in which unknown tools are given a line or the words of a command to run (R102). */
const lineNames = set("command cmd line commandline cmdline shellcommand bashcommand shell bash exec argv");
/** In these it may as well be code of another language. */
const codeNames = set(
  "code script javascript js typescript ts python py ruby rb perl php lua source sourcecode snippet expression function func",
);
/** In these statements of a database stand, which are read as a client of one would run them. */
const sqlNames = set("sql sqlquery sqlqueries sqlstatement sqlstatements sqltext");
/** Of a tool that is called like a database. */
const queryNames = set("query queries statement statements");
const databaseName =
  /sql|postgres|supabase|neon|maria|duckdb|clickhouse|bigquery|snowflake|redshift|cockroach|planetscale|turso|(?:^|_)(?:db|d1|database)(?:_|$)/i;
/** Several of them, each a line of its own. */
const manyNames = set("commands cmds scripts lines");
/** The folder in which such a tool is to run its line. */
const folderNames = set("cwd workdir workingdir workingdirectory workdirectory directory dirpath");
/** Only with `args` is it known for a program. */
const programNames = set("program executable file binary bin");
/** Such a tool is a shell by its name: what its line leaves unknown counts as it does for a shell. */
const shellName = /(?:^|_|-|\.)(?:shell|bash|sh|zsh|terminal|exec|execute|run)(?:$|_|-|\.|command|cmd)/i;

/** The shell line of a call, where it has one. Of a tool that is not known it is read for rules that deny or ask alone. */
export function lineOfCall(tool: string, input: Fields): { line: string; isShell: boolean } | undefined {
  const row = toolRow(tool);
  if (row !== undefined && row.class !== "shell") return undefined;
  if (row?.compares === "foreign") return undefined;
  const lines = row
    ? row.fields.flatMap((field) => joinedWords(Object.hasOwn(input, field) ? input[field] : undefined, input) ?? [])
    : linesIn(input, tool);
  if (lines.length === 0) return undefined;
  return {
    line: lines.slice(0, mostLines).join("\n"),
    isShell: row !== undefined || (shellName.test(tool) && takesLine(input)),
  };
}

/** The line of a shell that nothing here can read: of such a tool, or of one that is called like such a shell. */
export function foreignTextOf(tool: string, input: Fields): string | undefined {
  const row = toolRow(tool);
  if (row === undefined) return foreignName.test(tool) ? lineOfCall(tool, input)?.line : undefined;
  if (row.compares !== "foreign") return undefined;
  const named = row.fields.flatMap((field) => textsField(input, field));
  const all = named.length > 0 ? named : Object.values(input).filter((one) => typeof one === "string");
  return all.length > 0 ? all.join("\n") : undefined;
}
const foreignName = /powershell|pwsh|(?:^|[_.-])cmd(?:$|[_.-])|windows/i;

/** A field says that it is given a line: what is in others may be code of any language. */
function takesLine(value: Json | undefined, depth = 0): boolean {
  if (depth > deepest || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => takesLine(one, depth + 1));
  return Object.entries(value).some(([name, one]) => {
    const plain = plainName(name);
    return lineNames.has(plain) || manyNames.has(plain) || programNames.has(plain) || takesLine(one, depth + 1);
  });
}

/** Wherever they stand: `args.script`, `arguments.command`, steps, JSON as a text. */
function linesIn(value: Json | undefined, tool: string, depth = 0): string[] {
  if (depth > deepest) return [];
  if (typeof value === "string") return linesIn(parsed(value), tool, depth + 1);
  if (Array.isArray(value))
    return value.flatMap((one) => (typeof one === "object" ? linesIn(one, tool, depth + 1) : []));
  if (!isRecord(value)) return [];
  const fields = value as Fields; // it is JSON
  const folder =
    folderIn(fields) ?? Object.values(fields).flatMap((one) => (isFields(one) ? (folderIn(one) ?? []) : []))[0];
  const lines = linesOfFields(fields, tool, depth);
  if (folder === undefined) return lines;
  const home = /^~(?=\/|$)/.exec(folder)?.[0] ?? ""; // in quotes it is a name
  const to = home === folder ? home : `${home}${quoted(folder.slice(home.length))}`;
  return lines.map((line) => `(cd ${to}\n${line}\n)`);
}

function folderIn(fields: Fields): string | undefined {
  const found = Object.entries(fields).find(([name, one]) => folderNames.has(plainName(name)) && one !== "")?.[1];
  return typeof found === "string" ? fileOf(found) : undefined;
}

function linesOfFields(fields: Fields, tool: string, depth: number): string[] {
  return Object.entries(fields).flatMap(([name, one]) => {
    const plain = plainName(name);
    if (sqlNames.has(plain) || (queryNames.has(plain) && databaseName.test(tool))) {
      const statements = [one].flat().filter((each) => typeof each === "string");
      if (statements.length > 0) return [`psql -c ${quoted(statements.join(";\n"))}`];
    }
    if (manyNames.has(plain) && Array.isArray(one))
      return one.flatMap((each) => (typeof each === "string" ? each : linesIn(each, tool, depth + 1)));
    if (codeNames.has(plain) && typeof one === "string" && argsOf(fields).length === 0 && mayBeCode(one))
      return codeLines(one, `${plain} ${languageOf(fields)} ${tool}`);
    const isLine =
      lineNames.has(plain) || codeNames.has(plain) || (programNames.has(plain) && argsOf(fields).length > 0);
    return (isLine ? joinedWords(one, fields) : undefined) ?? linesIn(one, tool, depth + 1);
  });
}

/** A bare word or a path runs nothing. */
const mayBeCode = (code: string): boolean => /[\s(`;]/.test(code);

const languageOf = ({ language, lang, runtime, interpreter }: Fields): string =>
  [language, lang, runtime, interpreter].filter((one) => typeof one === "string").join(" ");

/** By what the field, the call or the tool says of the language: a program that runs such code. */
const interpreters: readonly (readonly [RegExp, string])[] = [
  [/python|ipython|jupyter|\bpy\b|_py_/i, "python3 -c"],
  [/javascript|typescript|node|deno|bun|\bjs\b|_js_|\bts\b|js_repl/i, "node -e"],
  [/ruby|\brb\b/i, "ruby -e"],
  [/perl/i, "perl -e"],
  [/php/i, "php -r"],
  [/\blua\b/i, "lua -e"],
];

/** Without a language: as a shell's line, and as what the languages with the most such tools would do. */
function codeLines(code: string, told: string): string[] {
  const named = interpreters.flatMap(([says, program]) => (says.test(told) ? [program] : []));
  if (named.length > 0) return named.map((program) => `${program} ${quoted(code)}`);
  const programs = shellCode.test(told) ? [] : ["python3 -c", "node -e"];
  return [...programs.map((program) => `${program} ${quoted(code)}`), code];
}
const shellCode = /\b(?:bash|sh|zsh|shell)\b/i;

const argsOf = ({ args, arguments: given }: Fields): string[] => {
  const words = Array.isArray(args) ? args : given;
  return Array.isArray(words) && words.every((one) => typeof one === "string") ? words : [];
};

/** A text is a line; a list is the words of one command, and so is a program with its `args`. */
function joinedWords(value: Json | undefined, fields: Fields): string | undefined {
  const more = argsOf(fields);
  if (typeof value === "string") return [value, ...more.map(quoted)].join(" ");
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === "string")) return undefined;
  return [...value, ...more].map(quoted).join(" ");
}

const quoted = (word: string): string => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
