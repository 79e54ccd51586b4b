/** A guard whose entry or file has become invalid keeps its last valid form, as the store remembers it (R46). */
import { fingerprint } from "../core/fingerprint.ts";
import { type Hook, type HookSet, isGuard, type Problem } from "../core/hook.ts";
import type { Store } from "../core/record.ts";

/** How far back a valid form is looked for; a guard that has been broken for longer fails by its policy. */
const eventsLookedAt = 500;

/** The hook is its last valid form, not what its file says now. */
const lastValidTag = "last valid form";
/** The hook was enabled by its author and turned off by a switch, which may no longer stand. */
export const switchedOffTag = "switched off";

/** Findings after which no hook of the file can be told to have been taken out on purpose. */
const unreadableCodes: ReadonlySet<Problem["code"]> = new Set<Problem["code"]>(["unreadable", "syntax"]);

const isInvalid = (hook: Hook): boolean => hook.steps[0].uses === "invalid";

interface Loaded {
  set: HookSet;
  problems: readonly Problem[];
}

/**
 * The last valid forms of guards that are broken or missing now; none, as a rule. They are handed to a second load, so
 * that today's switches hold for them too. A store that cannot be read leaves them as they are: invalid guards fail.
 */
export async function lastValidGuards(
  loaded: Loaded,
  store: Pick<Store, "setsInForce" | "hookSet">,
): Promise<readonly Hook[]> {
  const broken = loaded.set.hooks.filter(isInvalid).flatMap(({ origin }) => origin.file ?? []);
  const lost = loaded.problems.filter(isLosing).map(({ file }) => file);
  const files = new Set([...broken, ...lost]);
  if (files.size === 0) return [];
  try {
    return await newestGuards(store, files);
  } catch {
    return [];
  }
}

const isLosing = ({ severity, code, meant }: Problem): boolean =>
  severity === "error" && (unreadableCodes.has(code) || meant !== undefined);

/** The guards of these files in the newest stored set that has any, file by file. */
async function newestGuards(
  store: Pick<Store, "setsInForce" | "hookSet">,
  files: ReadonlySet<string>,
): Promise<Hook[]> {
  const found = new Map<string, Hook[]>();
  for (const id of await store.setsInForce(eventsLookedAt)) {
    const set = await store.hookSet(id);
    const guards = set ? set.hooks.filter((hook) => isGuard(hook) && !isInvalid(hook)) : [];
    const isWhole = set !== undefined && fingerprint(JSON.stringify(set.hooks)) === id;
    for (const file of files) {
      const own = guards.filter(({ origin }) => origin.file === file);
      if (own.length > 0 && isBetter(own, found.get(file))) found.set(file, isWhole ? own : own.map(unknownNow));
    }
    if (found.size === files.size && [...found.values()].every(areAuthors)) break;
  }
  return [...found.values()].flat();
}

/** As their author wrote them, and not brought back themselves. */
const areAuthors = (guards: readonly Hook[]): boolean => !guards.some(({ tags }) => tags.includes(lastValidTag));

const isBetter = (guards: readonly Hook[], held: readonly Hook[] | undefined): boolean =>
  held === undefined || (areAuthors(guards) && !areAuthors(held));

/** A secret in it was replaced before it was stored: what it did then cannot be done again, so its policy answers. */
const unknownNow = (guard: Hook): Hook => ({
  ...guard,
  steps: [
    { ...guard.steps[0], uses: "invalid", with: { reason: "its last valid form held a secret, so it was not kept" } },
  ],
});

/** One file's hooks with their guards' last valid forms. `problems` are those of this file. */
export function withLastValid(hooks: readonly Hook[], guards: readonly Hook[], problems: readonly Problem[]): Hook[] {
  const kept = hooks.map((hook) => {
    const earlier = isInvalid(hook) ? guards.find((guard) => isSame(guard, hook)) : undefined;
    return earlier ? restored(earlier, hook.enabled) : hook;
  });
  const missing = guards.filter((guard) => !hooks.some((hook) => isSame(guard, hook)) && isLost(guard, problems));
  return [...kept, ...missing.map((guard) => restored(guard, guard.enabled || guard.tags.includes(switchedOffTag)))];
}

/** The whole file says nothing any more; or the guard's event was misspelt where it stood. */
const isLost = (guard: Hook, problems: readonly Problem[]): boolean =>
  problems.some(
    ({ severity, code, meant, line }) =>
      severity === "error" &&
      (unreadableCodes.has(code) ||
        (meant !== undefined &&
          "event" in guard.on &&
          guard.on.event.some((event) => event === meant) &&
          !guard.tags.includes(lastValidTag) &&
          (guard.origin.line ?? 0) >= line)),
  );

const restored = (guard: Hook, enabled: boolean): Hook => ({
  ...guard,
  enabled,
  tags: [...guard.tags.filter((tag) => tag !== switchedOffTag && tag !== lastValidTag), lastValidTag],
});

/** The same guard by the name or id that its author gave it, else by its event and its place in the file. */
function isSame(earlier: Hook, now: Hook): boolean {
  if (earlier.origin.file !== now.origin.file) return false;
  if (earlier.id === now.id || earlier.name === now.name) return true;
  const sameEvent = JSON.stringify(earlier.on) === JSON.stringify(now.on);
  return sameEvent && earlier.origin.line === now.origin.line;
}
