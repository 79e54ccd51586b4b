/** Where settings and hook files lie: told once, because install writes where the loader reads. Loaded on every event, so no editor here. */
import { isAbsolute, join } from "node:path";
import type { InstallLayer, Places } from "./adapter.ts";

type Home = Pick<Places, "home" | "environment">;

/** The specification of these variables says that a relative path in them counts as none. */
const folderOr = (value: string | undefined, otherwise: string): string =>
  value && isAbsolute(value) ? value : otherwise;

/** Hookline's own folder of the user. */
export const configFolder = ({ home, environment }: Home): string =>
  join(folderOr(environment?.XDG_CONFIG_HOME, join(home, ".config")), "hookline");

/** By the folder that they lie in: the user's is `configFolder`, the others' is a folder of the project. */
export const ownFileNames: { readonly [L in InstallLayer]: string } = {
  user: "hooks.json",
  project: ".hookline/hooks.json",
  local: ".hookline/hooks.local.json",
};

/** Our hook file of the layer, where taken over hooks go. */
export const hookFileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? configFolder(places) : places.root, ownFileNames[layer]);

/** Claude Code's own folder of the user. */
export const claudeFolder = ({ home, environment }: Home): string =>
  folderOr(environment?.CLAUDE_CONFIG_DIR, join(home, ".claude"));

/** By the folder that they lie in, as our own. */
export const claudeFileNames: { readonly [L in InstallLayer]: string } = {
  user: "settings.json",
  project: ".claude/settings.json",
  local: ".claude/settings.local.json",
};

export const claudeFileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? claudeFolder(places) : places.root, claudeFileNames[layer]);

const managedElsewhere: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};
const managedUsually = "/etc/claude-code";

/** Claude Code's managed folder. @param platform as process.platform says it */
export const claudeManagedFolder = (platform: string): string => managedElsewhere[platform] ?? managedUsually;

/** Of every platform: a path of another one simply does not occur. */
export const claudeManagedFolders: readonly string[] = [managedUsually, ...Object.values(managedElsewhere)];
