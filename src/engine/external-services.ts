/** What hooks can reach outside the engine: tools, models, language servers, and notices to people. */
import type { Fields, HookEvent, Instant, Json, MaybePromise, Seconds } from "./event.ts";

/** What tools answer: text, or JSON where they have structure. */
export interface ToolAnswer {
  ok: boolean;
  output: Json;
  /** What it said in words, where the output is another thing. */
  text?: string;
}
export interface ToolInfo {
  /** module.action */
  name: string;
  description?: string;
  /** JSON Schema of the input. */
  input?: Fields;
  readOnly?: boolean;
}
/** The tools that a project's hooks may call: those of its MCP servers, and the engine's own as module `hookline`. */
export interface Tools {
  /**
   * Rejects with HooklineError tool_unknown, tool_failed.
   *
   * @param event the one whose hook calls: the engine's own operations work where it happened, and bound loops by it
   * @param key the same at each attempt of a call that is repeated after a crash, so that nothing is made twice
   */
  call(name: string, input: Fields, signal: AbortSignal, event?: HookEvent, key?: string): Promise<ToolAnswer>;
  /** @param module only its tools: no server of another one is started for it */
  list(signal: AbortSignal, module?: string): Promise<ToolInfo[]>;
  /** Those of the engine's own that look at this project and at no other; absent: none can be kept to one. */
  within?(project: string): Pick<Tools, "call" | "list">;
  close(): Promise<void>;
}

/** A tool that a model may call. What it throws goes to the model. */
export interface ModelTool {
  name: string;
  description: string;
  input: Fields;
  /** Whose words its results are, where a server gives them: the model reads them with that label. */
  from?: string;
  /** @param key the same at each attempt of this call, where the question is asked again after a crash */
  call(input: Fields, signal: AbortSignal, key?: string): Promise<Json>;
}
export interface ModelRequest {
  /** provider/model; absent: the configured default. */
  model?: string;
  /** In place of `model`, its parts: each that is absent is the configured default's. */
  over?: { provider?: string; model?: string };
  system?: string;
  prompt: string;
  /** JSON Schema of the answer. */
  schema?: Fields;
  /** Of input and output together, over all turns. */
  maxTokens?: number;
  tools?: readonly ModelTool[];
  /** Calls of the model, at most; 1, or 10 where there are tools. */
  turns?: number;
  /** When the answer is too late: nothing is tried again that could not end by then. */
  deadline?: Instant;
  /** Where the provider is, if not where the settings say. */
  url?: string;
  /** Each turn and each call of a tool goes through it: an answer that was billed is not asked for again (R56). */
  step?<T>(name: string, work: (key: string) => MaybePromise<T>): Promise<T>;
  /** Called with all calls of tools so far, whenever one has begun or ended, and of what the turns have cost until then. */
  called?(calls: ModelAnswer["calls"], tokens: ModelAnswer["tokens"]): void;
}
export interface ModelAnswer {
  text: string;
  model: string;
  /** As the provider counted them, cached ones included; `estimated` where it did not. */
  tokens: { input: number; output: number; estimated?: true };
  /** What stood around the answer. */
  said?: string;
  /** The tools that it called, in order. */
  calls: { tool: string; ok: boolean; ms: number /** It was not offered, so nothing was called. */; refused?: true }[];
}
export interface Model {
  /** Rejects with HooklineError model_unknown, model_failed; the latter's facts name the kind of failure and the tokens. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

/** What automations act on (specification 000). Each method may reject with HooklineError. */
export interface Projects {
  project(id: string): MaybePromise<Project | undefined>;
  /** The one that the folder belongs to. A folder that belongs to none gets its own. */
  projectOf(folder: string): MaybePromise<Project>;
  /**
   * Emits task.created.
   *
   * @param key made once: the same key gives the same task, so that a repeated step makes no second one
   * @param event the one whose hook asks
   */
  createTask(task: NewTask, key: string, event?: HookEvent): MaybePromise<{ id: string }>;
  /** Those that fit best first; none where nothing was remembered. */
  searchMemory(search: MemorySearch, signal: AbortSignal): Promise<MemoryHit[]>;
  /** The rows of a named query. Rejects for a name that there is not: "Unknown query: x". */
  query(name: string, params: Fields): MaybePromise<Fields[]>;
}
export interface Project {
  id: string;
  name: string;
  /** The folder that it lies in. */
  workspace?: string;
  repository?: string;
  branch?: string;
}
export interface NewTask {
  title: string;
  description?: string;
  project?: string;
  parent?: string;
  profile?: string;
  workspace?: string;
  branch?: string;
  /** Lower is more urgent; default: 100. */
  priority?: number;
  context?: { type: string; label: string; content: string }[];
  /** Runs and tasks that have to be completed before it may start. */
  dependsOn?: { run?: string; task?: string }[];
}
export interface MemorySearch {
  project?: string;
  query: string;
  limit: number;
  /** Called with what the person should know of how it was found. */
  note?(text: string): void;
}
export interface MemoryHit {
  source: string;
  heading: string;
  content: string;
  /** 0 to 1. */
  similarity: number;
}

/** Lines and columns count from 1. */
export interface Diagnostic {
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
  severity: "error" | "warning" | "information" | "hint";
  message: string;
  source?: string;
  code?: string;
}
export interface Diagnosis {
  file: string;
  /** Absent: none is configured for this file, or it could not be started; `skipped` says which. */
  server?: string;
  skipped?: string;
  diagnostics: Diagnostic[];
}
export interface LanguageServers {
  /** What the language server of this file says of the text; absent: of the file on disk. Rejects with HooklineError. */
  diagnose(file: string, text: string | undefined, signal: AbortSignal): Promise<Diagnosis>;
  close(): Promise<void>;
}

export interface Notice {
  title?: string;
  message: string;
  level: string;
  tag?: string;
}

export interface GitQuestion {
  /** A folder of the repository; the question is asked at the top of its work tree. */
  folder: string;
  /** What follows `git`. */
  words: readonly string[];
  limit: Seconds;
  /** So much of the answer is enough. */
  keptInBytes: number;
}
export type GitReply =
  | { ok: true; stdout: string /** There was more. */; cut: boolean }
  | { ok: false; reason: string /** Absent: it did not end by itself. */; code?: number };
