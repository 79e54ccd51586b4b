/** OpenCode 1.18.33: what its plugin's hooks mean, and what it takes as an answer, event by event. The plugin itself is plugin.js. */
import { isAbsolute, join } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import { fieldsIn, isFields } from "../../engine/schema.ts";
import { ownText } from "../../files/own-files.ts";
import type { AgentAdapter, DecodeOptions, Places } from "../adapter.ts";
import {
  createPluginReplies,
  isContinuation,
  type Native,
  printOwnFile,
  textOfResult,
} from "../in-process/own-file.ts";
import { nativeInput } from "../native-tools.ts";
import { deliveryOf, fieldsOf, placeOf, textOf, wordOf } from "../payload.ts";
import { refuseByExit } from "../replies.ts";
import { type Called, callsIn, patchTool, tools } from "./calls.ts";

const name = "opencode";
const where = `the payload of ${name}`;
const timeout = 660;

const informed = ["context", "messages"] as const;
const silent = { accepts: [] };

/** A permission cannot be given or asked for: OpenCode has a hook for that and never calls it (measured). */
const replies = createPluginReplies(
  {
    SessionStart: { accepts: informed },
    SessionEnd: silent,
    UserPromptSubmit: { refuses: "deny", accepts: ["verdict", ...informed] },
    PreToolUse: { refuses: "deny", accepts: ["verdict", "updatedInput", "messages"], verdicts: ["deny"] },
    PostToolUse: { refuses: "added", accepts: ["verdict", "updatedOutput", ...informed] },
    PostToolUseFailure: { accepts: ["messages"] },
    Stop: { refuses: "continue", accepts: ["verdict", ...informed] },
    StopFailure: silent,
    Interrupt: { accepts: ["messages"] },
    SubagentStart: { accepts: informed },
    SubagentStop: { accepts: ["messages"] },
    PreCompact: { accepts: informed },
    PostCompact: silent,
    FileChanged: { accepts: ["messages"] },
  },
  nativeOf,
);
const { capabilities, verdicts, events } = replies;
/** "opencode run" ends with its session's turn: there nothing goes on. */
const endsWithTurn = ["messages"] as const;
interface Meant {
  event: AgentEventName;
  session?: string | undefined;
  cwd?: string | undefined;
  /** What the delivery is known by. */
  happening?: unknown;
  parts?: readonly (Partial<Called> & { data: Fields })[];
}
interface Wire {
  input: Fields;
  output: Fields;
  /** Of an event of its bus. */
  properties: Fields;
  wire: Fields;
  isSubagent: boolean;
}
type Reader = (given: Wire) => Meant | undefined;

const partsOf = (data: Fields): { data: Fields }[] => [{ data }];

const calledIn = (wire: Fields, { tool, callID }: Fields, args: Json | undefined): Called[] =>
  callsIn({
    tool: textOf(tool) ?? "",
    args: args ?? {},
    id: callID,
    servers: wire.servers,
    cwd: textOf(wire.cwd) ?? "/",
  });

const readers: Readonly<Record<string, Reader>> = {
  "event.session.created": ({ properties }) => {
    const info = fieldsIn(properties.info);
    if (textOf(info.parentID) !== undefined) return undefined; // a subagent's start is its first prompt
    const session = textOf(properties.sessionID) ?? textOf(info.id);
    return { event: "SessionStart", session, cwd: textOf(info.directory), parts: partsOf({ source: "startup" }) };
  },
  "session.resumed": ({ input }) => ({
    event: "SessionStart",
    session: textOf(input.sessionID),
    parts: partsOf({ source: "resume" }),
  }),
  "chat.message": ({ input, output, isSubagent }) => {
    const message = fieldsIn(output.message);
    const written = Array.isArray(output.parts) ? output.parts.map(fieldsIn) : [];
    const prompt = written
      .filter(({ type, synthetic }) => type === "text" && synthetic !== true)
      .map(({ text }) => textOf(text) ?? "")
      .join("\n");
    if (isContinuation(prompt)) return undefined;
    const model = fieldsIn(message.model);
    const data = { prompt, ...(textOf(model.modelID) !== undefined && { model: model.modelID ?? null }) };
    return {
      event: isSubagent ? "SubagentStart" : "UserPromptSubmit",
      session: textOf(input.sessionID),
      happening: message.id,
      parts: partsOf(data),
    };
  },
  "tool.execute.before": ({ input, output, wire }) => ({
    event: "PreToolUse",
    session: textOf(input.sessionID),
    happening: input.callID,
    parts: calledIn(wire, input, output.args),
  }),
  "tool.execute.after": ({ input, output, wire }) => ({
    event: "PostToolUse",
    session: textOf(input.sessionID),
    happening: input.callID,
    parts: calledIn(wire, input, input.args).map((one) => ({
      ...one,
      ...(one.accepts && { accepts: informed }),
      data: { ...one.data, tool_response: output },
    })),
  }),
  "event.message.part.updated": ({ properties, wire }) => {
    const part = fieldsIn(properties.part);
    const state = fieldsIn(part.state);
    if (part.type !== "tool" || state.status !== "error") return undefined;
    return {
      event: "PostToolUseFailure",
      session: textOf(part.sessionID),
      happening: part.callID,
      parts: calledIn(wire, part, state.input).map(({ accepts: _none, ...one }) => ({
        ...one,
        data: { ...one.data, error: textOf(state.error) ?? "the call failed" },
      })),
    };
  },
  "event.session.idle": ({ properties, wire, isSubagent }) => {
    const data = {
      ...(isSubagent ? { status: "completed" } : { stop_hook_active: wire.continued === true }),
      ...(textOf(wire.text) !== undefined && { last_assistant_message: wire.text ?? null }),
    };
    const accepts = isSubagent || wire.continues === true ? {} : { accepts: endsWithTurn };
    return {
      event: isSubagent ? "SubagentStop" : "Stop",
      session: textOf(properties.sessionID),
      parts: [{ ...accepts, data }],
    };
  },
  "event.session.error": ({ properties }) => {
    const error = fieldsIn(properties.error);
    const message = textOf(fieldsIn(error.data).message);
    const isAbort = error.name === "MessageAbortedError";
    return {
      event: isAbort ? "Interrupt" : "StopFailure",
      session: textOf(properties.sessionID),
      parts: partsOf({
        error: textOf(error.name) ?? "unknown",
        ...(message !== undefined && { error_details: message }),
      }),
    };
  },
  "experimental.session.compacting": ({ input }) => ({
    event: "PreCompact",
    session: textOf(input.sessionID),
    parts: partsOf({ trigger: "auto" }),
  }),
  "event.session.compacted": ({ properties }) => ({
    event: "PostCompact",
    session: textOf(properties.sessionID),
    parts: partsOf({ trigger: "auto" }),
  }),
  "event.file.watcher.updated": ({ properties: { file, event } }) => ({
    event: "FileChanged",
    parts: partsOf({ file_path: textOf(file) ?? "", event: textOf(event) ?? "change" }),
  }),
  dispose: () => ({ event: "SessionEnd", parts: partsOf({ reason: "other" }) }),
};

/** Hooks of its plugins that say nothing which hooks here could hear of. */
const unheard: ReadonlySet<string> = new Set(
  (
    "plugin.init config tool auth provider chat.params chat.headers permission.ask command.execute.before shell.env tool.definition " +
    "experimental.chat.messages.transform experimental.chat.system.transform experimental.text.complete " +
    "experimental.compaction.autocontinue experimental.provider.small_model"
  ).split(" "),
);

function decode(given: unknown, options: DecodeOptions): HookEvent[] {
  const wire = fieldsOf(given, where);
  const hook = textOf(wire.hook);
  if (hook === undefined)
    throw new HooklineError("input_invalid", {
      reason: "it names no hook",
      where,
      advice: 'name the plugin\'s hook in its field "hook"',
    });
  const read = Object.hasOwn(readers, hook) ? readers[hook] : undefined;
  if (!read) {
    if (unheard.has(hook) || hook.startsWith("event.")) return [];
    throw new HooklineError("event_unknown", { name: hook, where });
  }
  const input = fieldsIn(wire.input);
  const subagent = fieldsIn(wire.subagent);
  const id = textOf(subagent.id);
  const type = textOf(subagent.type);
  const meant = read({
    ...{ input, output: fieldsIn(wire.output), properties: fieldsIn(input.properties) },
    ...{ wire, isSubagent: id !== undefined },
  });
  if (!meant) return [];
  const { event, happening, parts = [] } = meant;
  const session = textOf(wire.sessionID) ?? meant.session;
  const agent = id === undefined ? {} : { agent: { id, ...(type === undefined ? {} : { type }) } };
  const identity: Fields =
    id === undefined ? {} : { agent_id: id, ...(type === undefined ? {} : { agent_type: type }) };
  const {
    hook: _hook,
    cwd,
    input: _input,
    output: _output,
    subagent: _subagent,
    sessionID: _session,
    ...others
  } = wire;
  const { servers: _servers, continues: _continues, continued: _continued, text: _text, ...rest } = others;
  return parts.map(({ data, accepts, nativeTool }, index) => ({
    id: options.id(),
    name: event,
    at: options.at,
    ...placeOf({ session, cwd: cwd ?? meant.cwd, given: options.cwd, where }),
    data: { ...rest, ...identity, ...data },
    sender: name,
    accepts: accepts ?? capabilities[event] ?? [],
    ...(verdicts[event] && { verdicts: verdicts[event] }),
    ...(nativeTool !== undefined && { nativeTool }),
    ...agent,
    ...deliveryOf(event, { session, happening: keyOf(happening, index), by: options.registration }),
  }));
}

/** Each file of a patch is a delivery of its own. */
const keyOf = (happening: unknown, index: number): unknown =>
  index > 0 && textOf(happening) !== undefined ? `${String(happening)} ${index}` : happening;

function nativeOf({ data }: HookEvent, wire: unknown): Native {
  const tool = isFields(wire) ? fieldsIn(fieldsIn(wire.input)).tool : undefined;
  return {
    input: (input) =>
      data.tool_name?.toString().startsWith("mcp__") ? input : nativeInput(tools, wordOf(tool), input),
    output: (output) => textOfResult(output, ["output", "stdout", "content"]),
  };
}

const isHeadless: AgentAdapter["isHeadless"] = ({ data }) => data.headless === true;

type Home = Pick<Places, "home" | "environment">;
const configFolder = ({ home, environment }: Home): string => {
  const said = environment?.XDG_CONFIG_HOME;
  return join(said && isAbsolute(said) ? said : join(home, ".config"), "opencode");
};
const pluginFile = "plugin/hookline.js";

/** A payload as the plugin makes it, of the event's own hook. */
const canary: AgentAdapter["canary"] = (event, { session, cwd }) => {
  const [hook] = canaryHooks[event] ?? ["dispose"];
  const input = canaryHooks[event]?.[1] ?? {};
  return { hook: hook ?? "dispose", sessionID: session, cwd, input, output: {}, ...canaryHooks[event]?.[2] };
};
const ofSubagent: Fields = { subagent: { id: "doctor" } };
const canaryHooks: Readonly<Partial<Record<AgentEventName, readonly [hook: string, input?: Fields, more?: Fields]>>> = {
  SessionStart: ["session.resumed"],
  UserPromptSubmit: ["chat.message"],
  SubagentStart: ["chat.message", {}, ofSubagent],
  PreToolUse: ["tool.execute.before", { tool: "bash" }],
  PostToolUse: ["tool.execute.after", { tool: "bash" }],
  PostToolUseFailure: [
    "event.message.part.updated",
    { properties: { part: { type: "tool", tool: "bash", state: { status: "error" } } } },
  ],
  Stop: ["event.session.idle"],
  SubagentStop: ["event.session.idle", {}, ofSubagent],
  StopFailure: ["event.session.error"],
  Interrupt: ["event.session.error", { properties: { error: { name: "MessageAbortedError" } } }],
  PreCompact: ["experimental.session.compacting"],
  PostCompact: ["event.session.compacted"],
  FileChanged: ["event.file.watcher.updated"],
};

const lineFolders = ["command", "commands", "agent", "agents", "skill", "skills"];
/** Its tools are code as its plugins are. */
const codeFolders = ["plugin", "plugins", "tool", "tools"];

export const opencode: AgentAdapter = {
  name,
  title: "OpenCode",
  program: { name: "opencode", measured: "1.18.33" },
  capabilities,
  verdicts,
  // The plugin reports no failure that is its own refusal (1.18.33).
  reports: { id: "tool_use_id", failures: "ran" },
  sends: new Set(events),
  decode,
  isHeadless,
  encode: replies.encode,
  refuse: refuseByExit,
  canary,
  files: {
    agent: name,
    format: { name, family: name, tools: [...Object.keys(tools), patchTool] },
    markers: [".opencode"],
    loads: {
      places: [
        ...["opencode.json", "opencode.jsonc"],
        ...codeFolders.flatMap((one) => [`.opencode/${one}`, `.config/opencode/${one}`]),
      ],
      lines: {
        folders: lineFolders.flatMap((one) => [`.opencode/${one}`, `.config/opencode/${one}`]),
        moved: (home) => lineFolders.map((one) => join(configFolder(home), one)),
        forms: ["anywhere"],
      },
      moved: (home) => codeFolders.map((one) => join(configFolder(home), one)),
      program: {
        names: ["opencode", "opencode-ai"],
        commands: { plugin: [], plug: [] },
        flags: ["--pure"],
        variables: [
          "OPENCODE_CONFIG",
          "OPENCODE_CONFIG_DIR",
          "OPENCODE_CONFIG_CONTENT",
          "OPENCODE_PURE",
          "OPENCODE_DISABLE_PROJECT_CONFIG",
          "OPENCODE_TEST_HOME",
        ],
      },
    },
    variables: {
      ...{ prefix: "OPENCODE", given: "to its own", namesProject: true },
      ofShell: ["OPENCODE"],
      ofSession: ["OPENCODE", "OPENCODE_PID"],
    },
  },
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself: () => false,
  settings: {
    file: (layer, places) =>
      layer === "user" ? join(configFolder(places), pluginFile) : join(places.root, ".opencode", pluginFile),
    layers: ["user", "project"],
    editor: {
      is: "owned file",
      print: (printed) => printOwnFile(ownText(import.meta.url, "./plugin.js"), printed, timeout),
    },
    events: events.filter((event) => event !== "FileChanged"),
    onlyWanted: ["FileChanged"],
    timeout,
    alsoReadBy: {},
    afterInstall: "OpenCode loads its plugins when it starts: restart it",
    layerNotes: {
      project:
        "OpenCode installs its package @opencode-ai/plugin (63 MB) into .opencode when it starts there: leave node_modules out of git",
    },
    switches: {},
  },
};
