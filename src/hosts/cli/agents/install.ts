/** hookline install and uninstall: edits the agent's own settings, keeps everything else in them, and is undone exactly. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type AgentAdapter, type InstallLayer, installLayers, layersOf } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { type Clients, chooseClient, httpToken, prepareClient, removeUnused } from "../../../agents/install/client.ts";
import { guardedEvents, notedEvents, noteGuards } from "../../../agents/install/guarded.ts";
import { type InstallResult, installAgent, uninstallAgent } from "../../../agents/install/install.ts";
import type { ModUse } from "../../../agents/install/mod.ts";
import { onDemandFile } from "../../../agents/install/own-call.ts";
import type { HttpRegistration } from "../../../agents/install/registration.ts";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import { inputOfCall, rowOf } from "../../../engine/events.ts";
import { type Hook, isBuiltIn } from "../../../engine/hook.ts";
import { nearest } from "../../../engine/nearest.ts";
import { listensTo } from "../../../engine/plan.ts";
import { endsAfter } from "../../../loading/budgets.ts";
import { loadAll } from "../../../loading/loading.ts";
import { findProject } from "../../../loading/project.ts";
import { trusting } from "../../compose/trust.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { buildVersion, type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { endDaemon } from "../daemon/lock.ts";
import { portToCome, servesAgents } from "../daemon/port.ts";
import { loadingFor } from "../loaded.ts";
import { showEdit } from "../patch-lines.ts";
import { stateFolder, storePath } from "../place.ts";
import { safeText, shortPath } from "../terminal.ts";
import { programRegistered, programToRegister } from "./clone-bundle.ts";

export async function install(invocation: Invocation): Promise<ExitCode> {
  const { agent, layer } = target(invocation, "install");
  const { set, root } = await loadAll({ ...invocation, ...trusting(invocation) }, loadingFor(invocation));
  const isDry = invocation.flags["dry-run"] === true;
  const { plan, client, door, perform } = await planInstall(invocation, { agent, layer, hooks: set.hooks, root });
  const result = isDry ? { ...plan, client } : await perform();
  report(invocation, result, {
    done: `${agent.title} now calls Hookline: ${place(invocation, result.file)}`,
    same: `nothing to do: ${agent.title} already calls Hookline (${place(invocation, result.file)})`,
    client: door ? `${door}; for other events: ${result.client}` : result.client,
    next: `Next: ${nextStep(set.hooks.filter((hook) => !isBuiltIn(hook)).length)}. To undo: run \`hookline uninstall ${agent.name} --layer ${layer}\``,
  });
  return 0;
}

export interface Wanted {
  agent: AgentAdapter;
  layer: InstallLayer;
  /** All that are active here, or will be. */
  hooks: readonly Hook[];
  root: string;
}

export interface PlannedInstall {
  plan: InstallResult;
  /** What the agent will start on each event, in words. */
  client: string;
  /** How it reaches the daemon, in words. Absent: by its client alone. */
  door?: string;
  /** Does it. Throws HooklineError settings_unusable; nothing is written then. */
  perform(): Promise<InstallResult & { client: string }>;
}

/** What registering with an agent would change, and the way to do it. Throws HooklineError. */
export async function planInstall(
  invocation: Invocation,
  { agent, layer, hooks, root }: Wanted,
): Promise<PlannedInstall> {
  const places = { home: invocation.home, root, environment: invocation.environment };
  const ours = hooks.filter(
    ({ origin: { file, layer: of } }) => file === undefined || !agent.readsItself(file, places, of),
  );
  const wanted = [...new Set(ours.flatMap(({ on }) => ("event" in on ? on.event : [])))];
  const state = stateFolder(invocation);
  const door = invocation.flags.http === true ? await daemonsDoor(invocation, { agent, layer, ours }) : undefined;
  const guarded =
    layer === "project"
      ? guardedEvents(agent, ours.filter(isOfTeam), places)
      : [...guardedEvents(agent, ours, places), ...notedEvents(agent, state)];
  const options = { agent, layer, places, stateFolder: state, ...(door && { http: door }), wanted, guarded };
  const mod = modWanted(invocation, { agent, layer });
  const planned = { ...options, takeOver: invocation.flags["take-over"] === true, ...(mod && { mod }) };
  const isDry = invocation.flags["dry-run"] === true;
  const self = [realpathSync(invocation.self[0]), invocation.self[1]] as const;
  const agentProgram = isDry ? { program: programRegistered(self), notes: [] } : programToRegister(self);
  const clients = clientsOf(invocation, { state, port: door?.port, program: agentProgram.program });
  const chosen = chooseClient(clients);
  const plan = installAgent({ ...planned, tries: chosen.tries, dryRun: true }); // refused before anything is written
  return {
    plan,
    client: chosen.because,
    ...(door && { door: door.words }),
    async perform() {
      const client = prepareClient(clients, chosen);
      const result = installAgent({ ...planned, tries: client.tries });
      noteGuards({ stateFolder: state, root, hooks, places });
      removeUnused(state, { daemonWanted: invocation.environment.HOOKLINE_DAEMON !== "off" });
      result.notes.push(
        ...agentProgram.notes,
        ...(door ? tokenNotes(result.file) : []),
        ...(await endUnwanted(invocation)),
      );
      return { ...result, client: client.because };
    },
  };
}

/** Throws HooklineError usage. */
function modWanted({ flags }: Invocation, { agent, layer }: Pick<Wanted, "agent" | "layer">): ModUse | undefined {
  const flag = flags["mod-alone"] === true ? "--mod-alone" : flags.mod === true ? "--mod" : undefined;
  if (flag === undefined) return undefined;
  const { mod } = agent.settings;
  if (!mod) throw usageError(`${agent.title} has no mods`, `install AGENT, without ${flag}`);
  if (layer !== mod.layer)
    throw usageError(
      `${agent.title} loads mods of the ${mod.layer} layer only`,
      `install AGENT ${flag} --layer ${mod.layer}`,
    );
  return flag === "--mod" ? "beside" : "alone";
}

/** What is a person's own does not go into a file that others share. */
const isOfTeam = ({ origin }: Hook): boolean => origin.layer === "project";

const nextStep = (hooks: number): string =>
  hooks === 0
    ? "no hook is active here yet, so write one in .hookline/hooks.json"
    : `\`hookline list\` shows the ${hooks === 1 ? "active hook" : `${hooks} active hooks`}`;

interface ClientPlace {
  state: string;
  port: number | undefined;
  program: readonly [string, string];
}

function clientsOf({ environment }: Invocation, { state, port, program }: ClientPlace): Clients {
  return { stateFolder: state, environment, program, version: buildVersion(), ...(port !== undefined && { port }) };
}

/** Who can read the token can send the daemon events that never happened. */
function tokenNotes(file: string): string[] {
  const folders: string[] = [];
  for (let one = dirname(file); one !== dirname(one); one = dirname(one)) folders.push(one);
  const isOpen = (statSync(file).mode & 0o044) !== 0 && folders.every((one) => (statSync(one).mode & 0o011) !== 0);
  return isOpen
    ? [`other users of this machine can read ${file}, which now holds a token: run \`chmod 600\` on it`]
    : [];
}

interface Asked {
  agent: AgentAdapter;
  layer: InstallLayer;
  ours: readonly Hook[];
}

/** How the agent tells the daemon over HTTP. Throws HooklineError usage. */
async function daemonsDoor(
  invocation: Invocation,
  { agent, layer, ours }: Asked,
): Promise<HttpRegistration & { words: string }> {
  const { overHttp } = agent;
  if (!overHttp) throw usageError(`${agent.title} cannot send events over HTTP`, "install AGENT, without --http");
  const why = agent.settings.withoutHttp?.[layer];
  if (why !== undefined) throw usageError(`--http ${why}`, "install AGENT --http, in the user layer");
  if (invocation.environment.HOOKLINE_DAEMON === "off")
    throw usageError("--http needs the daemon, but HOOKLINE_DAEMON is off", "install AGENT, without --http");
  const named = textFlag(invocation.flags, "store");
  const store = storePath(invocation, named);
  if (!servesAgents(invocation, store)) {
    const [by, otherwise] =
      named === undefined
        ? [" (HOOKLINE_STORE)", "install AGENT, without --http or without HOOKLINE_STORE"]
        : ["", "install AGENT --http, without --store"];
    const words = `${place(invocation, store)}${by} is not the store of the daemon that agents reach over HTTP`;
    throw usageError(words, otherwise);
  }
  const running = runningDaemon(daemonFilesOf(store));
  const port = running?.port ?? (await portToCome(invocation, store));
  const guards = ours.filter((hook) => hook.enabled && hook.onFailure === "block");
  const events = [...agent.settings.events, ...agent.settings.onlyWanted];
  const start = running ? "" : "; no daemon is running yet: the first event or `hookline up` starts it";
  const isDry = invocation.flags["dry-run"] === true;
  return {
    port,
    token: isDry ? "(made by install)" : httpToken(stateFolder(invocation)),
    takes: (event) => events.some((one) => one === event && overHttp(one)),
    timeoutOf: (event) => {
      const [name] = events.filter((one) => one === event);
      if (!name || inputOfCall(rowOf(name)) === undefined) return agent.settings.timeout; // a check of a Stop may take long
      const waited = ours.filter((hook) => hook.enabled && hook.mode === "sync" && listensTo(hook, name));
      return Math.ceil(Math.max(answersAtLeast, ...waited.map(endsAfter)) + atLeastMore);
    },
    blocks: (event) => events.some((one) => one === event && guards.some((guard) => listensTo(guard, one))),
    words: `the agent sends its events to the daemon, at http://127.0.0.1:${port}${start}`,
  };
}

/** Seconds: a call that has not happened yet waits for the longest limit of its hooks, or for the first, and for the second (R50). */
const answersAtLeast = 30;
const atLeastMore = 5;

export async function uninstall(invocation: Invocation): Promise<ExitCode> {
  const { agent, layer } = target(invocation, "uninstall");
  const { root } = findProject(invocation.cwd, invocation.home);
  const result = uninstallAgent({
    agent,
    layer,
    places: { home: invocation.home, root, environment: invocation.environment },
    stateFolder: stateFolder(invocation),
    dryRun: invocation.flags["dry-run"] === true,
  });
  if (invocation.flags["dry-run"] !== true) {
    removeUnused(stateFolder(invocation), { daemonWanted: true });
    result.notes.push(...(await endUnwanted(invocation)));
  }
  report(invocation, result, {
    done: `${agent.title} no longer calls Hookline: ${place(invocation, result.file)}`,
    same: `nothing to do: ${agent.title} does not call Hookline from ${place(invocation, result.file)}`,
    next: "",
  });
  return 0;
}

/** The daemon that a client has started, once no client may start one any more. Never rejects: what was asked for is done. */
async function endUnwanted(invocation: Invocation): Promise<string[]> {
  if (existsSync(onDemandFile(stateFolder(invocation)))) return [];
  const files = daemonFilesOf(storePath(invocation, undefined));
  const daemon = runningDaemon(files);
  if (daemon?.onDemand !== true) return [];
  try {
    await endDaemon(daemon, files.state);
    return [
      `the daemon that was started on demand has stopped (process ${daemon.pid}); \`hookline up\` starts one that stays`,
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

const place = ({ cwd, home }: Invocation, file: string): string => shortPath(file, cwd, home);

function target(
  { words, flags, usage }: Invocation,
  command: "install" | "uninstall",
): { agent: AgentAdapter; layer: InstallLayer } {
  const [name] = words;
  if (name === undefined) throw usageError(`missing argument AGENT: use ${Object.keys(agents).join(", ")}`, usage);
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (!agent) {
    throw new HooklineError("agent_unknown", {
      name,
      where: `hookline ${command}`,
      near: nearest(name, Object.keys(agents)),
      known: Object.keys(agents).join(", "),
    });
  }
  const given = textFlag(flags, "layer") ?? "user";
  const layer = installLayers.find((one) => one === given);
  if (!layer) throw usageError(`no layer is called "${given}": use ${installLayers.join(", ")}`, usage);
  const has = layersOf(agent);
  if (!has.includes(layer))
    throw usageError(`there is no ${layer} layer in ${agent.title}: use ${has.join(" or ")}`, usage);
  return { agent, layer };
}

function report(
  invocation: Invocation,
  result: InstallResult,
  words: { done: string; same: string; client?: string; next: string },
): void {
  const { terminal, json, flags } = invocation;
  const dry = flags["dry-run"] === true;
  if (json) {
    terminal.print(JSON.stringify({ ...result, ...(words.client && { client: words.client }), dryRun: dry }));
    return;
  }
  if (dry && result.changed) for (const edit of [result, ...result.others]) showEdit(edit, invocation);
  else terminal.print(result.changed ? words.done : words.same);
  if (words.client) terminal.print(`  client: ${safeText(words.client)}`);
  for (const note of result.notes) terminal.print(`  note: ${safeText(note)}`);
  if (!dry && result.changed && words.next) terminal.print(words.next);
}
