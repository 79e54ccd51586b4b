/** What the newest rows come to, for people: how often, how long, how many tokens. Read by the indexes that are there. */
import type { HookId, Instant } from "../../engine/event.ts";
import type { Database } from "./database.ts";
import { readBack, written } from "./rows.ts";

/** How many of a hook's newest runs failed. */
export function failuresOf(database: Database, hook: HookId): number {
  const sql = `select count(*) as count from (select status from run where hook = ? order by seq desc limit ?)
    where status in ('failed', 'timeout')`;
  return database.get<{ count: number }>(sql, written(hook), runsAtMost)?.count ?? 0;
}

/** More would not change the picture. */
const eventsCounted = 10_000;

/** Most runs ask no model: their steps need not be parsed. */
const tokensOfRun = `iif(instr(steps, '"tokens"') = 0, 0, (select sum(value ->> '$.tokens') from json_each(steps)))`;

interface EventCounted {
  at: Instant;
  sender: string;
  verdict: string | null;
  /** Of its decision; null: it is not known. */
  ms: number | null;
}

/** The newest events since then, oldest first, with as much of each as is counted. */
export function eventsSince(database: Database, since: Instant): EventCounted[] {
  const sql = `select at, sender, outcome ->> '$.verdict.is' as verdict, ms
    from (select seq, at, sender, outcome, ms from event order by seq desc limit ?) where at >= ? order by seq`;
  return database.all<EventCounted>(sql, eventsCounted, since);
}

/** The tokens of a hook's newest runs, day by day, the last one the day that ends now. */
export function tokensByDay(
  database: Database,
  hook: HookId,
  { days, until }: { days: number; until: Instant },
): number[] {
  const sql = `select cast((?3 - started) / 86400000 as integer) as day,
      total(${tokensOfRun}) as tokens
    from (select started, steps from run where hook = ?1 order by seq desc limit ?2) where started >= ?4 group by day`;
  const rows = database.all<{ day: number; tokens: number }>(
    sql,
    written(hook),
    runsAtMost,
    until,
    until - days * 86_400_000,
  );
  const counts = new Array<number>(days).fill(0);
  for (const { day, tokens } of rows) counts[Math.max(0, days - 1 - day)] = tokens;
  return counts;
}

interface RunsCounted {
  runs: number;
  failures: number;
  /** Milliseconds of all of them. */
  ms: number;
  tokens: number;
}

/** What the newest runs since then come to, by their hook and the day of this machine's calendar; of renamed hooks the last name. */
export function runsSince(
  database: Database,
  since: Instant,
): (RunsCounted & { hook: HookId; name: string; day: string })[] {
  const sql = `select hook, max(hook_name) as name, date(started / 1000, 'unixepoch', 'localtime') as day,
      count(*) as runs, total(ms) as ms, sum(status in ('failed', 'timeout')) as failures, total(${tokensOfRun}) as tokens
    from (select hook, hook_name, status, ms, steps, started, asked from run order by seq desc limit ?)
    where started >= ? and asked > 0 group by hook, day`;
  const rows = database.all<RunsCounted & { hook: string; name: string; day: string }>(sql, eventsCounted, since);
  return rows.map((row) => ({ ...row, hook: readBack(row.hook), name: readBack(row.name) }));
}

/** How long hooks or decisions took, of what the store has kept anyway, read by the indexes that are there. */
interface Timing {
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

/** Of each hook so many runs, of so many that may have been refused, and so many events in all: the newest. More would not change the picture. */
const runsAtMost = 500;
const runsLookedAt = 5_000;
const eventsAtMost = 10_000;

interface Measured {
  ms: number;
  session: string | null;
}

/** Of these hooks, those that ran since then. Refused runs, and those that have not ended, took no time that is known. */
export function hookTimings(database: Database, hooks: readonly HookId[], since: Instant): Map<HookId, HookTiming> {
  const timings = new Map<HookId, HookTiming>();
  for (const hook of hooks) {
    const runs = database.all<Measured>(newestRuns, written(hook), runsLookedAt, since, runsAtMost);
    const timing = timingOf(runs.map(({ ms }) => ms));
    if (timing) timings.set(hook, { ...timing, ...perSession(runs) });
  }
  return timings;
}
const newestRuns = `select ms, session
  from (select ms, session, asked, started, seq from run where hook = ? order by seq desc limit ?)
  where asked > 0 and ms is not null and started >= ? order by seq desc limit ?`;

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
