/** What a workspace looks like at one moment, and what has changed between two: pure but for reading what files are like. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Changes, Instant } from "../../engine/event.ts";
import type { Baseline } from "../../engine/record.ts";
import { pathOf, textOfNames } from "../../files/names.ts";
import type { GitAnswer, GitOptions, Repository } from "../processes/git.ts";
import { nextTurn } from "../system.ts";

/** The folder that an event's changes are looked for in. */
export interface Place {
  folder: string;
  /** It looks like the top of a repository's work tree. */
  isRepository: boolean;
}

/** Whether a file differs because it is gone. */
type Moved = ReadonlyMap<string, { removed: boolean }>;

/** The workspace's own repository, or one inside it. All names are relative to the workspace. */
export interface RepositoryNow {
  /** Empty for the workspace's own, else its folder with a slash behind it. */
  prefix: string;
  /** Absent: it has no commits, or there is no repository. */
  head?: string;
  /** Each file that differs from the head, with what a change of it would change. */
  dirty: ReadonlyMap<string, string>;
  /**
   * Files that differ between this commit (none: nothing at all) and the head: all of the head's, where git no longer has
   * the commit. Throws an Error that says why git cannot tell.
   */
  movedSince(commit: string | undefined): Promise<Moved>;
  /** The newest of its commits that is older than this moment. Throws like movedSince. */
  newestBefore(when: Instant): Promise<string | undefined>;
}
export interface Look {
  base: string;
  /** There is a repository, and git could not be asked: what git knew of it stays true. */
  withoutGit?: true;
  repositories: readonly RepositoryNow[];
  /** Files and folders that were not looked at, because there are too many. */
  leftOut: number;
}

/** Commits that a session begins with. */
export type Marks = Pick<Baseline, "begun" | "inside">;

/** Looks at workspaces. Never rejects. */
export interface ChangeFinder {
  marks(place: Place): Promise<Marks>;
  /** @param begun when the session began: without a repository only what is newer counts */
  look(place: Place, begun: Instant): Promise<Look | { unknown: string }>;
  /** The place will be looked at again: a finder that can prepares for it. */
  expect?(place: Place): void;
  close(): Promise<void>;
}

export const gone = "gone";

/**
 * Identity, size and times of a file, to the nanosecond where the file system has them. The time of the last change of
 * the inode shows a rewrite with the same size whose author set the other time back.
 */
export function signatureOf(path: string): string {
  try {
    const found = lstatSync(pathOf(path), { bigint: true, throwIfNoEntry: false });
    if (!found || found.isDirectory()) return gone;
    return `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "?";
    return code === "ENOTDIR" ? gone : code; // it may not be read, say
  }
}

const slice = 500;

/** Signatures of many files, with pauses, so that other work is not held up. Names are relative to the folder. */
export async function signaturesOf(folder: string, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (index > 0 && index % slice === 0) await nextTurn();
    found.set(name, signatureOf(join(folder, name)));
  }
  return found;
}

/**
 * What has changed since the baseline (R57). Without one, the session begins with this look.
 *
 * @throws an Error that says why git cannot tell
 */
export async function changesSince(baseline: Baseline | undefined, look: Look): Promise<Changes> {
  const known = new Map(Object.entries(baseline?.files ?? {}));
  const sorted: Sorted = { files: new Set(), earlier: new Set(), removed: new Set() };
  for (const repository of look.repositories) await sortOut(repository, { baseline, known, base: look.base }, sorted);
  return {
    base: look.base,
    files: [...sorted.files].sort(),
    earlier: [...sorted.earlier].filter((name) => !sorted.files.has(name)).sort(),
    removed: [...sorted.removed].sort(),
    ...(look.leftOut > 0 ? { truncated: look.leftOut } : {}),
  };
}

type Sorted = { [K in "files" | "earlier" | "removed"]: Set<string> };
interface Before {
  baseline: Baseline | undefined;
  known: ReadonlyMap<string, string>;
  base: string;
}

async function sortOut(now: RepositoryNow, { baseline, known, base }: Before, sorted: Sorted): Promise<void> {
  const { begun, head } = await marksOf(baseline, now);
  for (const [name, signature] of now.dirty) {
    sorted[known.get(name) === signature ? "earlier" : "files"].add(name);
    if (signature === gone) sorted.removed.add(name);
  }
  const sinceLook = await now.movedSince(head);
  const sinceBegun = begun === head ? sinceLook : await now.movedSince(begun);
  for (const [name, { removed }] of [...sinceBegun, ...sinceLook]) {
    if (now.dirty.has(name)) continue;
    const signature = removed || known.has(name) ? signatureOf(join(base, name)) : undefined;
    // What was committed as the hooks have seen it has not changed since. What they saw uncommitted has, if it is now as a
    // commit of the session left it.
    const mayBeNew = sinceLook.has(name) || known.has(name);
    const isNew = mayBeNew && (signature === undefined || known.get(name) !== signature);
    sorted[isNew ? "files" : "earlier"].add(name);
    if (signature === gone) sorted.removed.add(name);
  }
}

type Compared = Pick<Baseline, "begun" | "head">;

/** What is compared with. A repository that came in the session begins with what is older, as a clone's commits are. */
async function marksOf(baseline: Baseline | undefined, now: RepositoryNow): Promise<Compared> {
  const from = (begun: string | undefined): Compared => (begun === undefined ? {} : { begun, head: begun });
  if (!baseline) return from(now.head);
  if (now.prefix === "") return baseline;
  return baseline.inside?.[now.prefix] ?? from(await now.newestBefore(baseline.at.begun));
}

/** What the next look is compared with. @throws an Error that says why git cannot tell */
export async function baselineAfter(look: Look, before: Baseline, now: Instant): Promise<Baseline> {
  const at = { begun: before.at.begun, last: now };
  const files = Object.fromEntries(look.repositories.flatMap(({ dirty }) => [...dirty]));
  if (look.withoutGit) return { ...before, at, files: { ...before.files, ...files } };
  const inside: NonNullable<Baseline["inside"]> = {};
  const next: Baseline = { ...(before.begun === undefined ? {} : { begun: before.begun }), at, files };
  for (const repository of look.repositories) {
    const { begun } = await marksOf(before, repository);
    const head = repository.head === undefined ? {} : { head: repository.head };
    if (repository.prefix === "") Object.assign(next, head);
    else inside[repository.prefix] = { ...(begun === undefined ? {} : { begun }), ...head };
  }
  return Object.keys(inside).length > 0 ? { ...next, inside } : next;
}

// How a repository is now, by one `git status`, and which files differ between two of its commits.

/** Names are literal, records end in NUL, and nothing else is opened: repositories inside are asked one by one. */
const statusWords: readonly string[] = [
  "--literal-pathspecs",
  "status",
  ..."--porcelain=v2 --branch --no-ahead-behind -z --untracked-files=all --no-renames --ignore-submodules=all".split(
    " ",
  ),
];

interface Status {
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

type HistoryOf = (head: string | undefined, options?: GitOptions) => Pick<RepositoryNow, "movedSince" | "newestBefore">;

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
