/**
 * Which files a command writes, removes or replaces, by the table of programs. For guards of hooks, who err towards yes, every path
 * among the words of a program counts that is in no table.
 */
import type { Spelling } from "../../engine/command-pattern.ts";
import type { ShellReading, SimpleCommand, Written } from "../../engine/effects.ts";
import { baseName, unknownText } from "../../engine/pattern.ts";
import { fromPipe, unpackedByPython } from "../archives.ts";
import { listedBy } from "../git/trees.ts";
import { listed } from "../listers.ts";
import { onlyLooks } from "../lookers.ts";
import { pathIn } from "../made.ts";
import { isOption } from "../own-words.ts";
import { doingsOf } from "./command.ts";
import type { Doing, ProgramRow, Use } from "./doings.ts";
import { gitHooks } from "./git.ts";
import { pathsIn, programs } from "./programs.ts";

type Words = readonly string[];
type Spell = (words: Words) => Spelling;

/**
 * The files that these commands write or remove, absolute where the line tells. Never throws.
 *
 * @param isCautious what a program names that nobody here knows counts, too
 */
export function writes({ commands }: ShellReading, isCautious: boolean, spell: Spell): Written[] {
  const named: Written[] = [];
  return commands.flatMap((command, index) => {
    const { words, redirects, cwd } = command;
    // `git -C x rm` stands there as `git rm` too.
    const isOther = (other: readonly string[]): boolean => other[0] !== words[0];
    const inner = new Set(
      commands.flatMap((one) => (one.by === index && !one.isPerhaps && isOther(one.words) ? one.words : [])),
    );
    const own =
      inner.size === 0 ? words : words.filter((word, at) => at === 0 || (!inner.has(word) && !/\s/.test(word)));
    const written = redirects.flatMap(({ path, how }): Written[] => (how === "reads" ? [] : [{ path }]));
    const inFolder = (path: string): string => pathIn(cwd, path);
    const [source] = command.input.map((from) => commands[from]);
    const names = [...command.given, ...(command.by === undefined ? [] : (commands[command.by]?.input ?? []))];
    const lists = names.flatMap((at) => commands[at] ?? []).find(({ words: [program] }) => program === "git");
    const all = [...written, ...writtenBy({ ...command, words: own }, { isCautious, spell })].map((one) =>
      ofListing(fromPipe(one, source), lists),
    );
    const place = ({ path, from, patch, unpacked, ...more }: Written): Written => ({
      ...more,
      command: index,
      path: path === gitHooks || more.isName ? path : inFolder(path),
      ...(from && { from: from.map(inFolder) }),
      ...(unpacked && {
        unpacked: unpacked.file === undefined ? unpacked : { ...unpacked, file: inFolder(unpacked.file) },
      }),
      ...(patch && { patch: patch.file === undefined ? patch : { ...patch, file: inFolder(patch.file) } }),
    });
    named.push(...listed(command).map(place));
    // What another program of the line has named may be what is written.
    const isOpen = all.some(({ path }) => onlyUnknown.test(path));
    return [...all.map(place), ...(isOpen ? named.map((one) => ({ ...one, command: index })) : [])];
  });
}
/** Of all files of the repository, those that another command of git names. */
function ofListing(one: Written, lists: SimpleCommand | undefined): Written {
  const isOpen = one.trees?.loses?.includes("tracked") && !one.trees.keeps && !one.trees.only;
  const found = isOpen && lists ? listedBy(lists.words.slice(1)) : undefined;
  return found && one.trees ? { ...one, trees: { ...one.trees, ...found } } : one;
}

const onlyUnknown = new RegExp(`^${unknownText}+$`);

/** @param isCautious a program that is in no table counts as well */
export function writtenBy(
  command: SimpleCommand,
  { isCautious, spell }: { isCautious: boolean; spell: Spell },
): readonly Written[] {
  const [program = "", ...words] = command.words;
  const name = baseName(program);
  const row = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const told = row === undefined ? [] : doingsOf(spell(command.words), row, command).flatMap(writtenByDoing);
  if (row !== undefined && tellsAll(row)) return told;
  const unpacked = words[0] === "-m" && interpreters.test(name) ? unpackedByPython(words, command) : [];
  if (unpacked.length > 0) return unpacked;
  if (!isCautious || onlyLooks(command) || quiet.test(name)) return told;
  return mayWrite(name, words);
}

const writing: ReadonlySet<Use> = new Set<Use>(["writes", "deletes", "permits", "fills", "edits"]);
const tellsAll = ({ isPartly, own, operands = [], options = {} }: ProgramRow): boolean =>
  !isPartly && (own !== undefined || [operands, ...Object.values(options)].flat().some((use) => writing.has(use)));

/** What goes, and what gets another owner, does so whole. */
function writtenByDoing({ does, word, below: _, ...more }: Doing): Written[] {
  if (does === "deletes" || does === "permits") return [{ ...more, path: word, whole: true }];
  return does === "writes" || does === "fills" ? [{ ...more, path: word }] : [];
}

/** Of the shell, of other machines, and of programs that another guard knows. */
const quiet =
  /^(?:hookline(?:-client)?|source|\.|export|local|declare|typeset|readonly|set|unset|alias|unalias|shift|trap|ulimit|umask|read|wait|jobs|bg|fg|kill|pkill|sleep|ssh|shellcheck|yamllint|jsonlint|actionlint|markdownlint|markdownlint-cli2|hadolint|bats|ajv|cloc|scc|open|xdg-open)$/;
const interpreters =
  /^(?:(?:ba|z|da|k|a)?sh|fish|python[\d.]*|pypy3?|node|nodejs|bun|deno|tsx|ts-node|ruby|perl|php|lua|osascript|java)$/;

/** What an interpreter runs first is its script; code in its words is read elsewhere. */
function mayWrite(name: string, words: Words): Written[] {
  const isRunner = interpreters.test(name);
  if (isRunner && words.some((word) => /^-(?:[a-z]*[ce]|-eval|-print)$/.test(word))) return [];
  if (isRunner && words[0] === "-m" && /^(?:json\.tool|py_compile)$/.test(words[1] ?? "")) return [];
  const script = isRunner ? words.findIndex((word) => !/^-/.test(word)) : -1;
  return words
    .filter((_, index) => index !== script)
    .flatMap((word) => {
      if (/\s/.test(word) || word === "") return scripted.test(name) ? pathsIn(word) : [];
      const value = /^-{1,2}[\w-]+[=:](.+)$|^[\w.]+=(.+)$|^-[a-zA-Z]([./~].+)$|^@(.+)$/.exec(word);
      return (value?.slice(1).find(Boolean) ?? (isOption(word) ? [] : word)) as string | string[]; // one of the groups is there
    })
    .map((path) => ({ path, whole: true }));
}

/** They take commands of their own. */
const scripted =
  /^(?:vi|vim|nvim|view|ex|ed|nano|emacs|sqlite3|psql|mysql|duckdb|gdb|lldb|lftp|m4|gnuplot|screen|tmux|script)$/;
