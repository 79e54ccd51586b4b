/**
 * Everything that a project's files say, put together: hooks, the registry that its modules extend, and its settings. Apart
 * from load.ts, because it also loads what most projects do not need: the YAML formats and modules.
 */
import { dirname } from "node:path";
import { loadPatterns } from "../conditions/patterns.ts";
import type { Json } from "../engine/event.ts";
import { isGuard, type Problem } from "../engine/hook.ts";
import type { Bound, Patterns, Registry } from "../engine/ports.ts";
import type { ModelFault } from "../formats/automations/automation.ts";
import type { LlmConfig } from "../formats/automations/fields.ts";
import type { ModelSettings } from "../formats/config/config.ts";
import { loadStable, type StableLoad } from "./compiled.ts";
import { asFarAsKnown, losesHooks } from "./last-good-guards.ts";
import { checkFile, hookFileAt, type LoadedHooks, type LoadedModule, type LoadRequest, loadHooks } from "./load.ts";
import { type HookFile, isSettings, type ModulePlace } from "./places.ts";
import { findProject } from "./project.ts";
import type { YamlFormats, YamlReader } from "./read.ts";
import { readingRegistry } from "./trust/as-written.ts";
import { definitionIn, type Trust } from "./trust/item.ts";
import { createJudge } from "./trust/judge.ts";

/** What loading needs beside the place. */
export interface Loading {
  /** What comes with Hookline, and what the host has registered: of it all, what is loaded already. */
  registry: Registry;
  /** All of it. */
  wholeRegistry(): Promise<Registry>;
  /** What comes with Hookline alone; absent: all of the above does. */
  ownRegistry?: Registry;
  /** Where the callbacks of modules' hooks are put, by hook id. */
  functions: Map<string, Bound>;
  /**
   * Imports modules and reads what they export, one after the other. Never rejects: a module that fails is a problem.
   *
   * @param functions where the callbacks of their hooks are put, by hook id
   */
  loadModules(places: readonly ModulePlace[], base: Registry, functions: Map<string, Bound>): Promise<LoadedModules>;
  /** Loads what knows why a model could not be asked. */
  modelFaults(): Promise<ModelFaultOf>;
  sendable?: ReadonlySet<string>;
  /** Called before a module of the user is run in this process. */
  beforeModules?(): void;
}
type ModelFaultOf = (
  llm: LlmConfig | null,
  settings: ModelSettings,
  environment: Request["environment"],
) => ModelFault | undefined;

export interface LoadedModules {
  modules: LoadedModule[];
  /** The given registry with what the modules registered. */
  registry: Registry;
}
export interface Loaded extends LoadedHooks {
  /** With what the project's modules registered. */
  registry: Registry;
}
export type Request = Omit<LoadRequest, "yaml" | "modules"> & {
  /** No code of the project is run: modules are named in what is loaded, and their hooks are missing in it. */
  withoutModules?: true;
};

/** Never rejects: what cannot be read is a problem, and the rest is active. */
export async function loadAll(request: Request, loading: Loading): Promise<Loaded> {
  let loaded = loadHooks(request);
  if (loaded.unread.length === 0 && loaded.modules.length === 0) return { ...loaded, registry: loading.registry };
  const patterns = request.patterns ?? (await loadPatterns());
  const [read, whole] = await Promise.all([readerOf(request, loading, patterns), loading.wholeRegistry()]);
  loaded = loadHooks({ ...request, patterns, yaml: read(whole) });
  if (loaded.modules.length === 0 || request.withoutModules) return { ...loaded, registry: whole };
  const { modules, registry } = await loadModulesOf(loaded.modules, loading);
  for (const module of modules) keepGuardsOf(module, whole, request.trust);
  return { ...loadHooks({ ...request, patterns, yaml: read(registry), modules }), registry };
}

/** So that they fail, and do not lapse, where the module is another one than was trusted. */
function keepGuardsOf(
  { place: { hash, root }, hooks, problems, guardActions }: LoadedModule,
  own: Registry,
  trust: Trust | undefined,
): void {
  if (hash === undefined || root === undefined || problems.some(losesHooks)) return;
  const guards = hooks.filter(isGuard).map(({ when, ...hook }) => {
    const known = when && asFarAsKnown(when, own);
    return definitionIn(root, { ...hook, ...(known ? { when: known } : {}) } as unknown as Json); // a hook is plain JSON
  });
  trust?.gave?.(hash, { guards, actions: guardActions });
}

/** As loadAll, between two equal looks at everything that was read. */
export const loadAllStable = (
  request: Request,
  loading: Loading,
  expected: readonly string[],
): Promise<StableLoad<Loaded>> => loadStable(() => loadAll(request, loading), expected);

export async function loadModulesOf(places: readonly ModulePlace[], loading: Loading): Promise<LoadedModules> {
  if (places.some(({ root }) => root === undefined)) loading.beforeModules?.();
  return loading.loadModules(places, await loading.wholeRegistry(), loading.functions);
}

async function readerOf(
  { environment, platform, trust }: Request,
  { sendable, modelFaults, ownRegistry, wholeRegistry }: Loading,
  patterns: Patterns,
): Promise<(registry: Registry) => YamlReader> {
  const [formats, modelFault, whole] = await Promise.all([yamlFormats(), modelFaults(), wholeRegistry()]);
  const own = ownRegistry ?? whole;
  const isExtended = ({ handlers, conditions }: Registry): boolean =>
    handlers.size > own.handlers.size || conditions.size > own.conditions.size;
  return (registry) => ({
    ...{ formats, registry, patterns },
    ...(trust ? { asWritten: readingRegistry(own), isExtended: isExtended(registry) } : {}),
    platform: platform ?? process.platform,
    ...(sendable ? { sendable } : {}),
    modelFault: (llm, settings) => modelFault(llm, settings, environment),
  });
}

async function yamlFormats(): Promise<YamlFormats> {
  const [rules, config, repository, scripts, slugs, automations, cron] = await Promise.all([
    import("../formats/rules/rules.ts"),
    import("../formats/config/file.ts"),
    import("../formats/registry/registry.ts"),
    import("../formats/scripts/script.ts"),
    import("../formats/scripts/slug.ts"),
    import("../formats/automations/file.ts"),
    import("../formats/automations/cron.ts"),
  ]);
  return { rules, config, repository, scripts, slugs, automations, cron };
}

/** One file by itself, as `check FILE` sees it: as what it is where it lies, with the registry and the settings of its project. */
export async function checkOne(
  path: string,
  request: Request,
  loading: Loading,
): Promise<ReturnType<typeof checkFile>> {
  const file = hookFileAt(path, request);
  if (isSettings(file.format)) return checkFile(file, request);
  if (file.format === "module") return checkModule(file, request, loading);
  const patterns = request.patterns ?? (await loadPatterns());
  const project = await loadAll({ ...request, cwd: dirname(path), patterns }, loading);
  const read = await readerOf(request, loading, patterns);
  const registry = project.modules.length > 0 ? project.registry : await loading.wholeRegistry();
  const named = project.files.find((one) => one.path === path); // app files have any name, and settings name them
  const { config, userConfig } = project;
  return checkFile(
    named ? { ...file, format: named.format } : file,
    { ...request, patterns, yaml: read(registry) },
    { config, userConfig },
  );
}

async function checkModule(
  { path, layer, label, root }: HookFile,
  { trust, home }: Request,
  loading: Loading,
): Promise<ReturnType<typeof checkFile>> {
  const place: ModulePlace = { name: path, from: path, layer, label, ...(root === undefined ? {} : { root }) };
  const problems: Problem[] = [];
  const judge = trust && createJudge({ trust, project: findProject(dirname(path), home), watched: [], problems });
  const trusted = judge ? judge.module(place) : place;
  if (!trusted) return { hooks: [], problems, unread: [] };
  const { modules } = await loadModulesOf([trusted], loading);
  const flat = <T>(of: (module: LoadedModule) => T[]): T[] => modules.flatMap(of);
  return { hooks: flat(({ hooks }) => hooks), problems: flat(({ problems }) => problems), unread: [] };
}
