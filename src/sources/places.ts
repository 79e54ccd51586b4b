/** The table of files that hold settings hooks: layer, flavour and path of each (R29, R58). */
import { join } from "node:path";
import { claudeFileNames, claudeFolder, claudeManagedFolder, configFolder, ownFileNames } from "../agents/folders.ts";
import type { Layer } from "../core/hook.ts";
import type { Flavour } from "../dialects/settings.ts";

export interface ManagedFolders {
  claude: string;
  hookline: string;
}
/** The tool whose file it is. */
type Family = "claude" | "gen" | "hookline";
/** settings, or one of the files that are written in YAML, or a module, or a workspace script. */
export type FileFormat = Flavour | "rules" | "app" | "config" | "module" | "script" | "registry" | "automation";
export interface HookFile {
  path: string;
  layer: Layer;
  flavour: FileFormat;
  /** Whose switches reach it. */
  family: Family;
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

export const managedFoldersOf = (platform: string): ManagedFolders => ({
  claude: claudeManagedFolder(platform),
  hookline: "/etc/hookline",
});

export const managedFiles = (folders: ManagedFolders): HookFile[] => [
  managed("claude", join(folders.claude, "managed-settings.json")),
  managed("hookline", join(folders.hookline, "hooks.json")),
];

function managed(flavour: "claude" | "hookline", path: string): HookFile {
  return { path, layer: "managed", flavour, family: flavour, label: `managed/${flavour}`, ofUser: true };
}

export function userFiles(homes: Homes): HookFile[] {
  const user = { layer: "user", ofUser: true } as const;
  return [
    {
      ...user,
      flavour: "claude",
      family: "claude",
      path: join(claudeFolder(homes), claudeFileNames.user),
      label: "~/.claude/settings.json",
    },
    {
      ...user,
      flavour: "gen",
      family: "gen",
      path: join(homes.home, ".gen", "settings.json"),
      label: "~/.gen/settings.json",
    },
    {
      ...user,
      flavour: "hookline",
      family: "hookline",
      path: join(configFolder(homes), ownFileNames.user),
      label: "~/.config/hookline/hooks.json",
    },
  ];
}

const inFolder = [
  { layer: "project", flavour: "claude", name: claudeFileNames.project },
  { layer: "project", flavour: "gen", name: ".gen/settings.json" },
  { layer: "project", flavour: "hookline", name: ownFileNames.project },
  { layer: "local", flavour: "claude", name: claudeFileNames.local },
  { layer: "local", flavour: "gen", name: ".gen/settings.local.json" },
  { layer: "local", flavour: "hookline", name: ownFileNames.local },
] as const;

/** @param prefix the folder's place in its repository, for labels; "" for the repository's own */
export const projectFiles = (folder: string, prefix: string): HookFile[] =>
  inFolder.map(({ name, ...rest }) => ({
    ...rest,
    family: rest.flavour,
    path: join(folder, name),
    label: prefix ? `${prefix}/${name}` : name,
    root: folder,
    ofUser: false,
  }));

const settingsFlavours: readonly FileFormat[] = ["claude", "gen", "hookline", "plugin"];

export const isSettings = (format: FileFormat): format is Flavour => settingsFlavours.includes(format);

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
  if (/(^|\/)\.gen\//.test(name)) return "gen";
  if (/(^|\/)(settings[^/]*|managed-settings)\.json$/.test(name)) return "claude";
  if (/\.(sh|bash|zsh|py|rb|pl|php)$/.test(name)) return "script";
  return "plugin";
}
