/** Whether any automation in the store waits for an event: one look, before anything else of automations is loaded. */
import type { EventName } from "../core/event.ts";
import { eventNames, hears, resolveEvent } from "../core/events.ts";
import type { Store } from "../core/record.ts";
import type { Database } from "./database.ts";
import { written } from "./rows.ts";

/** The database behind a store that has one: automations, projects and durable runs lie there. */
export const databaseOf = (store: Partial<Store> | undefined): Database | undefined =>
  store && "database" in store ? (store.database as Database | undefined) : undefined; // only the store on SQLite has one

/** Every name under which an author may have written this event. */
export const namesHeardAt = (name: EventName): string[] => [
  ...new Set([name, ...eventNames.filter((one) => hears(resolveEvent(one) ?? [], name))]),
];

/** The condition of a statement for those that listen to one of so many names. */
export const listensToOne = (count: number): string => `listens in (${Array(count).fill("?").join()})`;

/** May throw what the store throws, as may `anyListens`. */
export const anyStored = (database: Database): boolean =>
  database.get("select 1 from automation limit 1") !== undefined;

export function anyListens(database: Database, names: readonly EventName[]): boolean {
  const heard = names.flatMap(namesHeardAt).map(written);
  return database.get(`select 1 from automation where ${listensToOne(heard.length)} limit 1`, ...heard) !== undefined;
}
