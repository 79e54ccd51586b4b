/**
 * Loads for processes that stay, in which no guard lapses while somebody edits its file (R46): a broken one keeps its last
 * valid form, also where no event has put that into the store, and one that has gone stays until its file has held still.
 */
import { statSync } from "node:fs";
import type { Instant } from "../core/event.ts";
import { type Hook, type HookSet, isGuard } from "../core/hook.ts";
import type { Store } from "../core/record.ts";
import { hookSetOf } from "./hook-set.ts";
import { lastValidGuards } from "./last-valid.ts";
import type { LoadedHooks } from "./load.ts";
import type { StableLoad } from "./stable-load.ts";

/** Editors empty a file before they fill it, or move it away before they put the new one there. */
const stillAfter = 500;

type SetStore = Pick<Store, "setsInForce" | "hookSet">;
type Load<T extends LoadedHooks> = (
  cwd: string,
  expected: readonly string[],
  lastValid?: readonly Hook[],
) => Promise<StableLoad<T>>;

/** @param load never rejects, and neither does what is given */
export function guardsHeld<T extends LoadedHooks>(
  store: SetStore,
  load: Load<T>,
  now: () => Instant = Date.now,
): (cwd: string, expected: readonly string[], before: T | undefined) => Promise<StableLoad<T>> {
  const gone = new Map<string, Instant>();
  return async (cwd, expected, before) => {
    const found = await load(cwd, expected);
    const lastValid = await lastValidGuards(found.loaded, before ? remembering(before.set, store) : store);
    const mended = lastValid.length === 0 ? found : await load(cwd, found.loaded.watched, lastValid);
    return before ? withUnsettled(mended, before.set, { gone, now: now() }) : mended;
  };
}

/** What is in force counts as the newest, whatever can be said of the store. */
const remembering = (set: HookSet, store: SetStore): SetStore => ({
  async setsInForce(events) {
    try {
      return [set.id, ...(await store.setsInForce(events))];
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
  return { state: "", loaded: { ...found.loaded, set: hookSetOf([...set.hooks, ...missing]) } };
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
