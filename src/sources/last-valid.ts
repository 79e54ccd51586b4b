/** A guard whose entry or file has become invalid keeps its last valid form, as the store remembers it (R46). */
import { fingerprint } from "../core/fingerprint.ts";
import { type Hook, type HookSet, isGuard, lostTextTag, type Problem } from "../core/hook.ts";
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

const losesAll = ({ code, loses }: Problem): boolean => loses === true || unreadableCodes.has(code);

const isLosing = (problem: Problem): boolean =>
  problem.severity === "error" && (losesAll(problem) || problem.meant !== undefined);

/** The guards of these files in the newest stored set that has any, file by file. */
async function newestGuards(
  store: Pick<Store, "setsInForce" | "hookSet">,
  files: ReadonlySet<string>,
): Promise<Hook[]> {
  const found = new Map<string, Hook[]>();
  const decided = new Set<string>();
  for (const id of await store.setsInForce(eventsLookedAt)) {
    const set = await store.hookSet(id);
    const guards = set ? set.hooks.filter((hook) => isGuard(hook) && !isInvalid(hook)) : [];
    const isWhole = set !== undefined && fingerprint(JSON.stringify(set.hooks)) === id;
    for (const file of files) {
      const own = guards.filter(({ origin }) => origin.file === file);
      if (decided.has(file)) continue;
      // A later form of the file that was read and had no guard: whoever took the guards out meant it.
      if (own.length === 0 && set?.hooks.some((hook) => hook.origin.file === file && !isInvalid(hook)))
        decided.add(file);
      if (own.length > 0 && isBetter(own, found.get(file))) found.set(file, isWhole ? own : own.map(unknownNow));
    }
    if (decided.size === files.size) break;
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
  const valid = hooks.filter((hook) => !isInvalid(hook));
  const free = new Set(guards.filter((guard) => !valid.some((hook) => isKnownAs(guard, hook))));
  const kept = hooks.map((hook) => {
    const earlier = isInvalid(hook) ? formOf(hook, [...free]) : undefined;
    if (!earlier) return hook;
    free.delete(earlier);
    return restored(earlier, hook.enabled);
  });
  const missing = [...free].filter(
    (guard) => !hooks.some((hook) => isKnownAs(guard, hook)) && problems.some((problem) => isLostTo(guard, problem)),
  );
  const standIns = missing.length === 0 ? kept : kept.filter(({ tags }) => !tags.includes(lostTextTag));
  return [
    ...standIns,
    ...missing.map((guard) => restored(guard, guard.enabled || guard.tags.includes(switchedOffTag))),
  ];
}

/** The one guard that this entry can have been. Where several can, none is taken: the entry fails, and its policy answers. */
function formOf(now: Hook, free: readonly Hook[]): Hook | undefined {
  for (const isSame of [isKnownAs, standsWhere]) {
    const [only, ...others] = free.filter((guard) => isSame(guard, now));
    if (only) return others.length === 0 ? only : undefined;
  }
  return undefined;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** By the id or the name that its author gave it; names say nothing across events. */
const isKnownAs = (earlier: Hook, now: Hook): boolean =>
  earlier.id === now.id || (earlier.name === now.name && same(earlier.on, now.on));

/** By its place, for an entry that has no name: another condition or column is another guard. */
const standsWhere = (earlier: Hook, now: Hook): boolean =>
  earlier.name === earlier.steps[0].with.command &&
  same(
    [earlier.on, earlier.when, earlier.origin.line, earlier.origin.column],
    [now.on, now.when, now.origin.line, now.origin.column],
  );

/** Rules of the file were not read; or there is an event in it whose name was most likely the guard's. */
const isLostTo = ({ on }: Hook, problem: Problem): boolean =>
  problem.severity === "error" &&
  (losesAll(problem) || ("event" in on && on.event.some((event) => event === problem.meant)));

const restored = (guard: Hook, enabled: boolean): Hook => ({
  ...guard,
  enabled,
  tags: [...guard.tags.filter((tag) => tag !== switchedOffTag && tag !== lastValidTag), lastValidTag],
});
