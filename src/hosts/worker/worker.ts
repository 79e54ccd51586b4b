/** A worker: performs durable runs that other machines have put into a Postgres store, beside any number of others. Composition only; it loads DBOS. */
import { hostname } from "node:os";
import { isFolder } from "../../actions/command/command.ts";
import { HooklineError } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Observation } from "../../engine/ports.ts";
import type { Member } from "../../engine/shared-work.ts";
import { endTagged } from "../../runtime/processes/tree.ts";
import { openDurableEngine } from "../../runtime/queues/shared/dbos.ts";
import {
  claimingOnce,
  openSharedQueue,
  type SharedQueue,
  type SharedQueueOptions,
  usualLease,
} from "../../runtime/queues/shared/shared.ts";
import { after } from "../../runtime/system.ts";
import { openPool } from "../../storage/postgres/connection.ts";
import { openPostgresStore, type PostgresStore } from "../../storage/postgres/postgres.ts";
import { createSharedWork, runSchema } from "../../storage/postgres/shared-work/shared-work.ts";
import type { Keeping } from "../../storage/sqlite/keep.ts";
import { createRuntime, type RuntimeOptions } from "../compose/runtime.ts";
import { type Settings, settingsOf } from "../daemon/changes.ts";

export interface WorkerOptions
  extends Pick<RuntimeOptions, "beforeModules" | "redact">,
    Pick<SharedRunsOptions, "expelled" | "lease"> {
  /** Of the store. */
  url: string;
  /** Whose settings hold. */
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
  /** It has it again after a restart. */
  name: string;
  observe(seen: Observation): void;
  /** Gets what a person should know, in one sentence. */
  complain(reason: string): void;
}

export interface Worker {
  /** What it does, and what waits. Rejects with HooklineError store_unusable. */
  health(): Promise<Fields>;
  /** Runs that do not end within ten seconds are given back (A50). Safe to call twice. */
  close(): Promise<void>;
}

const noHooks: HookSet = { id: "none", hooks: [] };
/** All that a worker reads of the files around it: it performs runs as they were queued. */
const isSettings = (file: string): boolean => /[/\\](config|hookline)\.ya?ml$/.test(file);

/** Rejects with HooklineError: store_unusable, worker_running. It begins at once. */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { url, cwd, environment, name, complain, redact, expelled, lease } = options;
  const keeping = redact ? { redact } : {};
  const store = await openPostgresStore({ ...keeping, url, prepares: true, onNotice: complain });
  let settings: Settings | undefined;
  try {
    const cap = (): number => (settings?.engine.enabled ? settings.engine.max_concurrent_hooks : 0); // before they are read none
    const work = createSharedWork({ ...keeping, connection: store.connection });
    const queue = await openSharedRuns(
      {
        ...{ ...keeping, url, store, id: name, cap, environment, complain },
        ...(expelled ? { expelled } : {}),
        ...(lease === undefined ? {} : { lease }),
      },
      () => complain(`another process worked as ${name} a moment ago: it is waited for`),
    );
    const runtime = await createRuntime({
      ...options,
      store: claimingOnce({ ...store, repair: async () => 0 }, work), // whether other machines' processes live cannot be seen here
      functions: new Map(),
      queue,
      asQueued: true,
      sources: { watches: true },
      combine: (set) => set ?? noHooks,
      notices: { settings: () => ({ channels: settings?.notifications ?? {}, notify: settings?.notify ?? [] }) },
    });
    const read = async (): Promise<void> => {
      await runtime.source?.at(cwd);
      settings = settingsOf(runtime.source?.known(cwd));
      await work.makePlaces(cap());
    };
    await read();
    for (const { severity, file, line, column, message } of runtime.source?.known(cwd)?.problems ?? [])
      if (severity === "error" && isSettings(file)) complain(`${file}:${line}:${column}: ${message}`);
    let closing: Promise<void> | undefined;
    async function end(): Promise<void> {
      await runtime.close();
      await store.close();
    }
    return {
      async health() {
        await read();
        return {
          name,
          store: store.connection.address.shown,
          ...(await work.counts()),
          here: queue.running(),
          cap: cap(),
        };
      },
      close() {
        closing ??= end();
        return closing;
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export interface SharedRunsOptions
  extends Pick<Keeping, "redact">,
    Pick<SharedQueueOptions, "cap" | "environment" | "complain" | "expelled" | "lease" | "poll" | "saysWithin"> {
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
