/** A store as years of work leave it, filled by SQL: what large-store.ts asks. */
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../src/storage/sqlite/sqlite.ts";

export interface Filling {
  runs: number;
  /** The time of the newest run. */
  now: number;
}
/** Of each event so many. */
export const runsOfEvent = 2;
const rowsAtOnce = 50_000;
const perDay = 33_334;

/** Ids that sort by time, as the store's own do. */
export const eventId = (number: number): string => `01j0e${String(number).padStart(21, "0")}`;
export const runId = (number: number): string => `01j0r${String(number).padStart(21, "0")}`;
export const sessionId = (number: number): string => `session-${String(number).padStart(8, "0")}`;
const runsOfSession = 400;

/**
 * One run in two of a hook that never ran (its cooldown was not over), one in 100,000 failed, two events in all that happen seldom.
 * A month of it, so that today's runs are the newest.
 */
const insertRuns = `insert into run
  (id, event, event_name, hook, hook_name, session, status, reason, cause, started, ms, outcome, steps, notes, asked, owner)
  select printf('01j0r%021d', i), printf('01j0e%021d', i / ${runsOfEvent}),
    iif(i % 400000 = 7, 'PreCompact', iif(i % 4 < 2, 'PreToolUse', 'PostToolUse')),
    iif(i % 2 = 0, 'settings:.hookline/hooks.json:waiting', 'settings:.hookline/hooks.json:' || (i / 2 % 20)),
    iif(i % 2 = 0, 'waiting', 'hook ' || (i / 2 % 20)),
    printf('session-%08d', i / ${runsOfSession}),
    iif(i % 2 = 0, 'skipped', iif(i % 100000 = 1, 'failed', 'completed')),
    iif(i % 2 = 0, 'its cooldown of 60 s is not over', null),
    'event', ?2 - (?1 - i) * (86400000.0 / ${perDay}), iif(i % 2 = 0, 0, 12),
    iif(i % 2 = 0, null, '{"context":["formatted 1 file"]}'),
    iif(i % 2 = 0, '[]', '[{"uses":"command","ok":true,"output":{"exitCode":0},"ms":11,"evidence":{"exitCode":0,"stdout":"formatted src/a.ts\\n","stderr":"","containment":"pgroup"}}]'),
    '[]', i % 2, '4711:123456'
  from numbers`;
const insertEvents = `insert into event
  (id, at, name, session, cwd, sender, hook_set, payload, turn, outcome, answered_at, cut, redacted, ms)
  select printf('01j0e%021d', i), ?2 - (?1 - i) * (86400000.0 / ${perDay / runsOfEvent}), iif(i % 2 = 0, 'PreToolUse', 'PostToolUse'),
    printf('session-%08d', i * ${runsOfEvent} / ${runsOfSession}), '/project', 'claude-code', 'none',
    '{"data":{"tool_name":"Edit","tool_input":{"file_path":"/project/src/a.ts","old_string":"one","new_string":"two"}}}',
    '{"number":3,"prompt":"mend it","answer":"","toolCalls":4,"messages":9,"toolFailed":false,"spent":{"reprompts":0,"rewakes":0,"injected":0}}',
    '{}', ?2, 0, 0, 13
  from numbers`;
const insertSessions = `insert into session (id, turn, at)
  select printf('session-%08d', i), '{"number":3,"prompt":"mend it","answer":"","toolCalls":4,"messages":9,"toolFailed":false,"spent":{"reprompts":0,"rewakes":0,"injected":0}}', ?2 - (?1 - i) from numbers`;

export function fill(path: string, { runs, now }: Filling): void {
  openSqliteStore({ path, now: () => now }).close();
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -200000");
  const tables = [
    [insertRuns, runs],
    [insertEvents, runs / runsOfEvent],
    [insertSessions, Math.ceil(runs / runsOfSession)],
  ] as const;
  for (const [insert, count] of tables)
    for (let from = 0; from < count; from += rowsAtOnce) {
      const numbers = `with recursive numbers (i) as (values (${from}) union all select i + 1 from numbers where i + 1 < ${Math.min(count, from + rowsAtOnce)})`;
      database.exec("begin");
      database.prepare(insert.replace("from numbers", `from (${numbers} select i from numbers)`)).run(count, now);
      database.exec("commit");
    }
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
}
