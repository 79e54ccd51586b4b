/** Opens the store that a command works on. */
import type { Store } from "../core/ports.ts";
import { createRedaction } from "../trust/redaction.ts";
import { isAlive } from "../system.ts";
import { type Invocation, textFlag } from "./command.ts";
import { stateFolder, storePath } from "./line.ts";

export type OpenedStore = Omit<Store, "repair"> & { readonly path: string; repair(): Promise<number> };

/** @throws HooklineError store_unusable, store_locked */
export async function openStore(invocation: Invocation): Promise<OpenedStore & Store> {
  const { openSqliteStore } = await import("../stores/sqlite.ts");
  const path = storePath(invocation, textFlag(invocation.flags, "store"));
  const store = openSqliteStore({
    path,
    redact: createRedaction({ environment: invocation.environment }),
    onNotice: (notice) => invocation.terminal.error(`hookline: ${notice}`),
  });
  return Object.assign({}, store, { path, repair: async () => store.repair(isAlive, Date.now()) });
}

export { stateFolder };
