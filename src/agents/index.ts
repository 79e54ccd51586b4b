/** The agents that Hookline speaks to, and where Hookline's own hook files lie. A new agent is a folder and a row; the hot path imports this, so no row may load an editor. */

import { isAbsolute, join } from "node:path";
import type { AgentEventName, Fields, Figures, HookEvent } from "../engine/event.ts";
import type { Hook } from "../engine/hook.ts";
import type { AgentConventions, ProgramFacts } from "../engine/ports.ts";
import type { CallReports } from "../engine/receipt.ts";
import type { AgentAdapter, HookFiles, InstallLayer, LoadedCode, Places, ProgramVariables } from "./adapter.ts";
import { claudeCode } from "./claude-code/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { copilot } from "./copilot/adapter.ts";
import { droid } from "./droid/adapter.ts";
import { gemini } from "./gemini/adapter.ts";
import { hookFiles as genCode } from "./gencode/files.ts";
import { opencode } from "./opencode/adapter.ts";
import { otherCode } from "./other-code.ts";
import { pi } from "./pi/adapter.ts";
import { qwen } from "./qwen/adapter.ts";

/** By the word after `hookline hook`, which is also the sender of their events: `agentNamed`. A new agent is a row here. */
export const agents: Record<string, AgentAdapter> = {
  [claudeCode.name]: claudeCode,
  [codex.name]: codex,
  [qwen.name]: qwen,
  [copilot.name]: copilot,
  [gemini.name]: gemini,
  [opencode.name]: opencode,
  [pi.name]: pi,
  [droid.name]: droid,
};

/** Undefined: there is no adapter for it. */
export const agentNamed = (name: string | undefined): AgentAdapter | undefined =>
  name !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;

/** The hook files of all agents, and of tools that have no adapter. The names of earlier ones are plainer. */
export const hookFiles = (): readonly HookFiles[] => [...Object.values(agents).map(({ files }) => files), genCode];

/** What loads code into any agent when it starts. */
export const loadedCode = (): readonly LoadedCode[] => [
  ...hookFiles().flatMap(({ loads, movedBy = [] }) => {
    if (loads?.program === undefined) return loads ?? [];
    const variables = [...ownFolders, ...movedBy, ...(loads.program.variables ?? [])];
    return { ...loads, program: { ...loads.program, variables } };
  }),
  ...otherCode,
];

/** They move Hookline's own folders, of which an agent's hook then finds none. */
const ownFolders: readonly string[] = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOOKLINE_[A-Z]+", "LD_PRELOAD"];

/** Environment variables that say where hook files lie. */
export const placeVariables = (): string[] => [
  "XDG_CONFIG_HOME",
  ...hookFiles().flatMap(({ movedBy }) => movedBy ?? []),
];

/** What agents without an adapter here call their tools: these match too (R11), so a matcher that names one is no mistake. */
const otherTools = (
  "run_shell_command write_file read_file glob grep_search search_file_content list_directory web_fetch bash edit task write list " +
  "fetch Shell Delete Execute Create ApplyPatch execute_bash developer__shell run_in_terminal exec"
).split(" ");

/** Every tool's name that is known to exist, for warnings about matchers that mean none of them. */
export const toolNames = (): readonly string[] => [
  ...new Set([...hookFiles().flatMap(({ format }) => format.tools ?? []), ...otherTools]),
];

/** What the variables of agents without an adapter begin with. */
const otherPrefixes: readonly string[] = ["CURSOR"];

const variableTables = (): ProgramVariables[] => hookFiles().flatMap(({ variables }) => variables ?? []);

const prefixOf = (variable: string): string => variable.slice(0, Math.max(0, variable.indexOf("_")));

/** How agents name to programs what Hookline tells them. */
export const conventions: AgentConventions = {
  variables(facts) {
    const named: Record<string, string> = {};
    for (const { agent, variables } of hookFiles()) {
      if (!variables || !isGiven(variables, agent, facts)) continue;
      for (const [name, fact] of Object.entries(programVariables)) {
        const value = facts[fact];
        if (value !== undefined) named[`${variables.prefix}_${name}`] = value;
      }
    }
    return named;
  },
  projectFolder(environment) {
    const names = hookFiles().flatMap(({ variables }) => (variables?.namesProject ? variables.prefix : []));
    return names.map((prefix) => environment[`${prefix}_PROJECT_DIR`]).find((folder) => folder !== undefined);
  },
  projectVariables: () =>
    variableTables().flatMap(({ prefix, namesProject }) => (namesProject ? `${prefix}_PROJECT_DIR` : [])),
  kindOf(variable) {
    const prefix = prefixOf(variable);
    if (variableTables().some((table) => table.prefix === prefix)) return "given";
    return otherPrefixes.includes(prefix) ? "own" : undefined;
  },
  isSessionSecret: (variable) =>
    /SOCKET|MESSAGING|TOKEN/.test(variable) &&
    conventions.kindOf(variable) !== undefined &&
    (/_.*(SOCKET|MESSAGING|SESSION_.*TOKEN)/.test(variable) ||
      variableTables().some(({ secrets }) => secrets?.test(variable))),
  abilityFolders: () => hookFiles().flatMap(({ abilities }) => abilities ?? []),
};

/** Whether a variable is of one call or session of an agent: what outlives that starts without it. */
export const isOfSession = (variable: string): boolean =>
  conventions.isSessionSecret(variable) ||
  variableTables().some(
    ({ prefix, ofSession = [] }) =>
      ofSession.includes(variable) ||
      (prefixOf(variable) === prefix && ofOneCall.has(variable.slice(prefix.length + 1))),
  );
const ofOneCall: ReadonlySet<string> = new Set(
  "PROJECT_DIR SESSION_ID TOOL_NAME EVENT EVENT_TYPE RUN_ID HOOK_ID ENV_FILE PLUGIN_ROOT RUN_COOKIE".split(" "),
);

/** Shells of agents without an adapter here that say so, each by one variable. */
const otherShells: readonly string[] = ["AI_AGENT", "CURSOR_AGENT"];

/** The variable by which an environment is that of an agent's shell, and so not a person's; undefined: none says so. */
export const shellOfAgent = (environment: Readonly<Record<string, string | undefined>>): string | undefined =>
  [...variableTables().flatMap(({ ofShell }) => ofShell ?? []), ...otherShells].find((name) => environment[name]);

/** The agent whose program a process runs, by its title; undefined: none that is known. @param words its program and what follows */
export function agentOfProgram(words: readonly string[]): string | undefined {
  const [first = "", second = ""] = words;
  const named = interpreters.test(first) ? [first, second] : [first];
  const parts = named.flatMap((word) => {
    const inPackage = word.split("/node_modules/").at(-1)?.split("/") ?? [];
    return word.includes("/node_modules/") ? inPackage : inPackage.slice(-1);
  });
  return Object.values(agents).find(({ program: { name } }) =>
    parts.some((part) => [name, `${name}.js`, `${name}-cli`, `${name}-code`].includes(part)),
  )?.title;
}
const interpreters = /(?:^|\/)(?:node|nodejs|bun|deno)$/;

/**
 * Whether no person can answer a question about this event: HOOKLINE_HEADLESS says so, 1 or 0; else what the agent itself tells.
 */
export function isHeadless(event: HookEvent, environment: Readonly<Record<string, string | undefined>>): boolean {
  const { HOOKLINE_HEADLESS: said = "" } = environment;
  if (said !== "") return !/^(0|false|no)$/i.test(said);
  return agentNamed(event.sender)?.isHeadless?.(event, environment) ?? false;
}

/** What the sender of an event reports of its calls; undefined: it is no agent. */
export function reportsOf(event: HookEvent): CallReports | undefined {
  const agent = agentNamed(event.sender);
  if (!agent) return undefined;
  const { title, reports } = agent;
  if (!reports) return { failures: "perhaps refused", silent: () => `${title} does not report what became of a call` };
  return event.data.command_source === undefined && event.data.hook_event_name === undefined
    ? reports
    : { ...reports, silent: () => `${title} does not report whether this ran` }; // a line in words for a model, and an event newer than its table
}

/** What hooks' programs find in their environment of agents, for warnings about names that nothing sets. */
export const agentVariables: { prefixes(): readonly string[]; isSet(variable: string): boolean } = {
  prefixes: () => variableTables().map(({ prefix }) => prefix),
  isSet: (variable) =>
    variableTables().some(
      ({ prefix, others = [] }) =>
        (prefixOf(variable) === prefix && Object.hasOwn(programVariables, variable.slice(prefix.length + 1))) ||
        others.some((one) => (one.endsWith("_") ? variable.startsWith(one) : variable === one)),
    ),
};

const isGiven = ({ given, prefix }: ProgramVariables, agent: string | undefined, facts: ProgramFacts): boolean =>
  given === "always" || (given === "if asked" ? facts.asked === prefix.toLowerCase() : facts.sender === agent);

/** What follows an agent's prefix, and which fact it holds. */
const programVariables = {
  PROJECT_DIR: "project",
  SESSION_ID: "session",
  TOOL_NAME: "tool",
  EVENT_TYPE: "event",
  PLUGIN_ROOT: "plugin",
} as const satisfies Record<string, keyof ProgramFacts>;

/** What the sender's own files say of the conversation. An event from elsewhere may name a transcript of any agent's. */
export function figuresOf(
  event: HookEvent,
  needs: ReadonlySet<string>,
  windows: Readonly<Record<string, number>>,
): Figures | undefined {
  const sender = agentNamed(event.sender);
  if (sender) return sender.figures?.(event, needs, windows);
  for (const agent of Object.values(agents)) {
    const figures = agent.figures?.(event, needs, windows);
    if (figures) return figures;
  }
  return undefined;
}

/** Every event that some agent sends: a hook on another one waits for embedders, or for `emit`. */
export const sendableEvents = (): ReadonlySet<AgentEventName> =>
  new Set(Object.values(agents).flatMap(({ sends }) => [...sends]));

/** Why this hook is not ours to run for this sender, if its file is one that the agent reads itself (R35). */
export function runByAgent({ origin }: Hook, sender: string, places: Places): string | undefined {
  const agent = agentNamed(sender);
  if (!agent || !origin.file) return undefined;
  const itself = origin.agent === agent.name || agent.readsItself(origin.file, places, origin.layer);
  return itself ? `run by the agent itself: ${agent.title} reads ${origin.file}` : undefined;
}

/** Why the agent whose file a hook stands in would ignore what its program has answered; undefined: it would not, or none is known. */
export function ignoredByAgent(
  hook: Hook,
  answer: Fields,
  { event, places }: { event: HookEvent["name"]; places: Places },
): string | undefined {
  for (const { name, title, ignores } of Object.values(agents)) {
    const why = ignores?.(answer, event);
    if (why !== undefined && runByAgent(hook, name, places)) return `${title} ignores this answer: ${why}`;
  }
  return undefined;
}

/**
 * As runByAgent, in a process that stays, where one hook is asked about on every event: paths are looked at once for a hook as it was
 * loaded, an agent's folders and an environment.
 */
export function rememberRunByAgent(): typeof runByAgent {
  const known = new WeakMap<Hook, { sender: string; places: Places; answer: string | undefined }>();
  return (hook, sender, places) => {
    const last = known.get(hook);
    if (last && last.sender === sender && isSamePlace(last.places, places)) return last.answer;
    const answer = runByAgent(hook, sender, places);
    known.set(hook, { sender, places, answer });
    return answer;
  };
}

const isSamePlace = (left: Places, right: Places): boolean =>
  left.environment === right.environment && left.root === right.root && left.home === right.home;

type Home = Pick<Places, "home" | "environment">;

/** The specification of these variables says that a relative path in them counts as none. */
const folderOr = (value: string | undefined, otherwise: string): string =>
  value && isAbsolute(value) ? value : otherwise;

/** Hookline's own folder of the user. */
export const configFolder = ({ home, environment }: Home): string =>
  join(folderOr(environment?.XDG_CONFIG_HOME, join(home, ".config")), "hookline");

/** By the folder that they lie in: the user's is `configFolder`, the others' is a folder of the project. */
export const ownFileNames: { readonly [L in InstallLayer]: string } = {
  user: "hooks.json",
  project: ".hookline/hooks.json",
  local: ".hookline/hooks.local.json",
};

/** Our hook file of the layer, where taken over hooks go. */
export const hookFileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? configFolder(places) : places.root, ownFileNames[layer]);
