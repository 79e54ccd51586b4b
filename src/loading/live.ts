/** Hook sets for processes that stay: one per folder, loaded again as soon as a file that they depend on has changed. */
import { statSync } from "node:fs";
import { dropOldest } from "../engine/drop-oldest.ts";
import type { Instant, MaybePromise } from "../engine/event.ts";
import { type Hook, type HookSet, isGuard } from "../engine/hook.ts";
import { watchPaths } from "../files/watch-paths.ts";
import { type StableLoad, stateOf } from "./compiled.ts";
import { guardsToKeep, type History, type HoldsNone, isWholeFile } from "./last-good-guards.ts";
import type { LoadedHooks } from "./load.ts";
import { hookSetOf } from "./order.ts";

export interface HookSource<T extends LoadedHooks> {
  /** The hooks that are active in this folder now: at once, unless files have changed. Never throws. */
  at(cwd: string): MaybePromise<T>;
  /** Those that `at` last gave for this folder. */
  known(cwd: string): T | undefined;
  /** Everything is loaded again when it is next asked for: what it was compiled with has changed. */
  forget(): void;
  /** Calls `ear` when files of known folders may have changed, until it is undone. Silent where the system does not report changes. */
  listen(ear: () => void): () => void;
  /** Nothing was heard of this folder since `at`, and of a change it would have been. */
  isHeard(cwd: string): boolean;
  /** Watches nothing any more. Safe to call twice. */
  close(): void;
}

/** Folders remembered at once; of more, the one that was loaded first goes. */
const foldersAtMost = 64;
/** So often the files are looked at although nothing was heard of a change. */
const looksAgainAfter = 1_000;

export interface SourceOptions {
  /** Folders remembered at once. */
  atMost?: number;
  /**
   * Files are looked at when the system reports a change, instead of every time. For a process that others change files
   * for: the system reports its own writes only in the next turn of its event loop.
   */
  watches?: boolean;
}

const never = Number.NEGATIVE_INFINITY;

interface Held<T extends LoadedHooks> extends StableLoad<T> {
  lookedAt: number;
  isForgotten: boolean;
}

/**
 * @param load loads a folder's hooks; `expected` are the paths that it looked at the last time, `before` what that gave. Never rejects
 */
export function createHookSource<T extends LoadedHooks>(
  load: (cwd: string, expected: readonly string[], before: T | undefined) => Promise<StableLoad<T>>,
  { atMost = foldersAtMost, watches = false }: SourceOptions = {},
): HookSource<T> {
  const known = new Map<string, Held<T>>();
  const loading = new Map<string, Promise<T>>();
  const ears = new Set<() => void>();
  const heard = (): void => {
    for (const ear of ears) ear();
  };
  const paths = watches ? watchPaths({ changed: heard }) : undefined;
  let generation = 0;

  async function refresh(cwd: string): Promise<T> {
    const begun = generation;
    const before = known.get(cwd)?.loaded;
    const fresh = await load(cwd, before?.watched ?? [], before);
    if (begun !== generation) return refresh(cwd);
    const loaded = sharing(fresh.loaded, known.values());
    known.delete(cwd);
    const held = { ...fresh, loaded, lookedAt: never, isForgotten: false };
    known.set(cwd, held);
    if (paths) isAsItWas(cwd, held); // else a change of its files is not heard before `at` is next called
    dropOldest(known, atMost, drop);
    return loaded;
  }

  function drop(cwd: string): void {
    known.delete(cwd);
    paths?.drop(cwd);
  }

  /** They are watched before they are looked at, so that nothing happens in between unseen. */
  function isAsItWas(cwd: string, held: Held<T>): boolean {
    if (held.isForgotten) return false;
    const now = performance.now();
    const isQuiet = held.lookedAt !== never && paths?.isQuiet(cwd) === true;
    if (isQuiet && now - held.lookedAt < looksAgainAfter) return true;
    const { watched } = held.loaded;
    if (!isQuiet) paths?.follow(cwd, watched);
    held.lookedAt = stateOf(watched) === held.state ? now : never;
    return held.lookedAt !== never;
  }

  return {
    at(cwd) {
      const held = known.get(cwd);
      if (held && isAsItWas(cwd, held)) return held.loaded;
      const begun = loading.get(cwd);
      if (begun) return begun;
      const work = refresh(cwd).finally(() => loading.delete(cwd));
      loading.set(cwd, work);
      return work;
    },
    known: (cwd) => known.get(cwd)?.loaded,
    forget() {
      generation += 1;
      for (const held of known.values()) held.isForgotten = true;
    },
    listen(ear) {
      ears.add(ear);
      return () => void ears.delete(ear);
    },
    isHeard(cwd) {
      const held = known.get(cwd);
      return held !== undefined && !held.isForgotten && held.lookedAt !== never && paths?.isQuiet(cwd) === true;
    },
    close() {
      ears.clear();
      paths?.close();
    },
  };
}

/**
 * Folders of one project mostly have the same hooks: then they have one set of them, and what is compiled from it. Not where
 * modules give hooks: what those do shows in no set.
 */
function sharing<T extends LoadedHooks>(fresh: T, others: Iterable<Held<T>>): T {
  if (fresh.modules.length > 0) return fresh;
  for (const { loaded, isForgotten } of others)
    if (!isForgotten && loaded.set.id === fresh.set.id && loaded.modules.length === 0)
      return { ...fresh, set: loaded.set };
  return fresh;
}

/** Editors empty a file before they fill it, or move it away before they put the new one there. */
const stillAfter = 500;

type Load<T extends LoadedHooks> = (
  cwd: string,
  expected: readonly string[],
  kept?: readonly Hook[],
) => Promise<StableLoad<T>>;

/**
 * Loads for a process that stays, in which no guard lapses while a person edits its file: a broken one keeps its last good
 * guards, also where no event has put them into the store, and those of a file that has gone stay until it has held still.
 *
 * @param load never rejects, and neither does what is given
 */
export function keepingGuards<T extends LoadedHooks>(
  load: Load<T>,
  { store, holdsNone, now = Date.now }: { store: History; holdsNone?: HoldsNone; now?: () => Instant },
): (cwd: string, expected: readonly string[], before: T | undefined) => Promise<StableLoad<T>> {
  const gone = new Map<string, Instant>();
  /** Files whose last good form had no guard: a set does not say so of a file without hooks. */
  const without = new Set<string>();
  return async (cwd, expected, before) => {
    const found = await load(cwd, expected);
    const guarded = new Set(found.loaded.set.hooks.filter(isGuard).map(({ origin }) => origin.file));
    for (const { path, broken } of found.loaded.files) {
      if (guarded.has(path)) without.delete(path);
      else if (!broken) without.add(path);
    }
    const knownWithout: HoldsNone = (path) => without.has(path) || (holdsNone?.(path) ?? false);
    const history = before ? remembering(before.set, store) : store;
    const kept = await guardsToKeep(found.loaded, history, knownWithout);
    if (kept.length === 0) return before ? withUnsettled(found, before.set, { gone, now: now() }) : found;
    const mended = await load(cwd, found.loaded.watched, kept);
    // What `check` finds shows in no file that is followed.
    if (kept.some(isWholeFile)) return { ...mended, state: "" };
    return before ? withUnsettled(mended, before.set, { gone, now: now() }) : mended;
  };
}

/** What is active counts as the newest, whatever can be said of the store. */
const remembering = (set: HookSet, store: History): History => ({
  async recentHookSets(events) {
    try {
      return [set.id, ...(await store.recentHookSets(events))];
    } catch {
      return [set.id]; // it is locked or full: what the process itself knows is there all the same
    }
  },
  hookSet: (id) => (id === set.id ? set : store.hookSet(id)),
});

interface Seen {
  /** Since when files are missing. */
  gone: Map<string, Instant>;
  now: Instant;
}

/** A load that may be believed for now; it is done again when it is next asked for. */
function withUnsettled<T extends LoadedHooks>(found: StableLoad<T>, before: HookSet, seen: Seen): StableLoad<T> {
  const { set } = found.loaded;
  const left = guardsByFile(before);
  const still = guardsByFile(set);
  const ids = new Set(set.hooks.map(({ id }) => id));
  const missing = [...left].flatMap(([file, guards]) => {
    if (guards.length > (still.get(file)?.length ?? 0))
      return isUnsettled(file, seen) ? guards.filter(({ id }) => !ids.has(id)) : [];
    seen.gone.delete(file); // it is back: when it goes again, that is another time
    return [];
  });
  if (missing.length === 0) return found;
  return {
    state: "",
    loaded: { ...found.loaded, set: hookSetOf([...set.hooks, ...missing], set.workspace, set.shell) },
  };
}

function guardsByFile({ hooks }: HookSet): Map<string, Hook[]> {
  const guards = new Map<string, Hook[]>();
  for (const hook of hooks) {
    const { file } = hook.origin;
    if (file === undefined || !isGuard(hook)) continue;
    const known = guards.get(file);
    if (known) known.push(hook);
    else guards.set(file, [hook]);
  }
  return guards;
}

function isUnsettled(file: string, { gone, now }: Seen): boolean {
  const changed = changedAt(file);
  const since = changed ?? gone.get(file) ?? now;
  const isSettled = Math.abs(now - since) >= stillAfter;
  if (changed === undefined && !isSettled) gone.set(file, since);
  else gone.delete(file);
  return !isSettled;
}

function changedAt(file: string): Instant | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.ctimeMs;
  } catch {
    return undefined; // its folder is none any more
  }
}
