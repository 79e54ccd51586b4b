/**
 * The long-lived process: one engine with the active automations of all projects, a worker for their runs, clocks, watchers
 * and notices. Composition only; what each part does stands in its own folder. How it is reached from outside: listeners.ts.
 */
import { HooklineError, isOfStore, messageOf } from "../../engine/error.ts";
import type { Fields, HookEvent, Instant } from "../../engine/event.ts";
import { emitRecorded } from "../../engine/later.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import { automationOf } from "../../formats/automations/fields.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { createInlineQueue } from "../../runtime/queues/inline.ts";
import { createRoutedQueue } from "../../runtime/queues/routed.ts";
import { systemPorts } from "../../runtime/system.ts";
import { type DegradableStore, ringOfRows, withDegradedMode } from "../../storage/degraded.ts";
import { createHandedOver } from "../../storage/sqlite/handed-over.ts";
import { type WorkCounts, workCounts } from "../../storage/sqlite/journal-queues.ts";
import type { SqliteStore } from "../../storage/sqlite/sqlite.ts";
import { eventTimings } from "../../storage/sqlite/statistics.ts";
import { type Automations, openAutomations } from "../compose/automations.ts";
import { openDurableQueue } from "../compose/durable-queue.ts";
import { asRecord } from "../compose/record.ts";
import { createRuntime, type Runtime, type RuntimeOptions } from "../compose/runtime.ts";
import { toldOf } from "../compose/told.ts";
import { type ActiveAutomations, createActiveAutomations } from "./active-automations.ts";
import { createActivity } from "./activity.ts";
import { createChanges, type Settings, settingsOf } from "./changes.ts";
import { createCoverageWatch } from "./coverage.ts";
import type { Sharing } from "./sharing.ts";
import { createTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";
import { createTriggers } from "./triggers.ts";

export interface DaemonOptions
  extends Pick<RuntimeOptions, "beforeModules" | "redact">,
    Pick<TelemetryOptions, "version" | "variables"> {
  /** Gets the environment of each sender, before anything of its request is written down. */
  learnSecrets?(environment: Readonly<Record<string, string>>): void;
  /** Its own folder: its settings hold, and what happens nowhere else happens there. */
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
  /** It is closed with the daemon. */
  store: SqliteStore;
  /** Where it lies. Absent: the system reports no change of it, so what other processes write there is looked for. */
  storeFile?: string;
  /** What it shares with other machines; absent: nothing. It is closed with the daemon. */
  sharing?: Sharing;
  /** The daemon's own place: where it is gone, nothing is looked for and written there any more. Absent: it stays. */
  place?: DaemonPlace;
  /** The Postgres to which the record of this machine goes, if it does. It is closed with the daemon, before the store. */
  shared?: SharedRecord;
  /** Folders whose automation files are active, beside those of the projects in the store. */
  workspaces: readonly string[];
  observe(seen: Observation): void;
  /** Gets what a person should know, in one sentence. */
  complain(reason: string): void;
}

export interface SharedRecord {
  facts(): { address: string; waitsSince: Instant | null; reason: string | null };
  /** Brings all that is there now, as far as that can be done now. Never rejects. */
  bring(): Promise<boolean>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface DaemonPlace {
  /** Its store or its address was taken away, or the address is another daemon's. Never throws. */
  isGone(): boolean;
  /** Told when that is seen, maybe more than once. */
  gone(): void;
  /** The files beside the store that say so. */
  files: readonly string[];
}

export interface Daemon extends Pick<DaemonOptions, "cwd" | "home" | "environment" | "complain"> {
  /** Where it takes nothing, decisions go on without it. */
  readonly store: DegradableStore;
  /** Gets the environment of each sender, before anything of its request is written down. */
  learnSecrets(environment: Readonly<Record<string, string>>): void;
  /** What operations work on. */
  readonly context: OperationContext & Pick<Runtime["ports"], "now" | "id">;
  readonly active: Pick<ActiveAutomations, "workspaceOf" | "folders">;
  /** What conditions are compiled with. */
  readonly judging: Required<Pick<Ports, "registry" | "registryAt" | "patterns">>;
  /** The hooks of files, by folder. */
  readonly source: Runtime["source"];
  /** Aborts when what still runs has to end. */
  readonly stopping: AbortSignal;
  settings(): Settings;
  /** Hears what `observe` hears, until it is undone. */
  listen(ear: (seen: Observation) => void): () => void;
  readonly telemetry: Pick<Telemetry, "measures" | "read" | "scrapeToken">;
  /** Decides one event. What it started ends with the daemon. Rejects where it could not be written down. */
  emit(event: HookEvent): Promise<Outcome>;
  /** Begins to fire what is due and to follow what others change; resolves when all that is there is watched. */
  follow(): Promise<void>;
  /** Does what is due and queued now, and waits for it. */
  once(signal: AbortSignal): Promise<void>;
  status(): Fields;
  /** Where what is recorded cannot go just now. Empty: it is ready. */
  missing(): ("store" | "postgres")[];
  /** Milliseconds since the last event. */
  quietFor(): number;
  /** Something is to be done without an event from outside: a clock, a watch, a run. May throw what the store throws. */
  isNeeded(): boolean;
  /**
   * Ends what runs within ten seconds (A50): runs of automations go on at the next start. Safe to call twice.
   *
   * @param answered what still needs the store: the last answers
   */
  close(answered?: Promise<unknown>): Promise<void>;
}

const day = 86_400_000;
/** Runs that are being handed over to other machines. */
const handedOverAtOnce = 1_000;
/** How long a look at what agents have written may take: it goes on at the end of the next turn. */
const readsWithin = 30_000;
/** Of how many the hooks are kept at hand. */
const foldersAtMost = 1_000;
/** What runs may take so long to end by itself; programs that do not obey take two seconds more. */
const endsWithin = 6_000;
/** After that, nothing that is still to be answered is waited for: its hooks were ended before. */
const answersWithin = 8_000;
/** Then the process ends, whatever does not. */
const closesWithin = 9_500;

/** Runs begin at once: those that an earlier process left behind, and those that others have queued. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const { cwd, environment, complain } = options;
  const store = withDegradedMode(() => options.store, { ring: ringOfRows, complain });
  const { now, elapsed, after, id, owner = "" } = systemPorts({ newest: store.newestId?.() });
  const ears = new Set([options.observe]);
  const stopping = new AbortController();
  let settings = settingsOf(undefined);
  const cap = (): number => (settings.engine.enabled ? settings.engine.max_concurrent_hooks : 0);
  /** Its worker finds again and again that the store takes nothing, which has been said once. */
  const complainOfQueue = (reason: string): void => {
    if (reason !== store.loss()?.reason) complain(reason);
  };
  const { sharing } = options;
  const workIfNeeded = async (): Promise<void> => {
    if (active.hooks().length > 0) await sharing?.work();
  };
  const own = openDurableQueue(store, {
    ...{ environment, complain: complainOfQueue, idlePoll: 2 },
    cap: () => (sharing ? Math.min(cap(), 1) * handedOverAtOnce : cap()), // other machines have a say in how many run
  });
  const forwarded = sharing?.forward(own, createHandedOver(options.store));
  const durable = forwarded ?? own;
  const told =
    options.storeFile === undefined ? { record: () => asRecord(store) } : toldOf(options, store, options.storeFile);
  const runtime = await createRuntime({
    ...options,
    ...{ store, told },
    functions: new Map(),
    queue: createRoutedQueue({
      durable: { ...durable, close: () => durable.close(endsWithin / 1000 + 3) }, // of these it keeps three for the end
      other: createInlineQueue(),
    }),
    combine(set, event) {
      if (event) active.saw(event.cwd);
      return active.combine(set, settings.engine.enabled);
    },
    automations: async () => automations,
    notices: {
      settings: () => ({ channels: settings.notifications, notify: settings.notify }),
      inFile: (project) => source?.known(active.workspaceOf(project) ?? "")?.config.notify,
    },
    sources: { atMost: foldersAtMost, watches: true },
    observe: (seen) => {
      for (const ear of ears) ear(seen);
    },
  });
  const { engine, source } = runtime;
  settings = settingsOf(source?.known(cwd)); // before the queue begins its first run, which is not before the next turn
  const automations = automationsOf(options, runtime);
  const active = createActiveAutomations({
    ...{ folders: options.workspaces, source, automations },
    standing: () => store.database.openGroup(),
  });
  const coverage = createCoverageWatch({
    after,
    async look(folder, sender, signal) {
      const { lookAtTranscripts } = await import("../../operations/coverage/look.ts");
      const { root = folder } = (await source?.at(folder)) ?? {};
      await lookAtTranscripts({
        ...{ store, home: options.home, environment, root, sender, now: now(), within: readsWithin, signal },
        heard: engine.heard,
      }).catch((error: unknown) => complainOfQueue(messageOf(error)));
    },
  });
  ears.add(coverage.observe);
  const activity = createActivity({ now, elapsed: elapsed ?? now });
  ears.add(activity.observe);
  /** What it would hand over does not run here: it waits for the database. */
  const queueCounts = (): WorkCounts => {
    const { waiting, running, handedOver } = workCounts(store.database);
    return sharing ? { waiting: waiting + running, running: 0, handedOver } : { waiting, running, handedOver };
  };
  const telemetry = createTelemetry({
    ...{ ...options, now, after, owner, store, sessions: activity.sessions },
    queue: queueCounts,
  });
  ears.add(telemetry.observe);
  await telemetry.follow(settings.telemetry);
  const emit = (event: HookEvent): Promise<Outcome> =>
    emitRecorded(engine, event, { environment, signal: stopping.signal });
  const triggers = createTriggers({
    ...{ ...options, now, ...(elapsed ? { elapsed } : {}), after, id, emit },
    store: sharing ? sharing.claiming(options.store) : options.store,
    settings: () => settings,
    ended: ({ id: hook, origin }) => {
      const known = origin.file === undefined ? automationOf(hook) : undefined;
      if (known) automations.records.enable(known.project, known.id, false, now() / 1000); // lists show it as over
    },
  });
  ears.add(triggers.observe);
  const changes = createChanges({
    ...{ ...options, active, source, after },
    elapsed: elapsed ?? now,
    settings: {
      read(loaded) {
        settings = settingsOf(loaded);
        void telemetry.follow(settings.telemetry); // it never rejects
      },
      mark: () => JSON.stringify(settings.engine),
    },
    async makeProject(folder) {
      await (await runtime.board())?.projects.place({ folder });
    },
    followFiles: runtime.followFiles,
    async changed() {
      await triggers.sync(active.hooks());
      void workIfNeeded(); // it never rejects
      durable.look();
      void forwarded?.recheck(); // it never rejects
    },
    queued: durable.look,
  });
  const end = endOf({
    ...{ after, stopping, complain },
    async parts(answered) {
      await changes.stop();
      await triggers.close();
      await coverage.close();
      await sharing?.endWork();
      await runtime.close(answered && endsBefore(answersWithin, answered, after));
      await sharing?.close();
      await telemetry.close();
      await options.shared?.close();
    },
    last: () => store.close(),
  });

  await changes.look();
  await workIfNeeded();
  return {
    ...{ cwd, home: options.home, store, environment, complain, active, emit, source, telemetry },
    judging: {
      registry: runtime.ports.registry,
      patterns: runtime.ports.patterns,
      registryAt: (event) => runtime.ports.registryAt?.(event) ?? runtime.ports.registry,
    },
    learnSecrets: (given) => options.learnSecrets?.(given),
    stopping: stopping.signal,
    context: {
      ...{ engine, store, now, id, environment, cwd, home: options.home },
      judging: (event) => ({
        registry: runtime.ports.registryAt?.(event) ?? runtime.ports.registry,
        patterns: runtime.ports.patterns,
      }),
      async active(folder) {
        const loaded = await source?.at(folder);
        return { ...loaded, set: active.combine(loaded?.set, settings.engine.enabled) };
      },
      ...told,
      board: runtime.board,
      automations: async () => automations,
    },
    settings: () => settings,
    listen(ear) {
      ears.add(ear);
      return () => void ears.delete(ear);
    },
    follow: changes.follow,
    async once(signal) {
      await changes.look();
      await triggers.fireDue(active.hooks());
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([durable.idle().then(() => options.shared?.bring()), stopped]);
    },
    missing: () => [
      ...(store.loss() ? (["store"] as const) : []),
      ...(options.shared?.facts().reason ? (["postgres"] as const) : []),
    ],
    status: () => ({
      store: lossOf(store),
      ...(options.shared ? { shared: { ...options.shared.facts() } } : {}),
      workspaces: [...active.folders()],
      engine: { ...settings.engine },
      automations: active.facts(),
      ...triggers.facts(),
      queue: { ...ifReadable(queueCounts) },
      ...(sharing ? { sharing: sharing.facts() } : {}),
      webhooks: Object.keys(settings.webhooks),
      notifications: Object.keys(settings.notifications),
      activity: activity.facts(),
      process: { memoryInBytes: process.memoryUsage.rss(), seconds: Math.round(process.uptime()) },
      telemetry: telemetry.facts(),
      residents: (runtime.ports.residents?.facts() ?? []).map((one) => ({ ...one })),
      decisions: (ifReadable(() => eventTimings(store.database, now() - day)) ?? []).map((one) => ({ ...one })),
    }),
    quietFor: activity.quietFor,
    isNeeded() {
      const { due, watches } = triggers.facts();
      const { waiting, running, handedOver } = workCounts(store.database);
      return (
        waiting + running + (sharing ? handedOver : 0) > 0 ||
        [due, watches].some((list) => Array.isArray(list) && list.length > 0)
      );
    },
    close: end,
  };
}

interface Ending extends Pick<DaemonOptions, "complain">, Pick<Ports, "after"> {
  stopping: AbortController;
  /** Ends one part after another. @param answered what still needs the store */
  parts(answered: Promise<unknown> | undefined): Promise<void>;
  /** Behind them, whether or not they have ended. */
  last(): void;
}

/** Ends what runs within ten seconds (A50), once. */
function endOf({ after, stopping, complain, parts, last }: Ending): Daemon["close"] {
  let ending: Promise<void> | undefined;
  async function endAll(answered: Promise<unknown> | undefined): Promise<void> {
    const undo = after(endsWithin, () => stopping.abort());
    try {
      if (!(await endsBefore(closesWithin, parts(answered), after)))
        complain("not all that ran has ended within ten seconds: it is left to end by itself");
    } finally {
      undo();
      stopping.abort();
      last();
    }
  }
  return (answered) => {
    ending ??= endAll(answered);
    return ending;
  };
}

/** Whether the work ends in time. Rejects as it does. */
function endsBefore(milliseconds: number, work: Promise<unknown>, after: Ports["after"]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const undo = after(milliseconds, () => resolve(false));
    work.then(() => resolve(true), reject).finally(undo);
  });
}

/** A status says what it can, and under `store` why that is not all. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isOfStore(error)) return undefined;
    throw error;
  }
}

/** As a command tells it: the daemon's own status is asked for at its own door. */
function lossOf(store: DegradableStore): Fields {
  const { since, reason } = store.loss() ?? {};
  const notWrittenSince = since === undefined ? null : new Date(since).toISOString();
  return { notWrittenSince, reason: reason ?? null, rowsLost: store.rowsLost() };
}

/** The store is on SQLite, so it keeps automations. */
function automationsOf({ store, environment, cwd }: DaemonOptions, { ports, source }: Runtime): Automations {
  const opened = openAutomations({
    store,
    registry: ports.registry,
    patterns: ports.patterns,
    environment,
    modelsIn: () => source?.known(cwd)?.userConfig.models ?? {}, // they are the user's, wherever they run
  });
  if (opened) return opened;
  const facts = { reason: "it keeps no automations", where: "hookline up", advice: "use the SQLite store" };
  throw new HooklineError("store_unusable", facts);
}
