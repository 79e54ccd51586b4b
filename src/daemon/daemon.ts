/**
 * The process that stays: one line with the automations of all projects in force, a worker for their runs, clocks, watchers
 * and notices. Composition only; what each part does stands in its own folder. How it is reached from outside: listen-for.ts.
 */
import { type Automations, openAutomations } from "../automations.ts";
import { HooklineError } from "../core/error.ts";
import type { Fields, HookEvent } from "../core/event.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Observation } from "../core/ports.ts";
import { emitRecorded } from "../core/recorded.ts";
import { automationOf } from "../dialects/automation-fields.ts";
import { openDurableQueue } from "../durable-queue.ts";
import { createNotifier, type Notifier } from "../notify/index.ts";
import type { OperationContext } from "../operations/operation.ts";
import { createInlineQueue } from "../queues/inline.ts";
import { createRoutedQueue } from "../queues/routed.ts";
import { createResident, type Resident, type ResidentOptions } from "../resident.ts";
import { createProjectRecords } from "../stores/project-records.ts";
import type { SqliteStore } from "../stores/sqlite.ts";
import { workCounts } from "../stores/work-counts.ts";
import { systemPorts } from "../system.ts";
import { createInForce, type InForce } from "./in-force.ts";
import { type Repeated, repeat } from "./repeat.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { createTriggers } from "./triggers.ts";

export interface DaemonOptions extends Pick<ResidentOptions, "beforeModules"> {
  /** Its own folder: its settings hold, and what happens nowhere else happens there. */
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

export interface Daemon extends Pick<DaemonOptions, "cwd" | "store" | "environment"> {
  /** What operations work on. */
  readonly context: OperationContext & Pick<Resident["ports"], "now" | "id">;
  readonly inForce: Pick<InForce, "workspaceOf">;
  settings(): Settings;
  /** Hears what `observe` hears, until it is undone. */
  listen(ear: (seen: Observation) => void): () => void;
  /** One event down the line. What it started ends with the daemon. Rejects where it could not be written down. */
  emit(event: HookEvent): Promise<Outcome>;
  /** Begins to fire what is due and to follow what others change; resolves when all that is there is watched. */
  follow(): Promise<void>;
  /** Does what is due and queued now, and waits for it. */
  once(signal: AbortSignal): Promise<void>;
  status(): Fields;
  /** Ends what runs within some ten seconds (A50): runs of automations go on at the next start. Safe to call twice. */
  close(): Promise<void>;
}

/** Of how many the hooks are kept at hand. */
const foldersAtMost = 1_000;
/** How soon a change that another process made is seen. */
const followsWithin = 500;
const closesWithin = 10_000;

/** Runs begin at once: those that an earlier process left behind, and those that others have queued. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const { cwd, environment, store, complain } = options;
  const { now, elapsed, after, id } = systemPorts();
  const ears = new Set([options.observe]);
  const stopping = new AbortController();
  let settings = settingsOf(undefined);
  const cap = (): number => (settings.engine.enabled ? settings.engine.max_concurrent_hooks : 0);
  const durable = openDurableQueue(store, { cap, environment, complain });
  const resident = await createResident({
    ...options,
    functions: new Map(),
    queue: createRoutedQueue({ durable, other: createInlineQueue() }),
    combine: (set) => inForce.combine(set, settings.engine.enabled),
    automations: async () => automations,
    folders: foldersAtMost,
    observe: (seen) => {
      for (const ear of ears) ear(seen);
    },
  });
  const { engine, source } = resident;
  settings = settingsOf(source?.known(cwd)); // before the queue begins its first run, which is not before the next turn
  const automations = automationsOf(options, resident);
  const inForce = createInForce({ folders: options.workspaces, source, automations });
  const notifier = noticesOf({ ...options, resident, inForce, settings: () => settings });
  ears.add(notifier.observe);
  const emit = (event: HookEvent): Promise<Outcome> =>
    emitRecorded(engine, event, { environment, signal: stopping.signal });
  const triggers = createTriggers({
    ...{ ...options, now, ...(elapsed ? { elapsed } : {}), after, id, emit },
    settings: () => settings,
    ended: ({ id: hook, origin }) => {
      const known = origin.file === undefined ? automationOf(hook) : undefined;
      if (known) automations.records.enable(known.project, known.id, false, now() / 1000); // lists show it as over
    },
  });
  let following: Repeated | undefined;
  const placed = new Set<string>();
  let synced = "";
  let closing: Promise<void> | undefined;

  /** Sees what has changed since the last look, in the settings and among the automations. */
  async function look(): Promise<void> {
    settings = settingsOf(await source?.at(cwd));
    await inForce.refresh();
    for (const folder of inForce.placeless()) await place(folder);
  }

  /** Folders may be called alike; projects are not, whichever process looks at them. */
  async function place(folder: string): Promise<void> {
    if (placed.has(folder)) return;
    placed.add(folder);
    try {
      await (await resident.outside.board())?.projects.place({ folder });
    } catch {
      // no project may lie there, as in a home: it goes by the folder's name
    }
  }

  async function lookAndFollow(): Promise<void> {
    await look();
    const state = JSON.stringify([inForce.version(), settings.engine]);
    if (state !== synced) await triggers.sync(inForce.hooks());
    synced = state;
  }

  async function closeAll(): Promise<void> {
    await following?.stop();
    await triggers.close();
    const undo = after(closesWithin, () => stopping.abort());
    try {
      await resident.close();
      await notifier.close();
    } finally {
      undo();
      store.close();
    }
  }

  await look();
  return {
    ...{ cwd, store, environment, inForce, emit },
    context: {
      ...{ engine, store, now, id, environment, cwd },
      hooks: async (event) => inForce.combine((await source?.at(event?.cwd ?? cwd))?.set, settings.engine.enabled),
      board: resident.outside.board,
      automations: async () => automations,
    },
    settings: () => settings,
    listen(ear) {
      ears.add(ear);
      return () => void ears.delete(ear);
    },
    async follow() {
      await lookAndFollow();
      following ??= repeat(lookAndFollow, { after, milliseconds: followsWithin, complain });
    },
    async once(signal) {
      await look();
      await triggers.fireDue(inForce.hooks());
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([durable.idle(), stopped]);
    },
    status: () => ({
      workspaces: [...inForce.folders()],
      engine: { ...settings.engine },
      automations: inForce.facts(),
      ...triggers.facts(),
      queue: { ...workCounts(store.database) },
      webhooks: Object.keys(settings.webhooks),
      notifications: Object.keys(settings.notifications),
    }),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** The store is on SQLite, so it keeps automations. */
function automationsOf({ store, environment, cwd }: DaemonOptions, { ports, source }: Resident): Automations {
  const opened = openAutomations({
    store,
    registry: ports.registry,
    environment,
    modelsIn: () => source?.known(cwd)?.userConfig.models ?? {}, // they are the user's, wherever they run
  });
  if (opened) return opened;
  const facts = { reason: "it keeps no automations", where: "hookline up", advice: "use the SQLite store" };
  throw new HooklineError("store_unusable", facts);
}

/** A project says by its record in the store who is told of its runs, else by its folder's file. */
function noticesOf({
  resident: { ports, source },
  ...given
}: Pick<DaemonOptions, "store" | "environment" | "complain"> & {
  resident: Resident;
  inForce: InForce;
  settings(): Settings;
}): Notifier {
  const { store, environment, complain, inForce, settings } = given;
  const projects = createProjectRecords(store.database);
  return createNotifier({
    settings: () => ({ channels: settings().notifications, notify: settings().notify }),
    async projectChannels(project) {
      const inFile = (): readonly string[] | undefined =>
        source?.known(inForce.workspaceOf(project) ?? "")?.config.notify;
      return (await projects.get(project))?.notify ?? inFile();
    },
    environment,
    now: ports.now,
    after: ports.after,
    ...(ports.redact ? { redact: ports.redact } : {}),
    complain,
  });
}
