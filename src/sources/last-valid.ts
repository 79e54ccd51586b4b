/** A guard whose entry or file has become invalid keeps its last valid form, as the store remembers it (R46). */
import { type Hook, type HookSet, isGuard, type Problem } from "../core/hook.ts";
import type { Store } from "../core/record.ts";
import { hookSetOf } from "./hook-set.ts";
import type { LoadedHooks } from "./load.ts";

/** How far back a valid form is looked for; a guard that has been broken for longer fails by its policy. */
const eventsLookedAt = 500;

/** Findings after which hooks may be missing that their author did not mean to take out. */
const losing: ReadonlySet<Problem["code"]> = new Set<Problem["code"]>([
  "unreadable",
  "syntax",
  "shape",
  "unknown-event",
]);

const isInvalid = (hook: Hook): boolean => hook.steps[0].uses === "invalid";

/** The set itself unless a guard is invalid or may be missing. A store that cannot be read leaves it as it is. */
export async function keepLastValidGuards(
  { set, problems }: Pick<LoadedHooks, "set" | "problems">,
  store: Pick<Store, "events" | "hookSet">,
): Promise<HookSet> {
  const broken = set.hooks.filter(isInvalid);
  const files = new Set(
    problems.filter(({ code, severity }) => severity === "error" && losing.has(code)).map(({ file }) => file),
  );
  if (broken.length === 0 && files.size === 0) return set;
  try {
    const earlier = await lastGuards(store, new Set([...files, ...broken.flatMap(({ origin }) => origin.file ?? [])]));
    const kept = set.hooks.map((hook) => (isInvalid(hook) ? (earlier.find((one) => isSame(one, hook)) ?? hook) : hook));
    const missing = earlier.filter(
      (guard) => files.has(guard.origin.file ?? "") && !kept.some((hook) => hook === guard || isSame(guard, hook)),
    );
    return hookSetOf([...kept, ...missing]);
  } catch {
    return set; // without a store an invalid guard stays as it is, so that its policy answers
  }
}

/** The guards of these files in the newest stored set that has any, file by file. */
async function lastGuards(store: Pick<Store, "events" | "hookSet">, files: ReadonlySet<string>): Promise<Hook[]> {
  const found = new Map<string, Hook[]>();
  for (const id of new Set((await store.events(eventsLookedAt)).map((stored) => stored.set))) {
    const guards = ((await store.hookSet(id))?.hooks ?? []).filter((hook) => isGuard(hook) && !isInvalid(hook));
    for (const file of files) {
      const own = guards.filter(({ origin }) => origin.file === file);
      if (own.length > 0 && !found.has(file)) found.set(file, own);
    }
    if (found.size === files.size) break;
  }
  return [...found.values()].flat();
}

/** The same guard by the name or id that its author gave it, else by its event and its place in the file. */
function isSame(earlier: Hook, now: Hook): boolean {
  if (earlier.origin.file !== now.origin.file) return false;
  if (earlier.id === now.id || earlier.name === now.name) return true;
  const sameEvent = JSON.stringify(earlier.on) === JSON.stringify(now.on);
  return sameEvent && earlier.origin.line === now.origin.line;
}
