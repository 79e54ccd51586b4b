/** This machine's store as people ask its record. */
import type { Store } from "../../engine/record.ts";
import type { RecordStore } from "../../operations/record.ts";
import type { Database } from "../../storage/sqlite/database.ts";
import { eventsCalled, hooksWithRuns, idsFrom, newestEventIn } from "../../storage/sqlite/queries.ts";

export const asRecord = <S extends Omit<Store, "repair"> & { readonly database: Database }>(
  store: S,
): S & Pick<RecordStore, "idsFrom" | "newestEventIn" | "eventsCalled" | "hooksWithRuns"> => ({
  ...store,
  idsFrom: (table, beginning, most) => idsFrom(store.database, table, beginning, most),
  newestEventIn: (folders) => newestEventIn(store.database, folders),
  eventsCalled: (ids) => eventsCalled(store.database, ids),
  hooksWithRuns: () => hooksWithRuns(store.database),
});
