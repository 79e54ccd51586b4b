/** Forgets what is older than the setting: in small transactions, so that a tool call never waits long for one. */
import type { Instant } from "../core/event.ts";
import type { Database } from "./database.ts";
import { promoting, settleSteps } from "./work-left.ts";

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

/**
 * Durable runs that nobody has begun for so long end with the reason, which stays readable until the next time. Those behind
 * them may begin.
 */
const oldWork = "from work where status <> 'running' and created < ?";
const endsOldWork: readonly string[] = [
  `update run set ms = 0,
     status = iif(exists (select 1 from step where step.run = run.id), 'cancelled', 'skipped'),
     reason = 'it waited longer than runs are kept, since ' || strftime('%Y-%m-%dT%H:%M:%SZ', started / 1000, 'unixepoch')
     where id in (select run ${oldWork})`,
  `delete from step where run in (select run ${oldWork})`,
  `delete ${oldWork}`,
];
const promotesAll = promoting("select distinct hook from work");

/** Answers how many events were forgotten. */
export function purge(database: Database, before: Instant): number {
  for (const sql of oldRows) inParts(database, sql, before);
  const events = inParts(database, oldEvents, before);
  if (database.get(`select 1 ${oldWork} limit 1`, before)) endOldWork(database, before);
  return events;
}

/** What their steps gave is kept with secrets until then. */
function endOldWork(database: Database, before: Instant): void {
  database.shred();
  database.write(() => {
    for (const sql of endsOldWork) database.run(sql, before);
    database.run(promotesAll);
  });
  settleSteps(database);
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
