/** Copilot CLI 1.0.102: its files, and what install registers. Loaded on every event. */
import { isAbsolute, join } from "node:path";
import type { AgentEventName, HookEvent } from "../../engine/event.ts";
import type { AgentAdapter, AgentSettings, HookFiles, InstallLayer, OwnedFile, Places } from "../adapter.ts";
import { decode, name, ownNames, runs } from "./payload.ts";
import { capabilities, encode, eventsSent, refuse, verdicts } from "./replies.ts";
import { ownNames as toolNames } from "./tools.ts";

const title = "Copilot CLI";
const ownFile = "hooks/hookline.json";

const copilotFolder = ({ home, environment }: Pick<Places, "home" | "environment">): string => {
  const said = environment?.COPILOT_HOME;
  return said && isAbsolute(said) ? said : join(home, ".copilot");
};

/** Every JSON file of these folders counts, so ours stands beside those of others. */
function fileOf(layer: InstallLayer, places: Places): string {
  return layer === "user" ? join(copilotFolder(places), ownFile) : join(places.root, ".github", ownFile);
}

const timeout = 660;

/** JSON has no comments, and Copilot reads past a key that it does not know. */
const print: OwnedFile["print"] = ({ mark, calls }) => {
  const hooks = Object.fromEntries(
    calls.map(({ event, command }) => [
      ownNames[event as AgentEventName] ?? event, // a key of the table, or there is none
      [{ type: "command", bash: command, timeoutSec: timeout }],
    ]),
  );
  return `${JSON.stringify({ version: 1, comment: mark, hooks }, null, 2).replaceAll("//", "\\/\\/")}\n`;
};

const userCode = ["hooks", "extensions", "plugins", "installed-plugins", "config.json", "settings.json"];

const hookFiles: HookFiles = {
  agent: name,
  format: { name, family: name, tools: toolNames },
  markers: [],
  loads: {
    ofPlugin: [".github/plugin"],
    places: [
      ...[".github/hooks", ".github/extensions", ".github/copilot/settings.json"],
      ...userCode.map((name) => `.copilot/${name}`),
    ],
    moved: (home) => userCode.map((name) => join(copilotFolder(home), name)),
    program: {
      names: ["copilot"],
      commands: { plugin: ["list"], plugins: ["list"] },
      flags: ["--plugin-dir"],
      variables: ["COPILOT_HOME"],
    },
  },
  variables: {
    prefix: "COPILOT",
    given: "to its own",
    namesProject: true,
    others: ["COPILOT_CLI", "COPILOT_HOOK_DIR", "COPILOT_HOME"],
    ofShell: ["COPILOT_CLI"],
    ofSession: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
  },
};

const settings: AgentSettings = {
  file: fileOf,
  layers: ["user", "project"],
  editor: { is: "owned file", print },
  events: eventsSent,
  onlyWanted: [],
  timeout,
  alsoReadBy: { user: ["VS Code"], project: ["VS Code"] },
  switches: {},
  afterInstall:
    "Copilot CLI runs a repository's hooks only in folders that you trust: it asks when you start it there; those of your home always run",
};

/** The end of a session is also its stop. */
function derived(event: HookEvent, id: () => string): HookEvent[] {
  if (event.name !== "SessionEnd") return [];
  const { delivery: _ofTheRequest, ...rest } = event;
  return [{ ...rest, id: id(), name: "SessionStop", accepts: [] }];
}

export const copilot: AgentAdapter = {
  name,
  title,
  program: { name: "copilot", measured: "1.0.102" },
  capabilities,
  verdicts,
  runs,
  sends: new Set<AgentEventName>([...eventsSent, "SessionStop"]),
  decode,
  canary: (_event, { session, cwd }) => ({ sessionId: session, cwd }),
  derived,
  encode,
  refuse,
  files: hookFiles,
  readsItself: () => false,
  settings,
};
