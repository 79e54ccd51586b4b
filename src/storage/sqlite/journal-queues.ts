/** The queues of durable runs, one per hook: which is first, which comes next, and what becomes of an event that comes meanwhile. */
import type { HookId, Instant } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Ended } from "../../engine/journal.ts";
import { fullQueue, overlapRefusals, overlaps, tookItsPlace } from "../../engine/queue.ts";
import type { RunStatus } from "../../engine/record.ts";
import type { Database } from "./database.ts";
import { runNamed } from "./queries.ts";
import { promoting } from "./retention.ts";
import { readBack, written } from "./rows.ts";

/** A row of the table work, as far as it is needed; ids as they are written. */
export interface Work {
  seq: number;
  run: string;
  hook: string;
  /** `sent`: other machines perform it, and its place here is the next one's. */
  status: "waiting" | "running" | "behind" | "sent";
  forced: number;
  owner: string | null;
  lease: number | null;
  recoveries: number;
  cancelled: string | null;
}
export const workColumns = "seq, run, hook, status, forced, owner, lease, recoveries, cancelled";

export interface Newcomer {
  hook: HookId;
  overlap: Hook["limits"]["overlap"];
  /** A person asked for it, so that only what a person asks for takes its place. */
  forced: boolean;
  now: Instant;
}

/** Where the newcomer stands, or why it may not stand anywhere. */
export type Place =
  | {
      status: "waiting" | "behind";
      /** Set: the place of another that made room. */
      seq?: number;
      ended: Ended[];
    }
  | { refused: string };

/** To be called inside the transaction that then writes the newcomer down. */
export function makePlace(database: Database, { hook, overlap, forced, now }: Newcomer): Place {
  const { refuses, displaces, cancels } = overlaps[overlap];
  const head = headOf(database, written(hook));
  if (!head) return bounded(database, hook, { status: "waiting", ended: [] });
  if (refuses) return { refused: overlapRefusals[head.status === "running" ? "running" : "waiting"] };
  const standing = (): "waiting" | "behind" => {
    const first = headOf(database, written(hook));
    if (first && (!forced || first.status === "running" || first.forced === 1)) return "behind";
    if (first) database.run("update work set status = 'behind' where seq = ?", first.seq); // it may be paused: who asks does not wait for that
    return "waiting";
  };
  if (!displaces) return bounded(database, hook, { status: standing(), ended: [] });
  const waiting = database.all<Work>(`select ${workColumns} from work where hook = ? and ${waits}`, written(hook));
  const displaced = waiting.filter((one) => (forced || one.forced === 0) && (cancels || !hasBegun(database, one)));
  const ended = displaced.flatMap(
    (one) => end(database, one, hasBegun(database, one) ? "cancelled" : "skipped", tookItsPlace, now) ?? [],
  );
  if (cancels)
    database.run("update work set cancelled = ? where seq = ? and status = 'running'", tookItsPlace, head.seq);
  const status = standing();
  if (displaced.length === 0) return bounded(database, hook, { status, ended });
  return { status, seq: Math.min(...displaced.map(({ seq }) => seq)), ended };
}

/** It has neither begun nor been handed over. */
export const waits = "status in ('waiting', 'behind')";

/** What takes no other's place needs one of its own (SAFETY F14). */
function bounded(database: Database, hook: HookId, place: Place): Place {
  const full = fullQueue({
    ofHook: countOf(database, `select count(*) as count from work where hook = ? and ${waits}`, written(hook)),
    inAll: countOf(database, "select count(*) as count from work"),
  });
  return full === undefined ? place : { refused: full };
}

const countOf = (database: Database, sql: string, ...values: string[]): number =>
  database.get<{ count: number }>(sql, ...values)?.count ?? 0;

const headOf = (database: Database, hook: string): Work | undefined =>
  database.get(`select ${workColumns} from work where hook = ? and status in ('waiting', 'running')`, hook);

/** A run whose worker died has done something already, so it is no event that waits. */
export const hasBegun = (database: Database, { run }: Pick<Work, "run">): boolean =>
  database.get("select 1 from step where run = ? limit 1", run) !== undefined;

/** Closes the run's row, and lets the next of its hook come to the head. Undefined: its row is not there any more. */
export function end(
  database: Database,
  work: Work,
  status: RunStatus,
  reason: string,
  now: Instant,
): Ended | undefined {
  database.run(
    "update run set status = ?, reason = ?, ms = max(0, ? - started) where id = ?",
    status,
    written(reason),
    now,
    work.run,
  );
  const row = runNamed(database, readBack(work.run));
  const kept = database.get<{ hook: string }>(hookOf, work.seq);
  leave(database, work);
  return row && kept && { run: row, hook: JSON.parse(kept.hook) }; // as it was added
}
const hookOf = "select json_extract(item, '$.hook') as hook from work where seq = ?";

/** The run has ended: what its steps gave is in its row, but for secrets, which are to be nowhere. */
export function leave(database: Database, { run, hook }: Pick<Work, "run" | "hook">): void {
  if (hasBegun(database, { run })) database.shred();
  database.run("delete from step where run = ?", run);
  database.run("delete from work where run = ?", run);
  database.run(promotesNext, hook);
}
export const promotesNext: string = promoting("select ? as hook");

/**
 * Whether a row of work may be begun: not while its hook, its project or its project's folder is paused, but for what a
 * person asks for. The plus keeps the pauses from being looked up in an index, so that no item is read where there are none.
 */
export const isFree = `(work.forced = 1 or not exists (select 1 from pause where +what in
  (work.hook, 'project:' || work.project, json_extract(work.item, '$.hook.origin.root'))))`;

/** How many durable runs wait and run, for those who look after them. */
export interface WorkCounts {
  waiting: number;
  running: number;
  /** Other machines perform them, or they wait there. */
  handedOver: number;
}

export function workCounts(database: Database): WorkCounts {
  const rows = database.all<{ state: keyof WorkCounts; count: number }>(
    `select case status when 'running' then 'running' when 'sent' then 'handedOver' else 'waiting' end as state,
       count(*) as count from work group by 1`,
  );
  const counts = Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
  return { waiting: 0, running: 0, handedOver: 0, ...counts };
}
