/** Copilot CLI 1.0.102: its files, its payloads, and what install registers. Its replies are in replies.ts. Loaded on every event. */
import { isAbsolute, join } from "node:path";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { OutcomeField } from "../../engine/outcome.ts";
import { isFields, isRecord } from "../../engine/schema.ts";
import { patchIn } from "../../engine/tool-input.ts";
import type {
  AgentAdapter,
  AgentSettings,
  DecodeOptions,
  HookFiles,
  InstallLayer,
  OwnedFile,
  Places,
} from "../adapter.ts";
import { isContinuation, momentOf } from "../continuation.ts";
import { canonicalCall } from "../native-tools.ts";
import { patchCalls } from "../patches.ts";
import { agentIn, deliveryOf, eventNamed, fieldsOf, placeOf, stopAtEnd, textOf, wordOf } from "../payload.ts";
import { replies } from "./replies.ts";
import { failureIn, serverTool, ownNames as toolNames, tools } from "./tools.ts";

const name = "copilot";
const where = `the payload of ${name}`;
const { capabilities, verdicts } = replies;

/** What it calls the events in its own entries. */
const ownNames: Readonly<Partial<Record<AgentEventName, string>>> = {
  SessionStart: "sessionStart",
  SessionEnd: "sessionEnd",
  UserPromptSubmit: "userPromptSubmitted",
  PreToolUse: "preToolUse",
  PostToolUse: "postToolUse",
  PostToolUseFailure: "postToolUseFailure",
  PermissionRequest: "permissionRequest",
  Notification: "notification",
  Stop: "agentStop",
  StopFailure: "errorOccurred",
  SubagentStart: "subagentStart",
  SubagentStop: "subagentStop",
  PreCompact: "preCompact",
};
const meant: Readonly<Record<string, AgentEventName>> = {
  ...Object.fromEntries(Object.entries(ownNames).map(([event, called]) => [called, event as AgentEventName])), // its keys
  ErrorOccurred: "StopFailure",
};
/** It repeats a prompt or a call that it has sent before, and takes no refusal of it there. */
const repeats: ReadonlySet<unknown> = new Set([
  ...["userPromptTransformed", "UserPromptTransformed"],
  ...["preMcpToolCall", "PreMcpToolCall"],
]);

/*
 * Its own entries get camelCase without the event's name; those with names as Claude Code's get snake_case, but PermissionRequest, which is
 * the same in both. Both are read as one.
 */
const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const snakeKeys = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [snake(key), value]));

function decode(wire: unknown, options: DecodeOptions): HookEvent[] {
  const { hook_name, hook_event_name, session_id, cwd, timestamp, ...rest } = snakeKeys(fieldsOf(wire, where));
  const called = textOf(hook_event_name) ?? textOf(hook_name) ?? options.event;
  if (repeats.has(called)) return [];
  const named = eventNamed(called, where, meant);
  const own = textOf(session_id);
  const all = eventsOf(named, rest, textOf(cwd) ?? options.cwd ?? "/");
  const [{ name: event, data }] = all;
  const session = textOf(data.parent_agent_id) ?? own; // a subagent's calls come under its own id
  if (isOfNobody(event, data, session)) return [];
  const sent = typeof timestamp === "number" ? timestamp : Date.parse(wordOf(timestamp));
  return all.map((one) => {
    const { tool_name = null, tool_input = null } = rowOf(event).matchTool ? one.data : {};
    return {
      id: options.id(),
      name: one.name,
      at: options.at,
      ...placeOf({ session, cwd, given: options.cwd, where }),
      data: one.data,
      sender: name,
      accepts: one.accepts ?? capabilities[one.name] ?? [],
      ...(verdicts[one.name] && { verdicts: verdicts[one.name] }),
      ...(one.nativeTool !== undefined && { nativeTool: one.nativeTool }),
      ...agentIn(one.data),
      ...deliveryOf(one.name, {
        session,
        happening: momentOf(sent, own, tool_name, tool_input),
        by: options.registration,
      }),
    };
  });
}

/**
 * A subagent's end is told twice, and only the second is obeyed; its prompt is the model's, which the call of the tool has brought
 * already; and the reason for which a hook lets the agent go on comes back as a prompt.
 */
const isOfNobody = (event: AgentEventName, data: Fields, session: string | undefined): boolean =>
  event === "Stop" || event === "UserPromptSubmit"
    ? textOf(data.agent_id) !== undefined || (event === "UserPromptSubmit" && isContinuation(data.prompt, session))
    : false;

interface Meant {
  name: AgentEventName;
  data: Fields;
  nativeTool?: string | undefined;
  accepts?: readonly OutcomeField[] | undefined;
}

function eventsOf(event: AgentEventName, fields: Fields, cwd: string): [Meant, ...Meant[]] {
  if (!rowOf(event).matchTool) return [{ name: event, data: { ...fields, ...filledIn[event]?.(fields) } }];
  const { tool_name, tool_args, tool_input = tool_args } = fields;
  if (tool_name !== patchTool) return [ofTool(event, fields)];
  const [first, ...others] = patchCalls(patchIn(tool_input), cwd).map(({ nativeTool: _own, ...call }): Meant => {
    const one = ofTool(event, { ...fields, ...call });
    // One rewritten file cannot be put back into a patch.
    const accepts = (capabilities[event] ?? []).filter((field) => field !== "updatedInput");
    return { ...one, nativeTool: patchTool, accepts };
  });
  return first ? [first, ...others] : [ofTool(event, fields)];
}

/** Models of OpenAI's get this tool alone for files; its input is the patch itself. */
const patchTool = "apply_patch";

function ofTool(event: AgentEventName, fields: Fields): Meant {
  const { tool_name, tool_args, tool_input = tool_args, tool_result, ...rest } = fields;
  const written = textOf(tool_name) ?? "";
  const ofServer = serverTool(written);
  const { nativeTool, ...call } =
    ofServer === undefined
      ? canonicalCall(tools, written, tool_input)
      : { tool_name: ofServer, tool_input: tool_input ?? {}, nativeTool: written };
  const response: Json | undefined = isFields(tool_result) ? snakeKeys(tool_result) : tool_result;
  const data = { ...rest, ...call, ...(response !== undefined && { tool_response: response }) };
  const error = event === "PostToolUse" ? failureIn(call.tool_name, response) : undefined;
  return error === undefined
    ? { name: event, data, nativeTool }
    : { name: "PostToolUseFailure", data: { ...data, error }, nativeTool };
}

const sources: Readonly<Record<string, string>> = { new: "startup" };
const reasons: Readonly<Record<string, string>> = { user_exit: "prompt_input_exit", complete: "other" };
const orItself = (table: Readonly<Record<string, string>>, value: Json | undefined): Json =>
  (typeof value === "string" && Object.hasOwn(table, value) ? table[value] : undefined) ?? value ?? null;

/** What hooks look for and Copilot says otherwise. */
const filledIn: { readonly [N in AgentEventName]?: (data: Fields) => Fields } = {
  SessionStart: ({ source }) => ({ source: orItself(sources, source) }),
  SessionEnd: ({ reason }) => ({ reason: orItself(reasons, reason) }),
  SubagentStop: ({ response }) => ({
    status: "completed",
    ...(response !== undefined && { last_assistant_message: response }),
  }),
  StopFailure: ({ error }) => (isRecord(error) ? { error: "unknown", error_details: wordOf(error.message ?? "") } : {}),
};

/**
 * It runs the lines in Claude Code's files of the project, and what it starts inherits its variable: Claude Code's payloads have no
 * timestamp, and all those of others that have one name a transcript, as Copilot does only where it says why something stopped.
 */
function runs(wire: unknown, environment: Readonly<Record<string, string | undefined>>): boolean {
  if (environment.COPILOT_CLI !== "1" || !isRecord(wire) || wire.timestamp === undefined) return false;
  if ("sessionId" in wire) return true;
  return !("transcript_path" in wire) || "stop_reason" in wire || "agent_name" in wire || "parent_agent_id" in wire;
}

const title = "Copilot CLI";
const ownFile = "hooks/hookline.json";

export const copilotFolder = ({ home, environment }: Pick<Places, "home" | "environment">): string => {
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
  events: replies.events,
  onlyWanted: [],
  timeout,
  alsoReadBy: { user: ["VS Code"], project: ["VS Code"] },
  switches: {},
  afterInstall:
    "Copilot CLI runs a repository's hooks only in folders that you trust: it asks when you start it there; those of your home always run",
};

export const copilot: AgentAdapter = {
  name,
  title,
  program: { name: "copilot", measured: "1.0.102" },
  capabilities: replies.capabilities,
  verdicts: replies.verdicts,
  runs,
  reports: { failures: "perhaps refused" },
  sends: new Set<AgentEventName>([...replies.events, "SessionStop"]),
  decode,
  canary: (_event, { session, cwd }) => ({ sessionId: session, cwd }),
  derived: stopAtEnd,
  encode: replies.encode,
  refuse: replies.refuse,
  files: hookFiles,
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself: () => false,
  settings,
};
