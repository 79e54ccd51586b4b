/** What can happen: one envelope for every event, and a payload per agent event. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: Json };
/** Unix milliseconds. */
export type Instant = number;
export type Seconds = number;
export type HookId = string;
export type SessionId = string;
export type MaybePromise<T> = T | Promise<T>;

interface Tool {
  tool_name: string;
  tool_input: Fields;
  tool_use_id?: string;
}
interface Stopped {
  stop_hook_active?: boolean;
  last_assistant_message?: string;
}
interface ModelSwitch {
  from_model: string;
  to_model: string;
  source?: string;
}
interface TaskChange {
  task_id: string;
  task_subject?: string;
  task_description?: string;
}

/**
 * Payload of each agent event, named as Claude Code 2.1.332 names it (the superset, R1).
 * Agents send more than is listed here; what is not listed passes through untyped.
 */
export interface AgentEvents {
  SessionStart: { source: string; model?: string };
  SessionEnd: { reason: string };
  SessionStop: { changed_files?: string[] };
  Setup: { trigger: string };
  InstructionsLoaded: { file_path: string; memory_type?: string; load_reason: string };
  UserPromptSubmit: { prompt: string };
  UserPromptExpansion: { expansion_type?: string; command_name: string; command_args?: string; prompt?: string };
  PreToolUse: Tool;
  PreSkillShellCommand: Tool & { command_name?: string; command_source?: string; invoked_by?: string };
  PostToolUse: Tool & { tool_response: Json; duration_ms?: number };
  PostToolUseFailure: Tool & { error: string; is_interrupt?: boolean; duration_ms?: number };
  PostToolBatch: { tool_calls: Fields[] };
  PermissionRequest: Tool & { permission_suggestions?: Fields[] };
  PermissionDenied: Tool & { reason?: string };
  Notification: { message: string; notification_type: string; title?: string };
  Stop: Stopped;
  StopFailure: { error: string; error_details?: string; last_assistant_message?: string };
  Interrupt: Fields;
  SubagentStart: { agent_id?: string; agent_type?: string };
  SubagentStop: Stopped & { agent_id?: string; agent_type?: string };
  PreCompact: { trigger: string; custom_instructions?: string };
  PostCompact: { trigger: string; compact_summary?: string };
  PreModelSwitch: ModelSwitch;
  PostModelSwitch: ModelSwitch;
  TeammateIdle: { teammate_name?: string; team_name?: string };
  TaskCreated: TaskChange;
  TaskCompleted: TaskChange;
  Elicitation: { mcp_server_name: string; message?: string };
  ElicitationResult: { mcp_server_name: string; action: string; content?: Json };
  ConfigChange: { source: string; file_path?: string };
  WorktreeCreate: { name: string };
  WorktreeRemove: { worktree_path: string };
  CwdChanged: { old_cwd: string; new_cwd: string };
  DirectoryAdded: { directory: string; source?: string };
  FileChanged: { file_path: string; event?: string };
  MessageDisplay: { delta?: string; message_id?: string; final?: boolean };
}

export type AgentEventName = keyof AgentEvents;
/** Application events carry a dot, agent events never do (R1). */
export type EventName = AgentEventName | `${string}.${string}`;

/** How often a session may still be pushed on, counted per user prompt (R8). */
export type Counter = "reprompts" | "rewakes" | "injected";

/** What is known of the conversation when an event happens; conditions read it, so they stay pure. */
export interface Turn {
  /** User prompts so far; 0 before the first. */
  number: number;
  /** Those of them that a person wrote, with each of which continuations are counted anew. Absent: none. */
  prompts?: number;
  prompt: string;
  answer: string;
  /** Tool calls of this turn. */
  toolCalls: number;
  messages: number;
  toolFailed: boolean;
  spent: Record<Counter, number>;
  /** Tokens in the context, and how many it holds. */
  tokens?: number;
  window?: number;
  openTasks?: number;
  maxTurns?: number;
  /** The tool in flight. */
  tool?: string;
  /** The last error of this turn. */
  error?: string;
  /** Who works where an event names no agent. */
  agent?: { id: string; type?: string };
}

const turnTable: { readonly [P in keyof Required<Turn>]: true } = {
  ...{ number: true, prompt: true, answer: true, toolCalls: true, messages: true, toolFailed: true, spent: true },
  ...{
    tokens: true,
    window: true,
    openTasks: true,
    maxTurns: true,
    prompts: true,
    tool: true,
    error: true,
    agent: true,
  },
};
/** The names of a turn's fields, those that it may lack included. */
export const turnParts: readonly string[] = Object.keys(turnTable);

/** What an agent's own files say of the conversation, where the engine's count may have begun late. */
export type Figures = Partial<Pick<Turn, "number" | "messages" | "tokens" | "window" | "openTasks" | "maxTurns">>;

export const firstTurn: Turn = {
  number: 0,
  prompt: "",
  answer: "",
  toolCalls: 0,
  messages: 0,
  toolFailed: false,
  spent: { reprompts: 0, rewakes: 0, injected: 0 },
};

/** A turn that hooks may be given: they may write to it, and the first turn of all sessions is not theirs. */
export const ownTurn = (turn: Turn): Turn =>
  turn.spent === firstTurn.spent ? { ...turn, spent: { ...turn.spent } } : turn;

/** Files that differ, named relative to `base`, with forward slashes. */
export interface Changes {
  base: string;
  /** Since the hooks that look at changes last ended in this session (R57); those that were removed included. */
  files: string[];
  /** Those that differ since the session began, but not since then. */
  earlier: string[];
  /** Of both, what is no longer there. */
  removed: string[];
  /** So many were left out. */
  truncated?: number;
}

/** The moment of a clock that an event is for: a hook's cooldown counts from it, however late the run begins (R96). */
export interface Slot {
  slot: Instant;
  /** Clocks were put forward by so much within the cooldown before it: what is meant by the time of day comes that much sooner. */
  forward?: Seconds;
}

/** Nothing runs: what the run is instead, for the record, and why. */
export interface Instead {
  is: "skipped" | "failed";
  because: string;
}

export interface HookEvent {
  id: string;
  name: EventName;
  at: Instant;
  cwd: string;
  data: Fields;
  /** Who gets the reply: "claude-code", "git", "emit". Never compared in core. */
  sender: string;
  session?: SessionId;
  agent?: { id: string; type?: string };
  /** Given by a host, else filled in by the engine when it records the event. */
  turn?: Turn;
  /** Found by `enrich`; goes into the turn when the event is recorded. */
  figures?: Figures;
  /** Found by `enrich`, where a hook looks at changed files; or why they could not be found. */
  changes?: Changes | { unknown: string };
  /** Addresses one hook; force skips limits and enabled, never trust. `because` is the cause that its run names. */
  to?: { hook: HookId; force?: true; because?: string; instead?: Instead } & Partial<Slot>;
  /** The same happening reported twice has one id and two registrations (R36, R49). */
  delivery?: { id: string; by: string };
  /** What the sender's reply can carry; absent means all that the event's row accepts. */
  accepts?: readonly string[];
  /** The verdicts that the sender obeys, where these are fewer than the event's. */
  verdicts?: readonly string[];
  /** A person alone reads the reply, and no model: its texts need no source. */
  readBy?: "person";
  /** A call that does another way what was refused just before: what of it, and how that was answered. */
  rerouted?: Fields;
  /** The sender's own name for the tool, where it differs from the canonical one (R11). */
  nativeTool?: string;
}

/** The payload field, if it is text. */
export function textField(data: Fields, key: string | undefined): string | undefined {
  const value = key === undefined ? undefined : data[key];
  return typeof value === "string" ? value : undefined;
}

/** How many events lie between this one and the first that no hook sent: by it hooks that answer each other come to an end. */
export const depthField = "hookline_depth";
/** How deep is what a program sends that finds it; where it is set, a hook's program runs. */
export const depthVariable = "HOOKLINE_DEPTH";
/** Hooks that send what other hooks answer by sending end here. */
export const deepest = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/** The depth of what is sent in this environment outside of hooks; above 0: a program of a hook sends it. */
export function depthWithin({ [depthVariable]: written }: Environment): number {
  const depth = Number(written);
  return Number.isInteger(depth) && depth > 0 ? depth : 0;
}

/** The depth of what a hook of this event sends. */
export function depthBelow({ data }: HookEvent, environment: Environment): number {
  const depth = data[depthField];
  const own = typeof depth === "number" && depth > 0 ? depth : 0;
  return Math.max(own, depthWithin(environment)) + 1; // an agent that a hook began counts none
}

/** The payload of an event so deep. Throws an Error where that is too deep. */
export function payloadAt(depth: number, data: Fields, name: string): Fields {
  if (depth > deepest) throw new Error(`${deepest} events deep, hooks answer each other: "${name}" was not sent`);
  const { [depthField]: _given, ...payload } = data;
  return depth === 0 ? payload : { ...payload, [depthField]: depth };
}

/** For a process that is no hook's program, whatever started it. */
export function withoutDepth(given: Readonly<Record<string, string>>): Record<string, string> {
  const { [depthVariable]: _depth, ...environment } = given;
  return environment;
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields without those that are undefined: where properties are exact, an absent field and an undefined one differ. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>; // all the others
