/** The built-in guard of the user's layer (D17, R92): a person is asked before a call changes what decides about calls, or loosens Hookline itself. */
import { dirname, join } from "node:path";
import { type LoadedCode, layersOf } from "../agents/adapter.ts";
import { agents, configFolder, hookFiles, loadedCode, ownFileNames } from "../agents/index.ts";
import { lineFolders } from "../agents/skill-lines.ts";
import type { Hook } from "../engine/hook.ts";
import { ownPackage } from "../files/own-files.ts";
import { stateFolderOf } from "../files/paths.ts";
import { type Homes, type ManagedFolders, managedFiles, userFiles } from "./places.ts";

interface Places extends Homes {
  managed: ManagedFolders;
}

const anywhere = (path: string): string[] => [`//**/${path}`, path];
const all = (folder: string): string[] => [folder, `${folder}/**`];
const fromRoot = (path: string): string => `/${path.replaceAll("\\", "/")}`;

/** `.claude`, `.config/opencode`: whoever replaces it brings other hooks. Folders that hold much else do not count. */
function folderOfAgent(path: string): string[] {
  const [first = "", second = "", third] = path.split("/");
  if (first === ".config") return third === undefined ? [] : [`//**/${first}/${second}`];
  return first.startsWith(".") && second !== "" && !/^\.(?:github|git|agents)$/.test(first) ? [`//**/${first}`] : [];
}

const shellFiles =
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc " +
  ".cshrc .tcshrc .login .inputrc .config/fish/config.fish .config/fish/conf.d/**";

/** Folders of the PATH that are a person's own, or come first: a program there stands in for one of that name. */
const binFolders = [
  ".local/bin",
  "bin",
  ".bin",
  ".npm-global/bin",
  ".volta/bin",
  ".bun/bin",
  ".deno/bin",
  ".cargo/bin",
];

/** Programs that decide about calls, or that Hookline runs with. Written so that a line has to name the folder too: many a line speaks of git. */
function standIns({ home }: Homes, names: readonly string[]): string[] {
  const folders = [...binFolders.map((folder) => join(home, folder)), "/usr/local/bin", "/opt/homebrew/bin"];
  return folders.flatMap((folder) => names.map((name) => `//**${join(folder, name).replaceAll("\\", "/")}`));
}

/** Where agents are told to call Hookline: not each of these files holds hooks that Hookline reads. */
function registrations({ home, environment }: Homes): { ofUser: string[]; ofProject: string[] } {
  const all = Object.values(agents).flatMap((agent) =>
    layersOf(agent).map((layer) => ({ layer, file: agent.settings.file(layer, { home, environment, root: "/" }) })),
  );
  const files = (ofUser: boolean): string[] =>
    all.flatMap(({ layer, file }) => ((layer === "user") === ofUser ? file : []));
  return { ofUser: files(true), ofProject: files(false).map((file) => file.replace(/^\//, "")) };
}

/** What decides about calls: files, and folders that hold them, which others may not take the place of. */
function protectedPaths(places: Places, code: readonly LoadedCode[]): { files: string[]; folders: string[] } {
  const ofProject = hookFiles().flatMap(({ project, local, plugins }) => [
    ...(project === undefined ? [] : [project]),
    ...(local === undefined ? [] : [local]),
    ...(plugins?.folder === undefined ? [] : all(plugins.folder)),
    // A plugin's hooks lie wherever the plugin does: an agent is started with its folder, or gets a link to it.
    ...(plugins?.files ?? []).flatMap(({ name }) => (name.includes("/") ? name : [])),
  ]);
  const registered = registrations(places);
  const moved = code.flatMap((one) => one.moved?.(places) ?? []);
  const ofPlugins = code.flatMap(({ ofPlugin = [] }) => ofPlugin).flatMap(all);
  const inHome = new Set(code.flatMap((one) => one.places.map((place) => `${places.home}/${place}`)));
  const agentPrograms = code.flatMap(({ program }) =>
    program === undefined || program.always || program.whenRun
      ? []
      : program.names.filter((name) => !name.includes("/")),
  );
  const files = [
    ...[".hookline", ".discobot/hooks", ".system/hooks", ".git/hooks"].flatMap(all).flatMap(anywhere),
    ...[
      ...ofProject,
      ...ofPlugins,
      ...registered.ofProject,
      ownFileNames.project,
      ownFileNames.local,
      ".git/config",
    ].flatMap(anywhere),
    ...["hookline.yaml", "hookline.yml", ...["ts", "mts", "js", "mjs"].map((ending) => `hookline.config.${ending}`)],
    ...[configFolder(places), stateFolderOf(places.home, places.environment), places.managed.hookline]
      .map(fromRoot)
      .flatMap(all),
    ...registered.ofUser.map(fromRoot),
    ...[...userFiles(places), ...managedFiles(places.managed)].map(({ path }) => fromRoot(path)),
    ...code
      .flatMap((one) => one.places)
      .flatMap(all)
      .map((path) => `//**/${path}`),
    ...moved
      .filter((path) => !inHome.has(path))
      .map(fromRoot)
      .flatMap(all),
    ...shellFiles.split(" ").map((name) => fromRoot(join(places.home, name))),
    fromRoot(join(places.home, ".gitconfig")),
    ...standIns(places, ["hookline", "hookline-client", "git", "node", ...agentPrograms]),
  ];
  const folders = new Set([
    ...[...ofProject, ...registered.ofProject, ...code.flatMap((one) => one.places)].flatMap(folderOfAgent),
    ...moved
      .map((path) => dirname(path))
      .filter((path) => path !== places.home)
      .map(fromRoot),
  ]);
  return { files: [...new Set(files)], folders: [...folders] };
}

/** Its files need not be there yet: one that appears counts from then on. */
export function selfProtection(places: Places): Hook {
  const code = loadedCode();
  const { files, folders } = protectedPaths(places, code);
  const own = ownPackage();
  return {
    id: "builtin:self_protection",
    name: "self_protection",
    on: { event: ["PreToolUse"] },
    when: {
      any: [
        {
          is: "loosens",
          with: {
            state: stateFolderOf(places.home, places.environment),
            ...(own && { package: own }),
            programs: code.flatMap(({ program }) => program ?? []),
          },
        },
        {
          is: "writes_to",
          with: {
            files,
            folders,
            cautious: true,
            mods: code.flatMap(({ mods }) => mods?.(places) ?? []),
          },
        },
        { is: "brings_lines", with: { folders: lineFolders(places) } },
      ],
    },
    steps: [
      {
        uses: "gate",
        templates: true,
        with: {
          ask: true,
          reason: "This would {{match.does}}.",
        },
        timeout: 5,
        onError: "stop",
      },
    ],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "guard",
    onFailure: "ask",
    priority: 100,
    enabled: true,
    tags: ["built in"],
    summary:
      "asks before a call loosens Hookline, or changes hooks, their settings, agents' plugins, or start files of shells",
    origin: { dialect: "builtin", layer: "user" },
  };
}
