/** The files that Claude Code keeps: its settings by layer, its plugins, and the names that it uses in them. Loaded on every event. */
import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve, sep } from "node:path";
import { isRecord } from "../../engine/schema.ts";
import { tools } from "../../engine/tools.ts";
import type { HookFiles, InstalledPlugin, InstallLayer, Places } from "../adapter.ts";

type Home = Pick<Places, "home" | "environment">;

/** The variable's specification says that a relative path in it counts as none. */
const claudeFolder = ({ home, environment }: Home): string => {
  const said = environment?.CLAUDE_CONFIG_DIR;
  return said && isAbsolute(said) ? said : join(home, ".claude");
};

const fileNames: { readonly [L in InstallLayer]: string } = {
  user: "settings.json",
  project: ".claude/settings.json",
  local: ".claude/settings.local.json",
};

/** The settings file of a layer, where install writes. */
export const settingsFileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? claudeFolder(places) : places.root, fileNames[layer]);

const managedElsewhere: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};
const managedUsually = "/etc/claude-code";

const otherTools =
  "AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash " +
  "KillShell LSP ListMcpResourcesTool Monitor ReadMcpResourceTool SendMessage StructuredOutput TaskCreate TaskGet TaskList " +
  "TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch";
/** Those of 2.1.330 and its earlier versions: with a pattern of their own, and the others. */
const toolNames = [...Object.keys(tools), ...otherTools.split(" ")];

const format = { name: "claude", family: "claude", tools: toolNames, ignoresFlat: "Claude Code" };

/**
 * Claude Code's registry of plugins: `{version: 2, plugins: {"name@market": [{scope, installPath, projectPath?}]}}`, in version 1
 * one record where the list is now. Seen in public code; not documented.
 */
function readRegistry({ plugins }: Readonly<Record<string, unknown>>): InstalledPlugin[] {
  return Object.entries(isRecord(plugins) ? plugins : {}).map(([name, entries]) => ({
    name,
    installs: (Array.isArray(entries) ? entries : [entries])
      .filter(isRecord)
      .flatMap(({ installPath, projectPath }) =>
        typeof installPath !== "string" || !isAbsolute(installPath)
          ? []
          : projectPath === undefined
            ? { path: installPath }
            : { path: installPath, project: String(projectPath) },
      ),
  }));
}

export const hookFiles: HookFiles = {
  agent: "claude-code",
  format,
  user: (home) => ({ path: join(claudeFolder(home), fileNames.user), label: "~/.claude/settings.json" }),
  project: fileNames.project,
  local: fileNames.local,
  managed: { folder: (platform) => managedElsewhere[platform] ?? managedUsually, file: "managed-settings.json" },
  movedBy: ["CLAUDE_CONFIG_DIR"],
  markers: [".claude"],
  isNamed: (path) => /(^|\/)(settings[^/]*|managed-settings)\.json$/.test(path),
  plugins: {
    format: { ...format, name: "plugin", bareEvents: true },
    files: [{ name: "hooks/hooks.json" }],
    registry: { path: (home) => join(claudeFolder(home), "plugins", "installed_plugins.json"), read: readRegistry },
  },
  variables: { prefix: "CLAUDE", given: "always", namesProject: true },
};

/** Claude Code reads no parent folders: its project is the folder that it names to its hooks. */
export function readsItself(file: string, given: Places): boolean {
  const path = realOf(file);
  const places = { ...given, root: given.environment?.CLAUDE_PROJECT_DIR ?? given.root };
  if (layers.some((layer) => realOf(settingsFileOf(layer, places)) === path)) return true;
  if (managedFolders.some((folder) => isBelow(path, resolve(folder)))) return path.endsWith(".json");
  return isBelow(path, realOf(join(claudeFolder(places), "plugins"))) && path.endsWith(".json");
}
const layers: readonly InstallLayer[] = ["user", "project", "local"];
/** Of every platform: a path of another one simply does not occur. */
const managedFolders: readonly string[] = [managedUsually, ...Object.values(managedElsewhere)];

/** The same file by whatever links it is reached. */
function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file); // it is not there
  }
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder + sep);
