/** Durable runs that machines share, in Postgres: overlap, places under the cap and workers are claimed here, each in one statement. */
import type { Ended, Kept } from "../../../engine/journal.ts";
import type { Item } from "../../../engine/queue.ts";
import type { Refusal, Run, RunStatus } from "../../../engine/record.ts";
import type { Begun, Hold, SharedWork } from "../../../engine/shared-work.ts";
import { createKeeper, type Keeping } from "../../sqlite/keep.ts";
import { interruption, written } from "../../sqlite/rows.ts";
import type { Connection, Query } from "../connection.ts";
import { claimIn } from "../postgres.ts";
import { identity } from "../schema.ts";
import { type Adding, addTo, itemIn, itemText, promote } from "./adding.ts";
import { createMembers } from "./members.ts";
import { createRunRows } from "./rows.ts";

export interface SharedWorkOptions extends Keeping {
  connection: Connection;
}

/**
 * The number of the form of a run's item and of the names of its steps. A worker performs runs of its own number only: raise it when
 * one of them changes, and let the workers of the old number finish theirs.
 */
export const runSchema = 1;

/** A run that was begun so often and never ended is not begun again: it would end its workers for ever. */
const attemptsAtMost = 3;
const channel = "hookline_work";
const wake = `select pg_notify('${channel}', '')`;
const claimed = "claim";
/** Why a run ends that a person has cancelled. */
const usualReason = "cancelled";

/** What its parts work with. */
interface At {
  version: number;
  redact(text: string): string;
  runRows: ReturnType<typeof createRunRows>;
  /** A statement that may be asked twice is no transaction of its own: that would be three. */
  ask: Query;
  together<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

/** @param version the run schema; tests have several */
export function createSharedWork(options: SharedWorkOptions, version: number = runSchema): SharedWork {
  const { connection, redact = (text: string): string => text } = options;
  const ask: Query = connection.read;
  const together: At["together"] = (work) => connection.transaction({ again: true }, work);
  const at: At = { version, redact, runRows: createRunRows(createKeeper(options)), ask, together };
  let name: Promise<string> | undefined;
  return {
    identity() {
      name ??= ask<{ value: string }>("select value from hookline.meta where key = $1", [identity]).then(
        ([row]) => row?.value ?? "",
      );
      name.catch(() => {
        name = undefined;
      });
      return name;
    },
    ...sentRuns(at),
    ...heldRuns(at),
    ...partsOfRuns(at),
    ...createMembers({ ask, askOnce: connection.readOnce, together, version }),
    listen: (heard) => connection.listen(channel, heard),
  };
}

/** What a machine hands over, and what it asks of that. */
function sentRuns(at: At): Pick<SharedWork, "add" | "cancel" | "withdraw" | "takeBack" | "left"> {
  const { ask, together, runRows, redact, version } = at;
  return {
    async add(item) {
      const adding: Adding = { item, text: itemText(item, redact), version };
      return together(async (query) => {
        const [known] = await runRows.named(query, [item.run]);
        if (hasEnded(known)) return { is: "queued", ended: [] }; // handed over once more
        const added = await addTo(query, adding, (other, why) =>
          end(at, query, { item: other, over: ["skipped", why], asAdded: true }),
        );
        const { run } = item;
        await runRows.save(
          query,
          added.is === "skipped" ? { ...run, status: "skipped", reason: added.reason, ms: 0 } : run,
        );
        await query(wake);
        return added;
      });
    },

    async cancel(run, because = usualReason) {
      const waited = await endWaiting(at, run, because === usualReason ? "cancelled before it started" : because);
      if (waited) return waited;
      await ask("update hookline.work set cancelled = coalesce(cancelled, $2) where run = $1", [written(run), because]);
      await ask(wake);
      return undefined;
    },

    withdraw: (run, reason) => endWaiting(at, run, reason),

    takeBack: (run) =>
      together(async (query) => (await remove(query, written(run), "status <> 'running'")) !== undefined),

    async left(runs) {
      if (runs.length === 0) return new Map();
      const ids = runs.map(({ id }) => written(id));
      const held = await ask<{ run: string }>("select run from hookline.work where run = any($1::text[])", [ids]);
      const areHeld = new Set(held.map(({ run }) => run));
      const gone = runs.filter(({ id }) => !areHeld.has(written(id)));
      const rows = new Map((await runRows.named(ask, gone)).map((row) => [row.id, row]));
      return new Map(gone.map(({ id }) => [id, hasEnded(rows.get(id)) ? rows.get(id) : undefined]));
    },
  };
}

/** Which worker has which run. */
function heldRuns(at: At): Pick<SharedWork, "makePlaces" | "begin" | "resume" | "release" | "putBack" | "fail"> {
  const { ask, together, version } = at;
  return {
    async makePlaces(cap) {
      await ask(
        "insert into hookline.work_place (number) select generate_series(1, $1::integer) on conflict do nothing",
        [cap],
      );
    },
    async begin({ member, cap, limit, elsewhere }) {
      const token = crypto.randomUUID();
      const begun = await ask<{ item: string; seq: number }>(begin, [
        ...[cap, limit, version, member.id, token],
        elsewhere.map(written),
      ]);
      return begun
        .sort((left, right) => left.seq - right.seq)
        .map(({ item: text }) => {
          const item = itemIn(text);
          return { item, hold: { run: item.run.id, token } };
        });
    },
    resume: (member, run) =>
      together(async (query): Promise<Begun | { ended: Ended } | undefined> => {
        const [row] = await query<{ item: string; attempts: number; cancelled: string | null; worker: string | null }>(
          "select item, attempts, cancelled, worker from hookline.work where run = $1 and status = 'running' for update",
          [written(run)],
        );
        if (!row) return undefined;
        const item = itemIn(row.item);
        const over = endOf(row);
        if (over) {
          await remove(query, written(run), "true");
          return { ended: await end(at, query, { item, over, asAdded: false }) };
        }
        const token = crypto.randomUUID();
        await query(
          `update hookline.work set token = $2, worker = $3, attempts = attempts + 1, since = clock_timestamp() where run = $1`,
          [written(run), token, member.id],
        );
        const hold = { run, token };
        if (row.attempts === 0) return { item, hold, again: true };
        return {
          item: begunAgain(item, row.attempts),
          hold,
          again: true,
          ...(row.worker !== null && { before: row.worker }),
        };
      }),

    async release(member, runs) {
      await ask(
        `update hookline.work set worker = null, token = null, attempts = greatest(0, attempts - 1), since = clock_timestamp()
         where worker = $1 and status = 'running' and ($2::text[] is null or run = any($2::text[]))
           and exists (select 1 from hookline.worker where id = $1 and token = $3)`, // not those of who took its name over
        [member.id, runs?.map(written) ?? null, member.token],
      );
    },
    async putBack(run) {
      await ask(
        `with back as (update hookline.work set status = 'waiting', worker = null, token = null, attempts = 0
           where run = $1 and status = 'running' returning run)
         update hookline.work_place set run = null where run in (select run from back)`,
        [written(run)],
      );
      await ask(wake);
    },
    fail: (run, reason) =>
      together(async (query) => {
        const item = await remove(query, written(run), "true");
        return item && end(at, query, { item: item, over: ["failed", reason], asAdded: false });
      }),
  };
}

/** What a run in progress gives, as long as it is its worker's. */
function partsOfRuns({ ask, together, runRows }: At): Pick<SharedWork, "parts" | "keep" | "claim" | "save"> {
  return {
    async parts(run) {
      const sql = "select name, result from hookline.work_part where run = $1";
      const parts = await ask<{ name: string; result: string }>(sql, [written(run)]);
      return new Map(parts.map(({ name, result }) => [name, JSON.parse(result) as Kept])); // as keep wrote it
    },
    keep: (hold, part, result) => keep(ask, hold, part, result),
    claim: (hold, claims) =>
      together(async (query) => {
        const known = "select result from hookline.work_part where run = $1 and name = $2";
        const [row] = await query<{ result: string }>(known, [written(hold.run), claimed]);
        if (row) return (JSON.parse(row.result) as Kept<Refusal>).value; // as below
        const [{ now = 0 } = {}] = await query<{ now: number }>(clock);
        const refusal = await claimIn(query, claims, now);
        await keep(query, hold, claimed, refusal === undefined ? {} : { value: refusal });
        return refusal;
      }),
    async save(hold, run, parts = new Map()) {
      const { status } = run;
      if (status === "queued" || status === "running") return runRows.saveHeld(ask, hold, run, parts);
      if (await runRows.end(ask, hold, run)) return true;
      const [row] = await runRows.named(ask, [run]); // it may have been written, and the answer lost
      return row?.status === status && row.ms === run.ms;
    },
  };
}

async function remove(query: Query, run: string, condition: string): Promise<Item | undefined> {
  const [gone] = await query<{ hook: string; item: string }>(
    `with gone as (delete from hookline.work where run = $1 and ${condition} returning run, hook, item),
       freed as (update hookline.work_place set run = null where run in (select run from gone))
     select hook, item from gone`,
    [run],
  );
  if (!gone) return undefined;
  await query(promote, [gone.hook]);
  return itemIn(gone.item);
}

interface Ending {
  item: Item;
  over: End;
  /** Its row stands as it was added, so it need not be read. */
  asAdded: boolean;
}

async function end({ runRows }: At, query: Query, { item, over: [status, reason], asAdded }: Ending): Promise<Ended> {
  const known = asAdded ? item.run : ((await runRows.named(query, [item.run]))[0] ?? item.run);
  const [{ now = known.startedAt } = {}] = await query<{ now: number }>(clock);
  const run = { ...known, status, reason, ms: Math.max(0, now - known.startedAt) };
  await runRows.save(query, run);
  return { run, hook: item.hook };
}

async function endWaiting(at: At, run: string, reason: string): Promise<Ended | undefined> {
  return at.together(async (query) => {
    const item = await remove(query, written(run), "status <> 'running'");
    return item && end(at, query, { item, over: ["skipped", reason], asAdded: true });
  });
}

const hasEnded = (row: Run | undefined): boolean =>
  row !== undefined && row.status !== "queued" && row.status !== "running";

type End = readonly [status: RunStatus, reason: string];

/** Why a run that was begun before is not begun again. */
function endOf({ attempts, cancelled }: { attempts: number; cancelled: string | null }): End | undefined {
  if (cancelled !== null) return ["cancelled", cancelled];
  return attempts >= attemptsAtMost ? ["interrupted", `${interruption}, ${attempts} times`] : undefined;
}

function begunAgain(item: Item, times: number): Item {
  const note = `begun again, as ${interruption} (${times} of at most ${attemptsAtMost - 1} times)`;
  return { ...item, run: { ...item.run, notes: [...item.run.notes, note] } };
}

const clock = "select floor(extract(epoch from clock_timestamp()) * 1000)::double precision as now";

/** Not while its hook, its project or its project's folder is paused, but for what a person asks for. */
export const isFree = `(work.forced or not exists (select 1 from hookline.pause
  where what in (work.hook, 'project:' || work.project, work.root)
  and (until is null or until > extract(epoch from clock_timestamp()) * 1000)))`;

/**
 * As many of those that wait as there are places free. Who takes a place locks its row, so that two workers never take the same one,
 * and neither waits for the other.
 */
const begin = `
  with free as (
    select number, row_number() over (order by number) as at
    from (select number from hookline.work_place where run is null and number <= $1::integer
          order by number limit $2::integer for update skip locked) places),
  next as (
    select run, row_number() over (order by seq) as at
    from (select run, seq from hookline.work where status = 'waiting' and version = $3::integer and ${isFree}
            and (root is null or root <> all($6::text[]))
          order by seq limit (select count(*) from free) for update skip locked) waiting),
  pairs as (select number, run from free join next using (at)),
  placed as (update hookline.work_place set run = pairs.run from pairs where work_place.number = pairs.number)
  update hookline.work set status = 'running', worker = $4, token = $5, attempts = 1, since = clock_timestamp()
  from pairs where work.run = pairs.run returning item, seq`;

async function keep(query: Query, { run, token }: Hold, part: string, result: Kept): Promise<boolean> {
  const kept = await query(
    `insert into hookline.work_part (run, name, result) select $1, $3, $4
     where exists (select 1 from hookline.work where run = $1 and token = $2 and status = 'running')
     on conflict (run, name) do update set result = excluded.result returning name`,
    [written(run), token, written(part), JSON.stringify(result)],
  );
  return kept.length > 0;
}
