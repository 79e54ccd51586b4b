/** `match` of a repository hook as conditions, and back again for its registration (specification 001, 2.1 and 2.2). */
import type { EventName, Fields, Json } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Condition } from "../../engine/hook.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Match } from "./entry.ts";

export interface MatchPlace {
  events: readonly EventName[];
  /** Where relative paths start. */
  root?: string;
  /** What handler and event want to know of changed files, whether there are any or not. */
  wantsChanges: boolean;
}

const listOf = (written: string | string[] | undefined): string[] => [written ?? []].flat().map((one) => one.trim());

/** These ask for nothing: an event that is about no ability, or took unknown time, fits too. */
const isAll = (globs: readonly string[]): boolean => globs.includes("*") || globs.includes("**");

/** Undefined: every event fits. */
export function conditionOf(match: Match, { events, root, wantsChanges }: MatchPlace): Condition | undefined {
  const abilities = listOf(match.ability_scope);
  const operations = listOf(match.operation_key);
  const ms = match.min_duration_ms ?? 0;
  const paths = listOf(match.only_if_changed_paths);
  const place: Fields = {
    ...(root === undefined ? {} : { root }),
    ...(events.some((name) => lastEvents.has(name)) ? { since: "session" } : {}),
  };
  const all: Condition[] = [
    ...(abilities.length === 0 || isAll(abilities) ? [] : [{ is: "ability", with: { match: abilities } }]),
    ...(operations.length === 0 || isAll(operations) ? [] : [{ is: "operation_key", with: { match: operations } }]),
    ...(ms > 0 ? [{ is: "min_duration", with: { ms } }] : []),
    ...(paths.length > 0 ? [{ is: "changed_files", with: { patterns: paths, ...place } }] : []),
    ...(paths.length === 0 && wantsChanges
      ? [{ is: "changed_files", with: { patterns: ["**"], ...place, optional: true } }]
      : []),
  ];
  const [only, ...others] = all;
  return others.length === 0 ? only : { all };
}

/** At the end of a session all of its changes count, not only the last ones. */
const lastEvents: ReadonlySet<EventName> = new Set<EventName>(["SessionStop", "SessionEnd"]);

/** Why the conditions can hold on none of these events, if so. */
export function neverHolds(match: Match, events: readonly EventName[]): string | undefined {
  const every = (test: (name: EventName) => boolean): boolean =>
    events.every((name) => !name.includes(".") && test(name));
  const asks = (written: string | string[] | undefined): boolean => written !== undefined && !isAll(listOf(written));
  if ((asks(match.ability_scope) || asks(match.operation_key)) && every((name) => !rowOf(name).matchTool))
    return "are about no ability";
  if ((match.min_duration_ms ?? 0) > 0 && every((name) => !timed.has(name)))
    return "do not say how long something took";
  return undefined;
}
const timed: ReadonlySet<EventName> = new Set<EventName>(["PostToolUse", "PostToolUseFailure"]);

/** What the conditions were written as; undefined: nothing. */
export function matchOf(when: Condition | undefined): Fields | undefined {
  const match: Fields = {};
  for (const { is, with: params } of leavesOf(when)) {
    if (!isRecord(params)) continue;
    const { match: globs, ms, patterns, optional } = params as Fields; // they are plain JSON
    if (is === "ability") match.ability_scope = oneOrAll(globs);
    if (is === "operation_key") match.operation_key = oneOrAll(globs);
    if (is === "min_duration" && ms !== undefined) match.min_duration_ms = ms;
    if (is === "changed_files" && optional !== true) match.only_if_changed_paths = patterns ?? [];
  }
  return Object.keys(match).length > 0 ? match : undefined;
}

const oneOrAll = (globs: Json | undefined): Json =>
  Array.isArray(globs) && globs.length === 1 ? (globs[0] ?? "") : (globs ?? []);

function leavesOf(when: Condition | undefined): { is: string; with?: Json }[] {
  if (!when) return [];
  if ("all" in when) return when.all.flatMap(leavesOf);
  return "is" in when ? [when] : [];
}
