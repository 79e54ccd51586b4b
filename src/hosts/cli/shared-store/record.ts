/** The record that a command looks at: this machine's, or where a Postgres is named as the store, that of all machines that share it. */
import { hostname } from "node:os";
import { isOfStore, messageOf } from "../../../engine/error.ts";
import type { SqliteStore } from "../../../storage/sqlite/sqlite.ts";
import { type Invocation, textFlag } from "../command.ts";
import { sharedStore } from "../place.ts";
import { type OpenedStore, openStoreToRead } from "../store.ts";

export type OpenedRecord = OpenedStore & Pick<SqliteStore, "database">;

/** The record over this machine's store; to close it leaves that store open. */
export type RecordOver = OpenedRecord & { closeShared(): void };

/**
 * Runs whose process is gone are closed, and what this machine has not yet brought to the Postgres is brought there first.
 *
 * @throws HooklineError store_unusable, store_locked
 */
export async function recordOver(invocation: Invocation, local: OpenedRecord): Promise<RecordOver> {
  const url = sharedStore(invocation, textFlag(invocation.flags, "store"));
  await local.repair();
  return url === undefined ? { ...local, closeShared() {} } : openShared(invocation, local, url);
}

/** To look only. @throws HooklineError as above */
export async function openRecord(invocation: Invocation): Promise<OpenedRecord> {
  const local = openStoreToRead(invocation);
  try {
    const record = await recordOver(invocation, local);
    return {
      ...record,
      close() {
        local.close();
        record.closeShared();
      },
    };
  } catch (error) {
    local.close();
    throw error;
  }
}

/** Brings what this machine has recorded to the Postgres that is named as the store. Where that cannot be done it says so: it comes later. */
export async function bringRecord(invocation: Invocation): Promise<void> {
  try {
    const record = await openRecord(invocation);
    record.close();
  } catch (error) {
    if (!isOfStore(error)) throw error;
    invocation.terminal.error(`hookline: recorded on this machine only: ${messageOf(error)}`);
  }
}

async function openShared({ terminal, signal }: Invocation, local: OpenedRecord, url: string): Promise<RecordOver> {
  const [{ openPostgresStore }, { createShip }] = await Promise.all([
    import("../../../storage/postgres/postgres.ts"),
    import("../../../storage/postgres/shipping.ts"),
  ]);
  const complain = (reason: string): void => terminal.error(`hookline: ${reason}`);
  const shared = await openPostgresStore({ url, onNotice: complain, patience: 2_000 });
  const { database, path } = local;
  try {
    await createShip({ database, connection: shared.connection, name: hostname(), complain })(signal);
  } catch (error) {
    if (!isOfStore(error)) throw error;
    complain(`this machine's own record is not all there: ${messageOf(error)}`);
  }
  return {
    ...shared,
    ...{ database, path, repair: local.repair },
    peek: local.peek, // what was done once was done on a machine
    closeShared: () => void shared.close(),
  };
}
