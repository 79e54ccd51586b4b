/** What a host whose store is a file tells operations of its machine, and of what the store knows beside events and runs. */
import type { Store } from "../../engine/record.ts";
import type { OperationContext } from "../../operations/operation.ts";
import type { Database } from "../../storage/sqlite/database.ts";
import type { Place } from "../cli/place.ts";

export type Told = Pick<OperationContext, "record" | "daemon" | "machine" | "timings" | "pausedSince">;

export type StoreOnFile = Omit<Store, "repair"> & { readonly database: Database };

/** All of it is loaded when it is asked for: most processes are not. */
export const toldOf = (place: Place, store: StoreOnFile, path: string): Told => ({
  record: async () => (await import("./record.ts")).asRecord(store),
  daemon: async () => (await import("../cli/daemon/here.ts")).daemonHere(path),
  async machine(question) {
    const { machineAt } = await import("../cli/machine.ts");
    return machineAt({ place, store: { path, database: store.database, runs: store.runs } }, question);
  },
  pausedSince: async (what) => (await import("../../storage/sqlite/queries.ts")).pausedSince(store.database, what),
  async timings() {
    const { eventTimings, hookTimings } = await import("../../storage/sqlite/statistics.ts");
    return {
      hooks: (ids, since) => hookTimings(store.database, ids, since),
      events: (since) => eventTimings(store.database, since),
    };
  },
});
