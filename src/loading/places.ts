/**
 * Where hook files lie (R29, R58): the table of settings files with layer, format and path of each, and for each layer the
 * folder of rules, app files, settings in YAML, modules, scripts, repository hooks and automations.
 */

import { isAbsolute, join, relative } from "node:path";
import { configFolder, hookFiles, ownFileNames, toolNames } from "../agents/index.ts";
import type { Layer } from "../engine/hook.ts";
import type { Config } from "../formats/config/config.ts";
import type { SettingsFormat } from "../formats/settings/settings.ts";
import type { Project } from "./project.ts";
import { isThere } from "./read-file.ts";

/** By the family of the files in them. */
export interface ManagedFolders {
  readonly [family: string]: string | undefined;
  hookline: string;
}
/** The name of a settings format, or one of: rules, app, config, module, script, registry, automation. */
export type FileFormat = string;
export interface HookFile {
  path: string;
  layer: Layer;
  format: FileFormat;
  /** Whose switches reach it. */
  family: string;
  /** Event by event it replaces hooks of the same format in outer layers. */
  overrides?: true;
  /** How ids and people name it: never a path of one machine. */
  label: string;
  /** The folder that relative paths in its hooks start from; absent: the folder that the event comes from. */
  root?: string;
  /** The folder that it lies in, where its hooks work in another: a person has trusted it there. */
  trustedIn?: string;
  /** The folder of the plugin that brought it. */
  plugin?: string;
  /** The agent in whose registry the plugin stands. */
  agent?: string;
  /** Its text is a manifest: hooks may be in another file. */
  manifest?: true;
  /** Written by the user or above: nothing in a project reaches its guards. */
  ofUser: boolean;
}
export interface Homes {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Of Hookline's own hook files. */
export const ownFormat: SettingsFormat = { name: "hookline", family: "hookline", isOurs: true, bareEvents: true };
/** A plugin's file is written for agents as well. */
const ownPlugin: SettingsFormat = { name: "plugin", family: "hookline", bareEvents: true, ofPlugin: true };

/** What is particular to a settings format; undefined: it is another kind of file. */
export function settingsFormat(name: FileFormat): SettingsFormat | undefined {
  const formats = hookFiles().flatMap(({ format, plugins }) => (plugins ? [format, plugins.format] : [format]));
  const found = [ownFormat, ...formats, ownPlugin].find((format) => format.name === name);
  return found && { tools: toolNames(), ...found };
}

export const managedFoldersOf = (platform: string): ManagedFolders => ({
  ...Object.fromEntries(
    hookFiles().flatMap(({ format, managed }) => (managed ? [[format.family, managed.folder(platform)]] : [])),
  ),
  hookline: "/etc/hookline",
});

export const managedFiles = (folders: ManagedFolders): HookFile[] => [
  ...hookFiles().flatMap(({ format, managed }) => {
    const folder = folders[format.family];
    return managed && folder !== undefined ? managedFile(format, join(folder, managed.file)) : [];
  }),
  managedFile(ownFormat, join(folders.hookline, "hooks.json")),
];

type OfFormat = Pick<HookFile, "format" | "family" | "overrides">;

const ofFormat = ({ name, family, overrides }: SettingsFormat): OfFormat => ({
  format: name,
  family,
  ...(overrides ? { overrides } : {}),
});

const managedFile = (format: SettingsFormat, path: string): HookFile => ({
  ...ofFormat(format),
  path,
  layer: "managed",
  label: `managed/${format.name}`,
  ofUser: true,
});

export function userFiles(homes: Homes): HookFile[] {
  const fileOf = (format: SettingsFormat, place: { path: string; label: string }): HookFile => ({
    ...ofFormat(format),
    ...place,
    layer: "user",
    ofUser: true,
  });
  return [
    ...hookFiles().flatMap(({ format, user }) => (user ? fileOf(format, user(homes)) : [])),
    fileOf(ownFormat, { path: join(configFolder(homes), ownFileNames.user), label: "~/.config/hookline/hooks.json" }),
  ];
}

/** @param prefix the folder's place in its repository, for labels; "" for the repository's own */
export function projectFiles(folder: string, prefix: string): HookFile[] {
  const tables = [...hookFiles(), { format: ownFormat, ...ownFileNames }];
  return (["project", "local"] as const).flatMap((layer) =>
    tables.flatMap(({ format, [layer]: name }) =>
      name === undefined
        ? []
        : {
            ...ofFormat(format),
            layer,
            path: join(folder, name),
            label: prefix ? `${prefix}/${name}` : name,
            root: folder,
            ofUser: false,
          },
    ),
  );
}

/** A test of hooks may lie beside them: it is no hook file. */
export const isHookTest = (name: string): boolean => /\.hooktest\.(ya?ml|[mc]?[jt]s)$/i.test(name);

/** A name in a folder of hook files in YAML. */
export const isYamlOfHooks = (name: string): boolean => /^[^.].*\.ya?ml$/is.test(name) && !isHookTest(name);

export const isSettings = (format: FileFormat): boolean => settingsFormat(format) !== undefined;

/** The place in the table of any file by its name alone, for checking files that no project names. */
export function formatOf(path: string): FileFormat {
  const name = path.replaceAll("\\", "/");
  if (/(^|\/)(\.(hookline|discobot)|\.config\/hookline|etc\/hookline)\/hooks\/[^/]+$/.test(name)) return "script";
  if (/(^|\/)(\.system\/hooks|\.hookline\/registry)\/[^/]+\.ya?ml$/i.test(name)) return "registry";
  if (/(^|\/)(\.hookline|\.config\/hookline|etc\/hookline)\/automations\/[^/]+\.ya?ml$/i.test(name))
    return "automation";
  if (/(^|\/)hookline\.config\.[mc]?[jt]s$/.test(name)) return "module";
  if (/(^|\/)hookline\.ya?ml$|(^|\/)\.config\/hookline\/config\.ya?ml$/.test(name)) return "config";
  if (/(^|\/)app\.ya?ml$/.test(name)) return "app";
  if (/\.ya?ml$/i.test(name)) return "rules";
  if (/(^|\/)\.hookline\/[^/]*\.json$/.test(name)) return "hookline";
  const named = hookFiles().findLast(({ isNamed }) => isNamed?.(name)); // those of earlier rows are plainer
  if (named) return named.format.name;
  if (/\.(sh|bash|zsh|py|rb|pl|php)$/.test(name)) return "script";
  return "plugin";
}

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
  /** Where that file does so. */
  at?: { line: number; column: number };
  layer: Layer;
  label: string;
  /** The project's folder; absent for the user's own. */
  root?: string;
  /** The state of each file that was trusted with it, by path: no other is read. Absent: all of the project is trusted. */
  bound?: { readonly [path: string]: string };
  /** The hash under which it is trusted. */
  hash?: string;
}

const moduleNames = ["ts", "mts", "js", "mjs"].map((extension) => `hookline.config.${extension}`);
const either = (folder: string, name: string): string[] => [join(folder, `${name}.yaml`), join(folder, `${name}.yml`)];
const inside = (folder: string, names: readonly string[]): string[] => names.map((name) => join(folder, name));

/** Outer to inner. */
export function rulePlaces(project: Project, homes: Homes, managed: ManagedFolders): RulePlace[] {
  const user = configFolder(homes);
  const { folders, worktree } = project;
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
      const place = projectPlace(folder, wayTo(folder, project));
      return worktree !== undefined && folder === folders[0] ? { ...place, worktree } : place;
    }),
  ];
}

/** The way from the repository's own folder, by which labels and ids name a file. */
export const wayTo = (folder: string, { folders: [top = ""], worktree }: Project): string =>
  folder === top ? "" : relative(worktree ?? top, folder);

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

export const fileAt = (path: string, format: FileFormat, place: RulePlace): HookFile => ({
  path,
  layer: place.layer,
  format,
  family: "hookline",
  label: `${place.prefix}${relative(place.folder, path).replaceAll("\\", "/")}`,
  ofUser: place.ofUser,
  ...(place.root ? { root: place.root } : {}),
});

export const configFiles = (place: RulePlace): HookFile[] =>
  place.config.filter(isThere).map((path) => fileAt(path, "config", place));

/** The app file of a place, and those that its configuration names. */
export const appFiles = (place: RulePlace, apps: Config["apps"]): HookFile[] =>
  [...(place.app && isThere(place.app) ? [place.app] : []), ...apps.filter((path) => isAbsolute(path))].map((path) =>
    fileAt(path, "app", place),
  );

/** The place's own modules: hooks written in TypeScript or JavaScript. */
export const modulesIn = (place: RulePlace): ModulePlace[] =>
  place.modules.filter(isThere).map((path) => ({ name: path, from: path, ...namesOf(place, path) }));

/** Those that a configuration names. */
export const extensionsOf = (place: RulePlace, extensions: Config["extensions"]): ModulePlace[] =>
  extensions.map(({ name, from, at }) => ({
    name,
    from,
    ...(at ? { at } : {}),
    ...(isAbsolute(name) ? namesOf(place, name) : { ...namesOf(place, from), label: name }),
  }));

function namesOf(place: RulePlace, path: string): Pick<ModulePlace, "layer" | "label" | "root"> {
  const { layer, label, root } = fileAt(path, "module", place);
  return { layer, label, ...(root ? { root } : {}) };
}
