/** Hook sets for processes that stay: one per folder, loaded again as soon as a file that they depend on has changed. */
import { type LoadedHooks, type LoadRequest, loadHooks } from "./load.ts";
import { stateOf } from "./path-state.ts";

export interface HookSource {
  /** The hooks that are in force in this folder now. Never throws. */
  at(cwd: string): LoadedHooks;
}

/** Folders remembered at once; a process that walks through more starts over. */
const foldersAtMost = 64;

interface Held {
  loaded: LoadedHooks;
  /** Of everything that it was loaded from, as it was before. */
  state: string;
}

export function createHookSource(request: Omit<LoadRequest, "cwd">): HookSource {
  const known = new Map<string, Held>();
  return {
    at(cwd) {
      const held = known.get(cwd);
      const state = held && stateOf(held.loaded.watched);
      if (held && state === held.state) return held.loaded;
      const fresh = loadStable(() => loadHooks({ ...request, cwd }), held?.loaded.watched ?? []);
      if (known.size >= foldersAtMost) known.clear();
      known.set(cwd, fresh);
      return fresh.loaded;
    },
  };
}

/** Files that change faster are loaded again the next time. */
const triesAtMost = 3;

/**
 * Loads between two looks at the same paths: the state is older than what was read, so an edit in between is seen the
 * next time. Which paths those are is only known afterwards, so new ones cost another round.
 */
function loadStable(load: () => LoadedHooks, expected: readonly string[]): Held {
  let watched = expected;
  for (let tries = 1; ; tries++) {
    const state = stateOf(watched);
    const loaded = load();
    if (isSame(loaded.watched, watched)) return { loaded, state };
    if (tries === triesAtMost) return { loaded, state: "" };
    watched = loaded.watched;
  }
}

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((path, index) => path === right[index]);
