/**
 * The process that stays: one line with the automations of all projects in force, a worker for their runs, clocks, watchers
 * and notices. Composition only; what each part does stands in its own folder. How it is reached from outside: listen-for.ts.
 */
import { type Automations, openAutomations } from "../automations.ts";
import type { AutomationRecords } from "../core/automation-records.ts";
import { HooklineError } from "../core/error.ts";
import type { Fields, HookEvent } from "../core/event.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Observation } from "../core/ports.ts";
import { openDurableQueue } from "../durable-queue.ts";
import type { Loaded } from "../loading.ts";
import { createNotifier } from "../notify/index.ts";
import { automationOf } from "../operations/automation-run.ts";
import type { OperationContext } from "../operations/operation.ts";
import type { ProjectRecords } from "../projects/records.ts";
import { createInlineQueue } from "../queues/inline.ts";
import { createRoutedQueue } from "../queues/routed.ts";
import { createResident, type Resident } from "../resident.ts";
import { forgetClaims } from "../stores/claims.ts";
import { createProjectRecords } from "../stores/project-records.ts";
import type { SqliteStore } from "../stores/sqlite.ts";
import { workCounts } from "../stores/work-counts.ts";
import { systemPorts } from "../system.ts";
import { createFileWatcher, type FileWatcherSettings } from "../triggers/file-watch.ts";
import { createSchedule } from "../triggers/schedule.ts";
import { createInForce, type InForce } from "./in-force.ts";
import { type Repeated, repeat } from "./repeat.ts";
import { type Settings, settingsOf } from "./settings.ts";

export interface DaemonOptions {
  /** Where it was started: its settings hold, and its events happen there that happen nowhere else. */
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
  /** It is closed with the daemon. */
  store: SqliteStore;
  /** Folders whose automation files are in force, beside those of the projects in the store. */
  workspaces: readonly string[];
  observe(seen: Observation): void;
  /** Told what a person should know, in one sentence. */
  complain(reason: string): void;
}

export interface Daemon {
  readonly resident: Resident;
  readonly store: SqliteStore;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  settings(): Settings;
  inForce: InForce;
  /** What operations work on. */
  operating(): OperationContext;
  /** Hears what `observe` hears, until it is undone. */
  listen(ear: (seen: Observation) => void): () => void;
  /** One event down the line. What it started ends with the daemon. */
  emit(event: HookEvent): Promise<Outcome>;
  /** Begins to fire what is due and to follow what others change; resolves when all that is there is watched. */
  follow(): Promise<void>;
  /** Does what is due and queued now, and waits for it. */
  once(signal: AbortSignal): Promise<void>;
  status(): Promise<Fields>;
  /** Ends what runs within some ten seconds (A50): runs of automations go on at the next start. Safe to call twice. */
  close(): Promise<void>;
}

/** Of how many the hooks are kept at hand. */
const foldersAtMost = 1_000;
/** How soon a change that another process made is seen. */
const followsWithin = 500;
const closesWithin = 10_000;
/** Messages of webhooks are so old by then that their signatures are refused. */
const claimsKept = 3_600_000;

export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const { cwd, home, environment, store, complain } = options;
  const basics = systemPorts();
  const ears = new Set([options.observe]);
  const stopping = new AbortController();
  let settings = settingsOf(undefined);
  const durable = openDurableQueue(store, {
    cap: () => (settings.engine.enabled ? settings.engine.max_concurrent_hooks : 0),
    environment,
    complain,
  });
  const resident = await createResident({
    cwd,
    home,
    environment,
    store,
    functions: new Map(),
    queue: createRoutedQueue({ durable, other: createInlineQueue() }),
    combine: (set) => inForce.combine(set, settings.engine.enabled),
    automations: async () => automations,
    folders: foldersAtMost,
    observe: (seen) => {
      for (const ear of ears) ear(seen);
    },
    complain,
  });
  const { engine, ports, source } = resident;
  settings = settingsOf(source?.known(cwd)); // before the queue begins its first run
  const automations = automationsOf(options, resident);
  const { records } = automations;
  const projects = createProjectRecords(store.database);
  const inForce = createInForce({
    folders: options.workspaces,
    source,
    automations,
  });
  const notifier = createNotifier({
    settings: () => ({ channels: settings.notifications, notify: settings.notify }),
    projectChannels: (project) => channelsOf(project, projects, source?.known(inForce.workspaceOf(project) ?? "")),
    environment,
    now: basics.now,
    after: basics.after,
    ...(ports.redact ? { redact: ports.redact } : {}),
    complain,
  });
  ears.add(notifier.observe);
  const emit = async (event: HookEvent): Promise<Outcome> =>
    engine.emit(event, { environment, signal: stopping.signal });
  const schedule = createSchedule({
    ...basics,
    store,
    home,
    isEnabled: () => settings.engine.enabled,
    fire: emit,
    ended: ({ id, origin }) => (origin.file === undefined ? switchOff(id, records, basics.now()) : undefined),
    complain,
  });
  const watcher = createFileWatcher({
    ...basics,
    settings: () => watcherSettings(settings),
    tell: emit,
    complain,
  });
  let following: Repeated | undefined;
  let synced = "";
  let tidied = 0;
  let closing: Promise<void> | undefined;

  /** Sees what has changed since the last look, in the settings and among the automations. */
  async function look(): Promise<void> {
    settings = settingsOf(await source?.at(cwd));
    await inForce.refresh();
    const { engine: own } = settings;
    const state = JSON.stringify([inForce.version(), own]);
    if (state !== synced) {
      const hooks = inForce.hooks(true); // both know themselves what is switched off
      await Promise.all([schedule.sync(hooks), watcher.sync(hooks.filter(({ on }) => "watch" in on))]);
      synced = state;
    }
    tidy();
  }

  function tidy(): void {
    const now = basics.now();
    if (now - tidied < claimsKept) return;
    tidied = now;
    forgetClaims(store.database, "webhook:", now - claimsKept);
  }

  async function closeAll(): Promise<void> {
    await following?.stop();
    await Promise.all([schedule.close(), watcher.close()]);
    const undo = basics.after(closesWithin, () => stopping.abort());
    try {
      await resident.close();
      await notifier.close();
    } finally {
      undo();
      store.close();
    }
  }

  return {
    resident,
    store,
    cwd,
    environment,
    inForce,
    settings: () => settings,
    operating: () => ({
      engine,
      store,
      hooks: async (event) => inForce.combine((await source?.at(event?.cwd ?? cwd))?.set, settings.engine.enabled),
      now: basics.now,
      id: basics.id,
      environment,
      board: resident.outside.board,
      automations: async () => automations,
      cwd,
    }),
    listen(ear) {
      ears.add(ear);
      return () => void ears.delete(ear);
    },
    emit,
    async follow() {
      await look();
      following ??= repeat(look, { after: basics.after, milliseconds: followsWithin, complain });
    },
    async once(signal) {
      await look();
      await schedule.check();
      const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([durable.idle(), aborted]);
    },
    async status() {
      const { engine: own, webhooks, notifications } = settings;
      return {
        workspaces: [...inForce.folders()],
        engine: { ...own },
        automations: inForce.facts(),
        due: schedule.list().map(({ hook, at, waits }) => ({ hook, at: iso(at), waits: waits ?? null })),
        watches: watcher.list().map((one) => ({ ...one })),
        queue: { ...workCounts(store.database) },
        webhooks: Object.keys(webhooks),
        notifications: Object.keys(notifications),
      };
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

const iso = (at: number): string => new Date(at).toISOString();

/** Nothing is watched where the settings say so (A51). */
const watcherSettings = ({ engine }: Settings): FileWatcherSettings => ({
  enabled: engine.enabled && engine.file_watcher_enabled,
  pollInterval: engine.file_watcher_poll_interval,
  debounce: engine.file_watcher_debounce_seconds,
});

/** The store is on SQLite, so it keeps automations. */
function automationsOf({ store, environment, cwd }: DaemonOptions, { ports, source }: Resident): Automations {
  const opened = openAutomations({
    store,
    registry: ports.registry,
    environment,
    modelsIn: () => source?.known(cwd)?.userConfig.models ?? {}, // they are the user's, wherever they run
  });
  if (!opened)
    throw new HooklineError("store_unusable", {
      reason: "it keeps no automations",
      where: "hookline up",
      advice: "use the SQLite store",
    });
  return opened;
}

/** What a project in the store names, then what its folder's file does. */
async function channelsOf(
  project: string,
  records: Pick<ProjectRecords, "get">,
  loaded: Pick<Loaded, "config"> | undefined,
): Promise<readonly string[] | undefined> {
  return (await records.get(project))?.notify ?? loaded?.config.notify;
}

/** What fires once has fired: lists show it as over. */
function switchOff(hook: string, records: Pick<AutomationRecords, "enable">, now: number): void {
  const automation = automationOf(hook);
  if (automation) records.enable(automation.project, automation.id, false, now / 1000);
}
