/** Composes the line for one command: hooks of the folder, patterns they need, store, queue, engine. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { runByAgent, sendableEvents } from "../agents/index.ts";
import { loadPatterns, type PatternNeeds, patternNeeds } from "../conditions/patterns.ts";
import { settingsConditions } from "../conditions/settings-conditions.ts";
import { depthWithin } from "../core/depth.ts";
import { createEngine, type Engine } from "../core/engine.ts";
import { HooklineError } from "../core/error.ts";
import type { HookEvent, Instant, MaybePromise } from "../core/event.ts";
import { isThenable } from "../core/flow.ts";
import type { Condition, Hook, HookSet, Step } from "../core/hook.ts";
import { listensTo } from "../core/plan.ts";
import type { Observation, Ports, Registry } from "../core/ports.ts";
import type { Store } from "../core/record.ts";
import type { Callback } from "../handlers/function.ts";
import { createSettingsHandlers } from "../handlers/settings-handlers.ts";
import type { Loaded, Loading, Request } from "../loading.ts";
import { createOutside, type Outside } from "../outside.ts";
import { createSpawn } from "../processes/spawn.ts";
import { createInlineQueue } from "../queues/inline.ts";
import { createRoutedQueue, type Settling } from "../queues/routed.ts";
import { compiledHooks } from "../sources/compiled.ts";
import { lastValidGuards } from "../sources/last-valid.ts";
import type { LoadedHooks } from "../sources/load.ts";
import { asSettingsSay } from "../sources/switched-off.ts";
import type { SqliteStoreOptions } from "../stores/sqlite.ts";
import { stateFolderOf, systemPorts } from "../system.ts";
import { createTracking } from "../tracking.ts";
import { createRedaction } from "../trust/redaction.ts";

import { createLog } from "./log.ts";
import { divertOutput, outlive } from "./module-output.ts";
import { createNotices } from "./notices.ts";
import { type StoredAutomations, storedAutomations } from "./stored-automations.ts";

export interface Place {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
}
type LoadPlace = Place & Pick<Request, "withoutModules">;
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

export const stateFolder = ({ home, environment }: Place): string => stateFolderOf(home || homedir(), environment);

/** Where the store lies: --store, then HOOKLINE_STORE, then the state folder. */
export const storePath = (place: Place, flag: string | undefined): string =>
  resolve(place.cwd, flag ?? place.environment.HOOKLINE_STORE ?? usualStore(place));

const usualStore = (place: Place): string => join(stateFolder(place), "hookline.db");

/**
 * How the store keeps what it is given: --store, HOOKLINE_RECORD and HOOKLINE_RETENTION_DAYS.
 *
 * @param complain given: a wrong setting is told and the default holds, because an agent's hooks must go on
 * @throws HooklineError usage, without it
 */
export function storeOptions(
  place: Place,
  flag: string | undefined,
  complain?: (reason: string) => void,
): SqliteStoreOptions & { path: string } {
  const { HOOKLINE_RECORD: record, HOOKLINE_RETENTION_DAYS: days } = place.environment;
  const wrong = (name: string, found: string, advice: string): void => {
    const error = new HooklineError("usage", {
      what: `${name} is "${found}"`,
      where: "the environment",
      advice: `use ${advice}`,
    });
    if (!complain) throw error;
    complain(error.message);
  };
  const chosen = recordings.find((one) => one === record);
  if (record && !chosen) wrong("HOOKLINE_RECORD", record, recordings.join(", "));
  const areDays = Number(days) > 0;
  if (days && !areDays) wrong("HOOKLINE_RETENTION_DAYS", days, "a number of days above 0");
  return {
    path: storePath(place, flag),
    usualPath: resolve(place.cwd, usualStore(place)),
    redact: createRedaction({ environment: place.environment }),
    ...(chosen ? { record: chosen } : {}),
    ...(areDays ? { retentionDays: Number(days) } : {}),
  };
}
const recordings = ["redacted", "full", "none"] as const;

export async function openLine({ place, store, only, ...given }: LineOptions): Promise<Line> {
  const base = loadingFor(place);
  const found = given.loaded ?? (await loadFiles(place, store, base, only !== undefined));
  const basics = systemPorts();
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
        import("../processes/git.ts"),
        import("../triggers/changes-cold.ts"),
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
  const records =
    only === undefined || holdsScripts(loaded.set)
      ? (await import("../scripts/records.ts")).createScriptRecords({
          home: place.home || homedir(),
          state: stateFolder(place),
          store,
          hooks: () => loaded.set,
          now: basics.now,
          tell,
        })
      : undefined;
  const notices = createNotices(
    { channels: loaded.userConfig.notifications ?? {}, notify: loaded.config.notify ?? [] },
    {
      ...basics,
      environment: place.environment,
      projectChannels: async (id) => (await (await outside.board())?.projects.get(id))?.notify,
      redact: (text) => outside.ports.redact?.(text) ?? text,
      complain: (message) => tell({ is: "log", level: "warn", message, hook: "", run: "" }),
    },
  );
  const inForce = (): MaybePromise<HookSet> => (given.loaded || only ? loaded.set : combined(found, automations));
  const ports: Ports = {
    ...basics,
    store,
    queue: createRoutedQueue({
      other: given.queue ?? createInlineQueue(),
      async durable() {
        const { openDurableQueue, openEnqueuing } = await import("../durable-queue.ts");
        if (given.handsOver || depthWithin(place.environment) > 0) return openEnqueuing(store);
        const cap = (): number | undefined => loaded.config.engine.max_concurrent_hooks;
        const { stop } = given;
        return openDurableQueue(store, { own: true, cap, complain, ...place, ...(stop ? { stop } : {}) });
      },
    }),
    hooks: inForce,
    current: async ({ id }) => (await inForce()).hooks.find((hook) => hook.id === id),
    registry: loaded.registry,
    registryAt: () => (loaded.modules.length > 0 ? loaded.registry : (automations.registry() ?? loaded.registry)),
    patterns: await loadPatterns(needsOf(loaded.set, only)),
    elsewhere: (hook, event) =>
      runByAgent(hook, event.sender, { home: place.home, root: loaded.root, environment: place.environment }),
    spawn: createSpawn(),
    fetch: async (request, signal) => (await import("../handlers/fetch.ts")).fetch(request, signal),
    ...outside.ports,
    tracking: tracked.tracking,
    ...(records ? { keepOutput: records.keepOutput } : {}),
    observe(observation) {
      tell(observation);
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

const logOf = (place: Place, now: () => Instant): ReturnType<typeof createLog> =>
  createLog({ file: join(stateFolder(place), "hookline.log"), now, environment: place.environment });

/** What comes with Hookline, and an empty place for the callbacks of modules. What those print goes to the log. */
export function loadingFor(place?: Place): Loading {
  const functions = new Map<string, Callback>();
  const registry: Registry = { handlers: createSettingsHandlers(functions), conditions: settingsConditions };
  let whole: Promise<Registry> | undefined;
  return {
    registry,
    wholeRegistry() {
      whole ??= loadRegistry(functions);
      return whole;
    },
    functions,
    sendable: sendableEvents(),
    beforeModules() {
      const log = place && logOf(place, Date.now);
      const write = (level: string, message: string): void =>
        log?.({ is: "log", level, message, hook: "module", run: "" });
      divertOutput(write);
      outlive(write);
    },
  };
}

async function loadRegistry(functions: Map<string, Callback>): Promise<Registry> {
  const [{ createHandlers }, { conditions }] = await Promise.all([
    import("../handlers/index.ts"),
    import("../conditions/index.ts"),
  ]);
  return { handlers: createHandlers(functions), conditions };
}

const needsOf = (set: HookSet, only: LineOptions["only"]): PatternNeeds => patternNeeds(asked(set, only));

const holdsScripts = ({ hooks }: HookSet): boolean =>
  hooks.some(({ steps }) => steps.some(({ uses }) => uses === "script"));

/** The hooks that these events can reach; without any, all. */
const asked = ({ hooks }: HookSet, only: LineOptions["only"]): readonly Hook[] =>
  only ? hooks.filter((hook) => only.some(({ name }) => listensTo(hook, name))) : hooks;

/**
 * With a registry that knows all that these events' hooks need: for most the common handlers do, for rules all that comes
 * with Hookline, and for what a module registers the modules. A compiled copy knows its modules by name only.
 */
async function withRegistry(loaded: Loaded, loading: Loading, only: LineOptions["only"]): Promise<Loaded> {
  const hooks = asked(loaded.set, only);
  const lacks = (registry: Registry): boolean =>
    hooks.some((hook) => isBeyond(hook, registry) || (registry === loading.registry && usesTemplates(hook)));
  const callsModule = hooks.some(({ steps }) => steps.some((step) => isMissing(step, loading)));
  if (!callsModule && !lacks(loaded.registry)) return loaded;
  const whole = await loading.wholeRegistry();
  if (loaded.modules.length === 0 || (!callsModule && !lacks(whole))) return { ...loaded, registry: whole };
  const { loadModulesOf } = await import("../loading.ts");
  const { registry } = await loadModulesOf(loaded.modules, loading);
  return { ...loaded, registry };
}

/** All that the hooks of a place may use, their modules' own included. */
export async function registryAt(place: Place): Promise<Registry> {
  const loading = loadingFor(place);
  const { modules, registry } = await loadEverything(place, loading);
  return modules.length > 0 ? registry : loading.wholeRegistry();
}

/** A callback whose module has not been loaded. */
const isMissing = ({ uses, with: { id } }: Step, { functions }: Loading): boolean =>
  uses === "function" && typeof id === "string" && !functions.has(id);

const isBeyond = ({ when, steps }: Hook, registry: Registry): boolean =>
  steps.some((step) => !registry.handlers.has(step.uses) || isForeign(step, registry)) ||
  (when !== undefined && usesForeign(when, registry));

/** The common handlers fill in no placeholders. */
const usesTemplates = ({ steps }: Hook): boolean => steps.some(({ templates }) => templates);

const isForeign = ({ skipIf }: Step, registry: Registry): boolean =>
  skipIf !== undefined && usesForeign(skipIf, registry);

function usesForeign(condition: Condition, registry: Registry): boolean {
  const inside = (one: Condition): boolean => usesForeign(one, registry);
  if ("all" in condition) return condition.all.some(inside);
  if ("any" in condition) return condition.any.some(inside);
  if ("not" in condition) return inside(condition.not);
  return !registry.conditions.has(condition.is);
}

/** What a line has of the store's automations. */
function automationsOn(given: {
  place: Place;
  store: Partial<Store>;
  loading: Loading;
  loaded: Loaded;
  complain(reason: string): void;
  only?: readonly HookEvent[];
}): StoredAutomations {
  const { place, loading, loaded } = given;
  const { environment } = place;
  const { wholeRegistry } = loading;
  const models = () => loaded.userConfig.models;
  return storedAutomations({ ...given, environment, wholeRegistry, models, root: loaded.root });
}

/** The hooks of the files and the automations of the store, as the settings let them run. */
function combined({ set, config }: Loaded, automations: StoredAutomations): MaybePromise<HookSet> {
  const all = automations.combine(set);
  return isThenable(all)
    ? Promise.resolve(all).then((made) => asSettingsSay(made, config.engine))
    : asSettingsSay(all, config.engine);
}

async function withAutomations(loaded: Loaded, automations: StoredAutomations): Promise<Loaded> {
  const set = await combined(loaded, automations);
  return set === loaded.set ? loaded : { ...loaded, set, problems: [...loaded.problems, ...automations.problems()] };
}

/** The hooks of this place, those of its files and the automations of the store. */
export async function loadInForce(
  place: LoadPlace,
  store: Pick<Store, "setsInForce" | "hookSet">,
  loading: Loading = loadingFor(),
  quickly = false,
): Promise<Loaded> {
  const loaded = await loadFiles(place, store, loading, quickly);
  return quickly ? loaded : withAutomations(loaded, automationsOn({ place, store, loading, loaded, complain() {} }));
}

/** The hooks of the files of this place, broken guards in their last valid form. `quickly`: for one event, patterns unchecked. */
async function loadFiles(
  place: LoadPlace,
  store: Pick<Store, "setsInForce" | "hookSet">,
  loading: Loading,
  quickly: boolean,
): Promise<Loaded> {
  const loaded = quickly ? await loadForOneEvent(place, loading) : await loadEverything(place, loading);
  const lastValid = await lastValidGuards(loaded, store);
  return lastValid.length === 0 ? loaded : loadEverything({ ...place, lastValid }, loading);
}

async function loadEverything(place: LoadPlace & { lastValid?: readonly Hook[] }, loading: Loading): Promise<Loaded> {
  const [{ loadAll }, patterns] = await Promise.all([import("../loading.ts"), loadPatterns()]);
  return loadAll({ ...place, patterns }, loading);
}

/** Set by the build. From source nothing is kept: the compiler itself may have changed. */
declare const BUILT_FROM: string;
const build = typeof BUILT_FROM === "undefined" ? undefined : BUILT_FROM;

/** The hooks of this place, from the last load's copy where it still holds. The dialects are loaded only if not. */
export async function loadForOneEvent(place: LoadPlace, loading: Loading = loadingFor()): Promise<Loaded> {
  const compiled = build === undefined ? undefined : compiledHooks(stateFolder(place), build, place);
  const kept = compiled?.read();
  const { registry } = loading;
  if (kept && "loaded" in kept) return { ...kept.loaded, registry };
  const { loadAll, loadAllStable } = await import("../loading.ts");
  if (!compiled) return loadAll(place, loading);
  const load = await loadAllStable(place, loading, kept?.watched ?? []);
  const { registry: _functions, ...plain } = load.loaded;
  if (!place.withoutModules || plain.modules.length === 0) compiled.keep({ ...load, loaded: plain }, Date.now());
  return load.loaded;
}

/** One line for files whose hooks are not in force as written; undefined: all is well. */
export function complaintAbout(
  { problems }: Pick<LoadedHooks, "problems">,
  show: (path: string) => string,
): string | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return `${first.message} — ${show(first.file)}:${first.line}:${first.column}${more} — see hookline check`;
}
