/** pi 0.73.1: what its extension's events mean, and what it takes as an answer, event by event. The extension itself is extension.js. */
import { isAbsolute, join } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import { fieldsIn, isRecord } from "../../engine/schema.ts";
import { ownText } from "../../files/own-files.ts";
import type { AgentAdapter, DecodeOptions, Places } from "../adapter.ts";
import {
  createPluginReplies,
  isContinuation,
  type Native,
  printOwnFile,
  textOfResult,
} from "../in-process/own-file.ts";
import { canonicalCall, type NativeTools, nativeInput } from "../native-tools.ts";
import { deliveryOf, fieldsOf, placeOf, textOf, wordOf } from "../payload.ts";
import { refuseByExit } from "../replies.ts";

const name = "pi";
const where = `the payload of ${name}`;
const timeout = 660;

const informed = ["context", "messages"] as const;
const silent = { accepts: [] };

const replies = createPluginReplies(
  {
    SessionStart: { accepts: informed },
    SessionEnd: silent,
    UserPromptSubmit: { refuses: "deny", accepts: ["verdict", ...informed] },
    PreToolUse: { refuses: "deny", accepts: ["verdict", "updatedInput", "messages"], verdicts: ["deny"] },
    PostToolUse: { refuses: "added", accepts: ["verdict", "updatedOutput", ...informed] },
    PostToolUseFailure: { refuses: "added", accepts: ["verdict", ...informed] },
    Stop: { refuses: "continue", accepts: ["verdict", ...informed] },
    StopFailure: silent,
    Interrupt: { accepts: ["messages"] },
    PreCompact: { refuses: "deny", accepts: ["verdict", "messages"] },
    PostCompact: silent,
  },
  nativeOf,
);
const { capabilities, verdicts, events } = replies;

const path = { path: "file_path" };
const isList = (value: Json | undefined): value is Json[] => Array.isArray(value);
const renamed = (fields: Json, names: Readonly<Record<string, string>>): Json =>
  isRecord(fields)
    ? Object.fromEntries(Object.entries(fields as Fields).map(([key, value]) => [names[key] ?? key, value])) // it is JSON
    : fields;

/** Its edit takes a list of replacements. */
const editsAs =
  (names: Readonly<Record<string, string>>) =>
  (input: Fields): Fields =>
    isList(input.edits) ? { ...input, edits: input.edits.map((one) => renamed(one, names)) } : input;

export const tools: NativeTools = {
  bash: { is: "Bash" },
  write: { is: "Write", fields: path },
  edit: {
    is: "Edit",
    fields: path,
    read: editsAs({ oldText: "old_string", newText: "new_string" }),
    write: editsAs({ old_string: "oldText", new_string: "newText" }),
  },
  read: { is: "Read", fields: path },
  grep: { is: "Grep" },
  find: { is: "Glob" },
  ls: { is: "LS" },
};

interface Meant {
  event: AgentEventName;
  data: Fields;
  nativeTool?: string;
  /** What the delivery is known by. */
  happening?: unknown;
}
type Reader = (wire: Fields) => Meant | undefined;

/** Why a session begins or ends. A reload of extensions is neither. */
const beginnings: Readonly<Record<string, string>> = {
  startup: "startup",
  new: "clear",
  resume: "resume",
  fork: "fork",
};
const ends: Readonly<Record<string, string>> = {
  quit: "prompt_input_exit",
  new: "clear",
  resume: "resume",
  fork: "resume",
};
const reasonIn = (table: Readonly<Record<string, string>>, reason: Json | undefined, otherwise: string): string =>
  typeof reason === "string" && Object.hasOwn(table, reason) ? (table[reason] ?? otherwise) : otherwise;

/** pi takes `@notes.md` for `notes.md`, and any blank in a path for a plain one. */
function plainPath(input: Json | undefined): Json | undefined {
  if (!isRecord(input) || typeof input.path !== "string") return input;
  return {
    ...(input as Fields),
    path: input.path.replace(/^@/, "").replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "),
  }; // it is JSON
}

const called = ({
  toolName,
  input,
  toolCallId,
}: Fields): Pick<Meant, "nativeTool" | "happening"> & { data: Fields } => {
  const { nativeTool, ...data } = canonicalCall(tools, textOf(toolName) ?? "", plainPath(input));
  const id = textOf(toolCallId);
  return {
    ...(nativeTool !== undefined && { nativeTool }),
    happening: toolCallId,
    data: { ...data, ...(id !== undefined && { tool_use_id: id }) },
  };
};

export const textsIn = (content: Json | undefined): string =>
  typeof content === "string"
    ? content
    : (isList(content) ? content : [])
        .map((part) => (isRecord(part) && part.type === "text" && typeof part.text === "string" ? part.text : ""))
        .filter((text) => text !== "")
        .join("\n");

const readers: Readonly<Record<string, Reader>> = {
  session_start: ({ reason, previousSessionFile }) =>
    reason === "reload"
      ? undefined
      : {
          event: "SessionStart",
          data: {
            source: reasonIn(beginnings, reason, "startup"),
            ...(previousSessionFile !== undefined && { previousSessionFile }),
          },
        },
  session_shutdown: ({ reason }) =>
    reason === "reload" ? undefined : { event: "SessionEnd", data: { reason: reasonIn(ends, reason, "other") } },
  input: ({ text, source }) => {
    const prompt = textOf(text) ?? "";
    if (isContinuation(prompt)) return undefined;
    // What another extension sends is no person's prompt; what a program sends over its protocol is.
    const from = source === "extension" ? "system" : "user";
    return { event: "UserPromptSubmit", data: { prompt, source: from } };
  },
  tool_call: (wire) => ({ event: "PreToolUse", ...called(wire) }),
  tool_result: (wire) => {
    const { data, ...call } = called(wire);
    const { content, details, isError } = wire;
    const response: Fields = { content: content ?? [], ...(details !== undefined && { details }) };
    return isError === true
      ? { event: "PostToolUseFailure", ...call, data: { ...data, error: textsIn(content) || "the call failed" } }
      : { event: "PostToolUse", ...call, data: { ...data, tool_response: response } };
  },
  message_end: ({ message: given, continued }) => {
    const message = fieldsIn(given);
    if (message.role !== "assistant") return undefined;
    const text = textsIn(message.content);
    const answer = text ? { last_assistant_message: text } : {};
    if (message.stopReason === "aborted") return { event: "Interrupt", data: answer };
    if (message.stopReason === "error") {
      const said = textOf(message.errorMessage);
      return { event: "StopFailure", data: { error: "unknown", ...(said !== undefined && { error_details: said }) } };
    }
    const parts = isList(message.content) ? message.content : [];
    const goesOn = message.stopReason === "toolUse" || parts.some((part) => fieldsIn(part).type === "toolCall");
    if (goesOn) return undefined;
    return { event: "Stop", data: { stop_hook_active: continued === true, ...answer } };
  },
  session_before_compact: ({ customInstructions }) => ({
    event: "PreCompact",
    data: {
      trigger: textOf(customInstructions) === undefined ? "auto" : "manual",
      ...(textOf(customInstructions) !== undefined && { custom_instructions: customInstructions ?? null }),
    },
  }),
  session_compact: ({ compactionEntry }) => ({
    event: "PostCompact",
    data: { trigger: "auto", compact_summary: textOf(fieldsIn(compactionEntry).summary) ?? "" },
  }),
};

/** Events of its extensions that say nothing which hooks here could hear of. */
const unheard: ReadonlySet<string> = new Set(
  (
    "after_provider_response agent_end agent_start before_agent_start before_provider_request context message_start " +
    "message_update model_select resources_discover session_before_fork session_before_switch session_before_tree session_tree " +
    "thinking_level_select tool_execution_end tool_execution_start tool_execution_update turn_end turn_start user_bash"
  ).split(" "),
);
/** What the readers have put into our own names. */
const known: ReadonlySet<string> = new Set(
  (
    "type cwd session_id toolName toolCallId input content details isError message toolResults continued text source reason " +
    "customInstructions compactionEntry"
  ).split(" "),
);

function decode(given: unknown, options: DecodeOptions): HookEvent[] {
  const wire = fieldsOf(given, where);
  const type = textOf(wire.type);
  if (type === undefined)
    throw new HooklineError("input_invalid", { reason: "it names no event", where, advice: "name the event there" });
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read) {
    if (unheard.has(type)) return [];
    throw new HooklineError("event_unknown", { name: type, where });
  }
  const meant = read(wire);
  if (!meant) return [];
  const { event, data, nativeTool, happening } = meant;
  const session = textOf(wire.session_id);
  const others = Object.fromEntries(Object.entries(wire).filter(([key]) => !known.has(key)));
  return [
    {
      id: options.id(),
      name: event,
      at: options.at,
      ...placeOf({ session, cwd: wire.cwd, given: options.cwd, where }),
      data: { ...others, ...data },
      sender: name,
      accepts: capabilities[event] ?? [],
      ...(verdicts[event] && { verdicts: verdicts[event] }),
      ...(nativeTool !== undefined && { nativeTool }),
      ...deliveryOf(event, { session, happening, by: options.registration }),
    },
  ];
}

function nativeOf(_event: HookEvent, wire: unknown): Native {
  return {
    input: (input) => nativeInput(tools, wordOf(fieldsIn(wire).toolName), input),
    output: (output) =>
      isRecord(output) && isList(fieldsIn(output).content)
        ? textsIn(fieldsIn(output).content)
        : textOfResult(output, ["output", "stdout"]),
  };
}

const isHeadless: AgentAdapter["isHeadless"] = ({ data }) => data.has_ui === false;

type Home = Pick<Places, "home" | "environment">;
export const agentFolder = ({ home, environment }: Home): string => {
  const said = environment?.PI_CODING_AGENT_DIR;
  return said && isAbsolute(said) ? said : join(home, ".pi", "agent");
};

const canaryTypes: Readonly<Partial<Record<AgentEventName, readonly [type: string, more?: Fields]>>> = {
  SessionStart: ["session_start"],
  SessionEnd: ["session_shutdown"],
  UserPromptSubmit: ["input"],
  PreToolUse: ["tool_call", { toolName: "bash" }],
  PostToolUse: ["tool_result", { toolName: "bash" }],
  PostToolUseFailure: ["tool_result", { toolName: "bash", isError: true }],
  Stop: ["message_end", { message: { role: "assistant" } }],
  StopFailure: ["message_end", { message: { role: "assistant", stopReason: "error" } }],
  Interrupt: ["message_end", { message: { role: "assistant", stopReason: "aborted" } }],
  PreCompact: ["session_before_compact"],
  PostCompact: ["session_compact"],
};
const canary: AgentAdapter["canary"] = (event, { session, cwd }) => {
  const [type, more] = canaryTypes[event] ?? ["session_shutdown"];
  return { type, session_id: session, cwd, ...more };
};

const codePlaces = ["extensions", "npm", "git", "settings.json"];

export const pi: AgentAdapter = {
  name,
  title: "pi",
  program: { name: "pi", measured: "0.73.1" },
  capabilities,
  verdicts,
  // A refused call has no tool_result (0.73.1).
  reports: { id: "tool_use_id", failures: "perhaps refused" },
  sends: new Set(events),
  decode,
  isHeadless,
  encode: replies.encode,
  refuse: refuseByExit,
  canary,
  files: {
    agent: name,
    format: { name, family: name, tools: Object.keys(tools) },
    markers: [".pi"],
    movedBy: ["PI_CODING_AGENT_DIR"],
    loads: {
      places: codePlaces.flatMap((one) => [`.pi/${one}`, `.pi/agent/${one}`]),
      moved: (home) => codePlaces.map((one) => join(agentFolder(home), one)),
      program: {
        names: ["pi", "pi-coding-agent"],
        commands: { install: [], remove: [], uninstall: [], update: [], config: [] },
        flags: ["-e", "--extension", "-ne", "--no-extensions"],
      },
    },
    variables: { prefix: "PI", given: "to its own" },
  },
  startedWithout: ["--no-extensions"],
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself: () => false,
  settings: {
    file: (layer, places) =>
      layer === "user"
        ? join(agentFolder(places), "extensions", "hookline.ts")
        : join(places.root, ".pi", "extensions", "hookline.ts"),
    layers: ["user", "project"],
    editor: {
      is: "owned file",
      print: (printed) => printOwnFile(ownText(import.meta.url, "./extension.js"), printed, timeout),
    },
    events,
    onlyWanted: [],
    timeout,
    alsoReadBy: {},
    afterInstall: "pi loads its extensions when it starts: restart it, or type /reload",
    switches: {},
  },
};
