/** Hook sets for processes that stay: one per folder, loaded again as soon as a file that they depend on has changed. */
import { statSync } from "node:fs";
import { type LoadedHooks, type LoadRequest, loadHooks } from "./load.ts";

export interface HookSource {
  /** The hooks that are in force in this folder now. Never throws. */
  at(cwd: string): LoadedHooks;
}

/** Folders remembered at once; a process that walks through more starts over. */
const foldersAtMost = 64;

export function createHookSource(request: Omit<LoadRequest, "cwd">): HookSource {
  const known = new Map<string, { loaded: LoadedHooks; state: string }>();
  return {
    at(cwd) {
      const held = known.get(cwd);
      if (held && stateOf(held.loaded.watched) === held.state) return held.loaded;
      const loaded = loadHooks({ ...request, cwd });
      if (known.size >= foldersAtMost) known.clear();
      known.set(cwd, { loaded, state: stateOf(loaded.watched) });
      return loaded;
    },
  };
}

/** Identity, size and times of every path, there or not. */
const stateOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : "-";
    })
    .join(" ");
