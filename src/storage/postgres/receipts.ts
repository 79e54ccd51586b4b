/** Receipts in Postgres, each inside the transaction of its caller: what concerns one session comes one after the other. */
import type { Instant, SessionId } from "../../engine/event.ts";
import { callReports } from "../../engine/events.ts";
import {
  afterReports,
  type Followed,
  type Following,
  type Heard,
  keysAsked,
  neverEnded,
  type Receipt,
  settle,
  silentFor,
} from "../../engine/receipt.ts";
import { type EventRow, eventFields, eventOf, readBack, receiptColumns, written } from "../sqlite/rows.ts";
import type { Query } from "./connection.ts";

const columns = eventFields.join(", ");

export const areReceiptsOf = (session: string): string =>
  `exists (select 1 from hookline.event where receipt in ('open', 'obeyed', 'disobeyed', 'unknown') and event.session = ${session})`;

/** An event is recorded under the same lock, that of its session's row. */
const lock = (query: Query, session: string): Promise<unknown[]> =>
  query("select 1 from hookline.session where id = $1 for update", [session]);

export async function openReceipt(query: Query, id: string, following: Following): Promise<Receipt> {
  const [own] = await query<{ session: string | null; seq: number }>(
    "select session, seq from hookline.event where id = $1",
    [written(id)],
  );
  if (!own?.session) return following.receipt;
  await lock(query, own.session);
  const later = await query<EventRow>(
    `select ${columns} from hookline.event where seq > $1 and session = $2 and name = any($3::text[]) order by seq`,
    [own.seq, own.session, [...callReports]],
  );
  const receipt = afterReports(
    following,
    later.map((row) => eventOf(row).event),
  );
  await save(query, id, receipt);
  return receipt;
}

async function save(query: Query, id: string, receipt: Receipt): Promise<void> {
  const { receipt: is, receipt_key, receipt_of } = receiptColumns(receipt);
  const sql = "update hookline.event set receipt = $2, receipt_key = $3, receipt_of = $4 where id = $1";
  await query(sql, [written(id), is, receipt_key, receipt_of]);
}

export async function hear(query: Query, session: SessionId, heard: Heard): Promise<Followed[]> {
  await lock(query, written(session));
  const rows = await query<{ id: string; receipt_of: string }>(
    `select id, receipt_of from hookline.event
     where receipt is not null and session = $1 and (receipt = 'open' or receipt_key = any($2::text[])) order by seq`,
    [written(session), keysAsked(heard).map(written)],
  );
  const followed = rows.map(({ id, receipt_of }) => ({ event: readBack(id), receipt: JSON.parse(receipt_of) }));
  const changed = settle(followed, heard);
  for (const { event, receipt } of changed) await save(query, event, receipt);
  return changed;
}

export async function closeSilent(query: Query, now: Instant): Promise<void> {
  const rows = await query<{ id: string; receipt_of: string }>(
    `select id, receipt_of from hookline.event where receipt = 'open' and source is null and at < $1
     and not exists (select 1 from hookline.session where session.id = event.session and session.at >= $1)`,
    [now - silentFor],
  );
  for (const { id, receipt_of } of rows)
    await save(query, readBack(id), { ...JSON.parse(receipt_of), is: "unknown", because: neverEnded });
}
