/**
 * Which hook files git brings into a work tree, or takes away there, by a line that names none of them: a branch, a merge, a stash.
 * git is asked, and answers from its own store. What has not been fetched cannot be known.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GitTrees, Written } from "../../engine/effects.ts";
import { listByGit, repositoryAround } from "../../files/git-safely.ts";
import { pathInside } from "../../files/paths.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";
import { mayUseAlias } from "../../shell/git/names.ts";

/** Whether a line could do that. Two looks, as one expression for both would take the square of a long line's length. */
export const bringsByGit = (line: string): boolean => named.test(line) && (brings.test(line) || mayUseAlias(line));
const named = /\bgit\b/;
const brings =
  /\b(?:checkout|switch|merge|rebase|pull|cherry-pick|revert|reset|stash|restore|clean|read-tree|checkout-index|sparse-checkout|bisect)\b|git (?:-\S+ (?:\S+ )?)?rm\b/;

const largestInBytes = 8 << 20;
const mostRevisions = 10;
/** Schemas decide nothing. */
const forEditors = /(?:^|\/)\.hookline\/schemas\//;
const asSpecs = (paths: readonly string[]): string[] => ["--", ...paths.map((path) => `:(top,icase)${path}`)];

/**
 * @param written what one line writes, in its order
 * @returns paths below the repository's folder; "untold": what comes cannot be determined, and there are hooks to lose
 */
export function hookFilesByGit(
  written: readonly Written[],
  cwd: string,
  inProject: readonly string[],
): string[] | "untold" {
  const all = written.flatMap(({ path, trees }) => (trees ? { folder: path, trees } : []));
  const last = all.findLastIndex(({ trees }) => !trees.isName);
  const found = new Set<string>();
  // git is started for each revision, and all other calls wait meanwhile.
  if (all.reduce((sum, { trees }) => sum + trees.pairs.length, 0) > mostRevisions) return "untold";
  let isUntold = false;
  for (const { folder, trees } of all.slice(0, last + 1)) {
    const top = folder.startsWith("/") ? repositoryAround(folder) : repositoryAround(cwd);
    if (top === undefined) continue;
    const prefix = pathInside(top, cwd) ?? "";
    const places = [...inProject, ...(prefix === "" ? [] : inProject.map((path) => `${prefix}/${path}`))];
    const there = places.filter((path) => existsSync(join(top, path)));
    const from = folder.startsWith("/") ? folder : cwd;
    const paths = [...broughtBy(trees, top, places), ...lostBy(trees, top, there, pathInside(top, from) ?? "")];
    const meant = paths.length > 0 && trees.only ? meantBy(trees, from) : undefined;
    for (const path of paths) if (meant?.has(path) !== false) found.add(path);
    isUntold ||= (trees.isUntold === true || isRepository(from, trees.remote)) && there.length > 0;
  }
  const hooks = [...found].filter((path) => !forEditors.test(path));
  return isUntold && hooks.length === 0 ? "untold" : hooks;
}

function broughtBy({ pairs }: GitTrees, top: string, places: readonly string[]): string[] {
  return pairs.flatMap(({ from, to, isMerge, isPerhaps }) => {
    if ([from, to].some((one) => one?.startsWith("-"))) return []; // no revision, and an option of git's is none of ours
    const between = (revision: string): readonly string[] | undefined =>
      listByGit(top, [
        ...["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", "--root"],
        ...(isMerge ? ["--merge-base"] : []),
        ...(from === undefined ? [] : [from]),
        revision,
        ...asSpecs(places),
      ]);
    // `git switch topic` takes the branch of a remote, too.
    const known = between(to) ?? (isPerhaps ? [] : remotesOf(top, to).flatMap((ref) => between(ref) ?? []));
    return [...known];
  });
}

const isHash = /^[0-9a-f]{7,64}$/;
const remotesOf = (top: string, branch: string): readonly string[] =>
  /^[\w./-]+$/.test(branch) && !isHash.test(branch)
    ? (listByGit(top, ["for-each-ref", "--format=%(refname)%00", `refs/remotes/*/${branch}`]) ?? []).flatMap(
        (ref) => ref.trim() || [],
      )
    : [];

const isRepository = (folder: string, name: string | undefined): boolean =>
  name !== undefined && [".git", "HEAD"].some((one) => existsSync(join(folder, name, one)));

/** Paths that the line's own patterns mean, as git reads them from that folder, in each of the revisions. */
function meantBy({ pairs, only = [] }: GitTrees, folder: string): ReadonlySet<string> {
  if (only.length === 0) return new Set();
  // Where only exclusions stand, the others are those of the repository or of the folder, as the command and its version say.
  const specs = ["--", ...(only.every((one) => /^:(?:[!^]|\([^)]*\bexclude\b)/.test(one)) ? [":/"] : []), ...only];
  const ask = (words: readonly string[]): readonly string[] => listByGit(folder, [...words, ...specs]) ?? [];
  const between = pairs.flatMap(({ from, to }) =>
    [from, to].some((one) => one?.startsWith("-"))
      ? []
      : ask([
          "diff-tree",
          "-r",
          "-z",
          "--name-only",
          "--no-renames",
          "--no-commit-id",
          "--root",
          ...(from === undefined ? [] : [from]),
          to,
        ]),
  );
  return new Set([...between, ...ask(["ls-files", "-c", "-o", "-z", "--full-name"])]);
}

function lostBy({ loses = [], keeps }: GitTrees, top: string, there: readonly string[], prefix: string): string[] {
  if (loses.length === 0 || there.length === 0) return [];
  const specs = asSpecs(there);
  const isIgnored = loses.includes("ignored");
  const others = (...words: string[]): readonly string[] =>
    listByGit(top, ["ls-files", "-o", "-z", ...words, ...specs]) ?? [];
  return [
    ...(loses.includes("tracked")
      ? (listByGit(top, ["ls-files", "-z", ...specs, ...keptSpecs(keeps, prefix)]) ?? [])
      : []),
    ...(loses.includes("changed") ? changedIn(top, listByGit(top, ["ls-files", "-s", "-z", ...specs]) ?? []) : []),
    ...(loses.includes("staged")
      ? (listByGit(top, ["diff-index", "--cached", "-z", "--name-only", "HEAD", ...specs]) ?? [])
      : []),
    ...(loses.includes("untracked") ? others(...(isIgnored ? [] : ["--exclude-standard"])) : []),
    ...(isIgnored && !loses.includes("untracked") ? others("-i", "--exclude-standard") : []),
  ];
}

/** Of folders that stay, with the files beside each of them and above. */
function keptSpecs(keeps: GitTrees["keeps"], prefix: string): string[] {
  if (keeps === undefined) return [];
  const folders = keeps.map((path) => (path.startsWith("/") ? path.slice(1) : join(prefix, path)).replace(/\/+$/, ""));
  const above = folders.flatMap((path) => path.split("/").map((_, at, names) => names.slice(0, at + 1).join("/")));
  return [
    ":(top,exclude,glob)*",
    ...folders.map((path) => `:(top,exclude)${path}`),
    ...[...new Set(above)].map((path) => `:(top,exclude,glob)${path}/*`),
  ];
}

/** By its bytes: to ask git whether a file has changed may run filters of the repository. */
function changedIn(top: string, entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    const [, mode = "", id = "", path = ""] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(entry) ?? [];
    if (!mode.startsWith("100")) return []; // a link or a repository in it
    try {
      const bytes = readRegularBytesSync(join(top, path), largestInBytes);
      const plain = Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
      return [bytes, plain].some((one) => idOf(one, id.length) === id) ? [] : path;
    } catch {
      return path; // it is gone, or no file: git puts one there
    }
  });
}

const idOf = (bytes: Buffer, length: number): string =>
  createHash(length === sha1Length ? "sha1" : "sha256")
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest("hex");
const sha1Length = 40;
