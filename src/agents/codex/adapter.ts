/** Codex CLI 0.169.0: its files, its payloads, its replies, and what install registers. Its patches are in ../patches.ts. Loaded on every event. */
import { isAbsolute, join } from "node:path";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Layer } from "../../engine/hook.ts";
import { oneLine } from "../../engine/one-line.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { fieldsIn, isRecord } from "../../engine/schema.ts";
import { inputOfCall, lineOfCall, patchIn } from "../../engine/tool-input.ts";
import { tools } from "../../engine/tools.ts";
import { realOf } from "../../files/paths.ts";
import type { AgentAdapter, AgentSettings, DecodeOptions, HookFiles, InstallLayer, Places } from "../adapter.ts";
import { canonicalCall, lineIn, lineWithin, type NativeTools, nativeInput } from "../native-tools.ts";
import { type Call, isOneChange, patchCalls, patchCallsInLine, patchFor } from "../patches.ts";
import { agentIn, deliveryOf, eventNamed, fieldsOf, placeOf, stopAtEnd, textOf } from "../payload.ts";
import {
  additional,
  createReplies,
  permission,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  shown,
  stopped,
} from "../replies.ts";

// What it takes as an answer, event by event. Its schemas are closed: one key too many, and the call runs as if nothing was said.

/**
 * How an event is refused. permission: permissionDecision; behavior: decision.behavior; block: decision and reason;
 * continue: the same on an event where refusing means going on, so a stop leaves it out; halt: continue, which ends the turn.
 */
type Refusal = "permission" | "behavior" | "block" | "continue" | "halt";

type CodexRow = ReplyRow<Refusal>;

const silent: CodexRow = { accepts: [] };
const informed: CodexRow = { accepts: ["context", "messages"] };
const held: CodexRow = { refuses: "continue", accepts: ["verdict", "stop", "messages"] };

/** The events that it sends, in the order in which they are registered. */
const rows: ReplyRows<CodexRow> = {
  SessionStart: informed,
  SessionEnd: silent,
  UserPromptSubmit: { refuses: "block", accepts: ["verdict", "stop", "context", "messages"] },
  // An allow of its own lets nothing pass, and with ask the call runs: both are said to be errors of the hook.
  PreToolUse: {
    refuses: "permission",
    accepts: ["verdict", "context", "messages", "updatedInput"],
    verdicts: ["deny"],
  },
  PostToolUse: { refuses: "block", accepts: ["verdict", "context", "messages"] },
  PermissionRequest: { refuses: "behavior", accepts: ["verdict", "messages"], verdicts: ["deny", "allow"] },
  Stop: held,
  SubagentStart: informed,
  SubagentStop: held,
  PreCompact: { refuses: "halt", accepts: ["verdict", "messages"] },
  PostCompact: silent,
  Interrupt: { accepts: ["messages"] },
};

const denied = (outcome: Outcome): boolean => outcome.verdict?.is === "deny";

/** Its `updatedInput` is in Codex's own form. */
const replies: Replies<CodexRow> = createReplies(rows, {
  top: ({ refuses, accepts }, outcome) => ({
    ...stopped(outcome),
    ...(denied(outcome) && refuses === "halt" && { continue: false, stopReason: reasonOf(outcome) }),
    ...(denied(outcome) &&
      (refuses === "block" || (refuses === "continue" && !outcome.stop)) && {
        decision: "block",
        reason: reasonOf(outcome),
      }),
    ...shown({ accepts }, outcome),
  }),
  specific: (row, outcome) => ({
    ...(row.refuses === "permission" && permissionOf(outcome)),
    ...(row.refuses === "behavior" && behavior(outcome)),
    ...additional(row, outcome),
  }),
});

/** A rewrite counts only beside an allow, and an allow only beside a rewrite. */
function permissionOf(outcome: Outcome): Fields {
  if (denied(outcome)) return permission(outcome);
  const { updatedInput } = outcome;
  return updatedInput ? { permissionDecision: "allow", updatedInput } : {};
}

function behavior(outcome: Outcome): Fields {
  if (outcome.verdict?.is === "allow") return { decision: { behavior: "allow" } };
  return denied(outcome) ? { decision: { behavior: "deny", message: reasonOf(outcome) } } : {};
}

type Home = Pick<Places, "home" | "environment">;

export const codexFolder = ({ home, environment }: Home): string => {
  const said = environment?.CODEX_HOME;
  return said && isAbsolute(said) ? said : join(home, ".codex");
};

const fileName = "hooks.json";
const projectFile = `.codex/${fileName}`;
const title = "Codex";
const name = "codex";
const { capabilities, verdicts } = replies;
const where = `the payload of ${name}`;

function settingsFileOf(layer: InstallLayer, places: Places): string {
  return layer === "user" ? join(codexFolder(places), fileName) : join(places.root, projectFile);
}

/** Its shell calls itself Bash already, and servers' tools are called as everywhere. */
export const nativeTools: NativeTools = {
  view_image: { is: "Read", fields: { path: "file_path" } },
  spawn_agent: { is: "Agent", fields: { message: "prompt", agent_type: "subagent_type" } },
};
const patchTool = "apply_patch";

const hookFiles: HookFiles = {
  agent: name,
  format: {
    name,
    family: name,
    tools: [...Object.keys(tools), ...Object.keys(nativeTools), patchTool, "exec_command"],
    ignoresFlat: title,
  },
  user: (home) => ({ path: join(codexFolder(home), fileName), label: "~/.codex/hooks.json" }),
  project: projectFile,
  movedBy: ["CODEX_HOME"],
  markers: [".codex"],
  isNamed: (path) => /(^|\/)\.codex\/hooks\.json$/.test(path),
  loads: {
    places: [".codex/plugins", ".codex/hooks", ".codex/config.toml", ".agents/plugins"],
    ofPlugin: [".codex-plugin"],
    moved: (home) => ["plugins", "config.toml"].map((one) => join(codexFolder(home), one)),
    program: {
      names: ["codex"],
      commands: { plugin: ["list"], features: ["list"] },
      flags: ["--disable", "--ignore-user-config", "--ignore-rules", "--dangerously-bypass-hook-trust"],
      says: ["hooks=", "hooks =", "hooks.", "plugins."],
    },
  },
  variables: {
    prefix: "CODEX",
    given: "to its own",
    others: ["CODEX_HOME", "CODEX_VERSION", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_TOOL_CALL_ID", "CODEX_SANDBOX_"],
    ofShell: ["CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
    ofSession: ["CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID"],
  },
};

/** It runs these hooks once a person has looked at them in its own screen. */
function readsItself(file: string, places: Places, layer: Layer): boolean {
  if (layer !== "user" && layer !== "project") return false;
  return realOf(settingsFileOf(layer, places)) === realOf(file);
}

function decode(wire: unknown, options: DecodeOptions): HookEvent[] {
  const { session_id, cwd, hook_event_name, ...data } = fieldsOf(wire, where);
  const event = eventNamed(hook_event_name ?? options.event, where);
  const session = textOf(session_id);
  const place = placeOf({ session, cwd, given: options.cwd, where });
  const agent = agentIn(data);
  // The model writes a subagent's prompt: it is no word of the person's. Hooks have judged it as the call that spawns.
  if (event === "UserPromptSubmit" && agent.agent) return [];
  const isCall = rowOf(event).matchTool === true;
  // A call names the folder that it runs in, and the model chooses that; hooks are started in the session's.
  const folder = (isCall && options.cwd) || place.cwd;
  const calls = isCall ? callsIn(data, { cwd: place.cwd, folder }) : undefined;
  const accepts = capabilities[event] ?? [];
  const happening = happeningOf(event, data);
  return (calls ?? [undefined]).map((call, index) => ({
    id: options.id(),
    name: event,
    at: options.at,
    ...place,
    cwd: folder,
    data: call ? { ...data, tool_name: call.tool_name, tool_input: call.tool_input } : data,
    sender: name,
    accepts: isRewritable(calls, index, data) ? accepts : accepts.filter((field) => field !== "updatedInput"),
    ...(verdicts[event] && { verdicts: verdicts[event] }),
    ...(call?.nativeTool !== undefined && { nativeTool: call.nativeTool }),
    ...agent,
    ...deliveryOf(event, {
      session,
      happening: index === 0 || happening === undefined ? happening : `${happening} ${index}`,
      by: options.registration,
    }),
  }));
}

/** A patch means a call for each file; a shell line that patches means these beside itself. */
function callsIn(
  { tool_name, tool_input }: Fields,
  { cwd, folder }: { cwd: string; folder: string },
): readonly Call[] | undefined {
  const tool = textOf(tool_name);
  if (tool === undefined) return undefined;
  if (tool === patchTool) return patchCalls(patchIn(tool_input), cwd);
  const call = canonicalCall(nativeTools, tool, tool_input);
  const input = inputOfCall(tool, tool_input);
  const text = (input && lineOfCall(tool, input)?.line) ?? "";
  if (tool !== "Bash") return [call, ...patchCallsInLine(text, cwd)];
  const there =
    cwd === folder || text === "" || !isRecord(tool_input)
      ? call
      : { ...call, tool_input: lineAt(tool_input as Fields, cwd) };
  return [there, ...patchCallsInLine(text, cwd)];
}

const lineAt = (input: Fields, folder: string): Fields => ({ ...input, command: lineIn(folder, commandIn(input)) });

const commandIn = (input: Json | undefined): string =>
  isRecord(input) && typeof input.command === "string" ? input.command : "";

/** Of a rewritten call among several it is not known which one it was, so only the line itself, or the only change, can be rewritten. */
const isRewritable = (calls: readonly Call[] | undefined, index: number, { tool_name, tool_input }: Fields): boolean =>
  index === 0 && (tool_name !== patchTool || (calls?.length === 1 && isOneChange(commandIn(tool_input))));

/** A turn can hold several prompts, and a request for permission has no id: what they say tells them apart. */
const happenings: { readonly [N in AgentEventName]?: (data: Fields) => Json[] } = {
  UserPromptSubmit: ({ turn_id, prompt }) => [turn_id ?? "", prompt ?? ""],
  PermissionRequest: ({ turn_id, tool_name, tool_input }) => [turn_id ?? "", tool_name ?? "", tool_input ?? {}],
};
function happeningOf(event: AgentEventName, data: Fields): string | undefined {
  const told = happenings[event]?.(data);
  if (told) return textOf(data.turn_id) && fingerprint(JSON.stringify(told));
  return rowOf(event).matchTool ? textOf(data.tool_use_id) : undefined;
}

const encode: AgentAdapter["encode"] = (event, outcome, wire) => {
  const { updatedInput, verdict } = outcome;
  if (!updatedInput || verdict?.is === "deny") return replies.encode(event, outcome);
  const rewritten = nativeForm(event, updatedInput, wire);
  if (rewritten) return replies.encode(event, { ...outcome, updatedInput: rewritten });
  const reason = `a hook allows this call with another input only, which no patch can say: ${oneLine(JSON.stringify(updatedInput), longestInput)}`;
  return replies.encode(event, { ...outcome, verdict: { is: "deny", reason, by: name } });
};
const longestInput = 2000;

/** Codex replaces the whole input. Undefined: its tool cannot be told so. */
function nativeForm(event: HookEvent, input: Fields, wire: unknown): Fields | undefined {
  const { tool_name, tool_input, cwd } = fieldsIn(wire);
  if (tool_name === "Bash" && typeof cwd === "string" && typeof input.command === "string")
    return { ...input, command: lineWithin(cwd, input.command) };
  if (tool_name !== patchTool) return nativeInput(nativeTools, textOf(tool_name) ?? "", input);
  const command = patchFor(patchIn(tool_input), input, { cwd: textOf(cwd) ?? event.cwd });
  return command === undefined ? undefined : { ...(isRecord(tool_input) && tool_input), command };
}

const patchInLine = "Codex does not report whether a patch in a shell line ran";

const settings: AgentSettings = {
  layers: ["user", "project"],
  file: settingsFileOf,
  editor: { is: "JSON groups" },
  events: replies.events,
  onlyWanted: [],
  timeout: 660,
  alsoReadBy: {},
  afterInstall:
    "Codex runs no hook that you have not looked at: start codex, type /hooks and trust those of Hookline there. Do so again after each install that changes them; in a project, trust the folder too",
  switches: {},
};

export const codex: AgentAdapter = {
  name,
  title,
  program: { name: "codex", measured: "0.169.0" },
  capabilities,
  verdicts,
  patience: { SessionEnd: 3, Interrupt: 3 },
  // A failed call is a PostToolUse too. After a patch in a shell line none comes (0.169.0).
  reports: {
    id: "tool_use_id",
    failures: "ran",
    silent: ({ data }) => (/\bapply_patch\b/.test(commandIn(data.tool_input)) ? patchInLine : undefined),
  },
  sends: new Set<AgentEventName>([...settings.events, "SessionStop"]),
  decode,
  derived: stopAtEnd,
  isHeadless: ({ data }) => data.permission_mode === "dontAsk" || data.permission_mode === "bypassPermissions",
  encode,
  refuse: replies.refuse,
  canary: (event, { session, cwd }) => ({ hook_event_name: event, session_id: session, cwd }),
  files: hookFiles,
  startedWithout: ["--disable hooks"],
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself,
  settings,
};
