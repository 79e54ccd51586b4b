/** Gemini CLI 0.61.0: its files, its payloads, its replies, and what install registers. Loaded on every event. */
import { isAbsolute, join } from "node:path";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Outcome, OutcomeField } from "../../engine/outcome.ts";
import { fieldsIn, isRecord } from "../../engine/schema.ts";
import type { AgentAdapter, AgentSettings, DecodeOptions, HookFiles, InstallLayer, Places } from "../adapter.ts";
import { asContinuation, isContinuation, momentOf } from "../continuation.ts";
import { canonicalCall, nativeInput } from "../native-tools.ts";
import { deliveryOf, eventNamed, fieldsOf, placeOf, stopAtEnd, textOf, wordOf } from "../payload.ts";
import {
  additional,
  createReplies,
  type Replies,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  shown,
  stopped,
} from "../replies.ts";
import { failureIn, serverTool, ownNames as toolNames, tools } from "./tools.ts";

// What it takes as an answer, event by event: one table for its capabilities and for its replies.

/** continue: refusing means going on, and the reason comes back as a prompt. */
type GeminiRow = ReplyRow<"deny" | "continue"> & { is: string };

const told = ["context", "messages"] as const;
const denied = { refuses: "deny", verdicts: ["deny"] } as const;
const held = { refuses: "continue", verdicts: ["deny"] } as const;

/**
 * Measured: what is not here had no effect. A question is none either: without a person to answer it, Gemini CLI waits for ever.
 * PreCompress comes before every call of the model, and the events of the model are not ours: none of them is registered.
 */
const rows: ReplyRows<GeminiRow> = {
  SessionStart: { is: "SessionStart", accepts: told },
  SessionEnd: { is: "SessionEnd", accepts: [] },
  UserPromptSubmit: { is: "BeforeAgent", ...denied, accepts: ["verdict", "stop", ...told] },
  PreToolUse: { is: "BeforeTool", ...denied, accepts: ["verdict", "stop", "updatedInput", "messages"] },
  PostToolUse: { is: "AfterTool", ...denied, accepts: ["verdict", "stop", ...told] },
  PostToolUseFailure: { is: "AfterTool", ...denied, accepts: ["verdict", "stop", "messages"] },
  Notification: { is: "Notification", accepts: [] },
  Stop: { is: "AfterAgent", ...held, accepts: ["verdict", "stop", "messages"] },
};
const replies: Replies<GeminiRow> = createReplies(rows, {
  accepts: acceptedBy,
  top: (row, outcome, { event }) => ({
    ...stopped(outcome),
    ...refusal(row, event, outcome),
    ...shown(row, outcome),
  }),
  specific: (row, outcome, { wire }) => ({ ...rewritten(outcome, wire), ...additional(row, outcome) }),
});

/** Of a tool that failed the model gets the error alone; a command that ended with another code than 0 did not fail for Gemini CLI. */
function acceptedBy({ name, data }: Pick<HookEvent, "name" | "data">): readonly OutcomeField[] {
  const { tool_response: response } = data;
  const told = name === "PostToolUseFailure" && isRecord(response) && !isRecord(response.error);
  return replies.rowNamed(told ? "PostToolUse" : name)?.accepts ?? [];
}

/** A stop is not refused as well: the refusal would make the agent go on. */
function refusal({ refuses }: GeminiRow, { session }: HookEvent, outcome: Outcome): Fields {
  if (outcome.verdict?.is !== "deny" || refuses === undefined) return {};
  const reason = reasonOf(outcome);
  if (refuses === "deny") return { decision: "deny", reason };
  return outcome.stop ? {} : { decision: "deny", reason: asContinuation(reason, session) };
}

function rewritten({ updatedInput, verdict, stop }: Outcome, wire: unknown): Fields {
  if (!updatedInput || stop || verdict?.is === "deny") return {};
  const { tool_name } = fieldsIn(wire);
  return { tool_input: nativeInput(tools, wordOf(tool_name), updatedInput) };
}

const name = "gemini";
const where = `the payload of ${name}`;
const { capabilities, verdicts, events } = replies;

const meant: Readonly<Record<string, AgentEventName>> = {
  BeforeAgent: "UserPromptSubmit",
  BeforeTool: "PreToolUse",
  AfterTool: "PostToolUse",
  AfterAgent: "Stop",
};
/** What comes before and after every call of the model, and says nothing that hooks wait for. */
const passedOver: ReadonlySet<unknown> = new Set(["PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection"]);

function decode(wire: unknown, options: DecodeOptions): HookEvent[] {
  const { session_id, cwd, hook_event_name, timestamp, ...rest } = fieldsOf(wire, where);
  const called = hook_event_name ?? options.event;
  if (passedOver.has(called)) return [];
  const session = textOf(session_id);
  const { name: event, data, nativeTool } = ofEvent(eventNamed(called, where, meant), rest);
  if (event === "UserPromptSubmit" && isContinuation(data.prompt, session)) return [];
  const { tool_name = null, tool_input = null } = data;
  return [
    {
      id: options.id(),
      name: event,
      at: options.at,
      ...placeOf({ session, cwd, given: options.cwd, where }),
      data,
      sender: name,
      accepts: acceptedBy({ name: event, data }),
      ...(verdicts[event] && { verdicts: verdicts[event] }),
      ...(nativeTool !== undefined && { nativeTool }),
      ...deliveryOf(event, {
        session,
        happening: momentOf(Date.parse(wordOf(timestamp)), tool_name, tool_input),
        by: options.registration,
      }),
    },
  ];
}

interface Meant {
  name: AgentEventName;
  data: Fields;
  nativeTool?: string | undefined;
}

function ofEvent(event: AgentEventName, fields: Fields): Meant {
  if (rowOf(event).matchTool) return ofTool(event, fields);
  return { name: event, data: { ...fields, ...filledIn[event]?.(fields) } };
}

function ofTool(event: AgentEventName, { tool_name, tool_input, ...rest }: Fields): Meant {
  const written = textOf(tool_name) ?? "";
  const ofServer = serverTool(rest.mcp_context);
  const { nativeTool, ...call } =
    ofServer === undefined
      ? canonicalCall(tools, written, tool_input)
      : { tool_name: ofServer, tool_input: tool_input ?? {}, nativeTool: written };
  const data = { ...rest, ...call };
  const error = event === "PostToolUse" ? failureIn(call.tool_name, rest.tool_response) : undefined;
  return error === undefined
    ? { name: event, data, nativeTool }
    : { name: "PostToolUseFailure", data: { ...data, error }, nativeTool };
}

/** What SessionStart's hooks have said stands before the person's words. */
const withoutContext = (prompt: Json | undefined): Fields =>
  typeof prompt === "string" ? { prompt: prompt.replace(/^<hook_context>[\s\S]*?<\/hook_context>\n\n/, "") } : {};

/** What hooks look for and Gemini CLI says otherwise. */
const filledIn: { readonly [N in AgentEventName]?: (data: Fields) => Fields } = {
  UserPromptSubmit: ({ prompt }) => withoutContext(prompt),
  Stop: ({ prompt, prompt_response }) => ({
    ...withoutContext(prompt),
    ...(prompt_response !== undefined && { last_assistant_message: prompt_response }),
  }),
  SessionEnd: ({ reason }) => (reason === "exit" ? { reason: "other" } : {}),
};

const title = "Gemini CLI";
const ownFile = ".gemini/settings.json";

export const geminiHome = ({ home, environment }: Pick<Places, "home" | "environment">): string => {
  const said = environment?.GEMINI_CLI_HOME;
  return said && isAbsolute(said) ? said : home;
};

const fileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? geminiHome(places) : places.root, ownFile);

const readsExtensions = ["list", "validate"];

const hookFiles: HookFiles = {
  agent: name,
  format: { name, family: name, tools: toolNames },
  movedBy: ["GEMINI_CLI_HOME"],
  markers: [],
  loads: {
    places: [".gemini/extensions", ".gemini/hooks"],
    ofPlugin: ["gemini-extension.json"],
    lines: {
      folders: [".gemini/commands", ".gemini/skills", ".gemini/agents"],
      forms: ["braced"],
      extensions: [".gemini/extensions"],
    },
    moved: ({ environment }) => {
      const said = environment?.GEMINI_CLI_HOME;
      return said && isAbsolute(said) ? [join(said, ".gemini/extensions")] : [];
    },
    program: {
      names: ["gemini"],
      commands: {
        extensions: readsExtensions,
        extension: readsExtensions,
        hooks: [],
        skills: ["list"],
        skill: ["list"],
      },
    },
  },
  variables: {
    prefix: "GEMINI",
    given: "to its own",
    namesProject: true,
    others: ["GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_CLI_"],
    ofShell: ["GEMINI_CLI", "GEMINI_SESSION_ID"],
    ofSession: ["GEMINI_CLI", "GEMINI_CWD", "GEMINI_PLANS_DIR"],
  },
};

const ownNames = Object.fromEntries(events.map((event) => [event, replies.rowNamed(event)?.is ?? event]));

const settings: AgentSettings = {
  file: fileOf,
  layers: ["user", "project"],
  editor: { is: "JSON groups", names: ownNames, timeoutIn: "milliseconds" },
  events: events.filter((event) => event !== "PostToolUseFailure"),
  onlyWanted: [],
  timeout: 660,
  alsoReadBy: {},
  switches: {},
  afterInstall:
    "Gemini CLI runs a repository's hooks only in folders that you trust: it asks when you start it there (or run /permissions); those of your home always run",
};

export const gemini: AgentAdapter = {
  name,
  title,
  program: { name: "gemini", measured: "0.61.0" },
  capabilities,
  verdicts,
  // AfterTool comes after what ran, failed or not; nothing has an id (0.61.0).
  reports: { failures: "ran" },
  sends: new Set<AgentEventName>([...events, "SessionStop"]),
  decode,
  canary: (event, { session, cwd }) => ({
    hook_event_name: replies.rowNamed(event)?.is ?? event,
    session_id: session,
    cwd,
  }),
  derived: stopAtEnd,
  encode: replies.encode,
  refuse: replies.refuse,
  files: hookFiles,
  recorded: async () => (await import("./recorded-calls.ts")).recorded,
  readsItself: () => false,
  settings,
};
