/** Qwen Code 0.24.4: its files, its payloads, its tools, its replies, and what install registers. Loaded on every event. */
import { isAbsolute, join } from "node:path";
import type { AgentEventName, Fields, HookEvent, Json, SessionId } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Layer } from "../../engine/hook.ts";
import { isRecord } from "../../engine/schema.ts";
import { tools } from "../../engine/tools.ts";
import { realOf } from "../../files/paths.ts";
import type { AgentAdapter, AgentSettings, DecodeOptions, HookFiles, InstallLayer, Places } from "../adapter.ts";
import { asContinuation, isContinuation } from "../continuation.ts";
import { canonicalCall, type NativeTools } from "../native-tools.ts";
import { agentIn, deliveryOf, eventNamed, fieldsOf, placeOf, stopAtEnd, textOf } from "../payload.ts";
import {
  additional,
  createReplies,
  permission,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  texts,
} from "../replies.ts";

// What it does with an answer, event by event: it copies Claude Code's words, and obeys fewer of them.

/**
 * How an event is refused. permission: permissionDecision; block: decision and reason, and a stop likewise; continue: decision and
 * reason on an event where refusing means going on, so a stop leaves it out.
 */
type Refusal = "permission" | "block" | "continue";

type QwenRow = ReplyRow<Refusal>;

const silent: QwenRow = { accepts: [] };
const informed: QwenRow = { accepts: ["context"] };
/** Only here it shows a message of a hook's to the person. */
const held: QwenRow = { refuses: "continue", accepts: ["verdict", "stop", "messages"] };

/** The events that it sends, in the order in which they are registered. */
const rows: ReplyRows<QwenRow> = {
  SessionStart: informed,
  SessionEnd: silent,
  InstructionsLoaded: silent,
  UserPromptSubmit: { refuses: "block", accepts: ["verdict", "stop", "context"] },
  UserPromptExpansion: silent,
  // It documents a rewritten input, and runs the call as it was.
  PreToolUse: { refuses: "permission", accepts: ["verdict"], verdicts: ["deny", "ask", "allow"] },
  PostToolUse: informed,
  PostToolUseFailure: informed,
  PostToolBatch: informed,
  PermissionRequest: silent,
  PermissionDenied: silent,
  Notification: silent,
  Stop: held,
  StopFailure: silent,
  // It takes a context here, and the subagent was not seen to get it.
  SubagentStart: silent,
  SubagentStop: { refuses: "continue", accepts: ["verdict", "stop"] },
  PreCompact: silent,
  PostCompact: silent,
  TaskCreated: silent,
  TaskCompleted: silent,
  MessageDisplay: silent,
};

const replies: Replies<QwenRow> = createReplies(rows, {
  top: ({ refuses, accepts }, outcome, { event }) => {
    const { stop, verdict } = outcome;
    const isDenied = verdict?.is === "deny";
    const reason = reasonOf(outcome);
    const reasons = refuses === "continue" && accepts.includes("messages") && stop?.reason ? [stop.reason] : [];
    const said = [...texts(outcome.messages), ...reasons];
    return {
      ...(refuses === "block" && stop && { continue: false, stopReason: stop.reason || reason }),
      ...(refuses === "block" && isDenied && { decision: "block", reason }),
      // A stop is said by not blocking: with continue it would go on here.
      ...(refuses === "continue" &&
        isDenied &&
        !stop && { decision: "block", reason: asContinuation(reason, event.session) }),
      // It takes permissionDecision from the last hook of all that answer; what says continue: false is never outvoted.
      ...(refuses === "permission" && isDenied && { continue: false, stopReason: reason }),
      ...(said.length > 0 && { systemMessage: said.join("\n") }),
    };
  },
  specific: (row, outcome) => ({
    ...(row.refuses === "permission" && outcome.verdict?.is !== "defer" && permission(outcome)),
    ...additional(row, outcome),
  }),
});

const name = "qwen";
const title = "Qwen Code";
const where = `the payload of ${name}`;
const { capabilities, verdicts } = replies;
const settingsFile = ".qwen/settings.json";

export const qwenFolder = ({ home, environment }: Pick<Places, "home" | "environment">): string => {
  const said = environment?.QWEN_HOME;
  return said && isAbsolute(said) ? said : join(home, ".qwen");
};

function settingsFileOf(layer: InstallLayer, places: Places): string {
  return layer === "user" ? join(qwenFolder(places), "settings.json") : join(places.root, settingsFile);
}

const managedElsewhere: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/QwenCode",
  win32: "C:\\ProgramData\\qwen-code",
};
const managedUsually = "/etc/qwen-code";
/** Of every platform: a path of another one simply does not occur. */
const managedFiles = [managedUsually, ...Object.values(managedElsewhere)].map((folder) =>
  join(folder, "settings.json"),
);

/** Its matchers take Claude Code's names for these, its payloads have its own. */
export const nativeTools: NativeTools = {
  run_shell_command: {
    is: "Bash",
    fields: { is_background: "run_in_background" },
    folder: "directory",
  },
  monitor: { is: "Bash", folder: "directory" },
  write_file: { is: "Write" },
  edit: { is: "Edit" },
  notebook_edit: { is: "NotebookEdit" },
  read_file: { is: "Read" },
  glob: { is: "Glob" },
  grep_search: { is: "Grep" },
  list_directory: { is: "LS" },
  web_fetch: { is: "WebFetch" },
  web_search: { is: "WebSearch" },
  agent: { is: "Agent" },
  skill: { is: "Skill" },
  todo_write: { is: "TodoWrite" },
  ask_user_question: { is: "AskUserQuestion" },
  exit_plan_mode: { is: "ExitPlanMode" },
};

/** What its files and payloads call an event, where that is not our name. */
const eventNames = { TaskCreated: "TodoCreated", TaskCompleted: "TodoCompleted" } as const;
const ourNames: Readonly<Record<string, AgentEventName>> = Object.fromEntries(
  Object.entries(eventNames).map(([ours, theirs]) => [theirs, ours as AgentEventName]), // the table's keys
);

const lineFolders = ["commands", "skills", "agents"];

const hookFiles: HookFiles = {
  agent: name,
  format: {
    name,
    family: name,
    tools: [...Object.keys(tools), ...Object.keys(nativeTools)],
    ignoresFlat: title,
    eventNames: ourNames,
  },
  user: (home) => ({ path: join(qwenFolder(home), "settings.json"), label: `~/${settingsFile}` }),
  project: settingsFile,
  managed: { folder: (platform) => managedElsewhere[platform] ?? managedUsually, file: "settings.json" },
  movedBy: ["QWEN_HOME"],
  markers: [".qwen"],
  isNamed: (path) => /(^|\/)\.qwen\/settings\.json$/.test(path),
  loads: {
    places: [".qwen/extensions", ".qwen/hooks"],
    ofPlugin: ["qwen-extension.json"],
    lines: {
      folders: lineFolders.map((one) => `.qwen/${one}`),
      moved: (home) => lineFolders.map((one) => join(qwenFolder(home), one)),
      forms: ["braced", "quoted"],
      extensions: [".qwen/extensions"],
    },
    moved: (home) => [join(qwenFolder(home), "extensions")],
    program: {
      names: ["qwen", "qwen-code"],
      commands: { extensions: ["list"], extension: ["list"], hooks: ["list"], skills: ["list"] },
      flags: ["--bare"],
      variables: ["QWEN_CODE_SIMPLE"],
    },
  },
  variables: {
    prefix: "QWEN",
    given: "to its own",
    namesProject: true,
    others: ["QWEN_CODE", "QWEN_CODE_", "QWEN_HOME", "QWEN_SANDBOX"],
    ofShell: ["QWEN_CODE", "QWEN_CODE_SESSION_ID"],
    ofSession: ["QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_CODE_PROMPT_ID", "QWEN_CODE_AGENT_ID"],
  },
};

function readsItself(file: string, places: Places, layer: Layer): boolean {
  if (layer !== "user" && layer !== "project") return managedFiles.includes(realOf(file));
  return realOf(settingsFileOf(layer, places)) === realOf(file);
}

function decode(wire: unknown, options: DecodeOptions): HookEvent[] {
  const { session_id, cwd, hook_event_name, ...data } = fieldsOf(wire, where);
  const event = eventNamed(hook_event_name ?? options.event, where, ourNames);
  const session = textOf(session_id);
  // It sends an empty prompt with each request to the model.
  if (event === "UserPromptSubmit" && (data.prompt === "" || isOwnReason(data, session))) return [];
  const tool = rowOf(event).matchTool ? textOf(data.tool_name) : undefined;
  const call = tool === undefined ? undefined : canonicalCall(nativeTools, tool, data.tool_input);
  return [
    {
      id: options.id(),
      name: event,
      at: options.at,
      ...placeOf({ session, cwd, given: options.cwd, where }),
      data: {
        ...filledIn[event]?.(data),
        ...data,
        ...(call && { tool_name: call.tool_name, tool_input: call.tool_input }),
        ...(Array.isArray(data.tool_calls) && { tool_calls: data.tool_calls.map(canonicalEntry) }),
      },
      sender: name,
      accepts: capabilities[event] ?? [],
      ...(verdicts[event] && { verdicts: verdicts[event] }),
      ...(call?.nativeTool !== undefined && { nativeTool: call.nativeTool }),
      ...agentIn(data),
      ...deliveryOf(event, { session, happening: happeningOf(event, data), by: options.registration }),
    },
  ];
}

/** It submits the reason of a held stop like a prompt, which no person has: that renews nothing that a prompt may spend. */
const isOwnReason = ({ prompt, submitted_prompt }: Fields, session: SessionId | undefined): boolean =>
  submitted_prompt === undefined && isContinuation(prompt, session);

/** One call of a batch. */
function canonicalEntry(entry: Json): Json {
  if (!isRecord(entry)) return entry;
  const one = entry as Fields; // it is JSON
  const tool = textOf(one.tool_name);
  if (tool === undefined) return entry;
  const { tool_name, tool_input } = canonicalCall(nativeTools, tool, one.tool_input);
  return { ...one, tool_name, tool_input };
}

/** What hooks look for and Qwen Code says otherwise; what it says itself stays. */
const filledIn: { readonly [N in AgentEventName]?: (data: Fields) => Fields } = {
  SubagentStop: () => ({ status: "completed" }),
  MessageDisplay: ({ displayed_text: delta, is_final: final }) => ({
    ...(delta !== undefined && { delta }),
    ...(final !== undefined && { final }),
  }),
  TaskCreated: taskOf,
  TaskCompleted: taskOf,
};
function taskOf({ todo_id, todo_content }: Fields): Fields {
  return {
    ...(todo_id !== undefined && { task_id: todo_id }),
    ...(todo_content !== undefined && { task_subject: todo_content }),
  };
}

/** tool_use_id is its own for each event of a call; the model's id is that of the call. */
const happeningOf = (event: AgentEventName, data: Fields): unknown =>
  rowOf(event).matchTool
    ? (textOf(data.tool_call_id) ?? data.tool_use_id)
    : event === "UserPromptSubmit"
      ? data.prompt_id
      : undefined;

/** Silent hooks on these cost a process for each message and each batch of calls, which PostToolUse has reported already. */
const onlyWanted: readonly AgentEventName[] = ["PostToolBatch", "MessageDisplay"];

const settings: AgentSettings = {
  layers: ["user", "project"],
  file: settingsFileOf,
  editor: { is: "JSON groups", names: eventNames },
  events: replies.events.filter((event) => !onlyWanted.includes(event)),
  onlyWanted,
  timeout: 660, // from 1000 on it would count milliseconds
  alsoReadBy: {},
  switches: { disableAllHooks: "Qwen Code runs no hooks while this is true" },
};

export const qwen: AgentAdapter = {
  name,
  title,
  program: { name: "qwen", measured: "0.24.4" },
  capabilities,
  verdicts,
  // tool_use_id is that of an event (0.24.4).
  reports: { id: "tool_call_id", failures: "perhaps refused" },
  sends: new Set<AgentEventName>([...replies.events, "SessionStop"]),
  decode,
  derived: stopAtEnd,
  encode: replies.encode,
  refuse: replies.refuse,
  canary: (event, { session, cwd }) => ({
    hook_event_name: Object.hasOwn(eventNames, event) ? eventNames[event as keyof typeof eventNames] : event, // a key of the table
    session_id: session,
    cwd,
    prompt: "canary",
  }),
  files: hookFiles,
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself,
  settings,
};
