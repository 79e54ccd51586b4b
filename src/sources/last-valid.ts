/** A guard whose entry has become invalid keeps its last valid form, as the store remembers it (R46). */
import { type Hook, type HookSet, isGuard } from "../core/hook.ts";
import type { Store } from "../core/ports.ts";
import { hookSetOf } from "./load.ts";

/** How far back a valid form is looked for; a guard that has been broken for longer fails by its policy. */
const eventsLookedAt = 500;

const isInvalid = (hook: Hook): boolean => hook.steps[0].uses === "invalid";

/** The set itself unless a guard in it is invalid. A store that cannot be read leaves the guard failing. */
export async function keepLastValidGuards(set: HookSet, store: Pick<Store, "events" | "hookSet">): Promise<HookSet> {
  const broken = set.hooks.filter(isInvalid);
  if (broken.length === 0) return set;
  const replaced = new Map<Hook, Hook>();
  try {
    for (const id of new Set((await store.events(eventsLookedAt)).map((stored) => stored.set))) {
      const earlier = await store.hookSet(id);
      for (const hook of broken) {
        const valid = earlier?.hooks.find((one) => isGuard(one) && !isInvalid(one) && isSame(one, hook));
        if (valid && !replaced.has(hook)) replaced.set(hook, { ...valid, tags: [...valid.tags, "last-valid"] });
      }
      if (replaced.size === broken.length) break;
    }
  } catch {
    return set; // without a store the guard stays as it is: invalid, so that its policy answers
  }
  return replaced.size === 0 ? set : hookSetOf(set.hooks.map((hook) => replaced.get(hook) ?? hook));
}

/** The same guard by the name or id that its author gave it, else by its event and its place in the file. */
function isSame(earlier: Hook, now: Hook): boolean {
  if (earlier.origin.file !== now.origin.file) return false;
  if (earlier.id === now.id || earlier.name === now.name) return true;
  const sameEvent = JSON.stringify(earlier.on) === JSON.stringify(now.on);
  return sameEvent && earlier.origin.line === now.origin.line;
}
