/** What is active where a command works: the hooks of the files, and the automations of the store. */
import type { Callback } from "../../actions/function/function.ts";
import { createSettingsHandlers } from "../../actions/settings-handlers.ts";
import { sendableEvents } from "../../agents/index.ts";
import { loadPatterns, type PatternNeeds, patternNeeds } from "../../conditions/patterns.ts";
import { commonConditions } from "../../conditions/settings-conditions.ts";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, MaybePromise } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Condition, Hook, HookSet, Problem, Step } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Registry } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { StoredHooks } from "../../loading/automations.ts";
import { compiledHooks } from "../../loading/compiled.ts";
import { guardsToKeep } from "../../loading/last-good-guards.ts";
import type { Loaded, Loading, Request } from "../../loading/loading.ts";
import { asSettingsSay } from "../../loading/order.ts";
import { anyListens, anyStored, databaseOf } from "../../storage/sqlite/automation-records.ts";
import type { Automations } from "../compose/automations.ts";
import { createLoadingPorts } from "../compose/compose.ts";
import { containModules } from "./module-output.ts";
import { logOf, type Place, stateFolder } from "./place.ts";

type LoadPlace = Place & Pick<Request, "withoutModules">;

/** What comes with Hookline, and an empty place for the callbacks of modules. What those print goes to the log. */
export function loadingFor(place?: Place): Loading {
  const functions = new Map<string, Callback>();
  const registry: Registry = { handlers: createSettingsHandlers(functions), conditions: commonConditions };
  let whole: Promise<Registry> | undefined;
  const log = place ? logOf(place, Date.now) : () => {};
  return {
    registry,
    ...createLoadingPorts(log),
    wholeRegistry() {
      whole ??= loadRegistry(functions);
      return whole;
    },
    functions,
    sendable: sendableEvents(),
    beforeModules: () => containModules(log),
  };
}

async function loadRegistry(functions: Map<string, Callback>): Promise<Registry> {
  const [{ createHandlers }, { conditions }] = await Promise.all([
    import("../../actions/index.ts"),
    import("../../conditions/index.ts"),
  ]);
  return { handlers: createHandlers(functions), conditions };
}

/** All that the hooks of a place may use, their modules' own included. */
export async function registryAt(place: Place): Promise<Registry> {
  const loading = loadingFor(place);
  const { modules, registry } = await loadEverything(place, loading);
  return modules.length > 0 ? registry : loading.wholeRegistry();
}

/** The hooks of the files and the automations of the store, as the settings let them run. */
export function combined({ set, userConfig }: Loaded, automations: StoredAutomations): MaybePromise<HookSet> {
  const all = automations.combine(set);
  return isThenable(all)
    ? Promise.resolve(all).then((made) => asSettingsSay(made, userConfig.engine))
    : asSettingsSay(all, userConfig.engine);
}

export async function withAutomations(loaded: Loaded, automations: StoredAutomations): Promise<Loaded> {
  const set = await combined(loaded, automations);
  return set === loaded.set ? loaded : { ...loaded, set, problems: [...loaded.problems, ...automations.problems()] };
}

/** The hooks of this place, those of its files and the automations of the store. */
export async function loadActive(place: LoadPlace, store: Pick<Store, "recentHookSets" | "hookSet">): Promise<Loaded> {
  const loading = loadingFor();
  const loaded = await loadFiles(place, store, { loading });
  return withAutomations(loaded, storedAutomations({ place, store, loading, loaded, complain() {} }));
}

interface Wanted {
  loading?: Loading;
  /** Patterns of hooks are not checked, and hooks may come from the last load's copy. */
  for?: "one event" | undefined;
}

/** The hooks of the files of this place, broken files with their last good guards. */
export async function loadFiles(
  place: LoadPlace,
  store: Pick<Store, "recentHookSets" | "hookSet">,
  { loading = loadingFor(), for: reason }: Wanted = {},
): Promise<Loaded> {
  const loaded = reason === "one event" ? await loadForOneEvent(place, loading) : await loadEverything(place, loading);
  const kept = await guardsToKeep(loaded, store, async (path) => {
    const { clearedFiles } = await import("../../loading/cleared-files.ts");
    return clearedFiles(stateFolder(place)).holdsNone(path);
  });
  if (kept.length === 0) return loaded;
  const whole = await loadEverything({ ...place, kept }, loading);
  await noteGuardsOf(place, whole);
  return whole;
}

async function loadEverything(place: LoadPlace & { kept?: readonly Hook[] }, loading: Loading): Promise<Loaded> {
  const [{ loadAll }, { trusting }, patterns] = await Promise.all([
    import("../../loading/loading.ts"),
    import("../compose/trust.ts"),
    loadPatterns(),
  ]);
  return loadAll({ ...place, ...trusting(place), patterns }, loading);
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
  const [{ loadAll, loadAllStable }, { trusting }] = await Promise.all([
    import("../../loading/loading.ts"),
    import("../compose/trust.ts"),
  ]);
  const request = { ...place, ...trusting(place) };
  if (!compiled) {
    const loaded = await loadAll(request, loading);
    await noteGuardsOf(place, loaded);
    return loaded;
  }
  const load = await loadAllStable(request, loading, kept?.watched ?? []);
  const { registry: _functions, ...plain } = load.loaded;
  if (!place.withoutModules || plain.modules.length === 0) {
    compiled.keep({ ...load, loaded: plain }, Date.now());
    await noteGuardsOf(place, load.loaded);
  }
  return load.loaded;
}

/** For what answers agents where Hookline is gone. */
async function noteGuardsOf(place: LoadPlace, { root, set }: Pick<Loaded, "root" | "set">): Promise<void> {
  const { noteGuards } = await import("../../agents/install/guarded.ts");
  noteGuards({ stateFolder: stateFolder(place), root, hooks: set.hooks, places: place });
}

export const needsOf = (set: HookSet, only: readonly HookEvent[] | undefined): PatternNeeds =>
  patternNeeds(asked(set, only), only);

/** The hooks that these events can reach; without any, all. */
const asked = ({ hooks }: HookSet, only: readonly HookEvent[] | undefined): readonly Hook[] =>
  only ? hooks.filter((hook) => only.some(({ name }) => listensTo(hook, name))) : hooks;

/**
 * With a registry that knows all that these events' hooks need: for most the common handlers do, for rules all that comes
 * with Hookline, and for what a module registers the modules. A compiled copy knows its modules by name only.
 */
export async function withRegistry(
  loaded: Loaded,
  loading: Loading,
  only: readonly HookEvent[] | undefined,
): Promise<Loaded> {
  const hooks = asked(loaded.set, only);
  const lacks = (registry: Registry): boolean =>
    hooks.some((hook) => isBeyond(hook, registry) || (registry === loading.registry && usesTemplates(hook)));
  const callsModule = hooks.some(({ steps }) => steps.some((step) => isMissing(step, loading)));
  if (!callsModule && !lacks(loaded.registry)) return loaded;
  const whole = await loading.wholeRegistry();
  if (loaded.modules.length === 0 || (!callsModule && !lacks(whole))) return { ...loaded, registry: whole };
  const { loadModulesOf } = await import("../../loading/loading.ts");
  const { registry } = await loadModulesOf(loaded.modules, loading);
  return { ...loaded, registry };
}

/** A callback whose module has not been loaded. */
const isMissing = ({ uses, with: { id } }: Step, { functions }: Loading): boolean =>
  uses === "function" && typeof id === "string" && !functions.has(id);

const isBeyond = ({ when, steps }: Hook, registry: Registry): boolean =>
  steps.some((step) => !registry.handlers.has(step.uses) || isForeign(step, registry)) ||
  (when !== undefined && usesForeign(when, registry));

/** The common handler of commands fills in no placeholders: their quoting takes the reader of shell lines. All others do. */
const usesTemplates = ({ steps }: Hook): boolean =>
  steps.some(({ uses, templates }) => templates === true && uses === "command");

const isForeign = ({ skipIf }: Step, registry: Registry): boolean =>
  skipIf !== undefined && usesForeign(skipIf, registry);

function usesForeign(condition: Condition, registry: Registry): boolean {
  const inside = (one: Condition): boolean => usesForeign(one, registry);
  if ("all" in condition) return condition.all.some(inside);
  if ("any" in condition) return condition.any.some(inside);
  if ("not" in condition) return inside(condition.not);
  return !registry.conditions.has(condition.is);
}

// The automations of the store: loaded only where there are any that the events may concern.

interface StoredOptions {
  place: Place;
  store: Partial<Store>;
  loading: Loading;
  /** The files of the folder whose hooks these are put together with. */
  loaded: Loaded;
  complain(reason: string): void;
  /** Nothing but these events happens: what listens to others is left where it is. */
  only?: readonly HookEvent[];
}
export interface StoredAutomations {
  /** A folder's hooks and the store's automations, as they are now. Never throws or rejects. */
  combine(set: HookSet): MaybePromise<HookSet>;
  /** What is wrong with those that were combined last, as far as it concerns the folder. */
  problems(): readonly Problem[];
  /** The registry that they were read with, if any was. */
  registry(): Registry | undefined;
  /** Undefined: the store keeps none. */
  open(): Promise<Automations | undefined>;
}

export function storedAutomations(options: StoredOptions): StoredAutomations {
  const { place, store, loading, loaded, only, complain } = options;
  let opening: Promise<void> | undefined;
  let opened: { automations: Automations | undefined; registry: Registry } | undefined;
  let heard: StoredHooks | undefined;
  let problems: readonly Problem[] = [];

  async function open(): Promise<void> {
    const [{ openAutomations }, registry, patterns] = await Promise.all([
      import("../compose/automations.ts"),
      loading.wholeRegistry(),
      only ? undefined : loadPatterns(), // where one event happens nothing is made
    ]);
    const { environment } = place;
    const modelsIn = () => loaded.userConfig.models;
    const reading = { store, environment, registry, modelsIn, ...(patterns ? { patterns } : {}) };
    opened = { automations: openAutomations(reading), registry };
  }

  function isConcerned({ hooks }: HookSet): boolean {
    const database = databaseOf(store);
    if (!database) return false;
    const own = hooks.filter(({ durable }) => durable);
    if (!only) return own.length > 0 || anyStored(database);
    const names = only.map(({ name }) => name);
    return own.some((hook) => names.some((name) => listensTo(hook, name))) || anyListens(database, names);
  }

  function combined(set: HookSet, automations: Automations | undefined): HookSet {
    if (!automations) return set;
    heard = only ? (heard ?? automations.heardAt(only)) : automations.stored();
    problems = automations.problemsAt(loaded.root, set, heard);
    return automations.combine(set, heard);
  }

  /** What the store cannot tell is missing; the hooks of the files are asked all the same. */
  function orFiles(set: HookSet, error: unknown): HookSet {
    complain(`the automations in the store cannot be read: ${messageOf(error)}`);
    return set;
  }

  return {
    combine(set) {
      try {
        if (opened) return combined(set, opened.automations);
        if (!isConcerned(set)) return set;
        opening ??= open();
        return opening.then(() => combined(set, opened?.automations)).catch((error: unknown) => orFiles(set, error));
      } catch (error) {
        return orFiles(set, error);
      }
    },
    problems: () => problems,
    registry: () => opened?.registry,
    async open() {
      opening ??= open();
      await opening;
      return opened?.automations;
    },
  };
}
