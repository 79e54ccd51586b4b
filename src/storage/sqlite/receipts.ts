/** Where receipts lie in the SQLite store: on the row of the event that was answered. Each query is inside the transaction of its caller. */
import type { HookEvent, Instant, SessionId } from "../../engine/event.ts";
import { callReports } from "../../engine/events.ts";
import {
  type Followed,
  type Heard,
  keysAsked,
  neverEnded,
  type Receipt,
  settle,
  silentFor,
} from "../../engine/receipt.ts";
import type { ReceiptCount } from "../../engine/record.ts";
import type { Database } from "./database.ts";
import { type EventRow, eventFields, eventOf, places, readBack, receiptColumns, written } from "./rows.ts";

/** Each is a place in the index; SQLite looks there for `in`, and not for another condition. */
const each = "('open', 'obeyed', 'disobeyed', 'unknown')";

/** The condition that a session has receipts, with the session as a parameter. */
export const hasReceipts = (session: string): string =>
  `exists (select 1 from event where receipt in ${each} and session = ${session})`;

export const sessionHasReceipts = (database: Database, session: SessionId): boolean =>
  database.get(`select 1 where ${hasReceipts("?")}`, written(session)) !== undefined;

/** Those that what is heard may concern: by its keys where it has some. No index holds the new input of a rewrite, which only calls without ids need. */
function concerned(session: SessionId, heard: Heard): { where: string; values: string[] } {
  const keys = keysAsked(heard).map(written);
  const open = "receipt = 'open' and session = ?1";
  const byKey = `receipt in ${each} and session = ?1 and receipt_key in (${places(keys)})`;
  const byNewInput = `${open} and receipt_key >= 'input ' and receipt_key < 'input!' and instr(receipt_of, '"rewritten"') > 0`;
  return { where: keys.length === 0 ? open : `(${byKey} or ${byNewInput})`, values: [written(session), ...keys] };
}

/** Whether what is heard may concern one. */
export function concernsAny(database: Database, session: SessionId, heard: Heard): boolean {
  const { where, values } = concerned(session, heard);
  return database.get(`select 1 from event where ${where} limit 1`, ...values) !== undefined;
}

/** In the order of their calls. */
function followedIn(database: Database, session: SessionId, heard: Heard): Followed[] {
  const { where, values } = concerned(session, heard);
  return database
    .all<{ id: string; receipt_of: string }>(`select id, receipt_of from event where ${where} order by seq`, ...values)
    .map(({ id, receipt_of }) => ({ event: readBack(id), receipt: JSON.parse(receipt_of) }));
}

export const hear = (database: Database, session: SessionId, heard: Heard): Followed[] =>
  database.grouped.write(() => {
    const changed = settle(followedIn(database, session, heard), heard);
    for (const { event, receipt } of changed) saveReceipt(database, event, receipt);
    return changed;
  });

export function saveReceipt(database: Database, event: string, receipt: Receipt): void {
  const { receipt: is, receipt_key, receipt_of } = receiptColumns(receipt);
  const sql = "update event set receipt = ?, receipt_key = ?, receipt_of = ? where id = ?";
  database.run(sql, is, receipt_key, receipt_of, written(event));
}

const reports = callReports.map((name) => `'${name}'`).join(", ");

/** What was reported of calls of the event's session since it was recorded. */
export const reportsSince = (database: Database, event: string): HookEvent[] =>
  database
    .all<EventRow>(
      `select ${eventFields.join()} from event as later where name in (${reports})
       and seq > (select seq from event where id = ?1) and session = (select session from event where id = ?1) order by seq`,
      written(event),
    )
    .map((row) => eventOf(row).event);

/** Receipts whose session has said nothing more for long: its end will not come. */
export function closeSilent(database: Database, now: Instant): void {
  const silent = `receipt = 'open' and at < ?1
    and not exists (select 1 from session where session.id = event.session and session.at >= ?1)`;
  const before = now - silentFor;
  const rows = database.all<{ id: string; receipt_of: string }>(
    `select id, receipt_of from event where ${silent}`,
    before,
  );
  if (rows.length === 0) return; // nearly always: no lock needed
  const sql = `update event set receipt = 'unknown', receipt_of = ?2 where id = ?3 and ${silent}`;
  database.write(() => {
    for (const { id, receipt_of } of rows) {
      const receipt: Receipt = { ...JSON.parse(receipt_of), is: "unknown", because: neverEnded };
      database.run(sql, before, JSON.stringify(receipt), id);
    }
  });
}

/** @param folders as they are written, with those below them; absent: all */
export function countReceipts(
  database: Database,
  since: Instant,
  folders: readonly string[] | undefined,
): ReceiptCount[] {
  const isIn = folders ? `and cwd in (${places(folders)})` : "";
  const rows = database.all<ReceiptCount>(
    `select receipt as "is", receipt_of ->> '$.to' as "to", count(*) as count from event
     where receipt in ${each} and at >= ? ${isIn} group by 1, 2`,
    since,
    ...(folders ?? []),
  );
  return rows.map(({ is, to, count }) => ({ is, to, count }));
}

/** The ids of the events since then on which the agent did not obey, newest first. */
export const recentlyDisobeyed = (database: Database, since: Instant): string[] =>
  database
    .all<{ id: string }>("select id from event where receipt = 'disobeyed' and at >= ? order by seq desc", since)
    .map(({ id }) => readBack(id));
