/**
 * Which paths code deletes and writes: what stands in the arguments of the calls that do it, and what it is called on. Only where
 * these tell nothing, each path that the code names may be meant.
 */
import { unknownText } from "../../../engine/pattern.ts";
import type { Value } from "./calls.ts";
import { endsAlone, isDefined, isMark, operands, withoutBrackets } from "./operands.ts";
import type { Range } from "./tree.ts";
import type { Code } from "./values.ts";

/** What calls do by their names: on any module, on the modules for files only, and on a path. */
interface Calls {
  anywhere: RegExp;
  ofFiles: RegExp;
  /** A function of that name in the code's own list of imports. */
  onPath: RegExp;
}

const fileModules = /^(?:os|fs|fsp|fse|promises|pathlib|shutil|File|FileUtils|Dir|Deno|Bun|IO|fs-extra|file|posix)$/;
const deletes: Calls = {
  anywhere:
    /^(?:rmtree|remove_tree|rm_rf|rm_r|rm_f|remove_dir_all|rmSync|rmdirSync|unlinkSync|rimraf|rimrafSync|removedirs|unlink|rmdir|remove_entry|remove_entry_secure|remove_file|remove_dir|deleteSync|removeSync|emptyDirSync|emptydir|emptyDir|send2trash)$/,
  ofFiles: /^(?:remove|removeSync|rm|unlink|rmdir|delete)$/,
  onPath: /^(?:unlink|rmdir|rmtree|deleteDir|deleteRecursively|delete_dir)$/,
};
const writes: Calls = {
  anywhere:
    /^(?:writeFile|appendFile|writeFileSync|appendFileSync|createWriteStream|file_put_contents|writeTextFile|writeTextFileSync|truncateSync|chmodSync|chownSync|outputFile|outputFileSync|outputJson|writeJson|writeJsonSync|writeJSON|cpSync)$/,
  ofFiles: /^(?:write|binwrite|chmod|chown|truncate|touch|mkfifo)$/,
  onPath: /^(?:write_text|write_bytes|touch|chmod|symlink_to|hardlink_to|setText)$/,
};
/** They write their last operand. */
const copies: Calls = {
  anywhere:
    /^(?:copyFile|copyFileSync|copyfile|copytree|copy2|cp_r|renameSync|symlinkSync|linkSync|cpSync|copySync|moveSync|symlink|ln_s|ln_sf)$/,
  ofFiles: /^(?:copy|move|rename|renames|replace|link|cp|mv|ln|install|safe_move)$/,
  onPath: /^(?:rename|replace|copy_into|move_into)$/,
};
const moves = /^(?:move|moveSync|rename|renameSync|renames|mv|safe_move)$/;
/** What they are given is read, compared, taken apart or shown: it is no path that the code changes. */
const onlySays =
  /^(?:open|openSync|readFile|readFileSync|createReadStream|read|read_text|file_get_contents|print|puts|p|log|error|warn|info|debug|replace|replaceAll|sub|gsub|split|explode|startswith|endswith|startsWith|endsWith|start_with|end_with|includes|match|test|compile|search|findall|get|post|put|use|route|fetch|urlopen|urljoin|require|import|import_module|exists|existsSync|isdir|isfile|statSync|stat|listen|connect|describe|it|assert|equal|dumps|dump|loads|stringify|disk_usage|statvfs|chdir|run|check_output|check_call|execSync|spawn|system|Popen|index|indexOf|find|count|insert|extend_path|Error|Exception|input|argparse|add_argument|redirect|render)$/;
const isChange = (word: string): boolean =>
  [deletes, writes, copies].some((one) => one.anywhere.test(word) || one.ofFiles.test(word) || one.onPath.test(word));
const opening = /^(?:open|openSync|fopen|sopen|new|for_writing)$/;
const mode = /^(?:[rb]*[wax][bt+]*|r[bt]?\+[bt]?|\+?>>?(?::.*)?)$/;

const mostCalls = 10_000;

export interface ChangedPaths {
  deletes: readonly string[];
  writes: readonly string[];
  /** Texts that the code reads, compares or shows: it changes no such path. */
  said: ReadonlySet<string>;
  /** It also changes paths that its text does not tell. */
  deletesUnknown: boolean;
  writesUnknown: boolean;
}

/** What is found of one code. */
interface Search {
  code: Code;
  found: Record<Change, Set<string>>;
  /** It also changes paths that its text does not tell. */
  open: Record<Change, boolean>;
  /** How many calls. */
  seen: Record<Change, number>;
  said: Set<string>;
  /** Where it goes before. */
  folder: string | undefined;
  imported: ReadonlySet<string>;
  aliases: ReadonlyMap<string, string>;
}

type Change = "deletes" | "writes";

/** @param deleting @param writing what the words of the code say, by which a call may be found that is made in a way of its own */
export function changedPaths(
  code: Code,
  text: string,
  { deleting, writing }: { deleting: boolean; writing: boolean },
): ChangedPaths {
  const imported = namesOfImports(text);
  const search: Search = {
    ...{ code, imported, aliases: aliasesIn(code, imported), folder: folderOf(code), said: new Set() },
    found: { deletes: new Set(), writes: new Set() },
    open: { deletes: false, writes: false },
    seen: { deletes: 0, writes: 0 },
  };
  const { found, open, seen, said } = search;
  for (const at of code.words.keys()) {
    if (seen.deletes + seen.writes > mostCalls) {
      open.deletes = true;
      open.writes = true;
      break;
    }
    readCall(search, at);
  }
  return {
    deletes: [...found.deletes],
    writes: [...found.writes],
    said,
    deletesUnknown: open.deletes || (deleting && seen.deletes === 0),
    writesUnknown: open.writes || (writing && seen.writes === 0),
  };
}

/** What the name at this word does, if it is called. */
function readCall(search: Search, at: number): void {
  const { code, imported, aliases, said } = search;
  const { words } = code;
  const one = words[at];
  if (one === undefined) return;
  const { is, word } = one;
  const isName =
    is === "name" ||
    (is === "text" && isMark(code, at - 1, "[") && isMark(code, at + 1, "]")) ||
    (is === "text" && deletes.anywhere.test(word) && isMark(code, at - 1, "(") && isMark(code, at + 1, ","));
  const call = aliases.get(word) ?? word;
  if (!isName || !(isChange(call) || opening.test(call) || onlySays.test(word))) return;
  const behind = is === "text" && isMark(code, at + 1, "]") ? at + 2 : isMark(code, at + 1, "!", "?") ? at + 2 : at + 1;
  const isMethod = isMark(code, at - 1, ".", "->", "?.", "::", "[");
  const owner = isMethod ? words[at - 2] : undefined;
  const isOfFiles = owner
    ? fileModules.test(owner.word) || ownerIsFiles(code, at)
    : imported.has(word) || call !== word;
  const isCall = isMark(code, behind, "(");
  const parts = isCall ? code.partsOf(behind) : [];
  const given = isCall ? operands(code, parts) : withoutBrackets(code, behind);
  const on: Range = [code.beginOf(at), at - 1];
  if (isDefined(code, at)) return;
  if (isCall && onlySays.test(word)) for (const [from, to] of parts) noteSaid(code, from, to, said);
  const does = (calls: Calls): boolean => calls.anywhere.test(call) || (isOfFiles && calls.ofFiles.test(call));
  if (does(deletes)) {
    if (given.length > 0) take(search, "deletes", given);
    else if (isCall && isMethod) take(search, "deletes", [on]);
    else if (/^(?:unlink|rmdir)$/.test(word) && endsAlone(code, at + 1))
      takeValues(search, "deletes", [code.valueOfName("_")]);
    else takeHanded(search, at);
  } else if (isMethod && isCall && deletes.onPath.test(call) && given.length === 0) take(search, "deletes", [on]);
  else if (does(copies) && given.length > 1) {
    take(search, "writes", given.slice(-1));
    if (moves.test(call)) for (const [from, to] of given.slice(0, -1)) takeMoved(search, from, to);
  } else if (isMethod && isCall && copies.onPath.test(call) && given.length === 1) {
    if (code.valueOf(...on).texts.some((one) => !one.startsWith(unknownText))) {
      takeMoved(search, ...on);
      take(search, "writes", given);
    }
  } else if (does(writes) && given.length > 0)
    take(search, "writes", given.slice(0, /^ch(?:mod|own)$/.test(call) ? undefined : 1));
  else if (isMethod && isCall && writes.onPath.test(call) && !isOfFiles) take(search, "writes", [on]);
  else if (opening.test(call)) takeOpened(search, at, parts, given);
}

function take(search: Search, what: Change, ranges: readonly Range[]): void {
  takeValues(
    search,
    what,
    ranges.map(([from, to]) => search.code.valueOf(from, to)),
  );
}

function takeValues({ seen, open, found, folder }: Search, what: Change, values: readonly Value[]): void {
  seen[what]++;
  for (const { texts } of values) {
    const known = texts.filter((one) => !one.startsWith(unknownText) && one !== "");
    if (known.length === 0 && texts.length > 0) open[what] = true;
    for (const one of known) found[what].add(inFolder(folder, spoken(one)));
  }
}

const isPerl = ({ words }: Code, index: number, given: readonly Range[]): boolean =>
  /^\+?>/.test(words[(given[index]?.[1] ?? 0) - 1]?.word ?? "") && given[index + 1] !== undefined;

/** `map(os.remove, files)`, `files.forEach(fs.unlinkSync)` */
function takeHanded(search: Search, at: number): void {
  const { code } = search;
  let from = at;
  while (isMark(code, from - 1, ".", "::")) from -= 2;
  if (!isMark(code, from - 1, "(", ",")) return;
  let begin = from - 1;
  for (let count = 0; begin >= 0 && count < 40 && !isMark(code, begin, "("); count++) begin--;
  const others = code.partsOf(begin).filter(([one, end]) => at < one || at >= end);
  const isOn = isMark(code, begin - 2, ".", "?.");
  take(search, "deletes", others.length > 0 ? others : isOn ? [[code.beginOf(begin - 1), begin - 2]] : []);
}

/** A file that is moved is no longer there. A path that the text does not tell is left out: mostly the code has just made that file. */
function takeMoved(search: Search, from: number, to: number): void {
  const { code, found, folder } = search;
  for (const one of code.valueOf(from, to).texts)
    if (!one.startsWith(unknownText) && one !== "") found.deletes.add(inFolder(folder, spoken(one)));
}

/** `open(p, "w")`, `p.open("w")`, `open(F, ">", $p)`, `open(F, ">$p")` */
function takeOpened(search: Search, at: number, parts: readonly Range[], given: readonly Range[]): void {
  const { code, seen, open, found, folder } = search;
  const modes = (parts.length > 0 ? parts : given).flatMap(([from, to], index) => {
    const value = code.words[to - 1];
    return value?.is === "text" && mode.test(value.word) && (to - from === 1 || to - from === 3) ? [index] : [];
  });
  const [index] = modes;
  const isMethod = isMark(code, at - 1, ".", "->", "?.");
  if (index !== undefined) {
    const range = index === 0 ? undefined : isPerl(code, index, given) ? given[index + 1] : given[0];
    if (index === 0 && isMethod) take(search, "writes", [[code.beginOf(at), at - 1]]);
    else if (range) take(search, "writes", [range]);
    return;
  }
  const last = given.at(-1);
  const [written] = last ? code.valueOf(...last).texts : [];
  const shape = /^\s*\+?>>?\s*(?=[^\s&=>])/.exec(written ?? "");
  if (shape && given.length === 2 && written !== undefined) {
    seen.writes++;
    const path = written.slice(shape[0].length);
    if (path.startsWith(unknownText)) open.writes = true;
    else found.writes.add(inFolder(folder, spoken(path)));
  }
}

/** A module that is loaded where it is used, and what it gives by name: fs.rm, FileUtils.rm. */
function ownerIsFiles(code: Code, at: number): boolean {
  const from = code.beginOf(at);
  return code.words
    .slice(from, at)
    .some(({ is, word }) => is === "text" && /^(?:node:)?(?:fs(?:\/promises|-extra)?|os|shutil)$/.test(word));
}

/** Texts that stand in what is only read or said, without those of calls inside of it that do something. */
function noteSaid(code: Code, from: number, to: number, said: Set<string>): void {
  for (const { is, word } of code.words.slice(from, Math.min(to, from + 60))) {
    if (is === "text") said.add(word);
    if (said.size > 2_000) return;
  }
}

/** `from os import remove`, `const { rm } = require("fs/promises")` */
function namesOfImports(text: string): Set<string> {
  const lists = [
    ...text.matchAll(/\bfrom\s+(?:os|shutil|pathlib|posix)\s+import\s+([^\n;]{1,300})/g),
    ...text.matchAll(/\{([^{}]{1,300})\}\s*(?:=\s*(?:await\s+)?(?:require|import)\s*\(\s*|from\s+)["'](?:node:)?fs/g),
  ];
  return new Set(lists.flatMap(([, names = ""]) => names.split(/[\s,():]+/)));
}

/** Another name for what deletes: `from shutil import rmtree as r`, `const del = fs.rmSync`, `{ rmSync: del }`. */
function aliasesIn(code: Code, imported: ReadonlySet<string>): Map<string, string> {
  const { words } = code;
  const aliases = new Map<string, string>();
  const isDeleting = (word: string): boolean =>
    deletes.anywhere.test(word) || (deletes.ofFiles.test(word) && imported.has(word));
  for (const [at, { is, word }] of words.entries()) {
    if (is === "mark" || is === "end" || !(isDeleting(word) || deletes.ofFiles.test(word))) continue;
    const next = words[at + 1];
    const isRenamed =
      (next?.is === "name" && next.word === "as") || (isMark(code, at + 1, ":") && is === "name" && isDeleting(word));
    const alias = words[at + 2];
    if (isRenamed && alias?.is === "name") aliases.set(alias.word, word);
    if (isMark(code, at + 1, "(")) continue;
    let from = at - 1;
    for (let count = 0; from > 0 && count < 12 && !isMark(code, from, "=") && words[from]?.is !== "end"; count++)
      from--;
    const name = words[from - 1];
    const isOfFiles = words.slice(from, at).some((one) => fileModules.test(one.word));
    const isLast = next === undefined || next.is === "end" || isMark(code, at + 1, ")", ",", "}");
    if (isMark(code, from, "=") && isLast && name?.is === "name" && (isDeleting(word) || isOfFiles))
      aliases.set(name.word, word);
  }
  return aliases;
}

/** Where `os.chdir("x")` leads. */
function folderOf(code: Code): string | undefined {
  const at = code.words.findIndex(({ is, word }) => is === "name" && word === "chdir");
  if (at < 0) return undefined;
  const range: Range | undefined = isMark(code, at + 1, "(")
    ? code.partsOf(at + 1)[0]
    : withoutBrackets(code, at + 1)[0];
  const [folder = ""] = range ? code.valueOf(...range).texts : [];
  return folder === "" || folder.startsWith(unknownText) ? undefined : spoken(folder);
}

const inFolder = (folder: string | undefined, path: string): string =>
  folder === undefined || /^(?:[~/]|[A-Za-z]:)/.test(path) ? path : `${folder.replace(/\/+$/, "")}/${path}`;

/** Parts of a path that the text does not tell stand as some name. All files of all folders in a folder are the whole folder. */
const spoken = (path: string): string =>
  path.replace(new RegExp(`${unknownText}+`, "g"), "(some)").replace(/(?:\/\*)+(?=\/\*$)/, "");
