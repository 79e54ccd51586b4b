/**
 * The engine with everything around it, put together once for every host. Data says what differs between a command, which
 * lives for one event, and a process that stays. What few events need is loaded when it is first asked for.
 */
import { conventions, isHeadless, rememberRunByAgent, reportsOf } from "../../agents/index.ts";
import { createEngine, type Engine } from "../../engine/engine.ts";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, MaybePromise } from "../../engine/event.ts";
import { type Flow, go, wait } from "../../engine/flow.ts";
import type { Hook, HookSet } from "../../engine/hook.ts";
import type { PersistentPrograms } from "../../engine/persistent-program.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import type { Loaded, Loading } from "../../loading/loading.ts";
import { changedOf } from "../../loading/trust/item.ts";
import { createTracking, type Tracked } from "../../runtime/changes/tracking.ts";
import type { Spawner } from "../../runtime/processes/spawner.ts";
import { stateFolderOf, type systemPorts } from "../../runtime/system.ts";
import type { Notifier, NotifierOptions } from "../../services/notify/index.ts";
import type { Modules } from "../modules/load-modules.ts";
import { explainingLines, judgingLines, type LinesOf, linesOfEvents, noticing } from "./beside-hooks.ts";
import { createBudgetWatch } from "./budgets.ts";
import {
  createExternalServices,
  type ExternalServices,
  type ExternalServicesOptions,
  type Served,
} from "./external-services.ts";
import { createRerouteWatch } from "./reroutes.ts";
import type { Told } from "./told.ts";

/** The hooks and settings of folders: the same ones for one event, or as the files are now. */
export interface Folders {
  /** Never throws or rejects. Undefined: hook files are not read. */
  at(cwd: string): MaybePromise<Loaded | undefined>;
  /** Those that `at` last gave for the folder. */
  known(cwd: string): Loaded | undefined;
  settings(cwd: string): Pick<LoadedHooks, "config" | "userConfig" | "settingsBound">;
}

export interface ComposeOptions
  extends Pick<ExternalServicesOptions, "environment" | "home" | "redact">,
    Pick<Ports, "registry" | "registryAt" | "patterns" | "queue" | "residents">,
    Pick<Served, "automations"> {
  /** What the tools of hooks can be told of this machine. */
  told?: Told;
  /** Where the process works. */
  cwd: string;
  basics: ReturnType<typeof systemPorts>;
  store: Store;
  folders: Folders;
  /** Adds to the hooks of the files those that come from elsewhere. Without an event: what operations look at. */
  combine(files: HookSet | undefined, event: HookEvent | undefined): MaybePromise<HookSet>;
  /** Starts the programs of hooks. */
  spawner: Pick<Spawner, "spawn" | "startPiped"> & Partial<Spawner>;
  /** Whether the folders of repositories are watched, or looked at for each question. */
  changes: "watched" | "looked at";
  /** Durable runs are performed as they were queued, on machines where their hooks may not lie. Absent: as their hooks are now. */
  asQueued?: true;
  /** Records of workspace scripts are kept, unless no script can run. */
  scripts: "recorded" | "none";
  /** The lines that an event means beside itself, where they are known already. */
  linesOf?: LinesOf;
  /** What a host brings in place of what the settings name. */
  brought?: Pick<Ports, "model" | "tools">;
  /** Who is notified of durable runs; absent: other processes notify. */
  notices?: NoticeRules;
  /** Sees everything; must not throw. */
  observe?: Ports["observe"];
  /** Gets what a person should know, in one sentence; as a warning in the log where nothing else is said. */
  complain?: ExternalServicesOptions["complain"];
}

interface NoticeRules extends Pick<NotifierOptions, "settings"> {
  /** The channels in the file of a project's folder, which hold where the store names none for the project. */
  inFile?(project: string): readonly string[] | undefined;
}

export interface Composed {
  engine: Engine;
  ports: Ports;
  /** The shell lines that an event brings along, which hooks judge with it. */
  linesOf: LinesOf;
  /** Projects with their tasks, notes and memory; undefined: the store keeps none. */
  board: ExternalServices["board"];
  /**
   * Waits for background work, then ends what hooks were connected to. The store stays open.
   *
   * @param answered what hooks are still asked for: their programs are not ended before
   */
  close(answered?: Promise<unknown>): Promise<void>;
}

export async function compose(options: ComposeOptions): Promise<Composed> {
  const { basics, store, home, environment, folders, combine, spawner, notices: notified } = options;
  const residents = options.residents ?? residentsOfOneEvent(spawner);
  const tell = options.observe ?? (() => {});
  const complain = options.complain ?? ((message) => tell({ is: "log", level: "warn", message, hook: "", run: "" }));
  const given = { ...options, now: basics.now, tell, complain };
  const rootOf = (event: HookEvent): string | undefined => folders.known(event.cwd)?.root;
  const tracked = trackingOf(given, rootOf);
  const outside = createExternalServices({
    ...{ environment, home, complain, start: spawner.startPiped },
    ...(options.redact ? { redact: options.redact } : {}),
    changesOf: tracked.changesOf,
    root: (event) => rootOf(event) ?? event.cwd,
    settings: (event) => folders.settings(event.cwd),
  });
  const records = options.scripts === "recorded" ? await scriptRecordsOf(given) : undefined;
  const notices = notified && noticesOf({ ...given, ...notified }, outside);
  const watch = createBudgetWatch({
    store,
    now: basics.now,
    hooks: (event) => ports.hooks(event),
    budgets: (event) => folders.settings(event.cwd).config.budgets,
    complain,
  });

  function* activeHooks(event: HookEvent): Flow<HookSet> {
    const loaded = yield* wait(folders.at(event.cwd));
    const set = yield* wait(combine(loaded?.set, event));
    residents.follow(event.cwd, set); // programs of hooks that have gone end with the first event that no longer finds them
    return set;
  }

  const ports: Ports = {
    ...basics,
    store,
    queue: options.queue,
    hooks: (event) => go(activeHooks(event)),
    ...(options.asQueued
      ? {}
      : { current: async (hook, event) => (await ports.hooks(event)).hooks.find(({ id }) => id === hook.id) }),
    registry: options.registry,
    ...(options.registryAt ? { registryAt: options.registryAt } : {}),
    patterns: options.patterns,
    projectOf: rootOf,
    nameOfRefusal: async (refused) => (await import("../../runtime/refused-call.ts")).nameOfRefusal(refused),
    ...portsOfAgents(given, rootOf),
    whenDue: async (hook) =>
      (await import("../../runtime/triggers/when-due.ts")).whenDue(hook, { store, now: basics.now() }),
    spawn: spawner.spawn,
    changed: ({ bound }) => changedOf(bound),
    residents,
    fetch: async (request, signal) => (await import("../../actions/http/fetch.ts")).fetch(request, signal),
    ...outside.ports,
    tracking: tracked.tracking,
    ...options.brought,
    ...(records ? { keepOutput: records.keepOutput } : {}),
    observe(seen) {
      watch(seen);
      tell(seen);
      records?.observe(seen);
      notices?.observe(seen);
    },
  };
  const judging = createEngine(ports);
  const linesOf = options.linesOf ?? linesOfEvents({ home, environment });
  const engine = {
    ...judging,
    explain: explainingLines(judging.explain, linesOf),
    emit: noticing(judgingLines(judging.emit, linesOf, basics.id), (event) => folders.known(event.cwd), ports),
  };
  outside.serve({
    engine,
    store,
    cwd: options.cwd,
    async active(folder) {
      const known = folders.known(folder) ?? folders.known(options.cwd);
      return { ...known, set: await combine(known?.set, undefined) };
    },
    ...(options.automations ? { automations: options.automations } : {}),
    ...options.told,
    now: basics.now,
    id: basics.id,
  });
  return {
    engine,
    ports,
    linesOf,
    board: outside.board,
    async close(answered) {
      await Promise.all([engine.close(), answered]);
      await notices?.close();
      await Promise.all([residents.close(), outside.close(), tracked.close()]);
      await spawner.close?.(); // who says goodbye to its servers has had its time
    },
  };
}

/** Programs that would stay are ended after the one event, as this process is. Most events ask none, and load nothing of it. */
function residentsOfOneEvent({ startPiped }: Pick<Spawner, "startPiped">): PersistentPrograms {
  let opening: Promise<PersistentPrograms> | undefined;
  const open = async (): Promise<PersistentPrograms> =>
    (await import("../../runtime/processes/persistent-programs.ts")).createPersistentPrograms({
      start: startPiped,
      stay: false,
    });
  return {
    async ask(question) {
      opening ??= open();
      return (await opening).ask(question);
    },
    follow() {},
    folders: () => [],
    facts: () => [],
    async close() {
      await (await opening)?.close();
    },
  };
}

interface Given extends ComposeOptions, Pick<Ports, "now"> {
  tell(seen: Observation): void;
  complain(reason: string): void;
}

function trackingOf(given: Given, root: (event: HookEvent) => string | undefined): Tracked {
  const { store, now, home, environment, complain } = given;
  return createTracking({
    ...{ store, now, home, root },
    async finder() {
      const { createGit } = await import("../../runtime/processes/git.ts");
      const git = createGit(environment);
      if (given.changes === "watched")
        return (await import("../../runtime/changes/watched.ts")).createWatchedChanges(git, complain);
      return (await import("../../runtime/changes/cold.ts")).createColdChanges(git, complain);
    },
  });
}

async function scriptRecordsOf({ folders, store, home, environment, now, tell }: Given) {
  const { createScriptRecords } = await import("../../actions/script/records.ts");
  const hooks = (event: HookEvent): HookSet | undefined => folders.known(event.cwd)?.set;
  return createScriptRecords({ store, home, now, tell, hooks, state: stateFolderOf(home, environment) });
}

/** What agents do by themselves, with and without us. */
function portsOfAgents(
  { folders, home, environment, store, now, patterns, complain }: Given,
  rootOf: (event: HookEvent) => string | undefined,
): Pick<Ports, "conventions" | "unanswered" | "elsewhere" | "reports" | "rerouted"> {
  const ranByAgent = rememberRunByAgent();
  return {
    conventions,
    reports: reportsOf,
    rerouted: createRerouteWatch({
      ...{ store, now, home, patterns, rootOf, complain },
      hooksOf: (event) => folders.known(event.cwd)?.set,
    }),
    unanswered: (event, variables = environment) =>
      isHeadless(event, variables) ? (folders.settings(event.cwd).userConfig.headlessAsk ?? "deny") : undefined,
    elsewhere: (hook, event, variables = environment) =>
      ranByAgent(hook, event.sender, {
        home,
        root: rootOf(event) ?? hook.origin.root ?? event.cwd,
        environment: variables,
      }),
  };
}

interface Notices {
  observe(seen: Observation): void;
  /** Waits some seconds for what is still to be sent. Never rejects. */
  close(): Promise<void>;
}

/** Notices of the durable runs that this process performs; what sends them is loaded when such a run is to be reported. */
function noticesOf(
  { basics, environment, complain, settings, inFile }: Given & NoticeRules,
  { board, ports }: ExternalServices,
): Notices {
  let opened: Promise<Notifier> | undefined;
  async function open(): Promise<Notifier> {
    const { createNotifier } = await import("../../services/notify/index.ts");
    return createNotifier({
      ...{ ...basics, environment, complain, settings },
      projectChannels: async (id) => (await (await board())?.projects.get(id))?.notify ?? inFile?.(id),
      redact: (text) => ports.redact?.(text) ?? text,
    });
  }
  const isSilent = ({ notify: own = [], project }: Hook): boolean => {
    const { channels, notify } = settings();
    return Object.keys(channels).length === 0 && notify.length === 0 && own.length === 0 && project === undefined;
  };
  return {
    observe(seen) {
      if (seen.is !== "run" || !seen.hook?.durable || isSilent(seen.hook)) return;
      opened ??= open();
      void opened.then((notifier) => notifier.observe(seen)).catch(() => {}); // close says why
    },
    async close() {
      try {
        await (await opened)?.close();
      } catch (error) {
        complain(`notices cannot be sent: ${messageOf(error)}`);
      }
    },
  };
}

export interface LoadingPorts extends Pick<Loading, "loadModules" | "modelFaults"> {
  /** Ends the processes of modules. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * What loading is handed instead of importing it: modules of projects, and what knows models.
 *
 * @param observe gets what modules print
 */
export function createLoadingPorts(observe: NonNullable<Ports["observe"]>): LoadingPorts {
  let modules: Promise<Modules> | undefined;
  async function open(): Promise<Modules> {
    const { createModules } = await import("../modules/load-modules.ts");
    return createModules({
      log: (level, message) => observe({ is: "log", level, message, hook: "module", run: "" }),
    });
  }
  return {
    async loadModules(places, base, functions) {
      modules ??= open();
      return (await modules).loadModules(places, base, functions);
    },
    async modelFaults() {
      const { modelFault } = await import("../../services/models/names.ts");
      return modelFault;
    },
    async close() {
      (await modules)?.close();
    },
  };
}
