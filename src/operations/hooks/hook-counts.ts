/**
 * How many hooks are here, how many of them are in force, and why the others are not (R100). Each screen takes its numbers and its
 * sentence about trust from here, so that no two of them count differently.
 */
import { preCommit } from "../../agents/git/repository.ts";
import { pauseOf } from "../../engine/admit.ts";
import type { Instant } from "../../engine/event.ts";
import { type Hook, isBuiltIn } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Paused } from "../../engine/record.ts";
import { isLastGood } from "../../loading/last-good-guards.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import { isUntrusted } from "../../loading/trust/untrusted.ts";

/** What is paused, where, and now. */
export interface Pausing {
  paused: Paused;
  now: Instant;
  /** The folder of this project; undefined: it is not known. */
  root: string | undefined;
}

export type Standing =
  | "built in"
  | "broken"
  | "not trusted"
  | "not trusted, only refuses"
  | "disabled"
  | "paused"
  | "active";

/** Each hook is in one of them: the first that holds. */
const standings: { readonly [S in Standing]: (hook: Hook, pausing: Pausing | undefined) => boolean } = {
  "built in": isBuiltIn,
  broken: (hook) => hook.steps[0].uses === "invalid" || isLastGood(hook),
  "not trusted": ({ untrusted }) => untrusted !== undefined,
  "not trusted, only refuses": isUntrusted,
  disabled: ({ enabled }) => !enabled,
  paused: (hook, pausing) => pausing !== undefined && pauseOf(hook, pausing.paused, pausing) !== undefined,
  active: () => true,
};
const order = Object.keys(standings) as Standing[]; // they are its keys

export const standingOf = (hook: Hook, pausing?: Pausing): Standing =>
  order.find((name) => standings[name](hook, pausing)) ?? "active";

/** As each screen names them, what is in force first. */
const shownAs: readonly Standing[] = [
  "active",
  "paused",
  "disabled",
  "not trusted",
  "not trusted, only refuses",
  "broken",
];

export type HookCounts = Readonly<Record<Standing, number>>;

/** Each once: the trusted form of a hook that has changed since is the same hook. */
export const eachHook = (hooks: readonly Hook[]): Hook[] => hooks.filter(({ trustedForm }) => trustedForm !== true);

/** @param pausing absent: what is paused counts as active */
export function countHooks(hooks: readonly Hook[], pausing?: Pausing): HookCounts {
  const counts = Object.fromEntries(order.map((name) => [name, 0])) as Record<Standing, number>; // one for each of them
  for (const hook of eachHook(hooks)) counts[standingOf(hook, pausing)] += 1;
  return counts;
}

/** All but what Hookline brings along. */
export const hooksHere = (counts: HookCounts): number => shownAs.reduce((sum, name) => sum + counts[name], 0);

/** What is not trusted, whether nothing of it counts yet or only its refusals. */
export const waitingOf = (counts: HookCounts): number => counts["not trusted"] + counts["not trusted, only refuses"];

export function countWords(counts: HookCounts): string {
  return [...shownAs, "built in" as const]
    .filter((name) => name === "active" || counts[name] > 0)
    .map((name) => `${counts[name]} ${name}`)
    .join(", ");
}

/** What a person has to be told about trust. */
type Asking = Pick<LoadedHooks, "set" | "untrusted">;

/** One line; undefined: nothing waits for trust. The names are a stranger's, so they are not in it. */
export function untrustedWords({ set, untrusted }: Asking): string | undefined {
  if (untrusted.length === 0) return undefined;
  const { "not trusted": waits, "not trusted, only refuses": refuses } = countHooks(set.hooks);
  const others = untrusted.filter(({ is }) => is === "other").length;
  const parts = [
    waits === 1 && "1 hook here does not run until you trust it",
    waits > 1 && `${waits} hooks here do not run until you trust them`,
    refuses > 0 && (waits > 0 ? `${refuses} more only refuse or ask until then` : onlyRefusing(refuses)),
    others > 0 && (waits + refuses > 0 ? `${others} more to trust` : othersAlone(others)),
  ].filter((part) => part !== false);
  return `${parts.length > 0 ? parts.join(", ") : "something here waits for your trust"}: run \`hookline trust\``;
}

const onlyRefusing = (refuses: number): string =>
  refuses === 1
    ? "1 hook here only refuses or asks until you trust it"
    : `${refuses} hooks here only refuse or ask until you trust them`;

const othersAlone = (others: number): string =>
  others === 1
    ? "1 thing here does not count until you trust it"
    : `${others} things here do not count until you trust them`;

/** Those that a commit asks. */
export const commitHooks = (hooks: readonly Hook[]): Hook[] => hooks.filter((hook) => listensTo(hook, preCommit));

/** Hooks that a commit would ask and that do not run, because no person has trusted them: install, status, doctor and each commit say so. */
export const waitingForTrust = (hooks: readonly Hook[]): number =>
  commitHooks(hooks).filter(({ untrusted, enabled }) => untrusted !== undefined && enabled).length;

/** The names are a stranger's, so they are not in it. */
export const waitingWords = (count: number): string =>
  `${count === 1 ? "1 hook for commits does not run until you trust it" : `${count} hooks for commits do not run until you trust them`}: run \`hookline trust\``;
