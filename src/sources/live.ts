/** Hook sets for processes that stay: one per folder, loaded again as soon as a file that they depend on has changed. */
import { type LoadedHooks, type LoadRequest, loadHooks } from "./load.ts";
import { stateOf } from "./path-state.ts";
import { loadStable, type StableLoad } from "./stable-load.ts";

export interface HookSource {
  /** The hooks that are in force in this folder now. Never throws. */
  at(cwd: string): LoadedHooks;
}

/** Folders remembered at once; a process that walks through more starts over. */
const foldersAtMost = 64;

export function createHookSource(request: Omit<LoadRequest, "cwd">): HookSource {
  const known = new Map<string, StableLoad>();
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
