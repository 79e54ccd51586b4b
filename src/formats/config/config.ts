/** What `hookline.yaml` and the user's `config.yaml` say beside hooks: one shape, plain JSON, kept with the compiled hooks. */

import type { ShellSettings } from "../../engine/effects.ts";
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import type { UnansweredAsk } from "../../engine/ports.ts";
import type { Place } from "../reading/tree.ts";

export interface Config {
  /** App files of specification 003, by absolute path. */
  apps: string[];
  /** Modules that register conditions, actions and hooks: an absolute path, or a package's name with the file that names it. */
  /** `at`: where `from` names it. */
  extensions: { name: string; from: string; at?: Place }[];
  mcpServers: { [name: string]: McpServer };
  models: ModelSettings;
  languageServers: { [name: string]: LanguageServer | false };
  engine: EngineSettings;
  /** Where runs of automations are reported, by name. Only from the user's own file. */
  notifications: { [name: string]: NoticeChannel };
  /** Those that get notices where neither a hook nor its project names any; absent: none. */
  notify?: string[];
  /** Senders of events from outside, by name. Only from the user's own file. */
  webhooks: { [name: string]: InboundWebhook };
  memory: MemorySettings;
  budgets: Budgets;
  /** The built-in guard asks about changes of hooks. Only from the user's own file. */
  selfProtection?: boolean;
  /** What becomes of a hook's question where no person can answer; absent: deny. Only from the user's own file. */
  headlessAsk?: UnansweredAsk;
  /** What the person says of shells and programs. Only from the user's own file. */
  shell?: ShellSettings;
  /** Where the daemon sends traces and metrics, and who may read them. Only from the user's own file. */
  telemetry?: TelemetrySettings;
}

/** Milliseconds. What is absent has the usual budget of its event. */
export interface Budgets {
  /** For the hooks of an event together, by the event's own name. */
  events?: { [event: string]: number };
  /** For one hook, by its name or id. */
  hooks?: { [hook: string]: number };
}

/** `hook_engine` of specification 000; what is absent holds as there. */
export interface EngineSettings {
  enabled?: boolean;
  max_concurrent_hooks?: number;
  file_watcher_enabled?: boolean;
  file_watcher_poll_interval?: Seconds;
  file_watcher_debounce_seconds?: Seconds;
}

/** `${NAME}` in values is filled from the environment. */
export type NoticeChannel = { events?: NoticeKind[]; summary_length?: number } & (
  | { kind: "discord"; webhook_url: string }
  | { kind: "discord"; bot_token: string; channel_id: string }
  | { kind: "slack"; webhook_url: string }
  | { kind: "webhook"; url: string; headers?: { [name: string]: string }; secret?: string }
);
export const noticeKinds = ["started", "tools", "completed", "skipped", "failed"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export interface InboundWebhook {
  /** `whsec_…` of Standard Webhooks; `${NAME}` is filled from the environment. */
  secret: string;
  /** The event that its messages become. Default: their own `type`. */
  event?: string;
  project?: string;
}

export interface MemorySettings {
  /** A model that makes embeddings, as provider/model, of a provider that speaks OpenAI's protocol. Absent: words alone. */
  embeddings?: string;
}

/** What a project's file named, so that it may not lead everywhere. */
interface Named {
  ofProject?: true;
}

export const telemetrySignals = ["traces", "metrics"] as const;
/** `${NAME}` in values is filled from the environment. */
export interface TelemetrySettings {
  /** false: nothing is sent, whatever variables say. */
  enabled?: boolean;
  /** A collector that speaks OTLP over HTTP. Absent: what OpenTelemetry's variables say. */
  endpoint?: string;
  headers?: { [name: string]: string };
  service_name?: string;
  signals?: (typeof telemetrySignals)[number][];
  contents?: boolean;
  metrics_interval?: Seconds;
  /** Opens `GET /metrics` of the daemon, and nothing else. */
  scrape_token?: string;
}

/** `${NAME}` in values is filled from the environment. */
export type McpServer =
  | { command: string; args?: string[]; env?: { [name: string]: string }; cwd?: string; timeout?: Seconds }
  | ({ url: string; headers?: { [name: string]: string }; timeout?: Seconds } & Named);

export const providerKinds = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderKind = (typeof providerKinds)[number];
export interface Provider extends Named {
  kind: ProviderKind;
  url?: string;
  /** The environment variable that holds the key. */
  key_variable?: string;
  /** Only from the user's own file. */
  key?: string;
  headers?: { [name: string]: string };
}
export interface ModelSettings {
  /** provider/model */
  default?: string;
  providers?: { [name: string]: Provider };
  /** Context sizes in tokens, by the beginning of a model's name. */
  windows?: { [model: string]: number };
}

export interface LanguageServer {
  command: string;
  args?: string[];
  /** With the dot. */
  extensions: string[];
  /** LSP's language id. Default: by extension. */
  language?: string;
  initialization?: Fields;
  settings?: { [section: string]: Json };
}

export const emptyConfig: Config = {
  apps: [],
  extensions: [],
  mcpServers: {},
  models: {},
  languageServers: {},
  engine: {},
  notifications: {},
  webhooks: {},
  memory: {},
  budgets: {},
};
