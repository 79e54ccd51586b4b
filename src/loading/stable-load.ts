/** A load that nothing changed under: what is kept of it can be believed as long as its paths look as they did. */
import { statSync } from "node:fs";
import type { LoadedHooks } from "./load.ts";

export interface StableLoad<T extends Pick<LoadedHooks, "watched"> = LoadedHooks> {
  loaded: T;
  /** Of everything that it was loaded from, as it was before; "" if it did not hold still. */
  state: string;
}

/** Files that change faster are loaded again the next time. */
const triesAtMost = 3;

/**
 * Loads between two looks at the same paths: the state is older than what was read, so an edit in between is seen the
 * next time. Which paths those are is only known afterwards, so new ones cost another round.
 */
export async function loadStable<T extends Pick<LoadedHooks, "watched">>(
  load: () => Promise<T>,
  expected: readonly string[],
): Promise<StableLoad<T>> {
  let watched = expected;
  for (let tries = 1; ; tries++) {
    const state = stateOf(watched);
    const loaded = await load();
    if (isSame(loaded.watched, watched)) return { loaded, state };
    if (tries === triesAtMost) return { loaded, state: "" };
    watched = loaded.watched;
  }
}

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((path, index) => path === right[index]);

/** Identity, size and times of every path, on one line. */
export const stateOf = (paths: readonly string[]): string => paths.map(pathState).join(" ");

function pathState(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : "-";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "?"; // a loop of links, or nobody may look
  }
}
