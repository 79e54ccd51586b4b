/** The hook files that plugins bring: those that agents have installed, and the plugin folders of a project or a home. */
import { readdirSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { HookFiles, InstalledPlugin, PluginPlaces } from "../agents/adapter.ts";
import { hookFiles } from "../agents/index.ts";
import { isRecord } from "../engine/schema.ts";
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

/** Those that an agent keeps in a registry of its own. */
export function installedPlugins(
  homes: Homes,
  folders: readonly string[],
  stateOf: (plugin: string, family: string) => PluginState,
): Installed[] {
  return hookFiles().flatMap((table) => (table.plugins?.registry ? inRegistry(table, table.plugins) : []));

  function inRegistry({ agent, format: { family } }: HookFiles, places: PluginPlaces): Installed {
    const path = places.registry?.path(homes) ?? "";
    const found = readSmallFile(path);
    if (found.is === "absent") return { files: [], watched: [path] };
    const registry = found.is === "read" ? parse(found.text) : found.reason;
    if (typeof registry === "string") return { files: [], watched: [path], unreadable: { path, reason: registry } };
    const files = (places.registry?.read(registry) ?? []).flatMap(({ name, installs }) => {
      const state = stateOf(name, family);
      const folder = state === "off" ? undefined : installFolder(installs, folders);
      const owner = { family, ofUser: true, ...(agent === undefined ? {} : { agent }) };
      return folder === undefined
        ? []
        : pluginFiles(folder, `plugin/${name}`, { places, owner }).map((file) => ({ state, file }));
    });
    return { files, watched: [path] };
  }
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
function installFolder(installs: InstalledPlugin["installs"], folders: readonly string[]): string | undefined {
  const here = installs.filter(({ project }) => project === undefined || folders.includes(project));
  return (here.find(({ project }) => project !== undefined) ?? here[0])?.path;
}

type Owner = Pick<HookFile, "ofUser" | "root" | "agent">;

interface PluginOf {
  places: Pick<PluginPlaces, "format" | "files">;
  owner: Owner & Pick<HookFile, "family">;
}

const pluginFiles = (folder: string, label: string, { places, owner }: PluginOf): HookFile[] =>
  places.files.map(({ name, isManifest }) => ({
    ...owner,
    layer: "plugin",
    flavour: places.format.name,
    path: join(folder, name),
    label: `${label}/${name}`,
    plugin: folder,
    ...(isManifest ? { manifest: isManifest } : {}),
  }));

/** Where plugins lie below a folder: `.hookline/plugins` and the agents' own places. */
const pluginPlacesBelow = (folder: string): { places: PluginPlaces; label: string; path: string }[] =>
  [ownPlugins, ...hookFiles().flatMap(({ plugins }) => plugins ?? [])].flatMap((places) =>
    places.folder === undefined ? [] : { places, label: places.folder, path: join(folder, places.folder) },
  );

export const pluginPlaces = (folder: string): string[] => pluginPlacesBelow(folder).map(({ path }) => path);

/** Every folder in `.hookline/plugins` and in the agents' own places, in the order of their names. */
export function pluginFolders(folder: string, label: string, owner: Owner): { files: HookFile[]; watched: string[] } {
  const all = pluginPlacesBelow(folder);
  const files = all.flatMap(({ places, label: below, path }) =>
    namesIn(path)
      .filter((name) => !places.beside?.includes(name))
      .flatMap((name) =>
        pluginFiles(join(path, name), `${label}${below}/${name}`, {
          places,
          owner: { ...owner, family: places.format.family },
        }),
      ),
  );
  return { files, watched: all.map(({ path }) => path) };
}

const ownPlugins: PluginPlaces = {
  format: { name: "plugin", family: "hookline" },
  files: [{ name: "hooks/hooks.json" }],
  folder: ".hookline/plugins",
};

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => !one.isFile() && !one.name.startsWith("."))
      .map(({ name }) => name)
      .sort();
  } catch {
    return []; // most folders have no plugins
  }
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
