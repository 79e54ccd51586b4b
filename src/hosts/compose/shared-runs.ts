/** Composes durable runs that machines share, on a Postgres store. Apart, and loaded only with such a store: it loads DBOS. */
import { hostname } from "node:os";
import { isFolder } from "../../actions/command/command.ts";
import { HooklineError } from "../../engine/error.ts";
import type { Member } from "../../engine/shared-work.ts";
import { endTagged } from "../../runtime/processes/tree.ts";
import { openDurableEngine } from "../../runtime/queues/shared/dbos.ts";
import {
  openSharedQueue,
  type SharedQueue,
  type SharedQueueOptions,
  usualLease,
} from "../../runtime/queues/shared/shared.ts";
import { after } from "../../runtime/system.ts";
import { openPool } from "../../storage/postgres/connection.ts";
import type { PostgresStore } from "../../storage/postgres/postgres.ts";
import { createSharedWork, runSchema } from "../../storage/postgres/shared-work/shared-work.ts";
import type { Keeping } from "../../storage/sqlite/keep.ts";

export interface SharedRunsOptions
  extends Pick<Keeping, "redact">,
    Pick<SharedQueueOptions, "cap" | "environment" | "complain" | "expelled" | "lease" | "poll"> {
  /** Of the store. */
  url: string;
  store: Pick<PostgresStore, "connection">;
  /** This worker's name, which it has again after a restart. */
  id: string;
  /** The run schema; tests have several. */
  version?: number;
}

/** So long another process with this name is waited for: it may have died just now. */
const waitsAtMost = 8;
const connections = 10;

/**
 * Rejects with HooklineError: worker_running where another process works under this name, store_unusable.
 *
 * @param onWait called once, where the name is not free yet
 */
export async function openSharedRuns(options: SharedRunsOptions, onWait: () => void = () => {}): Promise<SharedQueue> {
  const { url, store, id, version = runSchema, redact, cap, ...rest } = options;
  const work = createSharedWork({ connection: store.connection, ...(redact ? { redact } : {}) }, version);
  const member: Member = { id, token: crypto.randomUUID(), where: `process ${process.pid} on ${hostname()}` };
  await work.makePlaces(cap());
  const lease = rest.lease ?? usualLease;
  for (let waited = 0; ; waited++) {
    const taken = await work.join(member, lease);
    if (!taken) break;
    if (waited >= waitsAtMost)
      throw new HooklineError("worker_running", {
        name: id,
        holder: taken.holder,
        where: store.connection.address.shown,
      });
    if (waited === 0) onWait();
    await new Promise<void>((resolve) => after(1_000, resolve));
  }
  const pool = openPool({ url, connections });
  try {
    return await openSharedQueue({
      ...rest,
      ...{ work, member, after, cap, isHere: isFolder, endTagged: (mark) => endTagged(mark) },
      openEngine: (given) => openDurableEngine({ ...given, pool, executor: id, version: String(version) }),
    });
  } catch (error) {
    await pool.end();
    await work.leave(member);
    throw error;
  }
}
