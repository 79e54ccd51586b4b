/** How a repository is now, by one `git status`, and which files differ between two of its commits. */
import { textOfNames } from "../../files/names.ts";
import type { GitAnswer, GitOptions, Repository } from "../processes/git.ts";
import { type Moved, type RepositoryNow, signaturesOf } from "./look.ts";

/** Names are literal, records end in NUL, and nothing else is opened: repositories inside are asked one by one. */
const statusWords: readonly string[] = [
  "--literal-pathspecs",
  "status",
  ..."--porcelain=v2 --branch --no-ahead-behind -z --untracked-files=all --no-renames --ignore-submodules=all".split(
    " ",
  ),
];

export interface Status {
  head?: string;
  /** Relative to the top of the work tree, as are those of folders which git leaves to another repository. */
  names: string[];
  apart: string[];
}

/** @throws Error with git's reason */
export async function statusOf(
  repository: Repository,
  paths: readonly string[],
  options?: GitOptions,
): Promise<Status> {
  const words = paths.length === 0 ? statusWords : [...statusWords, "--", ...paths];
  return readStatus(textOf(await repository.ask(words, options)));
}

export function textOf(answer: GitAnswer): string {
  if (!answer.ok) throw new Error(answer.reason);
  return textOfNames(answer.stdout);
}

/** Blanks before the name, by the letter that a record begins with. */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function readStatus(text: string): Status {
  const names = new Set<string>();
  const apart: string[] = [];
  let head: string | undefined;
  for (const record of text.split("\0")) {
    const [kind = ""] = record;
    if (record.startsWith("# branch.oid ")) head = /[0-9a-f]{40,}$/.exec(record)?.[0];
    const name = nameIn(record, fieldsBefore[kind] ?? 0);
    const isLink = kind !== "?" && record.split(" ", 3)[2]?.startsWith("S");
    if (name.endsWith("/")) apart.push(name.slice(0, -1));
    else if (name !== "" && !isLink) names.add(name);
  }
  return { names: [...names], apart, ...(head === undefined ? {} : { head }) };
}

function nameIn(record: string, blanks: number): string {
  let at = -1;
  for (let blank = 0; blank < blanks; blank++) {
    at = record.indexOf(" ", at + 1);
    if (at < 0) return "";
  }
  return blanks === 0 ? "" : record.slice(at + 1);
}

/** Also gives the folders that git leaves to another repository. @throws Error with git's reason */
export async function readRepository(
  repository: Repository,
  prefix: string,
  options?: GitOptions,
): Promise<{ now: RepositoryNow; apart: string[] }> {
  const { head, names, apart } = await statusOf(repository, [], options);
  const now: RepositoryNow = {
    prefix,
    ...(head === undefined ? {} : { head }),
    dirty: prefixed(await signaturesOf(repository.top, names), prefix),
    ...createHistory(repository, prefix)(head, options),
  };
  return { now, apart };
}

export const prefixed = <T>(names: ReadonlyMap<string, T>, prefix: string): ReadonlyMap<string, T> =>
  prefix === "" ? names : new Map([...names].map(([name, value]) => [`${prefix}${name}`, value]));

const nothingMoved: Moved = new Map();
/** Differences between commits never change, so a few are remembered. */
const remembered = 8;

export type HistoryOf = (
  head: string | undefined,
  options?: GitOptions,
) => Pick<RepositoryNow, "movedSince" | "newestBefore">;

export function createHistory(repository: Repository, prefix: string): HistoryOf {
  const known = new Map<string, Moved>();
  return (head, options) => ({
    async movedSince(commit) {
      if (head === undefined || commit === head) return nothingMoved;
      const key = `${commit}..${head}`;
      const found = known.get(key) ?? prefixed(await readMoved(repository, commit, head, options), prefix);
      if (known.size >= remembered) known.clear();
      known.set(key, found);
      return found;
    },
    async newestBefore(when) {
      if (head === undefined) return undefined;
      const age = `--min-age=${Math.floor(when / 1000) - 1}`; // commits know seconds
      return textOf(await repository.ask(["rev-list", "-1", age, head, "--"], options)).trim() || undefined;
    },
  });
}

/** A history that was written anew, and swept, no longer has the commit: then all that the head holds may have moved. */
async function readMoved(
  { ask }: Repository,
  commit: string | undefined,
  head: string,
  options: GitOptions | undefined,
): Promise<Moved> {
  const flags = "-r -z --name-status --no-renames --no-ext-diff --no-textconv --ignore-submodules=all".split(" ");
  const differences =
    commit === undefined ? undefined : await ask(["diff-tree", ...flags, commit, head, "--"], options);
  if (!differences || isRefusal(differences))
    return allOf(textOf(await ask(["ls-tree", "-r", "-z", "--full-tree", head], options)));
  const words = textOf(differences).split("\0");
  const moved = new Map<string, { removed: boolean }>();
  for (let at = 0; at + 1 < words.length; at += 2) moved.set(words[at + 1] ?? "", { removed: words[at] === "D" });
  return moved;
}

/** Git itself says no: it was neither stopped nor too slow. */
const isRefusal = (answer: GitAnswer): boolean => !answer.ok && answer.code !== undefined;

/** Every file of a commit, without links to other repositories. */
const allOf = (text: string): Moved =>
  new Map(
    text.split("\0").flatMap((record) => {
      const tab = record.indexOf("\t");
      const isFile = tab > 0 && record.split(" ", 2)[1] === "blob";
      return isFile ? [[record.slice(tab + 1), { removed: false }] as const] : [];
    }),
  );

/** The file or a folder above it is one of these. */
export function liesIn(name: string, places: ReadonlySet<string>): boolean {
  for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1))
    if (places.has(name.slice(0, end))) return true;
  return false;
}

export const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("/")));
