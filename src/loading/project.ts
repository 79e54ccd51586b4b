/** Finds the project that a folder belongs to, the folders whose hook files apply there, and what plugins bring (R34, R58). */

import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { HookFiles, PluginPlaces } from "../agents/adapter.ts";
import { hookFiles } from "../agents/index.ts";
import { isRecord } from "../engine/schema.ts";
import { type Homes, type HookFile, isYamlOfHooks, projectFiles, projectPlace } from "./places.ts";
import { isThere, readSmallFile } from "./read-file.ts";

export interface Project {
  /** The nearest folder upward with a hook file or a repository; without one the folder that was asked about. */
  root: string;
  /** From the repository's root down to `root`: hook files of the later ones are the nearer. */
  folders: readonly string[];
  /** A linked worktree's own folder, if it has no hook files: the main one's stands in its place, first in `folders`. */
  worktree?: string;
  /** Every path that was looked at: if one appears, the answer may change. */
  watched: readonly string[];
}

/** What conditions call the workspace: the whole repository, where there is one. */
export const workspaceOf = ({ worktree, folders, root }: Project): string => worktree ?? folders[0] ?? root;

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
    return isThere(path);
  };
  const upward = foldersUpward(resolve(cwd), resolve(home)).filter(isNoPackage);
  const isMarked = (folder: string): boolean => [...markers, ".git"].some((marker) => has(folder, marker));
  const nearest = upward.findIndex(isMarked);
  const root = upward[nearest];
  if (root === undefined) return { root: resolve(cwd), folders: [resolve(cwd)], watched };
  const above = upward.slice(nearest);
  const repository = above.findIndex((folder) => has(folder, ".git"));
  const folders = above.slice(0, Math.max(repository, 0) + 1).reverse();
  const [top = root, ...below] = folders;
  const main = repository >= 0 ? mainWorktreeOf(top) : undefined;
  return main === undefined || hasHookFiles(top, watched)
    ? { root, folders, watched }
    : { root, folders: [main, ...below], worktree: top, watched };
}

/** The folder and those above it; the home folder and what lies above it are no project. */
function foldersUpward(from: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = from; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  return folders;
}

/** Folders of packages that a tool has put there: their hook files never count (R30). */
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
  return from < 0 || isThere(join(folder, ".git")) || !isInRepository(parts.slice(0, from).join(sep));
}

function isInRepository(folder: string): boolean {
  for (let one = folder; one !== ""; one = dirname(one)) {
    if (isThere(join(one, ".git"))) return true;
    if (dirname(one) === one) break;
  }
  return false;
}

/** Files with hooks count, and no folders: agents make `.claude` for much else, and keep settings without hooks there. */
function hasHookFiles(folder: string, watched: string[]): boolean {
  const place = projectPlace(folder, "");
  const settings = projectFiles(folder, "").map(({ path }) => path);
  const files = [...place.config, ...place.modules, ...(place.app ? [place.app] : [])];
  const yaml = [place.rules, ...place.registry, place.automations];
  const plugins = pluginPlaces(folder);
  watched.push(...settings, ...files, ...yaml, ...place.scripts, ...plugins);
  return (
    files.some(isThere) ||
    settings.some((path) => namesHooks.test(textAt(path))) ||
    yaml.some((path) => entriesOf(path).some(({ name }) => isYamlOfHooks(name))) ||
    place.scripts.some((path) => entriesOf(path).some(({ name }) => mayRun(join(path, name)))) ||
    plugins.some((path) => entriesOf(path).length > 0)
  );
}

/** An empty list of hooks is none. */
const namesHooks = /"hooks"(?!\s*:\s*(?:\{\s*\}|\[\s*\]|null))/;

/** Notes may lie beside scripts. */
function mayRun(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && (process.platform === "win32" || (found.mode & 0o111) !== 0);
  } catch {
    return false; // it leads to itself
  }
}

/**
 * A linked worktree's `.git` is a file that names its own part of the main repository, and that part names the worktree. Both are
 * looked at: a stranger's folder could name any repository of this machine.
 */
export function mainWorktreeOf(folder: string): string | undefined {
  const part = /^gitdir:\s*(.+?)\s*$/m.exec(textAt(join(folder, ".git")))?.[1];
  if (!part) return undefined;
  const own = resolve(folder, part);
  const named = textAt(join(own, "commondir")).trim(); // a submodule has none, and a broken link names no other worktree
  const common = resolve(own, named);
  const back = textAt(join(own, "gitdir")).trim();
  const isLink = lstatSync(join(folder, ".git"), { throwIfNoEntry: false })?.isSymbolicLink(); // to the file of another worktree
  if (back === "" || isLink || !isSameFile(resolve(own, back), join(folder, ".git"))) return undefined;
  // Git keeps them below the main one; a folder that brings such files of its own only claims to be a worktree.
  if (named === "" || !isSameFile(dirname(own), join(common, "worktrees"))) return undefined;
  return basename(common) === ".git" ? dirname(common) : undefined;
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false; // one of them is not there
  }
}

function textAt(path: string): string {
  const read = readSmallFile(path);
  return read.is === "read" ? read.text : "";
}

/** A plugin that an agent has in its registry. */
export interface InstalledName {
  name: string;
  family: string;
  /** It is installed for this project alone. */
  ofProject: boolean;
}
interface Installed {
  files: HookFile[];
  /** The registry, whether it is there or not. */
  watched: string[];
  unreadable?: { path: string; reason: string };
}

/** Those that an agent keeps in a registry of its own. */
export function installedPlugins(
  homes: Homes,
  folders: readonly string[],
  isOn: (plugin: InstalledName) => boolean,
): Installed[] {
  return hookFiles().flatMap((table) => (table.plugins?.registry ? inRegistry(table, table.plugins) : []));

  function inRegistry({ agent, format: { family } }: HookFiles, places: PluginPlaces): Installed {
    const path = places.registry?.path(homes) ?? "";
    const found = readSmallFile(path);
    if (found.is === "absent") return { files: [], watched: [path] };
    const registry = found.is === "read" ? parse(found.text) : found.reason;
    if (typeof registry === "string") return { files: [], watched: [path], unreadable: { path, reason: registry } };
    const owner = { family, ofUser: true, ...(agent === undefined ? {} : { agent }) };
    const files = (places.registry?.read(registry) ?? []).flatMap(({ name, installs }) => {
      const here = installs.filter(({ project }) => project === undefined || folders.includes(project));
      const ofProject = here.every(({ project }) => project !== undefined);
      const nearest = here.find(({ project }) => project !== undefined) ?? here[0];
      if (!nearest || !isOn({ name, family, ofProject })) return [];
      return pluginFiles(nearest.path, `plugin/${name}`, { places, owner });
    });
    return { files, watched: [path] };
  }
}

function parse(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : "it is no JSON object";
  } catch {
    return "it is not JSON"; // the parser's own words would add an offset that helps no reader
  }
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
    format: places.format.name,
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
  files: [{ name: "hooks/hooks.json" }, { name: ".claude-plugin/plugin.json", isManifest: true }],
  folder: ".hookline/plugins",
};

const namesIn = (folder: string): string[] =>
  entriesOf(folder)
    .filter((one) => !one.isFile())
    .map(({ name }) => name)
    .sort();

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  } catch {
    return []; // most folders have no plugins, and many no hooks
  }
}

interface OfManifest {
  /** The files that it names as its hooks. */
  named: HookFile[];
  /** Paths that lead out of the plugin: nothing is read there. */
  outside: string[];
  /** There is something in it to compile, or to complain of. */
  holdsHooks: boolean;
}

export function hooksOfManifest(manifest: HookFile, text: string): OfManifest {
  const content = parse(text);
  if (typeof content === "string") return { named: [], outside: [], holdsHooks: true };
  const written: unknown[] = content.hooks === undefined ? [] : [content.hooks].flat();
  const paths = written.filter((one) => typeof one === "string");
  const named = paths.flatMap((path) => namedHookFile(manifest, path) ?? []);
  const outside = paths.filter((path) => namedHookFile(manifest, path) === undefined);
  return { named, outside, holdsHooks: written.length > paths.length };
}

function namedHookFile({ manifest: _manifest, ...file }: HookFile, name: string): HookFile | undefined {
  const { plugin, path: own, label } = file;
  if (plugin === undefined) return undefined;
  const path = join(plugin, name);
  const inside = relative(plugin, path);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
  return { ...file, path, label: `${label.slice(0, -relative(plugin, own).length)}${inside}` };
}

/** A person may name a manifest by its path. */
export function asManifest(file: HookFile): HookFile {
  const place = [ownPlugins, ...hookFiles().flatMap(({ plugins }) => plugins ?? [])]
    .flatMap(({ files }) => files)
    .find(
      ({ name, isManifest }) =>
        isManifest && name.includes("/") && file.path.replaceAll("\\", "/").endsWith(`/${name}`),
    );
  return place ? { ...file, manifest: true, plugin: file.path.slice(0, -place.name.length - 1) } : file;
}
