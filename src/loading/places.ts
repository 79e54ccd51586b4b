/** The table of files that hold settings hooks: layer, flavour and path of each (R29, R58). */
import { join } from "node:path";
import { configFolder, ownFileNames } from "../agents/folders.ts";
import { hookFiles, toolNames } from "../agents/index.ts";
import type { Layer } from "../engine/hook.ts";
import type { Flavour } from "../formats/settings/settings.ts";

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
  flavour: FileFormat;
  /** Whose switches reach it. */
  family: string;
  /** How ids and people name it: never a path of one machine. */
  label: string;
  /** The folder that relative paths in its hooks start from; absent: the folder that the event comes from. */
  root?: string;
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
export const ownFormat: Flavour = { name: "hookline", family: "hookline", isOurs: true, bareEvents: true };
/** A plugin's file is written for agents as well. */
const ownPlugin: Flavour = { name: "plugin", family: "hookline", bareEvents: true };

/** What is particular to a settings format; undefined: it is another kind of file. */
export function settingsFormat(name: FileFormat): Flavour | undefined {
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

const managedFile = ({ name, family }: Flavour, path: string): HookFile => ({
  path,
  layer: "managed",
  flavour: name,
  family,
  label: `managed/${name}`,
  ofUser: true,
});

export function userFiles(homes: Homes): HookFile[] {
  const fileOf = ({ name, family }: Flavour, place: { path: string; label: string }): HookFile => ({
    ...place,
    layer: "user",
    ofUser: true,
    flavour: name,
    family,
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
    tables.flatMap(({ format: { name: flavour, family }, [layer]: name }) =>
      name === undefined
        ? []
        : {
            layer,
            flavour,
            family,
            path: join(folder, name),
            label: prefix ? `${prefix}/${name}` : name,
            root: folder,
            ofUser: false,
          },
    ),
  );
}

export const isSettings = (format: FileFormat): boolean => settingsFormat(format) !== undefined;

/** The place in the table of any file by its name alone, for checking files that no project names. */
export function flavourOf(path: string): FileFormat {
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
