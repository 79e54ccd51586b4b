/**
 * What a name or an expression of code may be, as far as the code itself tells: constants, folders that every program knows, what
 * the names are set to, and what is put together of these. The rest is `unknownText`.
 */
import { unknownText } from "../../../engine/pattern.ts";
import { settingsIn } from "./settings.ts";
import { type Range, type Tree, treeOf } from "./tree.ts";
import type { Word } from "./words.ts";

export interface Value {
  /** Any of them. */
  texts: readonly string[];
  /** Of a list that is written out. */
  items?: readonly Value[];
}

export interface Code extends Tree {
  valueOf(from: number, to: number): Value;
  valueOfName(name: string): Value;
}

const most = 8;
const deepest = 12;
/** Of a whole code: the call waits for the reading. */
const mostSteps = 20_000;
const longestText = 4_096;
const unknown: Value = { texts: [unknownText] };
const nothing: Value = { texts: [] };
const known = (texts: readonly string[]): Value => ({ texts: [...new Set(texts)].slice(0, most) });

/** Folders that every program knows, as names that the reader of words keeps whole. */
const folders: readonly (readonly [RegExp, string])[] = [
  [
    /\bos\.path\.expanduser\(\s*["']~["']\s*\)|\b(?:\w+\.)?homedir\(\)|\bDir\.home\b(?:\(\))?|\b(?:pathlib\.)?(?:\w\.)?Path\.home\(\)|\bprocess\.env\.(?:HOME|USERPROFILE)\b|\bos\.(?:getenv|environ\.get)\(["']HOME["']\)|\b(?:ENV|os\.environ|process\.env)\[["']HOME["']\]|\bENV\.fetch\(["']HOME["']\)|\$_(?:SERVER|ENV)\[["']HOME["']\]|\bgetenv\(["']HOME["']\)/g,
    "folder_home",
  ],
  [/\$ENV\{\s*["']?HOME["']?\s*\}|\$HOME\b/g, "$folder_home"],
  [
    /\bprocess\.cwd\(\)|\bos\.getcwd\(\)|\b(?:pathlib\.)?(?:\w\.)?Path\.cwd\(\)|\bDir\.pwd\b|\bgetcwd\(\)/g,
    "folder_here",
  ],
  [/\b__dirname\b|\b__DIR__\b|\bimport\.meta\.dirname\b/g, "folder_of_script"],
  [/\b__file__\b|\b__FILE__\b|\b__filename\b|\bimport\.meta\.(?:filename|url)\b/g, "folder_script"],
  [/\b(?:tempfile\.gettempdir|(?:os\.)?tmpdir|Dir\.tmpdir|sys_get_temp_dir)\b(?:\(\))?/g, "folder_temp"],
];
const named: ReadonlyMap<string, string> = new Map([
  ["folder_home", "~"],
  ["folder_here", "."],
  // A script of the project lies somewhere below its top.
  ["folder_of_script", `./${unknownText}`],
  ["folder_script", `./${unknownText}/${unknownText}`],
  ["folder_temp", `/tmp/${unknownText}`],
]);

/** They give what they are given, in another form. */
const sameOf =
  /^(?:str|String|fspath|abspath|realpath|realpathSync|normpath|normalize|expanduser|expandvars|expand_path|absolute_path|sorted|list|set|tuple|reversed|from|iter|tqdm|glob|iglob|globSync|sync|Array|as_posix|new|encode|decode|fileURLToPath|toNamespacedPath|globstar|bsd_glob)$/;
const joins =
  /^(?:join|Path|PurePath|PosixPath|WindowsPath|resolve|joinpath|File|URL|catfile|catdir|Pathname|to_path)$/;
/** Names of what is in a folder; with the folder before them. */
const lists = /^(?:listdir|readdirSync|readdir|children|entries|each_child|scandir_names)$/;
const listsPaths = /^(?:iterdir|scandir|walk|fwalk|find|each_entry|opendir)$/;
const sameMethods =
  /^(?:resolve|absolute|expanduser|strip|rstrip|lstrip|trim|toString|to_s|to_path|sort|reverse|slice|concat|copy|path|fullPath|as_posix|flat|toArray|each|chomp|fspath|__str__|values|realpath)$/;
const chooses = /^(?:filter|select|reject|grep|find|slice_when|reject!)$/;
const makesTemporary =
  /^(?:mkdtemp|mkdtempSync|mkstemp|TemporaryDirectory|NamedTemporaryFile|mktmpdir|mktemp|tempdir|tempnam|tempfile)$/;

const join = (left: string, right: string): string =>
  right === "" ? left : left === "" ? right : `${left.replace(/\/+$/, "")}/${right.replace(/^(?:\.?\/)+(?=.)/, "")}`;
const combined = (left: Value, right: Value, put: (one: string, two: string) => string): Value =>
  known(left.texts.flatMap((one) => right.texts.map((two) => shortened(put(one, two)))));
const shortened = (text: string): string => (text.length > longestText ? unknownText : text);
const mapped = ({ texts }: Value, change: (text: string) => string): Value => known(texts.map(change));
const parentOf = (path: string): string =>
  path.includes("/") ? path.replace(/\/+[^/]*\/*$/, "") || "/" : path === "." || path === "~" ? unknownText : ".";
const nameIn = (path: string): string => path.replace(/^.*\//s, "");

export function readValues(text: string): Code {
  let plain = text;
  for (const [shape, word] of folders) plain = plain.replace(shape, word);
  const tree = treeOf(plain);
  const { words, is, closeOf, divide, partsOf } = tree;
  const settings = settingsIn(tree);
  const settled = new Map<string, Value>();
  let steps = 0;

  function lookUp(name: string, depth: number): Value {
    const folder = named.get(name);
    if (folder !== undefined) return known([folder]);
    const all = settings.get(name);
    if (all === undefined || depth > deepest) return unknown;
    const before = settled.get(name);
    if (before) return before;
    settled.set(name, unknown); // it is set by what it is
    let value: Value = nothing;
    for (const one of all.slice(0, 2 * most)) {
      const own = one.isName ? known([one.isChosen ? "(some)" : "*"]) : evaluate(one.from, one.to, depth + 1);
      const chosen = one.isChosen ? mapped(own, (text) => text.replace(/\*$/, "(some)")) : own;
      const added = one.adds;
      // To a list others are added, and nothing is put behind its texts.
      if (added === undefined || own.items !== undefined || one.isOther)
        value = { ...known([...value.texts, ...chosen.texts]), ...(own.items ? { items: own.items } : {}) };
      else value = combined(value, chosen, (left, right) => (added === "/" ? join(left, right) : left + right));
    }
    const found = value.texts.length > 0 ? value : unknown;
    settled.set(name, found);
    return found;
  }

  function textValue({ parts = [] }: Word, depth: number): Value {
    let value = known([""]);
    for (const part of parts) {
      const own: Value = typeof part === "string" ? known([part]) : inText(part, depth);
      value = combined(value, own, (left, right) => left + right);
    }
    return value;
  }
  /** Inside of a text: a name, or a call that the code itself does not tell. */
  function inText(part: readonly Word[], depth: number): Value {
    const [first, ...rest] = part;
    if (first === undefined || first.is !== "name") return unknown;
    if (rest.length === 0) return lookUp(first.word, depth + 1);
    const last = part.at(-1);
    return rest.every(({ is: kind, word }) => kind === "name" || word === ".") && last && settings.has(last.word)
      ? lookUp(last.word, depth + 1)
      : unknown;
  }

  /** A part of an expression, and where it ends. */
  function operand(from: number, to: number, depth: number): [Value, number] {
    if (++steps > mostSteps) return [unknown, to];
    let at = from;
    while (
      at < to &&
      is(at, "await", "new", "yield", "*", "**", "...", ".", "&", "@", "\\", "return", "my", "our", "u")
    )
      at++;
    const first = words[at];
    if (first === undefined || at >= to || depth > deepest) return [unknown, to];
    let value: Value = unknown;
    if (first.is === "text") {
      value = textValue(first, depth);
      at++;
    } else if (is(at, "(", "[")) {
      const close = closeOf(at);
      if (is(close + 1, "=>")) return [nothing, to];
      const parts = partsOf(at);
      const items = parts.map(([begin, end]) => evaluate(begin, end, depth + 1));
      const [only] = items;
      value =
        is(at, "(") && items.length === 1 && only ? only : { ...known(items.flatMap(({ texts }) => texts)), items };
      at = close + 1;
    } else if (is(at, "{")) {
      value = nothing;
      at = closeOf(at) + 1;
    } else if (first.is === "name") {
      if (/^(?:lambda|function|async|def|sub|proc)$/.test(first.word) || is(at + 1, "=>")) return [nothing, to];
      if (/^(?:\d.*|true|false|True|False|null|None|nil|undefined)$/.test(first.word)) return [nothing, at + 1];
      const second = words[at + 1];
      if (is(at + 1, "(")) {
        value = called(first.word, partsOf(at + 1), undefined, depth);
        at = closeOf(at + 1) + 1;
      } else if (!first.isVariable && is(at + 1, "[") && first.word === "Dir") {
        value = evaluate(at + 2, closeOf(at + 1), depth + 1);
        at = closeOf(at + 1) + 1;
      } else if (/^(?:glob|bsd_glob|glob_list)$/.test(first.word) && (second?.is === "text" || second?.is === "name"))
        return [evaluate(at + 1, to, depth + 1), to];
      else {
        value = lookUp(first.word, depth + 1);
        at++;
      }
    } else return [unknown, to];
    return behind(value, at, to, depth);
  }

  /** `.parent`, `.join(…)`, `[0]` */
  function behind(start: Value, from: number, to: number, depth: number): [Value, number] {
    let value = start;
    let at = from;
    for (; at < to; ) {
      if (is(at, "[")) at = closeOf(at) + 1;
      else if (is(at, "!") && !is(at + 1, "=")) at++;
      else if (is(at, "(")) {
        value = unknown;
        at = closeOf(at) + 1;
      } else if (is(at, ".", "->", "?.", "::", "?->") && words[at + 1]?.is === "name" && !words[at + 1]?.isVariable) {
        const name = words[at + 1]?.word ?? "";
        const open = is(at + 2, "!") ? at + 3 : at + 2;
        const second = words[open];
        if (is(open, "(")) {
          value = called(name, partsOf(open), value, depth);
          at = closeOf(open) + 1;
        } else if (
          second !== undefined &&
          open < to &&
          /^(?:glob|join|expand_path)$/.test(name) &&
          second.is === "text"
        )
          return [called(name, divide(open, to), value, depth), to];
        else {
          value = called(name, undefined, value, depth);
          at = open;
        }
      } else break;
    }
    return [value, at];
  }

  /** @param parts undefined: no brackets stand behind the name */
  function called(name: string, parts: Range[] | undefined, on: Value | undefined, depth: number): Value {
    const isKnown = on?.texts.some((text) => !text.startsWith(unknownText)) ?? false;
    if (parts === undefined || parts.length === 0) {
      if (named.has(name)) return lookUp(name, depth);
      if (on && isKnown) {
        if (sameMethods.test(name)) return on;
        if (/^(?:parent|dirname)$/.test(name)) return mapped(on, parentOf);
        if (/^(?:name|basename)$/.test(name)) return mapped(on, nameIn);
        if (listsPaths.test(name) || lists.test(name)) return mapped(on, (path) => join(path, "*"));
      }
      if (makesTemporary.test(name)) return known([`/tmp/${unknownText}`]);
      return parts === undefined && !isKnown ? lookUp(name, depth) : unknown;
    }
    const [begin = 0, end = 0] = parts[0] ?? [];
    const arrow = name === "map" || name === "flatMap" ? arrowIn(begin, end) : undefined;
    if (arrow !== undefined) return evaluate(arrow, end, depth + 1);
    const positional = parts.filter(
      ([from, to]) => !(to - from > 2 && words[from]?.is === "name" && is(from + 1, "=", ":")),
    );
    const args = positional.map(([from, to]) => evaluate(from, to, depth + 1)).filter(({ texts }) => texts.length > 0);
    const [first = unknown, ...rest] = args;
    if (makesTemporary.test(name))
      return first === unknown ? known([`/tmp/${unknownText}`]) : mapped(first, (path) => path + unknownText);
    if (on && isKnown) {
      if (name === "join" && on.items) {
        const [separator = ""] = first.texts;
        return on.items.reduce((left, right) => combined(left, right, (one, two) => `${one}${separator}${two}`));
      }
      if (name === "join" && first.items && on.texts.every((text) => text.length < 3 && text !== "~" && text !== ".")) {
        const [separator = ""] = on.texts;
        return first.items.reduce((left, right) => combined(left, right, (one, two) => `${one}${separator}${two}`));
      }
      if (chooses.test(name)) return mapped(on, (path) => path.replace(/\*$/, "(some)"));
      if (/^(?:glob|rglob)$/.test(name))
        return combined(on, first, (folder, shape) => join(folder, shape.replace(/^(?:\*\*\/)+/, "")));
      if (joins.test(name)) return args.reduce((left, right) => combined(left, right, join), on);
      if (/^(?:with_name|with_suffix|relative_to|format|replace|sub|gsub|split)$/.test(name))
        return mapped(on, (path) => (path.includes("/") ? `${parentOf(path)}/${unknownText}` : unknownText));
      if (sameMethods.test(name)) return on;
    }
    if (joins.test(name)) return rest.reduce((left, right) => combined(left, right, join), first);
    if (lists.test(name)) return known(["*"]);
    if (listsPaths.test(name)) return mapped(first, (path) => join(path, "*"));
    if (sameOf.test(name)) return first;
    if (name === "enumerate") return first;
    if (name === "filter" || name === "map") return name === "filter" ? (rest[0] ?? unknown) : unknown;
    if (/^(?:dirname|parent)$/.test(name)) return mapped(first, parentOf);
    if (/^(?:basename)$/.test(name)) return mapped(first, nameIn);
    return unknown;
  }

  const arrowIn = (from: number, to: number): number | undefined => {
    for (let at = from; at < Math.min(to, from + 8); at++) if (is(at, "=>")) return at + 1;
    return undefined;
  };

  function evaluate(from: number, to: number, depth: number): Value {
    let [value, at] = operand(from, to, depth);
    while (at < to) {
      const isQuestion = is(at, "?");
      if (is(at, "+", ".", "/")) {
        const isPath = is(at, "/");
        const [right, end] = operand(at + 1, to, depth + 1);
        value = combined(value, right, isPath ? join : (one, two) => one + two);
        at = end;
      } else if (is(at, "%")) {
        const [right, end] = operand(at + 1, to, depth + 1);
        value = combined(value, right.items ? unknown : right, (shape, one) => shape.replace(/%[sdr]/g, () => one));
        at = end;
      } else if (is(at, "||", "??", "or", "&&", "and", "//") || (isQuestion && at > from)) {
        const right = evaluate(at + 1, to, depth + 1);
        return isQuestion ? right : known([...value.texts, ...right.texts]);
      } else if (is(at, ":") && is(at + 1, ":") === false) {
        const right = evaluate(at + 1, to, depth + 1);
        return known([...value.texts, ...right.texts]);
      } else if (is(at, "if")) {
        let other = at + 1;
        while (other < to && !is(other, "else")) other = is(other, "(", "[", "{") ? closeOf(other) + 1 : other + 1;
        return other < to ? known([...value.texts, ...evaluate(other + 1, to, depth + 1).texts]) : value;
      } else if (is(at, "==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "=~")) return unknown;
      else break;
    }
    return value;
  }

  return {
    ...tree,
    valueOf: (from, to) => evaluate(from, to, 0),
    valueOfName: (name) => lookUp(name, 0),
  };
}
