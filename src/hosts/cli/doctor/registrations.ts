/** Whether each agent calls Hookline, on every event that the hooks need, and blocks a guarded event where Hookline is gone (R78, R79). */
import { existsSync } from "node:fs";
import type { AgentAdapter } from "../../../agents/adapter.ts";
import { canaryPrefix } from "../../../agents/canary.ts";
import { agents } from "../../../agents/index.ts";
import { readJournal, readText } from "../../../agents/install/files.ts";
import { guardedEvents } from "../../../agents/install/guarded.ts";
import { launcherOf, launcherText } from "../../../agents/install/launch.ts";
import { guardedFolder } from "../../../agents/install/own-call.ts";
import { editorOf, type OwnEntry } from "../../../agents/install/registration.ts";
import { findAgent } from "../../../agents/install/version.ts";
import type { Hook } from "../../../engine/hook.ts";
import { listensTo } from "../../../engine/plan.ts";
import { word } from "../../../engine/program.ts";
import { counted, listed } from "../../../engine/words.ts";
import { type Area, row } from "./check.ts";
import type { Here, Registered, Unreadable } from "./here.ts";
import { installAgain, isChanged, reinstall } from "./reinstall.ts";

/** What is wrong with one registration: its events, or its files. */
interface Wrong {
  one: Registered;
  what: readonly string[];
}

const ofOne = {
  run: ({ one }: Wrong): string => installAgain(one),
  agent: ({ one }: Wrong): string => one.agent.name,
};
const mends = { ...ofOne, fix: ({ one }: Wrong, here: Here): Promise<string> => reinstall(one, here) };

async function wrongIn(
  here: Here,
  look: (one: Registered, hooks: readonly Hook[]) => readonly string[],
): Promise<Wrong[]> {
  const hooks = await here.hooks();
  return here
    .registrations()
    .registered.map((one) => ({ one, what: look(one, ownHooks(one, hooks, here)) }))
    .filter(({ what }) => what.length > 0);
}

/** Those that the agent does not run itself. */
const ownHooks = ({ agent }: Registered, hooks: readonly Hook[], { places }: Here): Hook[] =>
  hooks.filter(({ enabled, origin: { file, layer } }) => enabled && !(file && agent.readsItself(file, places, layer)));

export const registrations: Area = {
  name: "agents",
  checks: [
    row<Unreadable>("settings-unreadable", {
      is: "bad",
      find: (here) => here.registrations().unreadable.filter(({ isDefaced }) => !isDefaced),
      says: ({ agent: { title }, file, reason }, { show }) => `${show(file)} of ${title} cannot be read: ${reason}`,
      run: ({ file }) => `hookline check ${word(file)}`,
      agent: ({ agent }) => agent.name,
    }),
    row<Unreadable>("own-file-changed", {
      is: "bad",
      find: (here) => here.registrations().unreadable.filter(({ isDefaced }) => isDefaced),
      says: ({ agent: { title }, file }, { show }) =>
        `${show(file)} was changed: no line of it calls Hookline any more, so ${title} runs none of your hooks`,
      run: ({ agent, layer }) => installAgain({ agent, layer, entries: [] }),
      agent: ({ agent }) => agent.name,
    }),
    row("registration-dead", {
      is: "bad",
      find: (here) => wrongIn(here, deadPaths),
      says: ({ one, what }, { show }) =>
        `${one.agent.title} cannot start Hookline any more: ${listed(what.map(show))} ${what.length === 1 ? "is" : "are"} gone (${show(one.file)})`,
      ...mends,
    }),
    row("events-missing", {
      is: "bad",
      find: (here) => wrongIn(here, missingEvents),
      says: ({ one, what }, { show }) =>
        `it is not registered for ${what.join(", ")} (${one.agent.title}, ${show(one.file)})`,
      ...mends,
    }),
    row("guard-open", {
      is: "bad",
      find: (here) =>
        wrongIn(here, (one, hooks) => guardedOf(one, hooks, here, (entry) => entry.overHttp === true && !entry.blocks)),
      says: ({ one, what }) =>
        `a guard waits for ${what.join(", ")}, and ${one.agent.title} lets the call pass where no daemon answers`,
      ...mends,
    }),
    row("guard-vanishes", {
      is: "bad",
      find: (here) =>
        wrongIn(here, (one, hooks) => (isForgetful(one, here) ? guardedOf(one, hooks, here, isUnguarded) : [])),
      says: ({ one, what }, { show }) =>
        `a guard waits for ${what.join(", ")}, and ${one.agent.title} lets the call pass where Hookline is gone (${show(one.file)})`,
      ...mends,
    }),
    row("agent-switched-off", {
      is: "bad",
      find: (here) => wrongIn(here, ({ agent, file }) => editorOf(agent).switchesOff(readText(file), file)),
      says: ({ what }) => listed(what),
      run: ({ one: { file } }) => `hookline check ${word(file)}`,
      agent: ofOne.agent,
    }),
    row("registration-changed", {
      is: "bad",
      find: changedRegistrations,
      says: ({ one }, { show }) =>
        `what ${show(one.file)} registers with ${one.agent.title} is not what install writes: a matcher or another field was changed, and calls may pass unseen`,
      ...ofOne, // a person may have wanted it
    }),
    row("path-of-one-machine", {
      is: "bad",
      find: (here) =>
        wrongIn(here, (one) => (one.layer === "project" ? [...new Set(one.entries.flatMap(pathsIn))] : [])),
      says: ({ one, what }, { show }) =>
        `${show(one.file)} is for a team, and names paths of this machine: ${listed(what)}`,
      ...mends,
    }),
    row("launcher-changed", {
      is: "bad",
      find: (here) =>
        wrongIn(here, ({ layer }) =>
          layer === "project" && readText(launcherOf(here.places.root)) !== launcherText()
            ? [launcherOf(here.places.root)]
            : [],
        ),
      says: ({ what: [file = ""] }, { show }) =>
        existsSync(file)
          ? `${show(file)} is not as this Hookline writes it`
          : `the team's settings start ${show(file)}, and that file is gone`,
      ...mends,
    }),
    row("registered-twice", {
      is: "note",
      find({ registrations: look }) {
        const { registered } = look();
        return registered.filter((one) => registered.find(({ agent }) => agent === one.agent) !== one);
      },
      says: ({ agent, file }, { show }) =>
        `${agent.title} is registered in several layers (${show(file)} too): events without an id, such as Stop, reach Hookline twice`,
      run: ({ agent, layer }) => `hookline uninstall ${agent.name} --layer ${layer}`,
      agent: ({ agent }) => agent.name,
    }),
    row("agent-upgraded", {
      is: "note",
      find: (here) =>
        wrongIn(here, ({ agent, file }) => {
          const before = readJournal(here.state, agent.name, file)?.agentVersion;
          const now = findAgent(agent, here.invocation.environment)?.version;
          return before && now && before !== now ? [before, now] : [];
        }),
      says: ({ one: { agent }, what: [before, now] }) =>
        `${agent.title} was ${before} when it was installed and is ${now} now`,
      run: () => "hookline doctor --fire",
      agent: ofOne.agent,
    }),
    row<AgentAdapter>("agent-silent", {
      is: "note",
      find: silentAgents,
      says: ({ title, settings: { afterInstall } }) =>
        `no event of ${title} has come yet${afterInstall === undefined ? "" : `. ${afterInstall}`}`,
      run: ({ program }) => program.name,
      agent: ({ name }) => name,
    }),
    row<AgentAdapter>("agent-without-hookline", {
      is: "note",
      find: (here) =>
        Object.values(agents).filter(
          (agent) =>
            findAgent(agent, here.invocation.environment) &&
            ![...here.registrations().registered, ...here.registrations().unreadable].some(
              (one) => one.agent === agent,
            ),
        ),
      says: ({ title }) => `${title} is here and does not call Hookline`,
      run: ({ name }) => `hookline install ${name}`,
      agent: ({ name }) => name,
    }),
    row("no-agent", {
      is: "note",
      find: ({ registrations: look, invocation: { environment } }) =>
        look().registered.length + look().unreadable.length === 0 &&
        !Object.values(agents).some((agent) => findAgent(agent, environment))
          ? [Object.keys(agents)[0]]
          : [],
      says: () => "no agent calls Hookline yet",
      run: (name) => `hookline install ${name}`,
    }),
  ],
  good: ({ registrations: look, show, invocation: { environment } }) =>
    look()
      .registered.map(({ agent, layer, file, entries }) => {
        const version = findAgent(agent, environment)?.version;
        const { measured } = agent.program;
        const tried = version === undefined || version === measured ? "" : `, measured with ${measured}`;
        const events = new Set(entries.map(({ event }) => event)).size;
        return `${agent.title}${version ? ` ${version}` : ""} calls Hookline on ${counted(events, "event")} (${layer}: ${show(file)})${tried}`;
      })
      .join("; "),
};

function missingEvents({ agent: { settings }, entries }: Registered, hooks: readonly Hook[]): string[] {
  const wanted = settings.onlyWanted.filter((event) => hooks.some((hook) => listensTo(hook, event)));
  return [...settings.events, ...wanted].filter((event) => !entries.some((one) => one.event === event));
}

/** By what install itself would write. Without a daemon it writes other lines, and what other findings tell is left to them. */
async function changedRegistrations(here: Here): Promise<Wrong[]> {
  if (here.invocation.environment.HOOKLINE_DAEMON === "off") return [];
  const hooks = await here.hooks();
  const changed: Wrong[] = [];
  for (const one of here.registrations().registered) {
    const own = ownHooks(one, hooks, here);
    const isTold =
      deadPaths(one).length > 0 ||
      missingEvents(one, own).length > 0 ||
      guardedOf(one, own, here, isUnguarded).length > 0;
    if (!isTold && (await isChanged(one, here))) changed.push({ one, what: [one.file] });
  }
  return changed;
}

/** The guarded events of entries that a test holds for. What is a person's own guard is not written into a team's file. */
function guardedOf(
  { agent, layer, entries }: Registered,
  hooks: readonly Hook[],
  { places }: Here,
  holds: (entry: OwnEntry) => boolean,
): string[] {
  const counting = layer === "project" ? hooks.filter(({ origin }) => origin.layer === "project") : hooks;
  const guarded = new Set<string>(guardedEvents(agent, counting, places));
  return entries.filter((entry) => guarded.has(entry.event) && holds(entry)).map(({ event }) => event);
}

const isUnguarded = ({ command }: OwnEntry): boolean => command !== undefined && !command.includes(" --guarded;");

/** Guards are noted in the state folder for lines of one machine; a team's lines must say it themselves. */
const isForgetful = ({ layer }: Registered, { state }: Here): boolean =>
  layer === "project" || !existsSync(guardedFolder(state));

/** Absolute paths that a line tries: not what begins with a variable of the agent, or with a folder that the line looks for. */
const pathsIn = ({ command = "" }: OwnEntry): string[] =>
  [...command.matchAll(/-[rxf] "(\/[^"]*)"/g)].map(([, path = ""]) => path);

/** Of a line of which nothing is left that could be started. */
function deadPaths({ entries }: Registered): string[] {
  const dead = entries.find((entry) => pathsIn(entry).length > 0 && !canStart(entry));
  return dead ? [...new Set(pathsIn(dead))].filter((path) => !existsSync(path)) : [];
}

/** A file that is read, or Node and the bin that take the line's place. */
const canStart = ({ command = "" }: OwnEntry): boolean =>
  [...command.matchAll(/-r "([^"]*)"/g)].some(([, file = ""]) => !file.startsWith("/") || existsSync(file)) ||
  [...command.matchAll(/-x "([^"]*)" \] && \[ -f "([^"]*)"/g)].some(([, ...pair]) =>
    pair.every((file) => existsSync(file)),
  );

/** Registered, on the PATH, and never heard of: nothing says that it calls Hookline. */
function silentAgents({ storeLook, registrations: look, invocation: { environment } }: Here): AgentAdapter[] {
  const store = storeLook();
  const here = new Set(look().registered.flatMap(({ agent }) => (findAgent(agent, environment) ? agent : [])));
  if (store.is === "missing") return [...here];
  if (store.is !== "good" || here.size === 0) return [];
  const opened = store.open();
  try {
    const heard = (name: string): boolean =>
      opened.database.get(
        `select 1 from event where sender = ? and coalesce(session, '') not like '${canaryPrefix}%' limit 1`,
        name,
      ) !== undefined;
    return [...here].filter(({ name }) => !heard(name));
  } finally {
    opened.close();
  }
}
