/** Hook sets for processes that stay: one per folder, loaded again as soon as a file that they depend on has changed. */
import { dropOldest } from "../engine/drop-oldest.ts";
import type { MaybePromise } from "../engine/event.ts";
import { watchPaths } from "../files/watch-paths.ts";
import { type StableLoad, stateOf } from "./compiled.ts";
import type { LoadedHooks } from "./load.ts";

export interface HookSource<T extends LoadedHooks> {
  /** The hooks that are in force in this folder now: at once, unless files have changed. Never throws. */
  at(cwd: string): MaybePromise<T>;
  /** Those that `at` last gave for this folder. */
  known(cwd: string): T | undefined;
  /** Everything is loaded again when it is next asked for: what it was compiled with has changed. */
  forget(): void;
  /** Hears that files of folders that are known may have changed, until it is undone. Where nobody tells of that, it is silent. */
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
   * Files are looked at when the system tells of a change, instead of every time. For a process that others change files
   * for: of what it has just written itself it is not told before the next turn of its event loop.
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
    if (paths) isAsItWas(cwd, held); // else nobody hears of its files before they are next asked for
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
