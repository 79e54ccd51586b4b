/** The keys of hookline.yaml beside its hooks, in one table: it makes the checks, the JSON Schema and the documentation. */
import type { Fields, Json } from "../../engine/event.ts";
import {
  anything,
  integer,
  isRecord,
  kindOf,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { engineSettings, inboundWebhook, memorySettings, noticeChannel } from "./automation-keys.ts";
import { budgetsSchema } from "./budgets.ts";
import { type LanguageServer, type McpServer, type Provider, providerKinds } from "./config.ts";

const texts = (description: string): Schema<{ [name: string]: string }> => say(mapOf(text()), description);
const timeout: Schema<number> = number("seconds that one call may take", 0);

const program = object(
  { command: text("the program that is started, and spoken to by its standard input and output") },
  {
    args: say(listOf(text()), "its arguments"),
    env: texts("further variables of its environment; ${NAME} in them is filled"),
    cwd: text("the folder it works in; the project's unless said"),
    timeout,
  },
);
const address = object(
  { url: text("the address of a server that is spoken to by streamable HTTP") },
  { headers: texts("sent with each request; ${NAME} in them is filled from the environment"), timeout },
);

export const mcpServer: Schema<McpServer> = {
  json: { anyOf: [program.json, address.json] },
  check: (value, path) => (isRecord(value) && "url" in value ? address : program).check(value, path),
};

export const provider: Schema<Provider> = object(
  { kind: say(oneOf(...providerKinds), "how it is spoken to") },
  {
    url: text("its address, where it is not the provider's own"),
    key_variable: text("the environment variable that holds the key; not in a project's file beside a url"),
    key: text("the key itself; in the user's own file alone"),
    headers: texts("sent with each request"),
  },
);

const languageServerObject: Schema<LanguageServer> = object(
  {
    command: text("the program that is started, and spoken to by its standard input and output"),
    extensions: say(listOf(text()), "the endings of the files it is asked about, with the dot"),
  },
  {
    args: say(listOf(text()), "its arguments"),
    language: text("LSP's name of the language; by the ending unless said"),
    initialization: say(mapOf(anything), "what it is initialized with"),
    settings: say(mapOf(anything), "what it is told when it asks for its configuration, by section"),
  },
);
export const languageServer: Schema<LanguageServer | false> = {
  json: {
    anyOf: [languageServerObject.json, { const: false, description: "the one that comes with Hookline is not used" }],
  },
  check: (value, path = []) => {
    if (value === false) return [];
    if (!isRecord(value)) return [{ path, expected: "an object, or false", found: kindOf(value) }];
    return languageServerObject.check(value, path);
  },
};

export const modelName: Schema<string> = text("the model that is asked where a hook names none, as provider/model");
export const windowSize: Schema<number> = integer("tokens", 1);

export type ConfigKeyName =
  | "apps"
  | "extensions"
  | "mcp_servers"
  | "models"
  | "language_servers"
  | "hook_engine"
  | "notifications"
  | "notify"
  | "webhooks"
  | "memory"
  | "budgets";
interface ConfigKey {
  description: string;
  json: Fields;
}

const mapSchema = (item: Json, description: string): Fields => ({
  type: "object",
  description,
  additionalProperties: item,
});

export const configKeys: { readonly [K in ConfigKeyName]: ConfigKey } = {
  apps: {
    description: "app files with rules for single agents, as paths from the folder of this file",
    json: listOf(text("a path")).json,
  },
  extensions: {
    description: "modules that register conditions, actions and hooks: a path that begins with a dot, or a package",
    json: listOf(text("a path or a package's name")).json,
  },
  mcp_servers: {
    description: "the servers whose tools rules may call as server.tool",
    json: mapSchema(mcpServer.json, "by the name that tools are called with"),
  },
  models: {
    description: "the models behind prompt and agent hooks",
    json: {
      type: "object",
      additionalProperties: false,
      properties: {
        default: modelName.json,
        providers: mapSchema(provider.json, "by the name that stands before the slash of a model's name"),
        windows: mapSchema(windowSize.json, "context sizes in tokens, by how a model's name begins"),
      },
    },
  },
  language_servers: {
    description: "the language servers that lsp_diagnose asks; the usual ones are known",
    json: mapSchema(languageServer.json, "by a name of yours, or that of a known one to change it"),
  },
  hook_engine: { description: "how automations run", json: engineSettings.json },
  notifications: {
    description: "places where runs of automations are told of; only in your own file",
    json: mapSchema(noticeChannel.json, "by a name of yours"),
  },
  notify: {
    description: "the notifications that are sent where neither an automation nor its project says so",
    json: listOf(text("the name of one under notifications")).json,
  },
  webhooks: {
    description: "who may send events to the daemon from outside; only in your own file",
    json: mapSchema(inboundWebhook.json, "by the name that stands in their address"),
  },
  memory: { description: "how projects remember", json: memorySettings.json },
  budgets: { description: "how long events and single hooks may take, in milliseconds", json: budgetsSchema.json },
};

export const configKeyNames: readonly string[] = ["hooks", ...Object.keys(configKeys)];
export const isConfigKey = (key: string): key is ConfigKeyName => Object.hasOwn(configKeys, key);
