/** Loads every hook file that holds in a folder into one HookSet. Synchronous and small: it runs on each event of an agent. */

import { relative, resolve } from "node:path";
import { isOwnCall } from "../agents/install/own-call.ts";
import { type Hook, type HookSet, isGuard, type Layer, type Origin, type Problem } from "../engine/hook.ts";
import type { Patterns } from "../engine/ports.ts";
import type { Config } from "../formats/config/config.ts";
import { compileSettings, takenId } from "../formats/settings/settings.ts";
import { type Broken, brokenOf, switchedOffTag, withKept } from "./last-good-guards.ts";
import {
  type FileFormat,
  flavourOf,
  type Homes,
  type HookFile,
  isSettings,
  type ManagedFolders,
  type ModulePlace,
  managedFiles,
  managedFoldersOf,
  projectFiles,
  rulePlaces,
  settingsFormat,
  userFiles,
  watchedOf,
} from "./places.ts";
import { installedPlugins, namedHookFile, type PluginState, pluginFolders } from "./plugins.ts";
import { hookSetOf, obeySwitches, overrideByEvent, type Source } from "./precedence.ts";
import { findProject, type Project } from "./project.ts";
import { keepUnreadable, readSmallFile, sourceOf, unreadable } from "./read-file.ts";
import { type RulesReader, readRuleFile, readRules } from "./read-rules.ts";

export interface LoadRequest extends Homes {
  cwd: string;
  managedFolders?: ManagedFolders;
  /** Given, matchers that cannot be compiled are found now. */
  patterns?: Patterns;
  platform?: string;
  /** What stands for files and entries that are broken now. */
  kept?: readonly Hook[];
  /** Reads what is written in YAML. */
  rules?: RulesReader;
  /** What the project's modules gave, once they are loaded. */
  modules?: readonly ModuleHooks[];
}
/** The hooks of one module. */
export interface ModuleHooks {
  place: ModulePlace;
  path: string;
  hooks: Hook[];
  problems: Problem[];
  files: string[];
}
export interface LoadedFile {
  path: string;
  layer: Layer;
  flavour: FileFormat;
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
  /** Modules that give hooks, conditions and actions. */
  modules: ModulePlace[];
  /** Files that could not be read for want of `rules`. */
  unread: string[];
}

/** Never throws: a file that cannot be read is a problem, and the others live (R33). */
export function loadHooks(request: LoadRequest): LoadedHooks {
  const reader = createFileReader(request);
  const project = findProject(request.cwd, request.home);
  for (const file of settingsFiles(project, request)) reader.read(file);
  readPlugins(project, request, reader);
  const places = rulePlaces(project, request, request.managedFolders ?? managedFoldersOf(platformOf(request)));
  const rules = readRules(places, request.rules);
  reader.sources.push(...rules.sources);
  reader.problems.push(...rules.problems);
  reader.watched.push(...places.flatMap(watchedOf), ...rules.watched);
  addModules(request.modules ?? [], reader);
  const tell = (problem: Problem): void => void reader.problems.push(problem);
  const read = request.kept ? withGuards(reader, request.kept) : reader.sources;
  const sources = uniqueIds(obeySwitches(overrideByEvent(read, tell), tell), tell);
  return {
    set: hookSetOf(sources.flatMap(({ hooks }) => hooks)),
    problems: reader.problems,
    files: sources.map(fileOf),
    watched: [...new Set([...project.watched, ...reader.watched])],
    root: project.root,
    config: rules.config,
    userConfig: rules.userConfig,
    modules: rules.modules,
    unread: rules.unread,
  };
}

function fileOf(source: Source): LoadedFile {
  const { path, layer, flavour } = source.file;
  const broken = brokenOf(source);
  return { path, layer, flavour, hooks: source.hooks.length, ...(broken ? { broken } : {}) };
}

function addModules(modules: readonly ModuleHooks[], reader: FileReader): void {
  for (const { place, path, hooks, problems, files } of modules) {
    reader.watched.push(...files);
    reader.problems.push(...problems);
    const { layer, label, root } = place;
    const ofUser = root === undefined;
    const file: HookFile = { path, layer, label, ofUser, flavour: "module", family: "hookline" };
    reader.sources.push(sourceOf(root === undefined ? file : { ...file, root }, hooks, problems));
  }
}

/** Each file's hooks with what is kept for it. */
const withGuards = ({ sources }: FileReader, kept: readonly Hook[]): Source[] =>
  sources.map((source) => {
    const own = kept.filter(({ origin }) => origin.file === source.file.path);
    return own.length === 0 ? source : { ...source, hooks: withKept(source.hooks, own, source.compiled.problems) };
  });

/** One file by itself, as `check FILE` sees it: its name tells the format. A module is read by whoever loads modules. */
export function checkFile(
  path: string,
  request: LoadRequest,
): { hooks: Hook[]; problems: Problem[]; unread: string[] } {
  const { root } = findProject(resolve(path, ".."), request.home);
  const flavour = flavourOf(path);
  const common = { path, label: relative(root, path), layer: "project", root, ofUser: false } as const;
  if (!isSettings(flavour)) {
    const read = readRuleFile({ ...common, flavour, family: "hookline" }, request.rules);
    return { hooks: read.sources.flatMap(({ hooks }) => hooks), problems: read.problems, unread: read.unread };
  }
  const reader = createFileReader(request);
  reader.read({ ...common, flavour, family: settingsFormat(flavour)?.family ?? flavour });
  const [source] = reader.sources;
  if (!source && reader.problems.length === 0) reader.problems.push(unreadable(path, "it does not exist"));
  return { hooks: source?.hooks ?? [], problems: reader.problems, unread: [] };
}

function settingsFiles({ folders }: Project, request: LoadRequest): HookFile[] {
  const top = folders[0] ?? "";
  return [
    ...managedFiles(request.managedFolders ?? managedFoldersOf(platformOf(request))),
    ...userFiles(request),
    ...folders.flatMap((folder) => projectFiles(folder, relative(top, folder))),
  ];
}

const platformOf = ({ platform }: LoadRequest): string => platform ?? process.platform;

function readPlugins({ folders, root }: Project, request: LoadRequest, reader: FileReader): void {
  const top = folders[0] ?? "";
  const said = [...reader.sources];
  const stateOf = (plugin: string, family: string): PluginState =>
    pluginState(
      plugin,
      said.filter(({ file }) => file.family === family),
    );
  for (const { watched, unreadable: found, files } of installedPlugins(request, [root, ...folders], stateOf)) {
    reader.watched.push(...watched);
    if (found) reader.problems.push(unreadable(found.path, found.reason));
    for (const { file, state } of files) reader.read(file, state);
  }
  const own = folders.map((folder) => {
    const prefix = relative(top, folder);
    return pluginFolders(folder, prefix && `${prefix}/`, { ofUser: false, root: folder });
  });
  for (const { files, watched } of [pluginFolders(request.home, "~/", { ofUser: true }), ...own]) {
    reader.watched.push(...watched);
    for (const file of files) reader.read(file);
  }
}

/** Managed settings decide; else the nearest file does, but a project cannot take away a guard that the user installed. */
function pluginState(plugin: string, sources: readonly Source[]): PluginState {
  const said = (...layers: Layer[]): boolean | undefined =>
    sources
      .filter(({ file }) => layers.includes(file.layer))
      .map(({ compiled }) =>
        Object.hasOwn(compiled.enabledPlugins, plugin) ? compiled.enabledPlugins[plugin] : undefined,
      )
      .findLast((one) => one !== undefined);
  const user = said("managed") ?? said("user") ?? true;
  const near = said("managed") ?? said("local") ?? said("project") ?? user;
  if (near) return "on";
  return user ? "guards only" : "off";
}

interface FileReader {
  sources: Source[];
  problems: Problem[];
  watched: string[];
  /** Reads a file once, however many ways lead to it. */
  read(file: HookFile, state?: PluginState): void;
}

function createFileReader(request: LoadRequest): FileReader {
  const seen = new Set<string>();
  const reader: FileReader = {
    sources: [],
    problems: [],
    watched: [],
    read(file, state = "on") {
      if (seen.has(file.path)) return;
      seen.add(file.path);
      reader.watched.push(file.path);
      const found = readSmallFile(file.path);
      if (found.is === "unreadable") {
        keepUnreadable(file, found.reason, reader);
      }
      if (found.is !== "read") return;
      const named = file.manifest && namedHookFile(file, found.text);
      if (named) return reader.read(named, state);
      const source = compileFile(file, found.text, request);
      reader.problems.push(...source.compiled.problems);
      reader.sources.push(state === "guards only" ? { ...source, hooks: source.hooks.map(onlyIfGuard) } : source);
    },
  };
  return reader;
}

const onlyIfGuard = (hook: Hook): Hook =>
  isGuard(hook) ? hook : { ...hook, enabled: false, tags: [...hook.tags, switchedOffTag] };

function compileFile(file: HookFile, text: string, request: LoadRequest): Source {
  const { path, layer, root, plugin, agent, label } = file;
  const flavour = settingsFormat(file.flavour) ?? { name: file.flavour, family: file.family };
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
    flavour,
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
