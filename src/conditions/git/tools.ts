/** What a tool of a server for git does to the work tree: its name is a sub-command, and its fields are the words behind it. */
import { resolve } from "node:path";
import type { Written } from "../../engine/effects.ts";
import type { Fields, Json } from "../../engine/event.ts";
import { treesOf } from "../../shell/git/trees.ts";

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
