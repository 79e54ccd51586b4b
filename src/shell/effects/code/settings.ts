/** What the names of code are set to: by assignments, loops, blocks, and the arguments of its own functions. */
import type { Tree } from "./tree.ts";
import type { Word } from "./words.ts";

export interface Setting {
  from: number;
  to: number;
  /** What is put behind what the name was before: `+=`, `/=`. */
  adds?: "" | "/";
  /** One of what `os.walk` tells. */
  isName?: true;
  /** One more of a list. */
  isOther?: true;
  /** A test chooses among them. */
  isChosen?: boolean;
}

const isOfType =
  /^(?:is_?(?:dir|file|link|symlink)|isDirectory|isFile|isSymbolicLink|exists|existsSync|lstat|stat|directory|file|exist)$/;
const tests = /^(?:if|unless|filter|continue|next|grep|select|reject|elif|case|match|when)$/;
const before = /^(?:const|let|var|my|our|local|else|do|then|static|readonly|public|private|protected|global)$/;

/** What is read of one code. */
interface Reading extends Tree {
  settings: Map<string, Setting[]>;
  /** The code's own functions, with the names of their parameters. */
  functions: Map<string, string[]>;
}

export function settingsIn(tree: Tree): ReadonlyMap<string, readonly Setting[]> {
  const reading: Reading = { ...tree, settings: new Map(), functions: new Map() };
  for (const [at, one] of tree.words.entries()) readWord(reading, at, one);
  for (const [at, one] of tree.words.entries()) readCall(reading, at, one);
  return reading.settings;
}

function set({ settings }: Reading, name: string, setting: Setting): void {
  const all = settings.get(name);
  if (all) all.push(setting);
  else settings.set(name, [setting]);
}

function readWord(reading: Reading, at: number, one: Word): void {
  const { is, functions, words, endOf, partsOf } = reading;
  if (one.is === "name" && /^(?:for|foreach)$/.test(one.word)) readLoop(reading, at);
  else if (one.is === "name" && /^(?:def|function)$/.test(one.word) && is(at + 2, "("))
    functions.set(words[at + 1]?.word ?? "", parameters(reading, at + 2));
  else if (one.is === "mark" && /^(?:=|:=|\|\|=|\?\?=)$/.test(one.word)) readSetting(reading, at);
  else if (one.is === "mark" && /^(?:\+=|\/=|\.=)$/.test(one.word) && words[at - 1]?.is === "name")
    set(reading, words[at - 1]?.word ?? "", { from: at + 1, to: endOf(at + 1), adds: one.word === "/=" ? "/" : "" });
  else if (
    one.is === "name" &&
    /^(?:append|push|add|extend|unshift|insert)$/.test(one.word) &&
    is(at - 1, ".") &&
    is(at + 1, "(")
  )
    for (const [from, to] of partsOf(at + 1)) set(reading, words[at - 2]?.word ?? "", { from, to, isOther: true });
  else if (one.is === "mark" && one.word === "=>") readArrow(reading, at);
  else if (one.is === "mark" && one.word === "|" && words[at + 1]?.is === "name" && is(at + 2, "|", ","))
    readBlock(reading, at);
}

/** What the parameters of an own function are given. */
function readCall(reading: Reading, at: number, { is: kind, word }: Word): void {
  const { functions, is, partsOf } = reading;
  const own = kind === "name" ? functions.get(word) : undefined;
  if (own === undefined || !is(at + 1, "(") || is(at - 1, "def", "function")) return;
  const given = partsOf(at + 1);
  const names = own[0] === "self" ? own.slice(1) : own;
  for (const [index, name] of names.entries())
    for (const [from, to] of name.startsWith("*") ? given.slice(index) : given.slice(index, index + 1))
      if (to > from && name !== "") set(reading, name.replace("*", ""), { from, to });
}

/** Whether a test stands between a loop and what it does, that is not only about what kind of a file it is. */
function isChosen(reading: Reading, from: number): boolean {
  const { words, is, endOf } = reading;
  for (let at = from; at < Math.min(words.length, from + 120); at++) {
    if (!(words[at]?.is === "name" && tests.test(words[at]?.word ?? "")) && !is(at, "&&", "?")) continue;
    const line = words.slice(at + 1, Math.min(endOf(at + 1), at + 16)).filter(({ is: kind }) => kind === "name");
    const asked = words.slice(Math.max(from, at - 8), at).filter(({ is: kind }) => kind === "name");
    if (![...line, ...(is(at, "?", "&&") ? asked : [])].some(({ word }) => isOfType.test(word))) return true;
  }
  return false;
}

/** `for x in y`, `for (const x of y)`, `foreach my $x (y)`, `foreach (y as $x)`, `… for y` */
function readLoop(reading: Reading, at: number): void {
  const { is, closeOf, words, endOf } = reading;
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
    setAll(reading, names, one + 1, last);
    return;
  }
  if (isBracket) {
    const as = [...Array(Math.max(0, end - from - 1)).keys()]
      .map((index) => from + 1 + index)
      .find((two) => is(two, "as"));
    if (as === undefined) setAll(reading, ["_"], from + 1, end);
    else setAll(reading, [words[end - 1]?.word ?? ""], from + 1, as);
    return;
  }
  const open = is(from, "my", "our") ? from + 2 : from + 1;
  if (is(open, "(") && words[open - 1]?.isVariable)
    setAll(reading, [words[open - 1]?.word ?? ""], open + 1, closeOf(open));
  else setAll(reading, ["_"], from, endOf(from));
}

function setAll(reading: Reading, names: readonly string[], from: number, to: number): void {
  const { words } = reading;
  const chosen = isChosen(reading, to);
  const isWalk = words.slice(from, to).some(({ is: kind, word }) => kind === "name" && /^f?walk$/.test(word));
  const isNumbered = words.slice(from, to).some(({ word }) => word === "enumerate");
  for (const [index, name] of names.entries())
    if (!isNumbered || index > 0)
      set(reading, name, { from, to, isChosen: chosen, ...(isWalk && index > 0 ? { isName: true as const } : {}) });
}

function parameters(reading: Reading, open: number): string[] {
  return reading.partsOf(open).map(([from, to]) => {
    const part = reading.words.slice(from, to);
    const names = part.filter(({ is: kind }) => kind === "name");
    const equal = part.findIndex(({ is: kind, word }) => kind === "mark" && word === "=");
    if (equal > 0 && names[0]) set(reading, names[0].word, { from: from + equal + 1, to });
    const takesRest = part.some(({ is: kind, word }) => kind === "mark" && /^(?:\*|\.)$/.test(word));
    return takesRest ? `*${names[0]?.word ?? ""}` : (names[0]?.word ?? "");
  });
}

/** `x = y`, `a, b = c, d`, `self.x = y`, `const x: T = y` */
function readSetting(reading: Reading, at: number): void {
  const { words, is, endOf, divide, closeOf, functions } = reading;
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
  for (const [from, end] of next) set(reading, words[from]?.word ?? "", { from: from + 2, to: end });
  const own = names.length === 1 ? [parts[0]?.[0] ?? at + 1, next[0]?.[0] ?? to] : undefined;
  for (const [index, name] of names.entries()) {
    const [from, end] = own ?? (parts.length === names.length ? parts[index] : undefined) ?? [at + 1, to];
    if (from !== undefined && end !== undefined) set(reading, name, { from, to: end });
  }
  const [only] = names;
  const last = words[at + 1]?.is === "name" && is(at + 2, "=>") ? at + 2 : closeOf(at + 1) + 1;
  if (only !== undefined && is(at + 1, "(", words[at + 1]?.word ?? "") && is(last, "=>"))
    functions.set(only, is(at + 1, "(") ? parameters(reading, at + 1) : [words[at + 1]?.word ?? ""]);
}

/** `files.forEach(f => …)` */
function readArrow(reading: Reading, at: number): void {
  const { is, openOf, words, beginOf } = reading;
  const open = is(at - 1, ")") ? (openOf(at - 1) ?? at) : at - 1;
  const call = is(open - 1, "async") ? open - 2 : open - 1;
  if (!is(call, "(") || words[call - 1]?.is !== "name" || !is(call - 2, ".", "?.")) return;
  const name = is(at - 1, ")") ? words[open + 1] : words[at - 1];
  const from = beginOf(call - 1);
  if (
    name?.is !== "name" ||
    /^(?:then|catch|filter|find|findIndex|some|every|sort|reduce)$/.test(words[call - 1]?.word ?? "")
  )
    return;
  set(reading, name.word, { from, to: call - 2, isChosen: isChosen(reading, at) });
}

/** `files.each { |f| … }`, `files.each do |f|` */
function readBlock(reading: Reading, at: number): void {
  const { is, words, openOf, beginOf } = reading;
  if (!is(at - 1, "{", "do") || words[at - 2] === undefined) return;
  const last = is(at - 2, ")") ? (openOf(at - 2) ?? at) - 1 : at - 2;
  if (words[last]?.is !== "name" || !is(last - 1, ".", "&.")) return;
  const to = words[last]?.word.startsWith("each_") && is(at - 2, ")") ? at - 1 : last - 1;
  set(reading, words[at + 1]?.word ?? "", { from: beginOf(last), to, isChosen: isChosen(reading, at) });
}
