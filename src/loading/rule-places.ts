/** Where rules, app files, settings in YAML, modules and scripts lie (R58): for each layer a config file, folders, and more. */
import { readdirSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { configFolder } from "../agents/folders.ts";
import type { Layer } from "../engine/hook.ts";
import type { Config } from "../formats/config/config.ts";
import type { FileFormat, Homes, HookFile, ManagedFolders } from "./places.ts";
import type { Project } from "./project.ts";

/** One layer's folder, and the files in it that Hookline reads. */
export interface RulePlace {
  layer: "managed" | "user" | "project";
  ofUser: boolean;
  root?: string;
  /** What stands before a file's name in labels. */
  prefix: string;
  /** The folder that labels count from. */
  folder: string;
  config: readonly string[];
  rules: string;
  app?: string;
  modules: readonly string[];
  /** Folders of workspace scripts (specification 004). */
  scripts: readonly string[];
  /** The folder that these work in, where it is not the root: a linked worktree that uses the main one's scripts. */
  worktree?: string;
  /** Folders of repository hooks (specification 001). */
  registry: readonly string[];
  /** The folder of automations (specification 000). */
  automations: string;
}

/** A module of TypeScript hooks or extensions, and what its hooks are called after. */
export interface ModulePlace {
  /** A path, or a package's name. */
  name: string;
  /** The file that names it; a path is its own. */
  from: string;
  layer: Layer;
  label: string;
  /** The project's folder; absent for the user's own. */
  root?: string;
}

const moduleNames = ["ts", "mts", "js", "mjs"].map((extension) => `hookline.config.${extension}`);
const either = (folder: string, name: string): string[] => [join(folder, `${name}.yaml`), join(folder, `${name}.yml`)];
const inside = (folder: string, names: readonly string[]): string[] => names.map((name) => join(folder, name));

/** Outer to inner. */
export function rulePlaces(
  { folders, root, mainWorktree }: Project,
  homes: Homes,
  managed: ManagedFolders,
): RulePlace[] {
  const user = configFolder(homes);
  const top = folders[0] ?? "";
  const own = (folder: string, prefix: string, layer: "managed" | "user"): RulePlace => ({
    layer,
    ofUser: true,
    prefix,
    folder,
    config: either(folder, "config"),
    rules: join(folder, "rules"),
    modules: layer === "user" ? inside(folder, moduleNames) : [],
    scripts: [join(folder, "hooks")],
    registry: [],
    automations: join(folder, "automations"),
  });
  return [
    own(managed.hookline, "managed/", "managed"),
    own(user, "~/.config/hookline/", "user"),
    ...folders.map((folder): RulePlace => {
      const place = projectPlace(folder, relative(top, folder));
      return folder === mainWorktree ? { ...place, worktree: root } : place;
    }),
  ];
}

/** @param below its way from the repository's own folder */
export const projectPlace = (folder: string, below: string): RulePlace => ({
  layer: "project",
  ofUser: false,
  root: folder,
  prefix: below && `${below}/`,
  folder,
  config: either(folder, "hookline"),
  rules: join(folder, ".hookline", "rules"),
  app: join(folder, ".hookline", "app.yaml"),
  modules: inside(folder, moduleNames),
  scripts: [join(folder, ".discobot", "hooks"), join(folder, ".hookline", "hooks")],
  registry: [join(folder, ".hookline", "registry"), join(folder, ".system", "hooks")],
  automations: join(folder, ".hookline", "automations"),
});

/** Every path whose appearance could add rules. */
export const watchedOf = (place: RulePlace): string[] => [
  ...place.config,
  place.rules,
  ...(place.app ? [place.app] : []),
  ...place.modules,
  ...place.scripts,
  ...place.registry,
  place.automations,
];

export const fileAt = (path: string, flavour: FileFormat, place: RulePlace): HookFile => ({
  path,
  layer: place.layer,
  flavour,
  family: "hookline",
  label: `${place.prefix}${relative(place.folder, path).replaceAll("\\", "/")}`,
  ofUser: place.ofUser,
  ...(place.root ? { root: place.root } : {}),
});

export const configFiles = (place: RulePlace): HookFile[] =>
  place.config.filter(isThere).map((path) => fileAt(path, "config", place));

/** The rules of a place in the order of their names, then its app file and those that its configuration names. */
export function ruleFiles(place: RulePlace, apps: Config["apps"]): HookFile[] {
  const named = apps.filter((path) => isAbsolute(path));
  return [
    ...yamlIn(place.rules).map((path) => fileAt(path, "rules", place)),
    ...[...(place.app && isThere(place.app) ? [place.app] : []), ...named].map((path) => fileAt(path, "app", place)),
  ];
}

/** The place's own modules: hooks written in TypeScript or JavaScript. */
export const modulesIn = (place: RulePlace): ModulePlace[] =>
  place.modules.filter(isThere).map((path) => ({ name: path, from: path, ...namesOf(place, path) }));

/** Those that a configuration names. */
export const extensionsOf = (place: RulePlace, extensions: Config["extensions"]): ModulePlace[] =>
  extensions.map(({ name, from }) => ({
    name,
    from,
    ...(isAbsolute(name) ? namesOf(place, name) : { ...namesOf(place, from), label: name }),
  }));

function namesOf(place: RulePlace, path: string): Pick<ModulePlace, "layer" | "label" | "root"> {
  const { layer, label, root } = fileAt(path, "module", place);
  return { layer, label, ...(root ? { root } : {}) };
}

/** The YAML files of a folder in the order of their names. */
export function yamlIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.ya?ml$/is.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return []; // there is no such folder
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // its folder may not be searched
  }
}
