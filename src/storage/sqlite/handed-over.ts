/** Durable runs that this machine has handed over to others, in its SQLite store: they stay there until their end is known. */
import type { HandedOver } from "../../engine/journal.ts";
import { itemOf } from "./journal.ts";
import { end, isFree, leave, promotesNext, type Work, workColumns } from "./journal-queues.ts";
import { readBack, written } from "./rows.ts";
import type { SqliteStore } from "./sqlite.ts";

export function createHandedOver(store: SqliteStore): HandedOver {
  const { database } = store;
  const sent = (run: string): Work | undefined =>
    database.get(`select ${workColumns} from work where run = ? and status = 'sent'`, written(run));

  return {
    list: (to) =>
      database
        .all<{ item: string; event: string }>(
          `select work.item, work_event.event from work join work_event on work_event.seq = work.event
           where work.status = 'sent' and work.owner = ? order by work.seq`,
          to,
        )
        .map(({ item, event }) => itemOf(item, event)),
    elsewhere: (to) =>
      database.get<{ count: number }>("select count(*) as count from work where status = 'sent' and owner is not ?", to)
        ?.count ?? 0,
    recalled: (to) =>
      database
        .all<Pick<Work, "run" | "cancelled">>(
          `select run, cancelled from work where status = 'sent' and owner = ? and (cancelled is not null or not ${isFree})
           order by seq`,
          to,
        )
        .map(({ run, cancelled }) => ({ run: readBack(run), ...(cancelled === null ? {} : { cancelled }) })),
    settle: (run) =>
      database.write(() => {
        const work = sent(run.id);
        if (!work) return false;
        void store.saveRun(run); // SQLite's is synchronous
        leave(database, work);
        return true;
      }),
    takeBack: (run, now) =>
      database.write(() => {
        const work = sent(run);
        if (!work) return undefined;
        if (work.cancelled !== null) return end(database, work, "cancelled", work.cancelled, now);
        database.run("delete from step where run = ?", work.run); // it has not begun
        database.run("update work set status = 'behind', owner = null where seq = ?", work.seq);
        database.run(
          "update work set status = 'behind' where hook = ? and status = 'waiting' and forced = 0",
          work.hook,
        );
        database.run(promotesNext, work.hook);
        return undefined;
      }),
  };
}
