/** What doctor's checks ask about: this place and what is there, looked at once. Looking runs no program and no module. */
import { type AgentAdapter, type InstallLayer, layersOf, type Places } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { readText } from "../../../agents/install/files.ts";
import { modEntries } from "../../../agents/install/mod.ts";
import { editorOf, type OwnEntry } from "../../../agents/install/registration.ts";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { Fields } from "../../../engine/event.ts";
import type { Hook } from "../../../engine/hook.ts";
import { type Loaded, loadAll } from "../../../loading/loading.ts";
import { findProject } from "../../../loading/project.ts";
import type { GitHookHere } from "../../../operations/machine.ts";
import { isOfProject, projectFolders } from "../../../operations/project-folders.ts";
import { trusting } from "../../compose/trust.ts";
import { type Invocation, textFlag } from "../command.ts";
import { daemonHere } from "../daemon/here.ts";
import { gitHookHere } from "../git/hooks.ts";
import { loadingFor, storedAutomations, withAutomations } from "../loaded.ts";
import { stateFolder, storePath } from "../place.ts";
import { safeText, shortPath } from "../terminal.ts";
import { lookAtPostgresHere, type PostgresHere } from "./postgres-look.ts";
import { lookAtStore, type StoreLook } from "./store-look.ts";

/** One settings file of an agent that calls Hookline. */
export interface Registered {
  agent: AgentAdapter;
  layer: InstallLayer;
  file: string;
  entries: readonly OwnEntry[];
}
/** A settings file that cannot be read, or a file of ours that is ours no more. */
export interface Unreadable {
  agent: AgentAdapter;
  layer: InstallLayer;
  file: string;
  reason: string;
  /** It is a file of ours, and calls Hookline no more. */
  isDefaced?: true;
}

export interface Here {
  invocation: Invocation;
  /** The state folder, and the store's file. */
  state: string;
  store: string;
  places: Places;
  /** A path as a person would say it. */
  show(path: string): string;
  /** Of the files of this place, without what modules would add. Never rejects. */
  loaded(): Promise<Loaded>;
  /** The same, with the automations of the store where it can be read. */
  hooks(): Promise<readonly Hook[]>;
  storeLook(): StoreLook;
  /** By its own status; undefined: none is running. */
  daemon(): Promise<Fields | undefined>;
  /** Undefined: no Postgres is a store here. Never rejects. */
  postgres(): Promise<PostgresHere | undefined>;
  /** Git's own hook here; null: there is no repository. */
  gitHook(): GitHookHere | null;
  registrations(): { registered: readonly Registered[]; unreadable: readonly Unreadable[] };
}

export function hereFor(invocation: Invocation): Here {
  const { home, environment, cwd } = invocation;
  const state = stateFolder(invocation);
  const store = storePath(invocation, textFlag(invocation.flags, "store"));
  const places = { home, root: findProject(cwd, home).root, environment };
  const place = { cwd, home, environment, withoutModules: true } as const;
  const loading = loadingFor();
  const loaded = once(() => loadAll({ ...place, ...trusting(place) }, loading));
  const storeLook = once(() => lookAtStore(invocation, store));
  const daemon = once(() => daemonHere(store));
  const folders = projectFolders(invocation);
  return {
    ...{ invocation, state, store, places, loaded, storeLook, daemon },
    show: (path) => safeText(shortPath(path, cwd, home)),
    hooks: once(async () => {
      const files = await loaded();
      const look = storeLook();
      if (look.is !== "good") return files.set.hooks;
      const opened = look.open();
      try {
        const stored = storedAutomations({ place, store: opened, loading, loaded: files, complain() {} });
        return (await withAutomations(files, stored)).set.hooks.filter((hook) => isOfProject(hook, folders));
      } finally {
        opened.close();
      }
    }),
    postgres: once(() => lookAtPostgresHere(invocation, { daemon, storeLook })),
    gitHook: once(() => gitHookHere(invocation)),
    registrations: once(() => registrationsAt(places)),
  };
}

function registrationsAt(places: Places): ReturnType<Here["registrations"]> {
  const registered: Registered[] = [];
  const unreadable: Unreadable[] = [];
  for (const agent of Object.values(agents))
    for (const layer of layersOf(agent)) {
      const file = agent.settings.file(layer, places);
      if ([...registered, ...unreadable].some((one) => one.agent === agent && one.file === file)) continue;
      try {
        const [editor, text] = [editorOf(agent), readText(file)];
        const entries = [...editor.read(text, file), ...modEntries({ agent, layer, places })];
        if (entries.length > 0) registered.push({ agent, layer, file, entries });
        else if (editor.isDefaced(text)) unreadable.push({ agent, layer, file, reason: "", isDefaced: true });
      } catch (error) {
        const { reason, where } = error instanceof HooklineError ? error.facts : {};
        const said = reason === undefined ? messageOf(error) : `${String(reason)} — ${String(where)}`;
        unreadable.push({ agent, layer, file, reason: said });
      }
    }
  return { registered, unreadable };
}

function once<T>(look: () => T): () => T {
  let looked: { at: T } | undefined;
  return () => {
    looked ??= { at: look() };
    return looked.at;
  };
}
