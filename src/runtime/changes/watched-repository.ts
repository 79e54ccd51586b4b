/**
 * One repository whose changed files are kept up to date by watches, for processes that stay. Git is asked again about what
 * was touched, in the background; a question waits only for what has not been asked yet.
 */
import { join } from "node:path";
import { bytesOfNames, isPlainText } from "../../files/names.ts";
import { type PathWatch, watchPaths } from "../../files/watch-paths.ts";
import type { Git, Repository } from "../processes/git.ts";
import { foldersApart, innerRepositories, levelsAtMost } from "./cold.ts";
import {
  createHistory,
  folderOf,
  liesIn,
  prefixed,
  type RepositoryNow,
  readRepository,
  signaturesOf,
  statusOf,
  textOf,
} from "./look.ts";
import { type HeadPlaces, refFilesOf } from "./tracking.ts";
import { createWatchedFolders, type Touch } from "./watched-folders.ts";

export interface WatchedRepository {
  /** It and those inside it as they are now. Throws an Error that says why it cannot be kept up to date. */
  now(): Promise<RepositoryNow[]>;
  folders(): number;
  close(): void;
}
interface WatchedRepositoryOptions {
  git: Git;
  repository: Repository;
  /** Whether every earlier change has been reported. Never rejects. */
  synced(): Promise<boolean>;
  prefix?: string;
  /** How deep repositories may lie in it. */
  levels?: number;
  /** Called with which of those inside are not looked at, and why. */
  complain?(reason: string): void;
}

/** One burst of events: the kernel's queue holds 16,384, and drops the rest in silence. */
const eventsAtMost = 4_000;
/** Above this, asking about all files is the cheaper way. */
const pathsAtMost = 500;
const shiftedAtMost = 100;
/** Between two questions to git in the background: a moment, or so many times what the last one took. */
const restInMilliseconds = 50;
const restPerWork = 10;
const longestRestInMilliseconds = 1_000;

/** Files of the work tree that say what git looks at. */
const rules: ReadonlySet<string> = new Set([".gitignore", ".gitattributes", ".gitmodules"]);

/** folders: what is watched may be wrong as well, and where the repository lies. */
type Stale = "files" | "folders";

interface Snapshot {
  head?: string;
  /** Relative to the top of the work tree. Replaced, never changed. */
  dirty: ReadonlyMap<string, string>;
  /** Folders that git leaves to another repository. The same set as long as they are the same. */
  apart: ReadonlySet<string>;
}

/**
 * A repository's own files, such as its index and its rules: git then answers otherwise although no file of the work tree has
 * changed. answers: `git status` says something else. rules: another folder may be ignored as well.
 */
const ownFiles: Readonly<Record<OwnChange, (places: HeadPlaces) => readonly string[]>> = {
  answers: ({ gitFolder, commonFolder }) => [
    ...["index", "HEAD"].map((name) => join(gitFolder, name)),
    ...["packed-refs", "reftable/tables.list"].map((name) => join(commonFolder, name)),
    ...refFilesOf({ gitFolder, commonFolder }),
  ],
  rules: (places) =>
    [places.gitFolder, places.commonFolder].flatMap((folder) =>
      ["config", "config.worktree", "info/exclude", "info/attributes", "info/sparse-checkout"].map((name) =>
        join(folder, name),
      ),
    ),
};
type OwnChange = "answers" | "rules";
const ownChanges: readonly OwnChange[] = ["answers", "rules"];

export function createWatchedRepository(options: WatchedRepositoryOptions): WatchedRepository {
  const { git, synced, prefix = "", levels = levelsAtMost, complain } = options;
  const { top } = options.repository;
  const touched = new Set<string>();
  const shifted = new Set<string>();
  const parted = new Set<string>();
  const inner = new Map<string, WatchedRepository>();
  let { repository } = options;
  let history = createHistory(repository, prefix);
  let own: PathWatch | undefined;
  let stale: Stale | undefined = "folders";
  let snapshot: Snapshot | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rest = restInMilliseconds;
  let burst = 0;
  let isClosed = false;

  const folders = createWatchedFolders({
    top,
    ignored,
    apart: (names) => foldersApart(repository, names),
    touched: onTouched,
  });

  async function ignored(names: readonly string[]): Promise<ReadonlySet<string>> {
    const input = bytesOfNames(names.map((name) => `./${name}/\0`).join("")); // so that no name is read as a pattern
    const answer = await repository.ask(["check-ignore", "-z", "--stdin"], { input });
    if (!answer.ok && answer.code === 1) return new Set(); // none
    return new Set(
      textOf(answer)
        .split("\0")
        .map((name) => name.replace(/^\.\/|\/$/g, "")),
    );
  }

  function onTouched(name: string | undefined, how: Touch): void {
    if (burst++ === 0) setImmediate(() => (burst = 0));
    const base = name?.slice(name.lastIndexOf("/") + 1);
    if (name === ".git" && how === "written") return; // what it holds is watched for itself
    if (name === undefined || name === ".git" || burst > eventsAtMost || rules.has(base ?? "")) {
      stale = "folders";
    } else {
      touched.add(name);
      if (how !== "written") shifted.add(name);
      if (how === "parted") parted.add(name);
    }
    schedule();
  }

  function schedule(): void {
    if (timer || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      bring().catch(() => {}); // the next question meets the same, and says so
    }, rest);
    timer.unref();
  }

  /** Catches up with what is known to have happened when it begins. */
  function bring(): Promise<void> {
    running ??= timed(work).finally(() => {
      running = undefined;
    });
    return running;
  }

  async function timed(task: () => Promise<void>): Promise<void> {
    const begun = performance.now();
    await task();
    const long = restPerWork * (performance.now() - begun);
    rest = Math.min(longestRestInMilliseconds, Math.max(restInMilliseconds, long));
  }

  async function work(): Promise<void> {
    const depth = snapshot ? stale : "folders";
    const [names, moves, parts, before] = [[...touched], [...shifted], [...parted], snapshot];
    for (const names of [touched, shifted, parted]) names.clear();
    stale = undefined;
    try {
      if (depth === "folders") await open();
      followOwn();
      if (depth === "folders" || moves.length > shiftedAtMost) await folders.follow([""]);
      else if (moves.length > 0) await folders.follow(outermost(moves));
      const isAskable = names.length <= pathsAtMost && names.every(isPlainText); // words for a program are texts
      if (depth || !before || !isAskable) snapshot = await readAll();
      else if (names.length > 0) snapshot = await readSome(before, names);
      const lost = [...inner.keys()].filter((folder) => liesIn(folder, new Set(moves)));
      if (snapshot?.apart !== before?.apart || parts.length + lost.length > 0) await bringInner(lost);
    } catch (error) {
      stale = "folders";
      throw error;
    }
  }

  /** Its configuration may have moved its work tree elsewhere, and another repository may have come in its place. */
  async function open(): Promise<void> {
    const again = await git.repositoryAt(top);
    if ("none" in again) throw new Error(again.none);
    if (isClosed) return;
    repository = again;
    history = createHistory(repository, prefix);
    own?.close();
    own = watchPaths({
      bases: [repository.gitFolder, repository.commonFolder],
      changed(what) {
        stale = what === "rules" ? "folders" : (stale ?? "files");
        schedule();
      },
    });
  }

  /** Also what HEAD leads to now. @throws an Error that says why not all of them can be watched */
  function followOwn(): void {
    for (const what of ownChanges) {
      if (!own || own.isQuiet(what)) continue;
      const refusal = own.follow(what, ownFiles[what](repository));
      if (refusal !== undefined) throw new Error(refusal);
    }
  }

  async function readAll(): Promise<Snapshot> {
    await folders.review();
    // A file that is tracked although it is ignored lies in a folder that is not watched for anything else.
    const forced = textOf(await repository.ask(["ls-files", "-z", "-c", "-i", "--exclude-standard"]));
    folders.add(new Set(forced.split("\0").filter(Boolean).map(folderOf)));
    const { now, apart } = await readRepository(repository, "");
    const { head, dirty } = now;
    return { ...(head === undefined ? {} : { head }), dirty, apart: new Set(apart) };
  }

  async function readSome(before: Snapshot, names: readonly string[]): Promise<Snapshot> {
    const asked = new Set(names);
    const status = await statusOf(repository, outermost(names)); // a name inside another repository hides that one from git
    const kept = [...before.dirty].filter(([name]) => !liesIn(name, asked));
    const apart = new Set([...[...before.apart].filter((name) => !liesIn(name, asked)), ...status.apart]);
    const isSame = apart.size === before.apart.size && [...apart].every((name) => before.apart.has(name));
    const dirty = new Map([...kept, ...(await signaturesOf(top, status.names))]);
    return { ...before, dirty, apart: isSame ? before.apart : apart };
  }

  /** @param lost where something was moved, so that another one may lie there */
  async function bringInner(lost: readonly string[]): Promise<void> {
    const asked = { git, apart: snapshot?.apart ?? [], ...(complain ? { complain } : {}) };
    const found = levels === 0 ? [] : await innerRepositories(repository, asked);
    for (const [folder, one] of inner) {
      if (found.some((other) => other.folder === folder) && !lost.includes(folder)) continue;
      one.close();
      inner.delete(folder);
    }
    for (const { folder, repository: one } of found) {
      if (inner.has(folder) || isClosed) continue;
      const below = { ...options, repository: one, prefix: `${prefix}${folder}/`, levels: levels - 1 };
      inner.set(folder, createWatchedRepository(below));
    }
  }

  const isCurrent = (): boolean => !running && touched.size === 0 && snapshot !== undefined && stale === undefined;

  /** What was begun before may have missed something, so up to two more follow. */
  async function current(): Promise<Snapshot> {
    for (let round = 0; round < 3 && !isCurrent(); round++) await bring();
    if (!snapshot || isClosed) throw new Error("it is no longer watched");
    return snapshot;
  }

  return {
    async now() {
      if (!(await synced())) stale = "folders";
      const { head, dirty } = await current();
      const inOrder = [...inner].sort(([left], [right]) => (left < right ? -1 : 1)); // whenever each was found
      const below = await Promise.all(inOrder.map(([, one]) => one.now()));
      const itself: RepositoryNow = {
        prefix,
        ...(head === undefined ? {} : { head }),
        dirty: prefixed(dirty, prefix),
        ...history(head),
      };
      return [itself, ...below.flat()];
    },
    folders: () => folders.count() + [...inner.values()].reduce((sum, one) => sum + one.folders(), 0),
    close() {
      isClosed = true;
      clearTimeout(timer);
      folders.close();
      own?.close();
      for (const one of inner.values()) one.close();
    },
  };
}

const outermost = (names: readonly string[]): string[] => {
  const all = new Set(names);
  return names.filter((name) => !liesIn(folderOf(name), all));
};
