/** Admission: may a hook that matched run now? Yes, or the reason why not, in words that stand in its run. */
import { isOfStore, messageOf } from "./error.ts";
import type { HookEvent } from "./event.ts";
import { type Flow, wait } from "./flow.ts";
import { type Hook, isGuard } from "./hook.ts";
import type { Caller, Ports } from "./ports.ts";
import type { Claim } from "./record.ts";

/** What is known of the event beside itself: what is paused, and who emits it. */
interface Beside {
  paused: ReadonlySet<string>;
  caller?: Caller;
}
type Gate = (hook: Hook, event: HookEvent, ports: Ports, beside: Beside) => string | undefined;

/** Asked in this order; the first reason stands. Force skips `enabled`, pauses and the limits, never trust. */
const gates: readonly Gate[] = [
  (hook, event) => (hook.enabled || event.to?.force ? undefined : disabled(hook)),
  (hook, event, _ports, { paused }) => (event.to?.force ? undefined : pauseOf(hook, paused)),
  ({ untrusted }) => untrusted,
  (hook, event, ports, { caller }) => ports.elsewhere?.(hook, event, caller?.environment),
];

/** Why a durable run that waited is not begun, where its hook stands otherwise now. What fires once is disabled by having fired. */
export function withdrawn(now: Hook | undefined, event: HookEvent): string | undefined {
  if (!now) return "it is no longer active";
  if (now.untrusted !== undefined) return now.untrusted;
  const hasFired = "at" in now.on && event.name === "schedule.due";
  return now.enabled || hasFired ? undefined : disabled(now);
}

const disabled = ({ disabledBecause: why }: Hook): string => (why === undefined ? "disabled" : `disabled: ${why}`);

/** A project's pause leaves its guards on watch: those are paused one by one, by name. */
export function pauseOf(hook: Hook, paused: ReadonlySet<string>): string | undefined {
  if (paused.size === 0) return undefined;
  if (paused.has(hook.id)) return "paused: hookline resume lets it run again";
  const { root } = hook.origin;
  const withProject =
    (root !== undefined && paused.has(root)) ||
    (hook.project !== undefined && paused.has(pauseOfProject(hook.project)));
  return withProject && !isGuard(hook) ? "paused with its project: hookline resume lets them run again" : undefined;
}

/** What is paused where a project is, that is known by an id and not by a folder. */
export const pauseOfProject = (project: string): string => `project:${project}`;

/** Why the hook may not run, whatever its limits; undefined: it may. */
export function refusalOf(hook: Hook, event: HookEvent, ports: Ports, beside: Beside): string | undefined {
  for (const gate of gates) {
    const reason = gate(hook, event, ports, beside);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The limits as claims, which the store takes all or none, just before the run (R21). */
export function claimsOf(hook: Hook, event: HookEvent): Claim[] {
  const { cooldown, maxFires, once } = hook.limits;
  const claims: Claim[] = [];
  if (event.to?.force) return cooldown ? [{ key: `cooldown:${hook.id}`, refusal: "" }] : claims; // noted, never refused
  if (once && event.session) {
    claims.push({ key: `once:${event.session}:${hook.id}`, max: 1, refusal: "once: it has run in this session" });
  }
  if (maxFires)
    claims.push({ key: `fires:${hook.id}`, max: maxFires, refusal: `max fires: it has run ${maxFires} times` });
  if (cooldown)
    claims.push({ key: `cooldown:${hook.id}`, gap: cooldown, refusal: `cooldown: ${cooldown} s have not passed` });
  return claims;
}

/**
 * Takes what the hook's limits allow; the reason why it may not run. While the store counts nothing (SAFETY F10) what is limited
 * does not run, but for guards: those are asked once more rather than once less.
 */
export function* claimFor(hook: Hook, event: HookEvent, { store, now }: Ports): Flow<string | undefined> {
  const claims = claimsOf(hook, event);
  if (claims.length === 0) return undefined;
  try {
    return (yield* wait(store.claim(claims, now())))?.refusal;
  } catch (error) {
    if (!isOfStore(error) || hook.durable) throw error; // a durable run is begun when it can be counted
    return isGuard(hook) ? undefined : `its limits cannot be counted: ${messageOf(error)}`;
  }
}
