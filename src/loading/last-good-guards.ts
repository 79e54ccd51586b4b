/**
 * One rule for files that hold guards and cannot be read (R76, R46): the last good guards stay active. Where none are known,
 * the file itself stands for one guard that fails, by its own name and layer, until it is corrected or `check` shows that it
 * holds none. A single entry that is invalid keeps its own last good form. What a broken text may have meant is not guessed.
 */

import { sep } from "node:path";
import type { EventName, MaybePromise } from "../engine/event.ts";
import { guardableEvents, rowOf, verdictsOf } from "../engine/events.ts";
import { fingerprint } from "../engine/fingerprint.ts";
import { type Condition, type FailurePolicy, type Hook, isGuard, type Problem } from "../engine/hook.ts";
import type { Registry } from "../engine/ports.ts";
import type { Store } from "../engine/record.ts";
import type { LoadedFile, LoadedHooks } from "./load.ts";
import { type Source, switchedOffTag } from "./order.ts";
import type { FileFormat, HookFile } from "./places.ts";
import { failing } from "./trust/untrusted.ts";

/** How far back a good form is looked for; a guard that has been broken for longer fails by its policy. */
const eventsLookedAt = 500;

/** The hook is its last good form, not what its file says now. */
const lastGoodTag = "last good form";
/** The hook stands for its whole file. */
const wholeFileTag = "unreadable file";

/** What is wrong with a file that may hold guards which nothing could read. */
export interface Broken extends Pick<HookFile, "label" | "root" | "ofUser"> {
  reason: string;
  /** Its text may change without a person: what it says now clears nothing. */
  isUntrusted?: true;
}

/** Findings after which a missing hook of the file need not have been taken out on purpose. */
export const losesHooks = ({ severity, code, loses }: Problem): boolean =>
  severity === "error" && (loses === true || code === "unreadable" || code === "syntax");

/** Undefined: all hooks of the file are known, or its format has no guards. */
export function brokenOf({ file, compiled: { problems } }: Pick<Source, "file" | "compiled">): Broken | undefined {
  const problem = problems.find(losesHooks);
  if (!problem || eventsOf(file.format).length === 0) return undefined;
  const { label, root, ofUser } = file;
  return {
    reason: `${problem.file}:${problem.line}:${problem.column} ${problem.message}`,
    label,
    ofUser,
    ...(root === undefined ? {} : { root }),
    ...(problem.code === "untrusted" ? { isUntrusted: true } : {}),
  };
}

/** The events that guards of a format can deny, where those are not all. */
const narrower: { readonly [F in FileFormat]?: readonly EventName[] } = { automation: [], script: ["git.pre-commit"] };
const eventsOf = (format: FileFormat): readonly EventName[] => narrower[format] ?? guardableEvents;

/** Whether a hook's file is this one, or lies in this folder. */
export const isIn = (file: string | undefined, path: string): boolean =>
  file !== undefined && (file === path || file.startsWith(path + sep));

export const isWholeFile = ({ tags }: Hook): boolean => tags.includes(wholeFileTag);
/** What its file says now is broken. */
export const isLastGood = ({ tags }: Hook): boolean => tags.includes(lastGoodTag);
const isInvalid = (hook: Hook): boolean => hook.steps[0].uses === "invalid";

export type HoldsNone = (path: string) => MaybePromise<boolean>;
export type History = Pick<Store, "recentHookSets" | "hookSet">;
type Loaded = Pick<LoadedHooks, "set" | "files">;

/**
 * What stands for broken files and entries: none, as a rule. They are handed to a second load, so that today's switches
 * hold for them too. A history that cannot be read knows nothing.
 *
 * @param holdsNone whether a person has seen, with `check`, that the file as it is now holds no guard
 */
export async function guardsToKeep(
  { set, files }: Loaded,
  history: History,
  holdsNone: HoldsNone = () => false,
): Promise<readonly Hook[]> {
  const broken = files.filter(({ broken: one }) => one !== undefined);
  const paths = new Set([
    ...broken.map(({ path }) => path),
    ...set.hooks.filter(isInvalid).flatMap(({ origin }) => origin.file ?? []),
  ]);
  if (paths.size === 0) return [];
  const known = await lastGood(history, paths).catch(() => new Map<string, Hook[]>());
  const kept = [...known.values()].flat();
  for (const file of broken)
    if (!known.has(file.path) && (file.broken?.isUntrusted || !(await holdsNone(file.path))))
      kept.push(...standIns(file));
  return kept;
}

/** The guards of these files in the newest set that has any, file by file; none, where a later good form had none. */
async function lastGood(history: History, files: ReadonlySet<string>): Promise<Map<string, Hook[]>> {
  const found = new Map<string, Hook[]>();
  const decided = new Set<string>();
  for (const id of await history.recentHookSets(eventsLookedAt)) {
    const set = await history.hookSet(id);
    const good = set ? set.hooks.filter((hook) => !isInvalid(hook)) : [];
    const isWhole = set !== undefined && fingerprint(JSON.stringify(set.hooks)) === id;
    const unread = set?.hooks.filter(isWholeFile).map(({ origin }) => origin.file) ?? [];
    for (const file of files) {
      if (decided.has(file) || unread.includes(file)) continue; // what was left of a broken text is no good form of it
      const own = good.filter(({ origin }) => isIn(origin.file, file));
      const guards = own.filter(isGuard);
      // A later form of the file that was read and had no guard: its author took the guards out.
      if (own.length > 0 && guards.length === 0) {
        decided.add(file);
        if (!found.has(file)) found.set(file, []);
      }
      if (guards.length > 0 && isBetter(guards, found.get(file)))
        found.set(file, isWhole ? guards : guards.map(unknownNow));
    }
    if (decided.size === files.size) break;
    if (found.size === files.size && [...found.values()].every(areAuthors)) break;
  }
  return found;
}

/** As their author wrote them, and not brought back themselves. */
const areAuthors = (guards: readonly Hook[]): boolean => !guards.some(isLastGood);

const isBetter = (guards: readonly Hook[], held: readonly Hook[] | undefined): boolean =>
  held === undefined || (areAuthors(guards) && !areAuthors(held));

/** A secret in it was replaced before it was stored: what it did then cannot be done again, so its policy answers. */
const unknownNow = (guard: Hook): Hook => ({
  ...guard,
  steps: [
    { ...guard.steps[0], uses: "invalid", with: { reason: "its last good form held a secret, so it was not kept" } },
  ],
});

/** So that the reason of a guard that works comes first. */
const afterAllOthers = 1_000_000;

/** One guard that fails. Who corrects the file, or reads it to do so, is asked about instead. */
function standIns({ path, layer, format, broken }: LoadedFile): Hook[] {
  if (!broken) return [];
  const { label, root, reason } = broken;
  const whatIsWrong = broken.isUntrusted ? "the file is not read" : "the file cannot be read";
  const id = `unreadable:${label}${root === undefined ? "" : `@${fingerprint(root).slice(0, 8)}`}`;
  const events = eventsOf(format);
  const asking = events.filter((name) => rowOf(name).matchTool && verdictsOf(rowOf(name)).includes("ask"));
  const ofFile = anyOf(["write", "read"].map((kind) => ({ is: "tool", with: `${kind}(/${literally(path)})` })));
  const why = `${whatIsWrong}, and no good form of it is known, so it stands for a guard that fails in the ${layer} layer: ${reason}. See hookline check`;
  const part = (name: string, on: readonly EventName[], onFailure: FailurePolicy, when?: Condition): Hook => ({
    id: `${id}#${onFailure}`,
    name,
    on: { event: [...on] },
    ...(when && asking.length > 0 ? { when } : {}),
    steps: [{ uses: "invalid", with: { reason: why }, timeout: 1, onError: "stop" }],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "guard",
    onFailure,
    priority: afterAllOthers,
    enabled: true,
    tags: [wholeFileTag],
    origin: { dialect: "settings", layer, file: path, line: 1, column: 1, ...(root === undefined ? {} : { root }) },
  });
  const denies = part(label, events, "block", { not: ofFile });
  return asking.length > 0 ? [denies, part(`${label} (changed)`, asking, "ask", ofFile)] : [denies];
}

const anyOf = (conditions: Condition[]): Condition => ({ any: conditions });

/** A path as the pattern that matches it alone. */
const literally = (path: string): string => path.replaceAll("\\", "/").replace(/[*?[\]{}()!+@]/g, "\\$&");

/** The condition without what only a module knows, so that it holds wherever the whole might; undefined: nothing of it is left. */
export function asFarAsKnown(
  condition: Condition,
  { conditions }: Pick<Registry, "conditions">,
): Condition | undefined {
  if ("all" in condition) {
    const known = condition.all.flatMap((one) => asFarAsKnown(one, { conditions }) ?? []);
    return known.length > 0 ? { all: known } : undefined;
  }
  if ("any" in condition) {
    const known = condition.any.map((one) => asFarAsKnown(one, { conditions }));
    return known.some((one) => one === undefined) ? undefined : { any: known.filter((one) => one !== undefined) };
  }
  if ("not" in condition) return isKnown(condition.not, conditions) ? condition : undefined;
  return isKnown(condition, conditions) ? condition : undefined;
}

function isKnown(one: Condition, conditions: Registry["conditions"]): boolean {
  const holds = (inner: Condition): boolean => isKnown(inner, conditions);
  if ("all" in one) return one.all.every(holds);
  if ("any" in one) return one.any.every(holds);
  return "not" in one ? holds(one.not) : conditions.has(one.is);
}

/** A form with a condition or an action of a module that is not read now would judge nothing. */
function isKnownTo({ handlers, conditions }: Registry): (hook: Hook) => boolean {
  return ({ when, steps }) =>
    steps.every(({ uses }) => handlers.has(uses)) && (when === undefined || isKnown(when, conditions));
}

/**
 * One file's hooks with what is kept for it.
 *
 * @param problems those of this file
 * @param registry what is known now; absent: it is not known yet
 */
export function withKept(
  hooks: readonly Hook[],
  kept: readonly Hook[],
  problems: readonly Problem[],
  registry?: Registry,
): Hook[] {
  const guards = kept.filter((hook) => !isWholeFile(hook) && (!registry || isKnownTo(registry)(hook)));
  const broken = problems.find(losesHooks);
  const valid = hooks.filter((hook) => !isInvalid(hook));
  const free = new Set(guards.filter((guard) => !valid.some((hook) => isKnownAs(guard, hook))));
  const own = hooks.flatMap((hook): Hook[] => {
    const earlier = isInvalid(hook) && !isOfModule(hook) ? formOf(hook, [...free]) : undefined;
    // What is left of an entry in a broken text is none: its good form comes back with the others.
    if (!earlier) return broken && guards.length > 0 && isInvalid(hook) ? [] : [hook];
    free.delete(earlier);
    return [restored(earlier, hook.enabled)];
  });
  const missing = broken ? [...free].filter((guard) => !hooks.some((hook) => isKnownAs(guard, hook))) : [];
  return [
    ...own,
    ...missing
      .map((guard) => restored(guard, guard.enabled || guard.tags.includes(switchedOffTag)))
      .map((guard) => (isOfModule(guard) ? failing(guard, broken?.message ?? "") : guard)),
    ...kept.filter(isWholeFile),
  ];
}

/** The one guard that this entry can have been. Where several can, none is taken: the entry fails, and its policy answers. */
function formOf(now: Hook, free: readonly Hook[]): Hook | undefined {
  for (const isSame of [isKnownAs, standsWhere, doesTheSame]) {
    const [only, ...others] = free.filter((guard) => isSame(guard, now));
    if (only) return others.length === 0 ? only : undefined;
  }
  return undefined;
}

/** Its good form is a function of the module, which is not there. */
const isOfModule = ({ origin }: Hook): boolean => origin.dialect === "config";

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const eventsIn = ({ on }: Hook): unknown => ("event" in on ? on.event : on);

/** By the id or the name that its author gave it; names say nothing across events. */
const isKnownAs = (earlier: Hook, now: Hook): boolean =>
  earlier.id === now.id || (earlier.name === now.name && same(eventsIn(earlier), eventsIn(now)));

/** By its place, for an entry that has no name: another condition or column is another guard. */
const standsWhere = (earlier: Hook, now: Hook): boolean =>
  earlier.name === earlier.steps[0].with.command &&
  same(
    [eventsIn(earlier), earlier.when, earlier.origin.line, earlier.origin.column],
    [eventsIn(now), now.when, now.origin.line, now.origin.column],
  );

/** By what it is about, for an entry without a name whose event or command was changed with the mistake. */
const doesTheSame = (earlier: Hook, now: Hook): boolean =>
  now.name.startsWith("invalid guard") && same([eventsIn(earlier), earlier.when], [eventsIn(now), now.when]);

const restored = (guard: Hook, enabled: boolean): Hook => ({
  ...guard,
  enabled,
  tags: [...guard.tags.filter((tag) => tag !== switchedOffTag && tag !== lastGoodTag), lastGoodTag],
});
