/** Opens the store that a command works on. */
import { isOfStore } from "../../engine/error.ts";
import type { RecordStore } from "../../operations/record.ts";
import { isAlive } from "../../runtime/system.ts";
import { type DegradableStore, withDegradedMode } from "../../storage/degraded.ts";
import { openSqliteStore, type SqliteStore } from "../../storage/sqlite/sqlite.ts";
import { asRecord } from "../compose/record.ts";
import { type Invocation, textFlag } from "./command.ts";
import { type Place, storeOptions } from "./place.ts";

export interface OpenedStore extends RecordStore {
  readonly path: string;
  repair(): Promise<number>;
}
export type OpenedFile = OpenedStore & Pick<SqliteStore, "database" | "redact">;

/** @throws HooklineError store_unusable, store_locked */
export const openStore = (invocation: Invocation): OpenedFile => open(invocation, {});

/**
 * For a command that only looks: rows can be read where nothing can be written, on a full disk or in a folder that is read-only.
 *
 * @throws HooklineError as above
 */
export function openStoreToRead(invocation: Invocation): OpenedFile {
  const store = open(invocation, { reads: true });
  return {
    ...store,
    repair: () =>
      store.repair().catch((error: unknown) => {
        if (isOfStore(error)) return 0; // it is repaired by who can write
        throw error;
      }),
  };
}

function open(invocation: Invocation, how: { reads?: true }): OpenedFile {
  const options = storeOptions(invocation, textFlag(invocation.flags, "store"));
  const onNotice = (notice: string): void => invocation.terminal.error(`hookline: ${notice}`);
  const store = openSqliteStore({ ...options, ...how, onNotice });
  return { ...asRecord(store), path: options.path, repair: async () => store.repair(isAlive, Date.now()) };
}

/** For what an agent or git waits for: trouble with the store goes to `complain`, and hooks decide all the same. */
export const openDegradableStore = (
  place: Place,
  flag: string | undefined,
  complain: (reason: string) => void,
): DegradableStore =>
  withDegradedMode(() => openSqliteStore({ ...storeOptions(place, flag, complain), onNotice: complain }), {
    ring: 0,
    complain,
  });
