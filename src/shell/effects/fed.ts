/**
 * What a command is given by others of the same line, as far as these tell: the files that `find` or `ls` name for `xargs rm`, and
 * the folder that `$(git rev-parse --show-toplevel)` prints. The reader leaves such words open.
 */
import { baseName, type Spelling, unknownText } from "../../engine/command-pattern.ts";
import type { SimpleCommand } from "../../engine/effects.ts";
import { has } from "./doings.ts";
import type { Where } from "./places.ts";

type Spell = (words: readonly string[]) => Spelling;

const mostWords = 16;
const handsOn = /^(?:xargs|gxargs|parallel|find|gfind|fd|fdfind)$/;
const open = new RegExp(`${unknownText}+`);

/** The same commands, with such words filled in. */
export function withGiven(commands: readonly SimpleCommand[], where: Where, spell: Spell): SimpleCommand[] {
  return commands.map((command) => {
    const isOpen = command.words.some((word) => word.includes(unknownText));
    // fd puts what it found behind the words.
    const takesMore = !isOpen && command.by !== undefined && /^fd(?:find)?$/.test(programOf(commands[command.by]));
    if (takesMore) return { ...command, words: [...command.words, ...namedFor(command, commands, spell)] };
    if (!isOpen) return command;
    const printed = command.given.length === 1 ? printedBy(commands[command.given[0] ?? -1], where) : undefined;
    const given = namedFor(command, commands, spell);
    // `cat $(find . -name .env)`
    const [substituted] = command.given;
    const inside = substituted !== undefined && given.length === 0 ? namedThrough(substituted, commands, spell, 0) : [];
    const named = printed === undefined ? [...given, ...inside].slice(0, mostWords) : [printed];
    if (named.length === 0) return command;
    const words = command.words.flatMap((word) =>
      word.includes(unknownText) ? named.map((one) => word.replace(open, () => one)) : word,
    );
    return { ...command, words };
  });
}

const programOf = (command: SimpleCommand | undefined): string => baseName(command?.words[0] ?? "");

/** The folder that a command prints, absolute. */
function printedBy(command: SimpleCommand | undefined, { workspace }: Where): string | undefined {
  if (command === undefined) return undefined;
  const line = command.words.join(" ");
  if (/^pwd(?: -[PL])?$/.test(line)) return command.cwd;
  if (line === "git rev-parse --show-toplevel") return workspace;
  if (/^git rev-parse --(?:absolute-)?git-(?:common-)?dir$/.test(line)) return `${workspace}/.git`;
  return undefined;
}

/** What stands behind `xargs` and `-exec` gets. */
function namedFor({ by }: SimpleCommand, commands: readonly SimpleCommand[], spell: Spell): string[] {
  const giver = by === undefined ? undefined : commands[by];
  if (giver === undefined || !handsOn.test(baseName(giver.words[0] ?? ""))) return [];
  const own = namedBy(giver, spell);
  const all = own.length > 0 ? own : giver.input.flatMap((index) => namedThrough(index, commands, spell, 0));
  return all.slice(0, mostWords);
}

/** Filters pass names on. */
const passes = /^(?:grep|egrep|fgrep|rg|sort|uniq|head|tail|tac|shuf|sed|awk|cut|tr|tee|cat|gawk)$/;

function namedThrough(index: number, commands: readonly SimpleCommand[], spell: Spell, depth: number): string[] {
  const command = commands[index];
  if (command === undefined || depth > 8) return [];
  if (!passes.test(baseName(command.words[0] ?? ""))) return namedBy(command, spell);
  return command.input.flatMap((one) => namedThrough(one, commands, spell, depth + 1).map(somewhereIn));
}

/** After a filter it is not all of them. */
const somewhereIn = (path: string): string => path.replace(/\*$/, "(some)");

const inFolder = (folder: string, name: string): string => `${folder.replace(/\/+$/, "")}/${name}`;

function namedBy({ words }: SimpleCommand, spell: Spell): string[] {
  const spelled = spell(words);
  const { program, operands } = spelled;
  const known = operands.filter((word) => !word.includes(unknownText));
  switch (program) {
    case "find":
    case "gfind":
      return foundBy(words);
    case "fd":
    case "fdfind": {
      const end = words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
      const own = end < 0 ? known : known.slice(0, spell(words.slice(0, end)).operands.length);
      const [pattern = ".", ...folders] = own;
      return (folders.length > 0 ? folders : ["."]).map((folder) =>
        inFolder(folder, pattern === "." ? "*" : "(found)"),
      );
    }
    case "ls":
      if (has(spelled, "d", "directory")) return known;
      return (known.length > 0 ? known : ["."]).map((folder) => inFolder(folder, "*"));
    case "echo":
      return known;
    case "printf":
      return known[0]?.includes("%") ? known.slice(1) : known;
    case "git":
      return spelled.subcommand === "ls-files" ? [known.length > 0 ? "./(some)" : "./*"] : [];
    default:
      return [];
  }
}

/** With a test for names: one that could be such a file. With any other test: some file of the folder. */
function foundBy(words: readonly string[]): string[] {
  const rest = words.slice(1).filter((word) => !/^-[HLPOD]/.test(word));
  const end = rest.findIndex((word) => /^[-(!]/.test(word));
  const folders = (end < 0 ? rest : rest.slice(0, end)).filter((word) => !word.includes(unknownText));
  const isLeftOut = (at: number): boolean => rest[at] === "-prune" && /^-or?$/.test(rest[at + 1] ?? "");
  const chosen = rest.filter((_, at) => !isLeftOut(at + 1) && !isLeftOut(at + 2));
  const at = chosen.findIndex((word, index) => /^-i?name$/.test(word) && !/^(?:!|-not)$/.test(chosen[index - 1] ?? ""));
  const name = at < 0 ? undefined : chosen[at + 1];
  const isChosen = chosen.some((word) =>
    /^-(?:i?path|i?regex|i?wholename|mtime|mmin|newer|size|empty|user|group|atime|ctime|perm)/.test(word),
  );
  return (folders.length > 0 ? folders.slice(0, 4) : ["."]).map((folder) =>
    inFolder(folder, name ?? (isChosen ? "(found)" : "*")),
  );
}
