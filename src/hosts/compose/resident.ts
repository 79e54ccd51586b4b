/** A line in a process that stays: hook files followed as they change, one engine, and what hooks reach. The library and the daemon are both built on it. */

import type { Callback } from "../../actions/function/function.ts";
import { createHandlers } from "../../actions/index.ts";
import { conventions, rememberRunByAgent, sendableEvents } from "../../agents/index.ts";
import { conditions } from "../../conditions/index.ts";
import { loadPatterns } from "../../conditions/patterns.ts";
import { createEngine, type Engine } from "../../engine/engine.ts";
import type { HookEvent } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Ports, Queue } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import { emptyConfig } from "../../formats/config/config.ts";
import { clearedFiles } from "../../loading/cleared-files.ts";
import { keepingGuards } from "../../loading/last-good-guards.ts";
import { createHookSource, type HookSource, type SourceOptions } from "../../loading/live.ts";
import { type Loaded, type Loading, loadAllStable } from "../../loading/loading.ts";
import { createPersistentPrograms } from "../../runtime/processes/persistent-programs.ts";
import { startPipedProcess } from "../../runtime/processes/piped-process.ts";
import { createSpawner } from "../../runtime/processes/spawner.ts";
import { createInlineQueue } from "../../runtime/queues/inline.ts";
import { isAlive, stateFolderOf, systemPorts } from "../../runtime/system.ts";
import { createExtended, type Extended } from "../library/extended.ts";
import type { HooklineOptions } from "../library/hookline.ts";
import { createBudgetWatch, watching } from "./budget-watch.ts";
import { broughtPorts, recordingOf, trackingOf } from "./host-ports.ts";
import { loadingPorts } from "./loading-ports.ts";
import { createOutside, type Outside, type OutsideOptions, type Served } from "./outside.ts";

export interface ResidentOptions
  extends Pick<HooklineOptions, "files" | "observe" | "queue" | "model" | "tools" | "watch" | "clock">,
    Pick<OutsideOptions, "complain" | "redact"> {
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
  /** How hook files are followed; folders whose hooks are kept at hand. */
  sources?: SourceOptions;
}

export interface Resident {
  engine: Engine;
  ports: Ports;
  extended: Extended;
  /** Absent: hook files are not read. */
  source: HookSource<Loaded> | undefined;
  outside: Pick<Outside, "board">;
  /** Ends the programs of hooks that have gone from files, although no event has asked for those since. */
  followFiles(): Promise<void>;
  /**
   * Waits for background work, then ends what hooks were connected to. The store stays open.
   *
   * @param answered what hooks are still asked for: their programs are not ended before
   */
  close(answered?: Promise<unknown>): Promise<void>;
}

/** Runs that an earlier process left behind are closed first. */
export async function createResident(options: ResidentOptions): Promise<Resident> {
  const { cwd, home, environment, store, functions, combine } = options;
  const patterns = await loadPatterns();
  const extended = createExtended({ handlers: createHandlers(functions), conditions }, () => source?.forget());
  const { registry } = extended;
  const loading: Loading = {
    ...{ registry, functions, sendable: sendableEvents() },
    ...loadingPorts,
    wholeRegistry: async () => registry,
    ...(options.beforeModules ? { beforeModules: options.beforeModules } : {}),
  };
  const source =
    options.files === false
      ? undefined
      : createHookSource(
          keepingGuards(
            (folder, expected, kept) => {
              const request = { cwd: folder, home, environment, patterns, ...(kept ? { kept } : {}) };
              return loadAllStable(request, loading, expected);
            },
            { store, holdsNone: clearedFiles(stateFolderOf(home, environment)).holdsNone },
          ),
          options.sources,
        );
  await source?.at(cwd);
  const basics = systemPorts({ clock: options.clock, newest: store.newestId?.() });
  await store.repair(isAlive, basics.now());
  const tracked = trackingOf(options, { store, now: basics.now, home, environment, source });
  const outside = createOutside({
    changesOf: tracked.changesOf,
    environment,
    home,
    root: (event) => source?.known(event.cwd)?.root ?? event.cwd,
    settings: (event) => source?.known(event.cwd) ?? { config: emptyConfig, userConfig: emptyConfig },
    ...(options.complain ? { complain: options.complain } : {}),
    ...(options.redact ? { redact: options.redact } : {}),
  });
  const residents = createPersistentPrograms({
    start: startPipedProcess,
    tell: (level, message, hook) => ports.observe?.({ is: "log", level, message, hook, run: "" }),
  });
  /** Programs of hooks that went are ended with the first event that no longer finds them. */
  function asked(loaded: HookSet | undefined, event: HookEvent): HookSet {
    const set = combine(loaded, event);
    residents.follow(event.cwd, set);
    return set;
  }
  const spawner = createSpawner({
    complain:
      options.complain ?? ((message) => ports.observe?.({ is: "log", level: "warn", message, hook: "", run: "" })),
  });
  const ranByAgent = rememberRunByAgent();
  const ports: Ports = {
    ...basics,
    store,
    queue: knowingFolders(options.queue ?? createInlineQueue(), source),
    hooks(event) {
      const loaded = source?.at(event.cwd);
      return isThenable(loaded)
        ? Promise.resolve(loaded).then(({ set }) => asked(set, event))
        : asked(loaded?.set, event);
    },
    current: async (hook, event) => (await ports.hooks(event)).hooks.find(({ id }) => id === hook.id),
    registry,
    registryAt: (event) => source?.known(event.cwd)?.registry ?? registry,
    patterns,
    elsewhere: (hook, event, given = environment) =>
      ranByAgent(hook, event.sender, {
        home,
        root: source?.known(event.cwd)?.root ?? hook.origin.root ?? event.cwd,
        environment: given,
      }),
    spawn: spawner.spawn,
    conventions,
    residents,
    fetch: async (request, signal) => (await import("../../actions/http/fetch.ts")).fetch(request, signal),
    ...outside.ports,
    tracking: tracked.tracking,
    ...broughtPorts(options),
    ...recordingOf({
      options,
      store,
      now: basics.now,
      home,
      environment,
      hooks: (event) => source?.known(event.cwd)?.set,
    }),
  };
  const watch = createBudgetWatch({
    store,
    now: basics.now,
    hooks: (event) => ports.hooks(event),
    budgets: (event) => source?.known(event.cwd)?.config.budgets,
    complain: (message) => ports.observe?.({ is: "log", level: "warn", message, hook: "", run: "" }),
  });
  ports.observe = watching(watch, ports.observe);
  const engine = createEngine(ports);
  outside.serve({
    engine,
    store,
    hooks: () => combine(source?.known(cwd)?.set, undefined),
    ...(options.automations ? { automations: options.automations } : {}),
    now: basics.now,
    id: basics.id,
  });
  return {
    engine,
    ports,
    extended,
    source,
    outside,
    async followFiles() {
      if (!source) return;
      for (const folder of residents.folders())
        residents.follow(folder, combine((await source.at(folder)).set, undefined));
    },
    async close(answered) {
      await Promise.all([engine.close(), answered]);
      await Promise.all([residents.close(), outside.close(), tracked.close(), spawner.close()]);
      source?.close();
    },
  };
}

/** A run may have waited longer than its folder was remembered: its settings and conditions are those of the folder. */
function knowingFolders(queue: Queue, source: Resident["source"]): Queue {
  if (!source) return queue;
  return {
    ...queue,
    start: (owner) =>
      queue.start({
        ...owner,
        async perform(item, caller) {
          await source.at(item.event.cwd); // it never rejects
          return owner.perform(item, caller);
        },
      }),
  };
}
