/** Loads every hook file that holds in a folder into one HookSet. Synchronous and small: it runs on each event of an agent. */
import { relative, resolve } from "node:path";
import { isOwnCall } from "../agents/install/own-call.ts";
import { environmentName, type Hook, type HookSet, type Layer, type Origin, type Problem } from "../engine/hook.ts";
import type { Patterns, Registry } from "../engine/ports.ts";
import type { Config } from "../formats/config/config.ts";
import { compileSettings, takenId } from "../formats/settings/settings.ts";
import { knownFileAt, settingsFilesOf } from "./file-at.ts";
import { type Broken, brokenOf, isIn, withKept } from "./last-good-guards.ts";
import {
  asProjectSays,
  hookSetOf,
  inEnvironment,
  obeySwitches,
  overrideByEvent,
  powerless,
  type Source,
} from "./order.ts";
import {
  type FileFormat,
  formatOf,
  type Homes,
  type HookFile,
  type ManagedFolders,
  type ModulePlace,
  managedFoldersOf,
  rulePlaces,
  settingsFormat,
  watchedOf,
  wayTo,
} from "./places.ts";
import {
  asManifest,
  findProject,
  hooksOfManifest,
  type InstalledName,
  installedPlugins,
  type Project,
  pluginFolders,
  workspaceOf,
} from "./project.ts";
import {
  checkTogether,
  keepUnreadable,
  type Reading,
  readOne,
  readPlaces,
  sourceOf,
  startReading,
  unreadable,
  type YamlReader,
} from "./read.ts";
import { isThere, readSmallFile } from "./read-file.ts";
import { rerouteWatch } from "./reroute-watch.ts";
import { selfProtection } from "./self-protection.ts";
import type { Bound, Trust } from "./trust/item.ts";
import { createJudge, type Judge } from "./trust/judge.ts";
import type { UntrustedItem } from "./trust/untrusted.ts";

export interface LoadRequest extends Homes {
  cwd: string;
  managedFolders?: ManagedFolders;
  /** Given, matchers that cannot be compiled are found now. */
  patterns?: Patterns;
  platform?: string;
  /** What stands for files and entries that are broken now. */
  kept?: readonly Hook[];
  /** Reads what is written in YAML. */
  yaml?: YamlReader;
  /** What a person has trusted of projects; absent: all of it. */
  trust?: Trust;
  /** The guard that comes with Hookline is on unless the user's own file says no; absent: where that says yes. */
  builtIn?: true;
  /** What the project's modules gave, once they are loaded. */
  modules?: readonly LoadedModule[];
}
export interface LoadedModule {
  place: ModulePlace;
  /** The module's file, if it was found. */
  path: string;
  hooks: Hook[];
  problems: Problem[];
  /** The files of it that a change can come from. */
  files: string[];
  /** The names of its actions that make a rule a guard. */
  guardActions: string[];
}
/** What of a module stands in the set. */
export type StandingModule = Omit<LoadedModule, "guardActions">;
export interface LoadedFile {
  path: string;
  layer: Layer;
  format: FileFormat;
  /** The hooks of it that are in the set. */
  hooks: number;
  /** It may hold guards that could not be read. */
  broken?: Broken;
}
export interface LoadedHooks {
  /** In running order (R4); its id is the hash of its hooks. */
  set: HookSet;
  problems: Problem[];
  /** The files that were found. */
  files: LoadedFile[];
  /** Every path looked at, there or not: a change of one may change the set. */
  watched: string[];
  root: string;
  config: Config;
  /** Of it what stands above every project. */
  userConfig: Config;
  /** The files that the project's settings were trusted with, such as the programs of its servers: what each held. */
  settingsBound: Bound;
  /** Modules that give hooks, conditions and actions. */
  modules: ModulePlace[];
  /** Files that could not be read for want of `yaml`. */
  unread: string[];
  /** What does not count as it is written, because no person has trusted it. */
  untrusted: readonly UntrustedItem[];
}

/** Never throws: a file that cannot be read is a problem, and the others live (R33). */
export function loadHooks(request: LoadRequest): LoadedHooks {
  const project = findProject(request.cwd, request.home);
  const places = rulePlaces(project, request, managedOf(request));
  const read = startReading();
  const registry = request.yaml?.registry;
  if (request.trust)
    read.judge = createJudge({ trust: request.trust, project, ...read, ...(registry ? { registry } : {}) });
  const settings = settingsReader(request, read);
  for (const file of settingsFilesOf(project, request, managedOf(request))) settings(file);
  readPlugins(project, request, { read, settings });
  read.watched.push(...places.flatMap(watchedOf));
  readPlaces(places, request.yaml, read);
  const { judge } = read;
  const named = read.modules;
  if (judge) read.modules = named.flatMap((place) => judge.module(place) ?? []);
  if (read.modules.length < named.length)
    read.problems.splice(0, Infinity, ...read.problems.map(perhapsOfModule(read)));
  for (const module of request.modules ?? []) addModule(judge?.usable(module) ?? module, read);
  for (const module of judge?.changedModules ?? []) addModule(module, read);
  const { problems, config, userConfig, settingsBound, modules, unread } = read;
  const tell = (problem: Problem): void => void problems.push(problem);
  const given = [...builtIn(request, userConfig), ...read.sources];
  const found = request.kept ? withGuards(given, request.kept, registry) : given;
  const all = read.judge ? found.map(read.judge.hooks) : found;
  const environment = environmentName(request.environment);
  const here = all.map((source) => ({
    ...source,
    hooks: source.hooks.map((hook) => inEnvironment(hook, environment)),
  }));
  const together = request.yaml ? checkTogether(here, request.yaml, tell) : here;
  const sources = uniqueIds(obeySwitches(overrideByEvent(together, tell), tell), tell);
  return {
    set: hookSetOf(
      sources.flatMap(({ hooks }) => hooks.map((hook) => asProjectSays(hook, config.engine))),
      workspaceOf(project),
      userConfig.shell,
    ),
    files: sources.flatMap((source) => (source.file.format === builtInFormat ? [] : fileOf(source, read.judge))),
    watched: [...new Set([...project.watched, ...read.watched])],
    root: project.root,
    ...{ problems, config, userConfig, settingsBound, modules, unread },
    untrusted: read.judge?.untrusted ?? [],
  };
}

const builtInFormat = "built in";

/** What a project's rules name may come from its own module, which is not read before it is trusted. */
function perhapsOfModule({ sources }: Reading): (problem: Problem) => Problem {
  const ofUser = new Set(sources.flatMap(({ file }) => (file.ofUser ? [file.path, file.label] : [])));
  return (problem) => {
    const { code, file } = problem;
    if ((code !== "unknown-condition" && code !== "unknown-action") || ofUser.has(file)) return problem;
    const suggestion = "the project's module may have it, and is not read until it is trusted";
    return { ...problem, severity: "note", suggestion };
  };
}

/** What comes with Hookline, in the user's layer. */
function builtIn(request: LoadRequest, config: Config): Source[] {
  if (!(config.selfProtection ?? request.builtIn)) return [];
  return [selfProtection({ ...request, managed: managedOf(request) }), rerouteWatch].map((hook) => {
    const file = { path: hook.id, label: hook.id, layer: "user", format: builtInFormat, family: "hookline" } as const;
    return sourceOf({ ...file, ofUser: true }, [hook], []);
  });
}

function fileOf(source: Source, judge: Judge | undefined): LoadedFile {
  const { path, layer, format, ofUser, root } = source.file;
  // A broken file of a folder that was never trusted stands for no guard (R76).
  const isKnown = ofUser || root === undefined || !judge || judge.knows(root);
  const broken = isKnown ? brokenOf(source) : undefined;
  return {
    path,
    layer,
    format,
    hooks: source.hooks.filter(({ trustedForm }) => !trustedForm).length,
    ...(broken ? { broken } : {}),
  };
}

function addModule({ place, path, hooks, problems, files }: StandingModule, read: Reading): void {
  read.watched.push(...files);
  read.problems.push(...problems);
  const { layer, label, root } = place;
  const ofUser = root === undefined;
  const file: HookFile = { path, layer, label, ofUser, format: "module", family: "hookline" };
  read.sources.push(sourceOf(root === undefined ? file : { ...file, root }, hooks, problems));
}

/** Each file's hooks with what is kept for it. */
const withGuards = (sources: readonly Source[], kept: readonly Hook[], registry: Registry | undefined): Source[] =>
  sources.map((source) => {
    const own = kept.filter(({ origin }) => isIn(origin.file, source.file.path));
    return own.length === 0
      ? source
      : { ...source, hooks: withKept(source.hooks, own, source.compiled.problems, registry) };
  });

/** One file by itself, as `check FILE` sees it. Modules are read elsewhere. */
export function checkFile(
  file: HookFile,
  request: LoadRequest,
  config: Partial<Pick<Reading, "config" | "userConfig">> = {},
): { hooks: Hook[]; problems: Problem[]; unread: string[] } {
  const { path, format } = file;
  const isSettings = settingsFormat(format) !== undefined;
  const read = isSettings ? startReading() : readOne(file, request.yaml, config);
  if (isSettings) settingsReader(request, read)(asManifest(file));
  if (read.sources.length + read.problems.length + read.unread.length === 0 && isSettings && !isThere(path))
    read.problems.push(unreadable(path, "it does not exist"));
  const environment = environmentName(request.environment);
  const hooks = read.sources.flatMap((source) => source.hooks.map((hook) => inEnvironment(hook, environment)));
  return { hooks, problems: read.problems, unread: read.unread };
}

/** What the file is where it lies; of one that no layer reads, what its name says, as a file of the project around it. */
export function hookFileAt(path: string, request: LoadRequest): HookFile {
  const project = findProject(resolve(path, ".."), request.home);
  const known = knownFileAt(path, project, { ...request, managed: managedOf(request) });
  if (known) return known;
  const { root } = project;
  const format = formatOf(path);
  const family = settingsFormat(format)?.family ?? "hookline";
  return { path, label: relative(root, path), layer: "project", root, ofUser: false, format, family };
}

const managedOf = (request: LoadRequest): ManagedFolders =>
  request.managedFolders ?? managedFoldersOf(platformOf(request));

const platformOf = ({ platform }: LoadRequest): string => platform ?? process.platform;

function readPlugins(
  project: Project,
  request: LoadRequest,
  { read, settings }: { read: Reading; settings: ReadSettings },
): void {
  const { folders, root } = project;
  const said = [...read.sources];
  const isOn = (plugin: InstalledName): boolean =>
    isPluginOn(
      plugin,
      said.filter(({ file }) => file.family === plugin.family),
      (problem) => void read.problems.push(problem),
    );
  for (const { watched, unreadable: found, files } of installedPlugins(request, [root, ...folders], isOn)) {
    read.watched.push(...watched);
    if (found) read.problems.push(unreadable(found.path, found.reason));
    for (const file of files) settings(file);
  }
  const own = folders.map((folder) => {
    const prefix = wayTo(folder, project);
    return pluginFolders(folder, prefix && `${prefix}/`, { ofUser: false, root: folder });
  });
  for (const { files, watched } of [pluginFolders(request.home, "~/", { ofUser: true }), ...own]) {
    read.watched.push(...watched);
    for (const file of files) settings(file);
  }
}

/** Managed settings decide, else the nearest file. But a project does not switch what the user installed everywhere (R29). */
function isPluginOn(
  { name, ofProject }: InstalledName,
  sources: readonly Source[],
  tell: (problem: Problem) => void,
): boolean {
  const sayingIn = (layer: Layer): Source | undefined =>
    sources.findLast(({ file, compiled }) => file.layer === layer && Object.hasOwn(compiled.enabledPlugins, name));
  const stateIn = (source: Source | undefined): boolean => source?.compiled.enabledPlugins[name] ?? true;
  const user = sayingIn("user");
  const nearest = sayingIn("managed") ?? sayingIn("local") ?? sayingIn("project") ?? user;
  if (!nearest || nearest.file.ofUser || ofProject || stateIn(nearest) === stateIn(user)) return stateIn(nearest);
  const way = stateIn(user) ? "off" : "on";
  tell(powerless("enabledPlugins", nearest, `a project does not switch ${way} ${name}, a plugin of yours`));
  return stateIn(user);
}

/** Reads a settings file once, however many ways lead to it. */
type ReadSettings = (file: HookFile, namedBy?: HookFile) => void;

function settingsReader(request: LoadRequest, read: Reading): ReadSettings {
  const seen = new Set<string>();
  return function settings(file, namedBy) {
    if (seen.has(file.path)) return;
    seen.add(file.path);
    read.watched.push(file.path);
    const found = readSmallFile(file.path);
    if (found.is === "unreadable") keepUnreadable(file, found.reason, read);
    if (found.is === "absent" && namedBy !== undefined)
      read.problems.push(unreadable(file.path, `it does not exist, and ${namedBy.path} names it as its hooks`));
    if (found.is !== "read") return;
    if (file.manifest) {
      const { named, outside, holdsHooks } = hooksOfManifest(file, found.text);
      for (const path of outside)
        read.problems.push(unreadable(file.path, `it names ${path} as its hooks, which lies outside of the plugin`));
      for (const one of named) settings(one, file);
      if (!holdsHooks) return;
    }
    const source = compileFile(file, found.text, request);
    read.problems.push(...source.compiled.problems);
    read.sources.push(source);
  };
}

function compileFile(file: HookFile, text: string, request: LoadRequest): Source {
  const { path, layer, root, plugin, agent, label } = file;
  const format = settingsFormat(file.format) ?? { name: file.format, family: file.family };
  const origin: Origin = {
    dialect: "settings",
    layer,
    file: path,
    ...(root ? { root } : {}),
    ...(plugin ? { plugin } : {}),
    ...(agent ? { agent } : {}),
  };
  const { patterns } = request;
  const compiled = compileSettings(text, origin, {
    format,
    label,
    platform: platformOf(request),
    ...(patterns ? { patterns } : {}),
  });
  return { file, compiled, hooks: compiled.hooks.filter((hook) => !isOwnCall(hook)) };
}

/** Ids that people wrote can meet across files; the outer layer keeps its own, whatever priorities say. */
function uniqueIds(sources: readonly Source[], tell: (problem: Problem) => void): Source[] {
  const taken = new Set<string>();
  const freeId = (id: string, label: string): string => {
    let free = taken.has(id) ? `${id}@${label}` : id;
    for (let count = 2; taken.has(free); count++) free = `${id}@${label}-${count}`;
    taken.add(free);
    return free;
  };
  const outerFirst = [...sources].sort((left, right) => Number(right.file.ofUser) - Number(left.file.ofUser));
  return outerFirst.map((source) => ({
    ...source,
    hooks: source.hooks.map((hook) => {
      const id = freeId(hook.id, source.file.label);
      if (id === hook.id) return hook;
      tell(takenId(hook, id));
      return { ...hook, id };
    }),
  }));
}
