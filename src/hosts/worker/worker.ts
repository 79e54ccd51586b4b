/** A worker: performs durable runs that other machines have put into a Postgres store, beside any number of others. Composition only. */
import type { Fields } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Observation } from "../../engine/ports.ts";
import { claimingOnce } from "../../runtime/queues/shared/shared.ts";
import { openPostgresStore } from "../../storage/postgres/postgres.ts";
import { createSharedWork } from "../../storage/postgres/shared-work/shared-work.ts";
import { createRuntime, type RuntimeOptions } from "../compose/runtime.ts";
import { openSharedRuns, type SharedRunsOptions } from "../compose/shared-runs.ts";
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
