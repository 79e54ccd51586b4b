/** What `hookline.yaml` and the user's `config.yaml` say beside hooks: one shape, plain JSON, kept with the compiled hooks. */
import type { Fields, Json, Seconds } from "../core/event.ts";

export interface Config {
  /** App files of specification 003, by absolute path. */
  apps: string[];
  /** Modules that register conditions, actions and hooks: an absolute path, or a package's name with the file that names it. */
  extensions: { name: string; from: string }[];
  mcpServers: { [name: string]: McpServer };
  models: ModelSettings;
  languageServers: { [name: string]: LanguageServer | false };
}

/** `${NAME}` in values is filled from the environment. */
export type McpServer =
  | { command: string; args?: string[]; env?: { [name: string]: string }; cwd?: string; timeout?: Seconds }
  | { url: string; headers?: { [name: string]: string }; timeout?: Seconds };

export const providerKinds = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderKind = (typeof providerKinds)[number];
export interface Provider {
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
  /** LSP's language id; by extension unless said. */
  language?: string;
  initialization?: Fields;
  settings?: { [section: string]: Json };
}

export const emptyConfig: Config = { apps: [], extensions: [], mcpServers: {}, models: {}, languageServers: {} };
