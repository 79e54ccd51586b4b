/** A store as years of work leave it, filled by SQL: what large-store.ts asks. */
import { DatabaseSync } from "node:sqlite";
import type { EventRow, RunRow } from "../src/storage/sqlite/rows.ts";
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

/** What stands in each column of the store's rows, in SQL: `i` is the number of the row, ?1 how many there are, ?2 the time of the newest. */
type Filled<Row> = Readonly<Record<keyof Row & string, string>>;

const insertInto = (table: string, filled: Readonly<Record<string, string>>): string =>
  `insert into ${table} (${Object.keys(filled).join(", ")}) select ${Object.values(filled).join(", ")} from numbers`;

const turn = `'{"number":3,"prompt":"mend it","answer":"","toolCalls":4,"messages":9,"toolFailed":false,"spent":{"reprompts":0,"rewakes":0,"injected":0}}'`;
const steps = `'[{"uses":"command","ok":true,"output":{"exitCode":0},"ms":11,"evidence":{"exitCode":0,"stdout":"formatted src/a.ts\\n","stderr":"","containment":"pgroup"}}]'`;

/**
 * One run in two of a hook that never ran (its cooldown was not over), one in 100,000 failed, two events in all that happen seldom.
 * A month of it, so that today's runs are the newest.
 */
const run: Filled<Omit<RunRow, "receipt_of">> = {
  id: "printf('01j0r%021d', i)",
  event: `printf('01j0e%021d', i / ${runsOfEvent})`,
  event_name: "iif(i % 400000 = 7, 'PreCompact', iif(i % 4 < 2, 'PreToolUse', 'PostToolUse'))",
  hook: "iif(i % 2 = 0, 'settings:.hookline/hooks.json:waiting', 'settings:.hookline/hooks.json:' || (i / 2 % 20))",
  hook_name: "iif(i % 2 = 0, 'waiting', 'hook ' || (i / 2 % 20))",
  session: `printf('session-%08d', i / ${runsOfSession})`,
  status: "iif(i % 2 = 0, 'skipped', iif(i % 100000 = 1, 'failed', 'completed'))",
  reason: "iif(i % 2 = 0, 'its cooldown of 60 s is not over', null)",
  cause: "'event'",
  started: `?2 - (?1 - i) * (86400000.0 / ${perDay})`,
  ms: "iif(i % 2 = 0, 0, 12)",
  outcome: `iif(i % 2 = 0, null, '{"context":["formatted 1 file"]}')`,
  withheld: "null",
  steps: `iif(i % 2 = 0, '[]', ${steps})`,
  notes: "'[]'",
  asked: "i % 2",
  owner: "'4711:123456'",
};
const event: Filled<EventRow & { answered_at: number }> = {
  id: "printf('01j0e%021d', i)",
  at: `?2 - (?1 - i) * (86400000.0 / ${perDay / runsOfEvent})`,
  name: "iif(i % 2 = 0, 'PreToolUse', 'PostToolUse')",
  session: `printf('session-%08d', i * ${runsOfEvent} / ${runsOfSession})`,
  cwd: "'/project'",
  sender: "'claude-code'",
  delivery: "null",
  delivered_by: "null",
  repeats: "null",
  hook_set: "'none'",
  payload: `'{"data":{"tool_name":"Edit","tool_input":{"file_path":"/project/src/a.ts","old_string":"one","new_string":"two"}}}'`,
  turn,
  outcome: "'{}'",
  answered_at: "?2",
  ms: "13",
  cut: "0",
  redacted: "0",
  receipt: "null",
  receipt_key: "null",
  receipt_of: "null",
};
const session = { id: "printf('session-%08d', i)", turn, at: "?2 - (?1 - i)" };

export function fill(path: string, { runs, now }: Filling): void {
  openSqliteStore({ path, now: () => now }).close();
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -200000");
  const tables = [
    [insertInto("run", run), runs],
    [insertInto("event", event), runs / runsOfEvent],
    [insertInto("session", session), Math.ceil(runs / runsOfSession)],
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
