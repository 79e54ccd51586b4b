/** Which language server is asked about a file, and where its program lies. Starts nothing. */
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Fields, Json } from "../../engine/event.ts";
import type { Config } from "../../formats/config/config.ts";
import { knownServers, languageOf } from "./table.ts";
import { preferTypeScript } from "./typescript.ts";

export interface Surroundings {
  servers: Config["languageServers"];
  /** The project's folder; absolute. */
  root: string;
  environment: Readonly<Record<string, string>>;
}
/** A server that can be started. */
export interface Choice {
  /** As people know it: the program's name. */
  server: string;
  program: string;
  args: readonly string[];
  language: string;
  install: string;
  initialization: Fields;
  settings: { readonly [section: string]: Json };
  tellsWhenReady: boolean;
}
/** A server by name, before its program is looked for. */
interface Wanted {
  commands: readonly (readonly [program: string, ...args: string[]])[];
  language: string;
  install: string;
  initialization?: Fields | undefined;
  settings?: { readonly [section: string]: Json } | undefined;
  tellsWhenReady?: boolean | undefined;
}

/** @returns a sentence where there is none. Never throws. */
export function chooseServer(file: string, surroundings: Surroundings): Choice | string {
  const extension = extname(file).toLowerCase();
  const wanted = wantedFor(extension, surroundings.servers);
  if (typeof wanted === "string") return wanted;
  const folders = foldersUp(dirname(file), surroundings.root);
  const { language } = wanted;
  const { commands, initialization } = preferTypeScript(wanted, [...folders, ...sharedFolders(surroundings)]);
  for (const [name, ...args] of commands) {
    const program = findProgram(name, folders, surroundings);
    if (program === undefined) continue;
    const { install, settings = {}, tellsWhenReady = false } = wanted;
    return { server: basename(name), program, args, language, install, initialization, settings, tellsWhenReady };
  }
  const names = commands.map(([name]) => name).join(", ");
  return `no language server for ${extension} files is installed (looked for ${names}): ${wanted.install}`;
}

/** What is configured goes before what is known. */
function wantedFor(extension: string, servers: Config["languageServers"]): Wanted | string {
  if (extension === "") return "a file without an extension has no language server";
  for (const [name, server] of Object.entries(servers)) {
    if (server === false || !server.extensions.includes(extension)) continue;
    const { command, args = [], initialization, settings } = server;
    const language = server.language ?? languageOf(extension) ?? extension.slice(1);
    const install = `install it, or correct the command of "${name}" under language_servers in hookline.yaml`;
    return { commands: [[command, ...args]], language, install, initialization, settings };
  }
  const known = knownServers.find(({ languages }) => Object.hasOwn(languages, extension));
  const language = known?.languages[extension];
  if (known === undefined || language === undefined)
    return `no language server is known for ${extension} files: name one under language_servers in hookline.yaml`;
  if (servers[known.name] === false) return `the language server "${known.name}" is switched off in hookline.yaml`;
  return { ...known, language };
}

/** From the file's folder up to the project's; the project's alone for a file outside of it. */
function foldersUp(from: string, root: string): string[] {
  const below = relative(root, from);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return [root];
  const folders = [root];
  let folder = root;
  for (const name of below.split(sep).filter((part) => part !== "")) {
    folder = join(folder, name);
    folders.unshift(folder);
  }
  return folders;
}

/** Folders whose `node_modules` the PATH leads to: what is installed there serves projects that have none of their own. */
const sharedFolders = ({ environment }: Surroundings): string[] =>
  onPath(environment).map((folder) =>
    folder.endsWith(join("node_modules", ".bin")) ? dirname(dirname(folder)) : join(dirname(folder), "lib"),
  );

const onPath = (environment: Surroundings["environment"]): string[] =>
  (environment.PATH ?? "").split(delimiter).filter(isAbsolute);

/** What the project itself has installed comes first: it fits the project's versions. */
function findProgram(
  name: string,
  folders: readonly string[],
  { root, environment }: Surroundings,
): string | undefined {
  if (name.includes("/")) return executable(resolve(root, name));
  const own = folders.map((folder) => join(folder, "node_modules", ".bin", name));
  for (const path of [...own, ...onPath(environment).map((folder) => join(folder, name))])
    if (executable(path) !== undefined) return path;
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined; // not there, or not ours to run
  }
}
