/** Which language server is asked about a file, and where its program lies. Starts nothing. */

import { existsSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Fields, Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { findOnPath, findOutside, foldersOnPath, isProgram, ownProgramsOf, pathInside } from "../../files/paths.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";
import type { Config } from "../../formats/config/config.ts";

export interface Surroundings {
  servers: Config["languageServers"];
  /** The project's folder; absolute. */
  root: string;
  environment: Readonly<Record<string, string>>;
  /** Whether a person has trusted the project: nothing of it runs before. */
  isTrusted(): boolean;
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
  name?: string | undefined;
  commands: readonly (readonly [program: string, ...args: string[]])[];
  language: string;
  install: string;
  initialization?: Fields | undefined;
  settings?: { readonly [section: string]: Json } | undefined;
  tellsWhenReady?: boolean | undefined;
  runsProject?: string | undefined;
}

/** @returns a sentence where there is none. Never throws. */
export function chooseServer(file: string, surroundings: Surroundings): Choice | string {
  const extension = extname(file).toLowerCase();
  const wanted = wantedFor(extension, surroundings.servers);
  if (typeof wanted === "string") return wanted;
  const isTrusted = surroundings.isTrusted();
  if (!isTrusted && wanted.runsProject)
    return `the language server "${wanted.name ?? ""}" runs ${wanted.runsProject} of the project, which is not trusted: ${toTrust}`;
  const own = foldersUp(dirname(file), surroundings.root);
  const folders = isTrusted ? own : [];
  const asked = withoutTyping(wanted);
  const { language, install, settings = {}, tellsWhenReady = false } = asked;
  const { commands, initialization } = preferTypeScript(asked, [...folders, ...sharedFolders(surroundings)]);
  if (!isTrusted && takesOwnTypeScript(asked, initialization) && own.some(keepsTypeScript))
    return `the TypeScript of the project would run, which is not trusted: ${toTrust}`;
  for (const [name, ...args] of commands) {
    const program = findProgram(name, folders, surroundings);
    if (program === undefined) continue;
    return { server: basename(name), program, args, language, install, initialization, settings, tellsWhenReady };
  }
  const names = commands.map(([name]) => name).join(", ");
  const ofProject = isTrusted ? "" : `, or where the project has its own, ${toTrust}`;
  return `no language server for ${extension} files is installed (looked for ${names}): ${install}${ofProject}`;
}

const toTrust = "hookline trust shows what would run, and asks";

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
  const folders = [root];
  for (const name of pathInside(root, from)?.split("/") ?? [])
    if (name !== "") folders.unshift(join(folders[0] ?? root, name));
  return folders;
}

/** Folders whose `node_modules` the PATH leads to: what is installed there serves projects that have none of their own. */
const sharedFolders = ({ environment }: Surroundings): string[] =>
  foldersOnPath(environment.PATH).map((folder) =>
    folder.endsWith(join("node_modules", ".bin")) ? dirname(dirname(folder)) : join(dirname(folder), "lib"),
  );

/** What the project itself has installed comes first: it fits the project's versions. */
function findProgram(
  name: string,
  folders: readonly string[],
  { root, environment, isTrusted }: Surroundings,
): string | undefined {
  if (name.includes("/")) {
    const isOwn = isTrusted() ? () => false : ownProgramsOf(root, environment);
    return [resolve(root, name)].find((path) => isProgram(path) && !isOwn(path));
  }
  const own = folders.map((folder) => join(folder, "node_modules", ".bin", name)).find(isProgram);
  return own ?? (isTrusted() ? findOnPath(name, environment.PATH ?? "") : findOutside(name, environment, root));
}

// The language servers that are known without configuration. Data only, so that documentation and code cannot differ.

interface KnownServer {
  /** As hookline.yaml names it, to replace it or to switch it off. */
  name: string;
  /** What of the project's own it runs to understand it: it is not started before a person has trusted the project. */
  runsProject?: string;
  /** LSP's language id by extension. */
  languages: { readonly [extension: string]: string };
  /** Tried in this order: the first that is found is used. */
  commands: readonly (readonly [program: string, ...args: string[]])[];
  /** What a person does to have one. */
  install: string;
  settings?: { readonly [section: string]: Json };
  initialization?: Fields;
  /** It says itself when it has read the project (`experimental/serverStatus`); before that its answers mean nothing. */
  tellsWhenReady?: true;
}

export const knownServers: readonly KnownServer[] = [
  {
    name: "typescript",
    languages: {
      ".ts": "typescript",
      ".tsx": "typescriptreact",
      ".mts": "typescript",
      ".cts": "typescript",
      ".js": "javascript",
      ".jsx": "javascriptreact",
      ".mjs": "javascript",
      ".cjs": "javascript",
    },
    commands: [["typescript-language-server", "--stdio"]],
    install: "npm install --save-dev typescript-language-server typescript@5",
  },
  {
    name: "python",
    languages: { ".py": "python", ".pyi": "python" },
    commands: [["pyright-langserver", "--stdio"], ["basedpyright-langserver", "--stdio"], ["pylsp"]],
    install: "npm install --save-dev pyright",
  },
  {
    name: "go",
    languages: { ".go": "go" },
    commands: [["gopls"]],
    install: "go install golang.org/x/tools/gopls@latest",
  },
  {
    name: "rust",
    languages: { ".rs": "rust" },
    commands: [["rust-analyzer"]],
    install: "rustup component add rust-analyzer",
    runsProject: "build scripts and macros",
    tellsWhenReady: true,
  },
  {
    name: "c",
    languages: { ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp" },
    commands: [["clangd"]],
    install: "install clangd with the system's packages",
  },
  {
    name: "json",
    languages: { ".json": "json", ".jsonc": "jsonc" },
    commands: [["vscode-json-language-server", "--stdio"]],
    install: "npm install --save-dev vscode-langservers-extracted",
  },
  {
    name: "css",
    languages: { ".css": "css", ".scss": "scss", ".less": "less" },
    commands: [["vscode-css-language-server", "--stdio"]],
    install: "npm install --save-dev vscode-langservers-extracted",
    settings: {
      css: { validate: true, lint: {} },
      scss: { validate: true, lint: {} },
      less: { validate: true, lint: {} },
    },
  },
  {
    name: "yaml",
    languages: { ".yaml": "yaml", ".yml": "yaml" },
    commands: [["yaml-language-server", "--stdio"]],
    install: "npm install --save-dev yaml-language-server",
  },
  {
    name: "shell",
    languages: { ".sh": "shellscript", ".bash": "shellscript" },
    commands: [["bash-language-server", "start"]],
    install: "npm install --save-dev bash-language-server, and shellcheck with the system's packages",
  },
  {
    name: "lua",
    languages: { ".lua": "lua" },
    commands: [["lua-language-server"]],
    install: "install lua-language-server with the system's packages",
  },
  {
    name: "zig",
    languages: { ".zig": "zig" },
    commands: [["zls"]],
    install: "install zls with the system's packages",
    runsProject: "the build file",
  },
  {
    name: "ruby",
    languages: { ".rb": "ruby" },
    commands: [["ruby-lsp"]],
    install: "gem install ruby-lsp",
    runsProject: "the Gemfile",
  },
];

/** By the whole table: a configured server may name any of these extensions without a language of its own. */
const languageOf = (extension: string): string | undefined =>
  knownServers.find(({ languages }) => Object.hasOwn(languages, extension))?.languages[extension];

// Which TypeScript checks a project: its own, wherever its version keeps the server. Apart because no other language
// needs this.

type Command = readonly [program: string, ...args: string[]];
interface Asked {
  commands: readonly Command[];
  language: string;
  initialization?: Fields | undefined;
}

/**
 * Up to version 6, typescript-language-server drives the project's `tsserver.js`. From version 7 on there is none:
 * `tsc --lsp` is the server, and no other program can check as this project does.
 *
 * @param folders from the file's up to the project's, then those that other projects share
 */
function preferTypeScript(
  { commands, language, initialization }: Asked,
  folders: readonly string[],
): { commands: readonly Command[]; initialization: Fields } {
  const given = initialization ?? {};
  const modules = drivesTypeScript({ commands, language })
    ? folders.filter(keepsTypeScript).map((folder) => join(folder, "node_modules"))[0]
    : undefined;
  if (modules === undefined || given.tsserver !== undefined) return { commands, initialization: given };
  const library = join(modules, "typescript", "lib");
  if (existsSync(join(library, "tsserver.js")))
    return { commands, initialization: { ...given, tsserver: { path: library } } };
  if (majorVersion(join(modules, "typescript")) < 7) return { commands, initialization: given };
  return {
    commands: [[join(modules, "typescript", "bin", "tsc"), "--lsp", "--stdio"], ...commands],
    initialization: given,
  };
}

const drivesTypeScript = ({ commands, language }: Pick<Asked, "commands" | "language">): boolean =>
  isOfTypeScript(language) && commands[0]?.[0] === "typescript-language-server";

/** Where it is not told which, typescript-language-server takes the TypeScript of the project. */
const takesOwnTypeScript = (asked: Asked, { tsserver }: Fields): boolean =>
  drivesTypeScript(asked) && tsserver === undefined;

const keepsTypeScript = (folder: string): boolean =>
  existsSync(join(folder, "node_modules", "typescript", "package.json"));

const isOfTypeScript = (language: string): boolean => /^(typescript|javascript)/.test(language);

/**
 * Servers of TypeScript install typings of what JavaScript imports, by npm over the network, unless they are told not to:
 * typescript-language-server when it is initialized, `tsc --lsp` by a setting. What a person has configured holds.
 */
function withoutTyping<T extends Pick<Wanted, "language" | "initialization" | "settings">>(wanted: T): T {
  if (!isOfTypeScript(wanted.language)) return wanted;
  return {
    ...wanted,
    initialization: { disableAutomaticTypingAcquisition: true, ...wanted.initialization },
    settings: { "js/ts": { tsserver: { automaticTypeAcquisition: { enabled: false } } }, ...wanted.settings },
  };
}

const largestDescriptionInBytes = 1 << 20;

function majorVersion(folder: string): number {
  try {
    const read = readRegularFileSync(join(folder, "package.json"), largestDescriptionInBytes);
    const description: unknown = "text" in read ? JSON.parse(read.text) : undefined;
    return isRecord(description) ? Number.parseInt(String(description.version), 10) || 0 : 0;
  } catch {
    return 0; // half installed: the server says what it misses
  }
}
