/** Deletes what is older than the setting, in small parts, so that no writer waits long for one. */
import type { Instant } from "../../engine/event.ts";
import type { Database } from "./database.ts";

const day = 86_400_000;

/** Whose old rows are forgotten: table by table, in the order of a key, in windows of so many keys. */
interface Old {
  table: string;
  key: string;
  at: string;
  /** What stays, however old it is. */
  but?: string;
  /** Rows came in their order: behind several windows without an old one there is none. */
  inOrder?: true;
}
/** Runs in progress stay, and so do claims: a total of runs holds for good. */
const oldRows: readonly Old[] = [
  { table: "run", key: "seq", at: "started", but: "status in ('queued', 'running')", inOrder: true },
  { table: "inbox", key: "seq", at: "at", inOrder: true },
  { table: "debt", key: "session", at: "at" },
  { table: "baseline", key: "session", at: "at" },
  { table: "session", key: "rowid", at: "at" },
  { table: "transcript", key: "rowid", at: "at" },
  { table: "hook_set", key: "rowid", at: "used" },
  { table: "event", key: "seq", at: "at", inOrder: true },
];
/** A clock that stood wrong has left rows that are out of order. */
const newInARow = 5;

/** One small transaction, which looks at so many rows and answers how many it forgot. */
type Part = (rows: number) => { forgotten: number; isLast: boolean };

function partsOf(database: Database, { table, key, at, but, inOrder }: Old, before: Instant): Part {
  const window = `select max(key) as last, count(*) as count from
    (select distinct ${key} as key from ${table} where ${key} > ?1 order by ${key} limit ?2)`;
  const forget = `delete from ${table} where ${key} > ? and ${key} <= ? and ${at} < ?${but ? ` and not (${but})` : ""}`;
  let done: number | string = key === "session" ? "" : 0;
  let withoutAny = 0;
  return (rows) => {
    const { last, count } = database.get<{ last: number | string; count: number }>(window, done, rows) ?? nothing;
    if (last === null) return { forgotten: 0, isLast: true };
    const forgotten = database.run(forget, done, last, before);
    done = last;
    withoutAny = forgotten === 0 ? withoutAny + 1 : 0;
    return { forgotten, isLast: count < rows || (inOrder === true && withoutAny >= newInARow) };
  };
}
const nothing = { last: null, count: 0 };

/**
 * Lets the next run of each hook be the first where there is none: before others what a person asked for, then the oldest.
 *
 * @param hooks a query for ids in the column "hook"
 */
export const promoting = (hooks: string): string => `update work set status = 'waiting' where seq in (
  select (select seq from work where hook = queue.hook and status = 'behind' order by forced desc, seq limit 1)
  from (${hooks}) queue
  where not exists (select 1 from work where hook = queue.hook and status in ('waiting', 'running')))`;

/**
 * Durable runs that no worker has begun for so long end with the reason, which stays readable until the next time. Those behind
 * them may begin.
 */
const waitsTooLong = "from work where status <> 'running' and created < ?1";
const oldWork = `select run ${waitsTooLong} order by seq limit ?2`;
const hooksOfOldWork = `select hook ${waitsTooLong} order by seq limit ?2`;
const endsOldWork: readonly string[] = [
  `update run set ms = 0,
     status = iif(exists (select 1 from step where step.run = run.id), 'cancelled', 'skipped'),
     reason = 'it waited longer than runs are kept, since ' || strftime('%Y-%m-%dT%H:%M:%SZ', started / 1000, 'unixepoch')
     where id in (${oldWork})`,
  `delete from step where run in (${oldWork})`,
  `delete from work where run in (${oldWork})`,
];
const promotesThose = promoting("select value as hook from json_each(?)");

/** What their steps gave is kept with secrets until then. */
function oldWorkOf(database: Database, before: Instant): Part {
  return (rows) => {
    if (!database.get(`select 1 ${waitsTooLong} limit 1`, before)) return { forgotten: 0, isLast: true };
    database.shred();
    database.write(() => {
      const hooks = database.all<{ hook: string }>(hooksOfOldWork, before, rows).map(({ hook }) => hook);
      for (const sql of endsOldWork) database.run(sql, before, rows);
      database.run(promotesThose, JSON.stringify([...new Set(hooks)]));
    });
    settleSteps(database);
    return { forgotten: 0, isLast: false };
  };
}

/** In their order, each made when it is its turn. */
const partsFor = (database: Database, before: Instant): (() => Part)[] => [
  ...oldRows.map((old) => () => partsOf(database, old, before)),
  () => oldWorkOf(database, before),
];

const rowsAtOnce = 2_000;

/** Answers how many events were forgotten. */
export const purge = (database: Database, before: Instant): number =>
  forget(database, before, Number.POSITIVE_INFINITY).events;

/** @param most rows, about; where more are old, not all was forgotten */
function forget(database: Database, before: Instant, most: number): { events: number; isAll: boolean } {
  let [events, rows] = [0, 0];
  for (const [index, make] of partsFor(database, before).entries()) {
    const work = make();
    for (let isLast = false; !isLast; ) {
      if (rows >= most) return { events, isAll: false };
      const done = work(rowsAtOnce);
      isLast = done.isLast;
      rows += done.forgotten;
      if (oldRows[index]?.table === "event") events += done.forgotten;
    }
  }
  return { events, isAll: true };
}

/** For a process that ends soon, and whose agent waits for its end: after a long rest the next ones go on with it. */
const forgottenAtAnEnd = 4_000;

/** At most once a day, whatever number of processes ask: the one that changes the row does it. */
export function purgeIfDue(database: Database, keptFor: number, now: Instant): void {
  if (!isPurgeDue(database, now)) return;
  const { isAll } = forget(database, now - keptFor * day, forgottenAtAnEnd);
  if (!isAll) database.run("update meta set value = ? where key = 'purged'", now - day);
}

function isPurgeDue(database: Database, now: Instant): boolean {
  const last = database.get<{ value: number }>("select value from meta where key = 'purged'")?.value;
  if (last !== undefined && Math.abs(now - last) < day) return false;
  const mine = database.run(
    `insert into meta (key, value) values ('purged', ?1) on conflict (key) do update set value = ?1 where abs(?1 - value) >= ${day}`,
    now,
  );
  return mine === 1 && last !== undefined;
}

export interface SlowPurge {
  /** Ends in the middle, if it is at it: what is left is forgotten another day. Safe to call twice. */
  stop(): void;
}
export interface SlowPurgeOptions {
  retentionDays: number;
  now(): Instant;
  /** Milliseconds: until the first look, between looks, and between two parts. */
  waits?: { first: number; look: number; part: number };
  /** Milliseconds on a monotonic clock. */
  elapsed?(): number;
}
const usualWaits = { first: 60_000, look: 3_600_000, part: 20 };
/** A part takes about so many milliseconds, and looks at as many rows as that lets it. */
const partTakes = 1;
const fewestRows = 16;

/** For processes that stay: the same, but a part now and a part then, so that no event waits for more than one. */
export function purgeSlowly(
  database: Database,
  { retentionDays, now, waits = usualWaits, elapsed = () => performance.now() }: SlowPurgeOptions,
): SlowPurge {
  let left: (() => Part)[] = [];
  let part: Part | undefined;
  let rows = fewestRows;
  let timer = later(look, waits.first);

  /** Never throws: where the store is locked, full or read-only, the next caller hears of that. */
  function look(): void {
    try {
      if (isPurgeDue(database, now())) left = partsFor(database, now() - retentionDays * day);
    } catch {
      // it is looked again in an hour
    }
    next();
  }

  function doPart(): void {
    const began = elapsed();
    try {
      part ??= left.shift()?.();
      if (part?.(rows).isLast !== false) part = undefined;
      const took = elapsed() - began;
      rows = took < partTakes ? Math.min(rows * 2, rowsAtOnce) : Math.max(rows >> 1, fewestRows);
    } catch {
      left = []; // as above: it is done another day
      part = undefined;
    }
    next();
  }

  function next(): void {
    const isAtIt = part !== undefined || left.length > 0;
    timer = isAtIt ? later(doPart, waits.part) : later(look, waits.look);
  }

  return { stop: () => clearTimeout(timer) };
}

/** Keeps no process alive. */
const later = (work: () => void, milliseconds: number): NodeJS.Timeout => setTimeout(work, milliseconds).unref();

/** While a run holds what its steps gave, the log would only fill again. */
export function settleSteps(database: Database): void {
  database.settle(() => database.get("select 1 from step limit 1") === undefined);
}
