/** The composition of a process that stays: hook files are followed as they change. The library and the daemon are built on it. */
import type { Callback } from "../../actions/function/function.ts";
import { createHandlers } from "../../actions/index.ts";
import { sendableEvents } from "../../agents/index.ts";
import { noteGuards } from "../../agents/install/guarded.ts";
import { conditions } from "../../conditions/index.ts";
import { loadPatterns } from "../../conditions/patterns.ts";
import { HooklineError } from "../../engine/error.ts";
import type { HookEvent } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { ConditionKind, Handler, Ports, Queue, Registry } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import { emptyConfig } from "../../formats/config/config.ts";
import { clearedFiles } from "../../loading/cleared-files.ts";
import { createHookSource, type HookSource, keepingGuards, type SourceOptions } from "../../loading/live.ts";
import { type Loaded, type Loading, loadAllStable } from "../../loading/loading.ts";
import { createPersistentPrograms } from "../../runtime/processes/persistent-programs.ts";
import { createSpawner } from "../../runtime/processes/spawner.ts";
import { createInlineQueue } from "../../runtime/queues/inline.ts";
import { isAlive, stateFolderOf, systemPorts } from "../../runtime/system.ts";
import type { HooklineOptions } from "../library/hookline.ts";
import {
  type Composed,
  type ComposeOptions,
  compose,
  createLoadingPorts,
  type Folders,
  type LoadingPorts,
} from "./compose.ts";
import type { ExternalServicesOptions, Served } from "./external-services.ts";
import { trusting } from "./trust.ts";

export interface RuntimeOptions
  extends Pick<HooklineOptions, "files" | "observe" | "queue" | "model" | "tools" | "watch" | "clock">,
    Pick<ExternalServicesOptions, "complain" | "redact"> {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
  store: Store;
  /** The callbacks of hooks that are functions, by hook id. */
  functions: Map<string, Callback>;
  /** What is asked about an event: the hooks of the files, and those that the process itself brings. */
  combine(set: HookSet | undefined, event: HookEvent | undefined): HookSet;
  /** Called before code of a project is run. */
  beforeModules?: NonNullable<Loading["beforeModules"]>;
  /** The automations that the store keeps, for operations. */
  automations?: Served["automations"];
  notices?: ComposeOptions["notices"];
  told?: ComposeOptions["told"];
  asQueued?: ComposeOptions["asQueued"];
  /** How hook files are followed; folders whose hooks are kept at hand. */
  sources?: SourceOptions;
}

export interface Runtime extends Composed {
  extended: Extended;
  /** Absent: hook files are not read. */
  source: HookSource<Loaded> | undefined;
  /** Ends the programs of hooks that have gone from files, although no event has asked for those since. */
  followFiles(): Promise<void>;
}

/** Runs that an earlier process left behind are closed first. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { cwd, home, environment, store, functions, combine, model, tools, complain } = options;
  const patterns = await loadPatterns();
  const extended = createExtended({ handlers: createHandlers(functions), conditions }, () => source?.forget());
  const { registry } = extended;
  const loadingPorts = createLoadingPorts(options.observe ?? (() => {}));
  const source = options.files === false ? undefined : sourceOf(options, registry, { patterns, loadingPorts });
  await source?.at(cwd);
  const basics = systemPorts({ clock: options.clock, newest: store.newestId?.() });
  await store.repair(isAlive, basics.now());
  const log = (level: string, message: string, hook = ""): void =>
    options.observe?.({ is: "log", level, message, hook, run: "" });
  const spawner = createSpawner({ complain: complain ?? ((message) => log("warn", message)) });
  const residents = createPersistentPrograms({ start: spawner.startPiped, stay: true, tell: log });
  const composed = await compose({
    ...{ cwd, home, environment, store, basics, combine, registry, patterns, residents },
    folders: source ? followed(source) : withoutFiles,
    registryAt: (event) => source?.known(event.cwd)?.registry ?? registry,
    queue: source
      ? knowingFolders(options.queue ?? createInlineQueue(), source)
      : (options.queue ?? createInlineQueue()),
    spawner,
    changes: options.watch === false ? "looked at" : "watched",
    scripts: source ? "recorded" : "none",
    brought: { ...(model ? { model: async () => model } : {}), ...(tools ? { tools: async () => tools } : {}) },
    ...(options.automations ? { automations: options.automations } : {}),
    ...(options.notices ? { notices: options.notices } : {}),
    ...(options.told ? { told: options.told } : {}),
    ...(options.asQueued ? { asQueued: options.asQueued } : {}),
    ...(options.observe ? { observe: options.observe } : {}),
    ...(complain ? { complain } : {}),
    ...(options.redact ? { redact: options.redact } : {}),
  });
  return {
    ...{ ...composed, extended, source },
    async followFiles() {
      if (!source) return;
      for (const folder of residents.folders())
        residents.follow(folder, combine((await source.at(folder)).set, undefined));
    },
    async close(answered) {
      await composed.close(answered);
      source?.close();
      await loadingPorts.close();
    },
  };
}

function sourceOf(
  options: RuntimeOptions,
  registry: Registry,
  { patterns, loadingPorts }: { patterns: Ports["patterns"]; loadingPorts: LoadingPorts },
): HookSource<Loaded> {
  const { home, environment, store, functions, beforeModules } = options;
  const loading: Loading = {
    ...{ registry, functions, sendable: sendableEvents() },
    ...loadingPorts,
    wholeRegistry: async () => registry,
    ownRegistry: { handlers: createHandlers(functions), conditions },
    ...(beforeModules ? { beforeModules } : {}),
  };
  const trust = trusting({ home, environment });
  const stateFolder = stateFolderOf(home, environment);
  const { holdsNone } = clearedFiles(stateFolder);
  const load = keepingGuards(
    async (cwd, expected, kept) => {
      const request = { cwd, home, environment, patterns, ...trust, ...(kept ? { kept } : {}) };
      const load = await loadAllStable(request, loading, expected);
      const { root, set } = load.loaded;
      noteGuards({ stateFolder, root, hooks: set.hooks, places: { home, environment } });
      return load;
    },
    { store, holdsNone },
  );
  return createHookSource(load, options.sources);
}

const nothing = { config: emptyConfig, userConfig: emptyConfig, settingsBound: {} };

const followed = ({ at, known }: HookSource<Loaded>): Folders => ({
  at,
  known,
  settings: (cwd) => known(cwd) ?? nothing,
});

const withoutFiles: Folders = { at: () => undefined, known: () => undefined, settings: () => nothing };

/** A run may have waited longer than its folder was remembered: its settings and conditions are those of the folder. */
const knowingFolders = (queue: Queue, source: HookSource<Loaded>): Queue => ({
  ...queue,
  start: (owner) =>
    queue.start({
      ...owner,
      async perform(item, caller) {
        await source.at(item.event.cwd); // it never rejects
        return owner.perform(item, caller);
      },
    }),
});

/** The registry of a host that registers conditions and actions of its own; hook files see them at once. */
interface Extended {
  readonly registry: Registry;
  /** Both give their undo, and throw HooklineError name_taken. */
  addCondition(name: string, kind: ConditionKind): () => void;
  addAction(name: string, handler: Handler): () => void;
}

/** @param changed what was compiled with the registry is out of date */
function createExtended(base: Registry, changed: () => void): Extended {
  const handlers = new Map(base.handlers);
  const conditions = new Map(base.conditions);
  const add = <T>(entries: Map<string, T>, name: string, entry: T, where: string): (() => void) => {
    if (handlers.has(name) || conditions.has(name)) throw new HooklineError("name_taken", { name, where });
    entries.set(name, entry);
    changed();
    return () => {
      if (entries.get(name) !== entry) return;
      entries.delete(name);
      changed();
    };
  };
  return {
    registry: { handlers, conditions },
    addCondition: (name, kind) => add(conditions, name, kind, "registerCondition"),
    addAction: (name, handler) => add(handlers, name, handler, "registerAction"),
  };
}
