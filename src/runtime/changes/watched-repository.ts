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
import { createPace, type Pace } from "./pace.ts";
import { type HeadPlaces, refFilesOf } from "./tracking.ts";
import { createWatchedFolders, type Touch, type WatchedFolders } from "./watched-folders.ts";

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

/** What is known of the repository, and what is to be asked again. */
interface State {
  options: WatchedRepositoryOptions;
  /** As it was found last. */
  repository: Repository;
  history: ReturnType<typeof createHistory>;
  folders: WatchedFolders;
  own: PathWatch | undefined;
  inner: Map<string, WatchedRepository>;
  /** Names that were reported since git was asked; of those what came or went, and which folders went. */
  touched: Set<string>;
  shifted: Set<string>;
  parted: Set<string>;
  stale: Stale | undefined;
  snapshot: Snapshot | undefined;
  /** Events of this turn. */
  burst: number;
  isClosed: boolean;
  pace: Pace;
}

export function createWatchedRepository(options: WatchedRepositoryOptions): WatchedRepository {
  const { synced, prefix = "" } = options;
  const { repository } = options;
  const { top } = repository;
  const state: State = {
    ...{ options, repository, history: createHistory(repository, prefix), own: undefined, inner: new Map() },
    ...{ touched: new Set(), shifted: new Set(), parted: new Set(), stale: "folders", snapshot: undefined },
    ...{ burst: 0, isClosed: false, pace: createPace(() => work(state)) },
    folders: createWatchedFolders({
      top,
      ignored: (names) => ignored(state, names),
      apart: (names) => foldersApart(state.repository, names),
      touched: (name, how) => onTouched(state, name, how),
    }),
  };
  const { inner, folders, pace } = state;
  return {
    async now() {
      if (!(await synced())) state.stale = "folders";
      const { head, dirty } = await current(state);
      const inOrder = [...inner].sort(([left], [right]) => (left < right ? -1 : 1)); // whenever each was found
      const below = await Promise.all(inOrder.map(([, one]) => one.now()));
      const itself: RepositoryNow = {
        prefix,
        ...(head === undefined ? {} : { head }),
        dirty: prefixed(dirty, prefix),
        ...state.history(head),
      };
      return [itself, ...below.flat()];
    },
    folders: () => folders.count() + [...inner.values()].reduce((sum, one) => sum + one.folders(), 0),
    close() {
      state.isClosed = true;
      pace.close();
      folders.close();
      state.own?.close();
      for (const one of inner.values()) one.close();
    },
  };
}

/** What was begun before may have missed something, so up to two more follow. */
async function current(state: State): Promise<Snapshot> {
  for (let round = 0; round < 3 && !isCurrent(state); round++) await state.pace.now();
  if (!state.snapshot || state.isClosed) throw new Error("it is no longer watched");
  return state.snapshot;
}

const isCurrent = ({ pace, touched, snapshot, stale }: State): boolean =>
  !pace.isRunning() && touched.size === 0 && snapshot !== undefined && stale === undefined;

async function ignored(state: State, names: readonly string[]): Promise<ReadonlySet<string>> {
  const input = bytesOfNames(names.map((name) => `./${name}/\0`).join("")); // so that no name is read as a pattern
  const answer = await state.repository.ask(["check-ignore", "-z", "--stdin"], { input });
  if (!answer.ok && answer.code === 1) return new Set(); // none
  return new Set(
    textOf(answer)
      .split("\0")
      .map((name) => name.replace(/^\.\/|\/$/g, "")),
  );
}

function onTouched(state: State, name: string | undefined, how: Touch): void {
  const { touched, shifted, parted } = state;
  if (state.burst++ === 0) setImmediate(() => (state.burst = 0));
  const base = name?.slice(name.lastIndexOf("/") + 1);
  if (name === ".git" && how === "written") return; // what it holds is watched for itself
  if (name === undefined || name === ".git" || state.burst > eventsAtMost || rules.has(base ?? "")) {
    state.stale = "folders";
  } else {
    touched.add(name);
    if (how !== "written") shifted.add(name);
    if (how === "parted") parted.add(name);
  }
  state.pace.soon();
}

async function work(state: State): Promise<void> {
  const { touched, shifted, parted, folders, inner } = state;
  const depth = state.snapshot ? state.stale : "folders";
  const [names, moves, parts, before] = [[...touched], [...shifted], [...parted], state.snapshot];
  for (const names of [touched, shifted, parted]) names.clear();
  state.stale = undefined;
  try {
    if (depth === "folders") await open(state);
    followOwn(state);
    if (depth === "folders" || moves.length > shiftedAtMost) await folders.follow([""]);
    else if (moves.length > 0) await folders.follow(outermost(moves));
    const isAskable = names.length <= pathsAtMost && names.every(isPlainText); // words for a program are texts
    if (depth || !before || !isAskable) state.snapshot = await readAll(state);
    else if (names.length > 0) state.snapshot = await readSome(state, before, names);
    const lost = [...inner.keys()].filter((folder) => liesIn(folder, new Set(moves)));
    if (state.snapshot?.apart !== before?.apart || parts.length + lost.length > 0) await bringInner(state, lost);
  } catch (error) {
    state.stale = "folders";
    throw error;
  }
}

/** Its configuration may have moved its work tree elsewhere, and another repository may have come in its place. */
async function open(state: State): Promise<void> {
  const { options } = state;
  const again = await options.git.repositoryAt(options.repository.top);
  if ("none" in again) throw new Error(again.none);
  if (state.isClosed) return;
  state.repository = again;
  state.history = createHistory(again, options.prefix ?? "");
  state.own?.close();
  state.own = watchPaths({
    bases: [state.repository.gitFolder, state.repository.commonFolder],
    changed(what) {
      state.stale = what === "rules" ? "folders" : (state.stale ?? "files");
      state.pace.soon();
    },
  });
}

/** Also what HEAD leads to now. @throws an Error that says why not all of them can be watched */
function followOwn(state: State): void {
  for (const what of ownChanges) {
    if (!state.own || state.own.isQuiet(what)) continue;
    const refusal = state.own.follow(what, ownFiles[what](state.repository));
    if (refusal !== undefined) throw new Error(refusal);
  }
}

async function readAll(state: State): Promise<Snapshot> {
  const { folders } = state;
  await folders.review();
  // A file that is tracked although it is ignored lies in a folder that is not watched for anything else.
  const forced = textOf(await state.repository.ask(["ls-files", "-z", "-c", "-i", "--exclude-standard"]));
  folders.add(new Set(forced.split("\0").filter(Boolean).map(folderOf)));
  const { now, apart } = await readRepository(state.repository, "");
  const { head, dirty } = now;
  return { ...(head === undefined ? {} : { head }), dirty, apart: new Set(apart) };
}

async function readSome(state: State, before: Snapshot, names: readonly string[]): Promise<Snapshot> {
  const asked = new Set(names);
  const status = await statusOf(state.repository, outermost(names)); // a name inside another repository hides that one from git
  const kept = [...before.dirty].filter(([name]) => !liesIn(name, asked));
  const apart = new Set([...[...before.apart].filter((name) => !liesIn(name, asked)), ...status.apart]);
  const isSame = apart.size === before.apart.size && [...apart].every((name) => before.apart.has(name));
  const dirty = new Map([...kept, ...(await signaturesOf(state.options.repository.top, status.names))]);
  return { ...before, dirty, apart: isSame ? before.apart : apart };
}

/** @param lost where something was moved, so that another one may lie there */
async function bringInner(state: State, lost: readonly string[]): Promise<void> {
  const { options, inner } = state;
  const { git, prefix = "", levels = levelsAtMost, complain } = options;
  const asked = { git, apart: state.snapshot?.apart ?? [], ...(complain ? { complain } : {}) };
  const found = levels === 0 ? [] : await innerRepositories(state.repository, asked);
  for (const [folder, one] of inner) {
    if (found.some((other) => other.folder === folder) && !lost.includes(folder)) continue;
    one.close();
    inner.delete(folder);
  }
  for (const { folder, repository: one } of found) {
    if (inner.has(folder) || state.isClosed) continue;
    const below = { ...options, repository: one, prefix: `${prefix}${folder}/`, levels: levels - 1 };
    inner.set(folder, createWatchedRepository(below));
  }
}

const outermost = (names: readonly string[]): string[] => {
  const all = new Set(names);
  return names.filter((name) => !liesIn(folderOf(name), all));
};
