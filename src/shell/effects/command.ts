/** The effects of one simple command: the table of programs, the shell's own redirections, and inline code, with paths made absolute. */
import type { Spelling } from "../../engine/command-pattern.ts";
import { baseName, unknownText } from "../../engine/command-pattern.ts";
import type { Effect, SimpleCommand } from "../../engine/effects.ts";
import { resolvePath } from "../../engine/file-pattern.ts";
import { type CodeEffects, readCode } from "./code.ts";
import { type Doing, has, type ProgramRow, programs, type Use, valuesOf } from "./programs.ts";

export interface CommandEffects {
  program: string;
  row: ProgramRow;
  spelled: Spelling;
  effects: readonly Effect[];
  /** Paths whose content goes to the network. */
  sent: readonly string[];
  code?: CodeEffects;
  /** It runs what it reads from its input; `script`: or from this file. */
  takesInput: boolean;
  /** It runs words of its own as code. */
  takesWords: boolean;
  scripts: readonly string[];
}

const noRow: ProgramRow = {};
const shells = /^(?:ba|da|z|k|a|fi|c|tc|mk|ya)?sh$|^(?:pwsh|powershell|busybox)$/;
const interpreters =
  /^(?:python[\d.]*|pypy3?|node|nodejs|bun|deno|ruby|perl|php|lua|luajit|Rscript|osascript|tclsh|tsx|ts-node|R|julia|groovy|scala|elixir|irb|ipython)$/;
/** Options that give code. */
const inline = ["c", "command", "e", "eval", "p", "print", "E", "r", "run", "n"];

export function effectsOf(
  command: SimpleCommand,
  index: number,
  home: string,
  spell: (words: readonly string[]) => Spelling,
): CommandEffects {
  const [first = ""] = command.words;
  const program = baseName(first);
  const row = Object.hasOwn(programs, program) ? (programs[program] ?? noRow) : noRow;
  const spelled = withPaths(spell(command.words), command.words);
  const absolute = (word: string): string => absolutePath(word, command.cwd, home);
  const isShell = shells.test(program);
  const isInterpreter = interpreters.test(program);
  const codes = isInterpreter ? codesOf(spelled, command) : [];
  const code = codes.length > 0 ? readCode(codes.join("\n")) : undefined;
  const runsWords = /^(?:eval|iex|Invoke-Expression)$/i.test(program) || (isShell && has(spelled, "c", "command"));
  const scripts = runsWords || codes.length > 0 ? [] : scriptsOf(spelled, isShell || isInterpreter, program);
  const doings = [
    ...(isShell || isInterpreter ? [] : doingsOf(spelled, row, program)),
    ...(codes.length > 0 ? filesOfCode(spelled, program) : []),
    ...(code?.doings ?? []),
    ...scripts.map((word): Doing => ({ does: "executes", word })),
    ...(first.includes("/") && !first.startsWith(unknownText) ? [{ does: "executes" as const, word: first }] : []),
    ...command.redirects.map(({ path, how }): Doing => ({ does: how === "reads" ? "reads" : "writes", word: path })),
  ];
  const effects = doings.flatMap((doing) => effectOf(doing, index, absolute));
  if ((row.isNetwork || code?.fetches) && !effects.some(({ is }) => is === "network"))
    effects.push({ is: "network", command: index });
  if (command.redirects.some(({ path }) => /^\/dev\/(?:tcp|udp)\//.test(path)))
    effects.push({
      is: "network",
      command: index,
      host: command.redirects.flatMap(({ path }) => /^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(path)?.[1] ?? [])[0] ?? "",
    });
  if (row.elevates) effects.push({ is: "elevates", command: index });
  const takesFile = scripts.length > 0 && !/^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(scripts[0] ?? "");
  return {
    program,
    row,
    spelled,
    effects,
    sent: doings.filter(({ does }) => does === "sends").map(({ word }) => absolute(word)),
    ...(code ? { code } : {}),
    takesInput:
      /^(?:iex|Invoke-Expression)$/i.test(program) ||
      ((isShell || isInterpreter) && !runsWords && codes.length === 0 && !takesFile && !has(spelled, "m")),
    takesWords:
      runsWords ||
      codes.length > 0 ||
      /^(?:source|\.|g?make|[gmn]?awk|vim?|emacs|gdb)$/.test(program) ||
      (isShell && takesFile) ||
      (isInterpreter && takesFile),
    scripts: scripts.map(absolute),
  };
}

/** Where a program runs another one, its spelling names that without its folder. */
function withPaths(spelled: Spelling, words: readonly string[]): Spelling {
  const whole = new Map(words.filter((word) => word.includes("/")).map((word) => [baseName(word), word]));
  if (whole.size === 0 || words.some((word) => spelled.operands.includes(word) && whole.has(word))) return spelled;
  return {
    ...spelled,
    operands: spelled.operands.map((word) => (words.includes(word) ? word : (whole.get(word) ?? word))),
  };
}

/** Code in the words, or in a here-document that the interpreter reads. */
function codesOf(spelled: Spelling, { text, words }: SimpleCommand): string[] {
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
  if (shells.test(program) && has(spelled, "n")) return [];
  return spelled.operands.slice(0, 1);
}

const looksLikePath = (word: string): boolean =>
  /^(?:\.{0,2}|~[\w-]*)\/|^\.[a-z]|^~$|^[A-Za-z]:[\\/]|\w\/[\w.]|\.(?:pem|key|env|json|ya?ml|toml|p12|kdbx)$|^id_/.test(
    word,
  ) && !/^[a-z]+:\/\//.test(word);

function doingsOf(spelled: Spelling, row: ProgramRow, program: string): Doing[] {
  const { operands, options } = spelled;
  const below =
    row.below === true || (row.below !== undefined && has(spelled, ...row.below)) ? { below: true as const } : {};
  const uses = row.operands;
  const plain: Doing[] =
    uses !== undefined
      ? operands.map((word, index) => ({ does: uses[Math.min(index, uses.length - 1)] ?? "nothing", word, ...below }))
      : row === noRow && !/^(?:git|echo|printf)$/.test(program)
        ? operands.filter(looksLikePath).map((word) => ({ does: "reads", word }))
        : [];
  // An editor both reads its files and writes them.
  if (uses?.length === 2 && uses[0] === "reads" && uses[1] === "writes" && !/^(?:split|csplit)$/.test(program))
    plain.push(...operands.map((word): Doing => ({ does: "writes", word })));
  const given = options.flatMap(({ name, also = [], value }): Doing[] => {
    const does = [name, ...also].map((one) => row.options?.[one]).find((one) => one !== undefined);
    return does === undefined || value === undefined
      ? []
      : does.map((one) => ({ does: one, word: value.replace(/^@/, "") }));
  });
  return [...plain, ...given, ...(row.own?.(spelled) ?? [])];
}

const asEffect: Partial<Record<Use, Effect["is"]>> = {
  reads: "reads",
  sends: "reads",
  writes: "writes",
  deletes: "deletes",
  permits: "permits",
  executes: "executes",
};

function effectOf({ does, word, below }: Doing, command: number, absolute: (word: string) => string): Effect[] {
  if (does === "nothing" || (word === "-" && does !== "deletes")) return [];
  if (does === "host")
    return [
      { is: "network", command, ...(word === "" || word.includes(unknownText) ? {} : { host: word.toLowerCase() }) },
    ];
  const is = asEffect[does];
  if (is === undefined || word === "") return [];
  const whole = /^(.*?)\/?(?:\*\*?|\.\[?\^?\.?\]?\*|\.?\*)$/s.exec(word);
  const isWhole = whole !== null && /(?:^|\/)[.*[\]^!?]*$/.test(word);
  const path = absolute(isWhole ? whole?.[1] || (word.startsWith("/") ? "/" : ".") : word);
  return [{ is, command, path, ...(below || isWhole ? { below: true } : {}) }];
}

/** `~` stands for the home folder; of what nobody can tell the beginning, the path begins with unknownText. */
export function absolutePath(word: string, cwd: string | undefined, home: string): string {
  const plain = word.replace(/^file:\/\//, "");
  if (plain === "~" || plain.startsWith("~/")) return resolvePath(`${home}${plain.slice(1)}`, "/");
  if (plain.startsWith(unknownText)) return plain;
  if (/^~[\w-]+/.test(plain)) return resolvePath(`/home/${plain.slice(1)}`, "/");
  if (plain.startsWith("/") || /^[A-Za-z]:[\\/]/.test(plain)) return resolvePath(plain, "/");
  return cwd === undefined ? `${unknownText}/${plain}` : resolvePath(plain, cwd);
}
