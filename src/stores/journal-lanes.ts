/** The lanes of durable runs, one per hook: who is at the head, who comes next, and what becomes of an event that comes meanwhile. */
import type { HookId, Instant } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { Run, RunStatus } from "../core/record.ts";
import type { Database } from "./database.ts";
import { type RunRow, runFields, runOf, written } from "./rows.ts";

/** A row of the table work, as far as it is needed; ids as they are written. */
export interface Work {
  seq: number;
  run: string;
  hook: string;
  status: "waiting" | "running" | "behind";
  due: Instant;
  forced: number;
  owner: string | null;
  lease: Instant | null;
  recoveries: number;
  cancelled: string | null;
}
export const workColumns = "seq, run, hook, status, due, forced, owner, lease, recoveries, cancelled";

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
      due: Instant;
      /** Set: the place of another that made room. */
      seq?: number;
      ended: Run[];
    }
  | { refused: string };

interface Overlap {
  refuses?: true;
  /** Those that wait make room. */
  displaces?: true;
  /** The one that has begun ends. */
  cancels?: true;
}

/** What becomes of an event that comes while its hook runs, or waits to (R23, R53). */
const overlaps: Record<Hook["limits"]["overlap"], Overlap> = {
  skip: { refuses: true },
  queue: {},
  coalesce: { displaces: true },
  restart: { displaces: true, cancels: true },
};

const tookItsPlace = "overlap: a later event took its place";

/** To be called inside the transaction that then writes the newcomer down. */
export function makePlace(database: Database, { hook, overlap, forced, now }: Newcomer): Place {
  const { refuses, displaces, cancels } = overlaps[overlap];
  const head = headOf(database, written(hook));
  if (!head) return { status: "waiting", due: now, ended: [] };
  if (refuses) return { refused: refusals[head.status === "running" ? "running" : "waiting"] };
  if (!displaces) return { status: "behind", due: now, ended: [] };
  const waiting = database.all<Work>(
    `select ${workColumns} from work where hook = ? and status <> 'running'`,
    written(hook),
  );
  const displaced = waiting.filter((one) => (forced || one.forced === 0) && (cancels || !hasBegun(database, one)));
  const ended = displaced.flatMap(
    (one) => end(database, one, hasBegun(database, one) ? "cancelled" : "skipped", tookItsPlace, now) ?? [],
  );
  if (cancels)
    database.run("update work set cancelled = ? where seq = ? and status = 'running'", tookItsPlace, head.seq);
  const status = headOf(database, written(hook)) ? "behind" : "waiting";
  const [first] = displaced.sort((left, right) => left.due - right.due || left.seq - right.seq);
  return first ? { status, due: first.due, seq: first.seq, ended } : { status, due: now, ended };
}

const refusals = { running: "overlap: it is still running", waiting: "overlap: it waits to run already" } as const;

const headOf = (database: Database, hook: string): Work | undefined =>
  database.get(`select ${workColumns} from work where hook = ? and status in ('waiting', 'running')`, hook);

/** A run whose worker died has done something already, so it is no event that waits. */
export const hasBegun = (database: Database, { run }: Pick<Work, "run">): boolean =>
  database.get("select 1 from step where run = ? limit 1", run) !== undefined;

/** Closes the run's row, which is given back, and lets the next of its hook come to the head. */
export function end(database: Database, work: Work, status: RunStatus, reason: string, now: Instant): Run | undefined {
  database.run(
    "update run set status = ?, reason = ?, ms = max(0, ? - started) where id = ?",
    status,
    written(reason),
    now,
    work.run,
  );
  leave(database, work);
  return rowOf(database, work.run);
}

/** The run has ended: what its steps gave is in its row. */
export function leave(database: Database, { run, hook }: Pick<Work, "run" | "hook">): void {
  database.run("delete from step where run = ?", run);
  database.run("delete from work where run = ?", run);
  if (!headOf(database, hook)) database.run(promote, hook);
}
const promote = `update work set status = 'waiting' where seq = (
  select seq from work where hook = ? and status = 'behind' order by due, seq limit 1)`;

export function rowOf(database: Database, run: string): Run | undefined {
  const row = database.get<RunRow>(`select ${runFields.join()} from run where id = ?`, run);
  return row && runOf(row);
}
