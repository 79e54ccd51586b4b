/**
 * DBOS, as far as durable runs need it: who performs a run, the journal of its steps, and how another process takes it up. The only
 * file that loads it, and it has one of it per process. What people see of a run are our rows; DBOS's tables are its own.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { DBOSConfig } from "@dbos-inc/dbos-sdk";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { Seconds } from "../../../engine/event.ts";

export interface DurableEngineOptions {
  /** Connections of its own; they are closed with it. */
  pool: NonNullable<DBOSConfig["systemDatabasePool"]>;
  /** Stays the same over restarts: a process that comes back takes up its own runs at once. */
  executor: string;
  /** Of the form of runs: only processes of the same one take up each other's. */
  version: string;
  /** Performs a run that this process has just been given. Rejects with `conflict` where it is no longer its own. */
  perform(run: string): Promise<void>;
  complain(reason: string): void;
}

export interface DurableEngine {
  /** Performs the run here. False: it was begun before, by this process or by another. */
  start(run: string): Promise<boolean>;
  /** What this step of the run that is being performed gave before, else that of `work`. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Whether the code that asks is part of a step: DBOS keeps no journal inside one. */
  isInStep(): boolean;
  /** Thrown, it says that the run is another process's: nothing of it is kept. */
  conflict(run: string): Error;
  isConflict(error: unknown): boolean;
  /** How these stand; those that are unknown are left out. */
  states(runs: readonly string[]): Promise<Map<string, { is: "open" | "queued" | "over"; executor: string }>>;
  /** Runs in progress, and who has them. */
  open(): Promise<{ run: string; executor: string }[]>;
  /** Gives them to whichever process is first. */
  resume(runs: readonly string[]): Promise<void>;
  /** Forgets what has ended: what steps gave is nowhere longer than it is needed. */
  tidy(): Promise<void>;
  /** Takes no more runs; waits for those in progress, at most so long. */
  close(within: Seconds): Promise<void>;
}

/** Of its tables, which are its own. */
const schema = "hookline_dbos";
/** Runs that were taken from a process that died come through it; nothing else does. */
const queue = "automations";
const looksEvery = 1_000;
const tidiedAtOnce = 1_000;
/** It logs each attempt to reach the database; the queue reports that once. */
const quiet = { info() {}, debug() {}, warn() {}, error() {} };

/** Bundled, a CommonJS library has its exports here alone. */
const load = async () => (await import("@dbos-inc/dbos-sdk")).default;

export async function openDurableEngine(options: DurableEngineOptions): Promise<DurableEngine> {
  const { pool, executor, version, perform, complain } = options;
  const { DBOS, DBOSWorkflowConflictError, Error: Errors } = await load();
  if (DBOS.isInitialized()) throw new Error("this process has an engine of durable runs already");
  let isOpen = false; // what its start fails for is said once, by who starts it
  const say = (entry: unknown): void => {
    if (isOpen) complain(messageOf(entry));
  };
  DBOS.setConfig({
    name: "hookline",
    systemDatabasePool: pool,
    systemDatabaseSchemaName: schema,
    applicationVersion: version,
    executorID: executor,
    useListenNotify: false, // its tables are made with triggers all the same; nothing here waits for a notification of its
    runMigrations: false,
    logger: { ...quiet, error: say },
  });
  const automation = DBOS.registerWorkflow(perform, { name: "automation", maxRecoveryAttempts: 1_000 }); // they are counted with our rows
  try {
    await DBOS.launch();
    await DBOS.registerQueue(queue, { minPollingIntervalMs: looksEvery, onConflict: "always_update" });
  } catch (error) {
    await DBOS.shutdown({ deregister: true }).catch(() => {});
    const said = messageOf(error);
    // Its words for that name a server and a database that it would use by itself.
    const areOld = /schema version/i.test(said);
    const reason = areOld ? "the tables of DBOS are missing or too old" : `DBOS did not start: ${said}`;
    const advice = "let its owner run `hookline store migrate --writer ROLE`";
    throw new HooklineError("store_unusable", { reason, where: "hookline worker", advice }, { cause: error });
  }

  isOpen = true;
  /** What the end of a run brings about is no part of the run, which is how DBOS would take it. */
  const apart = AsyncLocalStorage.snapshot();
  const list = (filter: Parameters<typeof DBOS.listWorkflows>[0]) =>
    apart(() => DBOS.listWorkflows({ workflowName: "automation", loadInput: false, loadOutput: false, ...filter }));

  return {
    async start(run) {
      try {
        await apart(() => DBOS.startWorkflow(automation, { workflowID: run, workflowIDReusePolicy: "reject" })(run));
        return true;
      } catch (error) {
        if (Errors.isWorkflowIDInUseError(error)) return false;
        throw error;
      }
    },
    step: (name, work) => DBOS.runStep(work, { name }),
    isInStep: () => DBOS.isInStep(),
    conflict: (run) => new DBOSWorkflowConflictError(run),
    isConflict: (error) => error instanceof DBOSWorkflowConflictError,
    async states(runs) {
      const found = runs.length === 0 ? [] : await list({ workflowIDs: [...runs] });
      return new Map(
        found.map(({ workflowID, status, executorId = "" }) => [
          workflowID,
          { is: status === "PENDING" ? "open" : status === "ENQUEUED" ? "queued" : "over", executor: executorId },
        ]),
      );
    },
    async open() {
      const found = await list({ status: "PENDING", applicationVersion: version });
      return found.map(({ workflowID, executorId = "" }) => ({ run: workflowID, executor: executorId }));
    },
    async resume(runs) {
      if (runs.length > 0) await apart(() => DBOS.resumeWorkflows([...runs], { queueName: queue }));
    },
    async tidy() {
      const over = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"] as const;
      for (;;) {
        const found = await list({ status: [...over], limit: tidiedAtOnce });
        if (found.length > 0) await apart(() => DBOS.deleteWorkflows(found.map(({ workflowID }) => workflowID)));
        if (found.length < tidiedAtOnce) return;
      }
    },
    async close(within) {
      isOpen = false;
      await DBOS.shutdown({ workflowCompletionTimeoutMS: within * 1000, deregister: true });
      await pool.end();
    },
  };
}

/** Makes its tables, as their owner. Safe to do again. Rejects with HooklineError store_unusable. @param writer gets the rights of a worker */
export async function migrateDurableEngine(url: string, writer?: string): Promise<void> {
  const { DBOS } = await load();
  const { log } = console;
  console.log = () => {}; // it prints each statement, with any logger
  try {
    await DBOS.migrate(url, { schemaName: schema, ...(writer === undefined ? {} : { applicationRole: writer }) });
  } catch (error) {
    const reason = `the tables of DBOS could not be made: ${messageOf(error)}`;
    const advice = "use the role that owns the database";
    throw new HooklineError("store_unusable", { reason, where: "hookline store migrate", advice }, { cause: error });
  } finally {
    console.log = log;
  }
}
