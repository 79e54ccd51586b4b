/** How many durable runs wait and run, for those who look after them. */
import type { Database } from "./database.ts";

export interface WorkCounts {
  waiting: number;
  running: number;
}

export function workCounts(database: Database): WorkCounts {
  const row = database.get<WorkCounts>(
    `select coalesce(sum(status = 'running'), 0) as running, coalesce(sum(status <> 'running'), 0) as waiting from work`,
  );
  return { waiting: Number(row?.waiting ?? 0), running: Number(row?.running ?? 0) };
}
