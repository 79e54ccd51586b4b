/** The effects of one simple command: the table of programs, the shell's own redirections, and inline code, with paths made absolute. */
import type { SpelledOption, Spelling } from "../../engine/command-pattern.ts";
import { baseName, unknownText } from "../../engine/command-pattern.ts";
import type { Effect, ShellReading, SimpleCommand } from "../../engine/effects.ts";
import { resolvePath } from "../../engine/file-pattern.ts";
import { lookUp } from "../option-words.ts";
import { nameOf, programOf } from "../programs.ts";
import { type CodeEffects, readCode } from "./code/read.ts";
import { type Doing, has, type OptionUses, type ProgramRow, type Use, valuesOf } from "./doings.ts";
import { edits } from "./files.ts";
import { programs } from "./programs.ts";

export interface CommandEffects {
  program: string;
  row: ProgramRow;
  spelled: Spelling;
  effects: readonly Effect[];
  /** Paths whose content goes to the network. */
  sent: readonly string[];
  code: CodeEffects | undefined;
  /** It runs what it reads from its input; `script`: or from this file. */
  takesInput: boolean;
  /** It runs words of its own as code. */
  takesWords: boolean;
  scripts: readonly string[];
}

const rows: ReadonlyMap<string, ProgramRow> = new Map(Object.entries(programs));
const noRow: ProgramRow = { operands: ["path"] };
const shells: ReadonlySet<string> = new Set(
  "sh bash dash zsh ksh ash fish csh tcsh mksh yash pwsh powershell busybox".split(" "),
);
const evaluators = /^(?:eval|iex|Invoke-Expression)$/i;
const readers: ReadonlySet<string> = new Set("source . make gmake awk gawk mawk nawk vi vim emacs gdb".split(" "));
const sockets = /^\/dev\/(?:tcp|udp)\//;
const interpreters =
  /^(?:python[\d.]*|pypy3?|node|nodejs|bun|deno|ruby|perl|php|lua|luajit|Rscript|osascript|tclsh|tsx|ts-node|R|julia|groovy|scala|elixir|irb|ipython)$/;
/** Options that give code. */
const inline = ["c", "command", "e", "eval", "p", "print", "E", "r", "run", "n"];

/** What the whole line says about it. */
export interface Around {
  home: string;
  links: ShellReading["links"];
  spell(words: readonly string[]): Spelling;
}

export function effectsOf(command: SimpleCommand, index: number, { home, links, spell }: Around): CommandEffects {
  const [first = ""] = command.words;
  const program = baseName(first);
  const row = rows.get(program) ?? noRow;
  const spelled = withPaths(spell(command.words), command.words);
  const absolute = (word: string): string => absolutePath(word, command.cwd, home);
  const isShell = shells.has(program);
  const isInterpreter = interpreters.test(program) || programOf(nameOf(program)).code !== undefined;
  const codes = isInterpreter ? codesOf(spelled, command) : [];
  const code = codes.length > 0 ? readCode(codes.join("\n")) : undefined;
  const isEvaluator = evaluators.test(program);
  const runsWords = isEvaluator || (isShell && has(spelled, "c", "command"));
  const scripts = runsWords || codes.length > 0 ? [] : scriptsOf(spelled, isShell || isInterpreter, program);
  const doings = isShell || isInterpreter ? [] : doingsOf(spelled, row, command);
  if (codes.length > 0) for (const doing of filesOfCode(spelled, program)) doings.push({ ...doing, inCode: true });
  // `python3 -m json.tool FILE`
  if (isInterpreter && has(spelled, "m"))
    for (const word of spelled.operands) if (looksLikePath(word)) doings.push({ does: "reads", word });
  if (code) for (const doing of code.doings) doings.push({ ...doing, inCode: true });
  for (const word of scripts) doings.push({ does: "executes", word });
  if (first.includes("/") && !first.startsWith(unknownText)) doings.push({ does: "executes", word: first });
  for (const { path, how } of command.redirects)
    doings.push({ does: how === "reads" ? "reads" : "writes", word: path });
  const effects: Effect[] = [];
  const isDry = row.dry !== undefined && (has(spelled, ...row.dry) || onlyShows(program, command.words));
  if (isDry) for (const doing of doings.splice(0)) if (!changes.has(doing.does)) doings.push(doing);
  for (const doing of doings) addEffect(doing, index, absolute, effects);
  if (links) for (const doing of doings) addLed(doing, index, { absolute, links }, effects);
  if ((row.isNetwork || code?.fetches) && !effects.some(({ is }) => is === "network"))
    effects.push({ is: "network", command: index });
  const opened = command.redirects.filter(({ path }) => sockets.test(path));
  if (opened.length > 0)
    effects.push({
      is: "network",
      command: index,
      host: opened.map(({ path }) => path.split("/")[3]).find(Boolean) ?? "",
    });
  if (row.elevates) effects.push({ is: "elevates", command: index });
  const takesFile = scripts.length > 0 && !/^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(scripts[0] ?? "");
  return {
    program,
    row,
    spelled,
    effects,
    sent: doings.filter(({ does }) => does === "sends").map(({ word }) => absolute(word)),
    code,
    takesInput:
      (isEvaluator && program.toLowerCase() !== "eval") ||
      ((isShell || isInterpreter) && !runsWords && codes.length === 0 && !takesFile && !has(spelled, "m")),
    takesWords: runsWords || codes.length > 0 || readers.has(program) || ((isShell || isInterpreter) && takesFile),
    scripts: scripts.map(absolute),
  };
}

/** Where a program runs another one, its spelling names that without its folder. */
function withPaths(spelled: Spelling, words: readonly string[]): Spelling {
  const paths = words.filter((word) => word.includes("/"));
  if (paths.length === 0) return spelled;
  const whole = new Map(paths.map((word) => [baseName(word), word]));
  if (words.some((word) => whole.has(word) && spelled.operands.includes(word))) return spelled;
  return {
    ...spelled,
    operands: spelled.operands.map((word) => (words.includes(word) ? word : (whole.get(word) ?? word))),
  };
}

/** Code in the words, in a file that the line has written, or in a here-document that the interpreter reads. */
function codesOf(spelled: Spelling, { text, words, code }: SimpleCommand): string[] {
  if (code !== undefined) return [code];
  const given = spelled.options.flatMap(({ name, value }) =>
    inline.includes(name) && value !== undefined ? [value] : [],
  );
  if (given.length > 0) return given;
  const at = words.findIndex((word) => /^-[a-zA-Z]*[ceEpr]$|^--(?:eval|print|command|run)$/.test(word));
  if (at > 0 && words[at + 1] !== undefined) return [words[at + 1] ?? ""];
  return text !== undefined && spelled.operands.every((word) => word === "-") ? [text] : [];
}

/** `perl -pi -e CODE FILE`: the operands are data, which -i replaces. */
function filesOfCode(spelled: Spelling, program: string): Doing[] {
  if (!/^(?:perl|ruby)$/.test(program)) return [];
  const isEdit = has(spelled, "i", "in-place") || spelled.options.some(({ name }) => /^-?[a-z]*i/.test(name));
  return spelled.operands
    .filter(looksLikePath)
    .flatMap((word): Doing[] => [{ does: "reads", word }, ...(isEdit ? [{ does: "writes" as const, word }] : [])]);
}

function scriptsOf(spelled: Spelling, isRunner: boolean, program: string): string[] {
  if (/^(?:source|\.)$/.test(program)) return spelled.operands.slice(0, 1);
  if (program === "java")
    return [...valuesOf(spelled, "jar"), ...spelled.operands].filter((word) => word.endsWith(".jar")).slice(0, 1);
  if (!isRunner || has(spelled, "m", "s", "version", "V", "help")) return [];
  if (shells.has(program) && has(spelled, "n")) return [];
  return spelled.operands.slice(0, 1);
}

const looksLikePath = (word: string): boolean =>
  /^(?:\.{0,2}|~[\w-]*)\/|^\.[a-z]|^~$|^[A-Za-z]:[\\/]|\w\/[\w.]|\.(?:pem|key|env|json|ya?ml|toml|p12|kdbx)$|^id_/.test(
    word,
  ) && !/^[a-z]+:\/\//.test(word);

export function doingsOf(spelled: Spelling, row: ProgramRow, command: SimpleCommand): Doing[] {
  const doings: Doing[] = [];
  const { operands: uses = [] } = row;
  const isBelow = row.below === true || (row.below !== undefined && has(spelled, ...row.below));
  const below = isBelow ? { below: true as const } : {};
  for (const [index, word] of spelled.operands.entries()) {
    const does = uses[Math.min(index, uses.length - 1)];
    if (does === "edits") doings.push(...edits(word));
    else if (does !== "path") doings.push({ does: does ?? "nothing", word, ...below });
    else if (looksLikePath(word)) doings.push({ does: "reads", word });
  }
  if (row.options) for (const option of spelled.options) addGiven(option, row.options, doings);
  if (row.own) for (const doing of row.own(spelled, command)) doings.push(doing);
  return doings;
}

/** What the value of an option is used for. */
function addGiven({ name, also = [], value }: SpelledOption, rows: OptionUses, doings: Doing[]): void {
  const does = lookUp(rows, name) ?? also.map((one) => lookUp(rows, one)).find((one) => one !== undefined);
  if (does === undefined || value === undefined) return;
  for (const one of does) doings.push({ does: one, word: value.replace(/^@/, "") });
}

const asEffect: Partial<Record<Use, Effect["is"]>> = {
  reads: "reads",
  sends: "reads",
  writes: "writes",
  deletes: "deletes",
  permits: "permits",
  executes: "executes",
};

function addEffect(
  { does, word: written, below, inCode }: Doing,
  command: number,
  absolute: (word: string) => string,
  effects: Effect[],
): void {
  const word = does === "deletes" ? written.replace(/\*\/+$/, "*") : written; // all folders are nearly all
  if (does === "nothing" || (word === "-" && does !== "deletes")) return;
  if (does === "host") {
    const isKnown = word !== "" && !word.includes(unknownText);
    effects.push({ is: "network", command, ...(isKnown ? { host: word.toLowerCase() } : {}) });
    return;
  }
  const is = asEffect[does];
  if (is === undefined || word === "") return;
  const whole = word.endsWith("*") ? /^(.*?)\/?(?:\*\*?|\.\[?\^?\.?\]?\*|\.?\*)$/s.exec(word) : null;
  const isWhole = whole !== null && /(?:^|\/)[.*[\]^!?]*$/.test(word);
  const plain = absolute(isWhole ? whole[1] || (word.startsWith("/") ? "/" : ".") : word);
  const path = isWhole && plain.startsWith(unknownText) && !plain.endsWith("/.") ? `${plain}/.` : plain;
  effects.push({
    ...(below || isWhole ? { is, command, path, below: true } : { is, command, path }),
    ...(inCode && { inCode }),
  });
}

const changes: ReadonlySet<string> = new Set(["writes", "deletes", "permits"]);

/** Without an option that says what to wipe, wipefs lists. */
const onlyShows = (program: string, words: readonly string[]): boolean =>
  program === "wipefs" && !words.some((word) => /^-[a-zA-Z]*[ao]|^--(?:all|offset)/.test(word));

/** The same at the place where a link of the line leads. What deletes a link leaves that place alone. */
function addLed(
  doing: Doing,
  command: number,
  { absolute, links }: { absolute: (word: string) => string; links: ReadonlyMap<string, string> },
  effects: Effect[],
): void {
  const isThrough = doing.does !== "deletes" || /[/*]$/.test(doing.word);
  const led = (word: string): string => ledBy(absolute(word), links, isThrough);
  const plain = doing.word.replace(/(?<=.)\/+\**$/, "");
  if (led(plain) !== absolute(plain))
    addEffect({ ...doing, word: doing.word.replace(plain, () => led(plain)) }, command, led, effects);
}

const mostLinks = 8;

/** Where a path leads through links that the line makes. @param isThrough the last name of it counts, too */
export function ledBy(path: string, links: ReadonlyMap<string, string>, isThrough: boolean): string {
  let at = path;
  for (let count = 0; count < mostLinks; count++) {
    const before = at;
    for (const [link, to] of links)
      if (at.startsWith(`${link}/`) || (isThrough && at === link))
        at = resolvePath(`${to}${at.slice(link.length)}`, "/");
    if (at === before) return at;
  }
  return at;
}

/** `~` stands for the home folder; of what nobody can tell the beginning, the path begins with unknownText. */
export function absolutePath(word: string, cwd: string | undefined, home: string): string {
  const plain = word.startsWith("file://") ? word.slice("file://".length) : word;
  if (plain === "~" || plain.startsWith("~/")) return resolvePath(`${home}${plain.slice(1)}`, "/");
  if (plain.startsWith(unknownText)) return plain;
  if (/^~[\w-]+/.test(plain)) return resolvePath(`/home/${plain.slice(1)}`, "/");
  if (plain.startsWith("/") || /^[A-Za-z]:[\\/]/.test(plain)) return resolvePath(plain, "/");
  return cwd === undefined ? `${unknownText}/${plain}` : resolvePath(plain, cwd);
}
