/** Hook sets for processes that stay: one per folder, loaded again as soon as a file that they depend on has changed. */
import type { MaybePromise } from "../core/event.ts";
import type { LoadedHooks } from "./load.ts";
import { stateOf } from "./path-state.ts";
import type { StableLoad } from "./stable-load.ts";

export interface HookSource<T extends LoadedHooks> {
  /** The hooks that are in force in this folder now: at once, unless files have changed. Never throws. */
  at(cwd: string): MaybePromise<T>;
  /** Those that `at` last gave for this folder. */
  known(cwd: string): T | undefined;
  /** Everything is loaded again when it is next asked for: what it was compiled with has changed. */
  forget(): void;
}

/** Folders remembered at once; a process that walks through more starts over. */
const foldersAtMost = 64;

/**
 * @param load loads a folder's hooks; `expected` are the paths that it looked at the last time. Never rejects
 * @param atMost folders remembered at once
 */
export function createHookSource<T extends LoadedHooks>(
  load: (cwd: string, expected: readonly string[]) => Promise<StableLoad<T>>,
  atMost: number = foldersAtMost,
): HookSource<T> {
  const known = new Map<string, StableLoad<T>>();
  const loading = new Map<string, Promise<T>>();
  let generation = 0;

  async function refresh(cwd: string): Promise<T> {
    const begun = generation;
    const fresh = await load(cwd, known.get(cwd)?.loaded.watched ?? []);
    if (begun !== generation) return refresh(cwd);
    if (known.size >= atMost) known.clear();
    known.set(cwd, fresh);
    return fresh.loaded;
  }

  return {
    at(cwd) {
      const held = known.get(cwd);
      if (held && stateOf(held.loaded.watched) === held.state) return held.loaded;
      const begun = loading.get(cwd);
      if (begun) return begun;
      const work = refresh(cwd).finally(() => loading.delete(cwd));
      loading.set(cwd, work);
      return work;
    },
    known: (cwd) => known.get(cwd)?.loaded,
    forget() {
      generation += 1;
      known.clear();
    },
  };
}
