/** Which files a program writes or removes, as far as its words tell. A program that is not here may write, too. */
import { baseName, unknownText } from "../engine/pattern.ts";

type Words = readonly string[];

/** The paths that these words name as written. */
export function writtenBy([program = "", ...words]: Words): readonly string[] {
  const name = baseName(program);
  return Object.hasOwn(programs, name) ? (programs[name]?.(words) ?? []) : [];
}

const isOption = (word: string): boolean => /^-./.test(word);

/** What stands behind `--` is no option. */
function operandsOf(words: Words): string[] {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  return [...before.filter((word) => !isOption(word)), ...(end < 0 ? [] : words.slice(end + 1))];
}

/** The value of an option, beside it or behind it. */
function valuesOf(words: Words, short: string, long: string): string[] {
  return words.flatMap((word, index) => {
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (word === short || word === long) return words[index + 1] ?? [];
    return word.startsWith(short) && !word.startsWith("--") ? word.slice(short.length) : [];
  });
}

/** A copy of a folder, and a link, bring all that is in it. */
function copiedTrees(words: Words): string[] {
  const targets = copied(words);
  const isTree = words.some((word) => /^-[A-Za-z]*[rRas]|^--(?:recursive|archive|symbolic)/.test(word));
  return isTree ? [...targets, ...targets.map(anyBelow)] : targets;
}

/** The target, and what a folder of that name would get. */
function copied(words: Words): string[] {
  const given = valuesOf(words, "-t", "--target-directory");
  const operands = operandsOf(words);
  const [target] = given.length > 0 ? given : operands.splice(-1);
  return target === undefined
    ? []
    : [target, ...operands.map((from) => `${target.replace(/\/+$/, "")}/${baseName(from)}`)];
}

const inPlace = (words: Words): string[] =>
  words.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word)) ? operandsOf(words) : [];

/** Letters of `git commit` behind which a value stands. */
const withValue = "mFCctS";

function skipsHooks(words: Words): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word, index, all) => {
    if (/^-[mFCct]$/.test(all[index - 1] ?? "")) return false; // the message may say anything
    if (/^--no-veri(f|fy)?$/.test(word)) return true;
    const letters = /^-([A-Za-z]+)/.exec(word)?.[1] ?? "";
    const own = [...letters].findIndex((letter) => withValue.includes(letter));
    return (own < 0 ? letters : letters.slice(0, own)).includes("n");
  });
}

/** Whoever takes the hooks of git away, by flag or by setting, as good as removes them. */
export const gitHooks = ".git/hooks";

function git(words: Words): string[] {
  const settings = valuesOf(words, "-c", "--config-env");
  if (settings.some((one) => /^core\.hookspath/i.test(one))) return [gitHooks];
  const at = words.findIndex((word, index) => !isOption(word) && !/^-[cC]$/.test(words[index - 1] ?? ""));
  const [command = "", ...rest] = at < 0 ? [] : words.slice(at);
  if (command === "config") {
    const named = rest.findIndex((word) => /^core\.hookspath$/i.test(word));
    const sets =
      rest.slice(named + 1).some((word) => !isOption(word)) || rest.some((word) => /^(--?unset|unset)/.test(word));
    const edits = rest.some((word) => /^(-e|--edit|edit)$/.test(word));
    return named >= 0 && sets && !rest.some((word) => /^(--get|get)/.test(word))
      ? [gitHooks]
      : edits
        ? [".git/config"]
        : [];
  }
  if (command === "commit" && skipsHooks(rest)) return [gitHooks];
  if (["push", "merge", "rebase", "am", "pull"].includes(command) && rest.includes("--no-verify")) return [gitHooks];
  if (command === "clone") return cloned(rest);
  return ["rm", "mv"].includes(command) ? operandsOf(rest) : [];
}

/** What a clone brings is a whole tree. */
function cloned(words: Words): string[] {
  const operands = operandsOf(
    words.filter(
      (_, index) =>
        !/^(?:-[bocju]|--(?:branch|depth|origin|config|filter|jobs|reference|template))$/.test(words[index - 1] ?? ""),
    ),
  );
  const [address = "", folder = baseName(address.replace(/\/+$/, "")).replace(/\.git$/, "")] = operands;
  return address === "" ? [] : [folder, anyBelow(folder)];
}

/** Something in this folder that nobody can tell. */
const anyBelow = (folder: string): string => `${folder.replace(/\/+$/, "")}/${unknownText}`;

const programs: { readonly [name: string]: (words: Words) => readonly string[] } = {
  ...Object.fromEntries(
    "rm rmdir unlink shred touch truncate chmod chown chgrp tee sponge mkdir mkfifo"
      .split(" ")
      .map((name) => [name, operandsOf]),
  ),
  ...Object.fromEntries("cp ln rsync scp".split(" ").map((name) => [name, copiedTrees])),
  install: copied,
  mv: (words) => [...copied(words), ...copied(words).map(anyBelow), ...operandsOf(words)],
  dd: (words) => words.flatMap((word) => (word.startsWith("of=") ? word.slice(3) : [])),
  sed: inPlace,
  gsed: inPlace,
  perl: inPlace,
  curl: (words) => valuesOf(words, "-o", "--output"),
  wget: (words) => valuesOf(words, "-O", "--output-document"),
  git,
};
