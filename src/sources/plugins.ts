/** The hook files that plugins bring: Claude Code's installed ones, and the plugin folders of a project or a home. */
import { readdirSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { claudeFolder } from "../agents/folders.ts";
import { isRecord } from "../core/schema.ts";
import type { Homes, HookFile } from "./places.ts";
import { readSmallFile } from "./read-file.ts";

/** Whether settings turn a plugin off: the user for good, a project for all but its guards. */
export type PluginState = "on" | "off" | "guards only";

interface Installed {
  files: { file: HookFile; state: PluginState }[];
  /** The registry, whether it is there or not. */
  watched: string[];
  unreadable?: { path: string; reason: string };
}

/**
 * Claude Code's registry: `{version: 2, plugins: {"name@market": [{scope, installPath, projectPath?}]}}`,
 * in version 1 one record where the list is now. Seen in public code; not documented.
 */
export function installedPlugins(
  homes: Homes,
  folders: readonly string[],
  stateOf: (plugin: string) => PluginState,
): Installed {
  const path = join(claudeFolder(homes), "plugins", "installed_plugins.json");
  const found = readSmallFile(path);
  if (found.is === "absent") return { files: [], watched: [path] };
  const registry = found.is === "read" ? parse(found.text) : found.reason;
  if (typeof registry === "string") return { files: [], watched: [path], unreadable: { path, reason: registry } };
  const plugins = Object.entries(isRecord(registry.plugins) ? registry.plugins : {});
  const files = plugins.flatMap(([name, entries]) => {
    const state = stateOf(name);
    const folder = state === "off" ? undefined : installFolder(Array.isArray(entries) ? entries : [entries], folders);
    return folder
      ? [
          {
            state,
            file: { ...pluginFile(folder, `plugin/${name}`, { family: "claude", ofUser: true }), agent: "claude-code" },
          },
        ]
      : [];
  });
  return { files, watched: [path] };
}

function parse(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : "it is no JSON object";
  } catch {
    return "it is not JSON"; // the parser's own words would add an offset that nobody can use
  }
}

/** The nearest install that holds here: one of this project before the user's. */
function installFolder(entries: readonly unknown[], folders: readonly string[]): string | undefined {
  const here = entries.filter(isRecord).filter(({ installPath, projectPath }) => {
    const forEveryone = projectPath === undefined;
    return (
      typeof installPath === "string" &&
      isAbsolute(installPath) &&
      (forEveryone || folders.some((one) => one === projectPath))
    );
  });
  const chosen = here.find(({ projectPath }) => projectPath !== undefined) ?? here[0];
  return typeof chosen?.installPath === "string" ? chosen.installPath : undefined;
}

type Owner = Pick<HookFile, "ofUser" | "root">;

function pluginFile(folder: string, label: string, owner: Owner & Pick<HookFile, "family">): HookFile {
  const name = "hooks/hooks.json";
  return {
    ...owner,
    layer: "plugin",
    flavour: "plugin",
    path: join(folder, name),
    label: `${label}/${name}`,
    plugin: folder,
  };
}

export const pluginPlaces = (folder: string): [own: string, gen: string] => [
  join(folder, ".hookline", "plugins"),
  join(folder, ".gen", "plugins"),
];

/** Every folder in `.hookline/plugins` and `.gen/plugins`, in the order of their names. */
export function pluginFolders(folder: string, label: string, owner: Owner): { files: HookFile[]; watched: string[] } {
  const [own, gen] = pluginPlaces(folder);
  const files = [
    ...namesIn(own).map((name) =>
      pluginFile(join(own, name), `${label}.hookline/plugins/${name}`, { ...owner, family: "hookline" }),
    ),
    ...namesIn(gen).flatMap((name) => genPlugin(join(gen, name), `${label}.gen/plugins/${name}`, owner)),
  ];
  return { files, watched: [own, gen] };
}

/** GenCode keeps these beside its plugins. */
const notPlugins: ReadonlySet<string> = new Set(["marketplaces", "cache"]);

function namesIn(folder: string): string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true });
    return found
      .filter((one) => !one.isFile() && !one.name.startsWith(".") && !notPlugins.has(one.name))
      .map(({ name }) => name)
      .sort();
  } catch {
    return []; // most folders have no plugins
  }
}

function genPlugin(folder: string, label: string, owner: Owner): HookFile[] {
  const common = { ...owner, layer: "plugin", flavour: "gen", family: "gen", plugin: folder } as const;
  return ["plugin.json", ".gen-plugin/plugin.json", "hooks/hooks.json"].map((name): HookFile => {
    const file = { ...common, path: join(folder, name), label: `${label}/${name}` };
    return name.endsWith("plugin.json") ? { ...file, manifest: true } : file;
  });
}

/** The file that a manifest names as its hooks, if it lies inside the plugin. */
export function namedHookFile(manifest: HookFile, text: string): HookFile | undefined {
  const content = parse(text);
  const named = typeof content === "string" ? undefined : content.hooks;
  if (typeof named !== "string" || !manifest.plugin) return undefined;
  const path = join(manifest.plugin, named);
  const inside = relative(manifest.plugin, path);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
  const { manifest: _manifest, ...rest } = manifest;
  return { ...rest, path, label: `${manifest.label.replace(/[^/]*$/, "")}${inside}` };
}
