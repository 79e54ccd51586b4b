/** What is to be done wherever durable runs have left the table work: the next of their hooks come to the head, and secrets go. */
import type { Database } from "./database.ts";

/**
 * Lets the next of each hook come to the head where nobody is: first what a person asked for, then the oldest.
 *
 * @param hooks a query for ids in the column "hook"
 */
export const promoting = (hooks: string): string => `update work set status = 'waiting' where seq in (
  select (select seq from work where hook = lane.hook and status = 'behind' order by forced desc, seq limit 1)
  from (${hooks}) lane
  where not exists (select 1 from work where hook = lane.hook and status in ('waiting', 'running')))`;

/** While a run holds what its steps gave, the log would only fill again. */
export function settleSteps(database: Database): void {
  database.settle(() => database.get("select 1 from step limit 1") === undefined);
}
