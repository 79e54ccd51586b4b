/**
 * What means a call of git under another name: aliases that a person or a repository has, out of the files that git reads them from, and
 * tools of a server for git. git itself is not started for it.
 */
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Written } from "../../engine/effects.ts";
import type { Fields, Json } from "../../engine/event.ts";
import { repositoryAround } from "../../files/git-safely.ts";
import { textAt } from "../../files/regular-file.ts";
import { treesOf } from "../../shell/git/trees.ts";

const deepestInclude = 4;
const largestInBytes = 1 << 20;

/**
 * @param name as the line has it
 * @param at where git is called
 * @returns what stands there for it; undefined: it is no alias. Never throws
 */
export function gitAlias(
  name: string,
  { folder, home }: { folder: string | undefined; home: string },
): string | undefined {
  for (const file of filesFor(folder, home)) {
    const found = aliasIn(file, name.toLowerCase(), { home, depth: 0 });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last that git reads counts, and stands first here. */
function filesFor(folder: string | undefined, home: string): string[] {
  const top = folder?.startsWith("/") ? repositoryAround(folder) : undefined;
  // What the environment of this process names is of the person whose home it is.
  const { GIT_CONFIG_GLOBAL: named, XDG_CONFIG_HOME: moved } = home === homedir() ? process.env : {};
  const ofPerson = named ? [named] : [join(home, ".gitconfig"), join(moved || join(home, ".config"), "git", "config")];
  return [...(top === undefined ? [] : repositoryFiles(join(top, ".git"))), ...ofPerson, "/etc/gitconfig"];
}

/** In a linked worktree `.git` is a file that names another folder. */
function repositoryFiles(own: string): string[] {
  const named = /^gitdir: (.+?)\s*$/m.exec(textAt(own, largestInBytes) ?? "")?.[1];
  const folder = named === undefined ? own : resolve(dirname(own), named);
  const common = named === undefined ? undefined : textAt(join(folder, "commondir"), largestInBytes)?.trim();
  return [join(folder, "config.worktree"), join(common === undefined ? folder : resolve(folder, common), "config")];
}

function aliasIn(file: string, name: string, place: { home: string; depth: number }): string | undefined {
  const text = textAt(file, largestInBytes);
  if (text === undefined || place.depth > deepestInclude) return undefined;
  let section = "";
  let found: string | undefined;
  for (const line of text.replaceAll(/\\\r?\n/g, "").split("\n")) {
    const [head, title, rest = ""] = /^\s*\[\s*([^\]]+?)\s*\](.*)$/.exec(line) ?? [];
    if (title !== undefined) section = title.toLowerCase();
    const [, key = "", value = ""] =
      /^\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/.exec(head === undefined ? line : rest) ?? [];
    if (section === "alias" && key.toLowerCase() === name) found = plainValue(value);
    if (/^include(?:if\b|$)/.test(section) && key.toLowerCase() === "path") {
      const path = plainValue(value).replace(/^~(?=\/)/, place.home);
      found = aliasIn(resolve(dirname(file), path), name, { ...place, depth: place.depth + 1 }) ?? found;
    }
  }
  return found;
}

const signs: { readonly [letter: string]: string } = { n: "\n", t: "\t", b: "\b" };

/** Without quotes, and without a remark behind them. */
function plainValue(value: string): string {
  let plain = "";
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const sign = value[at] ?? "";
    if (sign === "\\") {
      const letter = value[++at] ?? "";
      plain += signs[letter] ?? letter;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if ((sign === "#" || sign === ";") && !isQuoted) break;
    else plain += sign;
  }
  return plain.trim();
}

// The name of such a tool is a sub-command, and its fields are the words behind it.

const called =
  /(?:^|[_.-])git\w*?[_.-]+(?:\w+?[_.-])??(checkout|switch|merge|rebase|pull|cherry[_-]?pick|revert|reset|stash|restore|clean)(?:[_-](pop|apply|push|hard|branch))?$/i;
/** In the order in which git takes them. */
const operands =
  "remote branch_name branchname branch ref target revision rev commit commit_hash commithash hash sha source upstream name stash stash_ref stashref".split(
    " ",
  );
const folders = ["repo_path", "repopath", "repository", "repo", "path", "cwd", "directory", "working_directory"];

/** Undefined: it is none of them. @param tool canonical */
export function treesOfTool(tool: string, input: Fields, cwd: string): Written | undefined {
  const [, name = "", more = ""] = called.exec(tool) ?? [];
  if (name === "") return undefined;
  const fields = new Map(
    Object.entries(input).map(([key, value]): [string, Json | undefined] => [key.toLowerCase(), value]),
  );
  const text = (key: string): string[] => {
    const value = fields.get(key);
    return typeof value === "string" && value !== "" ? [value] : [];
  };
  const is = (...keys: string[]): boolean => keys.some((key) => fields.get(key) === true);
  const action = name.toLowerCase().replace(/^cherry_?pick$/, "cherry-pick");
  const own = more === "" || more === "branch" ? [] : [more.toLowerCase()];
  const mode = [...own, ...["mode", "action", "operation"].flatMap(text)];
  const isNew = is("create", "create_branch", "createbranch", "new_branch", "b");
  const words = [
    action,
    ...mode.map((one) => (action === "stash" ? one : `--${one}`)),
    ...(is("hard") ? ["--hard"] : []),
    ...(is("force", "f") ? ["--force"] : []),
    ...(action === "clean" && is("ignored", "x") ? ["-x"] : []),
    ...(is("include_untracked", "includeuntracked") ? ["-u"] : []),
    ...(isNew ? ["-b"] : []),
    ...operands.flatMap(text),
  ];
  const trees = treesOf(words);
  const [folder = "."] = folders.flatMap(text);
  return trees ? { path: resolve(cwd, folder), trees } : undefined;
}
