/** Forgets what is older than the setting: in small transactions, so that a tool call never waits long for one. */
import type { Instant } from "../core/event.ts";
import type { Database } from "./database.ts";

const day = 86_400_000;
const rowsAtOnce = 2_000;

/** Each forgets a part, oldest first. Runs in progress stay, and so do claims: a total of runs holds for good. */
const oldRows: readonly string[] = [
  `delete from run where seq in (
     select seq from run where started < ? and status not in ('queued', 'running') order by seq limit ${rowsAtOnce})`,
  `delete from inbox where seq in (select seq from inbox where at < ? order by seq limit ${rowsAtOnce})`,
  `delete from debt where at < ?`,
  `delete from baseline where at < ?`,
  `delete from session where at < ?`,
  `delete from hook_set where used < ?`,
];
const oldEvents = `delete from event where seq in (select seq from event where at < ? order by seq limit ${rowsAtOnce})`;

/** Answers how many events were forgotten. */
export function purge(database: Database, before: Instant): number {
  for (const sql of oldRows) inParts(database, sql, before);
  return inParts(database, oldEvents, before);
}

function inParts(database: Database, sql: string, before: Instant): number {
  let total = 0;
  for (let changed = rowsAtOnce; changed === rowsAtOnce; total += changed) changed = database.run(sql, before);
  return total;
}

/** At most once a day, whatever number of processes ask: the one that changes the row does it. */
export function purgeIfDue(database: Database, keptFor: number, now: Instant): void {
  const last = database.get<{ value: number }>("select value from meta where key = 'purged'")?.value;
  if (last !== undefined && Math.abs(now - last) < day) return;
  const mine = database.run(
    `insert into meta (key, value) values ('purged', ?1) on conflict (key) do update set value = ?1 where abs(?1 - value) >= ${day}`,
    now,
  );
  if (mine === 1 && last !== undefined) purge(database, now - keptFor * day);
}
