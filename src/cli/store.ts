/** Opens the store that a command works on. */
import type { Store } from "../core/record.ts";
import type { SqliteStore } from "../stores/sqlite.ts";
import { isAlive } from "../system.ts";
import { type Invocation, textFlag } from "./command.ts";
import { stateFolder, storeOptions } from "./place.ts";

export type OpenedStore = Omit<Store, "repair"> & { readonly path: string; repair(): Promise<number> };

/** @throws HooklineError store_unusable, store_locked */
export async function openStore(invocation: Invocation): Promise<OpenedStore & SqliteStore> {
  const { openSqliteStore } = await import("../stores/sqlite.ts");
  const options = storeOptions(invocation, textFlag(invocation.flags, "store"));
  const store = openSqliteStore({ ...options, onNotice: (notice) => invocation.terminal.error(`hookline: ${notice}`) });
  return Object.assign({}, store, { path: options.path, repair: async () => store.repair(isAlive, Date.now()) });
}

export { stateFolder };
