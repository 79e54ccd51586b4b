/** The rules that every store shares and that need no database: who may claim, which telling came first, what a debt remembers. */
import type { HookEvent, Instant, Json } from "../../engine/event.ts";
import { repeatable } from "../../engine/later.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Claim, Found } from "../../engine/record.ts";

/** What a store keeps of a key: how often it was claimed, and when last. */
export interface Claimed {
  count: number;
  last: Instant;
}

/**
 * Whether the claim has to wait. A stored time that lies in the future counts as now: the clock was set back, or
 * another process read it a moment later. The store then writes `now` in its place, so that nobody waits longer than
 * one gap from there (D16), and a race between two processes still has one winner.
 */
export function refuses(claim: Claim, held: Claimed | undefined, now: Instant): boolean {
  if (claim.max !== undefined && (held?.count ?? 0) >= claim.max) return true;
  return claim.gap !== undefined && held !== undefined && now - Math.min(held.last, now) < claim.gap * 1000;
}

/** One registration's telling of a delivery (R49). */
export interface Telling {
  id: string;
  by: string;
  outcome?: Outcome;
}

/**
 * The telling by another registration that this one repeats, an answered one if there is one. One registration may
 * tell of an id more than once (a tool call that was put off comes again): its second telling is the same happening as
 * the other's second.
 */
export function firstTelling(
  tellings: readonly Telling[],
  { by }: NonNullable<HookEvent["delivery"]>,
): Telling | undefined {
  const counts = new Map<string, number>();
  const mine = tellings.filter((one) => one.by === by).length;
  const same = tellings.filter((one) => {
    const index = counts.get(one.by) ?? 0;
    counts.set(one.by, index + 1);
    return one.by !== by && index === mine;
  });
  return same.find((one) => one.outcome) ?? same[0];
}

/** What a delivery that repeats another one is given: the first answer, or whose answer it has to wait for (R36). */
export function repeating(first: Telling | undefined): { given?: Outcome; unanswered?: string } {
  if (!first) return {};
  return first.outcome ? { given: repeatable(first.outcome) } : { unanswered: first.id };
}

/** A hook that owes already remembers both findings: lists are joined, so that no file is forgotten (R19). */
export function mergeFound(owed: Found, found: Found): Found {
  const merged: Found = { ...owed };
  for (const [key, value] of Object.entries(found)) {
    const held = merged[key];
    merged[key] = Array.isArray(held) && Array.isArray(value) ? joined(held, value) : value;
  }
  return merged;
}

function joined(left: readonly Json[], right: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return [...left, ...right].filter((one) => {
    const key = JSON.stringify(one);
    return !seen.has(key) && seen.add(key);
  });
}

/** Why repair closed a run (R26). */
export const interruption = "the process that ran it ended before the run did";
