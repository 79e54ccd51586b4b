/** How long hooks and decisions took: percentiles of what the store has kept anyway, read by the indexes that are there. */
import type { HookId, Instant } from "../../engine/event.ts";
import type { Database } from "./database.ts";
import { readBack, written } from "./rows.ts";

export interface Timing {
  count: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
}
export interface HookTiming extends Timing {
  /** Milliseconds, as the mean of the sessions in which it ran; absent: none of its runs had a session. */
  perSession?: number;
}
export interface EventTiming extends Timing {
  event: string;
}

/** Of each hook so many runs, and so many events in all: the newest. More would not change the picture. */
const runsAtMost = 500;
const eventsAtMost = 10_000;

interface Measured {
  ms: number;
  session: string | null;
}

/** Of these hooks, those that ran since then. Refused runs, and those that have not ended, took no time that can be told. */
export function hookTimings(database: Database, hooks: readonly HookId[], since: Instant): Map<HookId, HookTiming> {
  const timings = new Map<HookId, HookTiming>();
  for (const hook of hooks) {
    const runs = database.all<Measured>(newestRuns, written(hook), since, runsAtMost);
    const timing = timingOf(runs.map(({ ms }) => ms));
    if (timing) timings.set(hook, { ...timing, ...perSession(runs) });
  }
  return timings;
}
const newestRuns = `select ms, session from run
  where hook = ? and asked > 0 and ms is not null and started >= ? order by seq desc limit ?`;

function perSession(runs: readonly Measured[]): Pick<HookTiming, "perSession"> {
  const known = runs.filter(({ session }) => session !== null);
  const sessions = new Set(known.map(({ session }) => session));
  if (sessions.size === 0) return {};
  return { perSession: known.reduce((sum, { ms }) => sum + ms, 0) / sessions.size };
}

/** Whole decisions, by the event's name, the slowest first. */
export function eventTimings(database: Database, since: Instant): EventTiming[] {
  const rows = database.all<{ name: string; ms: number }>(newestEvents, eventsAtMost, since);
  const all = new Map<string, number[]>();
  for (const { name, ms } of rows) {
    const known = all.get(name);
    if (known) known.push(ms);
    else all.set(name, [ms]);
  }
  return [...all]
    .flatMap(([name, times]) => {
      const timing = timingOf(times);
      return timing ? [{ event: readBack(name), ...timing }] : [];
    })
    .sort((left, right) => right.p95 - left.p95);
}
const newestEvents = `select name, ms from (select name, ms, at from event order by seq desc limit ?)
  where ms is not null and at >= ?`;

/** By the nearest rank: a figure that was measured. Nothing for nothing. */
export function timingOf(times: readonly number[]): Timing | undefined {
  if (times.length === 0) return undefined;
  const sorted = times.toSorted((left, right) => left - right);
  const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95) };
}
