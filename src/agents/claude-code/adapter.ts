/** Claude Code 2.1.332: its files, its payloads, and what install registers. Its replies are in replies.ts. Loaded on every event. */

import { isAbsolute, join, resolve, sep } from "node:path";
import type { AgentEventName, Fields, HookEvent } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Layer } from "../../engine/hook.ts";
import { isRecord } from "../../engine/schema.ts";
import { tools } from "../../engine/tools.ts";
import { ownText } from "../../files/own-files.ts";
import { realOf } from "../../files/paths.ts";
import {
  type AgentAdapter,
  type AgentSettings,
  type DecodeOptions,
  type HookFiles,
  type InstalledPlugin,
  type InstallLayer,
  installLayers,
  type Places,
} from "../adapter.ts";
import { printOwnFile } from "../in-process/own-file.ts";
import { agentIn, deliveryOf, eventNamed, fieldsOf, placeOf, stopAtEnd, textOf } from "../payload.ts";
import { refuseByExit } from "../replies.ts";
import { encode, encodeForHttp, overHttp, refuseOverHttp, replies } from "./replies.ts";
import { transcriptFigures } from "./transcript.ts";

type Home = Pick<Places, "home" | "environment">;

/** The variable's specification says that a relative path in it counts as none. */
export const claudeFolder = ({ home, environment }: Home): string => {
  const said = environment?.CLAUDE_CONFIG_DIR;
  return said && isAbsolute(said) ? said : join(home, ".claude");
};

const fileNames: { readonly [L in InstallLayer]: string } = {
  user: "settings.json",
  project: ".claude/settings.json",
  local: ".claude/settings.local.json",
};

/** The settings file of a layer, where install writes. */
const settingsFileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? claudeFolder(places) : places.root, fileNames[layer]);

const managedElsewhere: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};
const managedUsually = "/etc/claude-code";

const otherTools =
  "AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash " +
  "KillShell LSP ListMcpResourcesTool Monitor ReadMcpResourceTool SendMessage StructuredOutput TaskCreate TaskGet TaskList " +
  "TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch";
/** Those of 2.1.330 and its earlier versions: with a pattern of their own, and the others. */
const toolNames = [...Object.keys(tools), ...otherTools.split(" ")];

const format = { name: "claude", family: "claude", tools: toolNames, ignoresFlat: "Claude Code" };

/**
 * Claude Code's registry of plugins: `{version: 2, plugins: {"name@market": [{scope, installPath, projectPath?}]}}`, in version 1
 * one record where the list is now. Seen in public code; not documented.
 */
function readRegistry({ plugins }: Readonly<Record<string, unknown>>): InstalledPlugin[] {
  return Object.entries(isRecord(plugins) ? plugins : {}).map(([name, entries]) => ({
    name,
    installs: (Array.isArray(entries) ? entries : [entries])
      .filter(isRecord)
      .flatMap(({ installPath, projectPath }) =>
        typeof installPath !== "string" || !isAbsolute(installPath)
          ? []
          : projectPath === undefined
            ? { path: installPath }
            : { path: installPath, project: String(projectPath) },
      ),
  }));
}

const lineFolders = ["skills", "commands", "agents"];
const readsPlugins = ["list", "validate", "test", "details", "help"];

const hookFiles: HookFiles = {
  agent: "claude-code",
  format,
  user: (home) => ({ path: join(claudeFolder(home), fileNames.user), label: "~/.claude/settings.json" }),
  project: fileNames.project,
  local: fileNames.local,
  managed: { folder: (platform) => managedElsewhere[platform] ?? managedUsually, file: "managed-settings.json" },
  movedBy: ["CLAUDE_CONFIG_DIR"],
  markers: [".claude"],
  isNamed: (path) => /(^|\/)(settings[^/]*|managed-settings)\.json$/.test(path),
  plugins: {
    format: { ...format, name: "plugin", bareEvents: true, ofPlugin: true as const },
    files: [{ name: "hooks/hooks.json" }, { name: ".claude-plugin/plugin.json", isManifest: true }],
    registry: { path: (home) => join(claudeFolder(home), "plugins", "installed_plugins.json"), read: readRegistry },
  },
  loads: {
    places: [".claude/plugins", ".claude/dev-mods", ".claude/hooks"],
    ofPlugin: [".claude-plugin"],
    moved: (home) => ["plugins", "dev-mods"].map((name) => join(claudeFolder(home), name)),
    mods: (home) => [join(claudeFolder(home), "skills")],
    lines: {
      folders: lineFolders.map((one) => `.claude/${one}`),
      moved: (home) => lineFolders.map((one) => join(claudeFolder(home), one)),
      forms: ["quoted", "fenced"],
    },
    program: {
      names: ["claude", "claude-code"],
      commands: { plugin: readsPlugins, plugins: readsPlugins },
      flags: ["--plugin-dir", "--plugin-url", "--bare", "--safe-mode", "--settings", "--setting-sources"],
      says: ["disableAllHooks"],
      variables: ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"],
    },
  },
  abilities: [
    { folder: ".claude/skills", holds: "skills" },
    { folder: ".claude/agents", holds: "agents" },
    { folder: ".claude/commands", holds: "commands" },
  ],
  variables: {
    prefix: "CLAUDE",
    given: "always",
    namesProject: true,
    others: [
      "CLAUDE_PLUGIN_DATA",
      "CLAUDE_ENV_FILE",
      "CLAUDE_PID",
      "CLAUDE_EFFORT",
      "CLAUDE_CONFIG_DIR",
      "CLAUDE_CODE_", // entry point, session, remote: there are more with each version
    ],
    ofShell: ["CLAUDECODE"], // its editors' terminals, which people type in, have CLAUDE_CODE_SSE_PORT
    ofSession: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SSE_PORT"],
    secrets: /^CLAUDE_CODE_(?!OAUTH_).*TOKEN$/, // not the account: a hook that starts the agent again needs that
  },
};

/** Claude Code reads no parent folders: its project is the folder that it names to its hooks. */
function readsItself(file: string, given: Places, layer: Layer): boolean {
  const path = realOf(file);
  const places = { ...given, root: given.environment?.CLAUDE_PROJECT_DIR ?? given.root };
  const own = installLayers.find((one) => one === layer);
  if (own) return realOf(settingsFileOf(own, places)) === path;
  if (managedFolders.some((folder) => isBelow(path, resolve(folder)))) return path.endsWith(".json");
  return isBelow(path, realOf(join(claudeFolder(places), "plugins"))) && path.endsWith(".json");
}
/** Of every platform: a path of another one simply does not occur. */
const managedFolders: readonly string[] = [managedUsually, ...Object.values(managedElsewhere)];

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder + sep);

const name = "claude-code";
const where = `the payload of ${name}`;

function decode(wire: unknown, options: DecodeOptions): HookEvent[] {
  const { session_id, cwd, hook_event_name, ...data } = fieldsOf(wire, where);
  const event = eventNamed(hook_event_name ?? options.event, where);
  const session = textOf(session_id);
  const isShell = rowOf(event).matchTool === true && data.tool_name === shellToo;
  return [
    {
      id: options.id(),
      name: event,
      at: options.at,
      ...placeOf({ session, cwd, given: options.cwd, where }),
      data: { ...filledIn[event]?.(data), ...data, ...(isShell && { tool_name: "Bash" }) },
      sender: name,
      accepts: replies.capabilities[event] ?? [],
      ...(isShell && { nativeTool: shellToo }),
      ...agentIn(data),
      ...deliveryOf(event, { session, happening: happeningOf(event, data), by: options.registration }),
    },
  ];
}

/** It runs its command as Bash does, in the background. */
const shellToo = "Monitor";

/** What hooks of specification 003 look for and Claude Code says otherwise; what it says itself stays. */
const filledIn: { readonly [N in AgentEventName]?: (data: Fields) => Fields } = {
  // It is sent for those that came to their end; a failed subagent has an event of its own.
  SubagentStop: () => ({ status: "completed" }),
  // `error` is a kind such as rate_limit; the message stands in the answer's place.
  StopFailure: ({ last_assistant_message: text }) => (text === undefined ? {} : { error_details: text }),
};

/** The end of a session is also its stop; a subagent that failed has ended too (specification 003, agent_complete). */
function derived(event: HookEvent, id: () => string): HookEvent[] {
  if (event.name !== "StopFailure" || !event.agent) return stopAtEnd(event, id);
  const { delivery: _ofTheRequest, ...rest } = event;
  return [{ ...rest, id: id(), name: "SubagentStop", data: { ...event.data, status: "failed" }, accepts: [] }];
}

/** One tool call or prompt has one key; a second Stop is a new event and has none (R49). */
const happeningOf = (event: AgentEventName, data: Fields): unknown =>
  rowOf(event).matchTool ? data.tool_use_id : event === "UserPromptSubmit" ? data.prompt_id : undefined;

/**
 * In dontAsk it refuses whatever it would ask about. `claude -p` has nobody to ask: 2.1.330 says so to its hooks by a variable
 * (measured); how it was started says it where that is missing.
 */
const isHeadless: AgentAdapter["isHeadless"] = ({ data }, environment) => {
  const { CLAUDE_CODE_SESSION_ATTENDED: attended, CLAUDE_CODE_ENTRYPOINT: startedAs } = environment;
  return data.permission_mode === "dontAsk" || (attended === undefined ? startedAs === "sdk-cli" : attended === "0");
};

const projectReaders = ["Copilot CLI", "Cursor", "VS Code"];

/**
 * Silent hooks on these have side effects or cost (R50): a worktree is not made, each shown word starts a process, and the end of
 * a batch of tools comes after each call, which PostToolUse has reported already.
 */
const onlyWanted: readonly AgentEventName[] = [
  "PostToolBatch",
  "WorktreeCreate",
  "MessageDisplay",
  "FileChanged",
  "Elicitation",
  "ElicitationResult",
];

const timeout = 660;
const settings: AgentSettings = {
  file: settingsFileOf,
  editor: { is: "JSON groups" },
  events: replies.events.filter((event) => !onlyWanted.includes(event)),
  onlyWanted,
  timeout,
  mod: {
    layer: "user",
    folder: (places) => join(claudeFolder(places), "skills", "hookline"),
    code: "hooks/hookline.js",
    print: (printed) => printOwnFile(ownText(import.meta.url, "./mod.js"), printed, timeout),
    beside: {
      ".claude-plugin/plugin.json": {
        name: "hookline",
        description: "Hookline's own mod: hookline uninstall takes it away",
      },
      "hooks/hooks.json": { modules: ["./hookline.js"] },
    },
    asks: ["PreToolUse"],
    asksAlone: ["PreToolUse", "PostToolUse", "PostToolUseFailure"],
  },
  withoutHttp: {
    project: "writes a token, and others may read the project's file",
    local:
      "would switch off this file's hooks in Copilot CLI, which reads it too and rejects it as a whole for an HTTP hook on calls",
  },
  alsoReadBy: { user: ["Cursor", "VS Code"], project: projectReaders, local: projectReaders },
  switches: {
    disableAllHooks: "Claude Code runs no hooks while this is true",
    allowManagedHooksOnly: "Claude Code runs only managed hooks while this is true",
  },
};

/**
 * Answers of hooks' programs that Claude Code ignores and Hookline reads: other people's words, in files that the agent reads itself.
 *
 * @returns what it ignores, and what to write; undefined: it takes the answer (2.1.332)
 */
function ignoredAnswer(answer: Fields, event: HookEvent["name"]): string | undefined {
  const { hookSpecificOutput: inner, decision } = answer;
  const written = `write {"hookSpecificOutput": {"hookEventName": "${event}", …}}`;
  const flat = flatKeys.find((key) => answer[key] !== undefined);
  if (flat !== undefined) return `it reads no "${flat}" there — ${written}`;
  if (typeof decision === "string" && decision !== "block" && decision !== "approve")
    return `it reads no decision "${decision}" — write "block" or "approve"`;
  if (!isRecord(inner)) return undefined;
  if (inner.hookEventName === undefined) return `hookSpecificOutput has no hookEventName — ${written}`;
  return inner.hookEventName === event ? undefined : `hookEventName names another event — ${written}`;
}

/** Other agents' words for a decision. */
const flatKeys = ["permissionDecision", "permission", "behavior"];

export const claudeCode: AgentAdapter = {
  name,
  title: "Claude Code",
  program: { name: "claude", measured: "2.1.330" },
  capabilities: replies.capabilities,
  // It names the call before and after with one id, reports a failure of what ran alone, and the input that a hook gave (2.1.330).
  reports: { id: "tool_use_id", failures: "ran", input: "as it ran" },
  sends: new Set<AgentEventName>([...replies.events, "SessionStop"]),
  decode,
  derived,
  figures: transcriptFigures,
  isHeadless,
  encode,
  overHttp,
  encodeForHttp,
  refuse: refuseByExit,
  refuseOverHttp,
  canary: (event, { session, cwd }) => ({ hook_event_name: event, session_id: session, cwd }),
  files: hookFiles,
  ignores: ignoredAnswer,
  startedWithout: ["--bare", "--safe-mode", "--setting-sources", "disableAllHooks"],
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself,
  settings,
};
