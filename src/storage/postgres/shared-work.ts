/** Durable runs that machines share, in Postgres: overlap, places under the cap and workers are claimed here, each in one statement. */
import { HooklineError } from "../../engine/error.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Added, Ended, Kept } from "../../engine/journal.ts";
import type { Item } from "../../engine/queue.ts";
import { fullQueue } from "../../engine/queue.ts";
import type { Run, RunStatus } from "../../engine/record.ts";
import type { Begun, Hold, SharedWork } from "../../engine/shared-work.ts";
import { shorten, usualPayloadLimitInBytes } from "../sqlite/keep.ts";
import { runSchema } from "./shared-work-schema.ts";

/** What this needs of a connection to Postgres. Rejects with HooklineError store_unusable while it is away. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** What is asked of `sql` inside is one transaction, and what the store claims meanwhile is part of it. */
  transaction<T>(work: (sql: Pick<Sql, "query">) => Promise<T>): Promise<T>;
  /** Called after each notification on the channel, and after a connection was lost, until it is undone. */
  listen(channel: string, heard: () => void): () => void;
}

export interface SharedWorkOptions {
  sql: Sql;
  /** Writes a run's row, as the store does. */
  saveRun(sql: Pick<Sql, "query">, run: Run): Promise<void>;
  run(sql: Pick<Sql, "query">, id: string): Promise<Run | undefined>;
  /** A condition on a row `work`: what it says is not paused. */
  isFree: string;
  redact(text: string): string;
  /** The number of the run schema; tests have several. */
  version?: number;
}

/** A run that was begun so often and never ended is not begun again: it would end its workers for ever. */
const attemptsAtMost = 3;
const interruption = "the process that ran it ended before the run did";
const tookItsPlace = "overlap: a later event took its place";
const channel = "hookline_work";
const wake = `select pg_notify('${channel}', '')`;
const mine = "run = $1 and token = $2 and status = 'running'";

export function createSharedWork(options: SharedWorkOptions): SharedWork {
  const { sql, saveRun, isFree, redact, version = runSchema } = options;

  /** Without secrets: a hook that needs one names the variable that holds it. What is large of the event is cut, as it is recorded. */
  function textOf({ run, hook, event }: Item): string {
    const text = JSON.stringify(hook);
    if (redact(text) !== text) {
      const reason = "it holds a secret, which may not be written to the store";
      throw new HooklineError("hook_invalid", { name: hook.name, reason, where: hook.id });
    }
    const { data, turn, figures, changes, ...rest } = event;
    const large = shorten(redact(JSON.stringify({ data, turn, figures, changes })), usualPayloadLimitInBytes);
    return `[${redact(JSON.stringify(run))},${text},${redact(JSON.stringify(rest))},${large}]`;
  }

  /** Of a hook of which nothing waits or runs: one statement, and the index decides between two who add at once. */
  async function addFirst(tx: Pick<Sql, "query">, item: Item, text: string): Promise<boolean> {
    const rows = await tx.query(
      `insert into work (run, seq, hook, project, version, item, status, forced)
       select $1, nextval('work_seq'), $2, $3, $4, $5, 'waiting', $6
       where (select count(*) from work) < $7 on conflict do nothing returning run`,
      [...columnsOf(item, text), allAtMost],
    );
    return rows.length > 0;
  }
  const columnsOf = ({ run, hook, event }: Item, text: string): unknown[] => [
    run.id,
    hook.id,
    hook.project ?? null,
    version,
    text,
    event.to?.force === true,
  ];

  /** Beside others of its hook. Undefined: the head has gone meanwhile. */
  async function addBeside(tx: Pick<Sql, "query">, item: Item, text: string): Promise<Added | undefined> {
    const { hook, event } = item;
    if ((await tx.query("select 1 from work where run = $1", [item.run.id])).length > 0)
      return { is: "queued", ended: [] };
    const heads = await tx.query<Head>(
      "select run, status, forced, version from work where hook = $1 and status <> 'behind' for update",
      [hook.id],
    );
    const [{ ofHook = 0, inAll = 0 } = {}] = await tx.query<{ ofHook: number; inAll: number }>(
      `select (select count(*) from work where hook = $1 and status <> 'running')::int as "ofHook",
              (select count(*) from work)::int as "inAll"`,
      [hook.id],
    );
    const [head] = heads;
    if (!head) {
      const full = fullQueue({ ofHook, inAll });
      return full === undefined ? undefined : { is: "skipped", reason: full };
    }
    const { refuses, displaces, cancels } = overlaps[hook.limits.overlap];
    if (refuses) return { is: "skipped", reason: head.status === "running" ? "overlap: it is still running" : itWaits };
    const forced = event.to?.force === true;
    const ended: Ended[] = [];
    let seq: string | undefined;
    if (displaces) {
      const gone = await tx.query<{ run: string; seq: string; item: string }>(
        `delete from work where hook = $1 and status <> 'running' and (forced = false or $2) returning run, seq, item`,
        [hook.id, forced],
      );
      for (const one of gone.toSorted((left, right) => Number(left.seq) - Number(right.seq))) {
        seq ??= one.seq;
        ended.push(await close(tx, itemIn(one.item), "skipped", tookItsPlace));
      }
      if (cancels)
        await tx.query("update work set cancelled = $2 where run = $1 and status = 'running'", [
          head.run,
          tookItsPlace,
        ]);
    }
    const full = seq === undefined ? fullQueue({ ofHook, inAll }) : undefined;
    if (full !== undefined) return { is: "skipped", reason: full };
    const stays = head.status === "running" || !ended.some(({ run }) => run.id === head.run);
    const goesFirst = stays && forced && head.status === "waiting" && !head.forced; // who asks does not wait for a pause
    if (goesFirst) await tx.query("update work set status = 'behind' where run = $1", [head.run]);
    await tx.query(
      `insert into work (run, seq, hook, project, version, item, status, forced)
       values ($1, coalesce($7::bigint, nextval('work_seq')), $2, $3, $4, $5, $8, $6)`,
      [...columnsOf(item, text), seq ?? null, stays && !goesFirst ? "behind" : "waiting"],
    );
    return { is: "queued", ended };
  }

  async function close(tx: Pick<Sql, "query">, item: Item, status: RunStatus, reason: string): Promise<Ended> {
    const known = (await options.run(tx, item.run.id)) ?? item.run;
    const [{ at = known.startedAt } = {}] = await tx.query<{ at: number }>(nowInMilliseconds);
    const run: Run = { ...known, status, reason, ms: Math.max(0, at - known.startedAt) };
    await saveRun(tx, run);
    return { run, hook: item.hook };
  }

  /** Lets the next of the hook come to the head. A statement of its own: it has to see what another has just added. */
  const promote = (tx: Pick<Sql, "query">, hook: string): Promise<unknown> =>
    tx.query(
      `update work set status = 'waiting' where run =
         (select run from work where hook = $1 and status = 'behind' order by forced desc, seq limit 1)
       and not exists (select 1 from work where hook = $1 and status <> 'behind')`,
      [hook],
    );

  async function remove(
    tx: Pick<Sql, "query">,
    run: string,
    condition: string,
    values: unknown[],
  ): Promise<Item | undefined> {
    const [gone] = await tx.query<{ hook: string; item: string }>(
      `with gone as (delete from work where run = $1 and ${condition} returning run, hook, item),
         freed as (update work_place set run = null where run in (select run from gone))
       select hook, item from gone`,
      [run, ...values],
    );
    if (!gone) return undefined;
    await promote(tx, gone.hook);
    return itemIn(gone.item);
  }

  async function endedBy(
    run: string,
    condition: string,
    end: { status: RunStatus; reason: string },
  ): Promise<Ended | undefined> {
    return sql.transaction(async (tx) => {
      const item = await remove(tx, run, condition, []);
      return item && close(tx, item, end.status, end.reason);
    });
  }

  return {
    async add(item) {
      const text = textOf(item);
      const added = await sql.transaction(async (tx): Promise<Added> => {
        for (;;) {
          const first = await addFirst(tx, item, text);
          const found = first ? ({ is: "queued", ended: [] } as const) : await addBeside(tx, item, text);
          if (!found) continue;
          const refused = found.is === "skipped" ? { status: "skipped" as const, reason: found.reason, ms: 0 } : {};
          if ((await options.run(tx, item.run.id))?.status === undefined || found.is === "skipped")
            await saveRun(tx, { ...item.run, ...refused });
          await tx.query(wake);
          return found;
        }
      });
      return added;
    },

    async cancel(run) {
      const waited = await endedBy(run, "status <> 'running'", notStarted);
      if (waited) return waited;
      await sql.query("update work set cancelled = coalesce(cancelled, 'cancelled') where run = $1", [run]);
      await sql.query(wake);
      return undefined;
    },

    async ended(runs) {
      if (runs.length === 0) return [];
      const gone = await sql.query<{ run: string }>(
        "select run from unnest($1::text[]) run where not exists (select 1 from work where work.run = run.run)",
        [runs],
      );
      const rows = await Promise.all(gone.map(({ run }) => options.run(sql, run)));
      return rows.filter((row) => row !== undefined);
    },

    async begin({ member, cap, limit }) {
      const token = crypto.randomUUID();
      const rows = await sql.query<{ item: string }>(begins(isFree), [cap, limit, version, member.id, token]);
      return rows.map(({ item: text }) => {
        const item = itemIn(text);
        return { item, hold: { run: item.run.id, token } };
      });
    },

    async resume(member, run) {
      const token = crypto.randomUUID();
      return sql.transaction(async (tx): Promise<Begun | { ended: Ended } | undefined> => {
        const [row] = await tx.query<{
          item: string;
          attempts: number;
          cancelled: string | null;
          worker: string | null;
        }>("select item, attempts, cancelled, worker from work where run = $1 and status = 'running' for update", [
          run,
        ]);
        if (!row) return undefined;
        const item = itemIn(row.item);
        const over =
          row.cancelled !== null
            ? ({ status: "cancelled", reason: row.cancelled } as const)
            : row.attempts >= attemptsAtMost
              ? ({ status: "interrupted", reason: `${interruption}, ${row.attempts} times` } as const)
              : undefined;
        if (over) {
          await remove(tx, run, "true", []);
          return { ended: await close(tx, item, over.status, over.reason) };
        }
        await tx.query(
          "update work set token = $2, worker = $3, attempts = attempts + 1, since = clock_timestamp() where run = $1",
          [run, token, member.id],
        );
        return {
          item: row.attempts === 0 ? item : begunAgain(item, row.attempts),
          hold: { run, token },
          ...(row.worker === null ? {} : { before: row.worker }),
        };
      });
    },

    async parts(run) {
      const rows = await sql.query<{ name: string; result: string }>(
        "select name, result from work_part where run = $1",
        [run],
      );
      return new Map(rows.map(({ name, result }) => [name, JSON.parse(result) as Kept])); // as keep wrote it
    },
    keep: async (hold, part, result) => (await keep(sql, hold, part, result)).length > 0,
    record: (hold, part, work) =>
      sql.transaction(async (tx) => {
        const held = await tx.query<{ result: string | null }>(
          `select result from work left join work_part on work_part.run = work.run and name = $3
           where work.${mine} for update of work`,
          [hold.run, hold.token, part],
        );
        const [row] = held;
        if (!row) return undefined;
        if (row.result !== null) return JSON.parse(row.result); // as below; it had been done and was asked for again
        const value = await work();
        await keep(tx, hold, part, { value });
        return { value };
      }),

    async save(hold, run) {
      const { status } = run;
      if (status === "queued" || status === "running")
        return sql.transaction(async (tx) => {
          const held = await tx.query(`select 1 from work where ${mine} for update`, [hold.run, hold.token]);
          if (held.length > 0) await saveRun(tx, run);
          return held.length > 0;
        });
      return sql.transaction(async (tx) => {
        const [{ cancelled = null } = {}] =
          status === "cancelled"
            ? await tx.query<{ cancelled: string | null }>("select cancelled from work where run = $1", [run.id])
            : [];
        const gone = await remove(tx, run.id, "token = $2 and status = 'running'", [hold.token]);
        if (gone) {
          await saveRun(tx, cancelled === null ? run : { ...run, reason: cancelled });
          return true;
        }
        const row = await options.run(tx, run.id); // it may have been written, and the answer lost
        return row?.status === status && row.ms === run.ms;
      });
    },

    async release(member, runs) {
      await sql.query(
        `update work set worker = null, token = null, attempts = greatest(0, attempts - 1), since = clock_timestamp()
         where worker = $1 and status = 'running' and ($2::text[] is null or run = any($2))`,
        [member.id, runs ?? null],
      );
    },
    async putBack(run) {
      await sql.query(
        `with back as (update work set status = 'waiting', worker = null, token = null, attempts = 0
           where run = $1 and status = 'running' returning run)
         update work_place set run = null where run in (select run from back)`,
        [run],
      );
      await sql.query(wake);
    },
    fail: (run, reason) => endedBy(run, "true", { status: "failed", reason }),

    async join(member, lease) {
      const taken = await sql.query(
        `insert into worker (id, token, place, version) values ($1, $2, $3, $4)
         on conflict (id) do update set token = $2, place = $3, version = $4, since = clock_timestamp(), seen = clock_timestamp()
         where worker.seen < clock_timestamp() - make_interval(secs => $5) or worker.token = $2
         returning id`,
        [member.id, member.token, member.where, version, lease],
      );
      if (taken.length > 0) return undefined;
      const [row] = await sql.query<{ place: string }>("select place from worker where id = $1", [member.id]);
      return { holder: row?.place ?? "another process" };
    },
    async leave(member) {
      await sql.query("delete from worker where id = $1 and token = $2", [member.id, member.token]);
    },
    async beat(member) {
      const rows = await sql.query<{ is: boolean; run: string | null; token: string | null; cancelled: string | null }>(
        `with beat as (update worker set seen = clock_timestamp() where id = $1 and token = $2 returning id)
         select beat.id is not null as is, work.run, work.token, work.cancelled
         from (values (1)) one left join beat on true left join work on work.worker = $1 and work.status = 'running'`,
        [member.id, member.token],
      );
      return {
        isMember: rows.some(({ is }) => is),
        held: new Map(
          rows.flatMap(({ run, token, cancelled }) =>
            run === null || token === null ? [] : [[run, { token, ...(cancelled === null ? {} : { cancelled }) }]],
          ),
        ),
      };
    },
    adrift: (lease, look) =>
      sql.transaction(async (tx) => {
        const [{ leads = false } = {}] = await tx.query<{ leads: boolean }>(
          "select pg_try_advisory_xact_lock(hashtext('hookline adrift')) as leads",
        );
        if (!leads) return;
        const living = await tx.query<{ id: string }>(
          "select id from worker where seen >= clock_timestamp() - make_interval(secs => $1)",
          [lease],
        );
        const runs = await tx.query<{ run: string; worker: string | null }>(
          `select run, worker from work where status = 'running' and version = $1
           and (worker is null or not exists
             (select 1 from worker where id = work.worker and seen >= clock_timestamp() - make_interval(secs => $2)))`,
          [version, lease],
        );
        await look(
          runs.map(({ run, worker }) => ({ run, ...(worker === null ? {} : { worker }) })),
          new Set(living.map(({ id }) => id)),
        );
      }),
    async counts() {
      const [row] = await sql.query<Awaited<ReturnType<SharedWork["counts"]>>>(
        `select count(*) filter (where status <> 'running')::int as waiting,
                count(*) filter (where status = 'running')::int as running,
                count(*) filter (where version <> $1)::int as stranded,
                (select count(*) from worker where seen >= clock_timestamp() - interval '10 seconds')::int as workers
         from work`,
        [version],
      );
      return row ?? { waiting: 0, running: 0, stranded: 0, workers: 0 };
    },
    listen: (heard) => sql.listen(channel, heard),
  };
}

interface Head {
  run: string;
  status: "waiting" | "running";
  forced: boolean;
}

interface Overlap {
  refuses?: true;
  displaces?: true;
  cancels?: true;
}
/** What becomes of an event that comes while its hook runs, or waits to (R23, R53). */
const overlaps: Record<Item["hook"]["limits"]["overlap"], Overlap> = {
  skip: { refuses: true },
  queue: {},
  coalesce: { displaces: true },
  restart: { displaces: true, cancels: true },
};
const itWaits = "overlap: it waits to run already";
const notStarted = { status: "skipped", reason: "cancelled before it started" } as const;
/** As in engine/queue.ts, which says it in words. */
const allAtMost = 20_000;
const nowInMilliseconds = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as at";

/**
 * As many of those that wait as there are places free. Who takes a place locks its row, so two workers never take the same one,
 * and neither waits for the other.
 */
const begins = (isFree: string): string => `
  with free as (
    select number, row_number() over (order by number) as at
    from (select number from work_place where run is null and number <= $1
          order by number limit $2 for update skip locked) places),
  next as (
    select run, row_number() over (order by seq) as at
    from (select run, seq from work where status = 'waiting' and version = $3 and ${isFree}
          order by seq limit (select count(*) from free) for update skip locked) waiting),
  pairs as (select number, run from free join next using (at)),
  placed as (update work_place set run = pairs.run from pairs where work_place.number = pairs.number)
  update work set status = 'running', worker = $4, token = $5, attempts = 1, since = clock_timestamp()
  from pairs where work.run = pairs.run returning item`;

const keep = (tx: Pick<Sql, "query">, { run, token }: Hold, part: string, result: Kept): Promise<unknown[]> =>
  tx.query(
    `insert into work_part (run, name, result) select $1, $3, $4 where exists (select 1 from work where ${mine})
     on conflict (run, name) do update set result = excluded.result returning name`,
    [run, token, part, JSON.stringify(result)],
  );

function itemIn(text: string): Item {
  const [run, hook, event, large]: [Run, Hook, Item["event"], Partial<Item["event"]>] = JSON.parse(text); // as textOf wrote it
  return { run, hook, event: { ...event, ...large } };
}

function begunAgain(item: Item, times: number): Item {
  const note = `begun again, as ${interruption} (${times} of at most ${attemptsAtMost - 1} times)`;
  return { ...item, run: { ...item.run, notes: [...item.run.notes, note] } };
}

/** There must be as many places as the highest cap; they stay. */
export const makePlaces = (sql: Pick<Sql, "query">, cap: number): Promise<unknown> =>
  sql.query("insert into work_place (number) select generate_series(1, $1::int) on conflict do nothing", [cap]);
