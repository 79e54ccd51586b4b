/** The event table: all that the engine knows about each event. Names stand here and nowhere else in core. */
import {
  type AgentEventName,
  type AgentEvents,
  type Counter,
  type EventName,
  type Fields,
  type Figures,
  firstTurn,
  type HookEvent,
  ownTurn,
  type Turn,
  textField,
} from "./event.ts";
import type { OutcomeField, VerdictKind } from "./outcome.ts";
import { isRecord } from "./schema.ts";

/** What an answer with which an agent goes on costs it: the main agent and each other one count their own, per user prompt (R98). */
interface Costs {
  fields: readonly OutcomeField[];
  counter: Counter;
  max: number;
  /** The payload's field that names who goes on, where the event names no agent. */
  agent?: string;
}

export interface EventRow<Data = Fields> {
  /** Other names of the event, resolved at load, never at run time (R2). */
  aliases?: readonly string[];
  /** The payload field that a matcher is compared with; without it a matcher is ignored (R38). */
  matchOn?: keyof Data & string;
  /** The field holds a file path: matchers see its base name, and names may hold dots. */
  matchFile?: true;
  /** The field holds a tool's name: matchers also see its native name, and its class in lists (R11). */
  matchTool?: true;
  /** The values that agents send, where the set is closed. */
  values?: readonly string[];
  accepts: readonly OutcomeField[];
  verdicts?: readonly VerdictKind[];
  /** sync: the sender waits for the outcome. async: fire and forget (R51). */
  mode: "sync" | "async";
  rewrites?: { updatedInput?: keyof Data & string; updatedOutput?: keyof Data & string };
  /** Hooks on that event hear this one too: they judge the same, in another place. */
  judgedAs?: AgentEventName;
  /** What an answer costs, counted per user prompt (R8). A row's counter is spent once per event. */
  costs?: Costs;
  /** The agent that it names is the session's from here on. */
  beginsTurn?: true;
  /** A hook file that cannot be read never denies it: a person can always write, and the agent can always end (R76). */
  staysOpen?: true;
  /** The session begins: what it is compared with later is how things are now. */
  beginsSession?: true;
  /** The session is over: its own hooks go (specification 002). */
  endsSession?: true;
  /** Notices of this kind that are waiting deny the event: the conversation goes on with them (R61). */
  holdsOpenFor?: Counter;
  /** The sender says that a hook has made it go on already: the only cap where there is no session to count in. */
  isContinuation?(data: Fields): boolean;
  turn?(before: Turn, data: Fields): Turn;
  /** What it is to the calls that hooks judge; see receipt.ts. */
  calls?: CallRole;
  /** The session begins and no turn of it goes on, which one that was cut short would have left. */
  beginsAnew?(data: Fields): boolean;
}

/** A call is judged, or asked for once more, or judged and never reported; it ran, or has failed; or none of some is due any more. */
type CallRole =
  | "judged"
  | "asked for"
  | "never reported"
  | "ran"
  | "failed"
  | "batch over"
  | "turn over"
  | "agent over"
  | "session over"
  | "session begins";

/** Agents also submit prompts of their own (a background task has ended): those do not renew what a session may spend. */
const fromPerson = (data: Fields): boolean => {
  const source = textField(data, "source");
  return source === undefined || source === "user" || source === "sdk";
};

const inFlight = (tool: string | undefined): Pick<Turn, "tool"> => (tool === undefined ? {} : { tool });

/** A call and its result are two messages of the conversation. */
function afterTool({ tool: _ended, ...before }: Turn, toolFailed: boolean): Turn {
  return { ...before, toolFailed, messages: before.messages + 2 };
}

/** A tool may say in its result that it failed, where the agent takes any result for a success. */
export const hasFailed = ({ tool_response: response, error }: Fields): boolean =>
  (isRecord(response) && response.success === false) || (typeof error === "string" && error !== "");

const notices = ["messages", "suppressOutput", "extra"] as const;
/** Hints for the router of the work (specification 001); agents take them as context, where they take that. */
const hints = ["suggestions", "documents", "intent", "followUps"] as const;
const decided = ["verdict", "stop", "context", "compact", ...hints, ...notices] as const;
const goesOn = (data: Fields): boolean => data.stop_hook_active === true;
const reprompt = { fields: ["verdict", "context"], counter: "reprompts", max: 3 } as const;
const compactions = ["manual", "auto"] as const;

/** The 34 events of Claude Code 2.1.332, and Interrupt and SessionStop (R1). */
export const events: { readonly [N in AgentEventName]: EventRow<AgentEvents[N]> } = {
  SessionStart: {
    calls: "session begins",
    beginsAnew: ({ source }) => source === "startup" || source === "resume",
    aliases: ["session_start"],
    matchOn: "source",
    values: ["startup", "resume", "clear", "compact", "fork"],
    accepts: ["context", "compact", "firstMessage", "sessionTitle", "watchPaths", "reloadSkills", ...hints, ...notices],
    mode: "sync",
    beginsTurn: true,
    beginsSession: true,
  },
  SessionEnd: {
    calls: "session over",
    aliases: ["session_end"],
    matchOn: "reason",
    values: ["clear", "resume", "logout", "prompt_input_exit", "other"],
    accepts: [],
    mode: "async",
    endsSession: true,
  },
  SessionStop: { accepts: ["verdict", ...hints, ...notices], mode: "sync" },
  Setup: { matchOn: "trigger", values: ["init", "maintenance"], accepts: ["context", ...notices], mode: "sync" },
  InstructionsLoaded: {
    matchOn: "load_reason",
    values: ["session_start", "nested_traversal", "path_glob_match", "include", "compact"],
    accepts: [],
    mode: "async",
  },
  UserPromptSubmit: {
    calls: "turn over",
    aliases: ["turn_start", "user_prompt", "PromptSubmit"],
    accepts: [...decided, "sessionTitle", "suppressPrompt"],
    mode: "sync",
    beginsTurn: true,
    staysOpen: true,
    turn: (before, data) => ({
      ...before,
      number: before.number + 1,
      prompt: textField(data, "prompt") ?? "",
      messages: before.messages + 1,
      toolCalls: 0,
      toolFailed: false,
      error: "",
      ...(fromPerson(data) && { prompts: (before.prompts ?? 0) + 1, spent: firstTurn.spent }),
    }),
  },
  UserPromptExpansion: { matchOn: "command_name", accepts: [...decided, "suppressPrompt"], mode: "sync" },
  PreToolUse: {
    calls: "judged",
    aliases: ["tool_start", "pre_tool_use", "PreAbilityCall"],
    matchOn: "tool_name",
    matchTool: true,
    accepts: [...decided, "updatedInput"],
    verdicts: ["deny", "ask", "allow", "defer"],
    mode: "sync",
    rewrites: { updatedInput: "tool_input" },
    turn: (before, data) => ({ ...before, toolCalls: before.toolCalls + 1, ...inFlight(textField(data, "tool_name")) }),
  },
  PreSkillShellCommand: {
    calls: "never reported",
    matchOn: "tool_name",
    matchTool: true,
    accepts: [...decided, "updatedInput"],
    verdicts: ["deny", "ask", "defer"],
    mode: "sync",
    rewrites: { updatedInput: "tool_input" },
    judgedAs: "PreToolUse",
  },
  PostToolUse: {
    calls: "ran",
    aliases: ["tool_end", "post_tool_use", "PostAbilityCall"],
    matchOn: "tool_name",
    matchTool: true,
    accepts: [...decided, "updatedOutput"],
    mode: "sync",
    rewrites: { updatedOutput: "tool_response" },
    turn: (before, data) => afterTool(before, hasFailed(data)),
  },
  PostToolUseFailure: {
    calls: "failed",
    aliases: ["tool_end", "post_tool_use", "PostAbilityCall"],
    matchOn: "tool_name",
    matchTool: true,
    accepts: decided,
    mode: "sync",
    turn: (before, data) => ({ ...afterTool(before, true), error: textField(data, "error") ?? "" }),
  },
  PostToolBatch: { calls: "batch over", accepts: decided, mode: "sync" },
  PermissionRequest: {
    calls: "asked for",
    aliases: ["approval_request"],
    matchOn: "tool_name",
    matchTool: true,
    accepts: ["verdict", "updatedInput", "permissions", "interrupt", ...notices],
    verdicts: ["deny", "allow"],
    mode: "sync",
    rewrites: { updatedInput: "tool_input" },
  },
  PermissionDenied: { matchOn: "tool_name", matchTool: true, accepts: ["retry", ...notices], mode: "sync" },
  Notification: { matchOn: "notification_type", accepts: ["context", ...notices], mode: "sync" },
  Stop: {
    calls: "turn over",
    aliases: ["turn_end"],
    accepts: decided,
    mode: "sync",
    costs: reprompt,
    staysOpen: true,
    holdsOpenFor: "rewakes",
    isContinuation: goesOn,
    turn: (before, data) => ({
      ...before,
      answer: textField(data, "last_assistant_message") ?? before.answer,
      messages: before.messages + 1,
    }),
  },
  StopFailure: {
    calls: "turn over",
    aliases: ["error"],
    matchOn: "error",
    accepts: [],
    mode: "async",
    turn: (before, data) => ({ ...before, error: textField(data, "error") ?? "" }),
  },
  Interrupt: { calls: "turn over", accepts: ["messages"], mode: "sync" },
  SubagentStart: { aliases: ["agent_spawn"], matchOn: "agent_type", accepts: ["context", ...notices], mode: "sync" },
  SubagentStop: {
    calls: "agent over",
    aliases: ["agent_complete"],
    matchOn: "agent_type",
    isContinuation: goesOn,
    accepts: decided,
    mode: "sync",
    costs: reprompt,
  },
  PreCompact: {
    aliases: ["pre_compact"],
    matchOn: "trigger",
    values: compactions,
    accepts: ["verdict", "context", ...notices],
    mode: "sync",
  },
  PostCompact: { matchOn: "trigger", values: compactions, accepts: [], mode: "async" },
  PreModelSwitch: {
    matchOn: "to_model",
    accepts: ["verdict", ...notices],
    verdicts: ["deny", "ask", "allow"],
    mode: "sync",
  },
  PostModelSwitch: { matchOn: "to_model", accepts: ["context", ...notices], mode: "sync" },
  TeammateIdle: { accepts: ["verdict", ...notices], mode: "sync", costs: { ...reprompt, agent: "teammate_name" } },
  TaskCreated: { accepts: ["verdict", ...notices], mode: "sync" },
  TaskCompleted: { accepts: ["verdict", ...notices], mode: "sync", costs: { ...reprompt, agent: "teammate_name" } },
  Elicitation: { matchOn: "mcp_server_name", accepts: ["verdict", "elicitation", ...notices], mode: "sync" },
  ElicitationResult: { matchOn: "mcp_server_name", accepts: ["verdict", "elicitation", ...notices], mode: "sync" },
  ConfigChange: {
    matchOn: "source",
    values: ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
    accepts: ["verdict", ...notices],
    mode: "sync",
  },
  WorktreeCreate: { matchOn: "name", accepts: ["verdict", "worktreePath", ...notices], mode: "sync" },
  WorktreeRemove: { matchOn: "worktree_path", accepts: [], mode: "async" },
  CwdChanged: { accepts: ["watchPaths", ...notices], mode: "sync" },
  DirectoryAdded: { matchOn: "source", accepts: [], mode: "async" },
  FileChanged: { matchOn: "file_path", matchFile: true, accepts: ["watchPaths", ...notices], mode: "sync" },
  MessageDisplay: { accepts: ["displayContent"], mode: "sync" },
};

/** Application events (R1) have no row of their own: they take the answers that any embedder can obey. */
const applicationRow: EventRow = { accepts: [...decided], verdicts: ["deny", "ask", "allow"], mode: "sync" };
/** What `activation` means: any application event, wherever it comes from (R2, R62). */
const activation = "channel.activation";
const plainVerdicts: readonly VerdictKind[] = ["deny"];

export const agentEventNames = Object.keys(events) as AgentEventName[]; // the mapped type makes the list complete

export const rowOf = (name: EventName): EventRow =>
  Object.hasOwn(events, name) ? (events[name as AgentEventName] as EventRow) : applicationRow;

export const verdictsOf = (row: EventRow): readonly VerdictKind[] => row.verdicts ?? plainVerdicts;

const byAlias = new Map<string, EventName[]>();
for (const name of agentEventNames) {
  byAlias.set(name, [name]);
  for (const alias of events[name].aliases ?? []) byAlias.set(alias, [...(byAlias.get(alias) ?? []), name]);
}

byAlias.set("activation", [activation]);

/** Where a hook file that cannot be read stands for a failing guard: every event that can be denied, but those that stay open. */
export const guardableEvents: readonly EventName[] = [
  ...agentEventNames.filter((name) => rowOf(name).accepts.includes("verdict") && !rowOf(name).staysOpen),
  activation,
];

/** The field that holds a tool's input, on an event that decides whether the call happens; undefined: it is no such event. */
export const inputOfCall = ({ matchTool, rewrites }: EventRow): string | undefined =>
  matchTool ? rewrites?.updatedInput : undefined;

/** The events that decide about one call, each in its turn. */
export const decidingEvents: readonly AgentEventName[] = agentEventNames.filter((name) => inputOfCall(rowOf(name)));

/** The events that report what became of a call. */
export const callReports: readonly AgentEventName[] = agentEventNames.filter((name) =>
  ["ran", "failed"].includes(rowOf(name).calls ?? ""),
);

/** All names that a hook's author may write, for suggestions. */
export const eventNames: readonly string[] = [...byAlias.keys()];

/** The events that a written name means, or undefined for a name that nothing sends (R2). A dot makes any name good. */
export function resolveEvent(written: string): EventName[] | undefined {
  return byAlias.get(written) ?? (isApplicationEvent(written) ? [written] : undefined);
}

const isApplicationEvent = (name: string): name is `${string}.${string}` => /^[\w-]+(\.[\w-]+)+$/.test(name);

/** Whether hooks on the first of these events hear the second. */
export function hears(listened: readonly EventName[], name: EventName): boolean {
  if (listened.includes(name)) return true;
  if (name.includes(".")) return listened.includes(activation);
  const { judgedAs } = rowOf(name);
  return judgedAs !== undefined && listened.includes(judgedAs);
}

/** The one event that `emit NAME` sends: an alias of two decides by the payload (R62). */
export function eventToEmit(written: string, data: Fields): EventName | undefined {
  const names = resolveEvent(written);
  return names?.find((name) => (textField(data, "error") !== undefined) === failureEvents.has(name)) ?? names?.[0];
}
const failureEvents: ReadonlySet<EventName> = new Set<EventName>(["PostToolUseFailure"]);

/** The session's turn after this event. */
export function advance(event: HookEvent, before: Turn): Turn {
  const row = rowOf(event.name);
  const moved = row.turn?.(before, event.data) ?? before;
  const turn = moved === before ? before : ownTurn(moved);
  const agent = row.beginsTurn ? agentOf(event) : undefined;
  if (!event.figures && !agent) return turn;
  return { ...turn, ...counted(turn, event.figures), ...(agent && { agent }) };
}

/** What a session is begun with may be named by its type alone. */
function agentOf({ agent, data }: HookEvent): Turn["agent"] {
  const type = textField(data, "agent_type");
  return agent ?? (type === undefined ? undefined : { id: type, type });
}

/** Counts only rise: the agent's own files may lag behind its events, and the engine may have begun late. */
const counted = (turn: Turn, figures: Figures = {}): Figures => ({
  ...figures,
  ...(figures.number !== undefined && { number: Math.max(figures.number, turn.number) }),
});
