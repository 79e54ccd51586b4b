/**
 * What a name or an expression of code may be, as far as the code itself tells: constants, folders that every program knows, what
 * the names are set to, and what is put together of these. What nobody can tell is `unknownText`.
 */
import { unknownText } from "../../../engine/pattern.ts";
import { type Word, wordsOf } from "./words.ts";

export interface Value {
  /** Any of them. */
  texts: readonly string[];
  /** Of a list that is written out. */
  items?: readonly Value[];
}

export interface Code {
  words: readonly Word[];
  valueOf(from: number, to: number): Value;
  valueOfName(name: string): Value;
  /** What stands between the brackets that open at this word, divided by its commas. */
  partsOf(open: number): Range[];
  closeOf(open: number): number;
  /** Where the expression begins whose method is called by the name at this word. */
  beginOf(name: number): number;
}

export type Range = readonly [from: number, to: number];

interface Setting {
  from: number;
  to: number;
  words?: readonly Word[];
  /** What is put behind what the name was before: `+=`, `/=`. */
  adds?: "" | "/";
  /** One of what `os.walk` tells. */
  isName?: true;
  /** A test chooses among them. */
  isChosen?: boolean;
}

const most = 8;
const deepest = 12;
const longestStatement = 400;
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
  // Where a script of the project lies nobody can tell, but that it is below.
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
const isOfType =
  /^(?:is_?(?:dir|file|link|symlink)|isDirectory|isFile|isSymbolicLink|exists|existsSync|lstat|stat|directory|file|exist)$/;
const tests = /^(?:if|unless|filter|continue|next|grep|select|reject|elif|case|match|when)$/;
const before = /^(?:const|let|var|my|our|local|else|do|then|static|readonly|public|private|protected|global)$/;

const join = (left: string, right: string): string =>
  right === "" ? left : left === "" ? right : `${left.replace(/\/+$/, "")}/${right.replace(/^(?:\.?\/)+(?=.)/, "")}`;
const combined = (left: Value, right: Value, put: (one: string, two: string) => string): Value =>
  known(left.texts.flatMap((one) => right.texts.map((two) => put(one, two))));
const mapped = ({ texts }: Value, change: (text: string) => string): Value => known(texts.map(change));
const parentOf = (path: string): string =>
  path.includes("/") ? path.replace(/\/+[^/]*\/*$/, "") || "/" : path === "." || path === "~" ? unknownText : ".";
const nameIn = (path: string): string => path.replace(/^.*\//s, "");

export function readValues(text: string): Code {
  let plain = text;
  for (const [shape, word] of folders) plain = plain.replace(shape, word);
  const words = wordsOf(plain);
  const settings = new Map<string, Setting[]>();
  const settled = new Map<string, Value>();
  const closes = bracketsOf(words);
  const is = (at: number, ...marks: string[]): boolean => {
    const one = words[at];
    return one !== undefined && one.is !== "text" && marks.includes(one.word);
  };
  const closeOf = (open: number): number => closes.get(open) ?? words.length;

  function divide(from: number, to: number): Range[] {
    const parts: Range[] = [];
    let begin = from;
    for (let at = from; at < to; at++) {
      if (is(at, "(", "[", "{")) at = closeOf(at);
      else if (is(at, ",")) {
        if (at > begin) parts.push([begin, at]);
        begin = at + 1;
      }
    }
    if (to > begin) parts.push([begin, Math.min(to, words.length)]);
    return parts;
  }
  const partsOf = (open: number): Range[] => divide(open + 1, closeOf(open));

  function beginOf(name: number): number {
    let at = name;
    while (at > name - longestStatement && is(at - 1, ".", "->", "?.", "::", "?->")) {
      at -= 2;
      while (is(at, ")", "]") && opens.get(at) !== undefined) {
        const open = opens.get(at) ?? at;
        const isCall = words[open - 1]?.is === "name" && !is(open - 1, "return", "in", "of", "if", "await", "new");
        if (!isCall && !is(open - 1, ")", "]")) return open;
        at = open - 1;
      }
    }
    return is(at - 1, "new") ? at - 1 : at;
  }
  const opens = new Map([...closes].map(([open, close]) => [close, open]));

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
      if (added === undefined)
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

  const set = (name: string, setting: Setting): void => {
    const all = settings.get(name);
    if (all) all.push(setting);
    else settings.set(name, [setting]);
  };

  /** Up to the end of the statement. */
  function endOf(from: number): number {
    const last = Math.min(words.length, from + longestStatement);
    for (let at = from; at < last; at++) {
      if (words[at]?.is === "end" || is(at, ")", "]", "}")) return at;
      if (is(at, "(", "[", "{")) at = closeOf(at);
    }
    return last;
  }

  /** Whether a test stands between a loop and what it does, that is not only about what kind of a file it is. */
  function isChosen(from: number): boolean {
    for (let at = from; at < Math.min(words.length, from + 120); at++) {
      if (!(words[at]?.is === "name" && tests.test(words[at]?.word ?? "")) && !is(at, "&&", "?")) continue;
      const line = words.slice(at + 1, Math.min(endOf(at + 1), at + 16)).filter(({ is: kind }) => kind === "name");
      const asked = words.slice(Math.max(from, at - 8), at).filter(({ is: kind }) => kind === "name");
      if (![...line, ...(is(at, "?", "&&") ? asked : [])].some(({ word }) => isOfType.test(word))) return true;
    }
    return false;
  }

  /** `for x in y`, `for (const x of y)`, `foreach my $x (y)`, `foreach (y as $x)`, `… for y` */
  function readLoop(at: number): void {
    let from = at + 1;
    if (is(from, "await")) from++;
    const isBracket = is(from, "(");
    const end = isBracket ? closeOf(from) : words.length;
    const names: string[] = [];
    let one = isBracket ? from + 1 : from;
    for (; one < Math.min(end, from + 16) && !is(one, "in", "of"); one++)
      if (words[one]?.is === "name" && !before.test(words[one]?.word ?? "")) names.push(words[one]?.word ?? "");
      else if (words[one]?.is === "name") continue;
      else if (!is(one, ",", "(", ")", "[", "]")) break;
    if (is(one, "in", "of")) {
      let last = one + 1;
      while (last < end && words[last]?.is !== "end" && !is(last, ":", ")", "]", "{", "}", "if", "do", "for"))
        last = is(last, "(", "[", "{") ? closeOf(last) + 1 : last + 1;
      setAll(names, one + 1, last);
      return;
    }
    if (isBracket) {
      const as = [...Array(Math.max(0, end - from - 1)).keys()]
        .map((index) => from + 1 + index)
        .find((two) => is(two, "as"));
      if (as === undefined) setAll(["_"], from + 1, end);
      else setAll([words[end - 1]?.word ?? ""], from + 1, as);
      return;
    }
    const open = is(from, "my", "our") ? from + 2 : from + 1;
    if (is(open, "(") && words[open - 1]?.isVariable) setAll([words[open - 1]?.word ?? ""], open + 1, closeOf(open));
    else setAll(["_"], from, endOf(from));
  }
  function setAll(names: readonly string[], from: number, to: number): void {
    const chosen = isChosen(to);
    const isWalk = words.slice(from, to).some(({ is: kind, word }) => kind === "name" && /^f?walk$/.test(word));
    const isNumbered = words.slice(from, to).some(({ word }) => word === "enumerate");
    for (const [index, name] of names.entries())
      if (!isNumbered || index > 0)
        set(name, { from, to, isChosen: chosen, ...(isWalk && index > 0 ? { isName: true as const } : {}) });
  }

  const functions = new Map<string, string[]>();
  const parameters = (open: number): string[] =>
    partsOf(open).map(([from, to]) => {
      const names = words.slice(from, to).filter(({ is: kind }) => kind === "name");
      const equal = words.slice(from, to).findIndex(({ is: kind, word }) => kind === "mark" && word === "=");
      if (equal > 0 && names[0]) set(names[0].word, { from: from + equal + 1, to });
      return names[0]?.word ?? "";
    });

  for (const [at, one] of words.entries()) {
    if (one.is === "name" && /^(?:for|foreach)$/.test(one.word)) readLoop(at);
    else if (one.is === "name" && /^(?:def|function)$/.test(one.word) && is(at + 2, "("))
      functions.set(words[at + 1]?.word ?? "", parameters(at + 2));
    else if (one.is === "mark" && /^(?:=|:=|\|\|=|\?\?=)$/.test(one.word)) readSetting(at);
    else if (one.is === "mark" && /^(?:\+=|\/=|\.=)$/.test(one.word) && words[at - 1]?.is === "name")
      set(words[at - 1]?.word ?? "", { from: at + 1, to: endOf(at + 1), adds: one.word === "/=" ? "/" : "" });
    else if (one.is === "mark" && one.word === "=>") readArrow(at);
    else if (one.is === "mark" && one.word === "|" && words[at + 1]?.is === "name" && is(at + 2, "|", ","))
      readBlock(at);
  }
  for (const [at, { is: kind, word }] of words.entries()) {
    const own = kind === "name" ? functions.get(word) : undefined;
    if (own === undefined || !is(at + 1, "(") || is(at - 1, "def", "function")) continue;
    const given = partsOf(at + 1);
    const names = own[0] === "self" ? own.slice(1) : own;
    for (const [index, name] of names.entries()) {
      const [from, to] = given[index] ?? [0, 0];
      if (to > from && name !== "") set(name, { from, to });
    }
  }

  /** `x = y`, `a, b = c, d`, `self.x = y`, `const x: T = y` */
  function readSetting(at: number): void {
    const names: string[] = [];
    let first = at - 1;
    if (words[first]?.is === "name" && is(first - 1, ":") && words[first - 2]?.is === "name") first -= 2;
    for (; first >= 0 && (words[first]?.is === "name" || is(first, ",", ".", "->", "(", ")", "[", "]", "@")); first--) {
      const one = words[first];
      if (one?.is === "name" && before.test(one.word)) break;
      if (one?.is === "name" && !is(first + 1, ".", "->")) names.unshift(one.word);
      if (is(first, "(") && !/^(?:my|our|list)$/.test(words[first - 1]?.word ?? "")) break;
    }
    const opening = words[first];
    const isStatement =
      opening === undefined ||
      opening.is === "end" ||
      is(at, ":=") ||
      is(first, "{", "}", ":", ")", "=", "=>", "else") ||
      (opening.is === "name" && before.test(opening.word));
    if (!isStatement || names.length === 0) return;
    const to = endOf(at + 1);
    const parts = divide(at + 1, to);
    const isDeclared = opening?.is === "name" && /^(?:const|let|var|my)$/.test(opening.word);
    // `let a = 1, b = 2`: what stands behind the comma sets another name.
    const next = isDeclared ? parts.slice(1).filter(([from]) => words[from]?.is === "name" && is(from + 1, "=")) : [];
    for (const [from, end] of next) set(words[from]?.word ?? "", { from: from + 2, to: end });
    const own = names.length === 1 ? [parts[0]?.[0] ?? at + 1, next[0]?.[0] ?? to] : undefined;
    for (const [index, name] of names.entries()) {
      const [from, end] = own ?? (parts.length === names.length ? parts[index] : undefined) ?? [at + 1, to];
      if (from !== undefined && end !== undefined) set(name, { from, to: end });
    }
    const [only] = names;
    const last = words[at + 1]?.is === "name" && is(at + 2, "=>") ? at + 2 : closeOf(at + 1) + 1;
    if (only !== undefined && is(at + 1, "(", words[at + 1]?.word ?? "") && is(last, "=>"))
      functions.set(only, is(at + 1, "(") ? parameters(at + 1) : [words[at + 1]?.word ?? ""]);
  }

  /** `files.forEach(f => …)` */
  function readArrow(at: number): void {
    const open = is(at - 1, ")") ? (opens.get(at - 1) ?? at) : at - 1;
    const call = is(open - 1, "async") ? open - 2 : open - 1;
    if (!is(call, "(") || words[call - 1]?.is !== "name" || !is(call - 2, ".", "?.")) return;
    const name = is(at - 1, ")") ? words[open + 1] : words[at - 1];
    const from = beginOf(call - 1);
    if (
      name?.is !== "name" ||
      /^(?:then|catch|filter|find|findIndex|some|every|sort|reduce)$/.test(words[call - 1]?.word ?? "")
    )
      return;
    set(name.word, { from, to: call - 2, isChosen: isChosen(at) });
  }

  /** `files.each { |f| … }`, `files.each do |f|` */
  function readBlock(at: number): void {
    if (!is(at - 1, "{", "do") || words[at - 2] === undefined) return;
    const last = is(at - 2, ")") ? (opens.get(at - 2) ?? at) - 1 : at - 2;
    if (words[last]?.is !== "name" || !is(last - 1, ".", "&.")) return;
    const to = words[last]?.word.startsWith("each_") && is(at - 2, ")") ? at - 1 : last - 1;
    set(words[at + 1]?.word ?? "", { from: beginOf(last), to, isChosen: isChosen(at) });
  }

  return {
    words,
    closeOf,
    partsOf,
    beginOf,
    valueOf: (from, to) => evaluate(from, to, 0),
    valueOfName: (name) => lookUp(name, 0),
  };
}

/** From each bracket to the one that closes it. */
function bracketsOf(words: readonly Word[]): Map<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (const [at, { is, word }] of words.entries()) {
    if (is !== "mark") continue;
    if (/^[([{]$/.test(word)) open.push(at);
    else if (/^[)\]}]$/.test(word)) {
      const from = open.pop();
      if (from !== undefined) closes.set(from, at);
    }
  }
  return closes;
}
