/** Admission: may a hook that matched run now? Yes, or the reason why not, in words that stand in its run. */
import { isOfStore, messageOf } from "./error.ts";
import type { EventName, HookEvent, HookId, Instant, Seconds } from "./event.ts";
import { type Flow, wait } from "./flow.ts";
import { type Hook, isGuard } from "./hook.ts";
import type { Caller, Ports } from "./ports.ts";
import type { Claim, Paused } from "./record.ts";

/** What is known of the event beside itself: what is paused, and who emits it. */
interface Beside {
  paused: Paused;
  caller?: Caller;
}
type Gate = (hook: Hook, event: HookEvent, ports: Ports, beside: Beside) => string | undefined;

/** Asked in this order; the first reason stands. Force skips `enabled`, pauses and the limits, never trust. */
const gates: readonly Gate[] = [
  (hook, event) => (hook.enabled || event.to?.force ? undefined : disabled(hook)),
  (hook, event, ports, { paused }) =>
    event.to?.force || paused.size === 0
      ? undefined
      : pauseOf(hook, paused, { now: ports.now(), root: ports.projectOf?.(event) }),
  ({ untrusted }) => untrusted,
  (hook, event, ports, { caller }) => ports.elsewhere?.(hook, event, caller?.environment),
];

/**
 * Why a durable run that waited is not begun, where its hook stands otherwise now. What fires once is disabled by having fired, and what a
 * person asks for runs although it is disabled; but nothing runs that is gone or not trusted.
 */
export function withdrawn(now: Hook | undefined, event: HookEvent): string | undefined {
  if (!now) return "it is no longer active";
  if (now.untrusted !== undefined) return now.untrusted;
  const hasFired = "at" in now.on && event.name === "schedule.due";
  return now.enabled || hasFired || event.to?.force ? undefined : disabled(now);
}

const disabled = ({ disabledBecause: why }: Hook): string => (why === undefined ? "disabled" : `disabled: ${why}`);

/** When pauses are looked at, and in which project's folder. */
interface Looking {
  now: Instant;
  root?: string | undefined;
}

/**
 * A project's pause leaves its guards on watch: those are switched off one by one, for a time, in one project. Nothing keeps a
 * managed hook from running.
 */
export function pauseOf(hook: Hook, paused: Paused, { now, root: here }: Looking): string | undefined {
  if (paused.size === 0 || hook.origin.layer === "managed") return undefined;
  const isPaused = (what: string): boolean => (paused.get(what) ?? 0) > now;
  if (isPaused(hook.id)) return `paused: ${missed(hook)}hookline resume lets it run again`;
  const off = here === undefined ? undefined : paused.get(switchedOff(hook.id, here));
  if (off !== undefined && off > now) return `switched off by a person until ${minuteOf(off)}`;
  const { root } = hook.origin;
  const withProject =
    (root !== undefined && isPaused(root)) || (hook.project !== undefined && isPaused(pauseOfProject(hook.project)));
  return withProject && !isGuard(hook)
    ? `paused with its project: ${missed(hook)}hookline resume lets them run again`
    : undefined;
}

/** A check that stays pending runs later; an automation does not make up for what it missed. */
const missed = ({ durable }: Hook): string => (durable ? "it does not run for this event later; " : "");

/** What is paused where a guard is switched off in one project. */
export const switchedOff = (hook: HookId, root: string): string => `guard off\n${root}\n${hook}`;

/** What is paused where a person lets one refused call happen: its refusal, on one of the events that decide about the call. */
export const allowedOnce = (call: string, event: EventName): string => `allow once\n${call}\n${event}`;

/** A refusal of a call: by which run, and what names the call where a person may lift it. */
export interface RefusedJust {
  root: string;
  /** Empty: nobody may. */
  call: string;
  run: string;
}
/** How long a person may choose a refusal to lift. */
export const refusedFor: Seconds = 300;
/** How long a refusal is remembered: the same may be tried another way. */
export const refusalKept: Seconds = 3600;

/** Kept beside the pauses, as those end by themselves. */
export const refusedJust = ({ root, call, run }: RefusedJust): string => `refused\n${root}\n${call}\n${run}`;

/** Those of one project that are remembered, the newest first, each with its moment. */
export function refusalsIn(root: string, paused: Paused, now: Instant): (RefusedJust & { at: Instant })[] {
  const found: (RefusedJust & { at: Instant })[] = [];
  for (const [what, until] of paused) {
    if (until <= now || !what.startsWith(`refused\n${root}\n`)) continue;
    const [call = "", run = ""] = what.split("\n").slice(-2);
    found.push({ root, call, run, at: until - refusalKept * 1000 });
  }
  return found.sort((one, other) => other.at - one.at);
}

/** Those that can still be lifted. */
export const refusedIn = (root: string, paused: Paused, now: Instant): (RefusedJust & { at: Instant })[] =>
  refusalsIn(root, paused, now).filter(({ call, at }) => call !== "" && now - at < refusedFor * 1000);

/** What is paused by a name of its own: hooks by id, projects by folder. A name is one line. */
export const pausedNames = (paused: Paused): string[] => [...paused.keys()].filter((what) => !what.includes("\n"));

/** A moment that a person reads, to the minute. */
export const minuteOf = (at: Instant): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

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
  if (cooldown) {
    const { slot, forward = 0 } = event.to ?? {};
    const claim: Claim = {
      key: `cooldown:${hook.id}`,
      gap: Math.max(0, cooldown - forward),
      refusal: `cooldown: ${cooldown} s have not passed`,
    };
    claims.push(slot === undefined ? claim : { ...claim, at: slot });
  }
  return claims;
}

interface Claiming extends Pick<Ports, "now"> {
  store: Pick<Ports["store"], "claim">;
}

/**
 * Takes what the hook's limits allow; the reason why it may not run. While the store counts nothing (SAFETY F10) what is limited
 * does not run, but for guards: those are asked once more rather than once less.
 */
export function* claimFor(hook: Hook, event: HookEvent, { store, now }: Claiming): Flow<string | undefined> {
  const claims = claimsOf(hook, event);
  if (claims.length === 0) return undefined;
  try {
    return (yield* wait(store.claim(claims, now())))?.refusal;
  } catch (error) {
    if (!isOfStore(error) || hook.durable) throw error; // a durable run is begun when it can be counted
    return isGuard(hook) ? undefined : `its limits cannot be counted: ${messageOf(error)}`;
  }
}
