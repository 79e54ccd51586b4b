/** What git and patch do with files: rules of effects know the paths that stand in the line, guards of files the trees as well. */
import type { Spelling } from "../../engine/command-pattern.ts";
import type { SimpleCommand, Written } from "../../engine/effects.ts";
import { baseName } from "../../engine/pattern.ts";
import { anyBelow } from "../archives.ts";
import { treesOf } from "../git/trees.ts";
import { isOption, operandsOf, valuesOf as valuesIn } from "../own-words.ts";
import { asPaths, asWhole, type Doing, filled, has, type Use, valuesOf } from "./doings.ts";
import { moves } from "./files.ts";
import { hostIn } from "./transfers.ts";

type Words = readonly string[];
const output =
  (short: string, long: string) =>
  (words: Words): Written[] =>
    asPaths(valuesIn(words, short, long));

/** What of git's sub-commands touches files; history and remotes are for patterns. */
export const git = (spelled: Spelling, command: SimpleCommand): Doing[] => [
  ...doneByGit(spelled),
  ...filled(writtenByGit(command.words.slice(1), command)),
];

function doneByGit(spelled: Spelling): Doing[] {
  const { subcommand = "", operands } = spelled;
  const all = (does: Use): Doing[] => operands.filter((word) => !/^-/.test(word)).map((word) => ({ does, word }));
  switch (subcommand) {
    case "rm":
      return has(spelled, "cached") ? [] : all("deletes");
    case "mv":
      return moves(spelled);
    case "clone":
    case "fetch":
    case "pull":
    case "push":
    case "ls-remote":
      return operands
        .filter((word) => /:\/\/|@[\w.-]+:/.test(word))
        .map((word) => ({ does: "host", word: hostIn(word) }));
    case "config":
      return configures(spelled);
    default:
      return [];
  }
}

/** A setting is written to a file: the repository's own, the person's or the system's. */
function configures(spelled: Spelling): Doing[] {
  const words = spelled.operands.filter((word) => !/^(?:set|unset|get|list|edit)$/.test(word));
  const writes =
    (words.length > 1 && !has(spelled, "get", "get-all", "get-regexp", "list", "l")) ||
    has(spelled, "unset", "unset-all", "add", "replace-all", "edit", "e", "remove-section", "rename-section") ||
    /^(?:set|unset|edit)$/.test(spelled.operands[0] ?? "");
  if (!writes) return [];
  const [name = ""] = words;
  const runs =
    /^(?:core\.(?:hookspath|fsmonitor|sshcommand|editor|pager|gitproxy|askpass)|alias\..*|credential\..*|include.*|filter\..*|diff\..*\.(?:command|textconv)|merge\..*\.driver|url\..*|init\.templatedir|gpg\..*program|http\.proxy|http\.sslverify)/i.test(
      name,
    );
  const edits = has(spelled, "edit", "e") || spelled.operands[0] === "edit";
  if (!runs && !edits) return [];
  if (/hookspath/i.test(name)) return [{ does: "writes", word: ".git/hooks" }];
  if (has(spelled, "global")) return [{ does: "writes", word: "~/.gitconfig" }];
  if (has(spelled, "system")) return [{ does: "writes", word: "/etc/gitconfig" }];
  return [{ does: "writes", word: valuesOf(spelled, "file", "f")[0] ?? ".git/config" }];
}

/** The file that holds a patch; its targets stand in it. */
function patched(
  words: Words,
  { text, redirects, input }: SimpleCommand,
  given: { files: readonly string[]; folder: string },
): Written[] {
  if (
    words.some((word) =>
      /^--(?:dry-run|check|stat|numstat|summary|abort|continue|skip|quit|show-current-patch.*|version|help)$/.test(
        word,
      ),
    )
  )
    return [];
  const read = [...given.files, ...redirects.flatMap(({ how, path }) => (how === "reads" ? path : []))];
  const held = text === undefined ? {} : { text };
  if (read.length === 0 && text === undefined && input.length === 0 && words.length > 0 && given.files.length === 0)
    return [{ path: given.folder, patch: {} }];
  return (read.length > 0 ? read : [undefined]).map((file) => ({
    path: given.folder,
    patch: { ...(file === undefined ? {} : { file }), ...held },
  }));
}

export function patch(_: Spelling, command: SimpleCommand): Doing[] {
  const words = command.words.slice(1);
  const [folder = "."] = valuesIn(words, "-d", "--directory");
  const files = valuesIn(words, "-i", "--input");
  const operands = operandsOf(
    words.filter((word, index) => !/^-[dipFBzYDgo]$/.test(words[index - 1] ?? "") || isOption(word)),
  );
  const [target, from] = operands;
  return filled([
    ...asWhole(target === undefined ? [] : [target]),
    ...asPaths(valuesIn(words, "-o", "--output")),
    ...(target === undefined || files.length > 0 || from !== undefined
      ? patched(words, command, { files: [...files, ...(from === undefined ? [] : [from])], folder })
      : []),
  ]);
}

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

/** By the words as they stand: options before the sub-command count, too. */
function writtenByGit(words: Words, command: SimpleCommand): Written[] {
  const settings = valuesIn(words, "-c", "--config-env");
  if (settings.some((one) => /^core\.hookspath/i.test(one))) return asPaths([gitHooks]);
  const at = words.findIndex(
    (word, index) => !isOption(word) && !/^-[cC]$|^--(?:git-dir|work-tree|namespace)$/.test(words[index - 1] ?? ""),
  );
  const [name = "", ...rest] = at < 0 ? [] : words.slice(at);
  const top = at < 0 ? [] : words.slice(0, at);
  const folder = [...valuesIn(top, "-C", "-C"), ...valuesIn(top, "--work-tree", "--work-tree")].at(-1);
  const below = ({ path, ...more }: Written): Written => ({
    ...more,
    path:
      folder === undefined || path.startsWith("/") || path === gitHooks
        ? path
        : `${folder.replace(/\/+$/, "")}/${path}`,
  });
  if (name === "config") {
    const named = rest.findIndex((word) => /^core\.hookspath$/i.test(word));
    const sets =
      rest.slice(named + 1).some((word) => !isOption(word)) || rest.some((word) => /^(--?unset|unset)/.test(word));
    const edits = rest.some((word) => /^(-e|--edit|edit)$/.test(word));
    if (named >= 0 && sets && !rest.some((word) => /^(--get|get)/.test(word))) return asPaths([gitHooks]);
    return edits ? asPaths([".git/config"]) : [];
  }
  if (name === "commit" && skipsHooks(rest)) return asPaths([gitHooks]);
  if (["push", "merge", "rebase", "am", "pull"].includes(name) && rest.includes("--no-verify"))
    return asPaths([gitHooks]);
  const named = Object.hasOwn(gitCommands, name) ? gitCommands[name] : output("", "--output");
  const trees = at === 0 ? treesOf(words) : undefined; // with options before it, the reader has recorded it without them as well
  return [...(named?.(rest, command) ?? []).map(below), ...(trees ? [{ path: ".", trees }] : [])];
}

/** Behind `--` alone, where there is one. */
function pathsOfGit(words: Words): string[] {
  const end = words.indexOf("--");
  const paths = end < 0 ? operandsOf(words) : words.slice(end + 1);
  return paths.map((path) => path.replace(/^:(?:\([^)]*\)|\/)/, "").replace(/\/?\*+$/, "") || ".");
}

const gitCommands: { readonly [name: string]: (words: Words, command: SimpleCommand) => Written[] } = {
  ...Object.fromEntries(
    ["rm", "checkout", "restore", "clean"].map((name) => [name, (words: Words) => asWhole(pathsOfGit(words))]),
  ),
  stash: (all) => {
    const [action = "", ...words] = all;
    if (action === "push")
      return asWhole(pathsOfGit(words.filter((_, index) => !/^(?:-m|--message)$/.test(words[index - 1] ?? ""))));
    return all.includes("--") ? asWhole(pathsOfGit(all)) : [];
  },
  clone: (words) => cloned(words),
  worktree: ([action = "", ...rest]) => (/^(?:add|move)$/.test(action) ? asWhole(operandsOf(rest).slice(0, 2)) : []),
  submodule: (words) =>
    asWhole(
      operandsOf(words)
        .filter((word) => !/:\/\/|^git@/.test(word))
        .slice(1),
    ),
  subtree: (words) => asWhole(valuesIn(words, "-P", "--prefix")),
  "checkout-index": (words) => asWhole(valuesIn(words, "--prefix", "--prefix")),
  "read-tree": (words) => asWhole(valuesIn(words, "--prefix", "--prefix")),
  archive: output("-o", "--output"),
  "format-patch": output("-o", "--output-directory"),
  bundle: (words) => (words[0] === "create" ? asPaths(operandsOf(words).slice(1, 2)) : []),
  init: (words) => asPaths(valuesIn(words, "--template", "--template")),
  apply: (words, command) =>
    patched(words, command, {
      files: operandsOf(words),
      folder: valuesIn(words, "--directory", "--directory")[0] ?? ".",
    }),
  am: (words, command) =>
    patched(words, command, {
      files: operandsOf(words),
      folder: valuesIn(words, "--directory", "--directory")[0] ?? ".",
    }),
};

/** What a clone brings is a whole tree. */
function cloned(words: Words): Written[] {
  const operands = operandsOf(
    words.filter(
      (_, index) =>
        !/^(?:-[bocju]|--(?:branch|depth|origin|config|filter|jobs|reference|template))$/.test(words[index - 1] ?? ""),
    ),
  );
  const [address = "", folder = baseName(address.replace(/\/+$/, "")).replace(/\.git$/, "")] = operands;
  return address === "" ? [] : [{ path: folder, whole: true }, { path: anyBelow(folder) }];
}
