/** Composes the line for one command: hooks of the folder, patterns they need, store, queue, engine. */

import { homedir } from "node:os";
import type { ScriptRecords } from "../../actions/script/records.ts";
import { conventions, runByAgent } from "../../agents/index.ts";
import { loadPatterns } from "../../conditions/patterns.ts";
import { createEngine, type Engine } from "../../engine/engine.ts";
import { depthWithin, type HookEvent, type MaybePromise } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { Loaded } from "../../loading/loading.ts";
import { createTracking } from "../../runtime/changes/tracking.ts";
import { createSpawn } from "../../runtime/processes/spawn.ts";
import { createInlineQueue } from "../../runtime/queues/inline.ts";
import { createRoutedQueue, type Settling } from "../../runtime/queues/routed.ts";
import { systemPorts } from "../../runtime/system.ts";
import { createBudgetWatch } from "../compose/budget-watch.ts";
import { createOutside, type Outside } from "../compose/outside.ts";
import { automationsOn, combined, loadFiles, loadingFor, withAutomations } from "./loaded.ts";
import { createNotices, type Notices } from "./notices.ts";
import { logOf, type Place, stateFolder } from "./place.ts";
import { needsOf, withRegistry } from "./registry-needed.ts";
import type { StoredAutomations } from "./stored-automations.ts";

export interface Line {
  engine: Engine;
  loaded: Loaded;
  ports: Ports;
  /** Projects with their tasks, notes and memory, for operations. */
  board: Outside["board"];
  automations: StoredAutomations["open"];
  /** Ends background work of this process, then closes the store. */
  close(): Promise<void>;
}
export interface LineOptions {
  place: Place;
  store: Store;
  loaded?: Loaded;
  queue?: Settling;
  /**
   * Durable runs are only written down, for a worker; so they are where a hook's program asks, since what waits for its hook
   * would wait for itself. Else they end before the line is closed, until `stop` aborts (R48).
   */
  handsOver?: true;
  stop?: AbortSignal;
  observe?: Ports["observe"];
  /** Only hooks of these events have to be able to run: the others' patterns are not loaded. */
  only?: readonly HookEvent[];
}

export async function openLine({ place, store, only, ...given }: LineOptions): Promise<Line> {
  const base = loadingFor(place);
  const found = given.loaded ?? (await loadFiles(place, store, base, only !== undefined));
  const basics = systemPorts({ newest: store.newestId?.() });
  const log = logOf(place, basics.now);
  const complain = (message: string): void => log({ is: "log", level: "warn", message, hook: "", run: "" });
  const automations = automationsOn({
    place,
    store,
    complain,
    loading: base,
    loaded: found,
    ...(only ? { only } : {}),
  });
  const all = given.loaded ?? (await withAutomations(found, automations));
  const loaded = await withRegistry(all, base, only);
  const tracked = createTracking({
    store,
    now: basics.now,
    home: place.home || homedir(),
    root: () => loaded.root,
    async finder() {
      const [{ createGit }, { createColdChanges }] = await Promise.all([
        import("../../runtime/processes/git.ts"),
        import("../../runtime/changes/cold.ts"),
      ]);
      return createColdChanges(createGit(place.environment), complain);
    },
  });
  const { changesOf } = tracked;
  const outside = createOutside({ ...place, root: () => loaded.root, settings: () => loaded, complain, changesOf });
  const tell = (observation: Observation): void => {
    log(observation);
    given.observe?.(observation);
  };
  const keepsScripts = only === undefined || holdsScripts(loaded.set);
  const records = keepsScripts ? await scriptRecords({ place, store, loaded, now: basics.now, tell }) : undefined;
  const notices = noticesOn({ place, loaded, basics, outside, tell });
  const inForce = (): MaybePromise<HookSet> => (given.loaded || only ? loaded.set : combined(found, automations));
  const watch = createBudgetWatch({
    store,
    now: basics.now,
    hooks: inForce,
    budgets: () => loaded.config.budgets,
    complain,
  });
  const ports: Ports = {
    ...basics,
    store,
    queue: createRoutedQueue({
      other: given.queue ?? createInlineQueue(),
      durable: () => durableQueue({ ...given, place, store }, loaded, complain),
    }),
    hooks: inForce,
    current: async ({ id }) => (await inForce()).hooks.find((hook) => hook.id === id),
    registry: loaded.registry,
    registryAt: () => (loaded.modules.length > 0 ? loaded.registry : (automations.registry() ?? loaded.registry)),
    patterns: await loadPatterns(needsOf(loaded.set, only)),
    elsewhere: (hook, event) =>
      runByAgent(hook, event.sender, { home: place.home, root: loaded.root, environment: place.environment }),
    spawn: createSpawn(),
    conventions,
    fetch: async (request, signal) => (await import("../../actions/http/fetch.ts")).fetch(request, signal),
    ...outside.ports,
    tracking: tracked.tracking,
    ...(records ? { keepOutput: records.keepOutput } : {}),
    observe(observation) {
      tell(observation);
      watch(observation);
      records?.observe(observation);
      notices.observe(observation);
    },
  };
  const engine = createEngine(ports);
  const hooks = (): MaybePromise<HookSet> => combined(found, automations);
  outside.serve({ engine, store, hooks, automations: automations.open, now: basics.now, id: basics.id });
  return {
    engine,
    loaded,
    ports,
    board: outside.board,
    automations: automations.open,
    async close() {
      await engine.close();
      await notices.close();
      await outside.close();
      await tracked.close();
      store.close();
    },
  };
}

async function durableQueue(
  { place, store, handsOver, stop }: Pick<LineOptions, "place" | "store" | "handsOver" | "stop">,
  loaded: Loaded,
  complain: (message: string) => void,
): Promise<Settling> {
  const { openDurableQueue, openEnqueuing } = await import("../compose/durable-queue.ts");
  if (handsOver || depthWithin(place.environment) > 0) return openEnqueuing(store);
  const cap = (): number | undefined => loaded.config.engine.max_concurrent_hooks;
  return openDurableQueue(store, { own: true, cap, complain, ...place, ...(stop ? { stop } : {}) });
}

type Tell = (observation: Observation) => void;

async function scriptRecords({
  place,
  loaded,
  ...known
}: Pick<LineOptions, "place" | "store"> & Pick<Ports, "now"> & { loaded: Loaded; tell: Tell }): Promise<ScriptRecords> {
  const { createScriptRecords } = await import("../../actions/script/records.ts");
  const home = place.home || homedir();
  return createScriptRecords({ ...known, home, state: stateFolder(place), hooks: () => loaded.set });
}

interface Noticing {
  place: Place;
  loaded: Loaded;
  basics: Pick<Ports, "now" | "after">;
  outside: Outside;
  tell: Tell;
}

function noticesOn({ place, loaded, basics, outside, tell }: Noticing): Notices {
  return createNotices(
    { channels: loaded.userConfig.notifications ?? {}, notify: loaded.config.notify ?? [] },
    {
      ...basics,
      environment: place.environment,
      projectChannels: async (id) => (await (await outside.board())?.projects.get(id))?.notify,
      redact: (text) => outside.ports.redact?.(text) ?? text,
      complain: (message) => tell({ is: "log", level: "warn", message, hook: "", run: "" }),
    },
  );
}

const holdsScripts = ({ hooks }: HookSet): boolean =>
  hooks.some(({ steps }) => steps.some(({ uses }) => uses === "script"));
