/** The composition of one command: hooks are loaded once, and what few events need only where its events need it. */

import type { MeantLine } from "../../agents/skill-lines.ts";
import { loadPatterns } from "../../conditions/patterns.ts";
import { depthWithin, type HookEvent } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { Loaded } from "../../loading/loading.ts";
import type { Spawner } from "../../runtime/processes/spawner.ts";
import { createDetachedQueue, createInlineQueue } from "../../runtime/queues/inline.ts";
import { createRoutedQueue, type Settling } from "../../runtime/queues/routed.ts";
import { systemPorts } from "../../runtime/system.ts";
import { linesOfEvents } from "../compose/beside-hooks.ts";
import { type Composed, compose } from "../compose/compose.ts";
import { type StoreOnFile, toldOf } from "../compose/told.ts";
import {
  combined,
  loadFiles,
  loadingFor,
  needsOf,
  type StoredAutomations,
  storedAutomations,
  withAutomations,
  withRegistry,
} from "./loaded.ts";
import { logOf, type Place, storePath } from "./place.ts";
import { openDegradableStore } from "./store.ts";

export interface Line extends Pick<Composed, "engine" | "ports" | "board" | "linesOf"> {
  loaded: Loaded;
  automations: StoredAutomations["open"];
  /** Ends background work of this process, then closes the store. */
  close(): Promise<void>;
}
export interface LineOptions {
  place: Place;
  /** With its path, where a daemon may have it, too. */
  store: Store & { path?: string };
  loaded?: Loaded;
  queue?: Settling;
  /**
   * Durable runs are only written down, for a worker; so they are where a hook's program asks, since what waits for its hook
   * would wait for itself. Else they end before `close` resolves, until `stop` aborts (R48).
   */
  handsOver?: true;
  stop?: AbortSignal;
  observe?: Ports["observe"];
  /** What time it is, where that is not the system's clock. */
  now?: Ports["now"];
  /** Only hooks of these events have to be able to run: the others' patterns are not loaded. */
  only?: readonly HookEvent[];
}

export async function openLine(options: LineOptions): Promise<Line> {
  const { place, store, observe } = options;
  const linesOf = linesOfEvents(place);
  // An event that is numbered anew later has the same data.
  const meant = new Map<HookEvent["data"], { name: HookEvent["name"]; lines: readonly MeantLine[] }>();
  for (const event of options.only ?? [])
    if (!meant.has(event.data)) meant.set(event.data, { name: event.name, lines: await linesOf(event) });
  const known = ({ name, data }: HookEvent): readonly MeantLine[] | undefined =>
    meant.get(data)?.name === name ? meant.get(data)?.lines : undefined;
  const only = options.only?.flatMap((event) => [event, ...(known(event) ?? []).map((one) => one.event)]);
  const loading = loadingFor(place);
  const found = options.loaded ?? (await loadFiles(place, store, { loading, for: only && "one event" }));
  const system = systemPorts({ newest: store.newestId?.() });
  const basics = options.now ? { ...system, now: options.now } : system;
  const log = logOf(place, basics.now);
  const complain = (message: string): void => log({ is: "log", level: "warn", message, hook: "", run: "" });
  const automations = storedAutomations({ place, store, complain, loading, loaded: found, ...(only ? { only } : {}) });
  const all = options.loaded ?? (await withAutomations(found, automations));
  const loaded = await withRegistry(all, loading, only);
  const isFixed = options.loaded !== undefined || only !== undefined;
  const { close, ...composed } = await compose({
    ...{ ...place, store, basics, complain },
    folders: { at: () => loaded, known: () => loaded, settings: () => loaded },
    combine: (_files, event) => (event && isFixed ? loaded.set : combined(found, automations)),
    registry: loaded.registry,
    registryAt: () => (loaded.modules.length > 0 ? loaded.registry : (automations.registry() ?? loaded.registry)),
    patterns: await loadPatterns(needsOf(loaded.set, only)),
    queue: createRoutedQueue({
      other: options.queue ?? createInlineQueue(),
      durable: () => durableQueue(options, loaded, complain),
    }),
    spawner: createLateSpawner(complain),
    changes: "looked at",
    linesOf: (event) => known(event) ?? linesOf(event),
    scripts: only === undefined || holdsScripts(loaded.set) ? "recorded" : "none",
    notices: {
      settings: () => ({ channels: loaded.userConfig.notifications ?? {}, notify: loaded.config.notify ?? [] }),
    },
    automations: automations.open,
    ...(isOnFile(store) ? { told: toldOf(place, store, store.path) } : {}),
    observe(seen) {
      log(seen);
      observe?.(seen);
    },
  });
  return {
    ...composed,
    loaded,
    automations: automations.open,
    async close() {
      await close();
      store.close();
    },
  };
}

const isOnFile = (store: LineOptions["store"]): store is Store & StoreOnFile & { path: string } =>
  "database" in store && store.path !== undefined;

/** Its helper ends what it has started, also where this process is killed. Most events start no program, and load none of it. */
function createLateSpawner(complain: (message: string) => void): Spawner {
  let opening: Promise<Spawner> | undefined;
  const open = async (): Promise<Spawner> =>
    (await import("../../runtime/processes/spawner.ts")).createSpawner({ complain });
  return {
    async spawn(command, options) {
      opening ??= open();
      return (await opening).spawn(command, options);
    },
    async startPiped(command) {
      opening ??= open();
      return (await opening).startPiped(command);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}

interface AgentLineOptions extends Pick<LineOptions, "place" | "only" | "observe"> {
  /** The store that is named, if one is. */
  store: string | undefined;
  /** Node and the bin: what runs in the background is supervised by a process of its own. */
  program: readonly [string, string];
  complain(reason: string): void;
}

/** For a command that an agent or git waits for: it decides whatever the store says, and leaves what takes longer to others. */
export const openAgentLine = ({ store, program, complain, ...options }: AgentLineOptions): Promise<Line> =>
  openLine({
    ...options,
    store: openDegradableStore(options.place, store, complain),
    queue: createDetachedQueue({ command: [...program, "supervise"], store: storePath(options.place, store) }),
    handsOver: true,
  });

async function durableQueue(
  { place, store, handsOver, stop }: LineOptions,
  loaded: Loaded,
  complain: (message: string) => void,
): Promise<Settling> {
  const { openDurableQueue, openEnqueuing } = await import("../compose/durable-queue.ts");
  if (handsOver || depthWithin(place.environment) > 0) return openEnqueuing(store);
  const { daemonFilesOf, runningDaemon } = await import("../daemon/state-file.ts");
  const files = store.path === undefined ? undefined : daemonFilesOf(store.path);
  return openDurableQueue(store, {
    ...{ own: true, complain, ...place, ...(stop ? { stop } : {}) },
    cap: () => loaded.config.engine.max_concurrent_hooks,
    onlyWaits: () => files !== undefined && runningDaemon(files)?.shares === true, // overlap and cooldown count over all its machines
  });
}

const holdsScripts = ({ hooks }: HookSet): boolean =>
  hooks.some(({ steps }) => steps.some(({ uses }) => uses === "script"));
