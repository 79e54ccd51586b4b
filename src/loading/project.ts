/** Finds the project that a folder belongs to, the folders whose hook files apply there, and what plugins bring (R34, R58). */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { HookFiles, InstalledPlugin, PluginPlaces } from "../agents/adapter.ts";
import { hookFiles } from "../agents/index.ts";
import { isRecord } from "../engine/schema.ts";
import { type Homes, type HookFile, projectFiles, projectPlace } from "./places.ts";
import { readSmallFile } from "./read-file.ts";

export interface Project {
  /** The nearest folder upward with a hook file or a repository; without one the folder that was asked about. */
  root: string;
  /** From the repository's root down to `root`: hook files of the later ones are the nearer. */
  folders: readonly string[];
  /** The main worktree's folder, where a linked worktree without hook files of its own uses that one's. */
  mainWorktree?: string;
  /** Every path that was looked at: if one appears, the answer may change. */
  watched: readonly string[];
}

/** Names in a folder that make it a project's. */
export const hookMarkers = (): string[] => [
  ".hookline",
  "hookline.yaml",
  ...hookFiles().flatMap(({ markers }) => markers),
  ".discobot",
  ".system/hooks",
];

/** Never throws: what cannot be read counts as absent. */
export function findProject(cwd: string, home: string): Project {
  const watched: string[] = [];
  const markers = hookMarkers();
  const has = (folder: string, marker: string): boolean => {
    const path = join(folder, marker);
    watched.push(path);
    return exists(path);
  };
  const upward = foldersUpward(resolve(cwd), resolve(home)).filter(isNoPackage);
  const isMarked = (folder: string): boolean => [...markers, ".git"].some((marker) => has(folder, marker));
  const nearest = upward.findIndex(isMarked);
  const root = upward[nearest];
  if (root === undefined) return { root: resolve(cwd), folders: [resolve(cwd)], watched };
  const above = upward.slice(nearest);
  const repository = above.findIndex((folder) => has(folder, ".git"));
  const folders = above.slice(0, Math.max(repository, 0) + 1).reverse();
  const linkedTo = folders.length === 1 && repository === 0 ? mainWorktreeOf(root) : undefined;
  const mainWorktree = linkedTo !== undefined && !hasHookFiles(root, watched) ? linkedTo : undefined;
  return mainWorktree ? { root, folders: [mainWorktree], mainWorktree, watched } : { root, folders, watched };
}

/** The folder and those above it; the home folder and what lies above it are nobody's project. */
function foldersUpward(from: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = from; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  return folders;
}

/** Folders of packages that a tool has put there: their files are not the project's, whoever looks at them (R30). */
const ofPackages: ReadonlySet<string> = new Set(
  "node_modules bower_components jspm_packages site-packages dist-packages .pnpm-store .yarn .venv .cargo .gradle .m2 Pods".split(
    " ",
  ),
);
/** Such folders only where they lie in a repository: elsewhere people have folders of these names. */
const vendored: ReadonlySet<string> = new Set(["vendor", "third_party", "third-party"]);

function isNoPackage(folder: string): boolean {
  const parts = folder.split(sep);
  if (parts.some((part) => ofPackages.has(part))) return false;
  const from = parts.findIndex((part) => vendored.has(part));
  return from < 0 || exists(join(folder, ".git")) || !isInRepository(parts.slice(0, from).join(sep));
}

function isInRepository(folder: string): boolean {
  for (let one = folder; one !== ""; one = dirname(one)) {
    if (exists(join(one, ".git"))) return true;
    if (dirname(one) === one) break;
  }
  return false;
}

/** Files and not folders count: agents make `.claude` for much else, and keep settings without hooks there. */
function hasHookFiles(folder: string, watched: string[]): boolean {
  const place = projectPlace(folder, "");
  const settings = projectFiles(folder, "").map(({ path }) => path);
  const files = [...place.config, ...place.modules, ...(place.app ? [place.app] : [])];
  const inside = [place.rules, ...place.scripts, ...place.registry, place.automations, ...pluginPlaces(folder)];
  watched.push(...settings, ...files, ...inside);
  return (
    files.some(exists) ||
    settings.some((path) => textAt(path).includes('"hooks"')) ||
    inside.some((path) => namesAt(path).length > 0)
  );
}

function namesAt(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch {
    return []; // there is no such folder
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder that may not be searched holds nothing for us
  }
}

/** A linked worktree's `.git` is a file that names its own part of the main repository. */
function mainWorktreeOf(folder: string): string | undefined {
  const part = /^gitdir:\s*(.+?)\s*$/m.exec(textAt(join(folder, ".git")))?.[1];
  if (!part) return undefined;
  const own = resolve(folder, part);
  const named = textAt(join(own, "commondir")).trim(); // a submodule has none, and a broken link names no other worktree
  const common = resolve(own, named);
  return named !== "" && basename(common) === ".git" ? dirname(common) : undefined;
}

function textAt(path: string): string {
  const read = readSmallFile(path);
  return read.is === "read" ? read.text : "";
}

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

const pluginPlaces = (folder: string): string[] => pluginPlacesBelow(folder).map(({ path }) => path);

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
