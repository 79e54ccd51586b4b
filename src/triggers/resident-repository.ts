/**
 * One repository whose changed files are kept up to date by watches, for processes that stay. Git is asked again about what
 * was touched, in the background; a question waits only for what has not been asked yet.
 */
import { dirname } from "node:path";
import type { Git, Repository } from "../processes/git.ts";
import { type RepositoryNow, signaturesOf } from "./look.ts";
import { watchOwnFiles } from "./own-files.ts";
import { createMoved, prefixed, readRepository, statusOf, submodulesOf, textOf } from "./repository-now.ts";
import { createWatchedFolders } from "./watched-folders.ts";
import type { Witness } from "./witness.ts";

export interface ResidentRepository {
  /** It and those inside it as they are now. Throws an Error that says why it cannot be kept up to date. */
  now(): Promise<RepositoryNow[]>;
  folders(): number;
  close(): void;
}
export interface ResidentOptions {
  git: Git;
  repository: Repository;
  witness: Witness;
  prefix?: string;
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

/** folders: what is watched may be wrong as well. */
type Stale = "files" | "folders";

interface Snapshot {
  head?: string;
  /** Relative to the top of the work tree. Replaced, never changed. */
  dirty: ReadonlyMap<string, string>;
  /** What HEAD led to before git was asked. */
  refs: string;
}

export function createResidentRepository({
  git,
  repository,
  witness,
  prefix = "",
}: ResidentOptions): ResidentRepository {
  const { top } = repository;
  const touched = new Set<string>();
  const shifted = new Set<string>();
  const moved = createMoved(repository, prefix);
  const inner = new Map<string, ResidentRepository>();
  let stale: Stale | undefined = "folders";
  let snapshot: Snapshot | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rest = restInMilliseconds;
  let burst = 0;
  let isClosed = false;

  const folders = createWatchedFolders({ top, ignored, touched: onTouched });
  const own = watchOwnFiles(repository, (what) => {
    stale = what === "rules" ? "folders" : (stale ?? "files");
    schedule();
  });

  async function ignored(names: readonly string[]): Promise<ReadonlySet<string>> {
    const input = names.map((name) => `./${name}/\0`).join(""); // so that no name is read as a pattern
    const answer = await repository.ask(["check-ignore", "-z", "--stdin"], { input });
    if (!answer.ok && answer.code === 1) return new Set(); // none
    return new Set(
      textOf(answer)
        .split("\0")
        .map((name) => name.replace(/^\.\/|\/$/g, "")),
    );
  }

  function onTouched(name: string | undefined, isShift: boolean): void {
    if (burst++ === 0) setImmediate(() => (burst = 0));
    const base = name?.slice(name.lastIndexOf("/") + 1);
    if (name === ".git") return; // what it holds is watched for itself
    if (name === undefined || burst > eventsAtMost || rules.has(base ?? "")) {
      stale = "folders";
    } else {
      touched.add(name);
      if (isShift) shifted.add(name);
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
    own.follow();
    const refs = own.refs();
    const depth = staleness(refs);
    const [names, moves] = [[...touched], [...shifted]];
    touched.clear();
    shifted.clear();
    stale = undefined;
    try {
      if (depth === "folders") await assertUsable();
      if (depth === "folders" || moves.length > shiftedAtMost) await folders.follow([""]);
      else if (moves.length > 0) await folders.follow(outermost(moves));
      if (depth || !snapshot || names.length > pathsAtMost) await readAll(refs);
      else if (names.length > 0) snapshot = await readSome(snapshot, names);
    } catch (error) {
      stale = "folders";
      throw error;
    }
  }

  /** Its configuration may have moved its work tree elsewhere. */
  async function assertUsable(): Promise<void> {
    const again = await git.repositoryAt(top);
    if ("none" in again) throw new Error(again.none);
  }

  function staleness(refs: string): Stale | undefined {
    if (!snapshot) return "folders";
    return stale ?? (refs === snapshot.refs ? undefined : "files");
  }

  async function readAll(refs: string): Promise<void> {
    // A file that is tracked although it is ignored lies in a folder that is not watched for anything else.
    const forced = textOf(await repository.ask(["ls-files", "-z", "-c", "-i", "--exclude-standard"]));
    folders.add(new Set(forced.split("\0").filter(Boolean).map(folderOf)));
    const { now, leftOut } = await readRepository(repository, "");
    if (leftOut > 0) throw new Error(`${leftOut} more files differ than are kept`);
    snapshot = { ...(now.head === undefined ? {} : { head: now.head }), dirty: now.dirty, refs };
    await openInner();
  }

  async function readSome(before: Snapshot, names: readonly string[]): Promise<Snapshot> {
    const asked = new Set(names);
    const status = await statusOf(repository, names);
    const kept = [...before.dirty].filter(([name]) => !liesIn(name, asked));
    return { ...before, dirty: new Map([...kept, ...(await signaturesOf(top, status.names))]) };
  }

  async function openInner(): Promise<void> {
    const found = await submodulesOf(git, repository);
    for (const [folder, one] of inner) {
      if (found.some((other) => other.folder === folder)) continue;
      one.close();
      inner.delete(folder);
    }
    for (const { folder, repository: submodule } of found) {
      if (inner.has(folder) || isClosed) continue;
      const options = { git, repository: submodule, witness, prefix: `${prefix}${folder}/` };
      inner.set(folder, createResidentRepository(options));
    }
  }

  const isCurrent = (): boolean =>
    !running && touched.size === 0 && snapshot !== undefined && staleness(own.refs()) === undefined;

  /** What was begun before may have missed something, so up to two more follow. */
  async function current(): Promise<Snapshot> {
    for (let round = 0; round < 3 && !isCurrent(); round++) await bring();
    if (!snapshot || isClosed) throw new Error("it is no longer watched");
    return snapshot;
  }

  return {
    async now() {
      if (!(await witness.synced())) stale = "folders";
      const { head, dirty } = await current();
      const below = await Promise.all([...inner.values()].map((one) => one.now()));
      const itself: RepositoryNow = {
        prefix,
        ...(head === undefined ? {} : { head }),
        dirty: prefixed(dirty, prefix),
        movedSince: moved(head),
      };
      return [itself, ...below.flat()];
    },
    folders: () => folders.count() + [...inner.values()].reduce((sum, one) => sum + one.folders(), 0),
    close() {
      isClosed = true;
      clearTimeout(timer);
      folders.close();
      own.close();
      for (const one of inner.values()) one.close();
    },
  };
}

const folderOf = (name: string): string => (name.includes("/") ? dirname(name) : "");

/** The file or a folder above it is one of these. */
function liesIn(name: string, places: ReadonlySet<string>): boolean {
  for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1))
    if (places.has(name.slice(0, end))) return true;
  return false;
}

const outermost = (names: readonly string[]): string[] => {
  const all = new Set(names);
  return names.filter((name) => !liesIn(folderOf(name), all));
};
